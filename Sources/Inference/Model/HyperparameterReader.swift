internal import GGUF

internal import Foundation

/// Reads one architecture's keys with ranges, so that no number of a file is used unchecked.
struct HyperparameterReader {
  let file: GGUFFile
  let prefix: String

  init(_ file: GGUFFile, prefix: String = "") {
    self.file = file
    self.prefix = prefix.isEmpty ? "" : prefix + "."
  }

  func string(_ key: String) throws(InferenceError) -> String? {
    do { return try file.metadata.string(prefix + key) } catch { throw .file(error) }
  }

  func integer(_ key: String, in range: ClosedRange<Int>) throws(InferenceError) -> Int? {
    do { return try file.metadata.integer(prefix + key, in: range) } catch { throw .file(error) }
  }

  func required(_ key: String, in range: ClosedRange<Int>) throws(InferenceError) -> Int {
    guard let value = try integer(key, in: range) else { throw missing(key) }
    return value
  }

  func float(_ key: String) throws(InferenceError) -> Double? {
    do { return try file.metadata.float(prefix + key).map(Double.init) } catch {
      throw .file(error)
    }
  }

  func float(_ key: String, in range: ClosedRange<Double>) throws(InferenceError) -> Double? {
    guard let value = try float(key) else { return nil }
    guard range.contains(value) else {
      throw .invalidHyperparameter(
        key: prefix + key, reason: "\(value) is outside \(range.lowerBound)...\(range.upperBound)")
    }
    return value
  }

  func requiredFloat(_ key: String, in range: ClosedRange<Double>) throws(InferenceError) -> Float {
    guard let value = try float(key, in: range) else { throw missing(key) }
    return Float(value)
  }

  /// A number for all layers, or an array with one for each.
  func optionalPerLayer(
    _ key: String, _ count: Int, in range: ClosedRange<Int>
  ) throws(InferenceError) -> [Int]? {
    let values: [Int]?
    do { values = try file.metadata.integers(prefix + key, in: range) } catch { throw .file(error) }
    guard let values else { return nil }
    if values.count == 1, let value = values.first { return Array(repeating: value, count: count) }
    guard values.count == count else {
      throw .invalidHyperparameter(
        key: prefix + key, reason: "\(values.count) values for \(count) layers")
    }
    return values
  }

  func perLayer(
    _ key: String, _ count: Int, in range: ClosedRange<Int>
  ) throws(InferenceError) -> [Int] {
    guard let values = try optionalPerLayer(key, count, in: range) else { throw missing(key) }
    return values
  }

  func softcap(_ key: String, default value: Double) throws(InferenceError) -> Float {
    Float(try float(key, in: 0...1e6) ?? value)
  }

  private func missing(_ key: String) -> InferenceError {
    .invalidHyperparameter(key: prefix + key, reason: "missing")
  }
}

// MARK: - Rotary embeddings

extension HyperparameterReader {
  /// The global rotary embedding, and for Gemma 3 the local one after it.
  func ropes(_ family: ModelFamily, headDim: Int) throws(InferenceError) -> [RoPEConfiguration] {
    let dimensions = try integer("rope.dimension_count", in: 2...headDim) ?? headDim
    guard dimensions % 2 == 0 else {
      throw .invalidHyperparameter(key: prefix + "rope.dimension_count", reason: "must be even")
    }
    let bases = 1.0...1e12
    let defaultBase = family == .gemma3 ? 1e6 : 10_000
    var global = RoPEConfiguration(
      dimensions: dimensions, base: try float("rope.freq_base", in: bases) ?? defaultBase,
      pairing: family.pairing)
    let local = RoPEConfiguration(
      dimensions: dimensions, base: try float("rope.freq_base_swa", in: bases) ?? 10_000,
      pairing: family.pairing)
    try scale(&global)
    let pairs = dimensions / 2
    if let long = try tensorFactors("rope_factors_long.weight", pairs: pairs),
      let short = try tensorFactors("rope_factors_short.weight", pairs: pairs)
    {
      global.factors = short
      global.longFactors = long
      global.originalContext = try required(
        "rope.scaling.original_context_length", in: 1...(1 << 24))
    } else {
      global.factors = try tensorFactors("rope_freqs.weight", pairs: pairs) ?? []
    }
    return family == .gemma3 ? [global, local] : [global]
  }

  private func scale(_ rope: inout RoPEConfiguration) throws(InferenceError) {
    let factors = 1e-3...1e6
    let kind = try string("rope.scaling.type")
    var factor = try float("rope.scaling.factor", in: factors)
    if factor == nil { factor = try float("rope.scale_linear", in: factors) }
    let attention = try float("rope.scaling.attn_factor", in: factors) ?? 1
    switch kind ?? (factor == nil ? "none" : "linear") {
    case "none":
      break
    case "linear":
      rope.scaling = .linear(factor: factor ?? 1)
    case "yarn":
      guard let factor, factor > 1 else { return }
      let trained = try required("context_length", in: 1...(1 << 24))
      let original = try integer("rope.scaling.original_context_length", in: 1...(1 << 24))
      rope.scaling = .yarn(
        factor: factor, originalContext: Double(original ?? trained),
        betaFast: try float("rope.scaling.yarn_beta_fast", in: 0.01...1e4) ?? 32,
        betaSlow: try float("rope.scaling.yarn_beta_slow", in: 0.01...1e4) ?? 1)
      // The paper's temperature: attention sharpens as the context is stretched.
      rope.magnitude = attention * (1 + 0.1 * log(factor))
    case "longrope":
      rope.magnitude = attention
    case let other:
      throw .invalidHyperparameter(
        key: prefix + "rope.scaling.type", reason: "\"\(other)\" is not supported")
    }
  }

  /// One divisor for each pair, from a float32 tensor that is not always there.
  func tensorFactors(_ name: String, pairs: Int) throws(InferenceError) -> [Float]? {
    guard let info = file.tensor(named: name) else { return nil }
    guard info.dimensions == [pairs] else {
      throw .tensorShape(name: name, expected: [pairs], found: info.dimensions)
    }
    guard info.type == .f32 else {
      throw .unsupportedTensorType(name: name, type: info.type.name)
    }
    let factors = file.withBytes(of: info) { bytes in
      (0..<pairs).map { unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
    guard factors.allSatisfy({ $0.isFinite && $0 > 0 }) else {
      throw .invalidHyperparameter(key: name, reason: "every factor must be a positive number")
    }
    return factors
  }
}
