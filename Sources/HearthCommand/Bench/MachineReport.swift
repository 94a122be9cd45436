import Foundation
import Inference
import Tokenization

/// The limits of this machine, printed.
struct MachineReport {
  private let threads: Int
  private let figures: [MachineBenchmark.Figure]

  /// Measures for some seconds.
  init(threads: Int) throws {
    self.threads = threads
    figures = try MachineBenchmark(threads: threads).figures()
  }

  func print(asJSON: Bool) {
    if asJSON {
      Console.data(json)
    } else {
      Console.line("\(threads) threads, \(MachineBenchmark.instructionSet)")
      figures.map(row).forEach(Console.line)
    }
  }

  private func row(_ figure: MachineBenchmark.Figure) -> String {
    let name = "\(figure.name) (\(figure.means))"
    return String(
      format: "%@ %2d threads %9.1f %@", name.padding(toLength: 28, withPad: " ", startingAt: 0),
      figure.threads, figure.value, figure.unit)
  }

  private var json: String {
    var members: [OrderedJSON.Member] = [
      .init("threads", .int(threads)),
      .init("instruction_set", .string(MachineBenchmark.instructionSet)),
    ]
    for figure in figures {
      members.append(
        .init(
          figure.name + (figure.threads == threads ? "" : "_\(figure.threads)"),
          .object([
            .init("means", .string(figure.means)), .init("unit", .string(figure.unit)),
            .init("value", .double(figure.value)),
          ])))
    }
    return OrderedJSON.object(members).serialized()
  }
}
