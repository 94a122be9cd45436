/// A model file in the GGUF format, or a split set of them: metadata, and tensors to read in place.
///
/// Everything in the header is checked when a file is opened; nothing in it is trusted. A file
/// that cannot be what it states gives a `GGUFError`, never a crash.
public final class GGUFFile: Sendable {
  /// How the bytes of a file are reached.
  public enum Access: Sendable {
    /// Mapped into memory: fast to open, read from disk when used, shared between processes.
    ///
    /// The system ends the process (SIGBUS) that touches a mapped part of a file which another
    /// program has cut off meanwhile. Replace model files by renaming, never by overwriting, or
    /// use `copied`.
    case mapped
    /// Read into memory as a whole: safe whatever happens to the file later.
    case copied
  }

  /// The files of the set in order, or the one file.
  private let shards: [Shard]
  /// The metadata in file order; that of the first file of a split set.
  public let metadata: GGUFMetadata
  /// All tensors, in the order of the files and within each in the order of its data.
  public let tensors: [TensorInfo]
  private let positions: [String: Int]

  /// Opens and checks a file; the first file of a split set opens all of them.
  ///
  /// - Parameters:
  ///   - path: the file; for a split set the one whose name ends in `-00001-of-0000N.gguf`.
  ///   - access: whether to map the file or to read it into memory.
  /// - Throws: `GGUFError` where the file cannot be read or is not what it states.
  /// - Complexity: O(*n*) in the size of the header, and of the data where it is copied.
  public convenience init(path: String, access: Access = .mapped) throws(GGUFError) {
    try self.init(first: MappedFile(path: path, access: access), access: access)
  }

  /// Checks a file that is in memory; it is copied.
  ///
  /// - Throws: `GGUFError` where the bytes are not what they state.
  public convenience init(bytes: [UInt8]) throws(GGUFError) {
    try self.init(first: MappedFile(bytes: bytes), access: .copied)
  }

  private init(first: MappedFile, access: Access) throws(GGUFError) {
    let shard = try Shard(file: first, index: 0)
    let set = try SplitSet(shard.metadata)
    shards = try set?.open(after: shard, access: access) ?? [shard]
    metadata = shard.metadata
    tensors = shards.flatMap(\.tensors)
    var positions: [String: Int] = [:]
    for (position, tensor) in tensors.enumerated() {
      guard positions.updateValue(position, forKey: tensor.name) == nil else {
        throw .invalidSplit(
          path: shards[tensor.shard].file.path,
          reason: "Tensor \(quoted(tensor.name)) is also in another file of the set.")
      }
    }
    self.positions = positions
  }
}

extension GGUFFile {
  /// The format version of the (first) file.
  public var version: Int { Int(shards[0].version) }

  /// The paths of the files, in the order of `TensorInfo.shard`.
  public var paths: [String] { shards.map(\.file.path) }

  /// What tells the files from others of the same names: the bytes and the last changes of each.
  ///
  /// Nil where the bytes come from no file.
  package var identity: [String]? {
    var parts: [String] = []
    for shard in shards {
      guard let changed = shard.file.changed else { return nil }
      parts.append("\(shard.file.count) \(changed)")
    }
    return parts
  }

  /// The number of bytes of all files together.
  public var fileByteCount: Int { shards.reduce(0) { $0 + $1.file.count } }

  /// The number of bytes of all tensors, without headers and padding.
  public var tensorByteCount: Int { tensors.reduce(0) { $0 + $1.byteCount } }

  /// The tensor of a name, or nil where there is none.
  public func tensor(named name: String) -> TensorInfo? { positions[name].map { tensors[$0] } }
}

extension GGUFFile {
  /// Lends the bytes of a tensor of this file to `body`.
  ///
  /// - Parameters:
  ///   - tensor: an element of `tensors`.
  ///   - body: gets the bytes, which it may use until it returns.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  public func withBytes<R: ~Copyable, E: Error>(
    of tensor: TensorInfo, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try shards[tensor.shard].file.withBytes(tensor.byteRange, body)
  }

  /// The bytes of a tensor of this file for kernels; valid while this object lives, never written.
  @unsafe package func unsafeBytes(of tensor: TensorInfo) -> UnsafeRawBufferPointer {
    unsafe shards[tensor.shard].file.unsafeBytes(tensor.byteRange)
  }

  /// Asks the system to read a tensor from disk before it is used.
  public func prefetch(_ tensor: TensorInfo) {
    shards[tensor.shard].file.prefetch(tensor.byteRange)
  }

  /// Tells the system that bytes of a tensor, counted from its start, will not be read soon, so
  /// that their pages need no memory.
  package func release(_ tensor: TensorInfo, bytes: Range<Int>) {
    let start = tensor.byteRange.lowerBound
    shards[tensor.shard].file.release(start + bytes.lowerBound..<start + bytes.upperBound)
  }

  /// The same for all of the file, metadata too: what is still needed is read again.
  package func release() {
    for shard in shards { shard.file.release(0..<shard.file.count) }
  }

  /// Asks the system to read all tensors from disk before they are used.
  public func prefetch() {
    for shard in shards { shard.file.prefetch(0..<shard.file.count) }
  }
}
