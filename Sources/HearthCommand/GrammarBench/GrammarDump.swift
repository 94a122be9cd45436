import Foundation
import OnDeviceModels
import Tokenization

/// The vocabulary, the grammars and the tokens of their texts, for other programs to measure.
struct GrammarDump {
  let tokenizer: Tokenizer
  let workloads: [GrammarWorkload]

  /// Only grammars that every engine can read: schemas without a source of their own.
  var content: OrderedJSON {
    let vocabulary = tokenizer.vocabulary
    let ids = 0..<TokenID(vocabulary.count)
    func hex(_ id: TokenID) -> String {
      vocabulary.bytes(of: id).map { String(format: "%02x", $0) }.joined()
    }
    return [
      "tokens": .array(ids.map { .string(vocabulary.isText($0) ? hex($0) : "") }),
      "special": .array(ids.filter { !vocabulary.isText($0) }.map { .int(Int($0)) }),
      "end": .array(vocabulary.endOfGeneration.sorted().map { .int(Int($0)) }),
      "workloads": .array(workloads.compactMap(description)),
    ]
  }

  private func description(_ workload: GrammarWorkload) -> OrderedJSON? {
    guard case .jsonSchema(let schema, let source, let sources, _, _) = workload.grammar,
      source == nil, sources.isEmpty, let texts = workload.texts
    else { return nil }
    return [
      "name": .string(workload.name), "schema": .string(schema),
      "texts": .array(texts.map { .array(tokenizer.tokens(of: $0).map { .int($0) }) }),
    ]
  }
}

extension Tokenizer {
  /// The tokens of a text that stands by itself in the middle of others.
  func tokens(of text: String) -> [Int] {
    encode(continuation: Array(text.utf8)).map(Int.init)
  }
}
