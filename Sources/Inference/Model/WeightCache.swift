internal import CKernels
internal import GGUF

/// A file with the interleaved weights of one model, beside the model's own.
///
/// It begins with a text that names the state of the model's files and every matrix; the weights
/// follow in the order of `InterleavedOrder`. A file with another text belongs to another state and is
/// written anew. Weights are not checked: like those of the model's file they may be any bytes.
struct WeightCache {
  let path: String
  /// The first byte of the weights: behind the text, at a page.
  var start: Int { text.utf8.count }

  private let text: String
  private let byteCount: Int

  /// The multiple of bytes that the text has; every page size in use divides it.
  private static let page = 1 << 16

  /// The cache of the weights of `file`.
  ///
  /// - Throws: `cannotWrite` where the model is in no file.
  init(of file: GGUFFile, _ order: InterleavedOrder) throws(GGUFError) {
    path = file.paths[0] + ".interleaved"
    guard let identity = file.identity else {
      throw .cannotWrite(path: path, reason: "the model was not read from a file")
    }
    byteCount = order.byteCount
    var lines = ["Interleaved weights of Hearth, version 1."]
    lines += identity.map { "file \($0)" }
    lines += order.places.map { place in
      let matrix = place.matrix
      return "at \(place.offset): \(matrix.name) type \(matrix.type.rawValue) "
        + "rows \(matrix.rows) columns \(matrix.columns)"
    }
    let text = lines.joined(separator: "\n") + "\n"
    self.text = text + String(repeating: "\n", count: -text.utf8.count & (Self.page - 1))
  }

  /// The file, if it is there and belongs to this state of the model.
  func open() -> MappedFile? {
    guard let file = try? MappedFile(path: path, access: .mapped),
      file.count == start + byteCount
    else { return nil }
    let isOurs = file.withBytes(0..<start) { bytes in
      zip(text.utf8, 0..<bytes.byteCount).allSatisfy { expected, index in
        unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) == expected
      }
    }
    return isOurs ? file : nil
  }

  /// Writes the file; the pages of the model's are let go of.
  ///
  /// - Returns: why it cannot be written.
  /// - Throws: `outOfMemory`.
  func write(
    _ order: InterleavedOrder, of file: GGUFFile, _ compute: Compute
  ) throws(InferenceError) -> GGUFError? {
    let slices = order.places.flatMap { place in
      place.matrix.slices.map { $0.count * place.matrix.rowBytes }
    }
    let buffer = try WeightStorage(byteCount: slices.max() ?? 0)
    do throws(GGUFError) {
      var output = try OutputFile(path: path)
      try output.checkSpace(for: start + byteCount)
      try output.append(Array(text.utf8))
      for place in order.places {
        for slice in place.matrix.slices {
          compute.interleave(place.matrix, slice, into: buffer, at: 0, of: file)
          try buffer.withBytes(count: slice.count * place.matrix.rowBytes) {
            bytes throws(GGUFError) in try output.append(bytes)
          }
        }
        let padding = InterleavedOrder.padding(after: place.matrix)
        try output.append([UInt8](repeating: 0, count: padding))
      }
      try output.finish()
      return nil
    } catch {
      return error
    }
  }
}
