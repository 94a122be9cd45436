import CKernels
import Foundation
import TestSupport
import Testing

/// A row of the type table, copied.
struct TypeRow: CustomTestStringConvertible, Sendable {
  let id: Int32
  let name: String
  let blockValues: Int
  let blockBytes: Int
  let isFloat: Bool

  init?(id: Int32) {
    guard let row = unsafe ck_type_info_for(id) else { return nil }
    self.id = id
    name = unsafe String(cString: row.pointee.name)
    blockValues = unsafe row.pointee.block_values
    blockBytes = unsafe row.pointee.block_bytes
    isFloat = unsafe row.pointee.is_float
  }

  var testDescription: String { name }

  static let all = (0..<Int32(CK_TYPE_COUNT.rawValue)).compactMap(TypeRow.init(id:))
  static let blocks = all.filter { !$0.isFloat }
  static let floats = all.filter(\.isFloat)
}

/// Activations in the kernels' format, owned by Swift arrays.
struct QuantizedActivations {
  let tokens: Int
  let cols: Int
  var q: [Int8]
  var scale: [Float]
  var sum: [Int16]

  init(tokens: Int, cols: Int) {
    self.tokens = tokens
    self.cols = cols
    q = Array(repeating: 99, count: tokens * cols)
    scale = Array(repeating: .nan, count: tokens * cols / 32)
    sum = Array(repeating: 999, count: tokens * cols / 16)
  }

  /// The tokens of `range` alone.
  func tokens(_ range: Range<Int>) -> QuantizedActivations {
    var part = QuantizedActivations(tokens: range.count, cols: cols)
    part.q = Array(q[range.lowerBound * cols..<range.upperBound * cols])
    part.scale = Array(scale[range.lowerBound * cols / 32..<range.upperBound * cols / 32])
    part.sum = Array(sum[range.lowerBound * cols / 16..<range.upperBound * cols / 16])
    return part
  }
}

/// The functions of one instruction set behind bounds-checked Swift calls.
@safe struct MatmulKernels: CustomTestStringConvertible, @unchecked Sendable {
  let isa: ck_isa
  // Points to a constant of the library, which nobody writes; so it may be shared.
  private let table: UnsafePointer<ck_matmul_table>

  init?(_ isa: ck_isa) {
    guard let table = unsafe ck_matmul_table_for(isa) else { return nil }
    self.isa = isa
    unsafe self.table = table
  }

  /// Those that this machine can run, scalar first.
  static let available = (0..<CK_ISA_COUNT.rawValue).compactMap {
    MatmulKernels(ck_isa(rawValue: $0))
  }
  static let fast = available.filter { $0.isa != CK_ISA_SCALAR }

  var testDescription: String { unsafe String(cString: ck_isa_name(isa)) }

  func dequantize(_ type: Int32, _ bytes: [UInt8], count: Int) throws -> [Float] {
    let entry = unsafe withUnsafeBytes(of: table.pointee.dequantize) {
      unsafe $0.bindMemory(to: ck_dequantize_fn?.self)[Int(type)]
    }
    let function = try unsafe #require(entry)
    var out = [Float](repeating: .nan, count: count)
    unsafe function(bytes, count, &out)
    return out
  }

  /// Quantises `tokens` rows of `cols` values.
  func quantize(_ x: [Float], tokens: Int, cols: Int) -> QuantizedActivations {
    var out = QuantizedActivations(tokens: tokens, cols: cols)
    for token in 0..<tokens {
      unsafe x.withUnsafeBufferPointer { x in
        unsafe out.q.withUnsafeMutableBufferPointer { q in
          unsafe out.scale.withUnsafeMutableBufferPointer { scale in
            unsafe out.sum.withUnsafeMutableBufferPointer { sum in
              guard let x = x.baseAddress, let q = q.baseAddress, let scale = scale.baseAddress,
                let sum = sum.baseAddress
              else { return }
              unsafe table.pointee.quantize_q8(
                x + token * cols, cols, q + token * cols, scale + token * cols / 32,
                sum + token * cols / 16)
            }
          }
        }
      }
    }
    return out
  }

  /// y[token * stride + row] of `rows` weight rows from `firstRow` on; other values stay NaN.
  func matmul(
    _ type: Int32, _ w: [UInt8], rowBytes: Int, rows: Range<Int>, _ x: QuantizedActivations,
    stride: Int
  ) throws -> [Float] {
    let entry = unsafe withUnsafeBytes(of: table.pointee.matmul) {
      unsafe $0.bindMemory(to: ck_matmul_fn?.self)[Int(type)]
    }
    let function = try unsafe #require(entry)
    var x = x
    var y = [Float](repeating: .nan, count: x.tokens * stride)
    unsafe x.q.withUnsafeMutableBufferPointer { q in
      unsafe x.scale.withUnsafeMutableBufferPointer { scale in
        unsafe x.sum.withUnsafeMutableBufferPointer { sum in
          var view = unsafe ck_q8(
            q: q.baseAddress, scale: scale.baseAddress, sum: sum.baseAddress, tokens: x.tokens,
            cols: x.cols, stride: x.cols, rest: 0)
          unsafe w.withUnsafeBytes { w in
            guard let w = w.baseAddress else { return }
            unsafe function(
              w + rows.lowerBound * rowBytes, rowBytes, rows.count, &view, &y, stride)
          }
        }
      }
    }
    return y
  }

  /// The same for float weights; activations are `xStride` floats apart.
  func matmulFloat(
    _ type: Int32, _ w: [UInt8], rowBytes: Int, rows: Range<Int>, cols: Int, _ x: [Float],
    xStride: Int, tokens: Int, stride: Int
  ) throws -> [Float] {
    let entry = unsafe withUnsafeBytes(of: table.pointee.matmul_float) {
      unsafe $0.bindMemory(to: ck_matmul_float_fn?.self)[Int(type)]
    }
    let function = try unsafe #require(entry)
    var y = [Float](repeating: .nan, count: tokens * stride)
    unsafe w.withUnsafeBytes { w in
      guard let w = w.baseAddress else { return }
      unsafe function(
        w + rows.lowerBound * rowBytes, rowBytes, rows.count, cols, x, xStride, tokens, &y, stride)
    }
    return y
  }
}

/// Whether both hold the same bits; a failed expectation of it does not print thousands of numbers.
func sameBits(_ a: [Float], _ b: [Float]) -> Bool {
  a.map(\.bitPattern) == b.map(\.bitPattern)
}

/// A small deterministic generator (SplitMix64), so that a failure can be repeated from its seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  mutating func floats(_ count: Int) -> [Float] {
    (0..<count).map { _ in Float.random(in: -1...1, using: &self) }
  }
}
