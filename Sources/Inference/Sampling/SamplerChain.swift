package import ConstrainedDecoding
internal import Foundation
package import Tokenization

/// Chooses tokens by `SamplingOptions`, remembering what it chose.
package struct SamplerChain: Sendable {
  package let options: SamplingOptions
  /// The seed in use: the one asked for, or the one drawn.
  package let seed: UInt64

  private var random: RandomSource
  /// The last tokens chosen, oldest first, at most `penaltyWindow`.
  private var window: [TokenID] = []
  private var candidates: [Candidate] = []

  /// A chain for one generation.
  ///
  /// - Throws: `invalidOption` or `invalidToken`.
  package init(_ options: SamplingOptions, vocabularySize: Int) throws(InferenceError) {
    try options.validate(vocabularySize: vocabularySize)
    self.options = options
    seed = options.seed ?? UInt64.random(in: .min ... .max)
    random = RandomSource(seed: seed)
  }

  /// The next token; the logits are changed by bias and penalties.
  ///
  /// - Parameters:
  ///   - logits: one for each token of the vocabulary.
  ///   - allowed: the tokens that may be chosen; nil allows all. Truncation sees no others.
  ///   - position: of the token, for errors.
  /// - Returns: the token.
  /// - Throws: `unusableLogits` when one is NaN or all are minus infinity.
  /// - Complexity: O(vocabulary), plus O(k log k) for the k tokens that truncation keeps.
  package mutating func sample(
    _ logits: inout MutableSpan<Float>, allowed: TokenMask? = nil, position: Int
  ) throws(InferenceError) -> TokenID {
    for (token, bias) in options.logitBias { logits[Int(token)] += bias }
    penalize(&logits)
    let best = try best(logits.span, allowed, position: position)
    let token = options.temperature == 0 ? best.token : draw(logits.span, allowed, best: best)
    remember(token)
    return token
  }

  /// Calls `body` with every token that may be chosen and its logit.
  ///
  /// Logits that a mask leaves out are not even looked at: a mask costs less than it saves.
  @inline(__always)
  private static func forEach(
    _ logits: Span<Float>, _ allowed: TokenMask?, _ body: (TokenID, Float) -> Void
  ) {
    guard let allowed else {
      for index in logits.indices { body(TokenID(index), logits[index]) }
      return
    }
    for (number, word) in allowed.words.enumerated() where word != 0 {
      let start = number * 64
      if word == .max, start + 64 <= logits.count {
        for index in start..<start + 64 { body(TokenID(index), logits[index]) }
        continue
      }
      var rest = word
      while rest != 0 {
        let index = start + rest.trailingZeroBitCount
        guard index < logits.count else { return }
        body(TokenID(index), logits[index])
        rest &= rest - 1
      }
    }
  }

  /// Takes note of a token of the response, for the penalties; `sample` does so by itself.
  mutating func remember(_ token: TokenID) {
    guard options.penaltyWindow > 0 else { return }
    if window.count == options.penaltyWindow { window.removeFirst() }
    window.append(token)
  }

  private func penalize(_ logits: inout MutableSpan<Float>) {
    guard
      options.repetitionPenalty != 1 || options.frequencyPenalty != 0
        || options.presencePenalty != 0
    else { return }
    var counts: [TokenID: Int] = [:]
    for token in window { counts[token, default: 0] += 1 }
    for (token, count) in counts {
      var logit = logits[Int(token)]
      // Dividing a negative logit would make the token likelier.
      logit = logit > 0 ? logit / options.repetitionPenalty : logit * options.repetitionPenalty
      logit -= options.frequencyPenalty * Float(count) + options.presencePenalty
      logits[Int(token)] = logit
    }
  }

  /// The largest logit, the lowest id among equals.
  private func best(
    _ logits: Span<Float>, _ allowed: TokenMask?, position: Int
  ) throws(InferenceError) -> Candidate {
    var best = Candidate(token: 0, logit: -.infinity)
    var sum: Float = 0
    Self.forEach(logits, allowed) { token, logit in
      // NaN survives in this sum; infinities are replaced, since their difference is NaN too.
      sum += logit.isInfinite ? 0 : logit * 0
      if logit > best.logit { best = Candidate(token: token, logit: logit) }
    }
    guard !sum.isNaN else {
      throw .unusableLogits(position: position, reason: "not a number among them")
    }
    guard best.logit > -.infinity else {
      throw .unusableLogits(position: position, reason: "every token is excluded")
    }
    return best
  }

  /// Truncates by top-k, top-p and min-p, then draws at the temperature.
  private mutating func draw(
    _ logits: Span<Float>, _ allowed: TokenMask?, best: Candidate
  ) -> TokenID {
    // Infinity leaves nothing for the others, whatever the temperature.
    guard best.logit < .infinity else { return best.token }
    let floor = options.minP > 0 ? best.logit + Float(log(Double(options.minP))) : -.infinity
    candidates.removeAll(keepingCapacity: true)
    if options.topK > 0 {
      keepLargest(options.topK, of: logits, allowed)
    } else {
      Self.forEach(logits, allowed) { token, logit in
        if logit > -.infinity { candidates.append(Candidate(token: token, logit: logit)) }
      }
    }
    if options.topP < 1 { keepNucleus(best: best.logit) }
    candidates.removeAll { $0.logit < floor }

    var weights: [Double] = []
    weights.reserveCapacity(candidates.count)
    var total = 0.0
    for candidate in candidates {
      let weight = exp(Double(candidate.logit - best.logit) / Double(options.temperature))
      weights.append(weight)
      total += weight
    }
    var remaining = random.unit() * total
    for (candidate, weight) in zip(candidates, weights) {
      remaining -= weight
      if remaining < 0 { return candidate.token }
    }
    // Rounding can leave a trace of the sum; it belongs to a token that can be drawn.
    return best.token
  }

  /// Fills `candidates` with the k largest logits, most likely first.
  private mutating func keepLargest(_ k: Int, of logits: Span<Float>, _ allowed: TokenMask?) {
    // A heap whose root is the least likely of those kept, so most tokens fail one comparison.
    Self.forEach(logits, allowed) { token, logit in
      guard logit > -.infinity else { return }
      let candidate = Candidate(token: token, logit: logit)
      if candidates.count < k {
        candidates.append(candidate)
        if candidates.count == k { Heap.make(&candidates) { $1.precedes($0) } }
      } else if candidate.precedes(candidates[0]) {
        candidates[0] = candidate
        Heap.siftDown(&candidates, 0, candidates.count) { $1.precedes($0) }
      }
    }
    candidates.sort { $0.precedes($1) }
  }

  /// Keeps the smallest set of most likely candidates whose probabilities sum to `topP`.
  private mutating func keepNucleus(best: Float) {
    let total = candidates.reduce(0.0) { $0 + exp(Double($1.logit - best)) }
    let wanted = Double(options.topP) * total
    Heap.make(&candidates) { $0.precedes($1) }
    var kept: [Candidate] = []
    var sum = 0.0
    while sum < wanted, let next = Heap.pop(&candidates, { $0.precedes($1) }) {
      kept.append(next)
      sum += exp(Double(next.logit - best))
    }
    candidates = kept
  }
}

/// A token that may be drawn.
private struct Candidate {
  var token: TokenID
  var logit: Float

  /// More likely, or as likely with a lower id.
  func precedes(_ other: Candidate) -> Bool {
    logit > other.logit || logit == other.logit && token < other.token
  }
}

/// A binary heap in an array; `isBefore` says which of two elements is nearer the root.
private enum Heap {
  static func make<T>(_ heap: inout [T], _ isBefore: (T, T) -> Bool) {
    for index in (0..<heap.count / 2).reversed() { siftDown(&heap, index, heap.count, isBefore) }
  }

  static func pop<T>(_ heap: inout [T], _ isBefore: (T, T) -> Bool) -> T? {
    guard let last = heap.popLast() else { return nil }
    guard let root = heap.first else { return last }
    heap[0] = last
    siftDown(&heap, 0, heap.count, isBefore)
    return root
  }

  static func siftDown<T>(
    _ heap: inout [T], _ start: Int, _ count: Int, _ isBefore: (T, T) -> Bool
  ) {
    var parent = start
    while true {
      var first = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < count && isBefore(heap[child], heap[first]) {
        first = child
      }
      guard first != parent else { return }
      heap.swapAt(first, parent)
      parent = first
    }
  }
}
