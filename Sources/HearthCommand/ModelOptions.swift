import Foundation
import GGUF
import Inference
import OnDeviceModels
import Tokenization

/// Options of every verb that loads a model, and what they mean.
enum ModelOptions {
  static let options = [
    Option(
      "--model", "NAME|FILE",
      "a name of hearth models list, or a GGUF file (default: the catalog's default)"),
    Option("--threads", "N", "threads (default: one per core)"),
    Option("--ctx", "N", "context size in tokens (default: the model's, at most 4096)"),
    Option("--no-mmap", nil, "read the file into memory instead of mapping it"),
    Option("--mapped", nil, "use weights where the file maps them: no copy, slower products"),
    cachedOption,
    Option(
      "--backend", "int8|blas", "8-bit products, or float32 through BLAS (default: int8)"),
    keyValueOption,
  ]

  /// Of the verbs that have some of these options only.
  static let keyValueOption = Option(
    "--kv", "f16|f32", "keys and values kept in float16, or float32 (default: f16)")

  static let cachedOption = Option(
    "--cached", nil, "keep weights as products want them in FILE.interleaved, for later loads")

  /// The file that `--model` means.
  ///
  /// - Throws: `ModelStoreError` saying how to get the model.
  static func path(_ arguments: Arguments) throws -> String {
    let store = ModelStore()
    if let named = arguments.string("--model") {
      return try store.locate(named).path(percentEncoded: false)
    }
    guard let entry = ModelCatalog.builtIn.defaultEntry else {
      throw UsageError("--model is needed: the catalog has no default")
    }
    return try store.locate(entry.name).path(percentEncoded: false)
  }

  /// Loads a model and says what is odd about its file.
  static func load(
    _ arguments: Arguments, _ path: String, _ options: EngineOptions,
    _ template: ChatTemplateChoice?
  ) async throws -> OnDeviceModel {
    let model = try await ModelFile.naming(path) {
      try await OnDeviceModel.load(
        file: path, access: access(arguments), options: options, template: template)
    }
    warn(model.tokenizer)
    warn(model.weightCacheProblem)
    return model
  }

  /// The tokenizer alone, without the weights.
  static func tokenizer(_ arguments: Arguments) throws -> Tokenizer {
    let tokenizer = try Tokenizer(
      file: ModelFile.open(path(arguments), access: access(arguments)))
    warn(tokenizer)
    return tokenizer
  }

  static func access(_ arguments: Arguments) -> GGUFFile.Access {
    arguments.has("--no-mmap") ? .copied : .mapped
  }

  static func warn(_ tokenizer: Tokenizer) {
    for warning in tokenizer.warnings { Console.note("warning: \(warning)") }
  }

  /// Says why weights that should be kept in a file are not.
  static func warn(_ problem: GGUFError?) {
    guard let problem else { return }
    Console.note("warning: the weights are copied into memory: \(problem)")
  }

  /// A number of at least 1.
  static func positive(_ arguments: Arguments, _ name: String) throws(UsageError) -> Int? {
    guard let number = try arguments.number(name, Int.self) else { return nil }
    guard number >= 1 else { throw UsageError("\(name) must be 1 or more, not \(number)") }
    return number
  }

  static func keyValueType(_ arguments: Arguments) throws(UsageError) -> KeyValueType {
    switch arguments.string("--kv") {
    case nil, "f16": .float16
    case "f32": .float32
    case let other?: throw UsageError("--kv is f16 or f32, not \"\(other)\"")
    }
  }

  private static func weightLayout(_ arguments: Arguments) throws(UsageError) -> WeightLayout {
    switch (arguments.has("--mapped"), arguments.has("--cached")) {
    case (false, false): .interleaved
    case (true, false): .mapped
    case (false, true): .cached
    case (true, true): throw UsageError("--mapped and --cached exclude each other")
    }
  }

  static func engine(_ arguments: Arguments) throws -> EngineOptions {
    var options = EngineOptions()
    options.threads = try positive(arguments, "--threads")
    options.contextSize = try positive(arguments, "--ctx")
    options.weightLayout = try weightLayout(arguments)
    options.keyValueType = try keyValueType(arguments)
    switch arguments.string("--backend") {
    case nil, "int8": options.precision = .quantized
    case "blas": options.precision = .float
    case let other?: throw UsageError("--backend is int8 or blas, not \"\(other)\"")
    }
    return options
  }
}

/// Options of the verbs that generate text.
enum SamplingArguments {
  static let options = [
    Option("--temperature", "T", "0 takes the most likely token (default: the model's, else 0.8)"),
    Option("--top-k", "K", "keep the K most likely tokens, 0 for all (default: 40)"),
    Option(
      "--top-p", "P", "keep the likeliest tokens up to this sum (default: the model's, else 0.95)"),
    Option("--min-p", "P", "keep tokens at least P times as likely as the best (default: 0.05)"),
    Option("--repeat-penalty", "R", "divide the logits of recent tokens (default: 1, off)"),
    Option("--frequency-penalty", "F", "subtract F per recent occurrence (default: 0)"),
    Option("--presence-penalty", "P", "subtract P from recent tokens (default: 0)"),
    Option("--penalty-window", "N", "generated tokens that penalties look at (default: 64)"),
    Option("--logit-bias", "ID=B", "add B to the logit of a token; may be repeated"),
    Option("--seed", "N", "repeat an earlier run (default: random, reported)"),
    Option("--max-tokens", "N", "response tokens at most (default: what the context holds)"),
    Option("--max-time", "SECONDS", "time for the response at most, its prompt included"),
    Option("--stop", "TEXT", "end the response at this text; may be repeated"),
  ]

  /// What the makers of a catalog model recommend, else the general defaults.
  private static func recommended(_ arguments: Arguments) throws -> SamplingOptions {
    var sampling = SamplingOptions()
    let named = arguments.string("--model").map { URL(filePath: $0).lastPathComponent }
    let catalog = ModelCatalog.builtIn
    let entry = named.map(catalog.entry(named:)) ?? catalog.defaultEntry
    sampling.temperature = entry?.temperature ?? sampling.temperature
    sampling.topP = entry?.topP ?? sampling.topP
    return sampling
  }

  static func generation(_ arguments: Arguments) throws -> GenerationOptions {
    var sampling = try recommended(arguments)
    sampling.temperature =
      try arguments.number("--temperature", Float.self) ?? sampling.temperature
    sampling.topK = try arguments.number("--top-k", Int.self) ?? sampling.topK
    sampling.topP = try arguments.number("--top-p", Float.self) ?? sampling.topP
    sampling.minP = try arguments.number("--min-p", Float.self) ?? sampling.minP
    sampling.repetitionPenalty =
      try arguments.number("--repeat-penalty", Float.self) ?? sampling.repetitionPenalty
    sampling.frequencyPenalty =
      try arguments.number("--frequency-penalty", Float.self) ?? sampling.frequencyPenalty
    sampling.presencePenalty =
      try arguments.number("--presence-penalty", Float.self) ?? sampling.presencePenalty
    sampling.penaltyWindow =
      try arguments.number("--penalty-window", Int.self) ?? sampling.penaltyWindow
    sampling.seed = try arguments.number("--seed", UInt64.self)
    for text in arguments.strings("--logit-bias") {
      let parts = text.split(separator: "=")
      guard parts.count == 2, let token = Int32(parts[0]), token >= 0,
        let bias = Float(parts[1])
      else {
        throw UsageError("--logit-bias needs ID=B, for example 42=-5, not \"\(text)\"")
      }
      sampling.logitBias[token] = bias
    }
    do {
      try sampling.validate(vocabularySize: .max)
    } catch {
      throw UsageError("\(error)")
    }
    let maximum = try arguments.number("--max-tokens", Int.self)
    if let maximum, maximum < 0 { throw UsageError("--max-tokens must be 0 or more") }
    let seconds = try arguments.number("--max-time", Double.self)
    if let seconds, !(seconds >= 0) { throw UsageError("--max-time must be 0 or more") }
    return GenerationOptions(
      sampling: sampling, maximumResponseTokens: maximum,
      timeLimit: seconds.map { .seconds(min($0, 1e9)) },
      stopStrings: arguments.strings("--stop"))
  }
}
