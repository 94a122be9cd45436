internal import Synchronization

/// The hosts of models, one for each configuration, and a watch over the memory that they take.
package final class ModelHosts: Sendable {
  /// Those of all models, unless somebody says otherwise.
  package static let shared = ModelHosts(pressure: .system)

  private struct Reference {
    weak var host: ModelHost?
  }

  private struct State {
    var known: [OnDeviceLanguageModel.Executor.Configuration: Reference] = [:]
    var watch: Task<Void, Never>?
  }

  private let pressure: MemoryPressure
  private let state = Mutex(State())

  /// No hosts yet.
  ///
  /// - Parameter pressure: tells when models that nobody uses have to go.
  package init(pressure: MemoryPressure) { self.pressure = pressure }

  /// The one host of a configuration; it lives while somebody holds it.
  func host(for configuration: OnDeviceLanguageModel.Executor.Configuration) -> ModelHost {
    state.withLock { state in
      if let host = state.known[configuration]?.host { return host }
      state.known = state.known.filter { $0.value.host != nil }
      let host = ModelHost(configuration)
      state.known[configuration] = Reference(host: host)
      return host
    }
  }

  /// The host of a configuration, if somebody holds it.
  func existingHost(
    for configuration: OnDeviceLanguageModel.Executor.Configuration
  ) -> ModelHost? {
    state.withLock { $0.known[configuration]?.host }
  }

  /// Sees to it that models go when memory is short; called when one has been loaded.
  func watchMemory() {
    state.withLock { state in
      guard state.watch == nil else { return }
      state.watch = Task.detached(priority: .utility) { [self] in
        await pressure.watch(while: { isWatchNeeded() }) { [self] in releaseAllUnused() }
      }
    }
  }

  /// Whether the memory is watched.
  package var isWatching: Bool { state.withLock { $0.watch != nil } }

  /// Lets go of all models that nobody uses or waits for.
  private func releaseAllUnused() {
    let all = state.withLock { $0.known.values.compactMap(\.host) }
    for host in all { _ = host.releaseIfUnused() }
  }

  /// Whether any model is loaded; if not, the next one to be loaded starts another watch.
  private func isWatchNeeded() -> Bool {
    state.withLock { state in
      if state.known.values.contains(where: { $0.host?.isLoaded == true }) { return true }
      state.watch = nil
      return false
    }
  }
}

extension ModelHosts: Hashable {
  /// Every registry is only equal to itself.
  package static func == (a: ModelHosts, b: ModelHosts) -> Bool { a === b }

  /// Hashes the identity.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
