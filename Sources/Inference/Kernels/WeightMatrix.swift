internal import CKernels
internal import GGUF

/// Weights `[rows, columns]` in blocks, as the file holds them or with interleaved rows.
///
/// Points into the file's mapping or a copy and keeps that alive. Read-only for its whole life,
/// which is what makes sharing it between threads safe.
@safe
struct WeightMatrix: @unchecked Sendable {
  let name: String
  let rows: Int
  let columns: Int
  let type: ck_type
  let isFloat: Bool
  let rowBytes: Int
  /// Whether rows lie in groups of sixteen, block by block, as fast products want them.
  let isInterleaved: Bool
  private let tensor: TensorInfo
  private let firstByte: Int  // of these rows in the tensor
  private let owner: AnyObject  // of the bytes
  let base: UnsafeRawPointer

  /// The tensor `name` of `file`, checked to be `[rows, columns]`.
  ///
  /// - Throws: `missingTensor`, `tensorShape`, or `unsupportedTensorType`.
  init(_ file: GGUFFile, _ name: String, rows: Int, columns: Int) throws(InferenceError) {
    guard let info = file.tensor(named: name) else { throw .missingTensor(name: name) }
    // The file gives the row length first.
    let found = info.dimensions
    let expected = rows == 1 && found.count == 1 ? [columns] : [columns, rows]
    guard found == expected else {
      throw .tensorShape(name: name, expected: expected, found: found)
    }
    try self.init(file, info, rows: rows, columns: columns)
  }

  private init(
    _ file: GGUFFile, _ info: TensorInfo, rows: Int, columns: Int
  ) throws(InferenceError) {
    guard let kernels = unsafe ck_type_info_for(Int32(truncatingIfNeeded: info.type.rawValue))
    else { throw .unsupportedTensorType(name: info.name, type: info.type.name) }
    self.name = info.name
    self.rows = rows
    self.columns = columns
    type = ck_type(UInt32(info.type.rawValue))
    isFloat = unsafe kernels.pointee.is_float
    unsafe rowBytes =
      columns / kernels.pointee.block_values * kernels.pointee.block_bytes
    isInterleaved = false
    tensor = info
    firstByte = 0
    owner = file
    guard let start = unsafe file.unsafeBytes(of: info).baseAddress else {
      throw .tensorShape(name: info.name, expected: [columns, rows], found: info.dimensions)
    }
    unsafe base = start
  }

  /// Part of `other`, or the same weights elsewhere.
  private init(
    _ other: WeightMatrix, rows: Int, firstByte: Int, isInterleaved: Bool, owner: AnyObject,
    base: UnsafeRawPointer
  ) {
    name = other.name
    self.rows = rows
    columns = other.columns
    type = other.type
    isFloat = other.isFloat
    rowBytes = other.rowBytes
    self.isInterleaved = isInterleaved
    tensor = other.tensor
    self.firstByte = firstByte
    self.owner = owner
    unsafe self.base = base
  }

  /// Some of the rows: one of several matrices that the file keeps in one tensor.
  func rows(_ range: Range<Int>) -> WeightMatrix {
    precondition(range.lowerBound >= 0 && range.upperBound <= rows && !isInterleaved)
    return unsafe WeightMatrix(
      self, rows: range.count, firstByte: firstByte + range.lowerBound * rowBytes,
      isInterleaved: false, owner: owner, base: base + range.lowerBound * rowBytes)
  }

  /// Whether both are the same bytes.
  func isSame(as other: WeightMatrix) -> Bool { unsafe base == other.base }

  /// Bytes of all rows.
  var byteCount: Int { rows * rowBytes }

  /// Whether a product gains from interleaving: the type has a form for it and a whole group.
  var canInterleave: Bool {
    ck_can_interleave(type) && rows >= Int(CK_GROUP_ROWS) && !isInterleaved
  }

  /// Whether the matrix that a tensor holds can be interleaved.
  static func canInterleave(_ tensor: TensorInfo) -> Bool {
    tensor.dimensions.count == 2 && tensor.dimensions[1] >= Int(CK_GROUP_ROWS)
      && ck_can_interleave(ck_type(UInt32(tensor.type.rawValue)))
  }

  /// The rows in stretches of some megabytes and whole groups, the last one with what is left.
  var slices: [Range<Int>] {
    let group = Int(CK_GROUP_ROWS)
    let step = max(Self.sliceBytes / (rowBytes * group), 1) * group
    return stride(from: 0, to: rows, by: step).map { $0..<min($0 + step, rows) }
  }

  /// Bytes of a slice, unless one group has more.
  private static let sliceBytes = 8 << 20

  /// Copies a slice of the rows, interleaved, into `storage` from `offset` on; the file's pages are
  /// let go of.
  func interleave(
    _ slice: Range<Int>, into storage: WeightStorage, at offset: Int, of file: GGUFFile,
    pool: OpaquePointer
  ) {
    precondition(canInterleave && offset >= 0)
    precondition(offset + slice.count * rowBytes <= storage.byteCount)
    var source = unsafe rows(slice).description
    unsafe ck_par_interleave(pool, &source, storage.base + offset)
    file.release(
      tensor,
      bytes: firstByte + slice.lowerBound * rowBytes..<firstByte + slice.upperBound * rowBytes)
  }

  /// Whole groups of rows.
  var groupCount: Int { rows / Int(CK_GROUP_ROWS) }

  /// Bytes of a group.
  var groupBytes: Int { rowBytes * Int(CK_GROUP_ROWS) }

  /// The bytes of a group of rows, interleaved.
  func interleavedGroup(_ group: Int) -> [UInt8] {
    precondition(canInterleave && group >= 0 && group < groupCount)
    return unsafe [UInt8](unsafeUninitializedCapacity: groupBytes) { bytes, count in
      if let out = bytes.baseAddress {
        unsafe ck_interleave(type, base + group * groupBytes, rowBytes, out)
      }
      count = groupBytes
    }
  }

  /// These weights where `storage` holds them with interleaved rows, from `offset` on.
  func interleaved(in storage: WeightStorage, at offset: Int) -> WeightMatrix {
    precondition(canInterleave && offset >= 0 && offset + byteCount <= storage.byteCount)
    return unsafe WeightMatrix(
      self, rows: rows, firstByte: firstByte, isInterleaved: true, owner: storage,
      base: UnsafeRawPointer(storage.base + offset))
  }

  /// The same where a file holds them.
  func interleaved(in file: MappedFile, at offset: Int) -> WeightMatrix? {
    precondition(canInterleave && offset >= 0)
    guard offset <= file.count - byteCount,
      let start = unsafe file.unsafeBytes(offset..<offset + byteCount).baseAddress
    else { return nil }
    return unsafe WeightMatrix(
      self, rows: rows, firstByte: firstByte, isInterleaved: true, owner: file, base: start)
  }

  /// What kernels need to know.
  @unsafe var description: ck_weights {
    unsafe ck_weights(
      type: type, data: base, row_bytes: rowBytes, rows: rows, interleaved: isInterleaved)
  }

  /// All values as float32, row by row.
  func dequantized() -> [Float] {
    precondition(!isInterleaved)
    guard let table = unsafe ck_matmul_table_for(CK_ISA_SCALAR) else { return [] }
    return unsafe Array(unsafeUninitializedCapacity: rows * columns) { buffer, count in
      unsafe ck_dequantize(table, type, base, rows * columns, buffer.baseAddress)
      count = rows * columns
    }
  }
}

/// Weights whose products have one input and run as one job.
///
/// Made once while a model is loaded, so that a decoded token allocates nothing.
struct WeightGroup: Sendable {
  let matrices: [WeightMatrix]

  init(_ matrices: WeightMatrix...) { self.init(matrices) }

  private init(_ matrices: [WeightMatrix]) {
    precondition(!matrices.isEmpty && matrices.count <= Int(CK_PRODUCTS_MAX))
    precondition(matrices.allSatisfy { $0.columns == matrices[0].columns })
    self.matrices = matrices
  }

  var columns: Int { matrices[0].columns }

  /// The group of what `transform` makes of each matrix.
  func map(_ transform: (WeightMatrix) -> WeightMatrix) -> WeightGroup {
    WeightGroup(matrices.map(transform))
  }
}
