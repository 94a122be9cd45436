internal import CKernels

internal import Foundation

/// Cosines and sines of rotary position embedding, `[position, pair]`.
///
/// Su et al., "RoFormer" (2021); the frequency of pair i is `base^(-2i / dimensions)`, changed by
/// the model's `RoPEScaling`. The number of positions is the context size.
final class RoPETable: Sendable {
  let pairs: Int
  let pairing: ck_rope_pairing
  let positions: Int
  let cosine: FloatBuffer
  let sine: FloatBuffer

  /// The table for positions `0 ..< positions`.
  ///
  /// - Throws: `outOfMemory`.
  /// - Complexity: O(positions * pairs).
  init(_ rope: RoPEConfiguration, positions: Int) throws(InferenceError) {
    let frequencies = rope.frequencies(contextSize: positions)
    pairs = frequencies.count
    pairing = rope.pairing == .adjacent ? CK_ROPE_ADJACENT : CK_ROPE_HALVES
    self.positions = positions
    let count = positions * frequencies.count
    cosine = try FloatBuffer(count: count, purpose: "RoPE table")
    sine = try FloatBuffer(count: count, purpose: "RoPE table")
    for position in 0..<positions {
      for (pair, frequency) in frequencies.enumerated() {
        let angle = Double(position) * frequency
        let index = position * frequencies.count + pair
        unsafe cosine.base[index] = Float(cos(angle) * rope.magnitude)
        unsafe sine.base[index] = Float(sin(angle) * rope.magnitude)
      }
    }
  }
}
