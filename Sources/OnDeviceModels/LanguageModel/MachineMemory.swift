internal import Foundation

/// The memory of this machine, in bytes, as far as this process may use it.
package struct MachineMemory: Equatable, Sendable {
  /// All there is.
  package var physical: Int
  /// What could be had now without swapping, where the system tells.
  package var available: Int?

  package init(physical: Int, available: Int?) {
    self.physical = physical
    self.available = available
  }

  /// The memory now.
  package static var current: MachineMemory {
    var memory = MachineMemory(
      physical: Int(clamping: ProcessInfo.processInfo.physicalMemory), available: nil)
    if let text = text(of: "/proc/meminfo") { memory.readMemoryInformation(text) }
    // A container may allow less than the machine has.
    if let limit = number(in: "/sys/fs/cgroup/memory.max") {
      memory.physical = min(memory.physical, limit)
      if let used = number(in: "/sys/fs/cgroup/memory.current") {
        memory.available = memory.available.map { min($0, max(0, limit - used)) }
      }
    }
    return memory
  }

  /// Reads the text of `/proc/meminfo`.
  package mutating func readMemoryInformation(_ text: String) {
    for line in text.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      let kibibytes = line.dropFirst("MemAvailable:".count).split(separator: " ").first
        .flatMap { Int($0) }
      guard let kibibytes, (0..<1 << 50).contains(kibibytes) else { return }
      available = kibibytes << 10
    }
  }

  /// Throws where a model does not fit.
  ///
  /// Weights that are mapped can be dropped and read again, so they only have to fit the machine;
  /// what is written must fit what is free now.
  ///
  /// - Throws: `OnDeviceModelError.notEnoughMemory`.
  package func check(_ estimate: MemoryEstimate) throws(OnDeviceModelError) {
    if estimate.total > physical {
      throw .notEnoughMemory(
        needed: estimate.total, available: physical, contextSize: estimate.contextSize)
    }
    if let available, estimate.dirty > available {
      throw .notEnoughMemory(
        needed: estimate.dirty, available: available, contextSize: estimate.contextSize)
    }
  }

  /// Whether so little is left that unused models should go.
  package var isShort: Bool { available.map { $0 < physical / 16 } ?? false }

  private static func text(of path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  private static func number(in path: String) -> Int? {
    text(of: path).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }
}
