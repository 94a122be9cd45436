import GGUF
import Inference

/// What one token needs at least: the arithmetic of a prompt, the memory traffic of a response.
struct TokenCost {
  /// Bytes of weights and of cached keys and values that are read.
  var bytes: Int
  /// Additions and multiplications of the matrix products and of attention.
  var operations: Int

  /// The cost of one of some tokens that are computed together after `depth` others; the logits
  /// of `wanted` of them are computed.
  init(_ file: GGUFFile, depth: Int, tokens: Int, wanted: Int) throws {
    let configuration = try ModelConfiguration(file)
    let isTied = !file.tensors.contains { $0.name == "output.weight" }
    var layerWeights = 0
    bytes = 0
    for tensor in file.tensors where isTied || tensor.name != "token_embd.weight" {
      bytes += tensor.byteCount
      if tensor.name.hasPrefix("blk."), tensor.dimensions.count > 1 {
        layerWeights += tensor.dimensions.reduce(1, *)
      }
    }
    let projection = configuration.vocabularySize * configuration.embeddingLength
    operations = 2 * layerWeights + 2 * projection * wanted / tokens
    for layer in configuration.layers {
      let seen = Self.meanPositions(depth: depth, tokens: tokens, window: layer.window)
      bytes += Int(seen * Double(2 * 2 * layer.keyValueHeads * layer.headDim))
      operations += Int(seen * Double(2 * 2 * layer.heads * layer.headDim))
    }
  }

  /// Positions that a token sees, itself included, on average.
  private static func meanPositions(depth: Int, tokens: Int, window: Int) -> Double {
    var sum = 0
    for token in 1...tokens {
      sum += window > 0 ? min(window, depth + token) : depth + token
    }
    return Double(sum) / Double(tokens)
  }
}
