internal import CKernels
internal import GGUF

/// The weights of one transformer layer; shapes are `[rows, columns]`.
struct LayerWeights: Sendable {
  var attentionNorm: FloatBuffer  // [embedding]
  // [heads * headDim, embedding], then twice [kvHeads * headDim, embedding]
  var heads: WeightGroup
  var queryBias: FloatBuffer?  // [heads * headDim]
  var keyBias: FloatBuffer?  // [kvHeads * headDim]
  var valueBias: FloatBuffer?  // [kvHeads * headDim]
  var queryNorm: FloatBuffer?  // [headDim]
  var keyNorm: FloatBuffer?  // [headDim]
  var output: WeightGroup  // [embedding, heads * headDim]
  var outputBias: FloatBuffer?  // [embedding]
  var postAttentionNorm: FloatBuffer?  // [embedding]
  var feedForwardNorm: FloatBuffer  // [embedding]
  var gated: WeightGroup  // gate and up, [feedForward, embedding] both
  var down: WeightGroup  // [embedding, feedForward]
  var postFeedForwardNorm: FloatBuffer?  // [embedding]
}

/// All weights of a model, matrices where the file maps them, vectors as float32.
struct Weights: Sendable {
  var embedding: WeightMatrix  // [vocabulary, embedding]
  var layers: [LayerWeights]
  var outputNorm: FloatBuffer  // [embedding]
  var output: WeightGroup  // [vocabulary, embedding], the embedding table itself when tied

  /// Finds and checks every tensor that the configuration calls for.
  ///
  /// - Throws: `missingTensor`, `tensorShape`, `unsupportedTensorType`.
  init(_ file: GGUFFile, _ configuration: ModelConfiguration) throws(InferenceError) {
    let size = configuration.embeddingLength
    let vocabulary = configuration.vocabularySize
    embedding = try WeightMatrix(file, "token_embd.weight", rows: vocabulary, columns: size)
    outputNorm = try file.vector("output_norm.weight", size)
    output = WeightGroup(
      file.tensor(named: "output.weight") == nil
        ? embedding : try WeightMatrix(file, "output.weight", rows: vocabulary, columns: size))
    layers = []
    for (index, layer) in configuration.layers.enumerated() {
      layers.append(try LayerWeights(file, configuration, layer, index))
    }
  }
}

extension Weights {
  /// The same weights with interleaved rows where products gain from it, copied on `threads`
  /// threads; the file's own pages are no longer needed for those.
  ///
  /// - Throws: `outOfMemory`, `threads`.
  func interleaved(_ file: GGUFFile, threads: Int) throws(InferenceError) -> Weights {
    let order = InterleavedOrder(matrices)
    let storage = try WeightStorage(byteCount: order.byteCount)
    let compute = try Compute(threads: threads, precision: .quantized)
    for place in order.places {
      // A slice at a time, so that never more than one is in memory twice.
      for slice in place.matrix.slices {
        let offset = place.offset + slice.lowerBound * place.matrix.rowBytes
        compute.interleave(place.matrix, slice, into: storage, at: offset, of: file)
      }
    }
    var places = order.places[...]
    return mapMatrices { matrix in
      guard let place = places.popFirst(of: matrix) else { return matrix }
      return matrix.interleaved(in: storage, at: place.offset)
    }
  }

  /// The same weights where a file beside the model's holds them with interleaved rows; it is
  /// written first, where it is not there or is another model's.
  ///
  /// - Returns: the weights, or why there can be no such file.
  /// - Throws: `outOfMemory`, `threads`.
  func cached(
    _ file: GGUFFile, threads: Int
  ) throws(InferenceError) -> Result<Weights, GGUFError> {
    let order = InterleavedOrder(matrices)
    guard !order.places.isEmpty else { return .success(self) }
    let cache: WeightCache
    do {
      cache = try WeightCache(of: file, order)
    } catch {
      return .failure(error)
    }
    var mapped = cache.open()
    if mapped == nil {
      let compute = try Compute(threads: threads, precision: .quantized)
      if let error = try cache.write(of: file, compute) { return .failure(error) }
      mapped = cache.open()
    }
    guard let mapped else {
      return .failure(.cannotRead(path: cache.path, reason: "it is not what was written"))
    }
    var places = order.places[...]
    return .success(
      mapMatrices { matrix in
        places.popFirst(of: matrix).flatMap {
          matrix.interleaved(in: mapped, at: cache.start + $0.offset)
        } ?? matrix
      })
  }

  /// Every matrix once.
  private var matrices: [WeightMatrix] {
    var all: [WeightMatrix] = []
    _ = mapMatrices { matrix in
      all.append(matrix)
      return matrix
    }
    return all
  }

  /// The same weights with every matrix replaced, tied ones by the same.
  private func mapMatrices(_ transform: (WeightMatrix) -> WeightMatrix) -> Weights {
    var copy = self
    let isTied = embedding.isSame(as: output.matrices[0])
    copy.output = output.map(transform)
    copy.embedding = isTied ? copy.output.matrices[0] : transform(embedding)
    for index in layers.indices {
      copy.layers[index].heads = layers[index].heads.map(transform)
      copy.layers[index].output = layers[index].output.map(transform)
      copy.layers[index].gated = layers[index].gated.map(transform)
      copy.layers[index].down = layers[index].down.map(transform)
    }
    return copy
  }
}

extension LayerWeights {
  init(
    _ file: GGUFFile, _ configuration: ModelConfiguration, _ layer: LayerConfiguration, _ index: Int
  ) throws(InferenceError) {
    let prefix = "blk.\(index)."
    let size = configuration.embeddingLength
    let queryRows = layer.heads * layer.headDim
    let keyRows = layer.keyValueHeads * layer.headDim

    attentionNorm = try file.vector(prefix + "attn_norm.weight", size)
    let rows = [queryRows, keyRows, keyRows]
    let attention = try file.matrices(
      prefix, ["attn_q", "attn_k", "attn_v"], fused: "attn_qkv", rows: rows, columns: size)
    heads = WeightGroup(attention[0], attention[1], attention[2])
    let biases = try file.biases(prefix, ["attn_q", "attn_k", "attn_v"], fused: "attn_qkv", rows)
    (queryBias, keyBias, valueBias) = (biases[0], biases[1], biases[2])
    if configuration.hasHeadNorms {
      queryNorm = try file.vector(prefix + "attn_q_norm.weight", layer.headDim)
      keyNorm = try file.vector(prefix + "attn_k_norm.weight", layer.headDim)
    }
    output = WeightGroup(
      try WeightMatrix(file, prefix + "attn_output.weight", rows: size, columns: queryRows))
    outputBias = try file.optionalVector(prefix + "attn_output.bias", size)
    feedForwardNorm = try file.vector(prefix + "ffn_norm.weight", size)
    let width = layer.feedForward
    let halves = try file.matrices(
      prefix, ["ffn_gate", "ffn_up"], fused: "ffn_up", rows: [width, width], columns: size)
    gated = WeightGroup(halves[0], halves[1])
    down = WeightGroup(
      try WeightMatrix(file, prefix + "ffn_down.weight", rows: size, columns: width))
    if configuration.hasPostNorms {
      postAttentionNorm = try file.vector(prefix + "post_attention_norm.weight", size)
      postFeedForwardNorm = try file.vector(prefix + "post_ffw_norm.weight", size)
    }
  }
}

extension GGUFFile {
  /// Several matrices that the file holds one by one, or stacked in one fused tensor.
  fileprivate func matrices(
    _ prefix: String, _ names: [String], fused: String, rows: [Int], columns: Int
  ) throws(InferenceError) -> [WeightMatrix] {
    var result: [WeightMatrix] = []
    if tensor(named: prefix + names[0] + ".weight") == nil,
      tensor(named: prefix + fused + ".weight") != nil
    {
      let all = try WeightMatrix(
        self, prefix + fused + ".weight", rows: rows.reduce(0, +), columns: columns)
      var start = 0
      for count in rows {
        result.append(all.rows(start..<start + count))
        start += count
      }
      return result
    }
    for (name, count) in zip(names, rows) {
      result.append(
        try WeightMatrix(self, prefix + name + ".weight", rows: count, columns: columns))
    }
    return result
  }

  /// The optional biases of those matrices.
  fileprivate func biases(
    _ prefix: String, _ names: [String], fused: String, _ rows: [Int]
  ) throws(InferenceError) -> [FloatBuffer?] {
    var result: [FloatBuffer?] = []
    if let all = try optionalValues(prefix + fused + ".bias", rows.reduce(0, +)) {
      var start = 0
      for count in rows {
        result.append(
          try FloatBuffer(Array(all[start..<start + count]), purpose: prefix + fused))
        start += count
      }
      return result
    }
    for (name, count) in zip(names, rows) {
      result.append(try optionalVector(prefix + name + ".bias", count))
    }
    return result
  }

  /// A vector of the file as float32.
  fileprivate func vector(_ name: String, _ count: Int) throws(InferenceError) -> FloatBuffer {
    guard let vector = try optionalVector(name, count) else { throw .missingTensor(name: name) }
    return vector
  }

  fileprivate func optionalVector(
    _ name: String, _ count: Int
  ) throws(InferenceError) -> FloatBuffer? {
    guard let values = try optionalValues(name, count) else { return nil }
    return try FloatBuffer(values, purpose: name)
  }

  private func optionalValues(_ name: String, _ count: Int) throws(InferenceError) -> [Float]? {
    guard tensor(named: name) != nil else { return nil }
    return try WeightMatrix(self, name, rows: 1, columns: count).dequantized()
  }
}
