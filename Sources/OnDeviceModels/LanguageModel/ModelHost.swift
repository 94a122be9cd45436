internal import Foundation
internal import Inference
internal import LanguageModels
internal import Synchronization

/// Holds the loaded model of one configuration, for all that use it.
final class ModelHost: Sendable {
  private struct State {
    var loading: Task<LoadedModel, any Error>?
    /// Tells one loading from another.
    var loadNumber = 0
    var isLoaded = false
  }

  private let configuration: OnDeviceLanguageModel.Executor.Configuration
  private let state = Mutex(State())
  /// Who uses the engine, and who is next.
  let turns = TurnQueue()

  init(_ configuration: OnDeviceLanguageModel.Executor.Configuration) {
    self.configuration = configuration
  }

  // MARK: Loading

  /// Whether the model is in memory.
  var isLoaded: Bool { state.withLock { $0.isLoaded } }

  /// The model, loaded on a thread of its own if it is not there.
  ///
  /// - Throws: what loading throws, the same for all who wait; the next call tries again.
  ///   `CancellationError` when the task is cancelled, while others go on waiting.
  func model() async throws -> LoadedModel {
    let task = state.withLock { state in
      if let loading = state.loading { return loading }
      state.loadNumber += 1
      let task = Task.detached { [number = state.loadNumber] in try await self.load(number) }
      state.loading = task
      return task
    }
    return try await task.cancellableValue
  }

  private func load(_ number: Int) async throws -> LoadedModel {
    let result: Result<LoadedModel, any Error>
    do {
      result = .success(try await LoadedModel.load(configuration))
    } catch {
      result = .failure(error)
    }
    state.withLock { state in
      // Whoever let go of the model meanwhile does not want it kept.
      guard state.loadNumber == number, state.loading != nil else { return }
      if case .success = result { state.isLoaded = true } else { state.loading = nil }
    }
    if case .success = result { configuration.hosts.watchMemory() }
    return try result.get()
  }

  /// Lets go of the model, unless a request uses it or waits for it.
  ///
  /// - Returns: whether no model is loaded after that.
  func releaseIfUnused() -> Bool {
    state.withLock { state in
      guard turns.count == 0 else { return !state.isLoaded && state.loading == nil }
      state.loading = nil
      state.isLoaded = false
      return true
    }
  }

  // MARK: Getting ready

  /// Loads the model and has it read what the next prompt begins with, in the background.
  ///
  /// Whatever goes wrong, the request that comes will say it.
  func prewarm(_ transcript: Transcript) {
    // The place is taken now: a request that comes next waits for what is being made ready.
    let place = turns.enter()
    Task.detached(priority: .userInitiated) {
      defer { place.leave() }
      let model = try await self.model()
      try await model.compileGrammar(ofTools: transcript)
      let prefix = try await model.composer.beginning(of: transcript)
      guard !prefix.isEmpty, prefix.count <= model.model.contextSize else { return }
      try await place.wait()
      // The first token is computed with the prompt and then left alone.
      var request = GenerationRequest(prompt: prefix, sampling: .greedy, maximumTokens: 1)
      request.mayInterleave = true
      for try await _ in try await model.model.engine.generate(request) { break }
    }
  }
}

extension Task where Failure == any Error {
  /// The result of a task, which others may wait for too.
  ///
  /// - Throws: what the task throws; `CancellationError` when the caller's task is cancelled.
  fileprivate var cancellableValue: Success {
    get async throws {
      let waiter = Waiter<Success>()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          waiter.begin(continuation)
          Task<Void, Never> { waiter.end(await self.result) }
        }
      } onCancel: {
        waiter.end(.failure(Swift.CancellationError()))
      }
    }
  }
}

/// One who waits for a result that may come twice; the first one counts.
private final class Waiter<Success: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Success, any Error>)
    case ended(Result<Success, any Error>)
  }

  private let state = Mutex(State.new)

  func begin(_ continuation: CheckedContinuation<Success, any Error>) {
    let result: Result<Success, any Error>? = state.withLock { state in
      if case .ended(let result) = state { return result }
      state = .waiting(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }

  func end(_ result: Result<Success, any Error>) {
    let continuation: CheckedContinuation<Success, any Error>? = state.withLock { state in
      defer { if case .ended = state {} else { state = .ended(result) } }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume(with: result)
  }
}
