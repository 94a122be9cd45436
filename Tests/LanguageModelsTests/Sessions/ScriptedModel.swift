import Foundation
import LanguageModels
import Synchronization
import TestSupport

/// A model that does what a script says and remembers what it was asked.
struct ScriptedModel: LanguageModel {
  typealias Request = LanguageModelExecutorGenerationRequest
  typealias Channel = LanguageModelExecutorGenerationChannel
  typealias Step = @Sendable (Request, Channel) async throws -> Void

  var capabilities = LanguageModelCapabilities([.guidedGeneration, .toolCalling])
  let script: Script

  /// Each pass takes the next step; the last one is taken again and again.
  init(_ steps: [Step]) { script = Script(steps) }

  init(_ step: @escaping Step) { self.init([step]) }

  /// Says the pieces of one text at every request.
  static func saying(_ pieces: String...) -> ScriptedModel {
    ScriptedModel { _, channel in
      for piece in pieces { await channel.say(piece) }
    }
  }

  /// What the model was asked so far.
  var requests: [Request] { script.requests.withLock { $0 } }

  var executorConfiguration: Executor.Configuration { .init(id: script.id) }

  final class Script: Sendable {
    let id = UUID()
    let steps: [Step]
    let requests = Mutex<[Request]>([])
    let prewarmed = Mutex<[Transcript]>([])

    init(_ steps: [Step]) { self.steps = steps }

    func next(_ request: Request) -> Step {
      let index = requests.withLock { requests in
        requests.append(request)
        return requests.count - 1
      }
      return steps[min(index, steps.count - 1)]
    }
  }

  struct Executor: LanguageModelExecutor {
    struct Configuration: Hashable, Sendable {
      let id: UUID
    }

    /// How many executors were made for each configuration.
    static let made = Mutex<[UUID: Int]>([:])

    init(configuration: Configuration) {
      Self.made.withLock { $0[configuration.id, default: 0] += 1 }
    }

    func prewarm(model: ScriptedModel, transcript: Transcript) {
      model.script.prewarmed.withLock { $0.append(transcript) }
    }

    nonisolated(nonsending) func respond(
      to request: Request, model: ScriptedModel, streamingInto channel: Channel
    ) async throws {
      try await model.script.next(request)(request, channel)
    }
  }
}

extension LanguageModelExecutorGenerationChannel {
  func say(_ text: String, entryID: String? = nil) async {
    await send(.response(entryID: entryID, action: .appendText(text, tokenCount: 1)))
  }

  func call(_ id: String, _ name: String, _ arguments: String) async {
    await send(
      .toolCalls(
        action: .toolCall(id: id, name: name, action: .appendArguments(arguments, tokenCount: 1))))
  }
}

/// Counts what several tasks do.
final class Counter: Sendable {
  private let state = Mutex(0)

  var count: Int { state.withLock { $0 } }

  /// Counts one more.
  @discardableResult
  func increment() -> Int {
    state.withLock { count in
      count += 1
      return count
    }
  }
}

/// Opens once, for all who wait.
final class Gate: Sendable {
  private let (stream, continuation) = AsyncStream.makeStream(of: Never.self)

  func open() { continuation.finish() }

  /// Returns when the gate is open or the task is cancelled.
  func pass() async { for await _ in stream {} }
}

extension Transcript {
  /// The texts of the entries.
  var texts: [String] { map { $0.segments.compactMap(\.text).joined(separator: "|") } }
}

func entries(_ slice: ArraySlice<Transcript.Entry>) -> [String] {
  Transcript(entries: slice).kinds
}
