import CKernels
import Testing

@Suite struct QuantizeTests {
  /// The definition, written out once more: scale = max / 127, q = nearest even of x * 127 / max.
  @Test(arguments: MatmulKernels.available, [32, 64, 96, 256, 576])
  func blocksAreScaledToTheirLargestMagnitude(kernels: MatmulKernels, cols: Int) {
    var generator = SeededGenerator(seed: UInt64(cols))
    let x = generator.floats(cols).map { $0 * 3 }
    let got = kernels.quantize(x, tokens: 1, cols: cols)
    for block in 0..<cols / 32 {
      let values = x[block * 32..<block * 32 + 32]
      let largest = values.map(abs).max() ?? 0
      #expect(got.scale[block] == largest / 127)
      let q = values.map { Int8(($0 * (127 / largest)).rounded(.toNearestOrEven)) }
      #expect(Array(got.q[block * 32..<block * 32 + 32]) == q)
      for half in 0..<2 {
        let sum = q[half * 16..<half * 16 + 16].reduce(0) { $0 + Int16($1) }
        #expect(got.sum[block * 2 + half] == sum)
      }
    }
  }

  @Test(arguments: MatmulKernels.available)
  func tiesRoundToEven(kernels: MatmulKernels) {
    // With a largest magnitude of 127 the scale is 1 and every value stands for itself.
    let halves: [Float] = [0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, -3.5, 126.5, -126.5, 127]
    let x = halves + [Float](repeating: 0, count: 32 - halves.count)
    let got = kernels.quantize(x, tokens: 1, cols: 32)
    #expect(got.scale == [1])
    #expect(got.q[..<halves.count] == [0, 2, 2, 4, 0, -2, -2, -4, 126, -126, 127])
  }

  @Test(arguments: MatmulKernels.available, [0, -0.0, 0x1p-121, Float.leastNonzeroMagnitude])
  func blocksOfZerosAndOfNearlyNothingHaveScaleZero(kernels: MatmulKernels, value: Float) {
    let got = kernels.quantize([Float](repeating: value, count: 64), tokens: 1, cols: 64)
    #expect(got.scale == [0, 0])
    #expect(got.q.allSatisfy { $0 == 0 })
    #expect(got.sum.allSatisfy { $0 == 0 })
  }

  @Test(arguments: MatmulKernels.available)
  func largestAndSmallestOrdinaryMagnitudesKeepTheirCodes(kernels: MatmulKernels) {
    for magnitude: Float in [0x1p-120, 1e-30, 1, 1e30, .greatestFiniteMagnitude] {
      var x = [Float](repeating: 0, count: 32)
      x[3] = magnitude
      x[20] = -magnitude
      let got = kernels.quantize(x, tokens: 1, cols: 32)
      #expect(got.q[3] == 127 && got.q[20] == -127, "\(magnitude)")
      #expect(got.sum == [127, -127])
    }
  }

  @Test(arguments: MatmulKernels.available, [Float.nan, .infinity, -.infinity])
  func valuesThatAreNotFiniteDoNotTrap(kernels: MatmulKernels, value: Float) {
    var generator = SeededGenerator(seed: 3)
    var x = generator.floats(64)
    x[5] = value
    let got = kernels.quantize(x, tokens: 1, cols: 64)
    #expect(got.q.allSatisfy { $0 != -128 })
    // The other block is not touched by it.
    #expect(got.q[32...] == kernels.quantize(Array(x[32...]), tokens: 1, cols: 32).q[...])
  }
}
