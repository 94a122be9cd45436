import Foundation
import GGUF
import Inference
import Quantization
import Synchronization
import TestSupport
import Testing

/// A folder of its own for one test, removed with the value.
final class Folder: Sendable {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "hearth-tests-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }

  var files: [String] {
    let path = url.path(percentEncoded: false)
    return (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
  }
}

extension GGUFFile {
  /// The bytes of a tensor.
  func bytes(_ name: String) throws -> [UInt8] {
    let info = try #require(tensor(named: name))
    return withBytes(of: info) { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
  }

  /// A tiny model with random weights in F32.
  static func tiny(_ name: String) throws -> GGUFFile {
    try GGUFFile(
      path: TestData.fixtures.appending(path: "arch/\(name).gguf").path(percentEncoded: false))
  }

  /// A writer with the metadata of this file.
  var header: GGUFWriter {
    var writer = GGUFWriter()
    for entry in metadata { writer.set(entry.key, entry.value) }
    return writer
  }
}

@Suite struct QuantizerTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Logits of the last of some tokens.
  private func logits(_ file: GGUFFile) throws -> [Float] {
    let pass = try ForwardPass(
      TransformerModel(file: file), contextSize: 64, threads: 1, precision: .float)
    try pass.run(([72, 101, 108, 108, 111, 44, 32, 119] as [Int32]).span, wanted: .last)
    return pass.logits.row(0)
  }

  private func distance(_ a: [Float], _ b: [Float]) -> Double {
    let squares = zip(a, b).reduce(0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
    return (squares / b.reduce(0) { $0 + Double($1 * $1) }).squareRoot()
  }

  /// The largest allowed error of the logits, relative: a few times what one weight loses.
  private static let limits: [(QuantizedFormat, Double)] = [
    (.f32, 0), (.f16, 0.003), (.bf16, 0.02), (.q8_0, 0.03), (.q6_k, 0.03), (.q5_k, 0.15),
    (.q5_1, 0.15), (.q5_0, 0.2), (.q4_k, 0.2), (.q4_k_m, 0.2), (.q4_1, 0.3), (.q4_0, 0.4),
  ]

  @Test(arguments: limits)
  func aTinyModelRunsInEveryFormat(format: QuantizedFormat, limit: Double) async throws {
    for name in ["llama", "llama-tied", "gemma3", "phi3", "qwen3"] {
      let input = try GGUFFile.tiny(name)
      let path = folder.path("\(name).gguf")
      try await Quantizer(input, as: format).write(to: path, threads: 2)
      let output = try GGUFFile(path: path)
      #expect(output.tensors.map(\.name) == input.tensors.map(\.name))
      #expect(output.tensors.map(\.dimensions) == input.tensors.map(\.dimensions))
      let error = try distance(logits(output), logits(input))
      #expect(error <= limit, "\(name)")
    }
  }

  @Test func metadataIsKeptAndTheFormatSaid() async throws {
    let input = try GGUFFile.tiny("llama")
    try await Quantizer(input, as: .q4_k_m).write(to: folder.path("m.gguf"), threads: 1)
    let output = try GGUFFile(path: folder.path("m.gguf"))
    for entry in input.metadata where entry.key != "general.file_type" {
      #expect(output.metadata[entry.key] == entry.value)
    }
    // The numbers of the GGUF specification.
    #expect(output.metadata["general.file_type"] == .uint32(15))
    #expect(output.metadata["general.quantization_version"] == .uint32(2))
  }

  @Test func normsAndWeightsOfTheTypeAreCopied() async throws {
    let input = try GGUFFile.tiny("llama")
    try await Quantizer(input, as: .q8_0).write(to: folder.path("a.gguf"), threads: 1)
    let first = try GGUFFile(path: folder.path("a.gguf"))
    #expect(try first.bytes("blk.0.attn_norm.weight") == input.bytes("blk.0.attn_norm.weight"))
    try await Quantizer(first, as: .q8_0).write(to: folder.path("b.gguf"), threads: 1)
    #expect(try folder.bytes("a.gguf") == folder.bytes("b.gguf"))
  }

  @Test func quantisedWeightsAreQuantisedAgain() async throws {
    let input = try GGUFFile.tiny("llama")
    try await Quantizer(input, as: .q8_0).write(to: folder.path("8.gguf"), threads: 1)
    let eight = try GGUFFile(path: folder.path("8.gguf"))
    try await Quantizer(eight, as: .q4_0, pure: true).write(to: folder.path("4.gguf"), threads: 1)
    let four = try GGUFFile(path: folder.path("4.gguf"))
    #expect(four.tensor(named: "output.weight")?.type == .q4_0)
    #expect(try distance(logits(four), logits(input)) < 0.4)
  }

  @Test func bytesDependNeitherOnThreadsNorOnTheRun() async throws {
    let input = try GGUFFile.tiny("gemma3")
    for (name, threads) in [("1", 1), ("2", 2), ("2again", 2), ("5", 5)] {
      try await Quantizer(input, as: .q5_1).write(to: folder.path(name), threads: threads)
    }
    for name in ["2", "2again", "5"] { #expect(try folder.bytes(name) == folder.bytes("1")) }
  }

  @Test func aSplitSetGivesTheBytesOfOneFile() async throws {
    let input = try GGUFFile.tiny("llama")
    var writer = input.header
    for tensor in input.tensors {
      writer.add(
        tensor.name, tensor.type, tensor.dimensions, bytes: try input.bytes(tensor.name))
    }
    let count = input.tensors.count
    let paths = try writer.writeSplit(
      prefix: folder.path("split"), tensorCounts: [5, 0, count - 5])
    try await Quantizer(input, as: .q4_0).write(to: folder.path("one"), threads: 1)
    let set = try GGUFFile(path: paths[0])
    try await Quantizer(set, as: .q4_0).write(to: folder.path("all"), threads: 1)
    #expect(try folder.bytes("one") == folder.bytes("all"))
    await #expect(throws: QuantizationError.sameFile(path: paths[2])) {
      try await Quantizer(set, as: .q4_0).write(to: paths[2], replacing: true, threads: 1)
    }
  }

  @Test func theInputIsNeverReplaced() async throws {
    let source = TestData.fixtures.appending(path: "arch/llama.gguf")
    let path = folder.path("m.gguf")
    try FileManager.default.copyItem(at: source, to: URL(filePath: path))
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("hard"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"), withDestinationPath: path)
    let before = try folder.bytes("m.gguf")
    for name in ["m.gguf", "hard", "soft"] {
      let output = folder.path(name)
      await #expect(throws: QuantizationError.sameFile(path: output)) {
        try await Quantizer(GGUFFile(path: path), as: .q4_0)
          .write(to: output, replacing: true, threads: 1)
      }
    }
    #expect(try folder.bytes("m.gguf") == before)
    #expect(folder.files == ["hard", "m.gguf", "soft"])
  }

  @Test func anotherFileIsReplacedOnlyWhereThatIsAllowed() async throws {
    let quantizer = Quantizer(try GGUFFile.tiny("llama"), as: .q4_0)
    let path = folder.path("m.gguf")
    try Data("precious".utf8).write(to: URL(filePath: path))
    await #expect(throws: QuantizationError.exists(path: path)) {
      try await quantizer.write(to: path, threads: 1)
    }
    #expect(try folder.bytes("m.gguf") == Data("precious".utf8))
    try await quantizer.write(to: path, replacing: true, threads: 1)
    #expect(try GGUFFile(path: path).tensors.count > 0)
    let nested = folder.path("folder")
    try FileManager.default.createDirectory(
      atPath: nested, withIntermediateDirectories: false)
    await #expect(throws: QuantizationError.exists(path: nested)) {
      try await quantizer.write(to: nested, replacing: true, threads: 1)
    }
  }

  @Test func aPlaceThatCannotBeWrittenIsSaid() async throws {
    let quantizer = Quantizer(try GGUFFile.tiny("llama"), as: .q4_0)
    let path = folder.path("no/such/folder/m.gguf")
    await #expect(
      throws: QuantizationError.file(
        .cannotWrite(path: path, reason: "No such file or directory"))
    ) { try await quantizer.write(to: path, threads: 1) }
    await #expect(throws: QuantizationError.threads(requested: 0, limit: 256)) {
      try await quantizer.write(to: folder.path("m"), threads: 0)
    }
    #expect(folder.files.isEmpty)
  }

  /// A model of one matrix [64, 8] with one value changed.
  private func model(_ value: Float, row: Int, column: Int) throws -> GGUFFile {
    var values = [Float](repeating: 0.5, count: 512)
    values[row * 64 + column] = value
    var writer = GGUFWriter(architecture: "llama")
    writer.add("blk.0.attn_q.weight", [64, 8], floats: values)
    return try GGUFFile(bytes: writer.bytes())
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 1e30])
  func aValueThatCannotBeStoredIsNamed(value: Float) async throws {
    let input = try model(value, row: 3, column: 17)
    let expected = QuantizationError.unusableValue(
      tensor: "blk.0.attn_q.weight", row: 3, column: 17, value: "\(value)", type: .q4_0)
    await #expect(throws: expected) {
      try await Quantizer(input, as: .q4_0).write(to: folder.path("m"), threads: 2)
    }
    #expect(folder.files.isEmpty)
  }

  @Test func aTypeThatCannotBeReadIsNamed() async throws {
    var writer = GGUFWriter(architecture: "llama")
    writer.add("kept", .iq2_xs, [256], bytes: [UInt8](repeating: 0, count: 74))
    writer.add("output.weight", .iq2_xs, [256, 1], bytes: [UInt8](repeating: 0, count: 74))
    let input = try GGUFFile(bytes: writer.bytes())
    await #expect(
      throws: QuantizationError.unreadableType(tensor: "output.weight", type: .iq2_xs)
    ) { try await Quantizer(input, as: .q4_0).write(to: folder.path("m"), threads: 1) }
    #expect(folder.files.isEmpty)
  }

  @Test func aFileWithoutTensorsIsCopied() async throws {
    let input = try GGUFFile(bytes: GGUFWriter(architecture: "llama").bytes())
    try await Quantizer(input, as: .q4_0).write(to: folder.path("m"), threads: 1)
    #expect(try GGUFFile(path: folder.path("m")).tensors.isEmpty)
  }

  @Test func emptyTensorsAndOddRowsAreNoObstacle() async throws {
    var writer = GGUFWriter(architecture: "llama")
    writer.add("empty.weight", .f32, [0, 4], bytes: [])
    writer.add("odd.weight", [7, 3], floats: (0..<21).map { Float($0) })
    writer.add("scalar", .f32, [], bytes: [0, 0, 0x80, 0x3F])
    let input = try GGUFFile(bytes: writer.bytes())
    try await Quantizer(input, as: .q4_k).write(to: folder.path("m"), threads: 2)
    let output = try GGUFFile(path: folder.path("m"))
    #expect(output.tensors.map(\.type) == [.q4_k, .f16, .f32])
    let halves = (0..<21).flatMap { value in
      let bits = Float16(value).bitPattern
      return [UInt8(truncatingIfNeeded: bits), UInt8(bits >> 8)]
    }
    #expect(try output.bytes("odd.weight") == halves)
  }

  @Test func cancellingLeavesNothing() async throws {
    let quantizer = Quantizer(try GGUFFile.tiny("llama"), as: .q4_0)
    let path = folder.path("m.gguf")
    // In the middle: from the report of the third tensor.
    let work = Mutex<Task<Void, any Error>?>(nil)
    let task = Task {
      try await quantizer.write(to: path, threads: 1) { progress in
        if progress.number == 3 { work.withLock { $0?.cancel() } }
        // The first report waits until the task is known.
        while work.withLock({ $0 == nil }) { usleep(100) }
      }
    }
    work.withLock { $0 = task }
    await #expect(throws: CancellationError.self) { try await task.value }
    // Before it begins.
    let early = Task {
      try? await Task.sleep(for: .seconds(60))
      try await quantizer.write(to: path, threads: 1)
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(folder.files.isEmpty)
  }

  @Test func progressRisesToTheEnd() async throws {
    let input = try GGUFFile.tiny("llama")
    let reports = Mutex<[QuantizationProgress]>([])
    try await Quantizer(input, as: .q4_0).write(to: folder.path("m"), threads: 2) { progress in
      reports.withLock { $0.append(progress) }
    }
    let all = reports.withLock { $0 }
    let values = input.tensors.reduce(0) { $0 + $1.elementCount }
    #expect(all.filter(\.isBeginning).map(\.tensor) == input.tensors.map(\.name))
    #expect(all.map(\.completedValues) == all.map(\.completedValues).sorted())
    #expect(all.last?.completedValues == values && all.last?.totalValues == values)
    #expect(all.last?.number == input.tensors.count && all.last?.count == input.tensors.count)
  }
}
