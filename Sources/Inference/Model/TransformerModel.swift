package import GGUF

/// Weights and configuration of a model: immutable, shared by any number of forward passes.
package final class TransformerModel: Sendable {
  package let configuration: ModelConfiguration
  package let file: GGUFFile
  let weights: Weights
  /// Where the weights are: `interleaved` in place of `cached` where that could not be.
  package let layout: WeightLayout
  /// Why weights that should be cached are not.
  package let cacheProblem: GGUFError?

  /// Checks the file's header and tensors and makes its weights ready.
  ///
  /// - Parameters:
  ///   - file: an open model file, which the model keeps.
  ///   - layout: `mapped` reads no weight data; `interleaved` copies it; `cached` does so once.
  ///   - threads: for the copy; nil takes one per core.
  /// - Throws: any `InferenceError` about the file, `outOfMemory`, `threads`.
  package init(
    file: GGUFFile, layout: WeightLayout = .interleaved, threads: Int? = nil
  ) throws(InferenceError) {
    configuration = try ModelConfiguration(file)
    let mapped = try Weights(file, configuration)
    let threads = threads ?? ProcessorCount.online
    self.file = file
    var problem: GGUFError?
    switch layout {
    case .mapped:
      (weights, self.layout) = (mapped, .mapped)
    case .interleaved:
      (weights, self.layout) = (try mapped.interleaved(file, threads: threads), .interleaved)
    case .cached:
      switch try mapped.cached(file, threads: threads) {
      case .success(let cached):
        (weights, self.layout) = (cached, .cached)
      case .failure(let error):
        (weights, self.layout) = (try mapped.interleaved(file, threads: threads), .interleaved)
        problem = error
      }
    }
    cacheProblem = problem
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
  /// In that order in a second file of the same size beside the model's, `NAME.interleaved`.
  ///
  /// It is written when it is missing or belongs to another state of the model's file, and mapped:
  /// loading copies nothing from the second time on, and the weights are clean pages, which the system
  /// can drop and read again. Where it cannot be written, weights are as in `interleaved`.
  case cached
}

/// For which tokens of a chunk the logits are wanted.
package enum LogitsWanted: Sendable {
  case none
  case last
  case all
}
