import Foundation
import Inference
import OnDeviceModels
import Tokenization

let benchVerb = Verb(
  "bench", usage: "[options] [NAME|FILE…]",
  summary: "measure models, or the machine itself, and print medians",
  details: """
    hearth bench MODEL…    load time, first token, peak memory, prefill and decode, in rounds
    hearth bench machine   memory bandwidth and arithmetic: the limits of this machine
    hearth bench           the default model, as with its name

    Measures: prefillN (a prompt of N tokens), decodeN (64 tokens after N), load, ttftN (process
    start to the first token after N), peak_memory (512 tokens read, 16 written). The first round
    warms up and is not counted. CPU is the time of all threads. GB/s are the weights, keys and
    values that a token needs, times the rate; GOP/s its multiplications and additions.

    With --serve it measures one model when it is told to, each line once:
    in:  {"measure":"prefill128"}
    out: {"value":…, "cpu":seconds, "token_operations":N}, of decodeN "token_bytes" instead
    load, ttftN and peak_memory have to be the first of a process. Blank lines are passed over.
    """,
  options: benchOptions
) { arguments in
  let options = try ModelOptions.engine(arguments)
  let isJSON = arguments.has("--json")
  if arguments.operands == ["machine"] {
    try refuse(arguments, except: ["--threads", "--json"], with: "machine")
    try MachineReport(threads: options.threads ?? ProcessorCount.online).print(asJSON: isJSON)
    return
  }
  let store = ModelStore()
  var names = arguments.operands
  if names.isEmpty, let entry = ModelCatalog.builtIn.defaultEntry { names = [entry.name] }
  let paths = try names.map { try store.locate($0).path(percentEncoded: false) }
  if arguments.has("--serve") {
    guard paths.count == 1 else { throw UsageError("--serve takes one model") }
    try refuse(arguments, except: ["--serve"] + workerOptions, with: "--serve")
    try await BenchWorker(path: paths[0], options: options).serve()
    return
  }
  let measures = try Measure.list(arguments.string("--measures"))
  let rounds = try ModelOptions.positive(arguments, "--rounds") ?? 5
  // The worker is called as this process was, with the model's path in place of the names.
  let passed = workerOptions.flatMap { name -> [String] in
    guard let value = arguments.string(name) else { return [] }
    return value.isEmpty ? [name] : [name, value]
  }
  for path in paths {
    var report = BenchReport(
      path: path, threads: options.threads ?? ProcessorCount.online, rounds: rounds)
    try report.measure(measures, with: ["bench", "--serve"] + passed + ["--", path])
    report.print(asJSON: isJSON)
  }
}

private let benchOptions =
  ModelOptions.options.filter { workerOptions.contains($0.name) } + [
    Option(
      "--measures", "LIST",
      "by commas (default: \(Measure.standard.map(\.name).joined(separator: ",")))"
    ),
    Option("--rounds", "N", "rounds that count (default: 5)"),
    Option("--json", nil, "JSON Lines instead of a table"),
    Option("--serve", nil, "measure when asked on standard input, as JSON Lines"),
  ]

/// Options of models that a worker is called with.
private let workerOptions = ["--threads", "--ctx", "--cached", "--backend", "--kv"]

/// Refuses options that would do nothing.
private func refuse(
  _ arguments: Arguments, except known: [String], with word: String
) throws(UsageError) {
  for option in benchOptions where !known.contains(option.name) && arguments.has(option.name) {
    throw UsageError("\(option.name) has no use with \(word)")
  }
}

extension Measure {
  /// The measures of a list by commas; those that are usual for nil.
  ///
  /// - Throws: `UsageError` naming the one that is unknown.
  fileprivate static func list(_ text: String?) throws(UsageError) -> [Measure] {
    guard let text else { return standard }
    var measures: [Measure] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let measure = Measure(name) else { throw UsageError("unknown measure \"\(name)\"") }
      measures.append(measure)
    }
    return measures
  }
}
