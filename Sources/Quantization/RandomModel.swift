internal import GGUF

/// Writes a model with random weights, straight in the type that is wanted.
///
/// It has the sizes, the types and so the speed of a real one, and answers with noise.
package struct RandomModel: Sendable {
  private let shape: ModelShape
  private let format: QuantizedFormat
  private let isPure: Bool
  private let seed: UInt64

  /// - Parameters:
  ///   - shape: the sizes.
  ///   - format: the type of the weights, or the mix.
  ///   - isPure: the format's type for every weight, without the exceptions that are usual.
  ///   - seed: the same seed gives the same file.
  /// - Throws: `invalidShape`.
  package init(
    _ shape: ModelShape, as format: QuantizedFormat, pure isPure: Bool = false, seed: UInt64 = 0
  ) throws(QuantizationError) {
    try shape.check()
    self.shape = shape
    self.format = format
    self.isPure = isPure
    self.seed = seed
  }

  /// Writes the file; it takes its place when it is complete.
  ///
  /// - Parameters:
  ///   - path: where to.
  ///   - replacing: whether a file of that name may be there.
  ///   - threads: how many share the work; the bytes do not depend on it.
  ///   - progress: called on another thread.
  /// - Throws: `QuantizationError`, or `CancellationError`; nothing is left of the file then.
  package func write(
    to path: String, replacing: Bool = false, threads: Int,
    progress: @escaping @Sendable (QuantizationProgress) -> Void = { _ in }
  ) async throws {
    try OutputPath.check(path, replacing: replacing)
    try await onOwnThread { isCancelled in
      try ModelWriter(
        tensors: tensors, input: nil, isCancelled: isCancelled, progress: progress
      ).write(metadata, to: path, threads: threads)
    }
  }

  private var metadata: GGUFWriter {
    var writer = GGUFWriter(architecture: "llama")
    writer.set("general.name", .text("random weights, seed \(seed)"))
    let numbers = [
      ("context_length", shape.context), ("embedding_length", shape.embedding),
      ("block_count", shape.layers), ("feed_forward_length", shape.feedForward),
      ("attention.head_count", shape.heads), ("attention.head_count_kv", shape.keyValueHeads),
      ("rope.dimension_count", headSize), ("vocab_size", shape.vocabulary),
    ]
    for (key, number) in numbers { writer.set("llama." + key, .uint32(UInt32(number))) }
    writer.set("llama.rope.freq_base", .float32(shape.ropeBase))
    writer.set("llama.attention.layer_norm_rms_epsilon", .float32(1e-5))
    writer.set("general.file_type", .uint32(format.fileType))
    writer.set("general.quantization_version", .uint32(2))
    RandomVocabulary(count: shape.vocabulary).describe(in: &writer)
    return writer
  }

  private var headSize: Int { shape.embedding / shape.heads }

  private var tensors: [TensorPlan] {
    let matrices = self.matrices
    let choice = TypeChoice(format, pure: isPure, tensorNames: matrices.map(\.name))
    var seeds = SeedSource(state: seed)
    return matrices.map { matrix in
      let rowLength = matrix.dimensions[0]
      guard let type = choice.type(of: matrix.name, dimensions: matrix.dimensions) else {
        return TensorPlan(
          name: matrix.name, type: .f32, dimensions: matrix.dimensions, source: .constant(1))
      }
      // A product with inputs of size 1 has results of size 1.
      let noise = Noise(seed: seeds.next(), deviation: 1 / Float(rowLength).squareRoot())
      return TensorPlan(
        name: matrix.name, type: type, dimensions: matrix.dimensions, source: .noise(noise))
    }
  }

  /// Names and shapes in the order of the file; the row length is the number of inputs.
  private var matrices: [(name: String, dimensions: [Int])] {
    let (width, keys) = (shape.embedding, shape.keyValueHeads * headSize)
    var list = [("token_embd.weight", [width, shape.vocabulary])]
    for layer in 0..<shape.layers {
      list += [
        ("attn_norm", [width]), ("attn_q", [width, width]), ("attn_k", [width, keys]),
        ("attn_v", [width, keys]), ("attn_output", [width, width]), ("ffn_norm", [width]),
        ("ffn_gate", [width, shape.feedForward]), ("ffn_up", [width, shape.feedForward]),
        ("ffn_down", [shape.feedForward, width]),
      ].map { ("blk.\(layer).\($0.0).weight", $0.1) }
    }
    list.append(("output_norm.weight", [width]))
    if !shape.isTied { list.append(("output.weight", [width, shape.vocabulary])) }
    return list
  }
}

/// One seed for each tensor, far from one another.
private struct SeedSource {
  var state: UInt64

  /// Multiplied by the golden ratio, as SplitMix64 does, and mixed with a constant of its own, so that
  /// the numbers of two tensors do not overlap.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 32)) &* 0xD6E8_FEB8_6659_FD93
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return mixed ^ (mixed >> 32)
  }
}
