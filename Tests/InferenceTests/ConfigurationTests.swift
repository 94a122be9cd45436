import Foundation
import GGUF
import Inference
import TestSupport
import Testing

/// What the loader makes of headers and tensors, on copies of a tiny model with one thing changed.
@Suite struct ConfigurationTests {
  /// The tiny llama model's header and tensors, to be changed and written again.
  private func load(
    _ name: String = "llama", changing: (inout GGUFWriter) -> Void = { _ in },
    without key: String? = nil, keeping: (TensorInfo) -> Bool = { _ in true }
  ) throws -> TransformerModel {
    let path = ArchitectureGolden.arch.appending(path: name + ".gguf").path(percentEncoded: false)
    let file = try GGUFFile(path: path)
    var writer = GGUFWriter()
    for entry in file.metadata where !entry.key.hasPrefix("tokenizer.") && entry.key != key {
      writer.set(entry.key, entry.value)
    }
    for tensor in file.tensors where keeping(tensor) {
      let bytes = file.withBytes(of: tensor) { span in
        (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      }
      writer.add(tensor.name, tensor.type, tensor.dimensions, bytes: bytes)
    }
    changing(&writer)
    return try TransformerModel(file: GGUFFile(bytes: writer.bytes()))
  }

  @Test func theUnchangedCopyLoads() throws {
    let configuration = try load().configuration
    #expect(configuration.layers.count == 3)
    #expect(configuration.vocabularySize == 288)
    #expect(configuration.layers[0].headDim == 16)
  }

  @Test func anotherArchitectureIsNamedWithTheSupportedOnes() {
    #expect {
      try load(changing: { $0.set("general.architecture", .text("rwkv6")) })
    } throws: { error in
      let text = "\(error)"
      return text.contains("rwkv6") && ArchitectureGolden.families.allSatisfy(text.contains)
    }
  }

  // MARK: G31, G32

  static let ranges: [(String, UInt32)] = [
    ("llama.attention.head_count", 0), ("llama.attention.head_count", 0x7FFF_FFFF),
    ("llama.attention.head_count_kv", 0), ("llama.attention.head_count_kv", 0x7FFF_FFFF),
    ("llama.attention.head_count_kv", 3), ("llama.block_count", 0),
    ("llama.block_count", 0x7FFF_FFFF), ("llama.block_count", 513),
    ("llama.block_count", 100_000), ("llama.embedding_length", 0),
    ("llama.feed_forward_length", 0), ("llama.context_length", 0),
    ("llama.rope.dimension_count", 0), ("llama.rope.dimension_count", 5),
    ("llama.rope.dimension_count", 18), ("llama.attention.key_length", 0),
    ("llama.attention.key_length", 17),
  ]

  @Test(arguments: ranges)
  func hyperparametersOutOfRangeAreRefusedByKey(_ key: String, value: UInt32) {
    #expect {
      try load(changing: { $0.set(key, .uint32(value)) })
    } throws: { error in
      let named = key == "llama.attention.key_length" ? "key_length" : key
      return error is InferenceError && "\(error)".contains(named)
    }
  }

  @Test(arguments: ["llama.block_count", "llama.embedding_length", "llama.context_length"])
  func aMissingHyperparameterIsNamed(_ key: String) {
    #expect {
      try load(without: key)
    } throws: { "\($0)".contains(key) }
  }

  // MARK: G46

  @Test func numbersMayHaveAnyWidth() throws {
    let widths: [GGUFValue] = [
      .uint8(3), .int8(3), .uint16(3), .int16(3), .uint32(3), .int32(3), .uint64(3), .int64(3),
    ]
    for value in widths {
      let model = try load(changing: { $0.set("llama.block_count", value) })
      #expect(model.configuration.layers.count == 3)
    }
    let wide = try load(changing: { $0.set("llama.rope.freq_base", .float64(10_000)) })
    #expect(wide.configuration.ropes[0].base == 10_000)
    let arrays = try load(changing: {
      $0.set("llama.attention.head_count", .array(.int32([4, 4, 4])))
    })
    #expect(arrays.configuration.layers.map(\.heads) == [4, 4, 4])
  }

  @Test func anArrayOfTheWrongLengthIsRefused() {
    #expect(throws: InferenceError.self) {
      try load(changing: { $0.set("llama.attention.head_count", .array(.int32([4, 4]))) })
    }
  }

  // MARK: G47

  @Test(arguments: [
    "output_norm.weight", "token_embd.weight", "blk.1.attn_q.weight", "blk.2.ffn_down.weight",
    "blk.1.attn_norm.weight",
  ])
  func aMissingTensorIsNamed(_ name: String) {
    #expect(throws: InferenceError.missingTensor(name: name)) {
      try load(keeping: { $0.name != name })
    }
  }

  @Test func aTensorOfTheWrongShapeIsNamedWithBothShapes() {
    let name = "blk.1.ffn_up.weight"
    #expect(
      throws: InferenceError.tensorShape(name: name, expected: [64, 96], found: [96, 64])
    ) {
      try load(
        changing: {
          $0.add(name, .f32, [96, 64], bytes: [UInt8](repeating: 0, count: 96 * 64 * 4))
        },
        keeping: { $0.name != name })
    }
  }

  @Test func aTensorTypeWithoutKernelsIsNamed() {
    let name = "blk.1.ffn_up.weight"
    #expect(throws: InferenceError.unsupportedTensorType(name: name, type: "F64")) {
      try load(
        changing: {
          $0.add(name, .f64, [64, 96], bytes: [UInt8](repeating: 0, count: 96 * 64 * 8))
        },
        keeping: { $0.name != name })
    }
  }

  @Test func anUnknownScalingIsRefusedByName() {
    #expect {
      try load(changing: { $0.set("llama.rope.scaling.type", .text("spiral")) })
    } throws: { "\($0)".contains("spiral") }
  }

  // MARK: positions

  @Test func linearScalingDividesFrequencies() {
    var rope = RoPEConfiguration(dimensions: 4, base: 100, pairing: .halves)
    #expect(rope.frequencies(contextSize: 10) == [1, 0.1])
    rope.scaling = .linear(factor: 8)
    #expect(rope.frequencies(contextSize: 10) == [0.125, 0.0125])
  }

  @Test func yarnKeepsHighFrequenciesAndStretchesLowOnes() {
    let rope = RoPEConfiguration(
      dimensions: 128, base: 1_000_000, pairing: .halves,
      scaling: .yarn(factor: 4, originalContext: 32_768, betaFast: 32, betaSlow: 1))
    let plain = RoPEConfiguration(dimensions: 128, base: 1_000_000, pairing: .halves)
    let ratio = zip(rope.frequencies(contextSize: 1), plain.frequencies(contextSize: 1)).map(/)
    #expect(ratio.first == 1)
    #expect(abs((ratio.last ?? 0) - 0.25) < 1e-12)
    // Turns within the trained context: pair 23 more than 32, pair 40 less than 1.
    #expect(ratio[23] == 1)
    #expect(abs(ratio[40] - 0.25) < 1e-12)
    #expect(ratio[30] < 1 && ratio[30] > 0.25)
  }

  @Test func longFactorsHoldAboveTheOriginalContext() {
    var rope = RoPEConfiguration(dimensions: 4, base: 100, pairing: .halves)
    rope.factors = [1, 2]
    rope.longFactors = [4, 5]
    rope.originalContext = 4096
    #expect(rope.frequencies(contextSize: 4096) == [1, 0.05])
    #expect(rope.frequencies(contextSize: 4097) == [0.25, 0.02])
  }
}

extension ArchitectureGolden {
  /// The families that the error for an unknown one lists.
  static let families = ["llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3", "phi3"]
}
