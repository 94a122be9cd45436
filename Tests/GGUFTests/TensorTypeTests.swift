import Foundation
import GGUF
import TestSupport
import Testing

@Suite struct TensorTypeTests {
  private struct Golden: Decodable {
    let type: String
    let ggml_type_id: UInt32
    let block_elements: Int
    let block_bytes: Int
  }

  @Test("Block sizes are those of the reference implementation")
  func blockSizes() throws {
    let text = try String(
      contentsOf: TestData.fixtures.appending(path: "quants/quants.jsonl"), encoding: .utf8)
    let goldens = try text.split(separator: "\n").map {
      try JSONDecoder().decode(Golden.self, from: Data($0.utf8))
    }
    #expect(goldens.count == 25)
    for golden in goldens {
      let type = try TensorType(id: golden.ggml_type_id)
      #expect(type.name == golden.type)
      #expect(type.blockValues == golden.block_elements)
      #expect(type.blockBytes == golden.block_bytes)
    }
  }

  @Test(
    "Types without a golden",
    arguments: [
      (0, "F32", 1, 4), (9, "Q8_1", 32, 36), (15, "Q8_K", 256, 292), (24, "I8", 1, 1),
      (25, "I16", 1, 2), (26, "I32", 1, 4), (27, "I64", 1, 8), (28, "F64", 1, 8),
      (41, "Q1_0", 128, 18), (42, "Q2_0", 64, 18),
    ] as [(UInt32, String, Int, Int)])
  func otherTypes(id: UInt32, name: String, values: Int, bytes: Int) throws {
    let type = try TensorType(id: id)
    #expect(type.name == name && "\(type)" == name)
    #expect(type.blockValues == values)
    #expect(type.blockBytes == bytes)
  }

  @Test("Every id up to 42 is a type or was removed; there are no others")
  func allIDs() {
    let removed: Set<UInt32> = [4, 5, 31, 32, 33, 36, 37, 38]
    for id: UInt32 in 0...1100 {
      let expected: TensorType.Refusal? =
        removed.contains(id) ? .removed : id <= 42 ? nil : (101...999) ~= id ? .ikOnly : .unknown
      do throws(TensorType.Refusal) {
        #expect(try TensorType(id: id).rawValue == id)
        #expect(expected == nil)
      } catch {
        #expect(error == expected)
      }
    }
    #expect(TensorType.allCases.count == 35)
  }
}
