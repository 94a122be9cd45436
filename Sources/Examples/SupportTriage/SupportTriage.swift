// Sorts messages to a support desk: a category out of a few, an urgency from 1 to 5.

import Foundation
import FoundationModels

@Generable(description: "Where a message to the support desk goes")
struct Ticket {
  // Properties are written in this order: the reason first, so that the rest can follow from it.
  @Guide(description: "What the customer wants, in at most ten words")
  var reason: String
  var category: Category
  @Guide(description: "1 can wait for weeks, 5 must be answered now", .range(1...5))
  var urgency: Int

  @Generable(description: "The team that answers")
  enum Category: String, CaseIterable {
    case billing
    case delivery
    case account
    case other = "something else"
  }
}

@main
struct SupportTriage {
  static let messages = [
    "You charged me twice for the same pair of boots. I want one of the payments back today.",
    "Hello, I only wanted to say that the blue lamp looks lovely on my desk.",
    "My parcel has been on the way for three weeks, and the birthday is tomorrow!",
  ]

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
    for message in messages {
      // A session each, so that no message colours the next one. The tokens of the instructions are
      // worked out once all the same.
      let session = LanguageModelSession(
        model: model, instructions: "You sort messages to the support desk of a furniture shop.")
      do {
        let ticket = try await session.respond(
          to: message, generating: Ticket.self,
          options: GenerationOptions(sampling: .greedy, maximumResponseTokens: 100)
        ).content
        print("\(ticket.urgency)  \(ticket.category.rawValue): \(ticket.reason)")
      } catch {
        print("?  \(message.prefix(30))…: \(error.localizedDescription)")
      }
    }
  }
}
