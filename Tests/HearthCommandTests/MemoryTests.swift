import Foundation
import Testing

/// K13: memory does not grow from turn to turn.
@Suite struct MemoryTests {
  @Test func fiftyTurnsTakeNoMoreMemoryThanFive() throws {
    func peak(turns: Int) throws -> Int {
      let talk = (0..<turns).map { "turn number \($0)\n" + ($0 % 4 == 3 ? "/reset\n" : "") }
      let run = try MeasuredRun(
        ["chat", "--template", "chatml", "--max-tokens", "20", "--seed", "1", "--model"]
          + [Command.tinyModel("llama")], input: talk.joined())
      try #require(run.status == 0, "\(run.errors)")
      return run.peakBytes
    }
    let (few, many) = (try peak(turns: 5), try peak(turns: 50))
    #expect(Double(many) <= 1.05 * Double(few), "\(few) and \(many) bytes")
  }
}
