// Summarises a booking confirmation in one sentence: a session, instructions, a prompt, an answer.

import Foundation
import FoundationModels

@main
struct BookingSummary {
  static let confirmation = """
    Dear Ms Okafor,
    thank you for staying with Pension Lindenhof, Kirchgasse 4, Meran. Your room with a balcony is
    booked from 12 May 2026 for three nights, breakfast included. Check-in is from 3 p.m.; please
    ring at the side door after 9 p.m. The total of 354 euros is paid on arrival, in cash or by
    card. You can cancel free of charge until 10 May. Your booking code is LH7Q2K.
    """

  static func main() async {
    // Whether the model can be used may change at any time, so it is asked for right before.
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
    let session = LanguageModelSession {
      "You summarise booking confirmations for a busy traveller."
      "Answer in one sentence that says where, when and how much."
    }
    do {
      let response = try await session.respond(
        to: Prompt {
          "Summarise this confirmation:"
          confirmation
        },
        // The most likely words, so that every run says the same; and a limit, to be safe.
        options: GenerationOptions(sampling: .greedy, maximumResponseTokens: 120))
      print(response.content)
    } catch LanguageModelError.contextSizeExceeded(let context) {
      print("\(context.tokenCount) tokens do not fit the \(context.contextSize) of the model.")
    } catch {
      print("No summary: \(error.localizedDescription)")
    }
  }
}
