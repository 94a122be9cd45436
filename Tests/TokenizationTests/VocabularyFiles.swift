import Foundation
import GGUF
import Synchronization
import TestSupport
import Testing
import Tokenization

/// The expected results of one vocabulary.
struct TokenizerGolden: Decodable {
  struct Case: Decodable {
    var text: String
    var ids: [TokenID]
  }

  var cases: [Case]
  var parse_special: [Case]
  var add_special: [Case]
}

/// A vocabulary outside the repository, with its expected results.
enum VocabularyFile: String, CaseIterable, CustomTestStringConvertible {
  case deepseekLLM = "deepseek-llm"
  case falcon
  case gpt2 = "gpt-2"
  case llamaBPE = "llama-bpe"
  case llamaSPM = "llama-spm"
  case phi3 = "phi-3"
  case qwen2
  case starcoder
  case smolLM2 = "SmolLM2-135M-Instruct"
  case gemma3 = "gemma-3-270m"

  /// The names of those that are not present here, for saying why their tests are skipped.
  static let absent = allCases.filter { !$0.isAvailable }.map(\.rawValue)

  /// Those that are present here.
  static let available = allCases.filter(\.isAvailable)

  var testDescription: String { rawValue }

  var goldens: URL? { TestData.sharedFile("goldens/tokenizers/\(rawValue).json") }
  private var packed: URL? { TestData.sharedFile("goldens/tokenizers/\(rawValue).gguf.gz") }

  /// The file of a real model, for the vocabularies that come from one.
  private var model: String? {
    switch self {
    case .smolLM2: "SmolLM2-135M-Instruct.Q4_1.gguf"
    case .gemma3: "gemma-3-270m-q4_k_m.gguf"
    default: nil
    }
  }

  private var modelPath: String? {
    guard let model else { return nil }
    let environment = ProcessInfo.processInfo.environment
    let data = environment["XDG_DATA_HOME"] ?? NSHomeDirectory() + "/.local/share"
    let path = (environment["HEARTH_MODELS"] ?? data + "/hearth/models") + "/" + model
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  var isAvailable: Bool { goldens != nil && (packed != nil || modelPath != nil) }

  func golden() throws -> TokenizerGolden {
    let url = try present(goldens)
    return try JSONDecoder().decode(TokenizerGolden.self, from: Data(contentsOf: url))
  }

  /// The model file, unpacked into memory where it is packed.
  func file() throws -> GGUFFile {
    if let modelPath { return try GGUFFile(path: modelPath) }
    let unpack = Process()
    unpack.executableURL = URL(filePath: "/usr/bin/env")
    unpack.arguments = ["gzip", "-dc", try present(packed).path(percentEncoded: false)]
    let output = Pipe()
    unpack.standardOutput = output
    try unpack.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    unpack.waitUntilExit()
    return try GGUFFile(bytes: [UInt8](bytes))
  }

  private static let loaded = Mutex<[VocabularyFile: Tokenizer]>([:])

  /// The tokenizer; made once per run.
  func tokenizer() throws -> Tokenizer {
    try Self.loaded.withLock { loaded in
      if let tokenizer = loaded[self] { return tokenizer }
      let tokenizer = try Tokenizer(file: file())
      loaded[self] = tokenizer
      return tokenizer
    }
  }
}

struct Absent: Error {}

private func present<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Absent() }
  return value
}
