import Foundation
import GGUF
import OnDeviceModels
import Quantization

let quantizeVerb = Verb(
  "quantize", usage: "[options] IN OUT TYPE",
  summary: "write a model again with its weights in another type",
  details: """
    IN is a GGUF file, the first of a split set, or a catalog name. TYPE is one of
    \(QuantizedFormat.allCases.map(\.rawValue).joined(separator: " ")).
    The matrix that makes the logits is Q6_K (Q8_0 with Q8_0), and Q4_K_M gives some layers Q6_K, as is
    usual; a type whose blocks do not divide the rows is replaced by the next larger one that does.
    Norms and biases stay as they are. Weights that are quantised already lose a little more.
    """,
  options: [Option("--pure", nil, "the same type for every weight")] + WritingOptions.options
) { arguments in
  try arguments.refuseOperands(after: 3)
  guard arguments.operands.count == 3 else { throw UsageError("IN, OUT and TYPE are needed") }
  let format = try WritingOptions.format(arguments.operands[2])
  let threads = try WritingOptions.threads(arguments)
  let path = try ModelStore().locate(arguments.operands[0]).path(percentEncoded: false)
  let quantizer = Quantizer(
    try ModelFile.open(path), as: format, pure: arguments.has("--pure"))
  let output = arguments.operands[1]
  try await WritingOptions.run(output) { progress in
    try await quantizer.write(
      to: output, replacing: arguments.has("--force"), threads: threads, progress: progress)
  }
}

let randomModelVerb = Verb(
  "random-model", usage: "[options] SHAPE OUT TYPE",
  summary: "write a model with random weights, to measure speed with",
  details: """
    SHAPE is \(ModelShape.named.map(\.name).joined(separator: " or ")), and TYPE as in hearth quantize.
    The model is of architecture llama and answers with noise; the same seed gives the same file.
    """,
  options: [
    Option("--seed", "N", "another model of the same shape (default: 0)"),
    Option("--layers", "N", "in place of the shape's"),
    Option("--embedding", "N", "in place of the shape's"),
    Option("--heads", "N", "in place of the shape's"),
    Option("--kv-heads", "N", "in place of the shape's"),
    Option("--ffn", "N", "in place of the shape's"),
    Option("--vocabulary", "N", "in place of the shape's"),
    Option("--pure", nil, "the same type for every weight"),
  ] + WritingOptions.options
) { arguments in
  try arguments.refuseOperands(after: 3)
  guard arguments.operands.count == 3 else { throw UsageError("SHAPE, OUT and TYPE are needed") }
  guard var shape = ModelShape.named.first(where: { $0.name == arguments.operands[0] })?.shape
  else {
    throw UsageError("unknown shape \"\(arguments.operands[0])\"")
  }
  shape.layers = try arguments.number("--layers", Int.self) ?? shape.layers
  shape.embedding = try arguments.number("--embedding", Int.self) ?? shape.embedding
  shape.heads = try arguments.number("--heads", Int.self) ?? shape.heads
  shape.keyValueHeads = try arguments.number("--kv-heads", Int.self) ?? shape.keyValueHeads
  shape.feedForward = try arguments.number("--ffn", Int.self) ?? shape.feedForward
  shape.vocabulary = try arguments.number("--vocabulary", Int.self) ?? shape.vocabulary
  let model = try RandomModel(
    shape, as: WritingOptions.format(arguments.operands[2]), pure: arguments.has("--pure"),
    seed: arguments.number("--seed", UInt64.self) ?? 0)
  let threads = try WritingOptions.threads(arguments)
  let output = arguments.operands[1]
  try await WritingOptions.run(output) { progress in
    try await model.write(
      to: output, replacing: arguments.has("--force"), threads: threads, progress: progress)
  }
}

/// What the verbs that write models share.
private enum WritingOptions {
  static let options = [
    Option("--force", nil, "replace OUT where it exists"),
    Option("--threads", "N", "threads (default: one per core); the bytes do not depend on them"),
  ]

  static func format(_ name: String) throws(UsageError) -> QuantizedFormat {
    guard let format = QuantizedFormat(named: name) else {
      let known = QuantizedFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("unknown type \"\(name)\"; there are \(known)")
    }
    return format
  }

  static func threads(_ arguments: Arguments) throws(UsageError) -> Int {
    try ModelOptions.positive(arguments, "--threads")
      ?? ProcessInfo.processInfo.activeProcessorCount
  }

  /// Runs the work, which Ctrl-C cancels, and shows how far it is.
  static func run(
    _ output: String,
    _ work:
      @escaping @Sendable (@escaping @Sendable (QuantizationProgress) -> Void) async throws
      -> Void
  ) async throws {
    Interrupt.prepare()
    let task = Task {
      try await work { progress in
        guard let text = text(progress) else { return }
        Console.status(text)
      }
    }
    do {
      try await Interrupt.cancelling(task)
    } catch {
      if Console.hasTerminalForErrors { Console.note("") }
      throw error
    }
    Console.note((Console.hasTerminalForErrors ? "\n" : "") + "\(output) is complete")
  }

  /// One line, rewritten in place on a terminal; elsewhere one for each tensor.
  private static func text(_ progress: QuantizationProgress) -> String? {
    let percent = 100 * progress.completedValues / max(progress.totalValues, 1)
    let line =
      "[\(progress.number)/\(progress.count)] \(percent) % \(progress.tensor) \(progress.type)"
    return Console.hasTerminalForErrors
      ? "\r\u{1B}[K" + line : progress.isBeginning ? line + "\n" : nil
  }
}
