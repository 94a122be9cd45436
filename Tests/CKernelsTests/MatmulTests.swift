import CKernels
import Testing

/// Rows of random blocks whose scales are ordinary numbers.
struct RandomWeights {
  let type: TypeRow
  let rows: Int
  let cols: Int
  let bytes: [UInt8]

  var rowBytes: Int { cols / type.blockValues * type.blockBytes }

  /// Where the scales of a block lie that are not codes or small integers.
  static func scaleBytes(of type: TypeRow) -> Set<Int> {
    let tag = ck_type(rawValue: UInt32(type.id))
    if tag == CK_MXFP4 { return [0] }
    return Set((halves[tag] ?? []).flatMap { [$0, $0 + 1] })
  }

  /// Where the float16 members of a block lie.
  private static let halves: [ck_type: [Int]] = [
    CK_F16: [0], CK_Q4_0: [0], CK_Q4_1: [0, 2], CK_Q5_0: [0], CK_Q5_1: [0, 2], CK_Q8_0: [0],
    CK_Q2_K: [80, 82], CK_Q3_K: [108], CK_Q4_K: [0, 2], CK_Q5_K: [0, 2], CK_Q6_K: [208],
    CK_IQ4_NL: [0], CK_IQ4_XS: [0], CK_TQ1_0: [52], CK_TQ2_0: [64],
  ]

  init(_ type: TypeRow, rows: Int, cols: Int, using generator: inout SeededGenerator) {
    let blocks = rows * cols / type.blockValues
    var bytes = generator.bytes(blocks * type.blockBytes)
    let tag = ck_type(rawValue: UInt32(type.id))
    for block in 0..<blocks {
      let base = block * type.blockBytes
      for offset in Self.halves[tag] ?? [] {
        // Any sign and fraction, and an exponent that makes it 2^-10 to 2^-4.
        let bits = UInt16(truncatingIfNeeded: generator.next())
        let half = bits & 0x83ff | UInt16.random(in: 5...10, using: &generator) << 10
        bytes[base + offset] = UInt8(truncatingIfNeeded: half)
        bytes[base + offset + 1] = UInt8(half >> 8)
      }
      switch tag {
      case CK_MXFP4: bytes[base] = UInt8.random(in: 118...126, using: &generator)
      case CK_BF16: bytes[base + 1] = 0x3d | bytes[base + 1] & 0x82
      case CK_F32: bytes[base + 3] = 0x3d | bytes[base + 3] & 0x82
      default: break
      }
    }
    self.type = type
    self.rows = rows
    self.cols = cols
    self.bytes = bytes
  }
}

/// Columns with full and partial superblocks, as far as the type allows.
private func columns(of type: TypeRow) -> [Int] {
  switch type.blockValues {
  case 1: [1, 7, 15, 16, 17, 33, 64, 100]
  case 32: [32, 64, 224, 256, 288, 576]
  default: [256, 512, 768]
  }
}

@Suite struct MatmulTests {
  /// The definition against plain arithmetic in double precision over the dequantised values.
  @Test(arguments: TypeRow.blocks) func scalarProductsAreThoseOfTheValues(type: TypeRow) throws {
    let scalar = try #require(MatmulKernels(CK_ISA_SCALAR))
    for cols in columns(of: type) {
      var generator = SeededGenerator(seed: UInt64(cols))
      let (rows, tokens, stride) = (3, 9, 5)
      let w = RandomWeights(type, rows: rows, cols: cols, using: &generator)
      let values = try scalar.dequantize(type.id, w.bytes, count: rows * cols)
      let x = scalar.quantize(generator.floats(tokens * cols), tokens: tokens, cols: cols)
      let y = try scalar.matmul(
        type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, x, stride: stride)
      for token in 0..<tokens {
        for row in 0..<rows {
          var (sum, magnitude) = (0.0, 0.0)
          for k in 0..<cols {
            let at = token * cols + k
            let term = Double(values[row * cols + k]) * Double(x.scale[at / 32]) * Double(x.q[at])
            sum += term
            magnitude += abs(term)
          }
          // A few float roundings, each of at most 2^-24 of the terms.
          let error = abs(Double(y[token * stride + row]) - sum)
          #expect(error <= 0x1p-20 * magnitude, "cols \(cols) token \(token) row \(row)")
        }
        #expect(y[token * stride + rows..<(token + 1) * stride].allSatisfy { $0.isNaN })
      }
    }
  }

  @Test(arguments: TypeRow.floats) func scalarFloatProductsAreThoseOfTheValues(type: TypeRow) throws
  {
    let scalar = try #require(MatmulKernels(CK_ISA_SCALAR))
    for cols in columns(of: type) {
      var generator = SeededGenerator(seed: UInt64(cols))
      let (rows, tokens, stride, xStride) = (3, 2, 4, cols + 3)
      let w = RandomWeights(type, rows: rows, cols: cols, using: &generator)
      let values = try scalar.dequantize(type.id, w.bytes, count: rows * cols)
      let x = generator.floats(tokens * xStride)
      let y = try scalar.matmulFloat(
        type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, cols: cols, x, xStride: xStride,
        tokens: tokens, stride: stride)
      for token in 0..<tokens {
        for row in 0..<rows {
          let terms = (0..<cols).map {
            Double(values[row * cols + $0]) * Double(x[token * xStride + $0])
          }
          let error = abs(Double(y[token * stride + row]) - terms.reduce(0, +))
          #expect(error <= 0x1p-20 * terms.map(abs).reduce(0, +), "cols \(cols)")
        }
      }
    }
  }

  /// Integer arithmetic fixes all but the float order, and that is the same everywhere.
  @Test(arguments: MatmulKernels.fast, TypeRow.blocks)
  func everyInstructionSetGivesTheBitsOfTheScalarProducts(
    kernels: MatmulKernels, type: TypeRow
  ) throws {
    let scalar = try #require(MatmulKernels(CK_ISA_SCALAR))
    for cols in columns(of: type) {
      for (rows, tokens) in [(1, 1), (3, 2), (8, 5), (17, 33), (35, 3)] {
        var generator = SeededGenerator(seed: UInt64(cols * 1000 + rows))
        let w = RandomWeights(type, rows: rows, cols: cols, using: &generator)
        let x = scalar.quantize(generator.floats(tokens * cols), tokens: tokens, cols: cols)
        let expected = try scalar.matmul(
          type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, x, stride: rows)
        let got = try kernels.matmul(
          type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, x, stride: rows)
        #expect(sameBits(got, expected), "\(rows) x \(cols) x \(tokens)")
      }
    }
  }

  @Test(arguments: MatmulKernels.fast, TypeRow.floats)
  func everyInstructionSetGivesTheBitsOfTheScalarFloatProducts(
    kernels: MatmulKernels, type: TypeRow
  ) throws {
    let scalar = try #require(MatmulKernels(CK_ISA_SCALAR))
    for cols in columns(of: type) {
      for (rows, tokens) in [(1, 1), (3, 2), (5, 7), (2, 6)] {
        var generator = SeededGenerator(seed: UInt64(cols * 1000 + rows))
        let w = RandomWeights(type, rows: rows, cols: cols, using: &generator)
        let x = generator.floats(tokens * (cols + 1))
        let results = try [scalar, kernels].map {
          try $0.matmulFloat(
            type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, cols: cols, x,
            xStride: cols + 1, tokens: tokens, stride: rows
          )
        }
        #expect(sameBits(results[0], results[1]), "\(rows) x \(cols) x \(tokens)")
      }
    }
  }

  /// The largest codes against the largest activations must not saturate or wrap on the way.
  @Test(arguments: MatmulKernels.available, TypeRow.blocks)
  func extremeCodesDoNotOverflow(kernels: MatmulKernels, type: TypeRow) throws {
    let scalar = try #require(MatmulKernels(CK_ISA_SCALAR))
    let (rows, cols) = (16, 512)
    for fill: UInt8 in [0x00, 0x7f, 0x80, 0x81, 0xff] {
      var generator = SeededGenerator(seed: UInt64(fill))
      let ordinary = RandomWeights(type, rows: 1, cols: type.blockValues, using: &generator)
      let scales = RandomWeights.scaleBytes(of: type)
      let block = ordinary.bytes.enumerated().map { scales.contains($0) ? $1 : fill }
      let w = [[UInt8]](repeating: block, count: rows * cols / type.blockValues).flatMap { $0 }
      for tokens in [1, 4] {
        for value: Float in [1, -1] {
          let x = kernels.quantize(
            [Float](repeating: value, count: tokens * cols), tokens: tokens, cols: cols)
          #expect(x.q.allSatisfy { $0 == (value > 0 ? 127 : -127) })
          let results = try [scalar, kernels].map {
            try $0.matmul(
              type.id, w, rowBytes: w.count / rows, rows: 0..<rows, x, stride: rows
            )
          }
          #expect(
            sameBits(results[0], results[1]), "codes \(fill) activations \(value) x \(tokens)")
        }
      }
    }
  }

  @Test(arguments: MatmulKernels.available, TypeRow.blocks)
  func resultsDoNotDependOnHowRowsAndTokensAreSplit(
    kernels: MatmulKernels, type: TypeRow
  ) throws {
    let (rows, cols, tokens) = (19, 512, 11)
    var generator = SeededGenerator(seed: 7)
    let w = RandomWeights(type, rows: rows, cols: cols, using: &generator)
    let x = kernels.quantize(generator.floats(tokens * cols), tokens: tokens, cols: cols)
    let whole = try kernels.matmul(
      type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, x, stride: rows)
    for split in 1..<rows {
      for part in [0..<split, split..<rows] {
        let y = try kernels.matmul(
          type.id, w.bytes, rowBytes: w.rowBytes, rows: part, x, stride: part.count)
        let same = (0..<tokens).allSatisfy { token in
          y[token * part.count..<(token + 1) * part.count].map(\.bitPattern)
            == whole[token * rows + part.lowerBound..<token * rows + part.upperBound].map(
              \.bitPattern)
        }
        #expect(same, "rows \(part)")
      }
    }
    for split in 1..<tokens {
      for part in [0..<split, split..<tokens] {
        let y = try kernels.matmul(
          type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, x.tokens(part), stride: rows)
        let expected = whole[part.lowerBound * rows..<part.upperBound * rows]
        #expect(sameBits(y, Array(expected)), "tokens \(part)")
      }
    }
  }

  @Test(arguments: MatmulKernels.available, TypeRow.floats)
  func floatResultsDoNotDependOnHowRowsAndTokensAreSplit(
    kernels: MatmulKernels, type: TypeRow
  ) throws {
    let (rows, cols, tokens) = (9, 50, 11)
    var generator = SeededGenerator(seed: 8)
    let w = RandomWeights(type, rows: rows, cols: cols, using: &generator)
    let x = generator.floats(tokens * cols)
    let whole = try kernels.matmulFloat(
      type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, cols: cols, x, xStride: cols,
      tokens: tokens, stride: rows)
    for row in 0..<rows {
      for token in 0..<tokens {
        let one = try kernels.matmulFloat(
          type.id, w.bytes, rowBytes: w.rowBytes, rows: row..<row + 1, cols: cols,
          Array(x[token * cols..<(token + 1) * cols]), xStride: cols, tokens: 1, stride: 1)
        #expect(one[0].bitPattern == whole[token * rows + row].bitPattern)
      }
    }
  }
}
