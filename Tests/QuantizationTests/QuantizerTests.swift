import CKernels
import Foundation
import GGUF
import Quantization
import TestSupport
import Testing

@Suite("Quantizer") struct QuantizerTests {
  /// A model with float32 weights; rows have 64 and 96 values.
  static let model = TestData.fixtures.appending(path: "arch/llama.gguf")
    .path(percentEncoded: false)

  /// What each format means for a matrix of the layers, and for the one that makes the logits: blocks of
  /// 256 do not divide rows of 64, and then the next larger type with blocks of 32 stands in.
  static let types: [(QuantizedFormat, layer: TensorType, output: TensorType)] = [
    (.f32, .f32, .f32), (.f16, .f16, .f16), (.bf16, .bf16, .bf16),
    (.q4_0, .q4_0, .q8_0), (.q4_1, .q4_1, .q8_0), (.q5_0, .q5_0, .q8_0), (.q5_1, .q5_1, .q8_0),
    (.q8_0, .q8_0, .q8_0), (.q4_k, .q5_0, .q8_0), (.q4_k_m, .q5_0, .q8_0), (.q5_k, .q5_1, .q8_0),
    (.q6_k, .q8_0, .q8_0),
  ]

  @Test("Types are the usual ones, and values are near", arguments: types)
  func roundTrip(format: QuantizedFormat, layer: TensorType, output: TensorType) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf")
    let input = try GGUFFile(path: Self.model)
    try await Quantizer(input, as: format).write(to: path, threads: 2)
    let result = try GGUFFile(path: path)

    #expect(result.tensor(named: "blk.1.attn_q.weight")?.type == layer)
    #expect(result.tensor(named: "output.weight")?.type == output)
    #expect(result.tensors.map(\.name) == input.tensors.map(\.name))
    #expect(result.tensors.map(\.dimensions) == input.tensors.map(\.dimensions))
    for tensor in input.tensors {
      let there = try #require(result.tensor(named: tensor.name))
      let before = try values(of: tensor, in: input)
      let after = try values(of: there, in: result)
      if tensor.dimensions.count == 1 {
        #expect(there.type == .f32)
        #expect(before == after)
      } else {
        let near = isNear(before, after, of: there.type)
        #expect(near, "\(tensor.name) \(there.type)")
      }
    }
  }

  @Test("Metadata stays, but for the type") func metadata() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf")
    let input = try GGUFFile(path: Self.model)
    try await Quantizer(input, as: .q5_1).write(to: path, threads: 1)
    let result = try GGUFFile(path: path)
    #expect(try result.metadata.integer("general.file_type") == 9)
    for entry in input.metadata where entry.key != "general.file_type" {
      #expect(result.metadata[entry.key] == entry.value, "\(entry.key)")
    }
  }

  @Test("The bytes do not depend on the number of threads") func threads() async throws {
    let folder = try TemporaryFolder()
    var files: [Data] = []
    for threads in [1, 2, 5] {
      let path = folder.path("\(threads).gguf")
      try await Quantizer(GGUFFile(path: Self.model), as: .q4_0).write(to: path, threads: threads)
      files.append(try Data(contentsOf: URL(filePath: path)))
    }
    #expect(files[0] == files[1])
    #expect(files[0] == files[2])
  }

  @Test("Pure has one type for every matrix") func pure() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf")
    try await Quantizer(GGUFFile(path: Self.model), as: .q4_1, pure: true)
      .write(to: path, threads: 1)
    let matrices = try GGUFFile(path: path).tensors.filter { $0.dimensions.count > 1 }
    #expect(!matrices.isEmpty)
    #expect(matrices.allSatisfy { $0.type == .q4_1 })
  }

  @Test("What exists is replaced only on request, the input never") func places() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf"), copy = folder.path("in.gguf")
    try Data("mine".utf8).write(to: URL(filePath: path))
    try FileManager.default.copyItem(atPath: Self.model, toPath: copy)
    let quantizer = Quantizer(try GGUFFile(path: copy), as: .q8_0)
    await #expect(throws: QuantizationError.exists(path: path)) {
      try await quantizer.write(to: path, threads: 1)
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    await #expect(throws: QuantizationError.sameFile(path: copy)) {
      try await quantizer.write(to: copy, replacing: true, threads: 1)
    }
    let link = folder.path("link.gguf")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: copy)
    await #expect(throws: QuantizationError.sameFile(path: link)) {
      try await quantizer.write(to: link, replacing: true, threads: 1)
    }
    try await quantizer.write(to: path, replacing: true, threads: 1)
    #expect(try GGUFFile(path: path).tensors.count == 30)
  }

  @Test("A value that no type can hold is an error with its place") func unusable() async throws {
    let folder = try TemporaryFolder()
    let source = folder.path("in.gguf"), path = folder.path("out.gguf")
    var values = [Float](repeating: 1, count: 96)
    values[64 + 7] = .nan
    var writer = GGUFWriter(architecture: "llama")
    writer.declare("blk.0.attn_q.weight", .f32, [32, 3])
    var stream = try GGUFStream(path: source, writer)
    try stream.append(unsafe values.span.bytes)
    try stream.finish()
    let error = await #expect(throws: QuantizationError.self) {
      try await Quantizer(GGUFFile(path: source), as: .q4_0).write(to: path, threads: 1)
    }
    guard case .unusableValue(let tensor, let row, let column, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(tensor == "blk.0.attn_q.weight")
    #expect((row, column) == (2, 7))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A cancelled task leaves nothing behind") func cancellation() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf")
    let quantizer = Quantizer(try GGUFFile(path: Self.model), as: .q4_0)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await quantizer.write(to: path, threads: 1)
    }
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == [])
  }

  @Test("Of two writers of one file the second is refused, and the file is the first one's")
  func twoWriters() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf")
    var writer = GGUFWriter(architecture: "llama")
    writer.declare("blk.0.attn_q.weight", .f32, [32, 1])
    let values = [Float](repeating: 1, count: 32)
    do {
      var first = try GGUFStream(path: path, writer)
      #expect(throws: GGUFError.self) { _ = try GGUFStream(path: path, writer) }
      await #expect(throws: (any Error).self) {
        try await Quantizer(GGUFFile(path: Self.model), as: .q4_0).write(to: path, threads: 1)
      }
      try first.append(unsafe values.span.bytes)
      try first.finish()
    }
    #expect(try GGUFFile(path: path).tensors.map(\.name) == ["blk.0.attn_q.weight"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["out.gguf"])
  }

  @Test("What a killed writer has left is overwritten") func leftOver() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf")
    let partial = path + ".partial"
    try Data(repeating: 7, count: 1 << 20).write(to: URL(filePath: partial))
    try FileManager.default.setAttributes([.posixPermissions: 0o200], ofItemAtPath: partial)
    try await Quantizer(GGUFFile(path: Self.model), as: .q8_0).write(to: path, threads: 1)
    let whole = folder.path("whole.gguf")
    try await Quantizer(GGUFFile(path: Self.model), as: .q8_0).write(to: whole, threads: 1)
    let files = try [path, whole].map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(files[0] == files[1])
  }

  @Test("What is no incomplete file is left alone", arguments: ["file", "link", "pipe", "folder"])
  func inTheWay(_ kind: String) async throws {
    let folder = try TemporaryFolder()
    let (path, other) = (folder.path("out.gguf"), folder.path("other"))
    let partial = path + ".partial"
    let files = FileManager.default
    let content = Data("somebody's".utf8)
    try content.write(to: URL(filePath: other))
    switch kind {
    case "file": try files.copyItem(atPath: other, toPath: partial)
    case "link": try files.createSymbolicLink(atPath: partial, withDestinationPath: other)
    case "pipe": #expect(unsafe mkfifo(partial, 0o600) == 0)
    default: try files.createDirectory(atPath: partial, withIntermediateDirectories: false)
    }
    let error = await #expect(throws: QuantizationError.self) {
      try await Quantizer(GGUFFile(path: Self.model), as: .q8_0).write(to: path, threads: 1)
    }
    #expect("\(try #require(error))".contains(partial))
    #expect(try Data(contentsOf: URL(filePath: other)) == content)
    if kind == "file" { #expect(try Data(contentsOf: URL(filePath: partial)) == content) }
    #expect(
      try Set(files.contentsOfDirectory(atPath: folder.path("")))
        == ["other", "out.gguf.partial"])
  }

  @Test("The input is never written to") func inputInTheWay() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.gguf"), input = path + ".partial"
    try FileManager.default.copyItem(atPath: Self.model, toPath: input)
    await #expect(throws: QuantizationError.self) {
      try await Quantizer(GGUFFile(path: input), as: .q8_0).write(to: path, threads: 1)
    }
    let files = try [Self.model, input].map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(files[0] == files[1])
  }

  @Test("A new file has the permissions of other new files") func permissions() async throws {
    let folder = try TemporaryFolder()
    let (path, other) = (folder.path("out.gguf"), folder.path("other"))
    try await Quantizer(GGUFFile(path: Self.model), as: .q8_0).write(to: path, threads: 1)
    #expect(FileManager.default.createFile(atPath: other, contents: nil))
    let both = try [path, other].map {
      try FileManager.default.attributesOfItem(atPath: $0)[.posixPermissions] as? Int
    }
    #expect(both[0] == both[1])
  }

  @Test("A folder is no place for a file, with leave to replace or without") func folder()
    async throws
  {
    let folder = try TemporaryFolder()
    for (path, replacing) in [(folder.path(""), true), (folder.path(""), false), ("", true)] {
      let error = await #expect(throws: QuantizationError.self) {
        try await Quantizer(GGUFFile(path: Self.model), as: .q8_0)
          .write(to: path, replacing: replacing, threads: 1)
      }
      guard case .file = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  // MARK: Values

  private func values(of tensor: TensorInfo, in file: GGUFFile) throws -> [Float] {
    let table = try unsafe #require(ck_matmul_table_for(CK_ISA_SCALAR))
    let count = tensor.dimensions.reduce(1, *)
    var values = [Float](repeating: .nan, count: count)
    file.withBytes(of: tensor) { bytes in
      unsafe bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        unsafe ck_dequantize(table, ck_type(UInt32(tensor.type.rawValue)), start, count, &values)
      }
    }
    return values
  }

  /// Whether values are as near as their type can do.
  ///
  /// Floats must be the nearest ones. Blocks may lose what rounding to the plainest steps does: a
  /// twelfth of the step, squared, for each value. The step is the largest magnitude over the number
  /// of codes of its sign, or the range over all steps.
  private func isNear(_ before: [Float], _ after: [Float], of type: TensorType) -> Bool {
    guard before.count == after.count else { return false }
    var lost: Float = 0
    var allowed: Float = 0
    for start in stride(from: 0, to: before.count, by: 32) {
      let block = before[start..<start + 32]
      let largest = block.map(abs).max() ?? 0
      let range = max((block.max() ?? 0) - (block.min() ?? 0), largest)
      let step: Float =
        switch type {
        case .f32: 0
        case .f16: largest * 0x1p-11
        case .bf16: largest * 0x1p-8
        case .q4_0: largest / 8
        case .q5_0: largest / 16
        case .q8_0: largest / 127
        case .q4_1: range / 15
        case .q5_1: range / 31
        default: .nan
        }
      allowed += 32 * step * step / 12
      for index in block.indices {
        let difference = before[index] - after[index]
        lost += difference * difference
        if type.blockValues == 1, !(abs(difference) <= step) { return false }
      }
    }
    return lost <= allowed
  }
}
