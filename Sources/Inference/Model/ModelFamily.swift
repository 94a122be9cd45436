internal import GGUF

/// What is special about each supported architecture, on top of what the header says.
///
/// Adding a family is adding a case, its fields here and, if it needs one, a field of
/// `ModelConfiguration`.
enum ModelFamily: String, CaseIterable {
  case llama
  case mistral
  case qwen2
  case qwen3
  case gemma2
  case gemma3
  case phi3

  var pairing: RoPEPairing {
    switch self {
    case .llama, .mistral: .adjacent
    case .qwen2, .qwen3, .gemma2, .gemma3, .phi3: .halves
    }
  }

  var isGemma: Bool { self == .gemma2 || self == .gemma3 }

  /// Query and key heads have a norm of their own.
  var hasHeadNorms: Bool { self == .qwen3 || self == .gemma3 }

  /// Whether layer `index` sees a sliding window only; Gemma alternates local and global layers.
  func isLocal(layer index: Int, pattern: Int) -> Bool {
    isGemma && (index + 1) % pattern != 0
  }

  /// One layer in this many is global.
  var defaultPattern: Int { self == .gemma2 ? 2 : 6 }

  /// The window that the published models of this family have when the file names none.
  var defaultWindow: Int { self == .gemma2 ? 4096 : 512 }
}
