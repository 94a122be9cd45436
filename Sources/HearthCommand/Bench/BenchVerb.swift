import Foundation
import Inference
import OnDeviceModels

let benchVerb = Verb(
  "bench", usage: "[options] [NAME|FILE…]",
  summary: "measure models on this machine",
  details: """
    with --serve
    in:  {"measure":"prefill128"}
    out: {"value":…, "cpu":…}
    """,
  options: ModelOptions.options.filter { ["--threads", "--ctx", "--backend"].contains($0.name) } + [
    Option("--serve", nil, "hold one model and measure it as JSON Lines on standard input ask")
  ]
) { arguments in
  try arguments.refuseOperands(after: 1)
  let path = try ModelStore().locate(arguments.operands[0]).path(percentEncoded: false)
  try await BenchWorker(path: path, options: ModelOptions.engine(arguments)).serve()
}
