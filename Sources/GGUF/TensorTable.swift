/// The tensor part of a header before the place of the data is known.
struct TensorTable {
  private struct Record {
    let name: String
    let type: TensorType
    let dimensions: [Int]
    let byteCount: Int
    /// The stated place of the data, from the start of the data section, and where it is stated.
    let dataOffset: UInt64
    let offsetField: Int
  }

  private var records: [Record] = []

  /// Reads the tensor part of a file.
  init(from reader: inout ByteReader, count: Int) throws(GGUFError) {
    var names: Set<String> = []
    for position in 0..<count {
      let start = reader.offset
      let record = try Self.record(position, from: &reader)
      guard names.insert(record.name).inserted else {
        throw .duplicateTensor(record.name, offset: start)
      }
      records.append(record)
    }
  }

  private static func record(
    _ position: Int, from reader: inout ByteReader
  ) throws(GGUFError) -> Record {
    let name = try name(position, from: &reader)
    let shapeOffset = reader.offset
    let dimensions = try dimensions(of: name, from: &reader)
    let typeOffset = reader.offset
    let id = try reader.integer("type of tensor \(quoted(name))", as: UInt32.self)
    let type: TensorType
    do {
      type = try TensorType(id: id)
    } catch {
      throw .unsupportedTensorType(tensor: name, offset: typeOffset, id: id, refusal: error)
    }
    let sizes = dimensions.map { Int(truncatingIfNeeded: $0) }
    let byteCount: Int
    do {
      byteCount = try TensorInfo.byteCount(type: type, dimensions: sizes)
    } catch {
      throw .invalidShape(
        tensor: name, offset: shapeOffset, dimensions: dimensions, reason: error.reason)
    }
    let offsetField = reader.offset
    let dataOffset = try reader.integer("data offset of tensor \(quoted(name))", as: UInt64.self)
    return Record(
      name: name, type: type, dimensions: sizes, byteCount: byteCount, dataOffset: dataOffset,
      offsetField: offsetField)
  }

  /// Reads a name; ggml keeps 63 bytes of it, so longer ones could not be looked up.
  private static func name(
    _ position: Int, from reader: inout ByteReader
  ) throws(GGUFError) -> String {
    let offset = reader.offset
    let bytes = try reader.string("name of tensor \(position)")
    guard (1...63).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      let name = String(validating: bytes, as: UTF8.self)
    else {
      throw .invalidTensorName(String(decoding: bytes.prefix(100), as: UTF8.self), offset: offset)
    }
    return name
  }

  private static func dimensions(
    of name: String, from reader: inout ByteReader
  ) throws(GGUFError) -> [UInt64] {
    let offset = reader.offset
    let count = try reader.integer("dimension count of tensor \(quoted(name))", as: UInt32.self)
    guard count <= 4 else {
      throw .invalidShape(
        tensor: name, offset: offset, dimensions: [],
        reason: "\(count) dimensions where at most 4 are allowed")
    }
    return try reader.numbers("dimensions of tensor \(quoted(name))", count: Int(count))
  }

  /// Finds where the data of each tensor lies, and checks that the file holds all of it.
  ///
  /// Data must follow in the order of the table without gaps, as ggml demands: then no two tensors
  /// overlap, and the size of the file follows from its header.
  func place(
    after headerEnd: Int, in file: MappedFile, alignment: Int, shard: Int
  ) throws(GGUFError) -> (dataOffset: Int, tensors: [TensorInfo]) {
    let start = try padded(headerEnd, to: alignment)
    var tensors: [TensorInfo] = []
    tensors.reserveCapacity(records.count)
    var next = start
    var needed = headerEnd
    for record in records {
      guard record.dataOffset == UInt64(next - start) else {
        throw .wrongTensorOffset(
          tensor: record.name, offset: record.offsetField, expected: next - start,
          found: record.dataOffset)
      }
      let (end, overflow) = next.addingReportingOverflow(record.byteCount)
      guard !overflow else { throw .incompleteFile(size: file.count, needed: .max) }
      tensors.append(
        TensorInfo(
          name: record.name, type: record.type, dimensions: record.dimensions, shard: shard,
          byteRange: next..<end))
      // The padding after the last tensor may be missing; an empty tensor needs no byte at all.
      if record.byteCount > 0 { needed = end }
      next = try padded(end, to: alignment)
    }
    guard needed <= file.count else { throw .incompleteFile(size: file.count, needed: needed) }
    return (start, tensors)

    func padded(_ offset: Int, to alignment: Int) throws(GGUFError) -> Int {
      let (sum, overflow) = offset.addingReportingOverflow(alignment - 1)
      guard !overflow else { throw .incompleteFile(size: file.count, needed: .max) }
      return sum & ~(alignment - 1)
    }
  }
}
