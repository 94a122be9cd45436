internal import CKernels

/// The single-row kernels of one instruction set, known to be there.
@safe
struct Kernels {
  let scale: @convention(c) (Float, Int, UnsafeMutablePointer<Float>?) -> Void
  let softcap: @convention(c) (Float, Int, UnsafeMutablePointer<Float>?) -> Void
  let argmax: @convention(c) (UnsafePointer<Float>?, Int) -> Int

  init?(_ floats: ck_float_table) {
    guard let scale = unsafe floats.scale, let softcap = unsafe floats.softcap,
      let argmax = unsafe floats.argmax
    else { return nil }
    unsafe self.scale = scale
    unsafe self.softcap = softcap
    unsafe self.argmax = argmax
  }
}
