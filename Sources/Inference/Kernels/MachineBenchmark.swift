internal import CKernels
internal import Foundation

/// Measures what this machine can do at most: the limits that a forward pass is compared with.
package final class MachineBenchmark {
  /// One limit.
  package struct Figure: Sendable {
    /// What is done, and by what: "read", "int8", "tiles", "float32", "sgemm".
    package let name: String
    /// The instructions or the library.
    package let means: String
    package let threads: Int
    package let unit: String
    /// Thousand millions a second.
    package let value: Double
  }

  private let threads: Int
  private let compute: Compute

  /// - Throws: `threads` when there cannot be as many.
  package init(threads: Int) throws(InferenceError) {
    self.threads = threads
    compute = try Compute(threads: threads, precision: .float)
  }

  /// The name of the instruction set that kernels use: "avx512", for example.
  package static var instructionSet: String { unsafe String(cString: ck_isa_name(ck_isa_active())) }

  /// All limits, the best of several tries each: whatever else runs can only lower them.
  ///
  /// - Throws: `outOfMemory`.
  package func figures() throws(InferenceError) -> [Figure] {
    var figures = try readings()
    for (name, unit, peak) in [
      ("int8", "GOP/s", CK_PEAK_INT8), ("tiles", "GFLOP/s", CK_PEAK_TILES),
      ("float32", "GFLOP/s", CK_PEAK_F32),
    ] {
      guard let means = unsafe ck_peak_name(peak) else { continue }
      let rate = best { unsafe ck_peak_rate(compute.context.pool, peak) }
      figures.append(
        Figure(
          name: name, means: unsafe String(cString: means), threads: threads, unit: unit,
          value: rate / 1e9))
    }
    if let products = try matrixProducts() { figures.append(products) }
    return figures
  }

  /// Reading memory with one thread and with all, from a buffer that no cache holds.
  private func readings() throws(InferenceError) -> [Figure] {
    let bytes = Int(clamping: min(1 << 30, ProcessInfo.processInfo.physicalMemory / 4))
    let buffer = try FloatBuffer(count: bytes / 4, purpose: "reading memory")
    // Pages that were never written are all the same page of zeros.
    unsafe buffer.base.initialize(repeating: 1, count: buffer.count)
    var figures: [Figure] = []
    for count in Set([1, threads]).sorted() {
      let compute = count == threads ? self.compute : try Compute(threads: count, precision: .float)
      let rate = best { unsafe ck_read_rate(compute.context.pool, buffer.base, bytes) }
      figures.append(
        Figure(name: "read", means: "memory", threads: count, unit: "GB/s", value: rate / 1e9))
    }
    return figures
  }

  /// Float products by the system's BLAS, one of its own for each thread, as the engine uses it.
  private func matrixProducts() throws(InferenceError) -> Figure? {
    guard let blas = SystemBLAS.shared else { return nil }
    let size = 512
    var operands: [FloatBuffer] = []
    for _ in 0..<3 * threads {
      let buffer = try FloatBuffer(count: size * size, purpose: "matrix products")
      unsafe buffer.base.initialize(repeating: 0.5, count: buffer.count)
      operands.append(buffer)
    }
    let rate = best {
      let start = ContinuousClock.now
      compute.parallel(threads) { index, _ in
        let (a, b, c) = (operands[3 * index], operands[3 * index + 1], operands[3 * index + 2])
        unsafe blas.multiply(size, size, size, a.base, size, b.base, size, c.base, size)
      }
      return Double(2 * size * size * size * threads)
        / ((ContinuousClock.now - start) / .seconds(1))
    }
    return Figure(
      name: "sgemm", means: blas.name, threads: threads, unit: "GFLOP/s", value: rate / 1e9)
  }

  private func best(_ measure: () -> Double) -> Double {
    (0..<10).reduce(0) { best, _ in max(best, measure()) }
  }
}
