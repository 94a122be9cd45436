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
        == .cannotRead(path: missing, reason: "there is no such file or folder"))
    // Opening a pipe that nobody writes to would wait for ever.
    for (path, reason) in [
      (pipe, "not a regular file"), ("/dev/null", "not a regular file"),
      (folder.path(""), "it is a folder, not a file"),
    ] {
      #expect(openingError(path: path, access: access) == .cannotRead(path: path, reason: reason))
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

  /// A file of this length whose end is a hole, which takes no place on disk.
  private static func sparse(
    _ start: RawFile, length: Int, in folder: TemporaryFolder
  ) throws
    -> String
  {
    let path = try folder.write(start.bytes)
    #expect(unsafe truncate(path, length) == 0)
    return path
  }

  @Test("A long file does not make the header longer than any model needs")
  func headerLimit() throws {
    let folder = try TemporaryFolder()
    let limit = 256 << 20
    var array = RawFile(entries: 1)
    array.put(key: "k", type: 9)
    array.put(UInt32(8))
    array.put(UInt64(1) << 28)
    // The elements begin at byte 49 and take 8 bytes or more each.
    #expect(
      openingError(path: try Self.sparse(array, length: 4 << 30, in: folder))
        == .impossibleCount(
          field: "array count of 'k'", offset: 41, count: 1 << 28,
          maximum: UInt64((limit - 49) / 8)))
    var string = RawFile(entries: 1)
    string.put(key: "k", type: 8)
    string.put(UInt64(1) << 30)
    #expect(
      openingError(path: try Self.sparse(string, length: 4 << 30, in: folder))
        == .oversizedHeader(field: "value of 'k'", offset: 45, maximum: limit))
    // Tensor data, on the other hand, may be as long as the file.
    var tensor = RawFile(tensors: 1)
    tensor.put(tensor: "t", [3 << 30], type: 24, offset: 0)
    let path = try Self.sparse(tensor, length: 64 + 3 << 30, in: folder)
    #expect(try GGUFFile(path: path).tensorByteCount == 3 << 30)
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
