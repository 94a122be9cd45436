import CKernels
import Foundation
import TestSupport
import Testing

/// One line of quants.jsonl: stored bytes and the values that the format's reference gives them.
struct QuantGolden: Decodable, CustomTestStringConvertible, Sendable {
  let type: String
  let typeID: Int32
  let blockValues: Int
  let blockBytes: Int
  let hex: String
  let values: [Double]

  enum CodingKeys: String, CodingKey {
    case type, values
    case typeID = "ggml_type_id"
    case blockValues = "block_elements"
    case blockBytes = "block_bytes"
    case hex = "data_hex"
  }

  var testDescription: String { type }

  var bytes: [UInt8] {
    let digits = hex.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// The goldens of all types that have kernels.
  static let known: [QuantGolden] = {
    let url = TestData.fixtures.appending(path: "quants/quants.jsonl")
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(QuantGolden.self, from: Data($0.utf8))
    }.filter { TypeRow(id: $0.typeID) != nil }
  }()
}

@Suite struct DequantTests {
  @Test func goldensCoverEveryTypeWithBlocks() {
    #expect(TypeRow.all.count == 18)
    #expect(Set(QuantGolden.known.map(\.typeID)).union([0]) == Set(TypeRow.all.map(\.id)))
  }

  @Test(arguments: QuantGolden.known)
  func typeTableAgreesWithTheFormat(golden: QuantGolden) throws {
    let row = try #require(TypeRow(id: golden.typeID))
    #expect(row.name == golden.type)
    #expect(row.blockValues == golden.blockValues)
    #expect(row.blockBytes == golden.blockBytes)
    #expect(row.isFloat == (golden.blockValues == 1))
  }

  @Test(arguments: [Int32.min, -1, 4, 5, 9, 15, 16, 24, 40, 1000, .max])
  func idsWithoutKernelsHaveNoRow(id: Int32) {
    #expect(TypeRow(id: id) == nil)
  }

  @Test(arguments: MatmulKernels.available, QuantGolden.known)
  func valuesAreBitExact(kernels: MatmulKernels, golden: QuantGolden) throws {
    let got = try kernels.dequantize(golden.typeID, golden.bytes, count: golden.values.count)
    let expected = golden.values.map { Float($0) }
    #expect(sameBits(got, expected))
  }

  /// Up to two chunks of eight blocks and a part of one, as a row of any width has.
  @Test(arguments: MatmulKernels.fast, TypeRow.all)
  func everyCountOfBlocksGivesTheBitsOfTheScalarValues(
    kernels: MatmulKernels, type: TypeRow
  ) throws {
    let scalar = try #require(MatmulKernels(CK_ISA_SCALAR))
    for blocks in 0...17 {
      var generator = SeededGenerator(seed: UInt64(blocks))
      let count = blocks * type.blockValues
      let w = RandomWeights(type, rows: 1, cols: count, using: &generator)
      let expected = try scalar.dequantize(type.id, w.bytes, count: count)
      let got = try kernels.dequantize(type.id, w.bytes, count: count)
      #expect(sameBits(got, expected), "\(blocks) blocks")
    }
  }

  /// IEEE 754 binary16: sign, five bits of exponent, ten of fraction.
  private static func value(ofHalf half: UInt16) -> Float {
    let fraction = Float(half & 0x3ff) / 1024
    let magnitude: Float =
      switch half >> 10 & 31 {
      case 0: Float(sign: .plus, exponent: -14, significand: 1) * fraction
      case 31: fraction == 0 ? .infinity : .nan
      case let exponent: Float(sign: .plus, exponent: Int(exponent) - 15, significand: 1 + fraction)
      }
    return half < 0x8000 ? magnitude : -magnitude
  }

  @Test(arguments: MatmulKernels.available)
  func everyHalfConvertsExactly(kernels: MatmulKernels) throws {
    let halves = Array(0...UInt16.max)
    let bytes = halves.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let got = try kernels.dequantize(Int32(CK_F16.rawValue), bytes, count: halves.count)
    for (half, value) in zip(halves, got) {
      let expected = Self.value(ofHalf: half)
      let same = expected.isNaN ? value.isNaN : value.bitPattern == expected.bitPattern
      if !same { Issue.record("half \(half) became \(value)") }
    }
  }

  /// Code 2 stands for 1.0 doubled, code 0 for zero.
  @Test(arguments: MatmulKernels.available)
  func mxfp4ExponentsIncludeSubnormals(kernels: MatmulKernels) throws {
    for exponent in 0...255 {
      let bytes = [UInt8(exponent), 2] + [UInt8](repeating: 0, count: 15)
      let got = try kernels.dequantize(Int32(CK_MXFP4.rawValue), bytes, count: 32)
      let expected = Float(sign: .plus, exponent: exponent - 127, significand: 1)
      #expect(got == [expected] + [Float](repeating: 0, count: 31))
    }
  }

  @Test(arguments: MatmulKernels.available)
  func infiniteAndNaNScalesReachTheValues(kernels: MatmulKernels) throws {
    let codes = [UInt8](repeating: 0x99, count: 16)
    let infinite = try kernels.dequantize(Int32(CK_Q4_0.rawValue), [0, 0x7c] + codes, count: 32)
    #expect(infinite.allSatisfy { $0 == .infinity })
    let nan = try kernels.dequantize(Int32(CK_Q4_0.rawValue), [1, 0x7c] + codes, count: 32)
    #expect(nan.allSatisfy { $0.isNaN })
  }
}
