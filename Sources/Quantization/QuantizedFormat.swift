package import GGUF

// The format names are fixed terms of the field, underscores and all.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// What a model's weights can be converted to: one type, or the usual mix of several.
package enum QuantizedFormat: String, CaseIterable, Sendable {
  case f32 = "F32"
  case f16 = "F16"
  case bf16 = "BF16"
  case q4_0 = "Q4_0"
  case q4_1 = "Q4_1"
  case q5_0 = "Q5_0"
  case q5_1 = "Q5_1"
  case q8_0 = "Q8_0"
  case q4_k = "Q4_K"
  case q4_k_m = "Q4_K_M"
  case q5_k = "Q5_K"
  case q6_k = "Q6_K"

  /// The format of that name in upper or lower case.
  package init?(named name: String) { self.init(rawValue: name.uppercased()) }

  /// The type of most tensors.
  package var type: TensorType {
    switch self {
    case .f32: .f32
    case .f16: .f16
    case .bf16: .bf16
    case .q4_0: .q4_0
    case .q4_1: .q4_1
    case .q5_0: .q5_0
    case .q5_1: .q5_1
    case .q8_0: .q8_0
    case .q4_k, .q4_k_m: .q4_k
    case .q5_k: .q5_k
    case .q6_k: .q6_k
    }
  }

  /// What `general.file_type` says of such a file; that of the small mix where there is no pure one.
  var fileType: UInt32 {
    switch self {
    case .f32: 0
    case .f16: 1
    case .bf16: 32
    case .q4_0: 2
    case .q4_1: 3
    case .q5_0: 8
    case .q5_1: 9
    case .q8_0: 7
    case .q4_k: 14
    case .q4_k_m: 15
    case .q5_k: 16
    case .q6_k: 18
    }
  }
}
