import Foundation
import GGUF
import Testing

/// Rows G40 and G41 of the list of inputs that broke engines: models in several files.
@Suite struct SplitSetTests {
  let folder: TemporaryFolder
  /// The two files of a valid set of three tensors, made anew for each test.
  let paths: [String]

  init() throws {
    folder = try TemporaryFolder()
    var writer = GGUFWriter(architecture: "llama")
    writer.set("llama.block_count", .uint32(1))
    writer.add("a", [8], floats: [1, 2, 3, 4, 5, 6, 7, 8])
    writer.add("b", [1], floats: [9])
    writer.add("c", [2, 2], floats: [10, 11, 12, 13])
    paths = try writer.writeSplit(prefix: folder.path("model"), tensorCounts: [2, 1])
  }

  @Test("The first file opens all", arguments: [GGUFFile.Access.mapped, .copied])
  func opensAll(access: GGUFFile.Access) throws {
    #expect(
      paths == [
        folder.path("model-00001-of-00002.gguf"), folder.path("model-00002-of-00002.gguf"),
      ])
    let file = try GGUFFile(path: paths[0], access: access)
    #expect(file.paths == paths)
    #expect(file.tensors.map(\.name) == ["a", "b", "c"])
    #expect(file.tensors.map(\.shard) == [0, 0, 1])
    let c = try #require(file.tensor(named: "c"))
    // 10, 11, 12, 13 as 32-bit floats, lowest byte first.
    #expect(
      file.copy(c) == [0, 0, 0x20, 0x41, 0, 0, 0x30, 0x41, 0, 0, 0x40, 0x41, 0, 0, 0x50, 0x41])
    #expect(try file.metadata.integer("llama.block_count") == 1)
    #expect(file.tensorByteCount == 32 + 4 + 16)
    let sizes = try paths.map { try Data(contentsOf: URL(filePath: $0)).count }
    #expect(file.fileByteCount == sizes.reduce(0, +))
  }

  /// The path and the reason of the complaint that opening a file of a set gives.
  func complaint(_ path: String) throws -> (path: String, reason: String) {
    let error = try #require(openingError(path: path))
    switch error {
    case .invalidSplit(let path, let reason), .inShard(_, .invalidSplit(let path, let reason)):
      return (path, reason)
    default:
      Issue.record("another error: \(error)")
      return ("", "")
    }
  }

  @Test("G40: another file than the first names the first")
  func g40SecondFileFirst() throws {
    let complaint = try complaint(paths[1])
    #expect(complaint.path == paths[1])
    #expect(complaint.reason.contains("file 2 of a split set of 2"))
    #expect(complaint.reason.contains(paths[0]))
  }

  @Test("G40: a missing file is named")
  func g40MissingFile() throws {
    try FileManager.default.removeItem(atPath: paths[1])
    let complaint = try complaint(paths[0])
    #expect(complaint.path == paths[1])
    #expect(complaint.reason.contains("missing"))
  }

  @Test(
    "G40: a renamed file says what its name must end in",
    arguments: ["renamed.gguf", "model-00001-of-00003.gguf", "model-00002-of-00002.gguf"])
  func g40RenamedFile(name: String) throws {
    let renamed = folder.path(name)
    try? FileManager.default.removeItem(atPath: renamed)
    try FileManager.default.moveItem(atPath: paths[0], toPath: renamed)
    let complaint = try complaint(renamed)
    #expect(complaint.path == renamed)
    #expect(complaint.reason.contains("'-00001-of-00002.gguf'"))
  }

  @Test("G40: an error in a later file names that file")
  func g40DamagedSecondFile() throws {
    let bytes = try Data(contentsOf: URL(filePath: paths[1]))
    try bytes.prefix(20).write(to: URL(filePath: paths[1]))
    #expect(
      openingError(path: paths[0])
        == .inShard(
          path: paths[1],
          .truncated(field: "metadata count", offset: 16, needed: 8, available: 4)))
  }

  /// Replaces the second file by one with these keys and a tensor `name`.
  func replaceSecond(
    number: Int? = 1, count: Int? = 2, total: Int? = 3, name: String = "c"
  ) throws {
    var writer = GGUFWriter()
    if let number { writer.set("split.no", .uint16(UInt16(number))) }
    if let count { writer.set("split.count", .uint16(UInt16(count))) }
    if let total { writer.set("split.tensors.count", .int32(Int32(total))) }
    writer.add(name, [4], floats: [10, 11, 12, 13])
    try writer.write(to: paths[1])
  }

  @Test("G41: the files agree on their count", arguments: [3, 1, 0, nil] as [Int?])
  func g41Count(count: Int?) throws {
    try replaceSecond(count: count)
    let complaint = try complaint(paths[0])
    #expect(complaint.path == paths[1])
    #expect(complaint.reason.contains("'split.count' is 2 in the first file"))
  }

  @Test("G41: each file has its own number, counted from 0", arguments: [0, 2, nil] as [Int?])
  func g41Number(number: Int?) throws {
    try replaceSecond(number: number)
    let complaint = try complaint(paths[0])
    #expect(complaint.path == paths[1])
    #expect(complaint.reason.contains("'split.no' is \(number ?? 0) where 1 was expected"))
  }

  @Test("G41: the files agree on the number of tensors", arguments: [2, 4])
  func g41TotalOfSecond(total: Int) throws {
    try replaceSecond(total: total)
    let complaint = try complaint(paths[0])
    #expect(complaint.path == paths[1])
    #expect(complaint.reason.contains("split.tensors.count"))
  }

  @Test("G41: only the first file must state the number of tensors")
  func g41NoTotalInSecond() throws {
    try replaceSecond(total: nil)
    #expect(openingError(path: paths[0]) == nil)
  }

  @Test("G41: the number of tensors is that of all files", arguments: [2, 4, nil] as [Int32?])
  func g41Total(total: Int32?) throws {
    var first = GGUFWriter(architecture: "llama")
    first.set("split.no", .uint16(0))
    first.set("split.count", .uint16(2))
    if let total { first.set("split.tensors.count", .int32(total)) }
    first.add("a", [1], floats: [1])
    first.add("b", [1], floats: [2])
    try first.write(to: paths[0])
    try replaceSecond(total: total.map { Int($0) })
    let complaint = try complaint(paths[0])
    #expect(complaint.path == paths[0])
    #expect(complaint.reason.contains("but the files have 3 tensors"))
  }

  @Test("G14: a tensor may not be in two files")
  func g14AcrossFiles() throws {
    try replaceSecond(name: "a")
    let complaint = try complaint(paths[0])
    #expect(complaint.path == paths[1])
    #expect(complaint.reason.contains("'a'"))
  }

  @Test(
    "A count of 0 or 1 is a model in one file, whatever its name", arguments: [0, 1] as [UInt16])
  func singleFile(count: UInt16) throws {
    var writer = GGUFWriter()
    writer.set("split.no", .uint16(0))
    writer.set("split.count", .uint16(count))
    writer.add("a", [1], floats: [1])
    let path = try folder.write(writer.bytes(), "merged.gguf")
    #expect(try GGUFFile(path: path).tensors.count == 1)
  }

  @Test("Split keys of another type are refused")
  func splitKeyType() throws {
    var writer = GGUFWriter()
    writer.set("split.count", .text("2"))
    let bytes = try writer.bytes()
    guard case .wrongMetadata("split.count", _, _, found: "string '2'")? = openingError(bytes)
    else {
      Issue.record("not refused")
      return
    }
  }
}
