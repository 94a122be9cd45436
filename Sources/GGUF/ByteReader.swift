/// Reads the header of a file from front to back, with every read checked.
struct ByteReader {
  /// The bytes a header may take, so that memory stays bounded however long a (sparse) file is.
  ///
  /// Vocabularies of 260,000 entries make headers of 15 MB.
  static let maximumHeaderSize = 256 << 20

  let file: MappedFile
  /// The byte that is read next.
  private(set) var offset = 0

  init(file: MappedFile) { self.file = file }

  /// The number of bytes that may still be read.
  var remaining: Int { min(file.count, Self.maximumHeaderSize) - offset }

  /// Reads a little-endian integer.
  mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
    _ field: @autoclosure () -> String, as _: T.Type = T.self
  ) throws(GGUFError) -> T {
    guard remaining >= MemoryLayout<T>.size, let value = file.load(T.self, at: offset) else {
      throw truncated(field(), UInt64(MemoryLayout<T>.size))
    }
    offset += MemoryLayout<T>.size
    return value
  }

  /// Reads a length and that many bytes.
  mutating func string(_ field: @autoclosure () -> String) throws(GGUFError) -> [UInt8] {
    file.bytes(try stringRange(field()))
  }

  /// Reads a length and passes over that many bytes, which are where it says.
  mutating func stringRange(_ field: @autoclosure () -> String) throws(GGUFError) -> Range<Int> {
    let length = try integer(field(), as: UInt64.self)
    guard let count = Int(exactly: length), count <= remaining else {
      throw truncated(field(), length)
    }
    offset += count
    return offset - count..<offset
  }

  /// Reads packed little-endian numbers.
  mutating func numbers<T: Numeric & BitwiseCopyable>(
    _ field: @autoclosure () -> String, count: Int, as _: T.Type = T.self
  ) throws(GGUFError) -> [T] {
    guard count <= remaining / MemoryLayout<T>.size,
      let values = file.numbers(T.self, at: offset, count: count)
    else {
      let (needed, overflow) = UInt64(count)
        .multipliedReportingOverflow(by: UInt64(MemoryLayout<T>.size))
      throw truncated(field(), overflow ? .max : needed)
    }
    offset += count * MemoryLayout<T>.size
    return values
  }

  /// Reads a count of records that take at least `size` bytes each.
  ///
  /// A count that the rest of the file cannot hold is refused here, before anything is reserved.
  mutating func count(
    ofRecords size: Int, _ field: @autoclosure () -> String
  ) throws(GGUFError) -> Int {
    let start = offset
    let count = try integer(field(), as: UInt64.self)
    try check(count, ofRecords: size, at: start, field())
    return Int(count)
  }

  /// Refuses a count, read at byte `start`, that the rest of the file cannot hold.
  func check(
    _ count: UInt64, ofRecords size: Int, at start: Int, _ field: @autoclosure () -> String
  ) throws(GGUFError) {
    let maximum = UInt64(remaining / size)
    guard count <= maximum else {
      throw .impossibleCount(field: field(), offset: start, count: count, maximum: maximum)
    }
  }

  private func truncated(_ field: String, _ needed: UInt64) -> GGUFError {
    guard needed > UInt64(file.count - offset) else {
      return .oversizedHeader(field: field, offset: offset, maximum: Self.maximumHeaderSize)
    }
    return .truncated(
      field: field, offset: offset, needed: needed, available: file.count - offset)
  }
}
