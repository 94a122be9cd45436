import ConstrainedDecoding
import Foundation
import GGUF
import Synchronization
import TestSupport
import Testing
import Tokenization

/// The vocabularies of the catalog's models.
enum RealVocabulary: String, CaseIterable, CustomTestStringConvertible {
  case smolLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"
  case gemma3 = "gemma-3-270m-q4_k_m.gguf"

  /// Those whose models are present here.
  static let available = allCases.filter { TestData.model($0.rawValue) != nil }

  var testDescription: String { rawValue }

  struct Loaded: Sendable {
    var tokenizer: Tokenizer
    var table: TokenTable
  }

  struct Absent: Error {}

  private static let loaded = Mutex<[RealVocabulary: Loaded]>([:])

  /// Tokenizer and table; made once per run.
  func load() throws -> Loaded {
    try Self.loaded.withLock { known in
      if let loaded = known[self] { return loaded }
      guard let url = TestData.model(rawValue) else { throw Absent() }
      let tokenizer = try Tokenizer(file: GGUFFile(path: url.path(percentEncoded: false)))
      let loaded = Loaded(tokenizer: tokenizer, table: TokenTable(tokenizer.vocabulary))
      known[self] = loaded
      return loaded
    }
  }
}
