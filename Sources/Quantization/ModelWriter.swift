internal import GGUF

/// How far the writing of a file has come.
package struct QuantizationProgress: Sendable, Equatable {
  /// The tensor that is being written: its name, its type, its number from 1.
  package let tensor: String
  package let type: String
  package let number: Int
  /// How many tensors there are.
  package let count: Int
  /// Values of all tensors written so far, and in all.
  package let completedValues: Int
  package let totalValues: Int
  /// Whether nothing of this tensor is written yet.
  package let isBeginning: Bool
}

/// Writes a file tensor by tensor and chunk by chunk; never more than a chunk is in memory.
struct ModelWriter {
  let tensors: [TensorPlan]
  /// Where copied and converted tensors lie.
  let input: GGUFFile?
  let isCancelled: @Sendable () -> Bool
  let progress: @Sendable (QuantizationProgress) -> Void

  /// Writes all of it; what is at `path` is replaced when the file is complete.
  ///
  /// - Throws: `QuantizationError`; nothing is left of the file then.
  func write(
    _ metadata: GGUFWriter, to path: String, threads: Int
  ) throws {
    let packer = try BlockPacker(threads: threads)
    var header = metadata
    for tensor in tensors { header.declare(tensor.name, tensor.type, tensor.dimensions) }
    var output = try GGUFStream(path: path, header)
    var report = Report(tensors: tensors, send: progress)
    for tensor in tensors {
      report.begin(tensor)
      for start in stride(from: 0, to: tensor.count, by: BlockPacker.chunk) {
        guard !isCancelled() else { throw QuantizationError.cancelled }
        let range = start..<min(start + BlockPacker.chunk, tensor.count)
        do {
          try write(tensor, range, packer) { bytes in try output.append(bytes) }
        } catch let refusal as BlockPacker.Refusal {
          throw refusal.error(in: tensor, after: start)
        }
        report.add(range.count)
      }
    }
    try output.finish()
  }

  private func write(
    _ tensor: TensorPlan, _ range: Range<Int>, _ packer: BlockPacker,
    _ append: (RawSpan) throws -> Void
  ) throws {
    switch tensor.source {
    case .copy(let info):
      try read(info, range, append)
    case .convert(let info):
      try read(info, range) { bytes in
        try packer.pack(bytes, of: info.type, as: tensor.type, count: range.count, append)
      }
    case .noise(let noise):
      try packer.pack(
        noise, from: range.lowerBound, as: tensor.type, count: range.count, append)
    case .constant(let value):
      let values = [Float](repeating: value, count: range.count)
      try packer.pack(
        unsafe values.span.bytes, of: .f32, as: tensor.type, count: range.count, append)
    }
  }

  /// Lends the bytes of some values of the input, and lets go of them afterwards.
  private func read(
    _ info: TensorInfo, _ range: Range<Int>, _ body: (RawSpan) throws -> Void
  ) throws {
    guard let input else { return }
    let bytes =
      range.lowerBound / info.type.blockValues * info.type.blockBytes..<range.upperBound
      / info.type.blockValues * info.type.blockBytes
    try input.withBytes(of: info) { all in try body(all.extracting(bytes)) }
    input.release(info, bytes: bytes)
  }
}

extension BlockPacker.Refusal {
  /// The same as an error that says where in the tensor it is.
  fileprivate func error(in tensor: TensorPlan, after start: Int) -> QuantizationError {
    let rowLength = max(tensor.dimensions.first ?? 1, 1)
    let (row, column) = (start + index).quotientAndRemainder(dividingBy: rowLength)
    return .unusableValue(
      tensor: tensor.name, row: row, column: column, value: "\(value)", type: tensor.type)
  }
}

/// Counts what is written and says so.
private struct Report {
  private let count: Int
  private let total: Int
  private let send: @Sendable (QuantizationProgress) -> Void
  private var number = 0
  private var completed = 0
  private var current: TensorPlan?

  init(tensors: [TensorPlan], send: @escaping @Sendable (QuantizationProgress) -> Void) {
    count = tensors.count
    total = tensors.reduce(0) { $0 + $1.count }
    self.send = send
  }

  mutating func begin(_ tensor: TensorPlan) {
    current = tensor
    number += 1
    say(isBeginning: true)
  }

  mutating func add(_ values: Int) {
    completed += values
    say(isBeginning: false)
  }

  private func say(isBeginning: Bool) {
    guard let current else { return }
    send(
      QuantizationProgress(
        tensor: current.name, type: current.type.name, number: number, count: count,
        completedValues: completed, totalValues: total, isBeginning: isBeginning))
  }
}
