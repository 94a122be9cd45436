/// A GGUF file that is written piece by piece, so that no tensor need be in memory as a whole.
///
/// It takes its place only when it is finished; dropped before, it leaves nothing behind.
package struct GGUFStream: ~Copyable {
  private let path: String
  private let writer: GGUFWriter
  private let sizes: [Int]
  private var output: OutputFile
  /// The tensor that comes next or is incomplete, and how many of its bytes are there.
  private var position = (tensor: 0, byte: 0)

  /// The number of bytes of all tensors.
  package var tensorByteCount: Int { sizes.reduce(0, +) }

  /// Begins a file with the metadata of `writer` and the tensors that it declares.
  ///
  /// - Throws: `cannotWrite` where the system refuses or a shape is impossible, `diskFull`.
  package init(path: String, _ writer: GGUFWriter) throws(GGUFError) {
    let (header, sizes) = try writer.layout(for: path)
    var total = header.count
    for size in sizes {
      let (sum, overflow) = total.addingReportingOverflow(size + writer.padding(after: size).count)
      guard !overflow else {
        throw .cannotWrite(path: path, reason: "it would have more bytes than can be counted")
      }
      total = sum
    }
    let output = try OutputFile(path: path)
    try output.checkSpace(for: total)
    try output.append(header)
    self.path = path
    self.writer = writer
    self.sizes = sizes
    self.output = output
    skipEmptyTensors()
  }

  /// Writes the next bytes of the tensor that is not complete yet, at most up to its end.
  ///
  /// - Throws: `cannotWrite` where the system refuses or the tensor has fewer bytes left.
  package mutating func append(_ bytes: RawSpan) throws(GGUFError) {
    let left = position.tensor < sizes.count ? sizes[position.tensor] - position.byte : 0
    guard bytes.byteCount <= left else {
      throw .cannotWrite(path: path, reason: "\(bytes.byteCount) bytes where \(left) were expected")
    }
    try output.append(bytes)
    position.byte += bytes.byteCount
    guard bytes.byteCount == left, left > 0 else { return }
    try output.append(writer.padding(after: sizes[position.tensor]))
    position = (position.tensor + 1, 0)
    skipEmptyTensors()
  }

  /// Moves the complete file to its place.
  ///
  /// - Throws: `cannotWrite` where the system refuses or data is missing.
  package mutating func finish() throws(GGUFError) {
    guard position.tensor == sizes.count else {
      throw .cannotWrite(path: path, reason: "the data of a tensor is incomplete")
    }
    try output.finish()
  }

  private mutating func skipEmptyTensors() {
    while position.tensor < sizes.count, sizes[position.tensor] == 0 { position.tensor += 1 }
  }
}
