import CKernels
import Foundation
import Testing

/// Queries of consecutive tokens over one cached head.
struct AttentionCase {
  let headDim: Int
  let rows: Int
  let positions: Int
  var q: [Float]  // [rows, headDim]
  var k: [UInt16]  // [positions, headDim]
  var v: [UInt16]  // [positions, headDim]
  /// Keys and values of a float32 cache, in place of `k` and `v`.
  var wide: (k: [Float], v: [Float])?
  var first: [UInt32]
  var last: [UInt32]
  var softcap: Float = 0

  /// `group` rows a token; the last token sees every position, or a window of them.
  init(
    headDim: Int, rows: Int, group: Int, positions: Int, window: Int? = nil, seed: UInt64,
    isWide: Bool = false
  ) {
    var generator = SeededGenerator(seed: seed)
    self.headDim = headDim
    self.rows = rows
    self.positions = positions
    q = generator.floats(rows * headDim).map { $0 * 3 }
    let keys = generator.floats(positions * headDim)
    let values = generator.floats(positions * headDim)
    k = keys.map { Float16($0).bitPattern }
    v = values.map { Float16($0).bitPattern }
    if isWide { wide = (keys, values) }
    let tokens = (rows + group - 1) / group
    last = (0..<rows).map { UInt32(positions - tokens + $0 / group + 1) }
    first = last.map { last in window.map { UInt32(max(0, Int(last) - $0)) } ?? 0 }
  }

  var scale: Float { 1 / Float(headDim).squareRoot() }

  /// Rows of `range` computed by one call, [range.count, headDim].
  func attend(_ kernels: FloatKernels, _ range: Range<Int>) -> [Float] {
    var out = [Float](repeating: .nan, count: range.count * headDim)
    var scratch = [Float](repeating: .nan, count: ck_attention_scratch(range.count, headDim))
    let queries = Array(q[range.lowerBound * headDim..<range.upperBound * headDim])
    let (first, last) = (Array(first[range]), Array(last[range]))
    unsafe queries.withUnsafeBufferPointer { q in
      unsafe withCache { k, v in
        unsafe first.withUnsafeBufferPointer { first in
          unsafe last.withUnsafeBufferPointer { last in
            unsafe out.withUnsafeMutableBufferPointer { out in
              unsafe scratch.withUnsafeMutableBufferPointer { scratch in
                var call = unsafe ck_attention(
                  q: q.baseAddress, q_stride: headDim, kv: wide == nil ? CK_KV_F16 : CK_KV_F32,
                  k: k, v: v, first: first.baseAddress, last: last.baseAddress,
                  rows: range.count, head_dim: headDim, scale: scale, softcap: softcap,
                  out: out.baseAddress, out_stride: headDim, scratch: scratch.baseAddress)
                unsafe kernels.table.pointee.attention(&call)
              }
            }
          }
        }
      }
    }
    return out
  }

  private func withCache(_ body: (UnsafeRawPointer?, UnsafeRawPointer?) -> Void) {
    if let wide {
      unsafe wide.k.withUnsafeBytes { k in
        unsafe wide.v.withUnsafeBytes { v in unsafe body(k.baseAddress, v.baseAddress) }
      }
    } else {
      unsafe k.withUnsafeBytes { k in
        unsafe v.withUnsafeBytes { v in unsafe body(k.baseAddress, v.baseAddress) }
      }
    }
  }

  /// softmax(q k) v of one row in double precision, in one pass over all its keys.
  func expected(row: Int) -> [Double] {
    let keys = Int(first[row])..<Int(last[row])
    var (weights, sum, out) = ([Double](), 0.0, [Double](repeating: 0, count: headDim))
    for position in keys {
      var dot = 0.0
      for d in 0..<headDim {
        dot += Double(q[row * headDim + d]) * key(position * headDim + d)
      }
      dot *= Double(scale)
      weights.append(softcap > 0 ? Double(softcap) * tanh(dot / Double(softcap)) : dot)
    }
    let largest = weights.max() ?? 0
    for (position, score) in zip(keys, weights) {
      let weight = exp(score - largest)
      sum += weight
      for d in 0..<headDim { out[d] += weight * value(position * headDim + d) }
    }
    return out.map { $0 / sum }
  }

  private func key(_ index: Int) -> Double {
    wide.map { Double($0.k[index]) } ?? Double(Float16(bitPattern: k[index]))
  }

  private func value(_ index: Int) -> Double {
    wide.map { Double($0.v[index]) } ?? Double(Float16(bitPattern: v[index]))
  }
}

/// Head sizes of real models, and others that leave incomplete vectors.
private let headDims = [1, 7, 8, 12, 64, 80, 100, 128, 256]

@Suite struct AttentionTests {
  /// The largest error allowed, of values between -1 and 1.
  ///
  /// Scores reach about 3 and are sums of float32 products; a weight has the error of its score.
  private let limit = 2e-6

  @Test(arguments: headDims, [false, true])
  func rowsAreThoseOfDoublePrecision(headDim: Int, isWide: Bool) {
    let shapes: [(rows: Int, positions: Int, window: Int?)] = [
      (1, 1, nil), (1, 64, nil), (3, 65, nil), (4, 257, 200), (5, 520, nil), (21, 63, 1),
      (20, 70, 50),
    ]
    for (rows, positions, window) in shapes {
      let seed = UInt64(rows * 1000 + positions)
      let attention = AttentionCase(
        headDim: headDim, rows: rows, group: 3, positions: positions, window: window, seed: seed,
        isWide: isWide)
      let expected = (0..<rows).flatMap { attention.expected(row: $0) }
      for kernels in FloatKernels.available {
        let out = attention.attend(kernels, 0..<rows)
        let error = zip(out, expected).map { abs(Double($0) - $1) }.max() ?? .nan
        #expect(
          error <= limit && !out.contains(where: \.isNaN),
          "\(kernels.testDescription): \(rows) rows, \(positions) keys, seed \(seed)")
      }
    }
  }

  @Test(arguments: FloatKernels.available)
  func scoresAreCapped(kernels: FloatKernels) {
    var attention = AttentionCase(headDim: 64, rows: 5, group: 1, positions: 300, seed: 4)
    attention.softcap = 0.5
    let out = attention.attend(kernels, 0..<5)
    for row in 0..<5 {
      for (d, expected) in attention.expected(row: row).enumerated() {
        #expect(abs(Double(out[row * 64 + d]) - expected) <= limit)
      }
    }
  }

  @Test(arguments: FloatKernels.available)
  func oneKeyGivesItsValue(kernels: FloatKernels) {
    var attention = AttentionCase(headDim: 80, rows: 2, group: 2, positions: 600, seed: 5)
    attention.first = [599, 0]
    attention.last = [600, 1]
    let out = attention.attend(kernels, 0..<2)
    let values = attention.v.map { Float(Float16(bitPattern: $0)) }
    #expect(Array(out[..<80]) == Array(values[(599 * 80)...]))
    #expect(Array(out[80...]) == Array(values[..<80]))
  }

  @Test(arguments: FloatKernels.available)
  func equalScoresGiveTheMean(kernels: FloatKernels) {
    var attention = AttentionCase(headDim: 8, rows: 1, group: 1, positions: 512, seed: 6)
    attention.q = Array(repeating: 0, count: 8)
    for position in 0..<512 {
      for d in 0..<8 {
        attention.v[position * 8 + d] = Float16(position % 2 == 0 ? d : -3 * d).bitPattern
      }
    }
    #expect(attention.attend(kernels, 0..<1) == (0..<8).map { -Float($0) })
  }

  @Test(arguments: FloatKernels.available)
  func oneLargeScoreTakesAllTheWeight(kernels: FloatKernels) {
    var attention = AttentionCase(headDim: 64, rows: 1, group: 1, positions: 700, seed: 7)
    attention.q = Array(repeating: 100, count: 64)
    for place in [0, 63, 64, 255, 256, 699] {
      var k = [UInt16](repeating: Float16(-30).bitPattern, count: 700 * 64)
      for d in 0..<64 { k[place * 64 + d] = Float16(30).bitPattern }
      attention.k = k
      let value = attention.v[place * 64..<(place + 1) * 64].map { Float(Float16(bitPattern: $0)) }
      #expect(attention.attend(kernels, 0..<1) == value, "key \(place)")
    }
  }

  @Test(arguments: FloatKernels.available, [8, 64, 100])
  func aRowDoesNotDependOnTheRowsBesideIt(kernels: FloatKernels, headDim: Int) {
    for (group, window) in [(1, nil), (3, nil), (4, 70)] {
      let rows = 23
      let attention = AttentionCase(
        headDim: headDim, rows: rows, group: group, positions: 290, window: window, seed: 8)
      let whole = attention.attend(kernels, 0..<rows)
      for step in [1, 2, 3, 5, 8] {
        let parts = stride(from: 0, to: rows, by: step).flatMap {
          attention.attend(kernels, $0..<min($0 + step, rows))
        }
        #expect(parts == whole, "\(step) rows a call, group \(group)")
      }
    }
  }

  @Test(arguments: FloatKernels.available)
  func keysThatARowDoesNotSeeCannotSpoilIt(kernels: FloatKernels) {
    var attention = AttentionCase(
      headDim: 64, rows: 9, group: 1, positions: 150, window: 100, seed: 9)
    let whole = attention.attend(kernels, 0..<9)
    for d in 0..<64 {  // The first is seen by row 0 alone, the last by row 8 alone.
      attention.v[(Int(attention.first[0]) * 64) + d] = Float16.nan.bitPattern
      attention.k[149 * 64 + d] = Float16.infinity.bitPattern
      attention.v[149 * 64 + d] = Float16.infinity.bitPattern
    }
    let spoiled = attention.attend(kernels, 0..<9)
    #expect(Array(spoiled[64..<8 * 64]) == Array(whole[64..<8 * 64]))
    #expect(spoiled[0].isNaN)
  }
}
