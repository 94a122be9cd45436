import Foundation
import LanguageModels
import OnDeviceModels
import TestSupport

/// A model on this device that has to call tools first and must not do so again.
struct CallsFirst: LanguageModel {
  let model: OnDeviceLanguageModel
  var capabilities: LanguageModelCapabilities { model.capabilities }
  var executorConfiguration: OnDeviceLanguageModel.Executor.Configuration {
    model.executorConfiguration
  }

  struct Executor: LanguageModelExecutor {
    private let executor: OnDeviceLanguageModel.Executor

    init(configuration: OnDeviceLanguageModel.Executor.Configuration) {
      executor = OnDeviceLanguageModel.Executor(configuration: configuration)
    }

    nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: CallsFirst,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      var request = request
      let hasOutputs = request.transcript.kinds.last == "toolOutput"
      request.generationOptions.toolCallingMode = hasOutputs ? .disallowed : .required
      try await executor.respond(to: request, model: model.model, streamingInto: channel)
    }
  }
}
