internal import CKernels

extension Compute {
  /// `y = x · Wᵀ` for each pair of weights and result, x being the activations.
  ///
  /// Weights are `[rows, columns]`, a result is `[tokens, rows]`. The activations have the form
  /// that `form(for:tokens:isWide:)` gives for just these weights.
  func multiply(_ products: [(weights: WeightMatrix, y: Matrix)]) throws(InferenceError) {
    let (tokens, columns) = unsafe (activations.view.tokens, activations.view.cols)
    for (weights, y) in products {
      precondition(weights.columns == columns && weights.rows == y.columns && tokens == y.rows)
    }
    switch unsafe activations.view.form {
    case CK_FORM_FLOAT: try multiplyFloats(products, tokens: tokens)
    case CK_FORM_TILES:
      let longest = products.map(\.weights.rowBytes).max() ?? 0
      let scratch = unsafe try tileScratch(columns: columns, rowBytes: longest)
      unsafe Self.withDescriptions(products) { descriptions, count in
        unsafe ck_par_tile_products(
          &context, descriptions, count, &activations.view.tiles, scratch)
      }
    case let form:
      unsafe Self.withDescriptions(products) { descriptions, count in
        unsafe ck_par_products(
          &context, descriptions, count, &activations.view.q8, form == CK_FORM_WIDE)
      }
    }
  }

  /// `activation(Wgate · x) * (Wup · x)`, x being the activations, which the result replaces as the
  /// input of `down`; `gate` and `up` are room for the products.
  func multiplyGated(
    _ activation: Activation, _ weights: LayerWeights, gate: Matrix, up: Matrix
  ) throws(InferenceError) {
    let tokens = gate.rows
    let isTiled = unsafe activations.view.form == CK_FORM_TILES
    guard isTiled, form(for: [weights.down], tokens: tokens, isWide: true) == CK_FORM_TILES,
      weights.gate.rows % Int(CK_TILE_STEP) == 0
    else {
      try multiply([(weights.gate, gate), (weights.up, up)])
      return try self.gate(activation, gate, up, for: weights.down)
    }
    let columns = unsafe activations.view.cols
    precondition(weights.gate.columns == columns && weights.up.columns == columns)
    precondition(weights.gate.rows == weights.up.rows && weights.down.columns == weights.up.rows)
    let scratch = unsafe try tileScratch(
      columns: columns, rowBytes: max(weights.gate.rowBytes, weights.up.rowBytes))
    var input = unsafe activations.view.tiles
    try replaceActivations { (output) throws(InferenceError) in
      try output.reserve(CK_FORM_TILES, tokens: tokens, columns: weights.gate.rows)
      unsafe withUnsafePointer(to: &input) { x in
        unsafe withUnsafePointer(to: &output.view.tiles) { out in
          var step = unsafe ck_gated_product(
            gate: weights.gate.description, up: weights.up.description,
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
  func form(for weights: [WeightMatrix], tokens: Int, isWide: Bool) -> ck_form {
    if precision == .float || weights.contains(where: \.isFloat) { return CK_FORM_FLOAT }
    let hasTiles = unsafe context.matmul.pointee.tiles != nil
    if hasTiles, tokens >= Self.tileTokens, weights.allSatisfy(\.fitsTiles) {
      return CK_FORM_TILES
    }
    return isWide ? CK_FORM_WIDE : CK_FORM_Q8
  }

  /// From how many tokens on expanding the weights pays.
  private static let tileTokens = 4

  /// From how many tokens on float weights go to BLAS: below it the product is memory traffic.
  private static let blasTokens = 8

  private func multiplyFloats(
    _ products: [(weights: WeightMatrix, y: Matrix)], tokens: Int
  ) throws(InferenceError) {
    for product in products {
      let (weights, y) = product
      let columns = weights.columns
      guard let x = unsafe activations.view.floats else { continue }
      if weights.isFloat && tokens < Self.blasTokens {
        unsafe Self.withDescriptions([product]) { description, count in
          unsafe ck_par_float_products(
            &context, description, count, columns, x, columns, tokens)
        }
      } else {
        unsafe try multiplyBLAS(weights, x, y)
      }
    }
  }

  private static func withDescriptions(
    _ products: [(weights: WeightMatrix, y: Matrix)],
    _ body: (UnsafePointer<ck_product>, Int) -> Void
  ) {
    unsafe withUnsafeTemporaryAllocation(of: ck_product.self, capacity: products.count) { buffer in
      for (index, product) in products.enumerated() {
        unsafe buffer.initializeElement(
          at: index,
          to: ck_product(
            w: product.weights.description, y: product.y.base, y_stride: product.y.stride))
      }
      if let start = buffer.baseAddress {
        unsafe body(UnsafePointer(start), products.count)
      }
    }
  }
}

extension WeightMatrix {
  /// Whether matrix units can take these weights: whole groups of rows of a type that has tiles.
  fileprivate var fitsTiles: Bool {
    ck_can_interleave(type) && rows % Int(CK_GROUP_ROWS) == 0
  }
}
