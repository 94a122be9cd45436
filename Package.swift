// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
func tests(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: dependencies + ["TestSupport"],
    swiftSettings: swiftSettings + settings)
}

/// The swift-syntax libraries of the toolchain that reads this file, or nil where it has none.
///
/// The library that `Package` comes from lies in the toolchain, two folders beside them.
func hostLibraries() -> String? {
  #if os(Windows)
  return nil
  #else
  // `dladdr` tells the file an address was loaded from; glibc declares it for GNU sources only.
  typealias Lookup =
    @convention(c) (UnsafeRawPointer, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> CInt
  guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "dladdr") else { return nil }
  let anchor = unsafeBitCast(Package.self, to: UnsafeRawPointer.self)
  var image = [UnsafePointer<CChar>?](repeating: nil, count: 4)
  guard unsafeBitCast(symbol, to: Lookup.self)(anchor, &image) != 0, let file = image[0] else {
    return nil
  }
  let host = URL(fileURLWithPath: String(cString: file)).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("host").path
  let hasMacros = FileManager.default.fileExists(atPath: host + "/SwiftSyntaxMacros.swiftmodule")
  return hasMacros ? host : nil
  #endif
}

/// Everything that `@Generable` takes, and nothing where the toolchain has no swift-syntax.
struct MacroSupport {
  var targets: [Target] = []
  var dependencies: [Target.Dependency] = []
  var settings: [SwiftSetting] = []
  var testTargets: [Target] = []

  init(host: String?) {
    guard let host else { return }
    let libraries = [
      "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftSyntaxMacroExpansion",
      "SwiftParser", "SwiftDiagnostics", "SwiftCompilerPluginMessageHandling",
    ]
    let find: [SwiftSetting] = [.unsafeFlags(["-I", host])]
    let link: [LinkerSetting] = [
      .unsafeFlags(
        ["-L", host, "-Xlinker", "-rpath", "-Xlinker", host] + libraries.map { "-l" + $0 })
    ]
    // A library and a plugin of one file: tests of a plugin itself are built for the machine that
    // compiles, and with them a second copy of everything else that is tested.
    targets = [
      .target(
        name: "LanguageModelMacros", swiftSettings: swiftSettings + find, linkerSettings: link),
      .macro(
        name: "LanguageModelMacroPlugin", dependencies: ["LanguageModelMacros"],
        swiftSettings: swiftSettings + find, linkerSettings: link),
    ]
    dependencies = ["LanguageModelMacroPlugin"]
    settings = [.define("HEARTH_MACROS")]
    testTargets = [
      .testTarget(
        name: "LanguageModelMacrosTests", dependencies: ["LanguageModelMacros"],
        swiftSettings: swiftSettings + find, linkerSettings: link)
    ]
  }
}

let macros = MacroSupport(host: hostLibraries())

// Where Apple's framework of this name is missing, this package is it.
#if canImport(Darwin)
let sessionProducts: [Product] = []
let sessionTargets: [Target] = []
#else
let sessionProducts: [Product] = [
  .library(name: "FoundationModels", targets: ["FoundationModels"])
]
let sessionTargets: [Target] =
  [library("FoundationModels", ["LanguageModels", "OnDeviceModels"])]
  + ["BookingSummary", "BookingFields", "LetterAssistant", "SupportTriage", "Poem", "GateTool"]
  .map { name in
    .executableTarget(
      name: name, dependencies: ["FoundationModels"], path: "Sources/Examples/\(name)",
      swiftSettings: swiftSettings)
  }
  + [
    .testTarget(
      name: "FoundationModelsTests", dependencies: ["FoundationModels"],
      swiftSettings: swiftSettings + macros.settings)
  ]
#endif

let package = Package(
  name: "Hearth",
  platforms: [.macOS(.v15), .iOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Hearth", targets: ["Hearth"]),
    .executable(name: "hearth", targets: ["HearthCommand"]),
  ] + sessionProducts,
  targets: [
    .target(
      name: "CKernels",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux, .android]))]),
    library("GGUF"),
    library("Tokenization", ["GGUF"]),
    library("ConstrainedDecoding", ["Tokenization"]),
    library("Inference", ["CKernels", "GGUF", "Tokenization", "ConstrainedDecoding"]),
    library("Quantization", ["CKernels", "GGUF"]),
    library(
      "OnDeviceModels",
      ["GGUF", "Tokenization", "ConstrainedDecoding", "Inference", "LanguageModels"]),
    .target(
      name: "LanguageModels", dependencies: macros.dependencies,
      swiftSettings: swiftSettings + macros.settings),
    library(
      "Hearth",
      [
        "GGUF", "Tokenization", "ConstrainedDecoding", "Inference", "OnDeviceModels",
        "LanguageModels",
      ]),
    .executableTarget(
      name: "HearthCommand",
      dependencies: [
        "GGUF", "Tokenization", "ConstrainedDecoding", "Inference", "Quantization",
        "OnDeviceModels",
      ],
      swiftSettings: swiftSettings),

    .target(
      name: "TestSupport", dependencies: ["GGUF", "LanguageModels"], path: "Tests/TestSupport",
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
      [
        "GGUF", "Tokenization", "ConstrainedDecoding", "Inference", "LanguageModels",
        "OnDeviceModels",
      ], macros.settings),
    tests("HearthCommand", ["GGUF", "Tokenization", "HearthCommand"]),
    .testTarget(
      name: "LanguageModelsTests",
      dependencies: ["LanguageModels", "Tokenization", "ConstrainedDecoding", "TestSupport"],
      swiftSettings: swiftSettings + macros.settings),
  ] + macros.targets + macros.testTargets + sessionTargets,
  cLanguageStandard: .c11
)
