/// One rule of a pre-tokenizer, described by what the published regular expression matches.
enum PretokenizerRule: Sendable {
  /// GPT-2: a lower-case English contraction; letters, numbers or other visible characters, each
  /// with an optional space before; white space, leaving its last character to a word behind it.
  case words
  /// Llama 3 and Qwen 2: a contraction in any case; letters with one optional character before
  /// that is no letter, number or line break; up to `digits` numbers; other visible characters
  /// with an optional space before and the line breaks behind; white space up to its last line
  /// break; other white space as in `words`. Qwen 3.5 counts `marks` as letters.
  case wordsAndLines(digits: Int, marks: Bool = false)
  /// GPT-4o and Tekken: as `wordsAndLines`, but a run of letters and marks ends where lower case
  /// is followed by upper case; contractions, if any, belong to the word before them; visible
  /// characters take slashes along with the line breaks.
  case casedWords(contractions: Bool, digits: Int)
  /// DeepSeek V3: ASCII letters behind one ASCII punctuation character; letters and marks with
  /// one optional character before; punctuation and symbols; white space as in `wordsAndLines`.
  case wordsWithMarks
  /// A run of numbers, cut from the left into groups of at most so many.
  case numbers(atMost: Int)
  /// Exactly three ASCII digits.
  case digitTriples
  /// A run of punctuation and of the ASCII symbols `$ + < = > ^ ~ |`, perhaps the grave accent.
  case punctuation(graveAccent: Bool)
  /// A single carriage return or line feed.
  case lineBreak
  /// A run of one set of characters, with one optional white-space character before.
  case spaced(CharacterSet)
  /// White space at the end of a piece.
  case trailingSpace
  /// A run of what DeepSeek takes for Chinese and Korean: U+0800-9FA5 and U+AC00-D7FF.
  case eastAsian
  /// A run of Han ideographs U+4E00-9FA5, hiragana and katakana.
  case kanaAndHan
  /// BLOOM: anything but white space, brackets open or closed round, bars and sentence
  /// punctuation of several scripts, with an optional space before.
  case betweenStops

  /// The sets of characters DeepSeek's rules name.
  enum CharacterSet: Sendable {
    case letters
    case punctuation
    case casedLetters
    case asciiAndWidePunctuation
  }

  /// The end of the match that starts at code point `start`, or nil if none does.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - start: where the match has to begin.
  ///   - end: the end of the piece; nothing behind it is looked at.
  /// - Returns: a code point after `start`.
  func match(_ text: ScalarText, _ start: Int, _ end: Int) -> Int? {
    let view = PretokenizerView(text: text, end: end)
    return switch self {
    case .words: view.words(start)
    case .wordsAndLines(let digits, let marks):
      view.wordsAndLines(start, digits: digits, letter: marks ? [.letter, .mark] : .letter)
    case .casedWords(let contractions, let digits):
      view.casedWords(start, contractions: contractions, digits: digits)
    case .wordsWithMarks: view.wordsWithMarks(start)
    case .numbers(let most): view.numbers(start, atMost: most)
    case .digitTriples: view.digitTriple(start)
    case .punctuation(let graveAccent):
      view.some(start) { view.isPunctuation($0, graveAccent: graveAccent) }
    case .lineBreak: view.isLineBreak(start) ? start + 1 : nil
    case .spaced(let set): view.spaced(start, set)
    case .trailingSpace: view.some(start) { view.has($0, .space) }.flatMap { $0 == end ? $0 : nil }
    case .eastAsian: view.some(start) { view.isEastAsian($0) }
    case .kanaAndHan: view.some(start) { view.isKanaOrHan($0) }
    case .betweenStops: view.optionalSpace(start) { !view.isStop($0) }
    }
  }
}
