internal import CKernels
internal import GGUF

/// Weights in the form that the file holds them: `[rows, columns]`, each row a run of blocks.
///
/// Points into the file's mapping and keeps the file alive. Read-only for its whole life, which
/// is what makes sharing it between threads safe.
@safe
struct WeightMatrix: @unchecked Sendable {
  let name: String
  let rows: Int
  let columns: Int
  let type: ck_type
  let isFloat: Bool
  let rowBytes: Int
  private let file: GGUFFile
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
    self.file = file
    guard let start = unsafe file.unsafeBytes(of: info).baseAddress else {
      throw .tensorShape(name: info.name, expected: [columns, rows], found: info.dimensions)
    }
    unsafe base = start
  }

  private init(_ whole: WeightMatrix, rows range: Range<Int>) {
    name = whole.name
    rows = range.count
    columns = whole.columns
    type = whole.type
    isFloat = whole.isFloat
    rowBytes = whole.rowBytes
    file = whole.file
    unsafe base = whole.base + range.lowerBound * whole.rowBytes
  }

  /// Some of the rows: one of several matrices that the file keeps in one tensor.
  func rows(_ range: Range<Int>) -> WeightMatrix {
    precondition(range.lowerBound >= 0 && range.upperBound <= rows)
    return WeightMatrix(self, rows: range)
  }

  /// All values as float32, row by row.
  func dequantized() -> [Float] {
    guard let table = unsafe ck_matmul_table_for(CK_ISA_SCALAR) else { return [] }
    return unsafe Array(unsafeUninitializedCapacity: rows * columns) { buffer, count in
      unsafe ck_dequantize(table, type, base, rows * columns, buffer.baseAddress)
      count = rows * columns
    }
  }
}
