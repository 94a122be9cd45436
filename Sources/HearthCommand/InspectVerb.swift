import Foundation
import GGUF
import Inference
import OnDeviceModels

let inspectVerb = Verb(
  "inspect", usage: "[options] FILE|NAME",
  summary: "show a file's metadata, tensors, types and what it takes of memory",
  options: [
    Option("--ctx", "N", "context size for the memory estimate"),
    ModelOptions.keyValueOption,
    Option("--no-tensors", nil, "leave the list of tensors out"),
  ]
) { arguments in
  try arguments.refuseOperands(after: 1)
  guard let named = arguments.operands.first else { throw UsageError("which file?") }
  let path = try ModelStore().locate(named).path(percentEncoded: false)
  let file = try ModelFile.open(path)
  let report = InspectReport(file: file)
  let memory = try report.memory(
    contextSize: ModelOptions.positive(arguments, "--ctx"),
    keyValueType: ModelOptions.keyValueType(arguments))
  Console.line(report.header)
  Console.line("\nmetadata (\(file.metadata.count) keys)")
  report.metadata.forEach(Console.line)
  Console.line("\ntensor types")
  report.types.forEach(Console.line)
  if !arguments.has("--no-tensors") {
    Console.line("\ntensors (\(file.tensors.count))")
    report.tensors.forEach(Console.line)
  }
  Console.line("\nmemory")
  memory.forEach(Console.line)
}

/// The lines of `hearth inspect`.
private struct InspectReport {
  let file: GGUFFile

  var header: String {
    "\(file.paths.joined(separator: ", "))\nGGUF version \(file.version), "
      + "\(file.fileByteCount) bytes, \(file.tensors.count) tensors"
  }

  var metadata: [String] {
    file.metadata.map { entry in "  \(entry.key) = \(shortened("\(entry.value)"))" }
  }

  var types: [String] {
    var totals: [(type: TensorType, count: Int, bytes: Int)] = []
    for tensor in file.tensors {
      if let index = totals.firstIndex(where: { $0.type == tensor.type }) {
        totals[index].count += 1
        totals[index].bytes += tensor.byteCount
      } else {
        totals.append((tensor.type, 1, tensor.byteCount))
      }
    }
    return totals.sorted { $0.bytes > $1.bytes }.map { total in
      "  " + padded(total.type.name, 8) + padded("\(total.count) tensors", 14)
        + Self.megabytes(total.bytes)
    }
  }

  var tensors: [String] {
    let width = file.tensors.map(\.name.count).max() ?? 0
    return file.tensors.map { tensor in
      let shape = tensor.dimensions.map(String.init).joined(separator: " x ")
      return "  " + padded(tensor.name, width + 2) + padded(tensor.type.name, 8) + shape
    }
  }

  func memory(contextSize: Int?, keyValueType: KeyValueType) throws -> [String] {
    let estimate: MemoryEstimate
    do {
      estimate = try MemoryEstimate(
        file: file, contextSize: contextSize, keyValueType: keyValueType)
    } catch InferenceError.contextTooLarge(let requested, let limit) {
      throw InferenceError.contextTooLarge(requested: requested, limit: limit)
    } catch {
      return ["  no estimate: \(error)"]
    }
    let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    let fits = estimate.total <= machine
    return [
      "  weights, copied from the file   " + Self.megabytes(estimate.copied),
      "  weights, mapped from the file   " + Self.megabytes(estimate.mapped),
      "  KV cache at \(padded("\(estimate.contextSize) tokens", 20))"
        + Self.megabytes(estimate.keyValueCache),
      "  scratch                         " + Self.megabytes(estimate.scratch),
      "  total                           " + Self.megabytes(estimate.total),
      "  \(fits ? "fits" : "does not fit") this machine's \(Self.megabytes(machine))",
    ]
  }

  private func shortened(_ text: String) -> String {
    let line = text.replacing("\n", with: "\\n")
    return line.count <= 120 ? line : line.prefix(120) + "…"
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func megabytes(_ bytes: Int) -> String {
    String(format: "%.1f MB", Double(bytes) / 1e6)
  }
}
