import CKernels
import Testing

/// One layer's queries and cache.
private struct LayerCase {
  let heads = 6
  let kvHeads: Int
  let headDim: Int
  let tokens: Int
  let position: Int
  let window: Int
  let capacity = 900
  let q: [Float]  // [tokens, heads, headDim]
  let k: [UInt16]  // [kvHeads, capacity, headDim]
  let v: [UInt16]

  init(kvHeads: Int, headDim: Int, tokens: Int, position: Int, window: Int) {
    var generator = SeededGenerator(seed: UInt64(kvHeads * 7 + position))
    (self.kvHeads, self.headDim, self.tokens) = (kvHeads, headDim, tokens)
    (self.position, self.window) = (position, window)
    q = generator.floats(tokens * heads * headDim).map { $0 * 2 }
    k = generator.floats(kvHeads * capacity * headDim).map { Float16($0).bitPattern }
    v = generator.floats(kvHeads * capacity * headDim).map { Float16($0).bitPattern }
  }

  /// Tokens of `range` in one call, [range.count, heads, headDim].
  func attend(_ kernels: FloatKernels, _ pool: TestPool, _ range: Range<Int>) -> [Float] {
    let row = heads * headDim
    let queries = Array(q[range.lowerBound * row..<range.upperBound * row])
    var out = [Float](repeating: .nan, count: range.count * row)
    var scratch = unsafe [Float](
      repeating: .nan,
      count: ck_layer_attention_scratch(pool.pointer, heads, kvHeads, headDim, range.count))
    var context = unsafe ck_context(pool: pool.pointer, matmul: nil, floats: kernels.table)
    unsafe queries.withUnsafeBufferPointer { q in
      unsafe k.withUnsafeBufferPointer { k in
        unsafe v.withUnsafeBufferPointer { v in
          unsafe out.withUnsafeMutableBufferPointer { out in
            unsafe scratch.withUnsafeMutableBufferPointer { scratch in
              var call = unsafe ck_layer_attention(
                q: q.baseAddress, q_stride: row, k: k.baseAddress, v: v.baseAddress,
                capacity: capacity, heads: heads, kv_heads: kvHeads, head_dim: headDim,
                tokens: range.count, position: position + range.lowerBound, window: window,
                scale: 0.125, softcap: 0, out: out.baseAddress, out_stride: row,
                scratch: scratch.baseAddress)
              unsafe ck_par_attention(&context, &call)
            }
          }
        }
      }
    }
    return out
  }

  /// The same rows of one query head by plain calls of the attention kernel.
  func plain(_ kernels: FloatKernels, head: Int) -> [Float] {
    let kvHead = head / (heads / kvHeads)
    var one = AttentionCase(
      headDim: headDim, rows: tokens, group: 1, positions: position + tokens, seed: 1)
    one.q = (0..<tokens).flatMap { token in
      let start = (token * heads + head) * headDim
      return q[start..<start + headDim].map { $0 * 0.125 / one.scale }
    }
    let cached = kvHead * capacity * headDim..<(kvHead + 1) * capacity * headDim
    (one.k, one.v) = (Array(k[cached]), Array(v[cached]))
    one.last = (0..<tokens).map { UInt32(position + $0 + 1) }
    one.first = one.last.map { window == 0 ? 0 : UInt32(max(0, Int($0) - window)) }
    return one.attend(kernels, 0..<tokens)
  }
}

private let layers = [
  LayerCase(kvHeads: 1, headDim: 64, tokens: 20, position: 0, window: 0),
  LayerCase(kvHeads: 2, headDim: 32, tokens: 9, position: 800, window: 0),
  LayerCase(kvHeads: 3, headDim: 16, tokens: 30, position: 480, window: 300),
  LayerCase(kvHeads: 6, headDim: 64, tokens: 12, position: 60, window: 64),
]

@Suite struct ParallelAttentionTests {
  @Test(arguments: FloatKernels.available, layers.indices)
  func resultsDependNeitherOnThreadsNorOnCalls(kernels: FloatKernels, index: Int) throws {
    let layer = layers[index]
    let whole = try layer.attend(kernels, TestPool(threads: 1), 0..<layer.tokens)
    for threads in 1...3 {
      let pool = try TestPool(threads: threads)
      for step in [1, 7, layer.tokens] {
        let parts = stride(from: 0, to: layer.tokens, by: step).flatMap {
          layer.attend(kernels, pool, $0..<min($0 + step, layer.tokens))
        }
        #expect(parts == whole, "\(threads) threads, \(step) tokens a call")
      }
    }
  }

  @Test(arguments: FloatKernels.available, layers.indices)
  func everyHeadReadsItsOwnKeysAndWindow(kernels: FloatKernels, index: Int) throws {
    let layer = layers[index]
    let out = try layer.attend(kernels, TestPool(threads: 2), 0..<layer.tokens)
    for head in 0..<layer.heads {
      let plain = layer.plain(kernels, head: head)
      for token in 0..<layer.tokens {
        for d in 0..<layer.headDim {
          let value = out[(token * layer.heads + head) * layer.headDim + d]
          // The plain call's scale is in its queries, which rounds them once more.
          #expect(abs(value - plain[token * layer.headDim + d]) < 2e-6)
        }
      }
    }
  }
}

@Suite struct ParallelStepTests {
  @Test(arguments: [1, 2, 3], [(1, 576), (40, 1000), (3, 16384)])
  func normsAndActivationsAreThoseOfTheKernels(threads: Int, shape: (tokens: Int, n: Int)) throws {
    let kernels = try #require(FloatKernels(ck_isa_active()))
    let pool = try TestPool(threads: threads)
    var generator = SeededGenerator(seed: UInt64(shape.n))
    let x = generator.floats(shape.tokens * shape.n)
    let weight = generator.floats(shape.n)
    var context = unsafe ck_context(pool: pool.pointer, matmul: nil, floats: kernels.table)
    var y = [Float](repeating: .nan, count: x.count)
    unsafe ck_par_rms_norm(
      &context, x, shape.n, weight, shape.n, 1e-5, shape.tokens, &y, shape.n)
    for token in 0..<shape.tokens {
      let row = token * shape.n..<(token + 1) * shape.n
      #expect(Array(y[row]) == kernels.rmsNorm(Array(x[row]), weight: weight, epsilon: 1e-5))
    }
    var gate = x
    unsafe ck_par_gated_activation(&context, false, &gate, y, x.count)
    #expect(gate == kernels.siluMul(x, y))
    gate = x
    unsafe ck_par_gated_activation(&context, true, &gate, y, x.count)
    #expect(gate == kernels.geluMul(x, y))
  }

  @Test(arguments: [1, 2, 3], [(1, 5), (1, 300), (70, 130)])
  func productsAreThoseOfTheKernels(threads: Int, shape: (tokens: Int, rows: Int)) throws {
    let pool = try TestPool(threads: threads)
    let kernels = try #require(MatmulKernels(ck_isa_active()))
    let type = try #require(TypeRow(id: Int32(CK_Q4_0.rawValue)))
    let (tokens, rows, cols) = (shape.tokens, shape.rows, 128)
    var generator = SeededGenerator(seed: UInt64(rows))
    let w = RandomWeights(type, rows: rows, cols: cols, using: &generator)
    let x = generator.floats(tokens * cols)
    var context = unsafe ck_context(
      pool: pool.pointer, matmul: ck_matmul_table_for(ck_isa_active()), floats: nil)

    var quantized = QuantizedActivations(tokens: tokens, cols: cols)
    var y = [Float](repeating: .nan, count: tokens * rows)
    unsafe quantized.q.withUnsafeMutableBufferPointer { q in
      unsafe quantized.scale.withUnsafeMutableBufferPointer { scale in
        unsafe quantized.sum.withUnsafeMutableBufferPointer { sum in
          var view = unsafe ck_q8(
            q: q.baseAddress, scale: scale.baseAddress, sum: sum.baseAddress, tokens: tokens,
            cols: cols)
          unsafe ck_par_quantize(&context, x, cols, &view)
          unsafe ck_par_matmul(&context, CK_Q4_0, w.bytes, w.rowBytes, rows, &view, &y, rows)
        }
      }
    }
    let plain = kernels.quantize(x, tokens: tokens, cols: cols)
    #expect(quantized.q == plain.q && quantized.scale == plain.scale && quantized.sum == plain.sum)
    let expected = try kernels.matmul(
      type.id, w.bytes, rowBytes: w.rowBytes, rows: 0..<rows, plain, stride: rows)
    #expect(y == expected)

    var values = [Float](repeating: .nan, count: rows * cols)
    unsafe ck_par_dequantize(&context, CK_Q4_0, w.bytes, w.rowBytes, rows, cols, &values)
    #expect(try values == kernels.dequantize(type.id, w.bytes, count: rows * cols))

    let bytes = unsafe values.withUnsafeBytes { unsafe Array($0) }
    var dense = [Float](repeating: .nan, count: tokens * rows)
    unsafe ck_par_matmul_float(
      &context, CK_F32, bytes, cols * 4, rows, cols, x, cols, tokens, &dense, rows)
    let one = try kernels.matmulFloat(
      Int32(CK_F32.rawValue), bytes, rowBytes: cols * 4, rows: 0..<rows, cols: cols, x,
      xStride: cols, tokens: tokens, stride: rows)
    #expect(dense == one)
  }
}
