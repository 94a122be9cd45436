import Foundation
import Inference
import LanguageModels
import OnDeviceModels
import Testing

/// What a session with a model on this device says when something is wrong.
@Suite struct OnDeviceErrorTests {
  @Test func anAddressThatIsNoFilesIsNotTakenForAPath() async throws {
    let url = try #require(URL(string: "https://example.com\(TinyModel.path)"))
    let model = OnDeviceLanguageModel(file: url, options: .init(template: .chatML))
    let error = await #expect(throws: (any Error).self) {
      try await LanguageModelSession(model: model).respond(to: "x", options: atMost(1))
    }
    #expect(error?.localizedDescription.contains("https://example.com/") == true)
  }

  @Test func errorsOfEveryModuleSayInWordsWhatIsWrong() async throws {
    let errors: [any Error & CustomStringConvertible] = [
      InferenceError.busy, InferenceError.invalidOption(name: "top-p", reason: "must be 1"),
      OnDeviceModelError.noChatTemplate(path: "/x"),
    ]
    for error in errors { #expect(error.localizedDescription == error.description) }
    for (file, part) in [
      ("/no/such/file.gguf", "there is no such file"), ("/", "it is a folder, not a file"),
    ] {
      let model = OnDeviceLanguageModel(file: file)
      let error = await #expect(throws: (any Error).self) {
        try await LanguageModelSession(model: model).respond(to: "x")
      }
      #expect(error?.localizedDescription.contains(part) == true)
    }
    let error = await #expect(throws: InferenceError.self) {
      try await LanguageModelSession(model: TinyModel.model()).respond(to: "x", options: atMost(-1))
    }
    #expect(error?.localizedDescription == "option maximum tokens: must be 0 or more")
  }

  @Test(arguments: [0, 1e-300, Double.leastNonzeroMagnitude])
  func aThresholdOfNothingTakesTheLikeliestToken(_ threshold: Double) async throws {
    func text(_ mode: LanguageModels.GenerationOptions.SamplingMode) async throws -> String {
      try await LanguageModelSession(model: TinyModel.model(sampling: TinyModel.hot(1)))
        .respond(to: "x", options: .init(samplingMode: mode, maximumResponseTokens: 8)).content
    }
    #expect(
      try await text(.random(probabilityThreshold: threshold, seed: 1)) == text(.greedy))
    for threshold in [-1, 1.5, .nan] {
      await #expect(throws: InferenceError.self) {
        try await text(.random(probabilityThreshold: threshold))
      }
    }
  }

  @Test func whatIsMissingIsSaidAtTheRequest() async throws {
    await #expect(throws: OnDeviceModelError.self) {
      try await LanguageModelSession(model: OnDeviceLanguageModel(named: "no-such-model"))
        .respond(to: "x")
    }
    let file = OnDeviceLanguageModel(file: "/no/such/folder/SmolLM2-135M-Instruct.Q4_1.gguf")
    await #expect(
      throws: OnDeviceModelError.notFetched(
        name: "smollm2-135m-instruct",
        path: "/no/such/folder/SmolLM2-135M-Instruct.Q4_1.gguf")
    ) { try await LanguageModelSession(model: file).respond(to: "x") }
    let bare = OnDeviceLanguageModel(file: TinyModel.path, options: .init(threads: 1))
    await #expect(throws: OnDeviceModelError.noChatTemplate(path: TinyModel.path)) {
      try await LanguageModelSession(model: bare).respond(to: "x")
    }
  }

  @Test func errorsOfVersion26AreThereOnRequest() async throws {
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 64))
    session.errorFamily = .generationError
    await #expect {
      try await session.respond(to: String(repeating: "long ", count: 60))
    } throws: { error in
      guard case LanguageModelSession.GenerationError.exceededContextWindowSize = error else {
        return false
      }
      return true
    }
  }
}
