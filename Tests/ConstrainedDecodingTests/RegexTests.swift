import ConstrainedDecoding
import Testing

@Suite struct RegexTests {
  static let cases: [(pattern: String, accept: [String], reject: [String])] = [
    ("a|bc", ["a", "bc"], ["", "ab", "abc"]),
    ("(?:ab){2,3}", ["abab", "ababab"], ["ab", "abababab"]),
    ("(?<year>\\d{4})\\-\\d{2}", ["2024-01"], ["24-01", "2024-1"]),
    ("x\\d+?y?", ["x1", "x12y"], ["x", "xy"]),
    ("[^\\d\\s]+", ["abc", "é中"], ["a1", "a b", ""]),
    ("[a\\-z]", ["a", "-", "z"], ["b"]),
    ("\\u00e9|\\u{1F600}|\\ud83d\\udc32", ["é", "😀", "🐲"], ["e"]),
    (".", ["a", "é"], ["\n", "\u{2028}", "ab"]),
    ("[\\s\\S]", ["\n", "é"], ["", "ab"]),
    ("^ab$|^c$", ["ab", "c"], ["abc", ""]),
    ("\\p{Lu}\\p{Nd}?", ["A", "É5"], ["a", "A55"]),
    ("a{,3}", ["a{,3}"], ["aaa"]),
    ("\\x41\\cJ\\t\\.", ["A\n\t."], ["A\n\tx"]),
    ("(a*)*b", ["b", "aaab"], ["a"]),
    ("", [""], ["a"]),
  ]

  @Test(arguments: cases.indices)
  func patternMatchesTheWholeText(_ index: Int) throws {
    let test = Self.cases[index]
    let grammar = try CompiledGrammar(try Grammar(regex: test.pattern), TestVocabulary.small)
    for text in test.accept {
      #expect(try TestVocabulary.accepts(grammar, text), "\(test.pattern) on \(text)")
    }
    for text in test.reject {
      #expect(try !TestVocabulary.accepts(grammar, text), "\(test.pattern) on \(text)")
    }
  }

  @Test(arguments: [
    "(?=a)b", "(?<!a)b", "(a)\\1", "\\bword", "a**", "(", ")", "[a", "[z-a]", "a{3,2}", "\\q",
    "\\p{Nope}", "*a", "(?i)a",
  ])
  func whatIsNotRegularOrNotWellFormedIsRefused(_ pattern: String) {
    #expect(throws: GrammarError.self) { _ = try Grammar(regex: pattern) }
  }

  @Test func errorsCarryLineAndColumn() {
    #expect(
      throws: GrammarError.syntax(line: 2, column: 3, reason: "look-around is not supported")
    ) { _ = try Grammar(regex: "a\nbc(?=d)") }
  }

  @Test func aSwiftRegexLiteralCanBeUsedByItsSource() throws {
    let regex = #/[A-Z0-9]{6}-[a-z]+/#
    let source = try #require(regex._literalPattern)
    let grammar = try CompiledGrammar(try Grammar(regex: source), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, "AB12CD-xyz"))
    #expect(try !TestVocabulary.accepts(grammar, "AB12C-xyz"))
  }

  @Test func choicesAreExactlyTheGivenTexts() throws {
    let choices = (0..<3000).map { "item \($0 * 7) é" }
    let grammar = try CompiledGrammar(try Grammar(choices: choices), TestVocabulary.small)
    #expect(try TestVocabulary.accepts(grammar, choices[2999]))
    #expect(try !TestVocabulary.accepts(grammar, "item 1 é"))
    #expect(throws: GrammarError.self) { _ = try Grammar(choices: []) }
  }
}
