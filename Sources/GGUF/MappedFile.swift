#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

#if _endian(big)
#error("GGUF data is read in place as little-endian values; this host is big-endian")
#endif

/// The read-only bytes of one file; the only holder of a pointer in this module.
///
/// Every read is checked against `count`, so callers may pass offsets taken from the file.
@safe package final class MappedFile {
  /// Where the bytes came from; for messages.
  package let path: String
  /// The number of bytes.
  package let count: Int
  /// The times of the last change of the bytes, and of the file's other properties, which no program
  /// can set, in seconds and billionths; nil for bytes of no file.
  package let changed: String?
  /// The bytes [count], page aligned; nil for an empty file.
  private let base: UnsafeMutableRawPointer?
  /// Whether the bytes are the file's own pages, which the system can read again.
  private let isFile: Bool

  /// Opens a file and maps it or reads all of it.
  ///
  /// - Throws: `cannotRead` where the path is not a readable regular file, or memory is short.
  package init(path: String, access: GGUFFile.Access) throws(GGUFError) {
    // Non-blocking, because opening a named pipe would otherwise wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .cannotRead(path: path, reason: systemError()) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .cannotRead(path: path, reason: systemError())
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw .cannotRead(
        path: path, reason: isFolder ? FileProblem.isFolder : "not a regular file")
    }
    self.path = path
    count = Int(status.st_size)
    #if canImport(Darwin)
    let times = [status.st_mtimespec, status.st_ctimespec]
    #else
    let times = [status.st_mtim, status.st_ctim]
    #endif
    changed = times.map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: " ")
    isFile = access == .mapped
    switch access {
    case .mapped: unsafe base = try Self.map(count, of: descriptor, path: path)
    case .copied: unsafe base = try Self.read(count, from: descriptor, path: path)
    }
  }

  /// Keeps a copy of bytes that are in memory already.
  package init(bytes: [UInt8], path: String = "bytes in memory") throws(GGUFError) {
    self.path = path
    count = bytes.count
    changed = nil
    isFile = false
    unsafe base = try Self.map(count, of: nil, path: path)
    unsafe bytes.withUnsafeBytes { source in
      if let from = source.baseAddress { unsafe base?.copyMemory(from: from, byteCount: count) }
    }
  }

  deinit {
    if let base = unsafe base { unsafe munmap(base, count) }
  }

  /// Maps the file of a descriptor, or anonymous memory without one (a failed `mmap` is an error
  /// to report, where a failed allocation would end the process).
  private static func map(
    _ count: Int, of descriptor: Int32?, path: String
  ) throws(GGUFError) -> UnsafeMutableRawPointer? {
    guard count > 0 else { return nil }
    let address =
      if let descriptor {
        unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
      } else {
        unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      }
    guard unsafe address != MAP_FAILED else {
      throw .cannotRead(path: path, reason: systemError())
    }
    return unsafe address
  }

  private static func read(
    _ count: Int, from descriptor: Int32, path: String
  ) throws(GGUFError) -> UnsafeMutableRawPointer? {
    guard let base = unsafe try map(count, of: nil, path: path) else { return nil }
    var done = 0
    while done < count {
      // One call transfers at most 2^31 bytes on the systems we run on.
      let got = unsafe pread(
        descriptor, base + done, min(count - done, 1 << 30), off_t(done))
      if got < 0 && errno == EINTR { continue }
      guard got > 0 else {
        let reason = got < 0 ? systemError() : "the file shrank to \(done) bytes while it was read"
        unsafe munmap(base, count)
        throw .cannotRead(path: path, reason: reason)
      }
      done += got
    }
    return unsafe base
  }
}

// What is shared is the mapping, which nobody writes to after `init`.
// It is released in `deinit` only, when no reference is left, so reads from any thread are safe.
extension MappedFile: @unchecked Sendable {}

extension MappedFile {
  /// The little-endian integer at an offset, or nil where it does not lie within the file.
  func load<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type, at offset: Int) -> T? {
    guard let base = unsafe base, contains(offset, MemoryLayout<T>.size) else { return nil }
    return unsafe base.loadUnaligned(fromByteOffset: offset, as: T.self)
  }

  /// Copies `elementCount` packed little-endian numbers, or gives nil where they pass the end.
  func numbers<T: Numeric & BitwiseCopyable>(
    _: T.Type, at offset: Int, count elementCount: Int
  ) -> [T]? {
    let (byteCount, overflow) = elementCount.multipliedReportingOverflow(
      by: MemoryLayout<T>.size)
    guard !overflow, contains(offset, byteCount) else { return nil }
    guard let base = unsafe base, byteCount > 0 else { return [] }
    return unsafe [T](unsafeUninitializedCapacity: elementCount) { buffer, initialized in
      if let target = buffer.baseAddress {
        unsafe UnsafeMutableRawPointer(target)
          .copyMemory(from: base + offset, byteCount: byteCount)
      }
      initialized = elementCount
    }
  }

  /// Copies the bytes of a range of the file.
  func bytes(_ range: Range<Int>) -> [UInt8] { unsafe [UInt8](unsafeBytes(range)) }

  /// Copies strings that lie from an offset on, each behind the eight bytes of its length, into one
  /// array.
  ///
  /// `ends` says where each of them ends in that array; together they must lie in the file.
  func joinedStrings(at offset: Int, ends: [UInt32]) -> [UInt8] {
    let lengthBytes = 8
    let total = Int(ends.last ?? 0)
    guard let base = unsafe base, total > 0 else { return [] }
    precondition(contains(offset, total + lengthBytes * ends.count), "strings beyond the file")
    return unsafe [UInt8](unsafeUninitializedCapacity: total) { buffer, initialized in
      guard let first = buffer.baseAddress else { return }
      let target = UnsafeMutableRawPointer(first)
      var start = 0
      for (index, end) in ends.enumerated() {
        let source = unsafe base + offset + start + lengthBytes * (index + 1)
        unsafe (target + start).copyMemory(from: source, byteCount: Int(end) - start)
        start = Int(end)
      }
      initialized = total
    }
  }

  /// Lends the bytes of a range to `body`; an empty range lends none, wherever it lies.
  package func withBytes<R: ~Copyable, E: Error>(
    _ range: Range<Int>, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    let buffer = unsafe unsafeBytes(range)
    return try unsafe body(buffer.bytes)
  }

  /// The bytes of a range, valid while this object lives.
  @unsafe package func unsafeBytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    guard !range.isEmpty, let base = unsafe base else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    precondition(contains(range.lowerBound, range.count), "range from another file")
    return unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Whether the bytes from an offset on are these.
  package func holds(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard contains(offset, bytes.count) else { return false }
    return unsafe unsafeBytes(offset..<offset + bytes.count).elementsEqual(bytes)
  }

  /// Asks the system to read a range of the file into memory before it is used.
  func prefetch(_ range: Range<Int>) {
    guard let base = unsafe base, contains(range.lowerBound, range.count) else { return }
    // The call wants a page boundary; 64 KiB is a multiple of every page size in use.
    let start = range.lowerBound & ~0xFFFF
    // Only a hint: a refusal changes nothing but speed.
    _ = unsafe posix_madvise(base + start, range.upperBound - start, POSIX_MADV_WILLNEED)
  }

  /// Tells the system that a range will not be read soon: its pages count as this process's memory
  /// no longer, and come back from the file when they are read after all.
  func release(_ range: Range<Int>) {
    guard let base = unsafe base, isFile, contains(range.lowerBound, range.count) else { return }
    // Whole pages inside the range only, its neighbours may be in use; a hint like `prefetch`.
    let start = (range.lowerBound + 0xFFFF) & ~0xFFFF
    let end = range.upperBound & ~0xFFFF
    guard start < end else { return }
    _ = unsafe madvise(base + start, end - start, MADV_DONTNEED)
  }

  /// Whether `length` bytes from `offset` lie in the file; by subtraction, so nothing overflows.
  private func contains(_ offset: Int, _ length: Int) -> Bool {
    offset >= 0 && length >= 0 && offset <= count && length <= count - offset
  }
}
