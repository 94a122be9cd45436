// Writes a short poem and shows it while it is written.
//
// A word or two may be given: Poem the sea at night

import Foundation
import FoundationModels

@main
struct Poem {
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
    let subject = words.isEmpty ? "a lamp in a window" : words.joined(separator: " ")
    let session = LanguageModelSession(instructions: "You write short poems in plain words.")
    let stream = session.streamResponse(
      to: "Write a poem of four lines about \(subject).",
      options: GenerationOptions(
        sampling: .random(probabilityThreshold: 0.9), temperature: 0.8, maximumResponseTokens: 100))
    do {
      var shown = ""
      for try await snapshot in stream {
        // A snapshot holds all of the text so far; what is new is behind what was shown.
        let text = snapshot.content
        let new = text.hasPrefix(shown) ? text.dropFirst(shown.count) : text[...]
        FileHandle.standardOutput.write(Data(new.utf8))
        shown = text
      }
      print()
    } catch {
      print("\nThe poem ends here: \(error.localizedDescription)")
    }
  }
}
