// Extracts the fields of a booking confirmation as a value of a Swift type.
//
// The guides hold while the model writes. `.verbatim` is one that only this package has: the text
// must occur in the prompt letter by letter, so a code can be wrong but never made up.

import Foundation
import FoundationModels

@Generable(description: "The facts of a booking confirmation")
struct Booking {
  @Guide(description: "The code of the booking", .verbatim, .pattern(/[A-Z0-9]{6}/))
  var code: String
  @Guide(description: "The name of the guest", .verbatim)
  var guest: String
  @Guide(description: "The first day as year-month-day", .pattern(/\d{4}-\d{2}-\d{2}/))
  var arrival: String
  @Guide(description: "How many nights", .range(1...30))
  var nights: Int
  @Guide(description: "What the guest asked for, at most three things", .maximumCount(3))
  var wishes: [String]
  var payment: Payment

  @Generable(description: "How the booking is paid")
  enum Payment: String {
    case onArrival = "on arrival"
    case inAdvance = "in advance"
    case unknown
  }
}

@main
struct BookingFields {
  static let confirmation = """
    Booking code: LH7Q2K
    Guest: Adaeze Okafor
    Arrival 2026-05-12, departure 2026-05-15 (3 nights)
    Pension Lindenhof, Kirchgasse 4, Meran
    Wishes: a quiet room, a cot. Please pay the 354 euros on arrival.
    """

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
    let session = LanguageModelSession(instructions: "You copy facts from texts into fields.")
    do {
      let booking = try await session.respond(
        to: confirmation, generating: Booking.self, options: GenerationOptions(sampling: .greedy)
      ).content
      print("code     \(booking.code)")
      print("guest    \(booking.guest)")
      print("arrival  \(booking.arrival), \(booking.nights) nights")
      print("payment  \(booking.payment.rawValue)")
      for wish in booking.wishes { print("wish     \(wish)") }
      // The guide has seen to it already; an app that trusts nobody may look again.
      precondition(confirmation.contains(booking.code))
    } catch {
      print("No fields: \(error.localizedDescription)")
    }
  }
}
