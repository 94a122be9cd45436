// swift-tools-version: 6.2
import PackageDescription

// The script that builds this sample (scripts/test-consumer) lays the package beside it, or names a
// repository with a version.
let hearth: Package.Dependency =
  if let repository = Context.environment["HEARTH_REPOSITORY"] {
    .package(url: repository, from: "1.0.0")
  } else {
    .package(path: "../hearth")
  }

let package = Package(
  name: "Consumer",
  platforms: [.macOS(.v15)],
  dependencies: [hearth],
  targets: [
    .executableTarget(
      name: "Consumer", dependencies: [.product(name: "FoundationModels", package: "hearth")]),
    // A program whose code belongs to the main actor unless it says otherwise.
    .target(
      name: "MainActorCode", dependencies: [.product(name: "FoundationModels", package: "hearth")],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
    // A program in the language of before.
    .target(
      name: "Swift5Code", dependencies: [.product(name: "FoundationModels", package: "hearth")],
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
