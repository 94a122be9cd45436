internal import CKernels

extension Compute {
  /// `y = x · Wᵀ` for each matrix of the group, x being the activations.
  ///
  /// Weights are `[rows, columns]`, a result is `[tokens, rows]`. The activations have the form
  /// that `form(for:tokens:isWide:)` gives for this group.
  func multiply(
    _ group: WeightGroup, into first: Matrix, _ second: Matrix? = nil, _ third: Matrix? = nil
  ) throws(InferenceError) {
    let (tokens, columns) = unsafe (activations.view.tokens, activations.view.cols)
    precondition(group.columns == columns)
    switch unsafe activations.view.form {
    case CK_FORM_FLOAT:
      for (index, weights) in group.matrices.enumerated() {
        let y = Self.pick(index, first, second, third)
        try multiplyFloats(weights, tokens: tokens, into: y)
      }
    case CK_FORM_TILES:
      let longest = group.matrices.reduce(0) { max($0, $1.rowBytes) }
      let scratch = unsafe try tileScratch(columns: columns, rowBytes: longest)
      unsafe Self.withProducts(group, tokens, first, second, third) { products, count in
        unsafe ck_par_tile_products(&context, products, count, &activations.view.tiles, scratch)
      }
    default:
      unsafe Self.withProducts(group, tokens, first, second, third) { products, count in
        unsafe ck_par_products(&context, products, count, &activations.view.q8)
      }
    }
  }

  private static func pick(
    _ index: Int, _ first: Matrix, _ second: Matrix?, _ third: Matrix?
  ) -> Matrix {
    (index == 0 ? first : index == 1 ? second : third) ?? first
  }

  /// Lends the products as kernels take them, on the stack.
  private static func withProducts(
    _ group: WeightGroup, _ tokens: Int, _ first: Matrix, _ second: Matrix?, _ third: Matrix?,
    _ body: (UnsafePointer<ck_product>, Int) -> Void
  ) {
    let count = group.matrices.count
    unsafe withUnsafeTemporaryAllocation(of: ck_product.self, capacity: count) { buffer in
      for (index, weights) in group.matrices.enumerated() {
        let y = pick(index, first, second, third)
        precondition(weights.rows == y.columns && tokens == y.rows)
        unsafe buffer.initializeElement(
          at: index, to: ck_product(w: weights.description, y: y.base, y_stride: y.stride))
      }
      if let start = buffer.baseAddress { unsafe body(UnsafePointer(start), count) }
    }
  }

  /// `activation(Wgate · x) * (Wup · x)`, x being the activations, which the result replaces as the
  /// input of `down`; `gate` and `up` are room for the products.
  func multiplyGated(
    _ activation: Activation, _ weights: LayerWeights, gate: Matrix, up: Matrix
  ) throws(InferenceError) {
    let tokens = gate.rows
    let isTiled = unsafe activations.view.form == CK_FORM_TILES
    let (gateWeights, upWeights) = (weights.gated.matrices[0], weights.gated.matrices[1])
    guard isTiled, form(for: weights.down, tokens: tokens, isWide: true) == CK_FORM_TILES,
      gateWeights.rows % Int(CK_TILE_STEP) == 0
    else {
      try multiply(weights.gated, into: gate, up)
      return try self.gate(activation, gate, up, for: weights.down)
    }
    let columns = unsafe activations.view.cols
    precondition(weights.gated.columns == columns && weights.down.columns == gateWeights.rows)
    precondition(gateWeights.rows == upWeights.rows)
    let scratch = unsafe try tileScratch(
      columns: columns, rowBytes: max(gateWeights.rowBytes, upWeights.rowBytes))
    var input = unsafe activations.view.tiles
    try replaceActivations { (output) throws(InferenceError) in
      try output.reserve(CK_FORM_TILES, tokens: tokens, columns: gateWeights.rows)
      unsafe withUnsafePointer(to: &input) { x in
        unsafe withUnsafePointer(to: &output.view.tiles) { out in
          var step = unsafe ck_gated_product(
            gate: gateWeights.description, up: upWeights.description,
            gelu: activation == .gelu, x: x, out: out)
          unsafe ck_par_tile_gated(&context, &step, scratch)
        }
      }
    }
  }

  /// The form of activations that the product of `weights` with `tokens` tokens runs best on.
  ///
  /// Wide activations have two bytes: for the inputs that lose most by rounding, the gated
  /// activations, which have outliers, and the last norm, whose error reaches the logits undamped.
  /// Weights are read once for both bytes, so a product that waits for memory costs the same.
  func form(for weights: WeightGroup, tokens: Int, isWide: Bool) -> ck_form {
    if precision == .float || weights.matrices.contains(where: \.isFloat) { return CK_FORM_FLOAT }
    let hasTiles = unsafe context.matmul.pointee.tiles != nil
    if hasTiles, tokens >= Self.tileTokens, weights.matrices.allSatisfy(\.fitsTiles) {
      return CK_FORM_TILES
    }
    return isWide ? CK_FORM_WIDE : CK_FORM_Q8
  }

  /// From how many tokens on expanding the weights pays.
  private static let tileTokens = 4

  /// From how many tokens on float weights go to BLAS: below it the product is memory traffic.
  private static let blasTokens = 8

  private func multiplyFloats(
    _ weights: WeightMatrix, tokens: Int, into y: Matrix
  ) throws(InferenceError) {
    precondition(weights.rows == y.columns && tokens == y.rows)
    guard let x = unsafe activations.view.floats else { return }
    guard weights.isFloat && tokens < Self.blasTokens else {
      return unsafe try multiplyBLAS(weights, x, y)
    }
    var product = unsafe ck_product(w: weights.description, y: y.base, y_stride: y.stride)
    unsafe ck_par_float_products(
      &context, &product, 1, weights.columns, x, weights.columns, tokens)
  }
}

extension WeightMatrix {
  /// Whether matrix units can take these weights: whole groups of rows of a type that has tiles.
  fileprivate var fitsTiles: Bool {
    ck_can_interleave(type) && rows % Int(CK_GROUP_ROWS) == 0
  }
}
