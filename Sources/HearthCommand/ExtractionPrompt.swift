import ConstrainedDecoding
import OnDeviceModels
import Tokenization

/// How the model is asked for a value: the task first, then the document alone, so that the task
/// stays in the KV cache from one document to the next.
struct ExtractionPrompt {
  /// The model's task and the form of its answer.
  let instructions: String

  /// The prompt for values of one grammar.
  ///
  /// - Parameters:
  ///   - source: the grammar, whose schema is shown where it is one.
  ///   - task: what to say instead of the usual.
  /// - Throws: what reading the schema throws.
  init(_ source: GrammarOptions.Source, task: String?) throws {
    let task =
      task
      ?? "You extract data from documents. Copy what the document says; do not make anything up."
    let form: String
    switch source {
    case .schema(let text, _):
      let schema = try OrderedJSON(
        parsing: text, maximumDepth: GrammarLimits().maximumNesting)
      form = "Answer with JSON of this form:\n" + SchemaOutline.text(schema)
    case .gbnf: form = "Answer with the value alone."
    case .regex(let pattern): form = "Answer with the value alone. It has the form \(pattern)"
    }
    instructions = task + "\n" + form
  }

  /// One text to be continued, for a model without a chat template.
  func whole(_ document: String) -> String {
    instructions + "\n\nDocument:\n" + document + "\n\nAnswer:\n"
  }
}
