/// The rules by which the files of a split model find each other.
///
/// Files are named `prefix-00001-of-00003.gguf`, counted from 1; the key `split.no` counts from 0.
/// Only the first file has the metadata of the model; all have the `split.` keys.
struct SplitSet {
  /// The number of files; 0 (as merging tools leave it) and 1 mean a model in one file.
  let count: Int
  /// The number of this file, from 0.
  let number: Int
  /// The number of tensors in all files, where it is stated.
  let tensorCount: Int?

  /// Reads the `split.` keys; nil where the model is in one file.
  init?(_ metadata: GGUFMetadata) throws(GGUFError) {
    let most = Int(UInt16.max)
    guard let count = try metadata.integer("split.count", in: 0...most), count > 1 else {
      return nil
    }
    self.count = count
    number = try metadata.integer("split.no", in: 0...most) ?? 0
    tensorCount = try metadata.integer("split.tensors.count", in: 0...Int.max)
  }

  /// Opens the other files of the set whose first file was opened.
  ///
  /// - Returns: all files in order, each checked to belong to this set.
  func open(after first: Shard, access: GGUFFile.Access) throws(GGUFError) -> [Shard] {
    let path = first.file.path
    guard let prefix = prefix(of: path) else {
      throw .invalidSplit(
        path: path,
        reason: "This is file \(number + 1) of a split set of \(count), whose name must end in "
          + "'\(suffix(number))'. Rename it and the others back.")
    }
    guard number == 0 else {
      throw .invalidSplit(
        path: path,
        reason: "This is file \(number + 1) of a split set of \(count). "
          + "Open the first one: \(prefix + suffix(0))")
    }
    var shards = [first]
    for index in 1..<count {
      shards.append(try open(index, at: prefix + suffix(index), access: access))
    }
    try checkTensors(of: shards)
    return shards
  }

  private func open(
    _ index: Int, at path: String, access: GGUFFile.Access
  ) throws(GGUFError) -> Shard {
    let file: MappedFile
    do {
      file = try MappedFile(path: path, access: access)
    } catch {
      throw .invalidSplit(
        path: path, reason: "File \(index + 1) of the split set of \(count) is missing. \(error)")
    }
    do {
      let shard = try Shard(file: file, index: index)
      try check(shard, index: index)
      return shard
    } catch {
      throw .inShard(path: path, error)
    }
  }

  private func check(_ shard: Shard, index: Int) throws(GGUFError) {
    guard let other = try SplitSet(shard.metadata), other.count == count else {
      let found = shard.metadata["split.count"].map { "\($0)" } ?? "none"
      throw .invalidSplit(
        path: shard.file.path, reason: "'split.count' is \(count) in the first file, here \(found)."
      )
    }
    guard other.number == index else {
      throw .invalidSplit(
        path: shard.file.path,
        reason: "'split.no' is \(other.number) where \(index) was expected: "
          + "the files were renamed or mixed up.")
    }
    guard other.tensorCount == nil || other.tensorCount == tensorCount else {
      throw .invalidSplit(
        path: shard.file.path, reason: "'split.tensors.count' differs from that of the first file.")
    }
  }

  private func checkTensors(of shards: [Shard]) throws(GGUFError) {
    let total = shards.reduce(0) { $0 + $1.tensors.count }
    guard let tensorCount, tensorCount == total else {
      let stated = tensorCount.map { "\($0)" } ?? "absent"
      throw .invalidSplit(
        path: shards[0].file.path,
        reason: "'split.tensors.count' is \(stated), but the files have \(total) tensors.")
    }
  }

  /// The path without the ending that this file of the set must have, or nil.
  private func prefix(of path: String) -> String? {
    let ending = suffix(number)
    return path.hasSuffix(ending) ? String(path.dropLast(ending.count)) : nil
  }

  private func suffix(_ index: Int) -> String { Self.suffix(index, of: count) }

  /// The ending of the name of one file: `-00001-of-00003.gguf` for index 0 of 3.
  static func suffix(_ index: Int, of count: Int) -> String {
    func digits(_ number: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, 5 - text.count)) + text
    }
    return "-\(digits(index + 1))-of-\(digits(count)).gguf"
  }
}
