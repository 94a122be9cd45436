import Foundation
import GGUF
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A small generator with a seed, so that a failure can be repeated.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Damaged files of every kind give an error or open; they never end the process.
@Suite struct FuzzTests {
  /// A valid file with values of all types and tensors of several, without padding at its end.
  static func seedFile() throws -> [UInt8] {
    var writer = GGUFWriter(architecture: "llama")
    for (key, value) in RoundTripTests.values { writer.set(key, value) }
    writer.set("general.alignment", .uint32(16))
    writer.add("token_embd.weight", [4, 3], floats: [Float](repeating: 1, count: 12))
    writer.add("blk.0.attn_q.weight", .q4_0, [64, 2], bytes: [UInt8](repeating: 2, count: 72))
    writer.add("empty", .f16, [0, 5], bytes: [])
    writer.add("output.weight", .q8_0, [32, 8], bytes: [UInt8](repeating: 3, count: 272))
    return try writer.bytes()
  }

  /// Touches everything that a file offers, as far as it opens.
  static func use(_ bytes: [UInt8]) -> GGUFError? {
    do {
      let file = try GGUFFile(bytes: bytes)
      for tensor in file.tensors {
        _ = file.tensor(named: tensor.name)
        #expect(file.copy(tensor).count == tensor.byteCount)
        #expect(
          tensor.rowByteCount.multipliedReportingOverflow(by: tensor.rowCount).overflow == false)
      }
      for entry in file.metadata {
        _ = try? file.metadata.integer(entry.key, in: 0...100)
        _ = try? file.metadata.floats(entry.key)
        _ = try? file.metadata.integers(entry.key)
        if let strings = try? file.metadata.strings(entry.key) {
          for position in strings.indices { _ = strings.text(at: position) }
        }
        _ = "\(entry.value)"
      }
      return nil
    } catch {
      // A message must stay readable, whatever the file puts into it.
      #expect(error.description.count < 2_000)
      return error
    }
  }

  @Test("Every proper prefix of a file gives an error")
  func everyPrefix() throws {
    let whole = try Self.seedFile()
    #expect(Self.use(whole) == nil)
    for length in 0..<whole.count {
      #expect(Self.use(Array(whole.prefix(length))) != nil, "prefix of \(length) bytes")
    }
  }

  /// The most memory in bytes that the process has held so far.
  static func peakMemory() -> Int {
    var usage = rusage()
    // RUSAGE_SELF, which the systems import under different types.
    guard unsafe getrusage(0, &usage) == 0 else { return 0 }
    #if os(Linux)
    return usage.ru_maxrss * 1024
    #else
    return usage.ru_maxrss
    #endif
  }

  @Test("Thousands of damaged files give an error or open", arguments: 0..<8 as Range<UInt64>)
  func mutations(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let whole = try Self.seedFile()
    let before = Self.peakMemory()
    var refused = 0
    for _ in 0..<500 {
      let bytes = Self.mutated(whole, using: &random)
      if Self.use(bytes) != nil { refused += 1 }
    }
    // Both ways must have been taken, or the test shows nothing.
    #expect(refused > 50 && refused < 500, "seed \(seed)")
    // A file has 3 KB; other tests that run meanwhile take some megabytes.
    #expect(Self.peakMemory() - before < 256 << 20, "seed \(seed)")
  }

  /// Changes a few bytes, overwrites a number, or moves, drops or doubles a part.
  static func mutated(_ whole: [UInt8], using random: inout SplitMix64) -> [UInt8] {
    var bytes = whole
    let extremes: [UInt64] = [
      0, 1, 2, 9, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max, .max - 31, UInt64(whole.count),
    ]
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0..<bytes.count - 8, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = .random(in: 0...255, using: &random)
      case 2, 3:
        let number = extremes.randomElement(using: &random) ?? 0
        let width = Bool.random(using: &random) ? 4 : 8
        for index in 0..<width {
          bytes[place + index] = UInt8(truncatingIfNeeded: number >> (index * 8))
        }
      case 4:
        let end = min(bytes.count, place + Int.random(in: 1...64, using: &random))
        bytes.removeSubrange(place..<end)
      default:
        let part = Array(bytes[place..<place + 8])
        bytes.insert(contentsOf: part, at: Int.random(in: 0...bytes.count, using: &random))
      }
    }
    return bytes
  }
}
