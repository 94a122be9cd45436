internal import CKernels
internal import GGUF

/// Converts values to the types of tensors, on several threads and with bounded memory.
///
/// One conversion at a time: it belongs to whoever writes a file.
@safe
final class BlockPacker {
  /// Values that are converted at once: a multiple of every block.
  static let chunk = 1 << 20

  private let pool: OpaquePointer
  private let table: UnsafePointer<ck_matmul_table>
  private var scratch: [Float]
  private var blocks: [UInt8] = []

  /// - Throws: `threads` where they cannot be made.
  init(threads: Int) throws(QuantizationError) {
    let limit = Int(CK_POOL_MAX_THREADS)
    guard threads >= 1, threads <= limit, let pool = unsafe ck_pool_create(threads),
      let table = unsafe ck_matmul_table_for(CK_ISA_SCALAR)
    else { throw .threads(requested: threads, limit: limit) }
    unsafe self.pool = pool
    unsafe self.table = unsafe ck_matmul_table_for(ck_isa_active()) ?? table
    scratch = Array(repeating: 0, count: threads * Int(CK_REPACK_VALUES))
  }

  deinit { unsafe ck_pool_destroy(pool) }

  /// Whether values of a type can be read.
  static func reads(_ type: TensorType) -> Bool {
    unsafe ck_type_info_for(Int32(type.rawValue)) != nil
  }

  /// A value that its type cannot hold, and its place.
  struct Refusal: Error {
    let index: Int
    let value: Float
  }

  /// Packs `count` stored values of another type.
  ///
  /// - Returns: what `body` makes of the blocks.
  func pack(
    _ stored: RawSpan, of source: TensorType, as type: TensorType, count: Int,
    _ body: (RawSpan) throws -> Void
  ) throws {
    precondition(stored.byteCount == Self.bytes(count, source))
    try unsafe stored.withUnsafeBytes { bytes in
      var job = unsafe ck_repack()
      unsafe job.source = bytes.baseAddress
      unsafe job.from = ck_type(UInt32(source.rawValue))
      try unsafe run(&job, as: type, count: count, body)
    }
  }

  /// Packs `count` random numbers from number `first` on.
  func pack(
    _ noise: Noise, from first: Int, as type: TensorType, count: Int,
    _ body: (RawSpan) throws -> Void
  ) throws {
    var job = unsafe ck_repack()
    unsafe job.noise = ck_noise(seed: noise.seed, deviation: noise.deviation)
    unsafe job.first = UInt64(first)
    try unsafe run(&job, as: type, count: count, body)
  }

  private func run(
    _ job: inout ck_repack, as type: TensorType, count: Int, _ body: (RawSpan) throws -> Void
  ) throws {
    let byteCount = Self.bytes(count, type)
    if blocks.count < byteCount {
      blocks += Array(repeating: 0, count: byteCount - blocks.count)
    }
    let refusal = unsafe blocks.withUnsafeMutableBytes { blocks in
      unsafe scratch.withUnsafeMutableBufferPointer { scratch in
        unsafe job.to = ck_type(UInt32(type.rawValue))
        unsafe job.out = blocks.baseAddress
        unsafe job.count = count
        unsafe job.scratch = scratch.baseAddress
        return unsafe ck_par_repack(pool, table, &job)
      }
    }
    guard refusal.index == count else {
      throw Refusal(index: refusal.index, value: refusal.value)
    }
    try unsafe blocks.withUnsafeBytes { try unsafe body($0.bytes.extracting(first: byteCount)) }
  }

  private static func bytes(_ count: Int, _ type: TensorType) -> Int {
    precondition(count.isMultiple(of: type.blockValues))
    return count / type.blockValues * type.blockBytes
  }
}

/// Random weights: a seed, and the standard deviation.
struct Noise: Equatable, Sendable {
  let seed: UInt64
  let deviation: Float
}
