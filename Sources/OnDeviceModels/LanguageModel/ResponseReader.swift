internal import Inference
internal import Tokenization

/// Turns the tokens of a response into text and calls of tools.
struct ResponseReader: Sendable {
  private let vocabulary: Vocabulary
  private var detokenizer: Detokenizer
  private var calls: CallReader?
  /// Looks for the beginning of a call in free text; only its end tells what was text.
  private var scanner: TriggerScanner?
  private let triggerLength: Int
  private var held: [UInt8] = []
  private var hasText = false
  private var position = 0
  /// Whether what the grammar holds can only be calls.
  private let isForCalls: Bool
  private var hasGuidedPart = false
  /// All that was written, with the marks around calls.
  private(set) var writtenText = ""

  init(_ shape: ResponseShape, _ format: ToolCallFormat, _ tokenizer: Tokenizer) {
    vocabulary = tokenizer.vocabulary
    // A grammar accounts for every byte, also for a blank that starts the text.
    detokenizer = Detokenizer(
      tokenizer, startsText: shape.grammar == nil || shape.trigger != nil)
    scanner = shape.trigger.map { TriggerScanner($0) }
    triggerLength = shape.lead.utf8.count
    isForCalls = shape.isForCalls
    hasGuidedPart = shape.grammar != nil && shape.trigger == nil
    if !shape.toolNames.isEmpty {
      calls = CallReader(format, names: shape.toolNames, behind: shape.lead)
    }
  }

  /// Whether there should be a call, and none has got as far as its arguments.
  var isCallMissing: Bool { isForCalls && hasGuidedPart && calls?.count == 0 }

  /// Takes a token.
  ///
  /// - Parameters:
  ///   - token: the next one.
  ///   - guideStart: the number of tokens before the grammar holds; nil while it does not.
  /// - Returns: what is certain now.
  mutating func append(_ token: TokenID, guideStart: Int?) -> [CallReader.Event] {
    defer { position += 1 }
    var piece = detokenizer.append(token)
    guard let guideStart, position >= guideStart else { return free(piece) }
    // Marks of a format may be control tokens, which have no text of their own.
    if !vocabulary.isText(token) { piece += vocabulary.text(of: token) }
    return guided(piece)
  }

  /// Returns what was held back.
  mutating func finish(guideStart: Int?) -> [CallReader.Event] {
    let piece = detokenizer.finish()
    guard let guideStart, position >= guideStart else {
      var events = free(piece)
      if !held.isEmpty { events.append(.text(String(decoding: held, as: UTF8.self))) }
      held = []
      return events
    }
    let events = guided(piece)
    // The marks of a call that is cut off are no text.
    return isCallMissing ? events : events + (calls?.finish() ?? [])
  }

  private mutating func guided(_ piece: String) -> [CallReader.Event] {
    hasGuidedPart = true
    writtenText += piece
    guard calls != nil else { return piece.isEmpty ? [] : [.text(piece)] }
    return calls?.append(piece) ?? []
  }

  private mutating func free(_ piece: String) -> [CallReader.Event] {
    writtenText += piece
    guard scanner != nil else { return piece.isEmpty ? [] : [.text(piece)] }
    let bytes = Array(piece.utf8)
    held += bytes
    if let end = scanner?.accept(bytes) {
      // What remains is the text before the mark.
      held.removeLast(min(held.count, bytes.count - end + triggerLength))
      return release(held.count)
    }
    return release(held.count - (scanner?.heldBack ?? 0))
  }

  /// Gives the first bytes that are held, unless the response has only blanks so far.
  private mutating func release(_ count: Int) -> [CallReader.Event] {
    let text = held[..<count]
    if !hasText, text.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) { return [] }
    hasText = true
    defer { held.removeFirst(count) }
    return text.isEmpty ? [] : [.text(String(decoding: text, as: UTF8.self))]
  }
}
