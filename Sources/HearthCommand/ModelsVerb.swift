import Foundation
import OnDeviceModels

let modelsVerb = Verb(
  "models", usage: "list | pull [NAME] | verify [NAME] | path [NAME]",
  summary: "list, download and check the catalog's models",
  details: """
    list    what the catalog has and what is here
    pull    download a model, or the default one; does nothing when it is here
    verify  read a downloaded model and compare its SHA-256
    path    print where its file is
    Models lie in $HEARTH_MODELS, else in hearth/models in the XDG data folder.
    """
) { arguments in
  let store = ModelStore()
  let catalog = ModelCatalog.builtIn
  let action = arguments.operands.first
  func entry() throws -> ModelCatalog.Entry {
    try arguments.refuseOperands(after: 2)
    guard arguments.operands.count > 1 else {
      guard let entry = catalog.defaultEntry else { throw UsageError("which model?") }
      return entry
    }
    let name = arguments.operands[1]
    guard let entry = catalog.entry(named: name) else {
      throw ModelStoreError.unknownModel(name: name, known: catalog.models.map(\.name))
    }
    return entry
  }

  switch action {
  case "list":
    try arguments.refuseOperands(after: 1)
    catalog.models.forEach { Console.line(ModelsReport.line($0, store)) }
  case "pull": try await ModelsReport.pull(entry(), store)
  case "verify":
    let entry = try entry()
    try await store.verify(entry)
    Console.line("\(entry.name): \(store.path(for: entry).path(percentEncoded: false)) is right")
  case "path":
    let entry = try entry()
    guard store.isPresent(entry) else {
      throw ModelStoreError.notPulled(
        name: entry.name, path: store.path(for: entry).path(percentEncoded: false))
    }
    Console.line(store.path(for: entry).path(percentEncoded: false))
  case let other?: throw UsageError("unknown action \"\(other)\"")
  case nil: throw UsageError("list, pull, verify or path?")
  }
}

/// What `hearth models` prints.
private enum ModelsReport {
  static func line(_ entry: ModelCatalog.Entry, _ store: ModelStore) -> String {
    let marks = [
      entry.isDefault ? "default" : nil, store.isPresent(entry) ? "downloaded" : "not downloaded",
    ].compactMap { $0 }.joined(separator: ", ")
    return "\(entry.name)\n    \(entry.architecture), \(entry.quantization), "
      + "\(entry.bytes / 1_000_000) MB, context \(entry.contextLength), "
      + "licence \(entry.license) (\(marks))"
  }

  static func pull(_ entry: ModelCatalog.Entry, _ store: ModelStore) async throws {
    let path = store.path(for: entry).path(percentEncoded: false)
    if store.isPresent(entry) {
      Console.note("\(entry.name) is here: \(path)")
      return
    }
    let work = Task {
      try await ModelDownloader(store: store).pull(entry) { progress in
        Console.status(text(entry, progress))
      }
    }
    do {
      _ = try await Interrupt.cancelling(work)
    } catch {
      Console.note("")
      throw error
    }
    Console.note(Console.hasTerminalForErrors ? "" : "\(entry.name) is complete: \(path)")
  }

  /// One status line, rewritten in place on a terminal.
  private static func text(_ entry: ModelCatalog.Entry, _ progress: PullProgress) -> String {
    let state =
      switch progress.phase {
      case .waiting: "waiting for another download of it"
      case .downloading:
        "\(progress.completedBytes / 1_000_000) of \(progress.totalBytes / 1_000_000) MB"
      case .verifying: "checking"
      }
    return Console.hasTerminalForErrors
      ? "\r\u{1B}[K\(entry.name): \(state)" : "\(entry.name): \(state)\n"
  }
}
