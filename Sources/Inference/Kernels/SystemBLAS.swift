#if canImport(Accelerate)
internal import Accelerate
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import CKernels

/// The system's BLAS: Accelerate on Apple platforms, OpenBLAS elsewhere where it is installed.
///
/// OpenBLAS is opened when the first float product needs it. Linked, it would start its threads
/// with the process and keep the other cores busy for a tenth of a second.
@safe
struct SystemBLAS: Sendable {
  /// C = A · Bᵀ in row-major order, CBLAS's `sgemm` with one thread.
  ///
  /// A is `[m, k]`, B is `[n, k]`, C is `[m, n]`; strides count floats between rows.
  let multiply: Multiply

  typealias Multiply =
    @Sendable (
      _ m: Int, _ n: Int, _ k: Int, _ a: UnsafePointer<Float>, _ aStride: Int,
      _ b: UnsafePointer<Float>, _ bStride: Int, _ c: UnsafeMutablePointer<Float>, _ cStride: Int
    ) -> Void

  /// The library and, where it tells, the CPU that its kernels are for.
  let name: String

  /// nil where there is no BLAS.
  static let shared: SystemBLAS? = open()

  private init(name: String, multiply: @escaping Multiply) {
    self.name = name
    unsafe self.multiply = multiply
  }

  #if canImport(Accelerate)
  private static func open() -> SystemBLAS? {
    SystemBLAS(name: "Accelerate") { m, n, k, a, aStride, b, bStride, c, cStride in
      unsafe cblas_sgemm(
        CblasRowMajor, CblasNoTrans, CblasTrans, numericCast(m), numericCast(n), numericCast(k), 1,
        a, numericCast(aStride), b, numericCast(bStride), 0, c, numericCast(cStride))
    }
  }
  #else
  // The numbers of CBLAS: row-major order, not transposed, transposed.
  private static let (rowMajor, plain, transposed): (Int32, Int32, Int32) = (101, 111, 112)

  private typealias SGEMM =
    @convention(c) (
      Int32, Int32, Int32, Int32, Int32, Int32, Float, UnsafePointer<Float>, Int32,
      UnsafePointer<Float>, Int32, Float, UnsafeMutablePointer<Float>, Int32
    ) -> Void

  private static func open() -> SystemBLAS? {
    prepareEnvironment()
    guard
      let library = unsafe dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)
        ?? dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL),
      let symbol = unsafe dlsym(library, "cblas_sgemm")
    else { return nil }
    let sgemm = unsafe unsafeBitCast(symbol, to: SGEMM.self)
    return unsafe SystemBLAS(name: name(of: library)) {
      m, n, k, a, aStride, b, bStride, c, cStride in
      unsafe sgemm(
        rowMajor, plain, transposed, Int32(m), Int32(n), Int32(k), 1, a, Int32(aStride), b,
        Int32(bStride), 0, c, Int32(cStride))
    }
  }

  private static func name(of library: UnsafeMutableRawPointer) -> String {
    typealias CoreName = @convention(c) () -> UnsafePointer<CChar>?
    guard let symbol = unsafe dlsym(library, "openblas_get_corename"),
      let core = unsafe unsafeBitCast(symbol, to: CoreName.self)()
    else { return "OpenBLAS" }
    return unsafe "OpenBLAS, " + String(cString: core)
  }

  /// Says how OpenBLAS is to run, which it reads when it is opened; what the user has set stays.
  ///
  /// No threads of its own, since each of ours runs its own products, and the kernels of this CPU,
  /// which releases older than the CPU do not know and then take their slowest.
  private static func prepareEnvironment() {
    _ = unsafe setenv("OPENBLAS_NUM_THREADS", "1", 0)
    let core: String? =
      switch ck_isa_active() {
      case CK_ISA_AVX2: "Haswell"
      case CK_ISA_AVX512, CK_ISA_AMX: "SkylakeX"
      default: nil
      }
    if let core { _ = unsafe setenv("OPENBLAS_CORETYPE", core, 0) }
  }
  #endif
}
