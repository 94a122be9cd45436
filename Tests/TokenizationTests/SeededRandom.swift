/// Repeatable random numbers (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 40) }

  /// Text of assigned and unassigned code points of all planes, much ASCII and white space.
  mutating func text(scalars count: Int) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<count {
      let limit: UInt32 =
        [0x80, 0x80, 0x80, 0x250, 0x3000, 0x1_0000, 0x11_0000].randomElement(using: &self) ?? 0x80
      let space = Int.random(in: 0..<8, using: &self) == 0
      let number = space ? 0x20 : UInt32.random(in: 0..<limit, using: &self)
      text.append(Unicode.Scalar(number) ?? "\n")
    }
    return String(text)
  }
}
