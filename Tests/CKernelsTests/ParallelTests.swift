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
    var context = unsafe ck_context(pool: pool.pointer, matmul: nil, floats: kernels.table)
    unsafe queries.withUnsafeBufferPointer { q in
      unsafe k.withUnsafeBufferPointer { k in
        unsafe v.withUnsafeBufferPointer { v in
          unsafe out.withUnsafeMutableBufferPointer { out in
            var call = unsafe ck_layer_attention(
              q: q.baseAddress, q_stride: row, kv: CK_KV_F16, k: k.baseAddress,
              v: v.baseAddress, capacity: capacity, heads: heads, kv_heads: kvHeads,
              head_dim: headDim,
              tokens: range.count, position: position + range.lowerBound, window: window,
              scale: 0.125, softcap: 0, tiles: false, out: out.baseAddress, out_stride: row,
              scratch: nil)
            var scratch = unsafe [Float](
              repeating: .nan, count: ck_layer_attention_scratch(&context, &call))
            unsafe scratch.withUnsafeMutableBufferPointer { scratch in
              unsafe call.scratch = scratch.baseAddress
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
