internal import Foundation
internal import GGUF

/// Checks on the place of a file that is to be written.
enum OutputPath {
  /// - Throws: `sameFile` where it is one of `inputs`, `exists` where there is something already that
  ///   may not be replaced, `file` where it can never be.
  static func check(
    _ path: String, inputs: [String] = [], replacing: Bool
  ) throws(QuantizationError) {
    guard !path.isEmpty else {
      throw .file(.cannotWrite(path: path, reason: "the name is empty"))
    }
    guard let found = identity(path) else { return }
    guard !inputs.contains(where: { identity($0) == found }) else { throw .sameFile(path: path) }
    guard found.isFile else {
      let reason = found.isFolder ? FileProblem.isFolder : "not a regular file"
      throw .file(.cannotWrite(path: path, reason: reason))
    }
    guard replacing else { throw .exists(path: path) }
  }

  private struct Identity: Equatable {
    let volume: Int?
    let number: Int?
    let isFile: Bool
    let isFolder: Bool
  }

  private static func identity(_ path: String) -> Identity? {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    guard let found = try? FileManager.default.attributesOfItem(atPath: resolved) else {
      return nil
    }
    return Identity(
      volume: (found[.systemNumber] as? NSNumber)?.intValue,
      number: (found[.systemFileNumber] as? NSNumber)?.intValue,
      isFile: found[.type] as? FileAttributeType == .typeRegular,
      isFolder: found[.type] as? FileAttributeType == .typeDirectory)
  }
}
