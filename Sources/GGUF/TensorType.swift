// The format names are fixed terms of the field, underscores and all.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number format of a tensor, with the id that files use for it.
///
/// Values are stored in blocks of `blockValues` values that take `blockBytes` bytes together.
public enum TensorType: UInt32, CaseIterable, Sendable {
  case f32 = 0
  case f16 = 1
  case q4_0 = 2
  case q4_1 = 3
  case q5_0 = 6
  case q5_1 = 7
  case q8_0 = 8
  case q8_1 = 9
  case q2_k = 10
  case q3_k = 11
  case q4_k = 12
  case q5_k = 13
  case q6_k = 14
  case q8_k = 15
  case iq2_xxs = 16
  case iq2_xs = 17
  case iq3_xxs = 18
  case iq1_s = 19
  case iq4_nl = 20
  case iq3_s = 21
  case iq2_s = 22
  case iq4_xs = 23
  case i8 = 24
  case i16 = 25
  case i32 = 26
  case i64 = 27
  case f64 = 28
  case iq1_m = 29
  case bf16 = 30
  case tq1_0 = 34
  case tq2_0 = 35
  case mxfp4 = 39
  case nvfp4 = 40
  case q1_0 = 41
  case q2_0 = 42
}

extension TensorType {
  /// The usual name: `Q4_K`.
  public var name: String { layout.name }

  /// How many values one block holds; 1 for plain numbers.
  public var blockValues: Int { layout.values }

  /// How many bytes one block takes.
  public var blockBytes: Int { layout.bytes }

  /// The type table: name, values and bytes of one block.
  private var layout: (name: String, values: Int, bytes: Int) {
    switch self {
    case .f32: ("F32", 1, 4)
    case .f16: ("F16", 1, 2)
    case .q4_0: ("Q4_0", 32, 18)
    case .q4_1: ("Q4_1", 32, 20)
    case .q5_0: ("Q5_0", 32, 22)
    case .q5_1: ("Q5_1", 32, 24)
    case .q8_0: ("Q8_0", 32, 34)
    case .q8_1: ("Q8_1", 32, 36)
    case .q2_k: ("Q2_K", 256, 84)
    case .q3_k: ("Q3_K", 256, 110)
    case .q4_k: ("Q4_K", 256, 144)
    case .q5_k: ("Q5_K", 256, 176)
    case .q6_k: ("Q6_K", 256, 210)
    case .q8_k: ("Q8_K", 256, 292)
    case .iq2_xxs: ("IQ2_XXS", 256, 66)
    case .iq2_xs: ("IQ2_XS", 256, 74)
    case .iq3_xxs: ("IQ3_XXS", 256, 98)
    case .iq1_s: ("IQ1_S", 256, 50)
    case .iq4_nl: ("IQ4_NL", 32, 18)
    case .iq3_s: ("IQ3_S", 256, 110)
    case .iq2_s: ("IQ2_S", 256, 82)
    case .iq4_xs: ("IQ4_XS", 256, 136)
    case .i8: ("I8", 1, 1)
    case .i16: ("I16", 1, 2)
    case .i32: ("I32", 1, 4)
    case .i64: ("I64", 1, 8)
    case .f64: ("F64", 1, 8)
    case .iq1_m: ("IQ1_M", 256, 56)
    case .bf16: ("BF16", 1, 2)
    case .tq1_0: ("TQ1_0", 256, 54)
    case .tq2_0: ("TQ2_0", 256, 66)
    case .mxfp4: ("MXFP4", 32, 17)
    case .nvfp4: ("NVFP4", 64, 36)
    case .q1_0: ("Q1_0", 128, 18)
    case .q2_0: ("Q2_0", 64, 18)
    }
  }
}

extension TensorType: CustomStringConvertible {
  /// The usual name: `Q4_K`.
  public var description: String { name }
}

extension TensorType {
  /// Why an id in a file names no type that can be read.
  public enum Refusal: Error, Equatable, Sendable {
    /// The format existed once and was taken out of GGUF.
    case removed
    /// A format of the ik_llama.cpp fork, whose own ids lie above 100.
    case ikOnly
    /// No format has this id.
    case unknown
  }

  /// Finds the type with the id that a file states.
  ///
  /// - Throws: `Refusal` where no readable type has this id.
  public init(id: UInt32) throws(Refusal) {
    if let type = TensorType(rawValue: id) {
      self = type
      return
    }
    switch id {
    case 4, 5, 31...33, 36...38: throw .removed
    // The fork's ids have three digits; a larger number is damage.
    case 101...999: throw .ikOnly
    default: throw .unknown
    }
  }
}
