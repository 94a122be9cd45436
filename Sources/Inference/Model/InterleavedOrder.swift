/// Which matrices of a model get interleaved rows, and where each lies among all of them, in one
/// stretch of memory or of a file.
struct InterleavedOrder {
  /// A matrix and its first byte.
  struct Place {
    let matrix: WeightMatrix
    let offset: Int
  }

  private(set) var places: [Place] = []
  /// Bytes of all of them; each begins at a cache line.
  private(set) var byteCount = 0

  /// The order for matrices that are named once each.
  init(_ matrices: [WeightMatrix]) {
    for matrix in matrices where matrix.canInterleave {
      places.append(Place(matrix: matrix, offset: byteCount))
      byteCount += matrix.byteCount + Self.padding(after: matrix)
    }
  }

  /// Bytes between a matrix and the next one.
  static func padding(after matrix: WeightMatrix) -> Int { -matrix.byteCount & 63 }
}

extension ArraySlice<InterleavedOrder.Place> {
  /// Removes the first place if it is that of `matrix`; matrices are asked for in order.
  mutating func popFirst(of matrix: WeightMatrix) -> InterleavedOrder.Place? {
    guard matrix.canInterleave, let place = first, place.matrix.isSame(as: matrix) else {
      return nil
    }
    return popFirst()
  }
}
