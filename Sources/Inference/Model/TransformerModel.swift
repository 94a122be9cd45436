package import GGUF

/// Weights and configuration of a model: immutable, shared by any number of forward passes.
package final class TransformerModel: Sendable {
  package let configuration: ModelConfiguration
  package let file: GGUFFile
  let weights: Weights

  /// Checks the file's header and tensors and points at its weights; reads no weight data.
  ///
  /// - Throws: any `InferenceError` about the file.
  package init(file: GGUFFile) throws(InferenceError) {
    configuration = try ModelConfiguration(file)
    weights = try Weights(file, configuration)
    self.file = file
  }
}

/// For which tokens of a chunk the logits are wanted.
package enum LogitsWanted: Sendable {
  case none
  case last
  case all
}
