/// Why a GGUF file cannot be read: which field, at which byte, and what to do about it.
public enum GGUFError: Error, Equatable, Sendable {
  /// The file cannot be opened or read.
  case cannotRead(path: String, reason: String)
  /// A file cannot be written.
  case cannotWrite(path: String, reason: String)
  /// The file system has less room left than a file needs.
  case diskFull(path: String, needed: Int, free: Int)
  /// The file does not begin with the GGUF magic; `looksLike` says what it seems to be.
  case notGGUF(looksLike: String)
  /// A format version other than 2 and 3.
  case unsupportedVersion(UInt32)
  /// A file of a big-endian machine.
  case bigEndian(version: UInt32)
  /// The file ends within the header: the field needs more bytes than there are.
  case truncated(field: String, offset: Int, needed: UInt64, available: Int)
  /// The field would make the header longer than any model needs.
  case oversizedHeader(field: String, offset: Int, maximum: Int)
  /// A count that the rest of the header cannot hold.
  case impossibleCount(field: String, offset: Int, count: UInt64, maximum: UInt64)
  /// A metadata key that is empty, too long or not made of ASCII letters, digits, `.`, `_`, `-`.
  case invalidKey(String, offset: Int)
  /// A metadata key that occurs twice.
  case duplicateKey(String, offset: Int)
  /// A value type that the format does not define.
  case unknownValueType(key: String, offset: Int, id: UInt32)
  /// An array of arrays.
  case nestedArray(key: String, offset: Int)
  /// A Boolean stored as something else than 0 and 1.
  case invalidBool(key: String, offset: Int, byte: UInt8)
  /// An alignment that is no power of two from 8 to 1 MiB.
  case invalidAlignment(Int, offset: Int)
  /// A tensor name that is empty, 64 bytes or longer, or not plain UTF-8 text.
  case invalidTensorName(String, offset: Int)
  /// A tensor name that occurs twice in a file.
  case duplicateTensor(String, offset: Int)
  /// A tensor with too many dimensions or an impossible size.
  case invalidShape(tensor: String, offset: Int, dimensions: [UInt64], reason: String)
  /// A tensor format that cannot be read.
  case unsupportedTensorType(
    tensor: String, offset: Int, id: UInt32, refusal: TensorType.Refusal)
  /// Tensor data that does not lie right after that of the tensor before.
  case wrongTensorOffset(tensor: String, offset: Int, expected: Int, found: UInt64)
  /// The file is shorter than its tensors need.
  case incompleteFile(size: Int, needed: Int)
  /// A metadata value of another type, or outside the range that is allowed.
  case wrongMetadata(key: String, offset: Int, expected: String, found: String)
  /// A split set whose files do not belong together, or one of which is missing.
  case invalidSplit(path: String, reason: String)
  /// An error in a file of a split set other than the first.
  indirect case inShard(path: String, GGUFError)
}

extension GGUFError: CustomStringConvertible {
  /// Says what is wrong, where, and what to do next.
  public var description: String {
    let damaged = "The file is damaged or its download did not finish; fetch it again."
    let malformed = "The file is malformed; get it from another source or convert the model again."
    switch self {
    case .cannotRead(let path, let reason):
      return "Cannot read \(path): \(reason). Check the path and the permissions."
    case .cannotWrite(let path, let reason):
      return "Cannot write \(path): \(reason)."
    case .diskFull(let path, let needed, let free):
      return "Cannot write \(path): it needs \(needed) bytes and the disk has \(free) left. "
        + "Free some, or choose another folder."
    case .notGGUF(let looksLike):
      return "Not a GGUF file: it looks like \(looksLike). Choose a file that ends in .gguf."
    case .unsupportedVersion(let version):
      return "GGUF version \(version) at byte 4 is not supported, only 2 and 3 are. "
        + "Convert the model again."
    case .bigEndian(let version):
      return "The version at byte 4 is a big-endian \(version): the file was made for a "
        + "big-endian machine. Get the little-endian file of this model."
    case .truncated(let field, let offset, let needed, let available):
      return "The \(field) at byte \(offset) needs \(needed) bytes but the file has only "
        + "\(available) more. \(damaged)"
    case .oversizedHeader(let field, let offset, let maximum):
      return "The \(field) at byte \(offset) makes the header longer than \(maximum) bytes. "
        + malformed
    case .impossibleCount(let field, let offset, let count, let maximum):
      return "The \(field) at byte \(offset) is \(count), but there is room for at most "
        + "\(maximum). \(damaged)"
    case .invalidKey(let key, let offset):
      return "The metadata key \(quoted(key)) at byte \(offset) must be 1 to 65535 ASCII letters, "
        + "digits, '.', '_' or '-'. \(malformed)"
    case .duplicateKey(let key, let offset):
      return "The metadata key \(quoted(key)) occurs a second time at byte \(offset). \(malformed)"
    case .unknownValueType(let key, let offset, let id):
      return "The value of \(quoted(key)) has the unknown type \(id) at byte \(offset). "
        + malformed
    case .nestedArray(let key, let offset):
      return "The value of \(quoted(key)) is an array of arrays (byte \(offset)), which is not "
        + "supported. Convert the model again without this key."
    case .invalidBool(let key, let offset, let byte):
      return "The Boolean of \(quoted(key)) at byte \(offset) is \(byte); only 0 and 1 are "
        + "allowed. \(malformed)"
    case .invalidAlignment(let alignment, let offset):
      return "The value of 'general.alignment' at byte \(offset) is \(alignment); a power of two "
        + "from 8 to 1048576 is needed. \(malformed)"
    case .invalidTensorName(let name, let offset):
      return "The tensor name \(quoted(name)) at byte \(offset) must be 1 to 63 bytes of plain "
        + "UTF-8 text. \(malformed)"
    case .duplicateTensor(let name, let offset):
      return "The tensor \(quoted(name)) occurs a second time at byte \(offset). \(malformed)"
    case .invalidShape(let tensor, let offset, let dimensions, let reason):
      return "The shape \(dimensions) of tensor \(quoted(tensor)) at byte \(offset) is "
        + "impossible: \(reason). \(malformed)"
    case .unsupportedTensorType(let tensor, let offset, let id, let refusal):
      return "Tensor \(quoted(tensor)) has type \(id) at byte \(offset), \(refusal.advice)"
    case .wrongTensorOffset(let tensor, let offset, let expected, let found):
      return "The data offset of tensor \(quoted(tensor)) at byte \(offset) is \(found) where "
        + "\(expected) was expected. \(malformed)"
    case .incompleteFile(let size, let needed):
      return "The file is \(size) bytes, needs \(needed). \(damaged)"
    case .wrongMetadata(let key, let offset, let expected, let found):
      return "The metadata value \(quoted(key)) at byte \(offset) must be \(expected), "
        + "found \(found). \(malformed)"
    case .invalidSplit(let path, let reason):
      return "\(path): \(reason)"
    case .inShard(let path, let error):
      return "\(path): \(error)"
    }
  }
}

extension TensorType.Refusal {
  /// The end of a message about the tensor type.
  var advice: String {
    switch self {
    case .removed:
      "a format that was removed from GGUF. Convert the model again with current tools."
    case .ikOnly:
      "an IK-only type of the ik_llama.cpp fork. Get the model in a standard quantisation."
    case .unknown:
      "which is unknown. The file is damaged, or made for a newer reader."
    }
  }
}

/// Text of a file for a message: in quotes, control characters escaped, cut where it is long.
func quoted(_ text: String) -> String {
  let scalars = text.unicodeScalars
  let shown = scalars.prefix(80).map { $0.escaped(asASCII: false) }.joined()
  return scalars.count > 80 ? "'\(shown)…'" : "'\(shown)'"
}
