package import GGUF

/// Which type each tensor of a model gets.
///
/// The rules are those of llama.cpp's files of the same names: the matrix that makes the logits
/// gets more bits than the rest, and in the mix also the values and the products that go back into
/// the residual, in the layers where an error does most harm.
package struct TypeChoice: Sendable {
  private let format: QuantizedFormat
  private let isPure: Bool
  private let layerCount: Int
  private let outputName: String

  /// Rules for a model with these tensors; a pure one has the same type everywhere.
  package init(_ format: QuantizedFormat, pure isPure: Bool, tensorNames: [String]) {
    self.format = format
    self.isPure = isPure
    layerCount = (tensorNames.compactMap(Self.layer).max() ?? -1) + 1
    let output = "output.weight"
    outputName = tensorNames.contains(output) ? output : "token_embd.weight"
  }

  /// The type for a tensor, or nil where it stays as it is.
  package func type(of name: String, dimensions: [Int]) -> TensorType? {
    guard Self.isWeight(name, dimensions) else { return nil }
    return Self.fitting(wanted(name, dimensions[0]), rowLength: dimensions[0])
  }

  private func wanted(_ name: String, _ rowLength: Int) -> TensorType {
    let usual = format.type
    guard !isPure, usual.blockValues > 1 else { return usual }
    if name == outputName {
      let fits = rowLength.isMultiple(of: usual.blockValues)
      return usual == .q8_0 || !fits ? .q8_0 : .q6_k
    }
    guard format == .q4_k_m, let layer = Self.layer(name) else { return usual }
    switch name.split(separator: ".").dropFirst(2).first {
    case "attn_v", "ffn_down": return deservesMore(layer) ? .q6_k : usual
    case "attn_qkv": return .q5_k
    default: return usual
    }
  }

  /// The first and the last eighth of the layers, and every third of those between.
  private func deservesMore(_ layer: Int) -> Bool {
    let eighth = layerCount / 8
    return layer < eighth || layer >= 7 * layerCount / 8 || (layer - eighth) % 3 == 2
  }

  /// The type, or the next larger one whose blocks divide the rows.
  private static func fitting(_ type: TensorType, rowLength: Int) -> TensorType {
    var type = type
    while !rowLength.isMultiple(of: type.blockValues) {
      switch type {
      case .q4_k: type = .q5_0
      case .q5_k: type = .q5_1
      case .q6_k: type = .q8_0
      default: return .f16
      }
    }
    return type
  }

  /// Matrices that are multiplied with; not norms, biases, routers and small tables.
  private static func isWeight(_ name: String, _ dimensions: [Int]) -> Bool {
    guard name.hasSuffix("weight"), dimensions.count > 1, dimensions.count < 4 else { return false }
    return !kept.contains { name.contains($0) }
  }

  private static let kept = [
    "_norm.weight", "ffn_gate_inp.weight", "position_embd.weight", "token_types.weight",
    "ssm_conv1d.weight", "shortconv.conv.weight", "attn_rel_b.weight", "altup", "laurel",
    "per_layer_model_proj", "time_mix", ".position_embd", "patch_embd",
  ]

  private static func layer(_ name: String) -> Int? {
    let parts = name.split(separator: ".")
    return parts.count > 2 && parts[0] == "blk" ? Int(parts[1]) : nil
  }
}
