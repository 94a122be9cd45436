// Asks for the fields of a letter by a schema that is made while the program runs.
//
// Without words it looks for sender, action and deadline; other fields can be named as arguments:
// LetterAssistant sender amount

import Foundation
import FoundationModels

@main
struct LetterAssistant {
  static let letter = """
    Stadtwerke Halden, Postfach 12, 8040 Halden

    Dear Mr Brandt, we read the water meter of your flat once a year. Please write down the number
    it shows and send it to us by 2026-09-30, by post or at the counter. If we do not hear from you
    we estimate it. With kind regards, Petra Moser, customer service
    """

  /// What is known about fields: what they mean, and what they may look like.
  static let known: [String: (meaning: String, guides: [GenerationGuide<String>])] = [
    "sender": ("Who wrote the letter, as written there", [.verbatim(in: letter)]),
    "action": ("What the reader has to do, in a few words", []),
    // Nothing at all, or a date.
    "deadline": ("Until when, or nothing", [.pattern(/^$|^\d{4}-\d{2}-\d{2}$/)]),
  ]

  static func schema(_ fields: [String]) throws -> GenerationSchema {
    let properties = fields.map { field in
      let (meaning, guides) = known[field] ?? ("The \(field)", [])
      return DynamicGenerationSchema.Property(
        name: field, description: meaning,
        schema: DynamicGenerationSchema(type: String.self, guides: guides))
    }
    return try GenerationSchema(
      root: DynamicGenerationSchema(name: "Letter", properties: properties), dependencies: [])
  }

  static func main() async {
    let model = SystemLanguageModel.default
    switch model.availability {
    case .available: break
    case .unavailable(.modelNotReady):
      return print("There is no model yet. Fetch one with: hearth models pull")
    case .unavailable(.appleIntelligenceNotEnabled):
      return print(
        "Models are switched off. Unset HEARTH_DISABLED and remove the file “disabled” beside them."
      )
    case .unavailable(let reason): return print("The model cannot be used: \(reason)")
    }
    let words = CommandLine.arguments.dropFirst()
    let fields = words.isEmpty ? ["sender", "action", "deadline"] : Array(words)
    let session = LanguageModelSession(
      instructions: "You read letters from offices and say what matters in them.")
    do {
      let content = try await session.respond(
        to: letter, schema: schema(fields), options: GenerationOptions(sampling: .greedy)
      ).content
      for field in fields {
        let value = try content.value(String.self, forProperty: field)
        print("\(field): \(value.isEmpty ? "none" : value)")
      }
    } catch {
      print("No fields: \(error.localizedDescription)")
    }
  }
}
