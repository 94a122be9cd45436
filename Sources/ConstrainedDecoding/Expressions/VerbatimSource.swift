/// A text whose spans a string may be, as an automaton over its bytes.
struct VerbatimSource: Sendable {
  func mayEnd(state: Int32, escape: Int32) -> Bool { false }
  func forEachStep(
    state: Int32, escape: Int32, _ body: (UInt8, Int32, Int32) -> Void
  ) {}
}
