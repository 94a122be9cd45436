// Lets the model ask the program for something it cannot know: the gate of a flight.

import Foundation
import FoundationModels

/// Looks up gates; the model sees the name, the description and the arguments, and decides.
struct FetchGateTool: Tool {
  let name = "fetchGate"
  let description = "Fetches the gate of a flight as of now."

  @Generable
  struct Arguments {
    @Guide(description: "The number of the flight, such as HA204", .pattern(/[A-Z]{2}\d{3}/))
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

@main
struct GateTool {
  static func main() async {
    let model = SystemLanguageModel.default
    switch model.availability {
    case .available: break
    case .unavailable(.modelNotReady):
      return print("There is no model yet. Fetch one with: hearth models pull")
    case .unavailable(let reason): return print("The model cannot be used: \(reason)")
    }
    let session = LanguageModelSession(
      tools: [FetchGateTool()],
      instructions: "You help travellers at an airport. Look gates up, never guess them.")
    do {
      let answer = try await session.respond(
        to: "Which gate does flight HA204 leave from?",
        options: GenerationOptions(sampling: .greedy, maximumResponseTokens: 80))
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
