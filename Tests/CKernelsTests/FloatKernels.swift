import CKernels
import Testing

/// The float functions of one instruction set behind Swift arrays.
@safe struct FloatKernels: CustomTestStringConvertible, @unchecked Sendable {
  let isa: ck_isa
  // Points to a constant of the library, which nobody writes; so it may be shared.
  let table: UnsafePointer<ck_float_table>

  init?(_ isa: ck_isa) {
    guard let table = unsafe ck_float_table_for(isa) else { return nil }
    self.isa = isa
    unsafe self.table = table
  }

  /// Those that this machine can run, scalar first.
  static let available = (0..<CK_ISA_COUNT.rawValue).compactMap {
    FloatKernels(ck_isa(rawValue: $0))
  }

  var testDescription: String { unsafe String(cString: ck_isa_name(isa)) }

  func rmsNorm(_ x: [Float], weight: [Float]?, epsilon: Float) -> [Float] {
    var y = x
    unsafe y.withUnsafeMutableBufferPointer { y in
      if let weight {
        unsafe table.pointee.rms_norm(y.baseAddress, weight, y.count, epsilon, y.baseAddress)
      } else {
        unsafe table.pointee.rms_norm(y.baseAddress, nil, y.count, epsilon, y.baseAddress)
      }
    }
    return y
  }

  func rope(
    _ x: [Float], headDim: Int, cosine: [Float], sine: [Float], pairing: ck_rope_pairing
  ) -> [Float] {
    var x = x
    unsafe table.pointee.rope(
      &x, x.count / headDim, headDim, cosine.count, cosine, sine, pairing)
    return x
  }

  func siluMul(_ gate: [Float], _ up: [Float]) -> [Float] {
    var out = [Float](repeating: .nan, count: gate.count)
    unsafe table.pointee.silu_mul(gate, up, gate.count, &out)
    return out
  }

  func geluMul(_ gate: [Float], _ up: [Float]) -> [Float] {
    var out = [Float](repeating: .nan, count: gate.count)
    unsafe table.pointee.gelu_mul(gate, up, gate.count, &out)
    return out
  }

  func softcap(_ x: [Float], cap: Float) -> [Float] {
    var x = x
    unsafe table.pointee.softcap(cap, x.count, &x)
    return x
  }

  func add(_ x: [Float], to y: [Float]) -> [Float] {
    var y = y
    unsafe table.pointee.add(x, x.count, &y)
    return y
  }

  func scale(_ x: [Float], by factor: Float) -> [Float] {
    var x = x
    unsafe table.pointee.scale(factor, x.count, &x)
    return x
  }

  func toHalf(_ x: [Float]) -> [UInt16] {
    var out = [UInt16](repeating: 0xffff, count: x.count)
    unsafe table.pointee.to_f16(x, x.count, &out)
    return out
  }

  func fromHalf(_ x: [UInt16]) -> [Float] {
    var out = [Float](repeating: .nan, count: x.count)
    unsafe table.pointee.from_f16(x, x.count, &out)
    return out
  }

  func argmax(_ x: [Float]) -> Int { unsafe table.pointee.argmax(x, x.count) }
}

/// Lengths of zero, one, and one either side of every vector width.
let lengths = [0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 576]

/// The largest error relative to the expected value, differences below `floor` left out.
func relativeError(_ actual: [Float], _ expected: [Double], floor: Double = 1e-35) -> Double {
  zip(actual, expected).reduce(0) { worst, pair in
    let difference = abs(Double(pair.0) - pair.1)
    if difference.isNaN { return .infinity }
    return difference < floor ? worst : max(worst, difference / abs(pair.1))
  }
}
