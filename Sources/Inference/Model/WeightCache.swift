internal import CKernels
internal import GGUF

/// A file with the interleaved weights of one model, beside the model's own.
///
/// It begins with a text that names the state of the model's files and every matrix; the weights
/// follow in the order of `InterleavedOrder`. A file with another text belongs to another state and is
/// written anew; so is one where a few groups of rows, here and there, are not those of the model. That
/// is no proof: like the weights of the model's file they may be any bytes.
struct WeightCache {
  let path: String
  /// The first byte of the weights: behind the text, at a page.
  var start: Int { text.utf8.count }

  private let text: String
  private let order: InterleavedOrder

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
    self.order = order
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
      file.count == start + order.byteCount,
      file.holds(Array(text.utf8), at: 0), samples.allSatisfy({ holds($0, in: file) })
    else { return nil }
    return file
  }

  /// Groups that are compared: of matrices from the first to the last, further and further down.
  private var samples: [(place: InterleavedOrder.Place, group: Int)] {
    let (places, count) = (order.places, min(order.places.count, 16))
    return (0..<count).map { index in
      let place = places[index * (places.count - 1) / max(count - 1, 1)]
      return (place, index * (place.matrix.groupCount - 1) / max(count - 1, 1))
    }
  }

  private func holds(
    _ sample: (place: InterleavedOrder.Place, group: Int), in file: MappedFile
  ) -> Bool {
    let matrix = sample.place.matrix
    return file.holds(
      matrix.interleavedGroup(sample.group),
      at: start + sample.place.offset + sample.group * matrix.groupBytes)
  }

  /// Writes the file; the pages of the model's are let go of.
  ///
  /// - Returns: why it cannot be written.
  /// - Throws: `outOfMemory`.
  func write(
    of file: GGUFFile, _ compute: Compute
  ) throws(InferenceError) -> GGUFError? {
    let slices = order.places.flatMap { place in
      place.matrix.slices.map { $0.count * place.matrix.rowBytes }
    }
    let buffer = try WeightStorage(byteCount: slices.max() ?? 0)
    do throws(GGUFError) {
      var output = try OutputFile(path: path)
      try output.checkSpace(for: start + order.byteCount)
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
