package import GGUF

/// Writes a model again with its weights in another type.
package struct Quantizer: Sendable {
  private let input: GGUFFile
  private let format: QuantizedFormat
  private let isPure: Bool

  /// - Parameters:
  ///   - input: the model, in one file or a split set; its weights may be quantised already.
  ///   - format: what the weights are converted to.
  ///   - isPure: the format's type for every weight, without the exceptions that are usual.
  package init(_ input: GGUFFile, as format: QuantizedFormat, pure isPure: Bool = false) {
    self.input = input
    self.format = format
    self.isPure = isPure
  }

  /// Writes the file; it takes its place when it is complete.
  ///
  /// - Parameters:
  ///   - path: where to.
  ///   - replacing: whether a file of that name may be there.
  ///   - threads: how many share the work; the bytes do not depend on it.
  ///   - progress: called on another thread.
  /// - Throws: `QuantizationError`, or `CancellationError`; nothing is left of the file then.
  package func write(
    to path: String, replacing: Bool = false, threads: Int,
    progress: @escaping @Sendable (QuantizationProgress) -> Void = { _ in }
  ) async throws {
    try OutputPath.check(path, inputs: input.paths, replacing: replacing)
    let tensors = try plan()
    try await onOwnThread { isCancelled in
      try ModelWriter(
        tensors: tensors, input: input, isCancelled: isCancelled, progress: progress
      ).write(metadata(), to: path, threads: threads)
    }
  }

  private func plan() throws(QuantizationError) -> [TensorPlan] {
    let choice = TypeChoice(format, pure: isPure, tensorNames: input.tensors.map(\.name))
    var plan: [TensorPlan] = []
    for tensor in input.tensors {
      let wanted = choice.type(of: tensor.name, dimensions: tensor.dimensions) ?? tensor.type
      guard wanted == tensor.type || BlockPacker.reads(tensor.type) else {
        throw .unreadableType(tensor: tensor.name, type: tensor.type)
      }
      plan.append(
        TensorPlan(
          name: tensor.name, type: wanted, dimensions: tensor.dimensions,
          source: wanted == tensor.type ? .copy(tensor) : .convert(tensor)))
    }
    return plan
  }

  /// That of the input, without what says that it was split.
  private func metadata() -> GGUFWriter {
    var writer = GGUFWriter()
    for entry in input.metadata where !entry.key.hasPrefix("split.") {
      writer.set(entry.key, entry.value)
    }
    writer.set("general.file_type", .uint32(format.fileType))
    writer.set("general.quantization_version", .uint32(2))
    return writer
  }
}
