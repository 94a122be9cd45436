/// What a file says about one tensor: name, format, shape and where its bytes lie.
public struct TensorInfo: Equatable, Sendable {
  /// The name: `blk.0.attn_q.weight`.
  public let name: String
  /// The number format.
  public let type: TensorType
  /// The size of each dimension, row length (the fastest) first; at most four, none for a scalar.
  public let dimensions: [Int]
  /// Which file of a split set holds the bytes, counted from 0; 0 for a model in one file.
  public let shard: Int
  /// Where the bytes lie in that file.
  public let byteRange: Range<Int>

  /// The number of values: the product of the dimensions.
  public var elementCount: Int { byteRange.count / type.blockBytes * type.blockValues }
  /// The number of values of one row.
  public var rowLength: Int { dimensions.first ?? 1 }
  /// The number of rows: the product of all dimensions but the first.
  public var rowCount: Int { dimensions.dropFirst().reduce(1, *) }
  /// The number of bytes of one row.
  public var rowByteCount: Int { rowLength / type.blockValues * type.blockBytes }
  /// The number of bytes of all values.
  public var byteCount: Int { byteRange.count }
}

extension TensorInfo {
  /// Why a shape cannot be.
  struct InvalidShape: Error {
    let reason: String
  }

  /// The bytes that a tensor of this format and shape takes.
  ///
  /// A negative dimension is one of 2^63 or more in the file.
  static func byteCount(type: TensorType, dimensions: [Int]) throws(InvalidShape) -> Int {
    // Zero counts as one here, so that no product of some of the dimensions overflows later.
    var elements = 1
    for dimension in dimensions {
      let (product, overflow) = elements.multipliedReportingOverflow(by: max(dimension, 1))
      guard !overflow, dimension >= 0 else {
        throw InvalidShape(reason: "more values than can be counted")
      }
      elements = product
    }
    guard (dimensions.first ?? 1).isMultiple(of: type.blockValues) else {
      throw InvalidShape(
        reason: "the row length is no multiple of the \(type.blockValues) values of a \(type) block"
      )
    }
    guard !dimensions.contains(0) else { return 0 }
    let (bytes, overflow) = (elements / type.blockValues)
      .multipliedReportingOverflow(by: type.blockBytes)
    guard !overflow else { throw InvalidShape(reason: "more bytes than can be counted") }
    return bytes
  }
}
