import Foundation
import GGUF
import Testing

/// Files that are written piece by piece.
@Suite struct StreamTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder.appending(path: "m.gguf").path(percentEncoded: false) }

  private var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)))?
      .sorted() ?? []
  }

  private static func header() -> GGUFWriter {
    var writer = GGUFWriter(architecture: "llama")
    writer.set("n", .uint32(3))
    return writer
  }

  private func append(_ bytes: [UInt8], to stream: inout GGUFStream) throws {
    try stream.append(unsafe bytes.span.bytes)
  }

  /// Why bytes are not taken. (`#expect(throws:)` cannot capture a stream.)
  private func refusal(of bytes: [UInt8], by stream: inout GGUFStream) -> GGUFError? {
    do throws(GGUFError) {
      try stream.append(unsafe bytes.span.bytes)
      return nil
    } catch {
      return error
    }
  }

  /// Why a file cannot be begun.
  private func refusal(of writer: GGUFWriter) -> GGUFError? {
    do throws(GGUFError) {
      _ = try GGUFStream(path: path, writer)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [1, 7, 34, 1000])
  func piecesOfAnySizeMakeTheFileOfTheWriter(size: Int) throws {
    let tensors: [(String, TensorType, [Int], [UInt8])] = [
      ("none", .f32, [0, 4], []), ("a", .q8_0, [32, 3], (0..<102).map { UInt8($0) }),
      ("b", .f32, [3], [UInt8](repeating: 9, count: 12)), ("empty", .f16, [0], []),
      ("c", .f16, [4], [1, 2, 3, 4, 5, 6, 7, 8]), ("last", .f32, [0], []),
    ]
    var (whole, declared) = (Self.header(), Self.header())
    for (name, type, shape, bytes) in tensors {
      whole.add(name, type, shape, bytes: bytes)
      declared.declare(name, type, shape)
    }
    var stream = try GGUFStream(path: path, declared)
    #expect(stream.tensorByteCount == 122)
    for (_, _, _, bytes) in tensors {
      for start in stride(from: 0, to: bytes.count, by: size) {
        try append(Array(bytes[start..<min(start + size, bytes.count)]), to: &stream)
      }
    }
    #expect(files == ["m.gguf.partial"])
    try stream.finish()
    #expect(files == ["m.gguf"])
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == whole.bytes())
  }

  @Test func bytesPastTheEndOfATensorAreRefused() throws {
    var writer = Self.header()
    writer.declare("a", .f32, [2])
    writer.declare("b", .f32, [2])
    var stream = try GGUFStream(path: path, writer)
    try append([1, 2, 3, 4], to: &stream)
    let long = refusal(of: [1, 2, 3, 4, 5], by: &stream)
    #expect(long == .cannotWrite(path: path, reason: "5 bytes where 4 were expected"))
    try append([1, 2, 3, 4], to: &stream)
    try append([UInt8](repeating: 0, count: 8), to: &stream)
    let more = refusal(of: [1], by: &stream)
    #expect(more == .cannotWrite(path: path, reason: "1 bytes where 0 were expected"))
  }

  @Test func anIncompleteFileDoesNotTakeItsPlace() throws {
    var writer = Self.header()
    writer.declare("a", .f32, [2])
    try Data("old".utf8).write(to: URL(filePath: path))
    do {
      var stream = try GGUFStream(path: path, writer)
      try append([1, 2, 3, 4], to: &stream)
      do throws(GGUFError) {
        try stream.finish()
        Issue.record("half of the data is missing")
      } catch {
        #expect(error == .cannotWrite(path: path, reason: "the data of a tensor is incomplete"))
      }
      #expect(files == ["m.gguf", "m.gguf.partial"])
    }
    #expect(files == ["m.gguf"])
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("old".utf8))
  }

  @Test func aFileThatTheDiskCannotHoldIsRefusedAtOnce() throws {
    var writer = Self.header()
    writer.declare("a", .f32, [1 << 40, 1 << 10])
    guard case .diskFull(let place, let needed, let free) = refusal(of: writer) else {
      Issue.record("there is room for 4 PiB")
      return
    }
    #expect(place == path && needed > 1 << 52 && free < needed)
    #expect(files.isEmpty)
  }

  @Test func moreBytesThanCanBeCountedAreRefused() throws {
    var writer = Self.header()
    for name in ["a", "b", "c"] { writer.declare(name, .i8, [1 << 62]) }
    #expect(refusal(of: writer) != nil)
    var other = Self.header()
    other.declare("a", .q4_0, [33])
    #expect(refusal(of: other) != nil)
    #expect(files.isEmpty)
  }

  @Test func twoWritersOfOneFileDoNotMix() throws {
    var writer = Self.header()
    writer.declare("a", .f32, [1])
    var first = try GGUFStream(path: path, writer)
    let refused = refusal(of: writer)
    #expect(refused == .cannotWrite(path: path, reason: "another program is writing it"))
    try append([1, 2, 3, 4], to: &first)
    try first.finish()
    #expect(try GGUFFile(path: path).tensors.count == 1)
    // What an ended program left behind is no obstacle.
    try Data(count: 5000).write(to: URL(filePath: path + ".partial"))
    var second = try GGUFStream(path: path, writer)
    try append([1, 2, 3, 4], to: &second)
    try second.finish()
    #expect(try GGUFFile(path: path).tensors.count == 1)
  }
}
