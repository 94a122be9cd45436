public import Foundation

/// Where the expected results lie that tests compare with.
///
/// `fixtures` is part of the repository. `shared` holds data of other people (vocabularies,
/// public templates, a schema suite) that stays outside: the folder named by `HEARTH_SHARED`, or
/// `shared` beside the checkout. Tests of such data are skipped, and say so, where it is absent.
public enum TestData {
  /// The root of the checkout.
  public static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Expected results that belong to this project.
  public static let fixtures = root.appending(path: "Tests/Fixtures")

  /// The folder of third-party data, if it is there.
  public static let shared: URL? = {
    let named = ProcessInfo.processInfo.environment["HEARTH_SHARED"].map { URL(filePath: $0) }
    let candidate = named ?? root.deletingLastPathComponent().appending(path: "shared")
    let goldens = candidate.appending(path: "goldens").path(percentEncoded: false)
    return FileManager.default.fileExists(atPath: goldens) ? candidate : nil
  }()

  /// A file of `shared`, or nil where it is absent: `sharedFile("goldens/tokenizers/gpt-2.json")`.
  public static func sharedFile(_ path: String) -> URL? {
    guard let url = shared?.appending(path: path),
      FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
    else { return nil }
    return url
  }
}
