package import GGUF

/// Why a file cannot be quantised or made.
package enum QuantizationError: Error, Equatable, Sendable {
  /// The input cannot be read, or the output not written.
  case file(GGUFError)
  /// The output is (one of) the input's files.
  case sameFile(path: String)
  /// There is something of that name already.
  case exists(path: String)
  /// A tensor in a format whose values cannot be read.
  case unreadableType(tensor: String, type: TensorType)
  /// A value that is no number, or larger than the format can hold.
  case unusableValue(tensor: String, row: Int, column: Int, value: String, type: TensorType)
  /// A shape that no model can have.
  case invalidShape(reason: String)
  /// The worker threads cannot be made.
  case threads(requested: Int, limit: Int)
  /// The task was cancelled; nothing is left of the output.
  case cancelled
}

extension QuantizationError: CustomStringConvertible {
  /// Says what is wrong, where, and what to do next.
  package var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .sameFile(let path):
      "\(path) is the input itself. Choose another name for the output."
    case .exists(let path):
      "\(path) exists. Choose another name, or allow that it is replaced."
    case .unreadableType(let tensor, let type):
      "Tensor '\(tensor)' is \(type), which cannot be read. Take a file of another quantisation."
    case .unusableValue(let tensor, let row, let column, let value, let type):
      "Tensor '\(tensor)' has \(value) in row \(row), column \(column), which \(type) cannot hold. "
        + "The file is damaged, or needs a type with a larger range."
    case .invalidShape(let reason): "No model can have this shape: \(reason)."
    case .threads(let requested, let limit):
      "Cannot make \(requested) threads; 1 to \(limit) are possible."
    case .cancelled: "Cancelled."
    }
  }
}
