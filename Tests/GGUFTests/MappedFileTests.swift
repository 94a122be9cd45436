import Foundation
import GGUF
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite struct MappedFileTests {
  static let both: [GGUFFile.Access] = [.mapped, .copied]

  @Test("A path that is no readable file is refused with the reason", arguments: both)
  func unreadablePaths(access: GGUFFile.Access) throws {
    let folder = try TemporaryFolder()
    let missing = folder.path("missing.gguf")
    let pipe = folder.path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    #expect(
      openingError(path: missing, access: access)
        == .cannotRead(path: missing, reason: "No such file or directory"))
    // Opening a pipe that nobody writes to would wait for ever.
    for path in [pipe, folder.path(""), "/dev/null"] {
      #expect(
        openingError(path: path, access: access)
          == .cannotRead(path: path, reason: "not a regular file"))
    }
  }

  @Test("An empty file is one that is cut off", arguments: both)
  func emptyFile(access: GGUFFile.Access) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([])
    #expect(
      openingError(path: path, access: access)
        == .truncated(field: "magic", offset: 0, needed: 4, available: 0))
  }

  @Test("K22: a copied file outlives the cutting off of the file on disk")
  func k22CopiedFileIsSafe() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(fileWithTensor([1 << 16], data: 1 << 18))
    let file = try GGUFFile(path: path, access: .copied)
    #expect(unsafe truncate(path, 10) == 0)
    #expect(file.copy(file.tensors[0]) == [UInt8](repeating: 1, count: 1 << 18))
  }

  @Test("A mapped file outlives its removal and replacement by renaming", arguments: both)
  func replacedFile(access: GGUFFile.Access) throws {
    let folder = try TemporaryFolder()
    var writer = GGUFWriter()
    writer.add("t", [1], floats: [1])
    let path = folder.path("model.gguf")
    try writer.write(to: path)
    let old = try GGUFFile(path: path, access: access)
    var other = GGUFWriter()
    other.add("t", [1], floats: [2])
    try other.write(to: path)
    let new = try GGUFFile(path: path, access: access)
    #expect(old.copy(old.tensors[0]) == [0, 0, 0x80, 0x3F])
    #expect(new.copy(new.tensors[0]) == [0, 0, 0, 0x40])
    try FileManager.default.removeItem(atPath: path)
    #expect(new.copy(new.tensors[0]) == [0, 0, 0, 0x40])
  }

  @Test("What a body throws comes out of withBytes as it is")
  func bodyThrows() throws {
    struct Stop: Error {}
    let file = try GGUFFile(bytes: fileWithTensor([2], data: 8))
    #expect(throws: Stop.self) {
      try file.withBytes(of: file.tensors[0]) { (_) throws(Stop) in throw Stop() }
    }
    #expect(file.withBytes(of: file.tensors[0]) { $0.byteCount } == 8)
  }
}
