import Foundation
import GGUF
import Inference
import Quantization
import Testing

/// Interleaved weights that are kept in a file beside the model's.
@Suite("Weights kept in a file") struct WeightCacheTests {
  private let folder: TemporaryFolder
  private let path: String

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.path("model.gguf")
    try await write(.q4_0)
  }

  private var cache: String { path + ".interleaved" }

  private func write(_ format: QuantizedFormat) async throws {
    try await Quantizer(GGUFFile(path: QuantizerTests.model), as: format)
      .write(to: path, threads: 1)
  }

  private func model(_ layout: WeightLayout) throws -> TransformerModel {
    try TransformerModel(file: GGUFFile(path: path), layout: layout, threads: 2)
  }

  private func logits(_ model: TransformerModel) throws -> [Float] {
    let pass = try ForwardPass(model, contextSize: 16, threads: 1)
    let tokens: [Int32] = [3, 141, 59, 26, 5]
    try pass.run(tokens.span, wanted: .last)
    return try pass.withLogits(row: 0) { logits in logits.indices.map { logits[$0] } }
  }

  /// A time at which nothing was written.
  private static let past = Date(timeIntervalSince1970: 1_000_000_000)

  private func makeOld(_ path: String) throws {
    try FileManager.default.setAttributes([.modificationDate: Self.past], ofItemAtPath: path)
  }

  private func isOld(_ path: String) throws -> Bool {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return attributes[.modificationDate] as? Date == Self.past
  }

  private func expectCached(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let cached = try model(.cached)
    #expect(cached.layout == .cached && cached.cacheProblem == nil, sourceLocation: sourceLocation)
    #expect(
      try logits(cached) == logits(model(.interleaved)), sourceLocation: sourceLocation)
  }

  @Test("They are written once") func once() throws {
    try expectCached()
    try makeOld(cache)
    try expectCached()
    #expect(try isOld(cache))
    let bytes = try Data(contentsOf: URL(filePath: cache))
    let file = try GGUFFile(path: path)
    #expect(bytes.count >= TransformerModel.interleavedByteCount(of: file))
  }

  @Test("Another state of the model has them written anew") func anew() async throws {
    try expectCached()
    try makeOld(cache)
    try makeOld(path)
    try expectCached()
    #expect(try !isOld(cache))
    try FileManager.default.removeItem(atPath: path)
    try await write(.q5_1)
    try expectCached()
  }

  @Test("A damaged file is written anew", arguments: [0, 1, 40, 70_000])
  func damaged(_ count: Int) throws {
    try expectCached()
    let whole = try Data(contentsOf: URL(filePath: cache))
    try whole.prefix(count).write(to: URL(filePath: cache))
    try expectCached()
    var changed = whole
    changed[count % 100] ^= 1
    try changed.write(to: URL(filePath: cache))
    try expectCached()
    #expect(try Data(contentsOf: URL(filePath: cache)) == whole)
  }

  @Test("Weights that are not the model's are written anew") func otherWeights() throws {
    try expectCached()
    let whole = try Data(contentsOf: URL(filePath: cache))
    // The first 64 KB are the text.
    let half = (whole.count - 65_536) / 2
    for damaged in [65_536..<whole.count, 65_536 + half..<whole.count, 65_536..<65_536 + half] {
      var changed = whole
      changed.replaceSubrange(damaged, with: Data(count: damaged.count))
      try changed.write(to: URL(filePath: cache))
      try expectCached()
      #expect(try Data(contentsOf: URL(filePath: cache)) == whole)
    }
  }

  @Test("A model of the same size and time is another one") func sameTime() throws {
    try makeOld(path)
    try expectCached()
    var bytes = try Data(contentsOf: URL(filePath: path))
    // A weight near the end, which few samples would show.
    bytes[bytes.count - 100] ^= 0x55
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: bytes)
    try file.close()
    try makeOld(path)
    try expectCached()
  }

  @Test("Where no file can be written, weights are copied") func unwritable() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: cache, withIntermediateDirectories: true)
    let copied = try model(.cached)
    #expect(copied.layout == .interleaved)
    guard case .cannotWrite(let place, _)? = copied.cacheProblem else {
      Issue.record("\(String(describing: copied.cacheProblem))")
      return
    }
    #expect(place == cache)
    #expect(try logits(copied) == logits(model(.interleaved)))
    #expect(!files.fileExists(atPath: cache + ".partial"))

    let bytes = try Data(contentsOf: URL(filePath: path))
    let unnamed = try TransformerModel(file: GGUFFile(bytes: Array(bytes)), layout: .cached)
    #expect(unnamed.layout == .interleaved && unnamed.cacheProblem != nil)
    #expect(try logits(unnamed) == logits(copied))
  }

  @Test("Several loads at once do not disturb each other") func atOnce() async throws {
    let expected = try logits(model(.interleaved))
    try await withThrowingTaskGroup(of: [Float].self) { group in
      for _ in 0..<4 { group.addTask { try logits(model(.cached)) } }
      for try await found in group { #expect(found == expected) }
    }
    try expectCached()
  }
}
