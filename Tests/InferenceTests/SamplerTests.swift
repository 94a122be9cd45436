import ConstrainedDecoding
import Foundation
import Inference
import Testing

@Suite struct SamplerTests {
  private func sample(
    _ logits: [Float], _ options: SamplingOptions, draws: Int = 1
  ) throws -> [Int32] {
    var chain = try SamplerChain(options, vocabularySize: logits.count)
    return try (0..<draws).map { _ in
      var copy = logits
      var span = copy.mutableSpan
      return try chain.sample(&span, position: 0)
    }
  }

  // MARK: S1, S2, S5: temperature 0

  @Test func temperatureZeroTakesTheLargestLogitAndTheLowestIdOfEquals() throws {
    #expect(try sample([1, 3, 3, 2], .greedy) == [1])
    #expect(try sample([2, 2, 2, 2], .greedy) == [0])
  }

  @Test func tinyTemperatureTakesTheLargestLogitToo() throws {
    let options = SamplingOptions(temperature: 1e-30, topK: 0, topP: 1, minP: 0, seed: 1)
    #expect(try sample([1, 3, 2, -5], options, draws: 20) == Array(repeating: 1, count: 20))
  }

  @Test func biasAndPenaltiesApplyAtTemperatureZero() throws {
    var options = SamplingOptions.greedy
    options.logitBias = [0: 10]
    #expect(try sample([1, 3, 2], options) == [0])
    options = .greedy
    options.frequencyPenalty = 1
    // 3, then 3-1 = 2 ties with 2: lowest id first; then both have been used.
    #expect(try sample([0, 3, 2], options, draws: 4) == [1, 1, 2, 1])
  }

  // MARK: S4: unusable logits

  @Test func notANumberIsATypedError() {
    #expect(throws: InferenceError.self) { try sample([.nan, 1, 2], .greedy) }
    #expect(throws: InferenceError.self) { try sample([1, 2, .nan], SamplingOptions(seed: 1)) }
  }

  @Test func allExcludedIsATypedError() {
    let none = [Float](repeating: -.infinity, count: 3)
    #expect(
      throws: InferenceError.unusableLogits(position: 0, reason: "every token is excluded")
    ) { try sample(none, SamplingOptions(seed: 1)) }
  }

  @Test func plusInfinityWins() throws {
    #expect(try sample([5, .infinity, 7], SamplingOptions(seed: 3), draws: 5) == [1, 1, 1, 1, 1])
    #expect(try sample([-.infinity, .infinity, .infinity], .greedy) == [1])
  }

  // MARK: S7, S8: penalties

  @Test func repetitionPenaltyMakesNegativeLogitsSmaller() throws {
    var options = SamplingOptions.greedy
    options.repetitionPenalty = 1.5
    // -2 becomes -3 after it is used, so -2.5 is next.
    #expect(try sample([-2, -2.5, -9], options, draws: 2) == [0, 1])
  }

  @Test func penaltiesForgetTokensOutsideTheWindow() throws {
    var options = SamplingOptions.greedy
    options.presencePenalty = 10
    options.penaltyWindow = 1
    #expect(try sample([3, 2, 1], options, draws: 4) == [0, 1, 0, 1])
  }

  // MARK: truncation

  @Test func topKKeepsTheKMostLikely() throws {
    let options = SamplingOptions(temperature: 100, topK: 2, topP: 1, minP: 0, seed: 7)
    #expect(Set(try sample([1, 9, 2, 8, 3], options, draws: 200)) == [1, 3])
  }

  @Test func topPKeepsTheSmallestSufficientSet() throws {
    // Probabilities 0.5, 0.3, 0.15, 0.05.
    let logits = [0.5, 0.3, 0.15, 0.05].map { Float(log($0)) }
    let two = SamplingOptions(temperature: 50, topK: 0, topP: 0.79, minP: 0, seed: 7)
    #expect(Set(try sample(logits, two, draws: 200)) == [0, 1])
    let three = SamplingOptions(temperature: 50, topK: 0, topP: 0.81, minP: 0, seed: 7)
    #expect(Set(try sample(logits, three, draws: 200)) == [0, 1, 2])
  }

  @Test func minPKeepsTokensNearTheBest() throws {
    let logits = [0.5, 0.3, 0.15, 0.05].map { Float(log($0)) }
    let options = SamplingOptions(temperature: 50, topK: 0, topP: 1, minP: 0.29, seed: 7)
    #expect(Set(try sample(logits, options, draws: 200)) == [0, 1, 2])
  }

  @Test func drawsFollowTheProbabilities() throws {
    let logits = [0.5, 0.3, 0.15, 0.05].map { Float(log($0)) }
    let options = SamplingOptions(temperature: 1, topK: 0, topP: 1, minP: 0, seed: 11)
    let draws = try sample(logits, options, draws: 20_000)
    let share = Double(draws.filter { $0 == 0 }.count) / 20_000
    // Four standard deviations of a share of 0.5 among 20,000 draws.
    #expect(abs(share - 0.5) < 4 * 0.00354)
    let rare = Double(draws.filter { $0 == 3 }.count) / 20_000
    #expect(abs(rare - 0.05) < 4 * 0.00154)
  }

  // MARK: masks

  private func mask(_ tokens: [Int], of count: Int) -> TokenMask {
    var mask = TokenMask(tokenCount: count)
    for token in tokens { mask.insert(token) }
    return mask
  }

  @Test(arguments: [0, 1, 5])
  func onlyTokensOfTheMaskAreChosen(_ topK: Int) throws {
    // Over two words of the mask, and past its end: logits of an embedding table may be more.
    let logits = (0..<150).map { Float($0) }
    let legal = mask([3, 64, 70], of: 140)
    let options = SamplingOptions(temperature: 1000, topK: topK, topP: 1, minP: 0, seed: 9)
    var chain = try SamplerChain(options, vocabularySize: 150)
    var seen: Set<Int32> = []
    for _ in 0..<200 {
      var copy = logits
      var span = copy.mutableSpan
      seen.insert(try chain.sample(&span, allowed: legal, position: 0))
    }
    #expect(seen == (topK == 1 ? [70] : [3, 64, 70]))
  }

  @Test func theMaskHoldsAtTemperatureZeroAndAfterBias() throws {
    var options = SamplingOptions.greedy
    options.logitBias = [0: .infinity, 2: 10]
    var chain = try SamplerChain(options, vocabularySize: 4)
    var logits: [Float] = [1, 9, 2, 3]
    var span = logits.mutableSpan
    #expect(try chain.sample(&span, allowed: mask([2, 3], of: 4), position: 0) == 2)
  }

  @Test func aMaskThatLeavesOnlyExcludedTokensIsATypedError() throws {
    var options = SamplingOptions.greedy
    options.logitBias = [1: -.infinity]
    var chain = try SamplerChain(options, vocabularySize: 3)
    var logits: [Float] = [1, 2, 3]
    var span = logits.mutableSpan
    #expect(throws: InferenceError.self) {
      try chain.sample(&span, allowed: mask([1], of: 3), position: 0)
    }
  }

  // MARK: S10, S11, S13, S14

  @Test func theReportedSeedReproducesTheDraws() throws {
    let logits = (0..<50).map { Float($0 % 7) }
    let options = SamplingOptions(temperature: 1, topK: 0, topP: 1, minP: 0)
    let chain = try SamplerChain(options, vocabularySize: 50)
    func draws(_ chain: SamplerChain) throws -> [Int32] {
      var chain = chain
      return try (0..<30).map { _ in
        var copy = logits
        var span = copy.mutableSpan
        return try chain.sample(&span, position: 0)
      }
    }
    var again = options
    again.seed = chain.seed
    #expect(try draws(chain) == draws(SamplerChain(again, vocabularySize: 50)))
  }

  @Test func seedsDifferUnlessGivenAndZeroIsASeed() throws {
    let drawn = try (0..<4).map { _ in try SamplerChain(SamplingOptions(), vocabularySize: 2).seed }
    #expect(Set(drawn).count == 4)
    #expect(try SamplerChain(SamplingOptions(seed: 0), vocabularySize: 2).seed == 0)
  }

  @Test(arguments: [-1, 3, Int32.max])
  func biasOutsideTheVocabularyIsRefused(_ token: Int32) {
    var options = SamplingOptions()
    options.logitBias = [token: 1]
    #expect(throws: InferenceError.invalidToken(id: Int(token), vocabularySize: 3)) {
      try sample([1, 2, 3], options)
    }
  }

  @Test func aVocabularyOfOneReturnsIt() throws {
    #expect(try sample([-3], SamplingOptions(seed: 1), draws: 3) == [0, 0, 0])
  }

  static let senseless: [SamplingOptions] = [
    SamplingOptions(temperature: -1), SamplingOptions(temperature: .nan),
    SamplingOptions(topK: -1), SamplingOptions(topP: 0), SamplingOptions(topP: 1.5),
    SamplingOptions(minP: -0.1), SamplingOptions(repetitionPenalty: 0),
    SamplingOptions(frequencyPenalty: .nan), SamplingOptions(presencePenalty: .infinity),
    SamplingOptions(penaltyWindow: -1),
  ]

  @Test(arguments: senseless)
  func senselessValuesAreRefused(_ options: SamplingOptions) {
    #expect(throws: InferenceError.self) { try options.validate(vocabularySize: 10) }
  }
}
