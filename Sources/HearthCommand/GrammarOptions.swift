import ConstrainedDecoding
import Foundation
import GGUF
import OnDeviceModels

/// What output is held to, as the command line says it.
enum GrammarOptions {
  static let options = [
    Option("--schema", "FILE", "JSON Schema that the output must satisfy"),
    Option("--gbnf", "FILE", "GBNF grammar that the output must match, from its rule \"root\""),
    Option("--regex", "R", "regular expression that the whole output must match"),
    Option(
      "--whitespace", "compact|bounded|free",
      "blanks between the parts of JSON (default: bounded, a space or one indented line)"),
    Option("--lenient", nil, "leave out what a schema says that cannot be enforced, and report it"),
  ]

  /// One of the three, with the text of its file.
  enum Source {
    case schema(String, JSONSchemaOptions)
    case gbnf(String)
    case regex(String)

    /// The grammar; `document` is what verbatim parts of it are copied from.
    func grammar(document: String?, verbatim: [String] = []) -> ResponseGrammar {
      // Without verbatim parts the grammar is the same for every document, and kept.
      let document = isBound(verbatim) ? document : nil
      switch self {
      case .schema(let text, let options):
        return .jsonSchema(text, source: document, verbatim: verbatim, options: options)
      case .gbnf(let text): return .gbnf(text, source: document)
      case .regex(let pattern): return .regex(pattern)
      }
    }

    /// Whether parts of it are copied from the document.
    func isBound(_ verbatim: [String] = []) -> Bool {
      switch self {
      case .schema(let text, _): !verbatim.isEmpty || text.contains("\"x-verbatim\"")
      case .gbnf(let text): text.contains("@verbatim")
      case .regex: false
      }
    }
  }

  /// What was asked for, read and found to be a grammar; nil without any of the options.
  ///
  /// What a lenient reading leaves out goes to standard error.
  ///
  /// - Parameters:
  ///   - arguments: the command line.
  ///   - verbatim: fields of a schema that are to be copied, by path.
  /// - Returns: the grammar with the text of its file.
  /// - Throws: `UsageError` for more than one of them, an expression that is none or a field that is
  ///   not there, `FileError`, `GrammarFileError`.
  static func source(_ arguments: Arguments, verbatim: [String] = []) throws -> Source? {
    let given = ["--schema", "--gbnf", "--regex"].filter(arguments.has)
    guard given.count <= 1 else {
      throw UsageError("\(given.joined(separator: " and ")) exclude each other")
    }
    let options = try schemaOptions(arguments)
    if let path = arguments.string("--schema") {
      return try checked(.schema(try TextFile.read(path), options), verbatim, path)
    }
    if let path = arguments.string("--gbnf") {
      return try checked(.gbnf(try TextFile.read(path)), verbatim, path)
    }
    guard let pattern = arguments.string("--regex") else { return nil }
    do {
      _ = try Grammar(regex: pattern)
    } catch {
      throw UsageError("--regex: \(error)")
    }
    return .regex(pattern)
  }

  /// Finds what is wrong with a grammar before a model is loaded.
  private static func checked(
    _ source: Source, _ verbatim: [String], _ path: String
  ) throws -> Source {
    do throws(GrammarError) {
      let grammar = try source.grammar(document: "x", verbatim: verbatim).grammar()
      for part in grammar.dropped { Console.note("warning: \(part)") }
    } catch .field(let field, let reason) {
      throw UsageError("--verbatim: field \"\(field)\" \(reason)")
    } catch {
      // A real document may well have what this one has not.
      guard case .unsatisfiable = error, source.isBound(verbatim) else {
        throw GrammarFileError(path: path, reason: error)
      }
    }
    return source
  }

  private static func schemaOptions(_ arguments: Arguments) throws(UsageError) -> JSONSchemaOptions
  {
    for option in ["--whitespace", "--lenient"]
    where arguments.has(option) && !arguments.has("--schema") {
      throw UsageError("\(option) goes with --schema")
    }
    var options = JSONSchemaOptions()
    options.isLenient = arguments.has("--lenient")
    switch arguments.string("--whitespace") {
    case nil, "bounded": options.whitespace = .bounded
    case "compact": options.whitespace = .compact
    case "free": options.whitespace = .free
    case let other?:
      throw UsageError("--whitespace is compact, bounded or free, not \"\(other)\"")
    }
    return options
  }
}

/// Text files that the command line names.
enum TextFile {
  /// The whole text behind a byte order mark; what is no UTF-8 or too long is an error.
  static func read(_ path: String) throws(FileError) -> String {
    let file = unsafe Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileError(path: path, reason: FileProblem.text(errno)) }
    defer { close(file) }
    var data: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    // Piece by piece: it may be a pipe, or have no end.
    while data.count <= StandardInput.longest {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe Foundation.read(file, bytes.baseAddress, bytes.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileError(path: path, reason: FileProblem.text(errno)) }
      if count == 0 { break }
      data += buffer[..<count]
    }
    guard data.count <= StandardInput.longest else {
      throw FileError(path: path, reason: "more than \(StandardInput.longest >> 20) MiB")
    }
    if data.starts(with: [0xEF, 0xBB, 0xBF] as [UInt8]) { data.removeFirst(3) }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw FileError(path: path, reason: "not UTF-8 text")
    }
    return text
  }
}

extension TextFile {
  /// Writes a text, in place of what was in the file.
  static func write(_ text: String, to path: String) throws(FileError) {
    let file = unsafe Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else {
      throw FileError(path: path, action: "write", reason: FileProblem.text(errno))
    }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      throw FileError(path: path, action: "write", reason: error.localizedDescription)
    }
  }
}

/// A file that cannot be read or written.
struct FileError: Error, CustomStringConvertible {
  let path: String
  var action = "read"
  let reason: String

  var description: String { "cannot \(action) \(path): \(reason)" }
}

/// A file that holds no grammar that can be enforced.
struct GrammarFileError: Error, CustomStringConvertible {
  let path: String
  let reason: GrammarError

  var description: String { "\(path): \(ErrorText.of(reason))" }
}
