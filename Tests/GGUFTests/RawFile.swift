import Foundation
import GGUF
import Testing

/// Bytes of a file put together field by field, right or wrong, without the writer under test.
struct RawFile {
  private(set) var bytes: [UInt8] = Array("GGUF".utf8)

  /// The 24 bytes every file begins with.
  init(version: UInt32 = 3, tensors: UInt64 = 0, entries: UInt64 = 0) {
    put(version)
    put(tensors)
    put(entries)
  }

  /// Appends an integer, lowest byte first.
  mutating func put(_ value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends a string: length (the true one, or a stated one) and bytes.
  mutating func put(text: [UInt8], length: UInt64? = nil) {
    put(length ?? UInt64(text.count))
    bytes += text
  }

  mutating func put(text: String) { put(text: Array(text.utf8)) }

  /// Appends a key and the type of its value.
  mutating func put(key: String, type: UInt32) {
    put(text: key)
    put(type)
  }

  /// Appends a key with a string value.
  mutating func put(key: String, text: String) {
    put(key: key, type: 8)
    put(text: text)
  }

  /// Appends an entry of the tensor table.
  mutating func put(tensor name: String, _ dimensions: [UInt64], type: UInt32, offset: UInt64) {
    put(text: name)
    put(UInt32(dimensions.count))
    for dimension in dimensions { put(dimension) }
    put(type)
    put(offset)
  }

  /// Appends the padding before the data section, and data.
  mutating func put(data: [UInt8], alignment: Int = 32) {
    while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
    bytes += data
  }
}

/// A file with one tensor of a shape and type, and so many bytes of data.
func fileWithTensor(
  _ dimensions: [UInt64], type: UInt32 = 0, offset: UInt64 = 0, data: Int = 0,
  name: String = "t"
) -> [UInt8] {
  var file = RawFile(tensors: 1)
  file.put(tensor: name, dimensions, type: type, offset: offset)
  file.put(data: [UInt8](repeating: 1, count: data))
  return file.bytes
}

/// The error that opening such a file gives, or nil where it opens.
func openingError(_ bytes: [UInt8]) -> GGUFError? {
  do {
    _ = try GGUFFile(bytes: bytes)
    return nil
  } catch {
    return error
  }
}

/// The error that opening a file at a path gives, or nil where it opens.
func openingError(path: String, access: GGUFFile.Access = .mapped) -> GGUFError? {
  do {
    _ = try GGUFFile(path: path, access: access)
    return nil
  } catch {
    return error
  }
}

extension GGUFFile {
  /// A copy of the bytes of a tensor.
  func copy(_ tensor: TensorInfo) -> [UInt8] {
    withBytes(of: tensor) { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }
}

/// A folder for the files of one test, removed when the test lets go of it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "gguf-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// Writes a file and gives its path.
  func write(_ bytes: [UInt8], _ name: String = "model.gguf") throws -> String {
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }
}
