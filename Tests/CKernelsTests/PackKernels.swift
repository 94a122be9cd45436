import CKernels
import Testing

/// The packer of one type behind bounds-checked Swift calls.
struct Packer: CustomTestStringConvertible, Sendable {
  let type: TypeRow

  var testDescription: String { type.name }

  static let all = TypeRow.all.filter { unsafe ck_pack_for($0.id) != nil }.map(Packer.init(type:))
  static let blocks = all.filter { !$0.type.isFloat }

  /// The packer of a type of that name.
  init(_ name: String) throws {
    type = try #require(TypeRow.all.first { $0.name == name })
  }

  private init(type: TypeRow) { self.type = type }

  struct UnknownType: Error {
    let name: String
  }

  /// The blocks, or nil where a value cannot be stored.
  func pack(_ x: [Float]) throws -> [UInt8]? {
    guard let pack = unsafe ck_pack_for(type.id) else {
      throw UnknownType(name: type.name)
    }
    try #require(x.count.isMultiple(of: type.blockValues))
    var out = [UInt8](repeating: 0xA5, count: x.count / type.blockValues * type.blockBytes)
    return unsafe pack(x, x.count, &out) ? out : nil
  }

  /// The values after packing and dequantising.
  func roundTrip(_ x: [Float]) throws -> [Float] {
    let scalar = try #require(MatmulKernels(CK_ISA_SCALAR))
    return try scalar.dequantize(type.id, #require(try pack(x)), count: x.count)
  }

  /// The sum of squared differences that packing leaves.
  func error(_ x: [Float]) throws -> Double {
    zip(try roundTrip(x), x).reduce(0) { sum, pair in
      let difference = Double(pair.0) - Double(pair.1)
      return sum + difference * difference
    }
  }
}

/// Numbers `first` to `first + count` of a seed.
func noise(_ seed: UInt64, deviation: Float = 1, from first: Int = 0, count: Int) -> [Float] {
  var x = [Float](repeating: .nan, count: count)
  var noise = ck_noise(seed: seed, deviation: deviation)
  unsafe ck_noise_fill(&noise, UInt64(first), count, &x)
  return x
}
