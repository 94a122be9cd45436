public import Foundation
public import Inference
public import LanguageModels

/// A model file on this device that sessions can talk to.
///
/// ```swift
/// let session = LanguageModelSession(model: OnDeviceLanguageModel(named: "smollm2"))
/// print(try await session.respond(to: "Name three colours.").content)
/// ```
///
/// Nothing is read before the first request, or ``LanguageModelSession/prewarm(promptPrefix:)``; a
/// file that is missing or cannot be used says so then. Models of equal source and equal options,
/// ``Options/sampling`` and ``Options/timeLimit`` aside, share one loaded model: requests of several
/// sessions wait for each other in the order in which they come.
///
/// A loaded model is let go when no session uses it any more and four other models have been used
/// since, when ``release()`` is called, and when the system runs short of memory while nobody
/// waits for a response. The next request loads it again.
public struct OnDeviceLanguageModel: LanguageModel, Sendable {
  /// How a model is loaded and how it answers.
  public struct Options: Sendable, Equatable {
    /// Tokens of the context window; nil takes the model's own, at most 4,096.
    public var contextSize: Int?
    /// Threads that compute; nil takes one per core.
    public var threads: Int?
    /// Where weights are while the model is loaded.
    public var weightLayout: WeightLayout
    /// What keys and values of the tokens seen are kept in.
    public var keyValueType: KeyValueType
    /// How tokens are chosen where a request does not say; nil takes what the makers of a model of
    /// the catalog recommend, else the defaults of `SamplingOptions`.
    public var sampling: SamplingOptions?
    /// The chat template; nil takes that of the file, and the catalog's choice for its own models.
    public var template: ChatTemplateChoice?
    /// Time for one response, at most: a value is closed then, a text ends there.
    public var timeLimit: Duration?
    /// Whether a model that does not fit the memory is loaded nevertheless.
    public var ignoresMemoryEstimate: Bool

    /// The defaults suit most programs.
    public init(
      contextSize: Int? = nil, threads: Int? = nil,
      weightLayout: WeightLayout = EngineOptions().weightLayout,
      keyValueType: KeyValueType = EngineOptions().keyValueType, sampling: SamplingOptions? = nil,
      template: ChatTemplateChoice? = nil, timeLimit: Duration? = nil,
      ignoresMemoryEstimate: Bool = false
    ) {
      self.contextSize = contextSize
      self.threads = threads
      self.weightLayout = weightLayout
      self.keyValueType = keyValueType
      self.sampling = sampling
      self.template = template
      self.timeLimit = timeLimit
      self.ignoresMemoryEstimate = ignoresMemoryEstimate
    }
  }

  /// How the model is loaded and how it answers.
  public let options: Options

  let source: ModelSource
  /// Who keeps the loaded model.
  private let hosts: ModelHosts

  /// A model file.
  ///
  /// - Parameters:
  ///   - file: a GGUF file, or the first file of a split set.
  ///   - options: how the model is loaded and how it answers.
  public init(file: URL, options: Options = Options()) {
    self.init(.file(Self.absolutePath(of: file)), options)
  }

  /// A model file by its path.
  public init(file path: String, options: Options = Options()) {
    self.init(.file(Self.absolutePath(of: URL(filePath: path))), options)
  }

  /// A model of the catalog that has been fetched (`hearth models pull NAME`).
  ///
  /// - Parameters:
  ///   - name: a name of the catalog, or an alias.
  ///   - options: how the model is loaded and how it answers.
  public init(named name: String, options: Options = Options()) {
    let file = ModelCatalog.builtIn.entry(named: name).map { ModelStore().path(for: $0) }
    self.init(file.map { .file(Self.absolutePath(of: $0)) } ?? .unknown(name), options)
  }

  /// A model file that is not loaded together with those of other hosts.
  package init(file path: String, options: Options, hosts: ModelHosts) {
    self.init(.file(Self.absolutePath(of: URL(filePath: path))), options, hosts)
  }

  private init(_ source: ModelSource, _ options: Options, _ hosts: ModelHosts = .shared) {
    self.source = source
    self.options = options
    self.hosts = hosts
  }

  /// Of an address that is no file's, all of it: there is no such file, and the error shows why.
  private static func absolutePath(of file: URL) -> String {
    guard file.isFileURL else { return file.absoluteString }
    return file.absoluteURL.standardizedFileURL.path(percentEncoded: false)
  }

  /// What models of this type can do, whichever file it is.
  public var capabilities: LanguageModelCapabilities {
    LanguageModelCapabilities([.guidedGeneration, .toolCalling])
  }

  /// What tells loaded models apart.
  public var executorConfiguration: Executor.Configuration {
    Executor.Configuration(
      source: source, contextSize: options.contextSize, threads: options.threads,
      weightLayout: options.weightLayout, keyValueType: options.keyValueType,
      template: options.template, ignoresMemoryEstimate: options.ignoresMemoryEstimate,
      hosts: hosts)
  }

  /// Whether the model is in memory now.
  public var isLoaded: Bool { hosts.existingHost(for: executorConfiguration)?.isLoaded ?? false }

  /// Lets go of the loaded model, unless a request uses it or waits for it.
  ///
  /// - Returns: whether the model is not loaded after that.
  @discardableResult
  public func release() -> Bool {
    hosts.existingHost(for: executorConfiguration)?.releaseIfUnused() ?? true
  }

  /// Tokens that the KV cache of the loaded model holds now; nil where it is not loaded.
  package var cachedTokenCount: Int? {
    get async throws {
      guard isLoaded, let host = hosts.existingHost(for: executorConfiguration) else { return nil }
      return try await host.model().model.engine.cachedTokenCount
    }
  }

  /// Tokens that fit the context window; loads the model where it is not loaded.
  ///
  /// - Throws: what loading throws.
  public var contextSize: Int {
    get async throws {
      try await hosts.host(for: executorConfiguration).model().model.contextSize
    }
  }

  /// Tokens that entries of a transcript add to a prompt, with what the chat template puts around
  /// them; loads the model where it is not loaded.
  ///
  /// - Throws: what loading throws; `LanguageModelError` where the template refuses the entries.
  public func tokenCount(
    for transcriptEntries: some Collection<Transcript.Entry> & Sendable
  ) async throws -> Int {
    let entries = Array(transcriptEntries)
    let composer = try await hosts.host(for: executorConfiguration).model().composer
    do {
      return try await composer.tokenCount(of: entries)
    } catch {
      throw Responder.sessionError(for: error, entries)
    }
  }

  /// Tokens that a schema adds to a prompt; loads the model where it is not loaded.
  ///
  /// - Throws: what loading throws.
  public func tokenCount(for schema: GenerationSchema) async throws -> Int {
    let composer = try await hosts.host(for: executorConfiguration).model().composer
    return await composer.tokenCount(of: schema)
  }
}

/// Where a model comes from.
enum ModelSource: Hashable, Sendable {
  /// A file by its absolute path.
  case file(String)
  /// A name that the catalog does not have.
  case unknown(String)
}

extension OnDeviceLanguageModel {
  /// Makes the responses of models on this device.
  public struct Executor: LanguageModelExecutor {
    /// What tells loaded models apart.
    public struct Configuration: Hashable, Sendable {
      let source: ModelSource
      let contextSize: Int?
      let threads: Int?
      let weightLayout: WeightLayout
      let keyValueType: KeyValueType
      let template: ChatTemplateChoice?
      let ignoresMemoryEstimate: Bool
      let hosts: ModelHosts
    }

    private let host: ModelHost

    /// An executor; nothing is loaded yet.
    public init(configuration: Configuration) {
      host = configuration.hosts.host(for: configuration)
    }

    /// Loads the model and has it read what the next prompt begins with, in the background.
    public func prewarm(model: OnDeviceLanguageModel, transcript: Transcript) {
      host.prewarm(transcript)
    }

    /// Answers a request.
    ///
    /// - Throws: `LanguageModelError`, `OnDeviceModelError`, what loading throws, and
    ///   `CancellationError` within one token or one chunk of the prompt.
    public nonisolated(nonsending) func respond(
      to request: LanguageModelExecutorGenerationRequest, model: OnDeviceLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      let responder = Responder(host: host, request: request, options: model.options)
      do {
        try await responder.respond(into: channel)
      } catch {
        throw Responder.sessionError(
          for: error, Array(request.transcript), schemaName: request.schema?.name)
      }
    }
  }
}
