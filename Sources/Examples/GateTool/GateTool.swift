// Lets the model ask the program for something it cannot know: the gate of a flight.

import Foundation
import FoundationModels

/// Looks up gates; the model sees the name, the description and the arguments, and decides.
struct FetchGateTool: Tool {
  let name = "fetchGate"
  let description = "Fetches the gate of a flight as of now."

  @Generable
  struct Arguments {
    // Letters and digits that the traveller has said: a small model would rather make some up.
    @Guide(description: "The number of the flight", .pattern(/[A-Z]{2}\d{3}/), .verbatim)
    var flight: String
  }

  /// What an app would ask its server for.
  private let gates = ["HA204": "B12", "HA317": "A4"]

  struct UnknownFlight: Error {
    let flight: String
  }

  func call(arguments: Arguments) async throws -> String {
    print("[looking up \(arguments.flight)]")
    guard let gate = gates[arguments.flight] else {
      throw UnknownFlight(flight: arguments.flight)
    }
    return "Flight \(arguments.flight) leaves from gate \(gate)."
  }
}

extension SessionPropertyValues {
  /// Whether the tool has answered what was asked last.
  @SessionPropertyEntry var isGateKnown: Bool = false
}

/// Has the model call the tool before it answers: a small model would rather guess.
struct GateProfile: LanguageModelSession.DynamicProfile {
  @SessionProperty(\.isGateKnown) var isGateKnown

  var body: some DynamicProfile {
    Profile {
      Instructions("You help travellers at an airport. Say what the tool has found out.")
      FetchGateTool()
    }
    .samplingMode(.greedy)
    .maximumResponseTokens(60)
    .toolCallingMode(isGateKnown ? .disallowed : .required)
    .onPrompt { isGateKnown = false }
    .onToolOutput { isGateKnown = true }
  }
}

@main
struct GateTool {
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
    let session = LanguageModelSession(profile: GateProfile())
    do {
      let answer = try await session.respond(to: "Which gate does flight HA204 leave from?")
      print(answer.content)
      // The transcript holds the call and its output between the prompt and the answer.
      for case .toolCalls(let calls) in session.transcript {
        for call in calls { print("[called \(call.toolName) with \(call.arguments.jsonString)]") }
      }
    } catch let error as LanguageModelSession.ToolCallError {
      print("The tool \(error.tool.name) failed: \(error.underlyingError)")
    } catch {
      print("No answer: \(error.localizedDescription)")
    }
  }
}
