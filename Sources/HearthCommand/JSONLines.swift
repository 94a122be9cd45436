import Foundation
import Tokenization

/// A request that cannot be answered; the text goes into its line of output.
struct RequestError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// One JSON value a line in, one a line out.
enum JSONLines {
  /// For the help of the verbs that answer lines.
  static let help =
    "A line that cannot be answered gets {\"error\":…} and the rest goes on; blank ones are passed over."

  /// Answers every line of standard input; a bad one gets `{"error":…}` and the rest goes on.
  static func answer(
    _ body: ([OrderedJSON.Member]) async throws -> [OrderedJSON.Member]
  ) async throws {
    try await answerLines { text in
      guard case .object(let request) = try OrderedJSON(parsing: text) else {
        throw RequestError("not a JSON object")
      }
      return OrderedJSON.object(try await body(request)).serialized()
    } failure: { error in
      OrderedJSON.object([.init("error", .string(ErrorText.of(error)))]).serialized()
    }
  }

  /// Answers every line of standard input by one line, as soon as it is there; empty ones are passed
  /// over.
  ///
  /// - Parameters:
  ///   - body: the answer to a line.
  ///   - failure: the answer to a line for which `body` threw; throws what ends the run.
  /// - Throws: what `failure` throws, and errors of reading.
  static func answerLines(
    _ body: (String) async throws -> String, failure: (any Error) throws -> String
  ) async throws {
    var lines = LineReader()
    while let line = try lines.next() {
      var answer: String
      do {
        let text: String
        switch line {
        case .text(let line): text = line
        case .invalid(let error): throw error
        case .tooLong:
          throw RequestError("the line is longer than \(StandardInput.longest) bytes")
        }
        if text.allSatisfy(\.isWhitespace) { continue }
        answer = try await body(text)
      } catch {
        answer = try failure(error)
      }
      Console.data(answer)
    }
  }
}

extension [OrderedJSON.Member] {
  /// Refuses keys that mean nothing here, which are most often misspelt.
  func refuseOthers(than known: [String]) throws {
    for member in self where !known.contains(member.name) {
      throw RequestError(
        "unknown key \"\(member.name)\"; known are \(known.joined(separator: ", "))")
    }
  }

  func value(_ name: String) -> OrderedJSON? {
    last { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  func text(_ name: String) throws -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.stringValue else { throw RequestError("\"\(name)\" must be a string") }
    return text
  }

  func flag(_ name: String) throws -> Bool {
    guard let value = value(name) else { return false }
    guard let flag = value.boolValue else {
      throw RequestError("\"\(name)\" must be true or false")
    }
    return flag
  }

  func count(_ name: String, upTo limit: Int) throws -> Int? {
    guard let value = value(name) else { return nil }
    guard let count = value.intValue, (0...limit).contains(count) else {
      throw RequestError("\"\(name)\" must be a whole number from 0 to \(limit)")
    }
    return count
  }

  /// Token ids; whether they are in the vocabulary is for the engine to say.
  func tokens(_ name: String) throws -> [TokenID]? {
    guard let value = value(name) else { return nil }
    guard let elements = value.arrayValue else {
      throw RequestError("\"\(name)\" must be an array of token ids")
    }
    return try elements.map { element in
      guard let id = element.intValue, let token = TokenID(exactly: id) else {
        throw RequestError("\"\(name)\" must hold whole numbers only")
      }
      return token
    }
  }
}
