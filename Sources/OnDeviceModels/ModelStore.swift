package import Foundation
internal import GGUF

/// The folder that holds model files.
package struct ModelStore: Sendable {
  package let folder: URL

  package init(folder: URL) {
    self.folder = folder.absoluteURL
  }

  /// `$HEARTH_MODELS`, else `hearth/models` in the XDG data folder.
  ///
  /// - Parameter environment: The variables to look at.
  package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    if let models = environment["HEARTH_MODELS"], !models.isEmpty {
      self.init(folder: URL(filePath: models, directoryHint: .isDirectory))
      return
    }
    self.init(folder: Self.dataFolder(environment).appending(path: "hearth/models"))
  }

  /// The XDG base directory for data; the specification tells to ignore a relative path.
  private static func dataFolder(_ environment: [String: String]) -> URL {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return URL(filePath: data, directoryHint: .isDirectory)
    }
    let home =
      environment["HOME"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
      ?? URL(filePath: NSHomeDirectory())
    return home.appending(path: ".local/share")
  }

  /// Where the file of this model is, or will be once pulled.
  package func path(for entry: ModelCatalog.Entry) -> URL {
    folder.appending(path: entry.file, directoryHint: .notDirectory)
  }

  /// Whether a file of the right size is in place; `verify` also reads it.
  package func isPresent(_ entry: ModelCatalog.Entry) -> Bool {
    Files.size(of: path(for: entry)) == entry.bytes
  }

  /// Checks that the file is in place and of the right size; `verify` also reads it.
  ///
  /// - Throws: `.notPulled`, `.damaged`, or why the file cannot be reached.
  package func check(_ entry: ModelCatalog.Entry) throws(ModelStoreError) {
    let path = path(for: entry)
    switch Files.kind(of: path) {
    case .file(let bytes):
      guard bytes != entry.bytes else { return }
      throw .damaged(
        name: entry.name, path: path.filePath, expected: entry.bytes, actual: bytes)
    case .nothing: throw .notPulled(name: entry.name, path: path.filePath)
    case .folder: throw .fileSystem(path: path.filePath, reason: FileProblem.isFolder)
    case .other(let reason): throw .fileSystem(path: path.filePath, reason: reason)
    }
  }

  /// Reads the whole file of this model and compares its size and SHA-256 with the catalog.
  ///
  /// - Throws: `.notPulled`, `.wrongSize`, `.wrongChecksum`, or why the file cannot be read.
  package func verify(_ entry: ModelCatalog.Entry) async throws(ModelStoreError) {
    let path = path(for: entry)
    guard Files.size(of: path) != nil else {
      throw .notPulled(name: entry.name, path: path.filePath)
    }
    try await Checksum.check(path, against: entry)
  }

  /// The file a user means: a path to an existing file, or the name of a model that was pulled.
  ///
  /// A name wins over a file of the same name in the working folder; write `./name` for the file.
  /// - Throws: `.unknownModel`, what `check` throws for a model of the catalog, `.fileSystem` for a
  ///   folder or a file that cannot be reached.
  package func locate(
    _ nameOrPath: String, in catalog: ModelCatalog = .builtIn
  ) throws(ModelStoreError) -> URL {
    if let entry = catalog.entry(named: nameOrPath) {
      try check(entry)
      return path(for: entry)
    }
    let file = URL(filePath: nameOrPath, directoryHint: .notDirectory)
    switch nameOrPath.isEmpty ? .nothing : Files.kind(of: file) {
    case .file: return file
    case .nothing: throw .unknownModel(name: nameOrPath, known: catalog.models.map(\.name))
    case .folder: throw .fileSystem(path: nameOrPath, reason: FileProblem.isFolder)
    case .other(let reason): throw .fileSystem(path: nameOrPath, reason: reason)
    }
  }
}
