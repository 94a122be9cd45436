#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What the system says about a file, in words that belong behind its path.
package enum FileProblem {
  package static let isFolder = "it is a folder, not a file"

  /// The meaning of an error number: own words for what people run into, the system's for the rest.
  package static func text(_ code: Int32) -> String {
    switch code {
    case ENOENT: return "there is no such file or folder"
    case EISDIR: return isFolder
    case ENOTDIR: return "a part of the path is a file, not a folder"
    case EACCES, EPERM: return "there is no permission for it"
    case EROFS: return "the disk can only be read"
    default: break
    }
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}

/// The meaning of the current `errno`.
func systemError() -> String { FileProblem.text(errno) }
