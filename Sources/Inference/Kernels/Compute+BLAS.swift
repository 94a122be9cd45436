internal import CKernels

extension Compute {
  /// `y = x · Wᵀ` through the system's BLAS, weights expanded to float32 panel by panel; through
  /// our own float product where no BLAS is installed.
  ///
  /// Each pool thread runs its own single-threaded products, so the result does not depend on
  /// the number of threads, and BLAS brings no second pool that fights for the cores.
  ///
  /// `x` is `[y.rows, weights.columns]`.
  func multiplyBLAS(
    _ weights: WeightMatrix, _ x: UnsafePointer<Float>, _ y: Matrix
  ) throws(InferenceError) {
    let panelRows = Self.panelRows
    // Room for the values and for one row's bytes, which are fewer than its values'.
    if weights.type != CK_F32 { try reservePanels(count: (panelRows + 1) * weights.columns) }
    let panels = panels
    let matmul = unsafe context.matmul
    let panelCount = (weights.rows + panelRows - 1) / panelRows
    parallel(panelCount) { panel, worker in
      let start = panel * panelRows
      let rows = min(panelRows, weights.rows - start)
      let dense: UnsafePointer<Float>
      if weights.type == CK_F32 {
        unsafe dense = (weights.base + start * weights.rowBytes)
          .assumingMemoryBound(to: Float.self)
      } else {
        let target = unsafe panels[worker].base
        var source = unsafe weights.description
        for row in 0..<rows {
          unsafe ck_dequantize_row(
            matmul, &source, start + row, weights.columns, target + panelRows * weights.columns,
            target + row * weights.columns)
        }
        unsafe dense = UnsafePointer(target)
      }
      let (result, columns) = unsafe (y.base + start, weights.columns)
      if let blas = SystemBLAS.shared {
        unsafe blas.multiply(y.rows, rows, columns, x, columns, dense, columns, result, y.stride)
      } else {
        unsafe ck_multiply_floats(
          matmul, CK_F32, dense, 4 * columns, rows, columns, x, columns, y.rows, result, y.stride)
      }
    }
  }

  /// Rows of weights that one thread expands at a time: enough to amortise the product's set-up,
  /// few enough that the panel stays in the second-level cache.
  private static let panelRows = 128

  private func reservePanels(count: Int) throws(InferenceError) {
    if panels.count == threads, let first = panels.first, first.count >= count { return }
    panels = []
    for _ in 0..<threads {
      panels.append(try FloatBuffer(count: count, purpose: "dequantised weight panel"))
    }
  }

  /// Runs `body` for 0 ..< count on all threads; the second argument is the worker's number.
  func parallel(_ count: Int, _ body: (Int, Int) -> Void) {
    withoutActuallyEscaping(body) { body in
      var body = body
      unsafe withUnsafeMutablePointer(to: &body) { pointer in
        unsafe ck_pool_run(
          context.pool, count,
          { context, index, worker in
            guard let context = unsafe context else { return }
            unsafe context.assumingMemoryBound(to: ((Int, Int) -> Void).self)
              .pointee(index, worker)
          }, pointer)
      }
    }
  }
}
