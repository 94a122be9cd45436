internal import Synchronization

/// Makes executors, one for all models of equal configuration.
///
/// An executor lives while somebody holds its ``ExecutorBox``; the last few are held here, so that
/// one session after another does not load a model anew each time.
final class ExecutorCache: Sendable {
  static let shared = ExecutorCache()

  private struct Key: Hashable, Sendable {
    let executor: ObjectIdentifier
    let configuration: any Hashable & Sendable

    static func == (a: Key, b: Key) -> Bool {
      a.executor == b.executor && AnyHashable(a.configuration) == AnyHashable(b.configuration)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(executor)
      hasher.combine(AnyHashable(configuration))
    }
  }

  private struct Reference {
    weak var box: (any ExecutorHolding)?
  }

  private struct State {
    var boxes: [Key: Reference] = [:]
    var recent: [any ExecutorHolding] = []
  }

  private static let recentCount = 4
  private let state = Mutex(State())

  func box<Model: LanguageModel>(for model: Model) -> ExecutorBox<Model.Executor> {
    let configuration = model.executorConfiguration
    let key = Key(
      executor: ObjectIdentifier(Model.Executor.self), configuration: configuration)
    return state.withLock { state in
      let known = state.boxes[key]?.box as? ExecutorBox<Model.Executor>
      let box = known ?? ExecutorBox(configuration: configuration)
      if known == nil {
        state.boxes = state.boxes.filter { $0.value.box != nil }
        state.boxes[key] = Reference(box: box)
      }
      state.recent.removeAll { $0 === box }
      state.recent.append(box)
      if state.recent.count > Self.recentCount { state.recent.removeFirst() }
      return box
    }
  }
}

/// Something that keeps an executor, and what it has loaded, while somebody holds it.
package protocol ExecutorHolding: AnyObject, Sendable {}

/// The executor of one configuration, made when it is first needed.
final class ExecutorBox<Executor: LanguageModelExecutor>: ExecutorHolding {
  private let configuration: Executor.Configuration
  private let made = Mutex<Executor?>(nil)

  init(configuration: Executor.Configuration) { self.configuration = configuration }

  /// The executor; one that could not be made is tried again the next time.
  func executor() throws -> Executor {
    try made.withLock { made in
      if let made { return made }
      let executor = try Executor(configuration: configuration)
      made = executor
      return executor
    }
  }
}

extension LanguageModel {
  /// Whoever holds this keeps the executor, and what it has loaded.
  package func sharedExecutor() -> any ExecutorHolding { ExecutorCache.shared.box(for: self) }

  /// Has the shared executor answer a request.
  ///
  /// - Throws: what the executor throws.
  package nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    let box = ExecutorCache.shared.box(for: self)
    try await box.executor().respond(to: request, model: self, streamingInto: channel)
    withExtendedLifetime(box) {}
  }

  /// Has the shared executor get ready for a request that begins with `transcript`.
  ///
  /// - Throws: what making the executor throws.
  package func prewarm(_ transcript: Transcript) throws {
    try ExecutorCache.shared.box(for: self).executor().prewarm(model: self, transcript: transcript)
  }
}
