import CKernels
import Foundation
import TestSupport
import Testing

/// One entry of errors.json: what ggml's quantisation of the same values loses.
struct QuantizationError: Decodable, CustomTestStringConvertible, Sendable {
  let values: String
  let type: String
  let squares: Double
  let first: [Float]
  let error: Double

  var testDescription: String { "\(type) \(values)" }

  static let all: [QuantizationError] = {
    let url = TestData.fixtures.appending(path: "quants/errors.json")
    guard let data = try? Data(contentsOf: url) else { return [] }
    return (try? JSONDecoder().decode([QuantizationError].self, from: data)) ?? []
  }()

  /// As errors.py makes them.
  var x: [Float] {
    let bell = noise(1, count: 8192)
    return switch values {
    case "tails": bell.map { $0 * $0 * $0 }
    case "shifted": bell.map { $0 + 1.5 }
    default: bell
    }
  }
}

@Suite struct PackTests {
  @Test func errorsCoverEveryTypeAndKind() {
    #expect(QuantizationError.all.count == 3 * Packer.blocks.count)
    #expect(Set(QuantizationError.all.map(\.type)) == Set(Packer.blocks.map(\.type.name)))
  }

  @Test(arguments: QuantizationError.all)
  func theErrorIsNoLargerThanThatOfGGML(expected: QuantizationError) throws {
    let x = expected.x
    #expect(Array(x.prefix(4)) == expected.first)
    #expect(try Packer(expected.type).error(x) <= expected.error)
  }

  /// Every scale that a float16 can hold is tried for blocks of codes without a minimum.
  @Test(arguments: ["Q4_0", "Q5_0"])
  func noScaleIsMuchBetterThanTheOneFound(name: String) throws {
    let packer = try Packer(name)
    let limit: Float = name == "Q4_0" ? 8 : 16
    var (found, best) = (0.0, 0.0)
    for block in 0..<4 {
      let x = noise(7, from: 32 * block, count: 32)
      found += try packer.error(x)
      best += (0..<0x7C00).reduce(Double.infinity) { least, half in
        let scale = Float(Float16(bitPattern: UInt16(half)))
        return [scale, -scale].reduce(least) { least, scale in
          guard scale != 0 else { return least }
          return min(
            least,
            x.reduce(0) { sum, value in
              let code = min(max((value / scale).rounded(), -limit), limit - 1)
              let rest = Double(value - code * scale)
              return sum + rest * rest
            })
        }
      }
    }
    #expect(found <= 1.02 * best)
  }

  /// What a block can hold exactly it holds exactly: here codes times a power of two.
  @Test(arguments: [
    ("Q4_0", -8.0...7.0), ("Q5_0", -16.0...15.0), ("Q8_0", -127.0...127.0), ("Q4_1", 0.0...15.0),
    ("Q5_1", 0.0...31.0),
  ])
  func codesComeBackExactly(name: String, codes: ClosedRange<Double>) throws {
    let x = (0..<32).map { place in
      // All of the range is used, as otherwise a finer scale is as good.
      let span = codes.upperBound - codes.lowerBound
      return Float((codes.lowerBound + (span * Double(place) / 31).rounded()) * 0.125)
    }
    #expect(try Packer(name).roundTrip(x) == x)
  }

  @Test func aBlockOfQ4_0IsLaidOutAsSpecified() throws {
    // Scale 1 (0x3C00); value j in the low and value j + 16 in the high half of byte j, plus 8.
    let x = (0..<32).map { Float($0 % 16) - 8 }
    let expected = [0x00, 0x3C] + (0..<16).map { UInt8($0 | $0 << 4) }
    #expect(try Packer("Q4_0").pack(x) == expected)
  }

  @Test func aBlockOfQ5_1IsLaidOutAsSpecified() throws {
    // Scale 0.5 (0x3800), minimum -4 (0xC400), the fifth bits of codes 16 to 31, then the nibbles.
    let x = (0..<32).map { Float($0) / 2 - 4 }
    let expected =
      [0x00, 0x38, 0x00, 0xC4, 0, 0, 0xFF, 0xFF] + (0..<16).map { UInt8($0 | $0 << 4) }
    #expect(try Packer("Q5_1").pack(x) == expected)
  }

  @Test func aBlockOfQ8_0IsLaidOutAsSpecified() throws {
    let x = (0..<32).map { Float($0 * 8 - 127) }
    #expect(try Packer("Q8_0").pack(x) == [0x00, 0x3C] + x.map { UInt8(bitPattern: Int8($0)) })
  }

  @Test(arguments: Packer.all)
  func zerosStayZero(packer: Packer) throws {
    let x = [Float](repeating: 0, count: 512)
    #expect(try packer.roundTrip(x) == x)
  }

  /// A constant is a code times a scale, so only the rounding of the scale is lost (2^-11), and in
  /// the superblocks that of a scale of scales.
  @Test(arguments: Packer.blocks, [1, -1, 0.03, -1000] as [Float])
  func constantsComeBack(packer: Packer, value: Float) throws {
    let x = [Float](repeating: value, count: 512)
    for got in try packer.roundTrip(x) { #expect(abs(got - value) <= 0.002 * abs(value)) }
  }

  @Test(arguments: Packer.blocks)
  func oneLargeValueAmongZerosComesBack(packer: Packer) throws {
    for place in [0, 31, 32, 255, 256, 511] {
      for value: Float in [3, -3] {
        var x = [Float](repeating: 0, count: 512)
        x[place] = value
        let got = try packer.roundTrip(x)
        #expect(abs(got[place] - value) <= 0.02 * abs(value), "\(place) \(value)")
        // Where zero is a minimum plus a code times a scale, both scales are rounded (2^-11).
        let rest = got.enumerated().filter { $0.offset != place }.map { abs($0.element) }
        #expect(rest.allSatisfy { $0 <= 0.002 * abs(value) }, "\(place) \(value)")
      }
    }
  }

  /// Values below half of the smallest scale, 2^-24, are nothing.
  @Test(arguments: Packer.blocks, [1e-9, 1e-30, 0x1p-149] as [Float])
  func tinyValuesBecomeZero(packer: Packer, value: Float) throws {
    let x = (0..<256).map { $0 % 2 == 0 ? value : -value }
    #expect(try packer.roundTrip(x) == [Float](repeating: 0, count: 256))
  }

  @Test(arguments: Packer.all, [.nan, .infinity, -.infinity] as [Float])
  func whatIsNoNumberIsRefused(packer: Packer, value: Float) throws {
    for place in [0, 17, 255] {
      var x = noise(3, count: 256)
      x[place] = value
      #expect(try packer.pack(x) == nil)
      // A NaN whose payload a rounding to fewer bits would carry into the sign.
      x[place] = value.isNaN ? Float(bitPattern: 0xFFFF_FFFF) : value
      #expect(try packer.pack(x) == nil)
    }
  }

  @Test(arguments: Packer.all, [1e9, 3e38, .greatestFiniteMagnitude] as [Float])
  func whatIsTooLargeIsRefused(packer: Packer, value: Float) throws {
    // These reach as far as float32.
    guard !["F32", "BF16"].contains(packer.type.name) || value == .greatestFiniteMagnitude else {
      return
    }
    let x = (0..<256).map { $0 % 2 == 0 ? value : -value }
    #expect((try packer.pack(x) == nil) == (packer.type.name != "F32"))
  }

  @Test(arguments: Packer.blocks)
  func valuesUpToTheLargestScaleAreTaken(packer: Packer) throws {
    let x = noise(5, deviation: 20_000, count: 512)
    let got = try packer.roundTrip(x)
    for (got, value) in zip(got, x) { #expect(abs(got - value) <= 6000) }
  }

  @Test(arguments: [-1, 9, 10, 11, 20, 34, 39, 40, .max] as [Int32])
  func typesThatCannotBeMadeHaveNoPacker(id: Int32) {
    #expect(unsafe ck_pack_for(id) == nil)
  }

  @Test func halvesRoundToNearestEven() throws {
    let f16 = try Packer("F16")
    let edges: [Float] = [
      0, -0.0, 1, 65504, -65504, 65519.99, 0x1p-24, 0x1p-25, 0x1.000002p-25, 0x1p-14, 0x1.ffcp-15,
      0x1.ffep-15, 1.00048828125, 1.00146484375, 2049, 2051, 1e-8,
    ]
    let x = edges + noise(11, deviation: 1e-5, count: 4096) + noise(12, count: 4096)
    let expected = x.flatMap { value in
      let bits = Float16(value).bitPattern
      return [UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8)]
    }
    #expect(try f16.pack(x) == expected)
    #expect(try f16.pack([65520]) == nil)
  }

  @Test func upperHalvesRoundToNearestEven() throws {
    let x: [Float] = [1, -2.5, 0x1.01p0, 0x1.03p0, 0x1.010002p0, 0x1.fep127, 0x1p-133]
    // 0x1.01 lies between 0x1.00 and 0x1.02, 0x1.03 between 0x1.02 and 0x1.04.
    let expected: [UInt16] = [0x3F80, 0xC020, 0x3F80, 0x3F82, 0x3F81, 0x7F7F, 0x0001]
    let bytes = expected.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    #expect(try Packer("BF16").pack(x) == bytes)
    #expect(try Packer("BF16").pack([.greatestFiniteMagnitude]) == nil)
  }
}

@Suite struct NoiseTests {
  @Test func numbersHaveTheDeviationAskedForAndNoMean() {
    let x = noise(9, deviation: 0.5, count: 1 << 16).map { Double($0) }
    let mean = x.reduce(0, +) / Double(x.count)
    let square = x.reduce(0) { $0 + $1 * $1 } / Double(x.count)
    // Five standard errors of 65,536 numbers.
    #expect(abs(mean) < 0.01)
    #expect(abs(square.squareRoot() - 0.5) < 0.005)
    #expect(x.allSatisfy { abs($0) <= 0.5 * 2 * 3.squareRoot() })
  }

  @Test func aNumberDependsOnItsPlaceAndTheSeedAlone() {
    let x = noise(9, count: 100)
    #expect(noise(9, from: 37, count: 63) == Array(x[37...]))
    #expect(noise(10, count: 100) != x)
  }
}

/// Many values on several threads.
@Suite struct RepackTests {
  private struct NoPool: Error {}

  /// What `ck_par_repack` makes of stored values or noise, and the value it refused.
  private func repack(
    _ source: [UInt8]?, _ from: ck_type, _ to: ck_type, count: Int, threads: Int
  ) throws -> (bytes: [UInt8], refused: ck_refusal) {
    guard let pool = unsafe ck_pool_create(threads),
      let table = unsafe ck_matmul_table_for(ck_isa_active())
    else { throw NoPool() }
    defer { unsafe ck_pool_destroy(pool) }
    let row = try #require(TypeRow(id: Int32(to.rawValue)))
    var out = [UInt8](repeating: 0, count: count / row.blockValues * row.blockBytes)
    var scratch = [Float](repeating: 0, count: threads * Int(CK_REPACK_VALUES))
    let refused = unsafe (source ?? []).withUnsafeBytes { bytes in
      unsafe out.withUnsafeMutableBytes { out in
        unsafe scratch.withUnsafeMutableBufferPointer { scratch in
          var job = unsafe ck_repack()
          unsafe job.source = source == nil ? nil : bytes.baseAddress
          unsafe job.from = from
          unsafe job.noise = ck_noise(seed: 4, deviation: 2)
          unsafe job.first = 100
          unsafe job.to = to
          unsafe job.out = out.baseAddress
          unsafe job.count = count
          unsafe job.scratch = scratch.baseAddress
          return unsafe ck_par_repack(pool, table, &job)
        }
      }
    }
    return (out, refused)
  }

  private func bytes(_ x: [Float]) -> [UInt8] { unsafe x.withUnsafeBytes { unsafe Array($0) } }

  @Test(arguments: [0, 256, 8192, 8192 + 256, 5 * 8192 + 512])
  func bytesDoNotDependOnThreads(count: Int) throws {
    let x = noise(2, count: count)
    let expected = try #require(try Packer("Q4_K").pack(x))
    for threads in 1...3 {
      let got = try repack(bytes(x), CK_F32, CK_Q4_K, count: count, threads: threads)
      #expect(got.refused.index == count)
      #expect(got.bytes == expected)
    }
  }

  @Test func storedBlocksAreReadAndNoiseIsMade() throws {
    let x = noise(4, deviation: 2, from: 100, count: 16384)
    let stored = try #require(try Packer("Q8_0").pack(x))
    let expected = try Packer("Q5_0").pack(Packer("Q8_0").roundTrip(x))
    #expect(try repack(stored, CK_Q8_0, CK_Q5_0, count: 16384, threads: 2).bytes == expected)
    let made = try repack(nil, CK_F32, CK_Q8_0, count: 16384, threads: 2)
    #expect(made.bytes == stored)
  }

  @Test func oddCountsOfPlainFloatsAreCopied() throws {
    let x = noise(6, count: 8192 + 3)
    #expect(try repack(bytes(x), CK_F32, CK_F32, count: x.count, threads: 2).bytes == bytes(x))
  }

  @Test func theFirstValueThatCannotBeStoredIsNamed() throws {
    var x = noise(2, count: 4 * 8192)
    x[30_001] = .infinity
    x[20_000] = .nan
    x[20_001] = .infinity
    let got = try repack(bytes(x), CK_F32, CK_Q4_0, count: x.count, threads: 2)
    #expect(got.refused.index == 20_000 && got.refused.value.isNaN)
    x[20_000] = 1
    x[20_001] = 1e7
    x[30_001] = 0
    let large = try repack(bytes(x), CK_F32, CK_Q4_0, count: x.count, threads: 2)
    #expect(large.refused.index == 20_001 && large.refused.value == 1e7)
  }
}
