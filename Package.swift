// swift-tools-version: 6.2
import PackageDescription

// Continuous integration turns warnings into errors; a package that depends on this one must not.
let strict = Context.environment["HEARTH_STRICT"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
  ] + (strict ? [.treatAllWarnings(as: .error)] : [])

/// One library target; the dependencies name only targets below it.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

/// The tests of one target.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: dependencies + ["TestSupport"], swiftSettings: swiftSettings
  )
}

let package = Package(
  name: "Hearth",
  platforms: [.macOS(.v15), .iOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Hearth", targets: ["Hearth"]),
    .executable(name: "hearth", targets: ["HearthCommand"]),
  ],
  targets: [
    .target(
      name: "CKernels",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux, .android]))]),
    library("GGUF"),
    library("Tokenization", ["GGUF"]),
    library("ConstrainedDecoding", ["Tokenization"]),
    library("Inference", ["CKernels", "GGUF", "Tokenization", "ConstrainedDecoding"]),
    library("Quantization", ["CKernels", "GGUF"]),
    library("OnDeviceModels", ["GGUF", "Tokenization", "ConstrainedDecoding", "Inference"]),
    library(
      "Hearth", ["GGUF", "Tokenization", "ConstrainedDecoding", "Inference", "OnDeviceModels"]),
    .executableTarget(
      name: "HearthCommand",
      dependencies: [
        "GGUF", "Tokenization", "ConstrainedDecoding", "Inference", "Quantization",
        "OnDeviceModels",
      ],
      swiftSettings: swiftSettings),

    .target(name: "CThreadClock", path: "Benchmarks/CThreadClock"),
    .executableTarget(
      name: "GrammarBenchmark",
      dependencies: ["CThreadClock", "GGUF", "Tokenization", "ConstrainedDecoding"],
      path: "Benchmarks/GrammarBenchmark", swiftSettings: swiftSettings),

    .target(
      name: "TestSupport", dependencies: ["GGUF"], path: "Tests/TestSupport",
      swiftSettings: swiftSettings),
    .target(name: "AllocationCounting", path: "Tests/AllocationCounting"),
    tests("GGUF", ["GGUF"]),
    tests("CKernels", ["CKernels"]),
    tests("Tokenization", ["GGUF", "Tokenization"]),
    tests("ConstrainedDecoding", ["GGUF", "Tokenization", "ConstrainedDecoding"]),
    tests(
      "Inference",
      [
        "AllocationCounting", "CKernels", "GGUF", "Tokenization", "ConstrainedDecoding",
        "Inference",
      ]),
    tests("Quantization", ["CKernels", "GGUF", "Tokenization", "Inference", "Quantization"]),
    tests(
      "OnDeviceModels",
      ["GGUF", "Tokenization", "ConstrainedDecoding", "Inference", "OnDeviceModels"]),
    tests("HearthCommand", ["GGUF", "HearthCommand"]),
  ],
  cLanguageStandard: .c11
)
