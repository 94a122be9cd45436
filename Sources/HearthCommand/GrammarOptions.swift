import ConstrainedDecoding
import Foundation
import OnDeviceModels

/// What output is held to, as the command line says it.
enum GrammarOptions {
  static let options = [
    Option("--schema", "FILE", "JSON Schema that the output must satisfy"),
    Option("--gbnf", "FILE", "GBNF grammar that the output must match, from its rule \"root\""),
    Option("--regex", "R", "regular expression that the whole output must match"),
  ]

  /// One of the three, with the text of its file.
  enum Source {
    case schema(String)
    case gbnf(String)
    case regex(String)

    /// The grammar; `document` is what verbatim parts of it are copied from.
    func grammar(
      document: String?, verbatim: [String] = [], options: JSONSchemaOptions = JSONSchemaOptions()
    ) -> ResponseGrammar {
      // Without verbatim parts the grammar is the same for every document, and kept.
      let document = isBound(verbatim) ? document : nil
      switch self {
      case .schema(let text):
        return .jsonSchema(text, source: document, verbatim: verbatim, options: options)
      case .gbnf(let text): return .gbnf(text, source: document)
      case .regex(let pattern): return .regex(pattern)
      }
    }

    /// Whether parts of it are copied from the document.
    func isBound(_ verbatim: [String] = []) -> Bool {
      switch self {
      case .schema(let text): !verbatim.isEmpty || text.contains("\"x-verbatim\"")
      case .gbnf(let text): text.contains("@verbatim")
      case .regex: false
      }
    }
  }

  /// What was asked for, read and found to be a grammar; nil without any of the options.
  ///
  /// - Throws: `UsageError` for more than one of them or an expression that is none, `FileError`,
  ///   `GrammarError`.
  static func source(_ arguments: Arguments) throws -> Source? {
    let given = options.map(\.name).filter(arguments.has)
    guard given.count <= 1 else {
      throw UsageError("\(given.joined(separator: " and ")) exclude each other")
    }
    if let path = arguments.string("--schema") { return .schema(try TextFile.read(path)) }
    if let path = arguments.string("--gbnf") { return .gbnf(try TextFile.read(path)) }
    guard let pattern = arguments.string("--regex") else { return nil }
    do {
      _ = try Grammar(regex: pattern)
    } catch {
      throw UsageError("--regex: \(error)")
    }
    return .regex(pattern)
  }
}

/// Text files that the command line names.
enum TextFile {
  /// The whole text; what is no UTF-8 is an error.
  static func read(_ path: String) throws(FileError) -> String {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      let reason = (error as NSError).localizedFailureReason ?? error.localizedDescription
      throw FileError(path: path, reason: reason)
    }
    guard data.count <= StandardInput.longest else {
      throw FileError(path: path, reason: "more than \(StandardInput.longest >> 20) MiB")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw FileError(path: path, reason: "not UTF-8 text")
    }
    return text
  }
}

/// A file that cannot be read.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let reason: String

  var description: String { "cannot read \(path): \(reason)" }
}
