internal import Foundation

/// float32 storage that kernels read and write, aligned to a cache line and not initialised.
///
/// Shared between a model's owner and its pool only while a kernel runs; whoever holds the
/// forward pass has it alone, which is what makes passing it between threads safe.
@safe
package final class FloatBuffer: @unchecked Sendable {
  package let count: Int
  let base: UnsafeMutablePointer<Float>

  /// Storage for `count` floats.
  ///
  /// - Throws: `outOfMemory` when the system refuses.
  package init(count: Int, purpose: String) throws(InferenceError) {
    let (bytes, overflow) = max(count, 1).multipliedReportingOverflow(by: 4)
    var memory: UnsafeMutableRawPointer?
    guard !overflow, unsafe posix_memalign(&memory, 64, bytes) == 0, let memory = unsafe memory
    else { throw .outOfMemory(bytes: overflow ? Int.max : bytes, purpose: purpose) }
    self.count = count
    unsafe base = memory.bindMemory(to: Float.self, capacity: max(count, 1))
  }

  /// Storage that holds `values`.
  convenience init(_ values: [Float], purpose: String) throws(InferenceError) {
    try self.init(count: values.count, purpose: purpose)
    for (index, value) in values.enumerated() { unsafe base[index] = value }
  }

  deinit { unsafe free(base) }
}

/// A matrix of float32 inside a buffer: `[rows, columns]`, rows `stride` floats apart.
@safe
package struct Matrix: Sendable {
  let buffer: FloatBuffer
  let offset: Int
  package let rows: Int
  package let columns: Int
  let stride: Int

  /// The matrix that starts at `offset` of `buffer`; out of bounds is a programmer's mistake.
  init(_ buffer: FloatBuffer, offset: Int = 0, rows: Int, columns: Int, stride: Int? = nil) {
    let stride = stride ?? columns
    precondition(rows >= 0 && columns >= 0 && stride >= columns && offset >= 0)
    precondition(rows == 0 || offset + (rows - 1) * stride + columns <= buffer.count)
    self.buffer = buffer
    self.offset = offset
    self.rows = rows
    self.columns = columns
    self.stride = stride
  }

  var base: UnsafeMutablePointer<Float> { unsafe buffer.base + offset }

  /// Some of the rows.
  func rows(_ range: Range<Int>) -> Matrix {
    precondition(range.lowerBound >= 0 && range.upperBound <= rows)
    return Matrix(
      buffer, offset: offset + range.lowerBound * stride, rows: range.count, columns: columns,
      stride: stride)
  }

  /// A copy of one row.
  package func row(_ index: Int) -> [Float] {
    precondition(index >= 0 && index < rows)
    let start = unsafe base + index * stride
    return unsafe Array(UnsafeBufferPointer(start: start, count: columns))
  }

  /// Lends one row to `body` without copying it.
  package func withRow<R>(_ index: Int, _ body: (Span<Float>) -> R) -> R {
    precondition(index >= 0 && index < rows)
    let start = unsafe base + index * stride
    return body(unsafe Span(_unsafeStart: UnsafePointer(start), count: columns))
  }

  /// Lends one row to `body` to be changed.
  func withMutableRow<R>(
    _ index: Int, _ body: (inout MutableSpan<Float>) throws(InferenceError) -> R
  ) throws(InferenceError) -> R {
    precondition(index >= 0 && index < rows)
    let start = unsafe base + index * stride
    var span = unsafe MutableSpan(_unsafeStart: start, count: columns)
    return try body(&span)
  }
}
