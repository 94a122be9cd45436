package import GGUF

/// Weights and configuration of a model: immutable, shared by any number of forward passes.
package final class TransformerModel: Sendable {
  package let configuration: ModelConfiguration
  package let file: GGUFFile
  let weights: Weights

  /// Checks the file's header and tensors and makes its weights ready.
  ///
  /// - Parameters:
  ///   - file: an open model file, which the model keeps.
  ///   - layout: `mapped` reads no weight data; `interleaved` copies it.
  ///   - threads: for the copy; nil takes one per core.
  /// - Throws: any `InferenceError` about the file, `outOfMemory`, `threads`.
  package init(
    file: GGUFFile, layout: WeightLayout = .interleaved, threads: Int? = nil
  ) throws(InferenceError) {
    configuration = try ModelConfiguration(file)
    let mapped = try Weights(file, configuration)
    weights =
      switch layout {
      case .mapped: mapped
      case .interleaved:
        try mapped.interleaved(file, threads: threads ?? ProcessorCount.online)
      }
    self.file = file
  }

  /// Bytes of the weights that the interleaved layout copies, from the file's header alone.
  package static func interleavedByteCount(of file: GGUFFile) -> Int {
    file.tensors.reduce(0) { $0 + (WeightMatrix.canInterleave($1) ? $1.byteCount : 0) }
  }
}

/// Where the weights of a loaded model are and in which order.
public enum WeightLayout: Sendable, Equatable {
  /// In the file's mapping: no memory of their own, slower products.
  case mapped
  /// Copied once into the order that products read fastest; takes the place of the file's pages.
  case interleaved
}

/// For which tokens of a chunk the logits are wanted.
package enum LogitsWanted: Sendable {
  case none
  case last
  case all
}
