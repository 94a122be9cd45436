/// One GGUF file, parsed and checked: a whole model or one file of a split set.
///
/// Layout of a file, all numbers little-endian:
///  1. magic "GGUF", version u32, tensor count u64, metadata count u64;
///  2. per metadata entry: key (string), value type u32, value;
///  3. per tensor: name (string), dimension count u32, dimensions u64, type u32, data offset u64;
///  4. zeros up to a multiple of the alignment;
///  5. data of the tensors in that order, each padded to a multiple of the alignment.
/// A string is its length u64 and the bytes; an array is element type u32, count u64, elements.
struct Shard: Sendable {
  let file: MappedFile
  /// 2 or 3; they differ in nothing that is read here.
  let version: UInt32
  let metadata: GGUFMetadata
  let tensors: [TensorInfo]
  /// The byte where the data of the first tensor begins.
  let dataOffset: Int
  /// The number of bytes that the place of every tensor is a multiple of.
  let alignment: Int
}

extension Shard {
  /// Parses a file; `index` is its number within a split set.
  init(file: MappedFile, index: Int) throws(GGUFError) {
    var reader = ByteReader(file: file)
    try FileSignature.check(&reader)
    version = try FileSignature.version(&reader)
    // Read both counts before judging either: a record cannot lie in the other count's bytes.
    let start = reader.offset
    let tensorCount = try reader.integer("tensor count", as: UInt64.self)
    let entryCount = try reader.integer("metadata count", as: UInt64.self)
    // Name length, dimension count, type and offset; key length, type and smallest value.
    try reader.check(tensorCount, ofRecords: 8 + 4 + 4 + 8, at: start, "tensor count")
    try reader.check(entryCount, ofRecords: 8 + 4 + 1, at: start + 8, "metadata count")

    metadata = try GGUFMetadata(from: &reader, count: Int(entryCount))
    alignment = try metadata.alignment()
    let table = try TensorTable(from: &reader, count: Int(tensorCount))
    (dataOffset, tensors) = try table.place(
      after: reader.offset, in: file, alignment: alignment, shard: index)
    self.file = file
  }
}

extension GGUFMetadata {
  /// The alignment of tensor data in bytes.
  ///
  /// The specification wants a multiple of 8 and ggml a power of two; both hold for every file in
  /// use. Less than 8 would leave numbers misaligned in memory, and more than 1 MiB is damage.
  fileprivate func alignment() throws(GGUFError) -> Int {
    let key = "general.alignment"
    guard let alignment = try integer(key) else { return 32 }
    guard (8...1 << 20).contains(alignment), alignment.nonzeroBitCount == 1 else {
      throw .invalidAlignment(alignment, offset: offset(of: key) ?? 0)
    }
    return alignment
  }
}
