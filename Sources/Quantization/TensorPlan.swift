internal import GGUF

/// One tensor of a file that is to be written, and where its values come from.
struct TensorPlan: Sendable {
  enum Source: Sendable {
    /// The bytes of a tensor of the input as they are.
    case copy(TensorInfo)
    /// The values of a tensor of the input.
    case convert(TensorInfo)
    /// Random numbers.
    case noise(Noise)
    /// The same number everywhere.
    case constant(Float)
  }

  let name: String
  let type: TensorType
  let dimensions: [Int]
  let source: Source

  /// The number of values; shapes are checked before.
  var count: Int { dimensions.reduce(1, *) }
}
