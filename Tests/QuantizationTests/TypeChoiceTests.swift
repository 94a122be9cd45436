import GGUF
import Quantization
import Testing

/// The rules of llama.cpp's files of the same names, worked out by hand.
@Suite struct TypeChoiceTests {
  /// The names of a model of so many layers, with or without an output matrix of its own.
  private func names(layers: Int, tied: Bool = false) -> [String] {
    let parts = ["attn_q", "attn_v", "attn_norm", "ffn_down", "attn_qkv"]
    return ["token_embd.weight", "output_norm.weight"] + (tied ? [] : ["output.weight"])
      + (0..<layers).flatMap { layer in parts.map { "blk.\(layer).\($0).weight" } }
  }

  private func layers(
    _ count: Int, of part: String, with type: TensorType, _ format: QuantizedFormat = .q4_k_m
  ) -> [Int] {
    let choice = TypeChoice(format, pure: false, tensorNames: names(layers: count))
    return (0..<count).filter {
      choice.type(of: "blk.\($0).\(part).weight", dimensions: [256, 256]) == type
    }
  }

  @Test func theMixGivesMoreBitsToTheOuterLayersAndEveryThird() {
    // 32 layers: the first 4, the last 4, and 6, 9, … between.
    let expected = [0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31]
    #expect(layers(32, of: "attn_v", with: .q6_k) == expected)
    #expect(layers(32, of: "ffn_down", with: .q6_k) == expected)
    // 30 layers: the first 3, from 26 on (7 · 30 / 8 = 26), and 5, 8, … between.
    #expect(
      layers(30, of: "ffn_down", with: .q6_k)
        == [0, 1, 2, 5, 8, 11, 14, 17, 20, 23, 26, 27, 28, 29])
    #expect(layers(2, of: "attn_v", with: .q6_k) == [1])
    #expect(layers(32, of: "attn_qkv", with: .q5_k) == Array(0..<32))
    #expect(layers(32, of: "attn_q", with: .q4_k) == Array(0..<32))
  }

  @Test func onlyTheMixChoosesByLayer() {
    #expect(layers(32, of: "attn_v", with: .q4_k, .q4_k) == Array(0..<32))
    #expect(layers(32, of: "ffn_down", with: .q4_0, .q4_0) == Array(0..<32))
  }

  @Test(arguments: [
    (QuantizedFormat.q4_0, TensorType.q6_k), (.q4_1, .q6_k), (.q5_0, .q6_k), (.q5_1, .q6_k),
    (.q8_0, .q8_0), (.q4_k, .q6_k), (.q4_k_m, .q6_k), (.q5_k, .q6_k), (.q6_k, .q6_k),
    (.f16, .f16), (.bf16, .bf16), (.f32, .f32),
  ])
  func theMatrixOfTheLogitsGetsMoreBits(format: QuantizedFormat, type: TensorType) {
    let own = TypeChoice(format, pure: false, tensorNames: names(layers: 2))
    #expect(own.type(of: "output.weight", dimensions: [512, 100]) == type)
    #expect(own.type(of: "token_embd.weight", dimensions: [512, 100]) == format.type)
    let tied = TypeChoice(format, pure: false, tensorNames: names(layers: 2, tied: true))
    #expect(tied.type(of: "token_embd.weight", dimensions: [512, 100]) == type)
    let pure = TypeChoice(format, pure: true, tensorNames: names(layers: 2))
    #expect(pure.type(of: "output.weight", dimensions: [512, 100]) == format.type)
  }

  @Test(arguments: [
    (QuantizedFormat.q4_k, 288, TensorType.q5_0), (.q5_k, 288, .q5_1), (.q6_k, 288, .q8_0),
    (.q4_0, 48, .f16), (.q4_k, 48, .f16), (.q6_k, 1, .f16), (.q8_0, 33, .f16), (.q4_k, 512, .q4_k),
    (.f32, 7, .f32), (.bf16, 7, .bf16),
  ])
  func rowsThatNoBlockDividesGetTheNextLargerType(
    format: QuantizedFormat, rowLength: Int, type: TensorType
  ) {
    let choice = TypeChoice(format, pure: true, tensorNames: names(layers: 1))
    #expect(choice.type(of: "blk.0.attn_q.weight", dimensions: [rowLength, 8]) == type)
  }

  @Test func theLogitsMatrixFallsBackToo() {
    let choice = TypeChoice(.q4_k_m, pure: false, tensorNames: names(layers: 1))
    #expect(choice.type(of: "output.weight", dimensions: [288, 8]) == .q8_0)
    #expect(choice.type(of: "output.weight", dimensions: [7, 8]) == .f16)
    let small = TypeChoice(.q4_0, pure: false, tensorNames: names(layers: 1))
    #expect(small.type(of: "output.weight", dimensions: [288, 8]) == .q8_0)
  }

  @Test(arguments: [
    ("blk.0.attn_norm.weight", [512]), ("output_norm.weight", [512]),
    ("blk.0.attn_q_norm.weight", [128, 4]), ("blk.0.attn_q.bias", [512, 2]),
    ("rope_freqs.weight", [64]), ("blk.0.ffn_gate_inp.weight", [512, 8]),
    ("blk.0.ssm_conv1d.weight", [4, 512]), ("v.patch_embd.weight", [14, 14, 3, 1024]),
  ])
  func smallTablesStayAsTheyAre(name: String, dimensions: [Int]) {
    let choice = TypeChoice(.q4_0, pure: true, tensorNames: [name])
    #expect(choice.type(of: name, dimensions: dimensions) == nil)
  }

  @Test func experts() {
    let choice = TypeChoice(.q4_0, pure: true, tensorNames: ["blk.0.ffn_up_exps.weight"])
    #expect(choice.type(of: "blk.0.ffn_up_exps.weight", dimensions: [256, 32, 8]) == .q4_0)
  }

  @Test func formatsAreKnownByTheirNamesInAnyCase() {
    #expect(QuantizedFormat(named: "q4_k_m") == .q4_k_m)
    #expect(QuantizedFormat(named: "Q8_0") == .q8_0)
    #expect(QuantizedFormat(named: "bf16") == .bf16)
    #expect(QuantizedFormat(named: "Q9_0") == nil)
    #expect(QuantizedFormat(named: "") == nil)
  }
}
