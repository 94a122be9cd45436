import Foundation
import GGUF
import OnDeviceModels

/// Model files that the command line names.
enum ModelFile {
  /// Opens a file.
  ///
  /// - Throws: `ModelFileError`.
  static func open(
    _ path: String, access: GGUFFile.Access = .mapped
  ) throws(ModelFileError) -> GGUFFile {
    do throws(GGUFError) {
      return try GGUFFile(path: path, access: access)
    } catch {
      throw ModelFileError(path: path, reason: error)
    }
  }

  /// Runs `body`, whose errors of the file get the file's name.
  ///
  /// - Throws: `ModelFileError`, and what else `body` throws.
  static func naming<R>(
    _ path: String, _ body: () async throws -> sending R
  ) async throws -> sending R {
    do {
      return try await body()
    } catch let error as GGUFError {
      throw ModelFileError(path: path, reason: error)
    }
  }
}

/// A model file that cannot be used, by its name.
struct ModelFileError: Error, CustomStringConvertible {
  let path: String
  let reason: GGUFError

  var description: String {
    switch reason {
    case .cannotRead, .cannotWrite, .diskFull, .invalidSplit, .inShard: return "\(reason)"
    default: break
    }
    let store = ModelStore()
    guard
      let entry = ModelCatalog.builtIn.models.first(where: { entry in
        store.path(for: entry).path(percentEncoded: false) == path
      })
    else { return "\(path): \(reason)" }
    return "\(path): \(reason) It is the file of \(entry.name): remove it, then "
      + "hearth models pull \(entry.name)"
  }
}
