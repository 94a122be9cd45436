import CKernels
import Testing

/// The loops that find the machine's limits; how fast they are is not for a test to say.
@Suite struct MachineTests {
  @Test(arguments: [1, 3]) func everyThreadCanMeasure(_ threads: Int) throws {
    let owner = try TestPool(threads: threads)
    let pool = unsafe owner.pointer
    for peak in [CK_PEAK_F32, CK_PEAK_INT8, CK_PEAK_TILES] {
      let rate = unsafe ck_peak_rate(pool, peak)
      #expect(unsafe (rate > 0) == (ck_peak_name(peak) != nil))
    }
    // Less than one part, and parts with a rest that fills no vector.
    for count in [1, 300, (1 << 20) * 3 + 77] {
      let bytes = [UInt8](repeating: 1, count: count)
      let rate = unsafe bytes.withUnsafeBytes { unsafe ck_read_rate(pool, $0.baseAddress, count) }
      #expect(rate > 0)
    }
  }

  @Test func namesSayWhatIsUsed() {
    let known = ["FMA", "AVX-512", "AVX2", "VNNI", "AMX, bfloat16", "NEON", "dotprod", "i8mm"]
    for peak in [CK_PEAK_F32, CK_PEAK_INT8, CK_PEAK_TILES] {
      guard let name = unsafe ck_peak_name(peak) else { continue }
      #expect(known.contains(unsafe String(cString: name)))
    }
    if ck_isa_active() != CK_ISA_SCALAR { #expect(unsafe ck_peak_name(CK_PEAK_INT8) != nil) }
  }
}
