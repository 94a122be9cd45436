import CKernels
import Foundation
import Testing

/// A unit in the last place of a float, relative to the value, at most.
private let ulp = 0x1p-23

@Suite struct FloatKernelsTests {
  @Test(arguments: FloatKernels.available)
  func rmsNormDividesByTheRootOfTheMeanSquare(kernels: FloatKernels) {
    // The mean of 9 and 16 is 12.5; with epsilon 3.5 the root is 4.
    #expect(kernels.rmsNorm([3, 4], weight: nil, epsilon: 3.5) == [0.75, 1])
    #expect(kernels.rmsNorm([3, 4], weight: [8, -1], epsilon: 3.5) == [6, -1])
    #expect(kernels.rmsNorm([0, 0, 0], weight: nil, epsilon: 1) == [0, 0, 0])
  }

  @Test(arguments: FloatKernels.available, lengths)
  func rmsNormIsThatOfDoublePrecision(kernels: FloatKernels, count: Int) {
    let seed = UInt64(count)
    var generator = SeededGenerator(seed: seed)
    let (x, weight) = (generator.floats(count).map { $0 * 10 }, generator.floats(count))
    let squares = x.reduce(0.0) { $0 + Double($1) * Double($1) }
    let root = (squares / Double(count) + 1e-5).squareRoot()
    let expected = zip(x, weight).map { Double($0) / root * Double($1) }
    let error = relativeError(kernels.rmsNorm(x, weight: weight, epsilon: 1e-5), expected)
    #expect(error <= 4 * ulp, "seed \(seed)")
  }

  @Test(arguments: FloatKernels.available)
  func ropeTurnsAPairByItsAngle(kernels: FloatKernels) {
    // A quarter turn of the first pair, none of the second; the last coordinates stay.
    let (x, cosine, sine): ([Float], [Float], [Float]) = ([1, 2, 3, 4, 5, 6], [0, 1], [1, 0])
    let adjacent = kernels.rope(
      x, headDim: 6, cosine: cosine, sine: sine, pairing: CK_ROPE_ADJACENT)
    #expect(adjacent == [-2, 1, 3, 4, 5, 6])
    let halves = kernels.rope(x, headDim: 6, cosine: cosine, sine: sine, pairing: CK_ROPE_HALVES)
    #expect(halves == [-3, 2, 1, 4, 5, 6])
  }

  @Test(arguments: FloatKernels.available, [1, 3, 4, 7, 8, 9, 15, 16, 17, 32, 40])
  func ropeRotatesEveryHeadAlike(kernels: FloatKernels, pairs: Int) {
    let (heads, headDim) = (3, 2 * pairs + 5)
    var generator = SeededGenerator(seed: UInt64(pairs))
    let x = generator.floats(heads * headDim)
    let angles = (0..<pairs).map { 0.3 + Double($0) * 0.7 }
    for pairing in [CK_ROPE_ADJACENT, CK_ROPE_HALVES] {
      let y = kernels.rope(
        x, headDim: headDim, cosine: angles.map { Float(cos($0)) },
        sine: angles.map { Float(sin($0)) }, pairing: pairing)
      for head in 0..<heads {
        for pair in 0..<pairs {
          let a = head * headDim + (pairing == CK_ROPE_ADJACENT ? 2 * pair : pair)
          let b = pairing == CK_ROPE_ADJACENT ? a + 1 : a + pairs
          let (c, s) = (cos(angles[pair]), sin(angles[pair]))
          #expect(abs(Double(y[a]) - (Double(x[a]) * c - Double(x[b]) * s)) < 4 * ulp)
          #expect(abs(Double(y[b]) - (Double(x[a]) * s + Double(x[b]) * c)) < 4 * ulp)
        }
        let rest = head * headDim + 2 * pairs..<(head + 1) * headDim
        #expect(y[rest] == x[rest])
      }
    }
  }

  @Test(arguments: FloatKernels.available, lengths)
  func gatedActivationsAreThoseOfDoublePrecision(kernels: FloatKernels, count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    let (gate, up) = (generator.floats(count).map { $0 * 5 }, generator.floats(count))
    let silu = zip(gate, up).map { Double($0) / (1 + exp(-Double($0))) * Double($1) }
    #expect(relativeError(kernels.siluMul(gate, up), silu) <= 4 * ulp)
    let gelu = zip(gate, up).map { gate, up in
      let x = Double(gate)
      let inner = (2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)
      return 0.5 * x * (1 + tanh(inner)) * Double(up)
    }
    // At -5 the exponent is -21, and its rounding moves the result by as many units.
    #expect(relativeError(kernels.geluMul(gate, up), gelu) <= 40 * ulp)
  }

  @Test(arguments: FloatKernels.available)
  func activationsSaturate(kernels: FloatKernels) {
    let gate: [Float] = [0, 100, -100, 1e30, -1e30, .infinity]
    let ones = [Float](repeating: 1, count: gate.count)
    let silu = kernels.siluMul(gate, ones)
    #expect(silu[0] == 0 && silu[1] == 100 && abs(silu[2]) < 1e-36 && silu[3] == 1e30)
    #expect(silu[4] == 0 && silu[5] == .infinity)
    let gelu = kernels.geluMul(gate, ones)
    #expect(gelu[0] == 0 && gelu[1] == 100 && gelu[2] == 0 && gelu[3] == 1e30)
    #expect(gelu[4] == 0 && gelu[5] == .infinity)
    #expect(kernels.siluMul([.nan], [1])[0].isNaN && kernels.geluMul([.nan], [1])[0].isNaN)
  }

  @Test(arguments: FloatKernels.available, lengths)
  func softcapIsAScaledTanh(kernels: FloatKernels, count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    let x = generator.floats(count).map { $0 * 100 }
    let expected = x.map { 30 * tanh(Double($0) / 30) }
    #expect(relativeError(kernels.softcap(x, cap: 30), expected) <= 5 * ulp)
  }

  @Test(arguments: FloatKernels.available)
  func softcapKeepsSmallValuesAndSaturates(kernels: FloatKernels) {
    let y = kernels.softcap([1e-20, -1e-4, 0, 1e9, -.infinity], cap: 1)
    #expect(relativeError(Array(y[..<2]), [1e-20, -1e-4]) < 1e-7)
    #expect(y[2...] == [0, 1, -1])
    #expect(kernels.softcap([.nan], cap: 1)[0].isNaN)
  }

  @Test(arguments: FloatKernels.available, lengths)
  func sumsAndProductsAreElementWise(kernels: FloatKernels, count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    let (x, y) = (generator.floats(count), generator.floats(count))
    #expect(kernels.add(x, to: y) == zip(x, y).map { $0 + $1 })
    #expect(kernels.scale(x, by: 1.3) == x.map { $0 * 1.3 })
  }

  @Test(arguments: FloatKernels.available)
  func aResultDoesNotDependOnItsPlace(kernels: FloatKernels) {
    var generator = SeededGenerator(seed: 3)
    let (gate, up) = (generator.floats(101).map { $0 * 9 }, generator.floats(101))
    let (silu, gelu) = (kernels.siluMul(gate, up), kernels.geluMul(gate, up))
    for start in 0..<40 {
      let (part, other) = (Array(gate[start...]), Array(up[start...]))
      #expect(kernels.siluMul(part, other) == Array(silu[start...]))
      #expect(kernels.geluMul(part, other) == Array(gelu[start...]))
    }
  }
}

@Suite struct FloatConversionTests {
  @Test(arguments: FloatKernels.available)
  func everyHalfBecomesItsFloat(kernels: FloatKernels) {
    let halves = (0...UInt16.max).map { $0 }
    for (half, float) in zip(halves, kernels.fromHalf(halves)) {
      let expected = Float(Float16(bitPattern: half))
      let same = float.bitPattern == expected.bitPattern || float.isNaN && expected.isNaN
      #expect(same, "half \(half)")
    }
  }

  @Test(arguments: FloatKernels.available)
  func floatsRoundToTheNearestHalf(kernels: FloatKernels) {
    var floats: [Float] = [65504, 65519, 65520, 65536, 1e30, .infinity, -.infinity]
    for bits in stride(from: UInt16(0), to: 0x7c00, by: 1) {
      let (value, next) = (Float(Float16(bitPattern: bits)), Float16(bitPattern: bits + 1))
      let middle = next.isFinite ? (value + Float(next)) / 2 : value
      floats += [value, -middle, middle.nextUp, middle.nextDown]
    }
    let halves = kernels.toHalf(floats)
    for (float, half) in zip(floats, halves) where half != Float16(float).bitPattern {
      Issue.record("\(float) became \(half), not \(Float16(float).bitPattern)")
    }
    #expect(Float16(bitPattern: kernels.toHalf([.nan])[0]).isNaN)
  }

  @Test(arguments: FloatKernels.available, lengths)
  func conversionsCoverEveryLength(kernels: FloatKernels, count: Int) {
    var generator = SeededGenerator(seed: UInt64(count))
    let x = generator.floats(count)
    let halves = x.map { Float16($0) }
    #expect(kernels.toHalf(x) == halves.map(\.bitPattern))
    #expect(kernels.fromHalf(halves.map(\.bitPattern)) == halves.map { Float($0) })
  }
}

@Suite struct ArgmaxTests {
  @Test(arguments: FloatKernels.available)
  func theLowestIndexOfTheLargestValueWins(kernels: FloatKernels) {
    #expect(kernels.argmax([5]) == 0)
    #expect(kernels.argmax([1, 7, 3, 7]) == 1)
    #expect(kernels.argmax([-3, -1, -2]) == 1)
    #expect(kernels.argmax([-0.0, 0.0]) == 0)
    for count in lengths where count > 0 {
      for place in Set([0, count / 2, count - 1]) {
        var x = [Float](repeating: -1, count: count)
        x[place] = 2
        x[count - 1] = 2
        #expect(kernels.argmax(x) == place, "\(count) values")
      }
    }
  }

  @Test(arguments: FloatKernels.available)
  func notANumberNeverWins(kernels: FloatKernels) {
    #expect(kernels.argmax([.nan, 1, .nan, 2, .nan]) == 3)
    #expect(kernels.argmax([.nan, -.infinity]) == 1)
    #expect(kernels.argmax([Float](repeating: .nan, count: 40)) == 0)
    var x = [Float](repeating: .nan, count: 3000)
    x[2047] = -5
    #expect(kernels.argmax(x) == 2047)
  }
}
