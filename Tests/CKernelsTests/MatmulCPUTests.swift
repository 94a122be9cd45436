import CKernels
import Foundation
import Testing

@Suite struct MatmulCPUTests {
  private static let names = [
    CK_ISA_SCALAR: "scalar", CK_ISA_AVX2: "avx2", CK_ISA_AVX512: "avx512", CK_ISA_NEON: "neon",
    CK_ISA_DOTPROD: "dotprod", CK_ISA_I8MM: "i8mm", CK_ISA_AMX: "amx",
  ]

  @Test func everyInstructionSetHasItsName() {
    #expect(Self.names.count == Int(CK_ISA_COUNT.rawValue))
    for (isa, name) in Self.names {
      #expect(unsafe String(cString: ck_isa_name(isa)) == name)
    }
  }

  @Test func numbersThatAreNoInstructionSetAreUnavailable() {
    for number: UInt32 in [CK_ISA_COUNT.rawValue, 99, .max] {
      let isa = ck_isa(rawValue: number)
      #expect(!ck_isa_available(isa))
      #expect(MatmulKernels(isa) == nil)
      #expect(unsafe String(cString: ck_isa_name(isa)) == "unknown")
    }
  }

  @Test func tablesExistExactlyWhereTheInstructionSetIsAvailable() {
    #expect(ck_isa_available(CK_ISA_SCALAR))
    for isa in Self.names.keys {
      #expect((MatmulKernels(isa) != nil) == ck_isa_available(isa))
    }
  }

  /// Linux lists what CPU and kernel allow; that is another reader of the same facts.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/cpuinfo"), "skipped: no /proc"))
  func detectionAgreesWithTheKernel() throws {
    let info = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = try #require(
      info.split(separator: "\n").first { $0.hasPrefix("flags") || $0.hasPrefix("Features") })
    let flags = Set(line.split(whereSeparator: { " \t:".contains($0) }).map(String.init))
    let avx2 = flags.isSuperset(of: ["avx2", "fma", "f16c", "bmi1", "bmi2"])
    let avx512 = flags.isSuperset(of: [
      "avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_vnni",
    ])
    #expect(ck_isa_available(CK_ISA_AVX2) == avx2)
    #expect(ck_isa_available(CK_ISA_AVX512) == (avx2 && avx512))
    // The kernel may still refuse the tile registers to a process, so the flags are needed only.
    if ck_isa_available(CK_ISA_AMX) {
      #expect(flags.isSuperset(of: ["amx_tile", "amx_bf16", "avx512_bf16"]) && avx512)
    }
    #expect(ck_isa_available(CK_ISA_NEON) == flags.contains("asimd"))
    #expect(ck_isa_available(CK_ISA_DOTPROD) == flags.contains("asimddp"))
    #expect(ck_isa_available(CK_ISA_I8MM) == flags.isSuperset(of: ["asimddp", "i8mm"]))
  }

  /// The suite runs under each value of CK_FORCE in turn; this says what each of them means.
  @Test func theForcedInstructionSetIsActiveOrElseTheBest() {
    let forced = ProcessInfo.processInfo.environment["CK_FORCE"]
    let named = Self.names.first { $0.value == forced && ck_isa_available($0.key) }?.key
    let best = [
      CK_ISA_AMX, CK_ISA_AVX512, CK_ISA_AVX2, CK_ISA_I8MM, CK_ISA_DOTPROD, CK_ISA_NEON,
      CK_ISA_SCALAR,
    ].first(where: ck_isa_available)
    #expect(ck_isa_active() == named ?? best)
  }
}
