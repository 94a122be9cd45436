internal import ConstrainedDecoding
internal import Tokenization

/// What only the engine needs to know of the generation that runs.
struct Run {
  private(set) var sampler: SamplerChain
  /// Prompt and response; what the KV cache does not hold of them is still to be computed.
  private(set) var tokens: [TokenID]
  /// Whether the first step has been done.
  var hasBegun = false

  private let request: GenerationRequest
  private let contextSize: Int
  private var session: GrammarSession?
  /// Looks for what begins the guided part, until it has come.
  private var scanner: TriggerScanner?
  private var deadline: ContinuousClock.Instant?

  init(_ request: GenerationRequest, _ sampler: SamplerChain, contextSize: Int) {
    self.request = request
    self.sampler = sampler
    self.contextSize = contextSize
    tokens = request.prompt
    if let trigger = request.trigger, request.guide != nil {
      scanner = TriggerScanner(trigger)
    } else {
      session = request.guide.map { GrammarSession($0.grammar, budget: budget) }
    }
  }

  /// Response tokens at most.
  private var budget: Int {
    min(request.maximumTokens ?? .max, contextSize - request.prompt.count)
  }

  /// Which limit ends the response.
  private var limit: FinishReason {
    if let deadline, ContinuousClock.now >= deadline { return .timeLimit }
    return request.maximumTokens.map { $0 <= contextSize - request.prompt.count } ?? false
      ? .tokenLimit : .contextFull
  }

  /// More than any response takes, and little enough to be added to a point in time.
  private static let ages = Duration.seconds(1 << 32)

  /// What the next choice is made from; needs no forward pass, since it depends on the tokens only.
  enum Plan {
    /// Any token.
    case free
    /// One of these.
    case masked(TokenMask)
    /// None: the generation has ended.
    case ended
  }

  /// Says what the next choice is made from; near a limit, closes the value instead.
  mutating func plan(_ generation: Generation) throws(InferenceError) -> Plan {
    if deadline == nil, let limit = request.timeLimit { deadline = .now + min(limit, Self.ages) }
    guard session != nil else {
      guard tokens.count - request.prompt.count >= budget || limit == .timeLimit else {
        return .free
      }
      generation.finish(limit, nil)
      return .ended
    }
    do {
      return try guidedPlan(generation)
    } catch {
      throw .grammar(error)
    }
  }

  private mutating func guidedPlan(_ generation: Generation) throws(GrammarError) -> Plan {
    guard var session else { return .free }
    // Moved out and back, so that it is changed in place.
    self.session = nil
    defer { self.session = session }
    if limit == .timeLimit { session.closeSoon() }
    while true {
      let reason = session.isClosing ? limit : .endOfTurn
      switch try session.step() {
      case .choose(let mask): return .masked(mask)
      case .feed(let closing): add(closing, generation)
      case .finished(let outcome):
        if case .noLegalToken = outcome {
          generation.finish(.noLegalToken, outcome)
        } else {
          generation.finish(reason, outcome)
        }
        return .ended
      }
    }
  }

  /// Adds the tokens for which the grammar leaves no choice; they are computed in one go.
  ///
  /// - Returns: Whether there are any.
  mutating func addForced(_ generation: Generation) throws(InferenceError) -> Bool {
    guard let guide = request.guide else { return false }
    let response = tokens[request.prompt.count...]
    do throws(GrammarError) {
      let forced = try session?.acceptForced { guide.tokens(of: $0, after: response) } ?? []
      add(forced, generation)
      return !forced.isEmpty
    } catch {
      throw .grammar(error)
    }
  }

  /// Tokens that were not drawn.
  private mutating func add(_ ids: [Int], _ generation: Generation) {
    for id in ids {
      sampler.remember(TokenID(id))
      tokens.append(TokenID(id))
    }
    if !ids.isEmpty { generation.deliver(tokens.suffix(ids.count)) }
  }

  /// Draws a token from logits and takes it.
  mutating func choose(
    from logits: inout MutableSpan<Float>, _ plan: Plan, position: Int, _ generation: Generation
  ) throws(InferenceError) {
    var mask: TokenMask?
    if case .masked(let allowed) = plan { mask = allowed }
    let token = try sampler.sample(&logits, allowed: mask, position: position)
    if session != nil {
      do {
        // A token after which the value could not be completed is not taken: it is closed instead.
        guard try session?.accept(Int(token)) ?? false else { return }
      } catch {
        throw .grammar(error)
      }
      if session?.matcher.hasEnded ?? false { return generation.finish(.endOfTurn, .complete) }
    } else if request.endTokens.contains(token) {
      return generation.finish(.endOfTurn, nil)
    } else if scanner != nil, beginGuide(with: token, generation) {
      return _ = try addForced(generation)
    }
    tokens.append(token)
    generation.deliver(CollectionOfOne(token))
    _ = try addForced(generation)
  }

  /// Begins the guided part if a token completes the trigger.
  ///
  /// A token that goes beyond the trigger is not taken: the grammar decides how the text goes on.
  private mutating func beginGuide(with token: TokenID, _ generation: Generation) -> Bool {
    guard let guide = request.guide else { return false }
    let vocabulary = guide.tokenizer.vocabulary
    var last = [Int(token)]
    if request.trigger != .token(token) {
      guard vocabulary.isText(token) else { return false }
      let bytes = vocabulary.bytes(of: token)
      guard let end = scanner?.accept(bytes) else { return false }
      if end < bytes.count {
        last = guide.tokens(of: Array(bytes[..<end]), after: tokens[request.prompt.count...])
      }
    }
    let left = budget - (tokens.count - request.prompt.count) - last.count
    guard left >= 0 else { return false }
    for id in last { tokens.append(TokenID(id)) }
    generation.deliver(last.map { TokenID($0) })
    generation.beginGuide()
    scanner = nil
    session = GrammarSession(guide.grammar, budget: left)
    return true
  }
}
