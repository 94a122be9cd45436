internal import CKernels

/// The single-row kernels of one instruction set, known to be there.
@safe
struct Kernels {
  let rmsNorm:
    @convention(c) (
      UnsafePointer<Float>?, UnsafePointer<Float>?, Int, Float, UnsafeMutablePointer<Float>?
    ) -> Void
  let rope:
    @convention(c) (
      UnsafeMutablePointer<Float>?, Int, Int, Int, UnsafePointer<Float>?, UnsafePointer<Float>?,
      ck_rope_pairing
    ) -> Void
  let add: @convention(c) (UnsafePointer<Float>?, Int, UnsafeMutablePointer<Float>?) -> Void
  let scale: @convention(c) (Float, Int, UnsafeMutablePointer<Float>?) -> Void
  let softcap: @convention(c) (Float, Int, UnsafeMutablePointer<Float>?) -> Void
  let toF16: @convention(c) (UnsafePointer<Float>?, Int, UnsafeMutablePointer<UInt16>?) -> Void
  let argmax: @convention(c) (UnsafePointer<Float>?, Int) -> Int

  init?(_ floats: ck_float_table) {
    guard let rmsNorm = unsafe floats.rms_norm, let rope = unsafe floats.rope,
      let add = unsafe floats.add, let scale = unsafe floats.scale,
      let softcap = unsafe floats.softcap, let toF16 = unsafe floats.to_f16,
      let argmax = unsafe floats.argmax
    else { return nil }
    unsafe self.rmsNorm = rmsNorm
    unsafe self.rope = rope
    unsafe self.add = add
    unsafe self.scale = scale
    unsafe self.softcap = softcap
    unsafe self.toF16 = toF16
    unsafe self.argmax = argmax
  }
}

/// Room for the quantised activations of one matrix product, grown as needed.
@safe
struct QuantizedScratch: ~Copyable {
  var view = unsafe ck_q8()
  private var capacity = 0  // tokens * columns

  /// Makes room for `tokens` rows of `columns` values and sets the view's shape to it.
  mutating func reserve(tokens: Int, columns: Int) throws(InferenceError) {
    let block = Int(CK_Q8_BLOCK)
    precondition(columns % block == 0)
    let count = tokens * columns
    if count > capacity {
      release()
      unsafe view.q = .allocate(capacity: count)
      unsafe view.scale = .allocate(capacity: count / block)
      unsafe view.sum = .allocate(capacity: count / (block / 2))
      capacity = count
    }
    unsafe view.tokens = tokens
    unsafe view.cols = columns
  }

  private mutating func release() {
    guard capacity > 0 else { return }
    unsafe view.q.deallocate()
    unsafe view.scale.deallocate()
    unsafe view.sum.deallocate()
    capacity = 0
  }

  deinit {
    guard capacity > 0 else { return }
    unsafe view.q.deallocate()
    unsafe view.scale.deallocate()
    unsafe view.sum.deallocate()
  }
}
