import AllocationCounting
import Foundation
import GGUF
import Inference
import TestSupport
import Testing

@Suite struct AllocationTests {
  /// Unoptimised code allocates where it need not.
  static let canCount = counts_allocations() && TestData.isRelease

  /// Scratch is made for the first tokens; after that a decoded token uses it again.
  @Test(.enabled(if: canCount), arguments: ArchitectureGolden.names, [1, 2])
  func aDecodedTokenAllocatesNothing(name: String, threads: Int) throws {
    let model = try ArchitectureGolden.model(name)
    try expectNoAllocations(ForwardPass(model, contextSize: 64, threads: threads))
  }

  @Test(
    .enabled(if: canCount && RealModel.all.allSatisfy { TestData.model($0.file) != nil }),
    arguments: RealModel.all)
  func aDecodedTokenOfARealModelAllocatesNothing(model: RealModel) throws {
    let url = try #require(TestData.model(model.file))
    let file = try GGUFFile(path: url.path(percentEncoded: false))
    try expectNoAllocations(
      ForwardPass(TransformerModel(file: file), contextSize: 64, threads: 2))
  }

  private func expectNoAllocations(_ pass: ForwardPass) throws {
    for token in Int32(1)...3 { try pass.run([token].span, wanted: .last) }
    let tokens: [Int32] = [5]
    let before = allocations_of_this_thread()
    for _ in 0..<16 { try pass.run(tokens.span, wanted: .last) }
    #expect(allocations_of_this_thread() == before)
  }

  @Test(.enabled(if: counts_allocations()))
  func countingSeesAnAllocation() {
    let before = allocations_of_this_thread()
    let numbers = (0..<1000).map { $0 }
    #expect(allocations_of_this_thread() > before && numbers.count == 1000)
  }
}
