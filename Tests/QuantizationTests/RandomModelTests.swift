import Foundation
import GGUF
import Inference
import Quantization
import Testing
import Tokenization

@Suite("Random models") struct RandomModelTests {
  static let shape = ModelShape(
    layers: 2, embedding: 64, heads: 4, keyValueHeads: 2, feedForward: 96, vocabulary: 512)

  @Test("The same seed gives the same file, another seed another") func seeds() async throws {
    let folder = try TemporaryFolder()
    var files: [Data] = []
    for (name, seed, threads) in [("a", 7, 1), ("b", 7, 3), ("c", 8, 1)] as [(String, UInt64, Int)]
    {
      let path = folder.path(name)
      try await RandomModel(Self.shape, as: .q4_0, seed: seed).write(to: path, threads: threads)
      files.append(try Data(contentsOf: URL(filePath: path)))
    }
    #expect(files[0] == files[1])
    #expect(files[0] != files[2])
    #expect(files[0].count == files[2].count)
  }

  @Test("Weights have mean 0 and the deviation that keeps sizes; norms are ones")
  func distribution() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("model.gguf")
    try await RandomModel(Self.shape, as: .f32).write(to: path, threads: 2)
    let file = try GGUFFile(path: path)
    let tensor = try #require(file.tensor(named: "token_embd.weight"))
    let values = file.withBytes(of: tensor) { bytes in
      (0..<512 * 64).map {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * $0, as: Float.self)
      }
    }
    let mean = values.reduce(0, +) / Float(values.count)
    let squares = values.reduce(Float(0)) { $0 + $1 * $1 }
    let deviation = (squares / Float(values.count)).squareRoot()
    // Of 32,768 values: four standard errors of the mean, and of the deviation.
    let expected: Float = 0.125
    #expect(abs(mean) < expected * 4 / 181)
    #expect(abs(deviation - expected) < expected * 4 / 256)
    let norm = try #require(file.tensor(named: "blk.1.ffn_norm.weight"))
    #expect(norm.type == .f32 && norm.dimensions == [64])
    #expect(file.tensors.count == 21)
  }

  @Test("The engine runs it", arguments: [QuantizedFormat.q4_0, .q4_k_m, .q8_0, .f16])
  func runs(format: QuantizedFormat) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("model.gguf")
    try await RandomModel(Self.shape, as: format).write(to: path, threads: 2)
    let file = try GGUFFile(path: path)
    let model = try TransformerModel(file: file, layout: .interleaved, threads: 2)
    #expect(model.configuration.vocabularySize == 512)
    #expect(try Tokenizer(file: file).vocabulary.count == 512)
  }

  @Test(
    "Sizes that do not belong together are refused",
    arguments: [
      ("heads", \ModelShape.heads, 3), ("kv-heads", \.keyValueHeads, 3), ("layers", \.layers, 0),
      ("vocabulary", \.vocabulary, 1), ("embedding", \.embedding, .max), ("ffn", \.feedForward, -1),
    ] as [(String, any WritableKeyPath<ModelShape, Int> & Sendable, Int)])
  func impossible(name: String, size: any WritableKeyPath<ModelShape, Int> & Sendable, value: Int) {
    var shape = Self.shape
    shape[keyPath: size] = value
    #expect(throws: QuantizationError.self, "\(name)") { try RandomModel(shape, as: .q4_0) }
  }
}
