internal import CKernels

/// The input of a product in the form that the product takes it in.
///
/// Room grows as needed and is used again for the next input, so a decoded token allocates nothing.
@safe
struct Activations {
  var view = unsafe ck_activations()

  /// Makes room for `tokens` rows of `columns` values and says that the form is in use.
  ///
  /// - Throws: `outOfMemory`.
  mutating func reserve(
    _ form: ck_form, tokens: Int, columns: Int
  ) throws(InferenceError) {
    unsafe view.form = form
    unsafe view.tokens = tokens
    unsafe view.cols = columns
    // Tiles hold sixteen tokens; a wide row has a second one, its rest.
    let tile = Int(CK_TILE_TOKENS)
    let rows =
      switch form {
      case CK_FORM_TILES: (tokens + tile - 1) / tile * tile
      case CK_FORM_WIDE: 2 * tokens
      default: tokens
      }
    let count = rows * columns
    switch form {
    case CK_FORM_FLOAT:
      if floats.count < count { floats = try FloatBuffer(count: count, purpose: "activations") }
      unsafe view.floats = floats.base
    case CK_FORM_TILES:
      if tiles.count < count / 2 {
        tiles = try FloatBuffer(count: count / 2, purpose: "activations")
      }
      unsafe view.tiles = ck_tiles(
        values: UnsafeMutableRawPointer(tiles.base).assumingMemoryBound(to: UInt16.self),
        tokens: tokens, cols: columns)
    default:
      let stride = Self.bytesApart(columns)
      try reserveBytes(rows * stride)
      unsafe view.q8.tokens = tokens
      unsafe view.q8.rest = rows - tokens
      unsafe view.q8.cols = columns
      unsafe view.q8.stride = stride
    }
  }

  private var floats: FloatBuffer
  private var tiles: FloatBuffer
  private var bytes: FloatBuffer  // q, then scale, then sum

  init() throws(InferenceError) {
    floats = try FloatBuffer(count: 0, purpose: "activations")
    tiles = try FloatBuffer(count: 0, purpose: "activations")
    bytes = try FloatBuffer(count: 0, purpose: "activations")
  }

  /// Bytes from one row to the next: an odd number of cache lines, since rows that are a power of
  /// two apart would share few sets of the first level cache.
  private static func bytesApart(_ columns: Int) -> Int {
    let line = 64
    let lines = (columns + line - 1) / line
    return columns.isMultiple(of: line) ? (lines | 1) * line : columns
  }

  private mutating func reserveBytes(_ count: Int) throws(InferenceError) {
    let block = Int(CK_Q8_BLOCK)
    precondition(count % block == 0)
    // In floats: a byte for each value, a float and two 16-bit sums for each block.
    let needed = count / 4 + 2 * (count / block)
    if bytes.count < needed {
      bytes = try FloatBuffer(count: needed, purpose: "activations")
    }
    let start = unsafe UnsafeMutableRawPointer(bytes.base)
    let scale = unsafe start + count
    let sum = unsafe scale + 4 * (count / block)
    unsafe view.q8.q = start.assumingMemoryBound(to: Int8.self)
    unsafe view.q8.scale = scale.assumingMemoryBound(to: Float.self)
    unsafe view.q8.sum = sum.assumingMemoryBound(to: Int16.self)
  }
}
