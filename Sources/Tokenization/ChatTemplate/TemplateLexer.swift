/// Splits template source into text and the tokens of its tags.
///
/// White space around tags goes as transformers sets jinja2: the line feed after a statement or
/// comment is dropped (`trim_blocks`), so is the space before one that starts its line
/// (`lstrip_blocks`); `-` in a tag drops all space on its side, `+` keeps it.
struct TemplateLexer {
  let source: TemplateSource
  var position = 0
  var tokens: [TemplateToken] = []
  /// Whether the text that follows starts a line.
  var startsLine = true

  private var bytes: [UInt8] { source.bytes }

  init(_ source: TemplateSource) {
    self.source = source
  }

  /// All tokens, the last one `end`.
  static func tokens(of source: TemplateSource) throws(ChatTemplateError) -> [TemplateToken] {
    var lexer = TemplateLexer(source)
    try lexer.scanTemplate()
    return lexer.tokens
  }

  func failure(_ reason: String, at offset: Int) -> ChatTemplateError {
    .syntax(reason: reason, source.location(of: offset))
  }

  func byte(at offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  func matches(_ text: StaticString, at offset: Int) -> Bool {
    let expected = text.description.utf8
    return offset + expected.count <= bytes.count
      && bytes[offset..<(offset + expected.count)].elementsEqual(expected)
  }

  mutating func emit(_ kind: TemplateToken.Kind, at offset: Int) {
    tokens.append(TemplateToken(kind: kind, offset: offset))
  }

  // MARK: Text and tags

  private mutating func scanTemplate() throws(ChatTemplateError) {
    while let tag = nextTag(from: position) {
      switch byte(at: tag + 1) {
      case UInt8(ascii: "{"):
        emitText(upTo: tag, isOutput: true)
        emit(.outputStart, at: tag)
        try scanTag(from: tag, closing: UInt8(ascii: "}"))
      case UInt8(ascii: "#"):
        emitText(upTo: tag, isOutput: false)
        try skipComment(from: tag)
      default:
        if let contentStart = rawStart(at: tag) {
          emitText(upTo: tag, isOutput: false)
          try scanRaw(from: contentStart, tag: tag)
        } else {
          emitText(upTo: tag, isOutput: false)
          emit(.statementStart, at: tag)
          try scanTag(from: tag, closing: UInt8(ascii: "%"))
        }
      }
    }
    if position < bytes.count { emit(.text(Array(bytes[position...])), at: position) }
    emit(.end, at: bytes.count)
  }

  /// The offset of the next `{{`, `{%` or `{#`.
  private func nextTag(from start: Int) -> Int? {
    var offset = start
    while offset + 1 < bytes.count {
      if bytes[offset] == UInt8(ascii: "{") {
        let next = bytes[offset + 1]
        if next == UInt8(ascii: "{") || next == UInt8(ascii: "%") || next == UInt8(ascii: "#") {
          return offset
        }
      }
      offset += 1
    }
    return nil
  }

  /// Emits the text before a tag, less the white space that the tag takes away.
  private mutating func emitText(upTo tag: Int, isOutput: Bool) {
    var text = TemplateString(bytes: Array(bytes[position..<tag]))
    switch byte(at: tag + 2) {
    case UInt8(ascii: "-"): text = text.trimmed(.right)
    case UInt8(ascii: "+"): break
    default: if !isOutput { text = withoutIndentation(text) }
    }
    if !text.isEmpty { emit(.text(text.bytes), at: position) }
  }

  /// The text without the last line, if that is white space from the start of the line on.
  private func withoutIndentation(_ text: TemplateString) -> TemplateString {
    let lineStart = text.bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    guard lineStart > 0 || startsLine else { return text }
    let line = text[lineStart..<text.count]
    return line.trimmed(.left).isEmpty ? text[0..<lineStart] : text
  }

  /// The offset after the marks that open a tag.
  private func afterOpening(_ tag: Int) -> Int {
    let sign = byte(at: tag + 2)
    return sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") ? tag + 3 : tag + 2
  }

  func skippingWhitespace(from start: Int) -> Int {
    var offset = start
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x20 || (0x09...0x0D).contains(byte) || (0x1C...0x1F).contains(byte) {
        offset += 1
      } else if byte >= 0x80 {
        let end = min(offset + 4, bytes.count)
        let (scalar, length) = TemplateString(bytes: Array(bytes[offset..<end])).scalar(at: 0)
        guard TemplateString.isWhitespace(scalar) else { break }
        offset += length
      } else {
        break
      }
    }
    return offset
  }

  /// Moves behind the end of a tag and takes the white space that goes with it.
  mutating func finishTag(at offset: Int, length: Int, trimsAll: Bool, trimsLineFeed: Bool) {
    position = offset + length
    if trimsAll {
      position = skippingWhitespace(from: position)
    } else if trimsLineFeed && byte(at: position) == 0x0A {
      position += 1
    }
    startsLine = bytes[position - 1] == 0x0A
  }

  private mutating func skipComment(from tag: Int) throws(ChatTemplateError) {
    var offset = afterOpening(tag)
    while offset < bytes.count {
      let hasSign = byte(at: offset) == UInt8(ascii: "-") || byte(at: offset) == UInt8(ascii: "+")
      let end = hasSign ? offset + 1 : offset
      if matches("#}", at: end) {
        finishTag(
          at: end, length: 2, trimsAll: bytes[offset] == UInt8(ascii: "-"), trimsLineFeed: !hasSign)
        return
      }
      offset += 1
    }
    throw failure("the comment has no end '#}'", at: tag)
  }

  /// The offset behind a `raw` tag, or nil where the statement is another one.
  private func rawStart(at tag: Int) -> Int? {
    let word = skippingWhitespace(from: afterOpening(tag))
    guard matches("raw", at: word) else { return nil }
    let end = skippingWhitespace(from: word + 3)
    if matches("-%}", at: end) { return skippingWhitespace(from: end + 3) }
    return matches("%}", at: end) ? end + 2 : nil
  }

  private mutating func scanRaw(from start: Int, tag: Int) throws(ChatTemplateError) {
    position = start
    startsLine = byte(at: start - 1) == 0x0A
    var offset = start
    while offset < bytes.count {
      defer { offset += 1 }
      guard matches("{%", at: offset) else { continue }
      let word = skippingWhitespace(from: afterOpening(offset))
      guard matches("endraw", at: word) else { continue }
      let end = skippingWhitespace(from: word + 6)
      let sign = byte(at: end)
      let hasSign = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
      guard matches("%}", at: hasSign ? end + 1 : end) else { continue }
      emitText(upTo: offset, isOutput: false)
      finishTag(
        at: hasSign ? end + 1 : end, length: 2, trimsAll: sign == UInt8(ascii: "-"),
        trimsLineFeed: !hasSign)
      return
    }
    throw failure("the raw block has no end '{% endraw %}'", at: tag)
  }

  // MARK: Inside a tag

  private mutating func scanTag(
    from tag: Int, closing: UInt8
  ) throws(ChatTemplateError) {
    position = afterOpening(tag)
    var open: [TemplateToken.Symbol] = []
    while true {
      position = skippingWhitespace(from: position)
      guard position < bytes.count else {
        emit(.end, at: bytes.count)
        return
      }
      if open.isEmpty && finishTag(closing: closing) { return }
      try scanToken(&open)
    }
  }

  /// Emits the end of a tag, if it is here.
  private mutating func finishTag(closing: UInt8) -> Bool {
    let isOutput = closing == UInt8(ascii: "}")
    let sign = byte(at: position)
    let hasSign = sign == UInt8(ascii: "-") || (sign == UInt8(ascii: "+") && !isOutput)
    let end = hasSign ? position + 1 : position
    guard byte(at: end) == closing && byte(at: end + 1) == UInt8(ascii: "}") else { return false }
    emit(isOutput ? .outputEnd : .statementEnd, at: position)
    finishTag(
      at: end, length: 2, trimsAll: sign == UInt8(ascii: "-"), trimsLineFeed: !hasSign && !isOutput)
    return true
  }
}
