package import Foundation
internal import GGUF
internal import Inference
package import LanguageModels
internal import Synchronization

extension SystemLanguageModel: SystemModelProviderSource {
  /// The default model of the catalog.
  package static func makeSystemModelProvider() -> any SystemModelProvider { SystemModel() }
}

/// The catalog's default model, as the one that this device offers to every program.
///
/// It is there once it was fetched (`hearth models pull`). A user switches it off for all programs
/// by a file named `disabled` in the folder of the models, or for one program by setting the
/// environment variable `HEARTH_DISABLED` to anything but 0 or nothing.
package struct SystemModel: SystemModelProvider {
  private let catalog: ModelCatalog
  private let environment: @Sendable () -> [String: String]
  private let memory: @Sendable () -> MachineMemory
  private let estimates = EstimateCache()

  /// - Parameters:
  ///   - catalog: whose default model it is.
  ///   - environment: the variables that say where models are and whether they are wanted.
  ///   - memory: what the machine has.
  package init(
    catalog: ModelCatalog = .builtIn,
    environment: @escaping @Sendable () -> [String: String] = {
      ProcessInfo.processInfo.environment
    },
    memory: @escaping @Sendable () -> MachineMemory = { .current }
  ) {
    self.catalog = catalog
    self.environment = environment
    self.memory = memory
  }

  private var store: ModelStore { ModelStore(environment: environment()) }

  package var availability: SystemLanguageModel.Availability {
    obstacle.map { .unavailable($0.reason) } ?? .available
  }

  /// Why the model cannot be used now, in a word and in full.
  private struct Obstacle {
    let reason: SystemLanguageModel.Availability.UnavailableReason
    /// What is in the way, and what to do about it.
    let explanation: String
  }

  /// What is in the way now; it may change at any time.
  private var obstacle: Obstacle? {
    if let switchedOff { return switchedOff }
    guard let entry = catalog.defaultEntry else {
      return Obstacle(reason: .deviceNotEligible, explanation: "The catalog has no default model.")
    }
    let store = store
    let file = store.path(for: entry)
    let isPresent = store.isPresent(entry)
    // Before it is fetched its size is known from the catalog.
    let needed = (isPresent ? estimates.estimate(of: file, entry)?.total : nil) ?? entry.bytes
    let physical = memory().physical
    if needed > physical {
      return Obstacle(
        reason: .deviceNotEligible,
        explanation:
          "\(entry.name) needs \(needed) bytes of memory, and this device has \(physical).")
    }
    if isPresent { return nil }
    return Obstacle(
      reason: .modelNotReady,
      explanation: "\(entry.name) is not, or not wholly, at \(file.path(percentEncoded: false)). "
        + "Fetch it with: hearth models pull \(entry.name)")
  }

  /// Who has switched the model off, if anybody has.
  private var switchedOff: Obstacle? {
    let environment = environment()
    if let value = environment["HEARTH_DISABLED"], !["", "0"].contains(value) {
      return Obstacle(
        reason: .appleIntelligenceNotEnabled,
        explanation: "Models on this device are switched off for this program by the environment "
          + "variable HEARTH_DISABLED, which is “\(value)”. Unset it, or set it to 0, to switch "
          + "them on.")
    }
    let mark = ModelStore(environment: environment).folder.appending(path: "disabled")
      .path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: mark) else { return nil }
    return Obstacle(
      reason: .appleIntelligenceNotEnabled,
      explanation: "Models on this device are switched off for all programs by the file \(mark). "
        + "Remove it to switch them on.")
  }

  package var supportedLanguages: Set<Locale.Language> {
    Set((catalog.defaultEntry?.languages ?? []).map { Locale.Language(identifier: $0) })
  }

  package var contextSize: Int {
    min(catalog.defaultEntry?.contextLength ?? .max, EngineOptions.defaultContextLimit)
  }

  private var languageModel: OnDeviceLanguageModel {
    get throws(OnDeviceModelError) {
      guard let entry = catalog.defaultEntry else {
        throw .unknownModel(name: "default", known: catalog.models.map(\.name))
      }
      return OnDeviceLanguageModel(file: store.path(for: entry))
    }
  }

  package func model(for useCase: SystemLanguageModel.UseCase) throws -> any LanguageModel {
    if let obstacle {
      throw SystemLanguageModel.Error.assetsUnavailable(
        .init(debugDescription: obstacle.explanation))
    }
    return try languageModel
  }

  package func tokenCount(of content: SystemLanguageModel.CountedContent) async throws -> Int {
    let model = try languageModel
    return switch content {
    case .entries(let entries): try await model.tokenCount(for: entries)
    case .schema(let schema): try await model.tokenCount(for: schema)
    }
  }
}

/// The last estimate, since availability is asked often and reading a header takes a while.
private final class EstimateCache: Sendable {
  private let last = Mutex<(file: URL, bytes: Int, estimate: MemoryEstimate)?>(nil)

  func estimate(of file: URL, _ entry: ModelCatalog.Entry) -> MemoryEstimate? {
    if let last = last.withLock({ $0 }), last.file == file, last.bytes == entry.bytes {
      return last.estimate
    }
    guard let header = try? GGUFFile(path: file.path(percentEncoded: false)),
      let estimate = try? MemoryEstimate(file: header)
    else { return nil }
    last.withLock { $0 = (file, entry.bytes, estimate) }
    return estimate
  }
}
