internal import CKernels

internal import Foundation

/// Cosines and sines of rotary position embedding, `[position, pair]`.
///
/// Su et al., "RoFormer" (2021); the frequency of pair i is `base^(-2i / dimensions)`, changed by
/// the model's `RoPEScaling`. The number of positions is the context size; a row is computed, and
/// its memory touched, when a sequence first comes near it. Belongs to one forward pass.
final class RoPETable {
  let pairs: Int
  let pairing: ck_rope_pairing
  let positions: Int
  /// Positions that have their rows: `0 ..< filled`.
  private(set) var filled = 0
  let cosine: FloatBuffer
  let sine: FloatBuffer

  /// Radians per position for each pair.
  private let frequencies: [Double]
  private let magnitude: Double

  /// Positions computed together: decoding comes to new ones one by one.
  private static let step = 64

  /// A table for positions `0 ..< positions`, with no rows yet.
  ///
  /// - Throws: `outOfMemory`.
  init(_ rope: RoPEConfiguration, positions: Int) throws(InferenceError) {
    frequencies = rope.frequencies(contextSize: positions)
    magnitude = rope.magnitude
    pairs = frequencies.count
    pairing = rope.pairing == .adjacent ? CK_ROPE_ADJACENT : CK_ROPE_HALVES
    self.positions = positions
    cosine = try FloatBuffer(count: positions * pairs, purpose: "RoPE table")
    sine = try FloatBuffer(count: positions * pairs, purpose: "RoPE table")
  }

  /// Computes the rows of positions `0 ..< end` that are not there yet.
  func fill(to end: Int) {
    precondition(end <= positions)
    guard end > filled else { return }
    let end = min((end + Self.step - 1) / Self.step * Self.step, positions)
    for position in filled..<end {
      for (pair, frequency) in frequencies.enumerated() {
        let angle = Double(position) * frequency
        unsafe cosine.base[position * pairs + pair] = Float(cos(angle) * magnitude)
        unsafe sine.base[position * pairs + pair] = Float(sin(angle) * magnitude)
      }
    }
    filled = end
  }
}
