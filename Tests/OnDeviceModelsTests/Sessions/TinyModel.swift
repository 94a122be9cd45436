import Foundation
import GGUF
import Inference
import LanguageModels
import OnDeviceModels
import TestSupport
import Testing

/// A tiny model with random weights: what it says is noise, so that only guides give it a shape.
enum TinyModel {
  static let path = (try? longContextCopy()) ?? "missing"

  /// Tokens are single bytes, so windows have to be large: the copy claims to be trained for that.
  private static func longContextCopy() throws -> String {
    let original = TestData.fixtures.appending(path: "arch/llama.gguf")
    let file = try GGUFFile(path: original.path(percentEncoded: false))
    var writer = GGUFWriter()
    for entry in file.metadata { writer.set(entry.key, entry.value) }
    writer.set("llama.context_length", .uint32(4096))
    for tensor in file.tensors {
      let bytes = file.withBytes(of: tensor) { span in
        (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      }
      writer.add(tensor.name, tensor.type, tensor.dimensions, bytes: bytes)
    }
    let copy = FileManager.default.temporaryDirectory.appending(path: "hearth-tests-tiny.gguf")
    try Data(writer.bytes()).write(to: copy, options: .atomic)
    return copy.path(percentEncoded: false)
  }

  /// Tests that look at what is loaded or cached take a context size of their own, and with it a
  /// loaded model of their own.
  static func model(
    contextSize: Int? = 2048, sampling: SamplingOptions = .greedy,
    template: ChatTemplateChoice = .chatML, timeLimit: Duration? = nil
  ) -> OnDeviceLanguageModel {
    OnDeviceLanguageModel(
      file: path,
      options: .init(
        contextSize: contextSize, threads: 1, sampling: sampling, template: template,
        timeLimit: timeLimit))
  }

  /// The same file without sessions, for expected values.
  static func plain(contextSize: Int? = 2048) async throws -> OnDeviceModel {
    try await OnDeviceModel.load(
      file: path, options: EngineOptions(contextSize: contextSize, threads: 1), template: .chatML)
  }

  /// Samples far off from what the model would say.
  static func hot(_ seed: UInt64) -> SamplingOptions {
    SamplingOptions(temperature: 4, topK: 0, topP: 1, minP: 0, seed: seed)
  }
}

/// At most so many tokens.
func atMost(_ tokens: Int) -> LanguageModels.GenerationOptions {
  LanguageModels.GenerationOptions(maximumResponseTokens: tokens)
}
