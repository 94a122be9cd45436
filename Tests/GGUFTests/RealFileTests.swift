import Foundation
import GGUF
import TestSupport
import Testing

@Suite struct RealFileTests {
  static let fixtures = [
    "gemma2", "gemma3", "llama", "llama-tied", "llama3-rope", "mistral", "phi3", "qwen2", "qwen3",
  ]

  @Test(arguments: fixtures)
  func opensFixture(name: String) throws {
    let url = TestData.fixtures.appending(path: "arch/\(name).gguf")
    let file = try GGUFFile(path: url.path(percentEncoded: false))
    print(name, file.version, file.metadata.count, file.tensors.count, file.tensorByteCount)
  }
}
