import ConstrainedDecoding
import Foundation
import Inference
import Tokenization

/// What a grammar adds to decoding: the same tokens one by one, with it and without it, turn by turn.
///
/// Each side has its own sequence of one model and does what the engine does for a token: the
/// grammar's part is its mask, the look for forced text, the choice under the mask and the step.
struct DecodeMeasurement {
  /// By token, the least of all rounds, in seconds.
  struct Times {
    var wall: [Double] = []
    var cpu: [Double] = []

    /// Seconds a token.
    var meanWall: Double { Statistics(wall).mean }
    var meanCPU: Double { Statistics(cpu).mean }
  }

  private(set) var free = Times()
  private(set) var guided = Times()

  /// How much more a token takes with the grammar; 1 is nothing.
  var wallRatio: Double { guided.meanWall / free.meanWall }
  var cpuRatio: Double { guided.meanCPU / free.meanCPU }

  static let rounds = 5

  /// Measures one grammar along texts of it.
  ///
  /// - Parameters:
  ///   - texts: tokens of whole texts of the grammar.
  ///   - model: the model, whose vocabulary the grammar is compiled for.
  ///   - guide: the grammar.
  ///   - threads: of each forward pass.
  ///   - precision: of its products.
  ///   - keyValueType: what its keys and values are kept in.
  /// - Throws: errors of the grammar and of the forward pass.
  init(
    texts: [[Int]], _ model: TransformerModel, _ guide: GrammarGuide, threads: Int,
    precision: MatmulPrecision, keyValueType: KeyValueType
  ) throws {
    let longest = texts.map(\.count).max() ?? 0
    func sequence() throws(InferenceError) -> ForwardPass {
      try ForwardPass(
        model, contextSize: longest + 1, threads: threads, precision: precision,
        keyValueType: keyValueType)
    }
    let passes = (free: try sequence(), guided: try sequence())
    // The first round is for caches of all kinds.
    for round in 0...Self.rounds {
      var times = (free: Times(), guided: Times())
      for text in texts {
        var freeSide = try FreeSide(passes.free)
        var guidedSide = try GuidedSide(passes.guided, guide)
        for (index, token) in text.enumerated() {
          // Whoever comes second finds the weights in the cache, so they take turns.
          if (index + round) % 2 == 0 {
            try times.free.measure { try freeSide.step(token) }
            try times.guided.measure { try guidedSide.step(token) }
          } else {
            try times.guided.measure { try guidedSide.step(token) }
            try times.free.measure { try freeSide.step(token) }
          }
        }
      }
      if round == 1 { (free, guided) = times }
      if round > 1 {
        free.keepLeast(times.free)
        guided.keepLeast(times.guided)
      }
    }
  }

  /// Decodes without a grammar.
  private struct FreeSide {
    private let pass: ForwardPass
    private var last: TokenID = 0
    private var sampler: SamplerChain

    init(_ pass: ForwardPass) throws {
      self.pass = pass
      pass.cache.truncate(to: 0)
      sampler = try SamplerChain(
        SamplingOptions(seed: 1), vocabularySize: pass.model.configuration.vocabularySize)
    }

    /// Computes the logits after the last token and chooses from them, but goes on with `token`.
    mutating func step(_ token: Int) throws(InferenceError) {
      let input = [last]
      try pass.run(input.span, wanted: .last)
      try pass.withLogits(row: 0) { logits throws(InferenceError) in
        _ = try sampler.sample(&logits, position: pass.cache.count)
      }
      last = TokenID(token)
    }
  }

  /// Decodes what the grammar allows.
  private struct GuidedSide {
    private let pass: ForwardPass
    private let guide: GrammarGuide
    private var sampler: SamplerChain
    private var session: GrammarSession
    private var tokens: [TokenID] = []

    init(_ pass: ForwardPass, _ guide: GrammarGuide) throws {
      self.pass = pass
      self.guide = guide
      pass.cache.truncate(to: 0)
      sampler = try SamplerChain(
        SamplingOptions(seed: 1), vocabularySize: pass.model.configuration.vocabularySize)
      session = GrammarSession(guide.grammar, budget: 4096)
    }

    /// The same under the mask; forced text is looked for, and left to be fed one by one.
    mutating func step(_ token: Int) throws {
      let step = try session.step()
      let input = [tokens.last ?? 0]
      try pass.run(input.span, wanted: .last)
      if case .choose(let mask) = step {
        try pass.withLogits(row: 0) { logits throws(InferenceError) in
          _ = try sampler.sample(&logits, allowed: mask, position: pass.cache.count)
        }
      }
      _ = try session.accept(token)
      tokens.append(TokenID(token))
      _ = try session.matcher.forcedTokens { guide.tokens(of: $0, after: tokens[...]) }
    }
  }
}

extension DecodeMeasurement.Times {
  /// Adds what `body` takes.
  fileprivate mutating func measure(_ body: () throws -> Void) rethrows {
    let (wallStart, cpuStart) = (ContinuousClock.now, CPUTime.ofProcess)
    try body()
    cpu.append(CPUTime.ofProcess - cpuStart)
    wall.append((ContinuousClock.now - wallStart) / .seconds(1))
  }

  /// Keeps the smaller time of each token.
  fileprivate mutating func keepLeast(_ other: Self) {
    wall = zip(wall, other.wall).map { min($0, $1) }
    cpu = zip(cpu, other.cpu).map { min($0, $1) }
  }
}
