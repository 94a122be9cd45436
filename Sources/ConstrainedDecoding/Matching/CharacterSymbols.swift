/// How the characters of a token group read as symbols of an automaton.
struct CharacterSymbols: Sendable {
  /// A symbol, and what may follow it within the character.
  struct Step: Sendable {
    var symbol: Int
    var rest: [Step]
  }

  let alphanumeric: [Step]
  let plain: [Step]

  init(_ automaton: Automaton) {
    func symbols(_ ranges: [ClosedRange<UInt8>]) -> [Int] {
      var isMember = [Bool](repeating: false, count: automaton.byteClassCount)
      for range in ranges {
        for byte in range { isMember[Int(automaton.classOfByte[Int(byte)])] = true }
      }
      return isMember.indices.filter { isMember[$0] }
    }
    func steps(_ ranges: [ClosedRange<UInt8>]) -> [Step] {
      guard let first = ranges.first else { return [] }
      let rest = steps(Array(ranges.dropFirst()))
      return symbols([first]).map { Step(symbol: $0, rest: rest) }
    }
    let letters: [ClosedRange<UInt8>] = [0x30...0x39, 0x41...0x5A, 0x61...0x7A]
    alphanumeric = symbols(letters).map { Step(symbol: $0, rest: []) }
    let ascii: [ClosedRange<UInt8>] = [0x20...0x21, 0x23...0x5B, 0x5D...0x7E]
    let tail: ClosedRange<UInt8> = 0x80...0xBF
    plain =
      symbols(ascii).map { Step(symbol: $0, rest: []) }
      + steps([0xC2...0xDF, tail]) + steps([0xE0...0xE0, 0xA0...0xBF, tail])
      + steps([0xE1...0xEC, tail, tail]) + steps([0xED...0xED, 0x80...0x9F, tail])
      + steps([0xEE...0xEF, tail, tail]) + steps([0xF0...0xF0, 0x90...0xBF, tail, tail])
      + steps([0xF1...0xF3, tail, tail, tail]) + steps([0xF4...0xF4, 0x80...0x8F, tail, tail])
  }
}
