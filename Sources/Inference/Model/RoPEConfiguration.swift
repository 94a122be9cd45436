internal import Foundation

/// Which coordinates of a head rotate together.
package enum RoPEPairing: Sendable, Equatable {
  /// Coordinates 2i and 2i+1: files whose Q and K rows were permuted at conversion (llama).
  case adjacent
  /// Coordinates i and i+n/2 (qwen, gemma, phi).
  case halves
}

/// How a model that was trained on short texts stretches its positions.
package enum RoPEScaling: Sendable, Equatable {
  case none
  /// Positions divided by a factor.
  case linear(factor: Double)
  /// Peng et al., "YaRN" (2023): low frequencies interpolated, high ones kept, a ramp between.
  case yarn(factor: Double, originalContext: Double, betaFast: Double, betaSlow: Double)
}

/// One rotary embedding of a model; models with local and global layers have two.
package struct RoPEConfiguration: Sendable, Equatable {
  /// Coordinates of a head that rotate, an even number.
  package var dimensions: Int
  package var base: Double
  package var pairing: RoPEPairing
  package var scaling: RoPEScaling
  /// Divides the frequency of each pair (Llama 3.1); empty means all ones.
  package var factors: [Float] = []
  /// Divides the frequencies instead of `factors` where the context is longer than trained on
  /// (Ding et al., "LongRoPE", 2024; Phi); empty means the same factors for all contexts.
  package var longFactors: [Float] = []
  /// The context size up to which `factors` hold when there are `longFactors`.
  package var originalContext = Int.max
  /// Multiplies cosines and sines.
  package var magnitude: Double = 1

  package init(
    dimensions: Int, base: Double, pairing: RoPEPairing, scaling: RoPEScaling = .none
  ) {
    self.dimensions = dimensions
    self.base = base
    self.pairing = pairing
    self.scaling = scaling
  }

  /// Radians per position for each pair of coordinates in a context of `contextSize` tokens.
  package func frequencies(contextSize: Int) -> [Double] {
    let isLong = contextSize > originalContext && !longFactors.isEmpty
    let factors = isLong ? longFactors : factors
    return (0..<dimensions / 2).map { pair in
      let frequency = pow(base, -2 * Double(pair) / Double(dimensions))
      let own = factors.isEmpty ? frequency : frequency / Double(factors[pair])
      switch scaling {
      case .none:
        return own
      case .linear(let factor):
        return own / factor
      case .yarn(let factor, let original, let fast, let slow):
        let low = correctionPair(rotations: fast, context: original).rounded(.down)
        let high = correctionPair(rotations: slow, context: original).rounded(.up)
        let start = max(low, 0)
        let end = min(high, Double(dimensions - 1))
        let ramp = min(max((Double(pair) - start) / max(end - start, 0.001), 0), 1)
        return own * (1 - ramp) + own / factor * ramp
      }
    }
  }

  /// The pair that turns `rotations` times within `context` positions (YaRN, section 3.2).
  private func correctionPair(rotations: Double, context: Double) -> Double {
    Double(dimensions) * log(context / (rotations * 2 * .pi)) / (2 * log(base))
  }
}
