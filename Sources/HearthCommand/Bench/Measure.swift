/// One thing that `hearth bench` measures.
enum Measure: Hashable {
  /// Tokens per second of a prompt of this many tokens.
  case prefill(Int)
  /// Tokens per second of 64 tokens after this many.
  case decode(Int)
  /// Seconds to open the file and make everything ready, with a warm page cache.
  case load
  /// Seconds from nothing to the first token of a prompt of this many tokens.
  case firstToken(Int)
  /// Megabytes of memory at most while a model is loaded, reads 512 tokens and writes 16.
  case peakMemory

  static let standard: [Measure] = [
    .load, .firstToken(200), .peakMemory, .prefill(32), .prefill(128), .prefill(512), .decode(0),
    .decode(1024),
  ]

  /// Tokens that `decode` generates.
  static let decoded = 64

  /// The measure of a name such as `prefill128`; nil when there is none.
  init?(_ name: some StringProtocol) {
    // As the number is written in names: no sign, no zeros before it.
    func count(after prefix: String) -> Int? {
      guard name.hasPrefix(prefix) else { return nil }
      let digits = name.dropFirst(prefix.count)
      return Int(digits).flatMap { String($0) == digits ? $0 : nil }
    }
    if name == "load" {
      self = .load
    } else if name == "peak_memory" {
      self = .peakMemory
    } else if let tokens = count(after: "prefill"), tokens > 0 {
      self = .prefill(tokens)
    } else if let depth = count(after: "decode"), depth >= 0 {
      self = .decode(depth)
    } else if let tokens = count(after: "ttft"), tokens > 0 {
      self = .firstToken(tokens)
    } else {
      return nil
    }
  }

  var name: String {
    switch self {
    case .prefill(let tokens): "prefill\(tokens)"
    case .decode(let depth): "decode\(depth)"
    case .load: "load"
    case .firstToken(let tokens): "ttft\(tokens)"
    case .peakMemory: "peak_memory"
    }
  }

  var unit: String {
    switch self {
    case .prefill, .decode: "tokens/s"
    case .load, .firstToken: "s"
    case .peakMemory: "MB"
    }
  }

  /// Tokens whose rate it is; nil for what is no rate.
  var tokens: Int? {
    switch self {
    case .prefill(let tokens): tokens
    case .decode: Self.decoded
    case .load, .firstToken, .peakMemory: nil
    }
  }

  /// Whether it starts with a process that has done nothing yet.
  var needsFreshProcess: Bool { tokens == nil }
}

/// What one run of a measure gave.
struct Sample {
  /// In the measure's unit.
  var value: Double
  /// Seconds of CPU time over all threads.
  var cpu: Double
  /// What each token costs at least, where the measure is a rate.
  var cost: TokenCost?
}
