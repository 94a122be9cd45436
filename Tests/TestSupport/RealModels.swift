public import Foundation

extension TestData {
  /// The folder that holds downloaded models: `HEARTH_MODELS`, else the XDG data folder.
  public static let modelFolder: URL = {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["HEARTH_MODELS"], !folder.isEmpty { return URL(filePath: folder) }
    let data =
      environment["XDG_DATA_HOME"].map { URL(filePath: $0) }
      ?? URL(filePath: NSHomeDirectory()).appending(path: ".local/share")
    return data.appending(path: "hearth/models")
  }()

  /// A downloaded model, or nil where it is absent; tests of it are skipped then, and say so.
  public static func model(_ file: String) -> URL? {
    let url = modelFolder.appending(path: file)
    return FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) ? url : nil
  }

  /// Whether this is an optimised build; debug kernels are too slow for real models.
  public static let isRelease: Bool = {
    #if DEBUG
    false
    #else
    true
    #endif
  }()
}
