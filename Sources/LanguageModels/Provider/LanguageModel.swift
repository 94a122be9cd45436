/// A model that sessions can talk to.
///
/// A conforming type says which model is meant; its ``Executor`` does the work and is shared by
/// all models of equal configuration.
public protocol LanguageModel: Sendable {
  /// What makes responses for this type of model.
  associatedtype Executor: LanguageModelExecutor where Self == Executor.Model

  /// What the model can do; a session refuses requests that need more.
  var capabilities: LanguageModelCapabilities { get }
  /// What an executor needs to know; models of equal configuration share one.
  var executorConfiguration: Executor.Configuration { get }
}

/// Makes responses for models of one type.
///
/// The session keeps the transcript and calls the tools; an executor turns a request into events.
public protocol LanguageModelExecutor: Sendable {
  /// What tells executors of this type apart.
  associatedtype Configuration: Hashable, Sendable
  /// The type of model.
  associatedtype Model: LanguageModel

  /// An executor, made at the first request of a model with this configuration.
  ///
  /// It is kept while a session uses it, and a few unused ones beyond that.
  ///
  /// - Throws: anything; the request fails with it.
  init(configuration: Configuration) throws

  /// Gets ready for a request that begins with `transcript`; returns at once.
  func prewarm(model: Model, transcript: Transcript)

  /// Answers a request with events, and returns when all are sent.
  ///
  /// The task is cancelled when the response is no longer wanted.
  ///
  /// - Parameters:
  ///   - request: the transcript, which ends with what is to be answered, and how.
  ///   - model: the model that is meant.
  ///   - channel: takes the events; sending waits while the reader of the response is behind.
  /// - Throws: ``LanguageModelError`` and others; the request fails with it.
  nonisolated(nonsending) func respond(
    to request: LanguageModelExecutorGenerationRequest, model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

extension LanguageModelExecutor {
  /// Does nothing.
  public func prewarm(model: Model, transcript: Transcript) {}
}
