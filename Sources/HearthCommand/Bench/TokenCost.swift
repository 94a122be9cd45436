import GGUF
import Inference
import Tokenization

/// What one token needs at least of that which limits it.
enum TokenCost: Equatable {
  /// Bytes of weights and of cached keys and values that a decoded token reads.
  case bytes(Int)
  /// Multiplications and additions for a token of a prompt.
  case operations(Int)

  /// The mean cost of tokens that are decoded one by one after `depth` others.
  static func decoding(
    _ tokens: Int, after depth: Int, _ type: KeyValueType, _ file: GGUFFile
  ) throws -> TokenCost {
    let isTied = file.tensor(named: "output.weight") == nil
    var bytes = 0
    for tensor in file.tensors where isTied || tensor.name != "token_embd.weight" {
      bytes += tensor.byteCount
    }
    for layer in try ModelConfiguration(file).layers {
      let seen = meanPositions(of: tokens, after: depth, layer)
      bytes += Int(seen * Double(layer.keyValueBytesPerToken(type)))
    }
    return .bytes(bytes)
  }

  /// The mean cost of the tokens of a prompt; only the last one's logits are computed.
  static func prompt(_ tokens: Int, _ file: GGUFFile) throws -> TokenCost {
    let configuration = try ModelConfiguration(file)
    var operations = 2 * configuration.vocabularySize * configuration.embeddingLength / tokens
    for tensor in file.tensors where tensor.name.hasPrefix("blk.") && tensor.dimensions.count > 1 {
      operations += 2 * tensor.dimensions.reduce(1, *)
    }
    for layer in configuration.layers {
      let seen = meanPositions(of: tokens, after: 0, layer)
      operations += Int(seen * Double(2 * 2 * layer.heads * layer.headDim))
    }
    return .operations(operations)
  }

  /// Positions that a token sees, itself included, on average.
  private static func meanPositions(
    of tokens: Int, after depth: Int, _ layer: LayerConfiguration
  ) -> Double {
    var sum = 0
    for token in 1...tokens {
      sum += layer.window > 0 ? min(layer.window, depth + token) : depth + token
    }
    return Double(sum) / Double(tokens)
  }

  /// What a worker's answer says of it, if anything.
  init?(_ answer: OrderedJSON) {
    if let bytes = answer["token_bytes"]?.intValue {
      self = .bytes(bytes)
    } else if let operations = answer["token_operations"]?.intValue {
      self = .operations(operations)
    } else {
      return nil
    }
  }

  var member: OrderedJSON.Member {
    switch self {
    case .bytes(let count): .init("token_bytes", .int(count))
    case .operations(let count): .init("token_operations", .int(count))
    }
  }

  /// What a rate of tokens per second comes to.
  func traffic(at rate: Double) -> (value: Double, unit: String) {
    switch self {
    case .bytes(let count): (rate * Double(count) / 1e9, "GB/s")
    case .operations(let count): (rate * Double(count) / 1e9, "GOP/s")
    }
  }
}
