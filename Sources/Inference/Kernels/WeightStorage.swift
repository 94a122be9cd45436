internal import Foundation
internal import GGUF

/// Memory for weights that are not used where the model's file maps them.
///
/// Written once while a model is loaded, only read from then on, which makes sharing it safe.
@safe
final class WeightStorage: @unchecked Sendable {
  let byteCount: Int
  let base: UnsafeMutableRawPointer

  /// Room for `byteCount` bytes, in large pages where the system has them.
  ///
  /// - Throws: `outOfMemory`.
  init(byteCount: Int) throws(InferenceError) {
    // Large pages begin at multiples of 2 MiB; the system gives memory when it is first written.
    let alignment = 1 << 21
    var memory: UnsafeMutableRawPointer?
    guard unsafe posix_memalign(&memory, alignment, max(byteCount, 1)) == 0,
      let memory = unsafe memory
    else { throw .outOfMemory(bytes: byteCount, purpose: "interleaved weights") }
    #if os(Linux)
    _ = unsafe madvise(memory, byteCount, Int32(MADV_HUGEPAGE))  // only a hint
    #endif
    self.byteCount = byteCount
    unsafe base = memory
  }

  deinit { unsafe free(base) }

  /// The first bytes.
  func withBytes<R, E: Error>(
    count: Int, _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    precondition(count >= 0 && count <= byteCount)
    return try unsafe body(UnsafeRawBufferPointer(start: base, count: count).bytes)
  }
}
