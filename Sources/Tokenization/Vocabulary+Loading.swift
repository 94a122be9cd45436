internal import GGUF

extension Vocabulary {
  /// Turns the texts, kinds and ids of a file into a checked vocabulary.
  ///
  /// - Throws: `tooLarge`, `countMismatch`, `malformedByteToken`.
  convenience init(
    _ description: TokenizerDescription, addsBOS: Bool, warnings: [VocabularyWarning]
  ) throws(TokenizerError) {
    let texts = description.tokens
    // Ids are Int32, and 256 bytes plus three symbols per merge are numbered behind them.
    guard texts.count < 1 << 28, texts.bytes.count < Int(UInt32.max) else {
      throw .tooLarge(tokens: texts.count)
    }
    var warnings = warnings
    var roles = SpecialTokens()
    roles.assign(description, count: texts.count, warnings: &warnings)
    roles.addsBOS = description.addsBOS ?? addsBOS
    roles.addsEOS = description.addsEOS ?? false
    var kinds = try Self.kinds(description, roles)
    Self.findTurnEnds(texts, &kinds, &roles, &warnings)
    let tokens =
      description.model == "llama"
      ? try Self.sentencePieceTokens(texts, kinds) : Self.byteLevelTokens(texts, kinds)
    self.init(tokens: tokens, kinds: kinds, roles: roles, warnings: warnings)
  }

  /// The kinds the file gives, or what can be told without them: byte tokens by their spelling,
  /// special ones by their role.
  private static func kinds(
    _ description: TokenizerDescription, _ roles: SpecialTokens
  ) throws(TokenizerError) -> [Kind] {
    let texts = description.tokens
    if let types = description.types {
      guard types.count == texts.count else {
        throw .countMismatch(
          key: "tokenizer.ggml.token_type", expected: texts.count, found: types.count)
      }
      return types.map { UInt8(exactly: $0).flatMap(Kind.init(rawValue:)) ?? .unused }
    }
    var kinds = [Kind](repeating: .normal, count: texts.count)
    if description.model == "llama" {
      for id in 0..<texts.count where byteValue(texts.bytes, texts.range(of: id)) != nil {
        kinds[id] = .byte
      }
    }
    for id in [roles.bos, roles.eos, roles.endOfTurn, roles.endOfMessage] {
      if let id { kinds[Int(id)] = .control }
    }
    if let id = roles.unknown { kinds[Int(id)] = .unknown }
    return kinds
  }

  /// Tokens that end a turn in every model that has them.
  ///
  /// Files whose `eos` is another token are
  /// common, and so are files that do not mark these as control.
  private static let turnEnds = ByteTable([
    "<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>",
    "<end_of_turn>", "<turn|>", "<end_of_utterance>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
    "<|return|>", "<|call|>", "<\u{FF5C}end\u{2581}of\u{2581}sentence\u{FF5C}>",
  ])

  private static func findTurnEnds(
    _ texts: GGUFStrings, _ kinds: inout [Kind], _ roles: inout SpecialTokens,
    _ warnings: inout [VocabularyWarning]
  ) {
    for id in [roles.eos, roles.endOfTurn, roles.endOfMessage] {
      if let id { roles.endOfGeneration.insert(id) }
    }
    let bytes = texts.bytes
    for id in 0..<texts.count {
      let range = texts.range(of: id)
      guard (5...40).contains(range.count),
        bytes[range.upperBound - 1] == 0x3E
          || bytes[range.upperBound - 1] == 0x5D, turnEnds.find(bytes, range) != nil
      else { continue }
      roles.endOfGeneration.insert(TokenID(id))
      if kinds[id] != .control {
        kinds[id] = .control
        warnings.append(.unmarkedTurnEnd(TokenID(id), texts.text(at: id)))
      }
    }
  }

  /// SentencePiece writes spaces as U+2581 and single bytes as `<0xNN>`.
  private static func sentencePieceTokens(
    _ texts: GGUFStrings, _ kinds: [Kind]
  ) throws(TokenizerError) -> ByteStrings {
    var tokens = ByteStrings()
    tokens.reserve(entries: texts.count, bytes: texts.bytes.count)
    let bytes = texts.bytes
    var scratch: [UInt8] = []
    for id in 0..<texts.count {
      let range = texts.range(of: id)
      switch kinds[id] {
      case .normal:
        scratch.removeAll(keepingCapacity: true)
        SentencePiece.appendUnescaped(bytes, range, to: &scratch)
        tokens.append(scratch)
      case .byte:
        guard let byte = byteValue(bytes, range) else {
          throw .malformedByteToken(id: id, text: texts.text(at: id))
        }
        tokens.append(CollectionOfOne(byte))
      default: tokens.append(bytes[range])
      }
    }
    return tokens
  }

  /// Byte-level BPE writes each byte as one visible character; added tokens are plain text.
  private static func byteLevelTokens(_ texts: GGUFStrings, _ kinds: [Kind]) -> ByteStrings {
    var tokens = ByteStrings()
    tokens.reserve(entries: texts.count, bytes: texts.bytes.count)
    let bytes = texts.bytes
    var scratch: [UInt8] = []
    for id in 0..<texts.count {
      let range = texts.range(of: id)
      if kinds[id] == .normal || kinds[id] == .byte {
        scratch.removeAll(keepingCapacity: true)
        ByteLevelAlphabet.decode(bytes, range, into: &scratch)
        tokens.append(scratch)
      } else {
        tokens.append(bytes[range])
      }
    }
    return tokens
  }

  /// The byte that the text `<0xNN>` names: exactly two hexadecimal digits, no sign, no space.
  private static func byteValue(_ bytes: [UInt8], _ range: Range<Int>) -> UInt8? {
    let start = range.lowerBound
    guard range.count == 6, bytes[start] == 0x3C, bytes[start + 1] == 0x30,
      bytes[start + 2] == 0x78, bytes[start + 5] == 0x3E,
      let high = hexDigit(bytes[start + 3]), let low = hexDigit(bytes[start + 4])
    else { return nil }
    return high << 4 | low
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

extension SpecialTokens {
  /// Takes over the ids that exist; SentencePiece models without ids use their customary ones.
  fileprivate mutating func assign(
    _ description: TokenizerDescription, count: Int, warnings: inout [VocabularyWarning]
  ) {
    var found: [TokenizerDescription.Role: TokenID] = [:]
    if description.model == "llama", count > 2 { found = [.unknown: 0, .bos: 1, .eos: 2] }
    for role in TokenizerDescription.Role.allCases {
      guard let id = description.ids[role] else { continue }
      if (0..<count).contains(id) {
        found[role] = TokenID(id)
      } else {
        warnings.append(.idOutsideVocabulary(key: role.key, count: count))
      }
    }
    bos = found[.bos]
    eos = found[.eos]
    unknown = found[.unknown]
    padding = found[.padding]
    endOfTurn = found[.eot]
    endOfMessage = found[.eom]
  }
}
