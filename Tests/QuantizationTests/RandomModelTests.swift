import Foundation
import GGUF
import Inference
import Quantization
import Testing
import Tokenization

@Suite struct RandomModelTests {
  private let folder: Folder
  private static let small = ModelShape(
    layers: 2, embedding: 64, heads: 4, keyValueHeads: 2, feedForward: 96, vocabulary: 700)

  init() throws { folder = try Folder() }

  private func make(
    _ shape: ModelShape = small, _ format: QuantizedFormat = .q8_0, seed: UInt64 = 1,
    threads: Int = 2, name: String = "m.gguf"
  ) async throws -> GGUFFile {
    try await RandomModel(shape, as: format, seed: seed)
      .write(to: folder.path(name), replacing: true, threads: threads)
    return try GGUFFile(path: folder.path(name))
  }

  @Test(arguments: QuantizedFormat.allCases)
  func aModelOfEveryFormatRuns(format: QuantizedFormat) async throws {
    let file = try await make(format)
    let pass = try ForwardPass(
      TransformerModel(file: file), contextSize: 32, threads: 1, precision: .quantized)
    try pass.run(([1, 2, 3] as [Int32]).span, wanted: .last)
    try pass.checkLogits()
    let logits = pass.logits.row(0)
    #expect(logits.count == 700)
    // Neither all the same nor out of all proportion.
    let size = (logits.reduce(0) { $0 + $1 * $1 } / 700).squareRoot()
    #expect((0.5...2).contains(size))
  }

  private func make(_ format: QuantizedFormat) async throws -> GGUFFile {
    try await make(Self.small, format)
  }

  @Test func theShapeIsTheOneAskedFor() async throws {
    let file = try await make()
    #expect(try TransformerModel(file: file).configuration.layers.count == 2)
    #expect(file.tensor(named: "token_embd.weight")?.dimensions == [64, 700])
    #expect(file.tensor(named: "output.weight")?.dimensions == [64, 700])
    #expect(file.tensor(named: "blk.1.attn_k.weight")?.dimensions == [64, 32])
    #expect(file.tensor(named: "blk.1.ffn_down.weight")?.dimensions == [96, 64])
    var tied = Self.small
    tied.isTied = true
    #expect(try await make(tied).tensor(named: "output.weight") == nil)
  }

  @Test(arguments: [258, 259, 700, 5000])
  func everyTextBecomesTokensAndBack(vocabulary: Int) async throws {
    var shape = Self.small
    shape.vocabulary = vocabulary
    let tokenizer = try Tokenizer(file: await make(shape))
    #expect(tokenizer.warnings.isEmpty)
    for text in ["Hello, world! 123", " the  sea\n\tis wide", "naïve 🦙 日本語", "\u{0}\u{7F}", ""] {
      let ids = tokenizer.encode(text)
      #expect(ids.allSatisfy { (0..<vocabulary).contains(Int($0)) })
      #expect(tokenizer.decode(ids) == Array(text.utf8))
    }
  }

  @Test func lettersAreJoinedToLongerPieces() async throws {
    var shape = Self.small
    shape.vocabulary = 5000
    let tokenizer = try Tokenizer(file: await make(shape))
    // 5,000 tokens hold all pairs of letters and more.
    #expect(tokenizer.encode("abcd efgh").count <= 5)
  }

  @Test func theSeedAloneDecides() async throws {
    _ = try await make(threads: 1, name: "a")
    _ = try await make(threads: 3, name: "b")
    _ = try await make(seed: 2, name: "c")
    #expect(try folder.bytes("a") == folder.bytes("b"))
    #expect(try folder.bytes("a") != folder.bytes("c"))
  }

  @Test func tensorsDifferFromOneAnother() async throws {
    let file = try await make()
    #expect(try file.bytes("blk.0.attn_q.weight") != file.bytes("blk.1.attn_q.weight"))
    #expect(try file.bytes("blk.0.ffn_up.weight") != file.bytes("blk.0.ffn_gate.weight"))
  }

  /// More values than are made at once: F32 and the file made from it in two steps agree.
  @Test func largeTensorsAreMadeInPieces() async throws {
    let shape = ModelShape(
      layers: 1, embedding: 512, heads: 8, keyValueHeads: 8, feedForward: 2304, vocabulary: 2100)
    let plain = try await make(shape, .f32, name: "32")
    _ = try await make(shape, .q8_0, name: "8")
    #expect(try #require(plain.tensor(named: "output.weight")).elementCount > 1 << 20)
    try await Quantizer(plain, as: .q8_0).write(to: folder.path("again"), threads: 2)
    #expect(try folder.bytes("again") == folder.bytes("8"))
  }

  @Test func sizesOfNamedShapesAreThoseOfRealModels() {
    let small = ModelShape(
      layers: 22, embedding: 2048, heads: 32, keyValueHeads: 4, feedForward: 5632,
      vocabulary: 32_000)
    var large = ModelShape(
      layers: 28, embedding: 3072, heads: 24, keyValueHeads: 8, feedForward: 8192,
      vocabulary: 128_256)
    large.isTied = true
    large.ropeBase = 500_000
    #expect(ModelShape.named.map(\.name) == ["1.1b", "3b"])
    #expect(ModelShape.named.map(\.shape) == [small, large])
  }

  @Test func aShapeThatNoModelHasIsRefused() {
    let changes: [(WritableKeyPath<ModelShape, Int>, Int)] = [
      (\.layers, 0), (\.layers, 100_000), (\.embedding, -64), (\.embedding, 66), (\.heads, 0),
      (\.heads, 3), (\.keyValueHeads, 3), (\.keyValueHeads, 8), (\.feedForward, 0),
      (\.feedForward, .max), (\.vocabulary, 257), (\.vocabulary, .max), (\.context, 0),
    ]
    for (size, value) in changes {
      var shape = Self.small
      shape[keyPath: size] = value
      do throws(QuantizationError) {
        _ = try RandomModel(shape, as: .q4_0)
        Issue.record("\(size) \(value)")
      } catch {
        guard case .invalidShape = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }

  @Test func aModelThatTheDiskCannotHoldIsRefusedAtOnce() async throws {
    let shape = ModelShape(
      layers: 512, embedding: 1 << 20, heads: 8, keyValueHeads: 8, feedForward: 1 << 22,
      vocabulary: 300)
    do {
      _ = try await make(shape)
      Issue.record("there is room for petabytes")
    } catch QuantizationError.file(.diskFull) {}
    #expect(folder.files.isEmpty)
  }
}
