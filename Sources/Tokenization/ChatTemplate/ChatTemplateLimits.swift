/// What one rendering may use before it ends with an error.
///
/// Templates come from files of strangers: none may run for ever, fill the memory or overflow
/// the stack. The defaults leave room for a million tokens of conversation.
package struct ChatTemplateLimits: Sendable, Equatable {
  /// Bytes of template source that are compiled.
  package var sourceBytes = 1 << 20
  /// Evaluated nodes plus work in proportion to the bytes and elements that are touched.
  package var steps = 2_000_000
  /// Bytes of the prompt, and of any text made on the way to it.
  package var outputBytes = 1 << 26
  /// Expressions, statements and macro calls inside each other.
  package var depth = 160
  /// Numbers in one `range`.
  package var rangeLength = 100_000

  package init() {}

  /// Lists and dictionaries inside each other, fixed because values are freed recursively.
  static let valueDepth = 160
  /// Parentheses, operators and statements inside each other in the source.
  static let sourceDepth = 64

  /// The limit that was reached.
  package enum Limit: Equatable, Sendable, CustomStringConvertible {
    case steps(Int)
    case outputBytes(Int)
    case depth(Int)
    case rangeLength(Int)
    case valueDepth(Int)

    package var description: String {
      switch self {
      case .steps(let count): "rendering takes more than \(count) steps"
      case .outputBytes(let count): "a text grows beyond \(count) bytes"
      case .depth(let count): "calls and expressions nest deeper than \(count)"
      case .rangeLength(let count): "a range has more than \(count) numbers"
      case .valueDepth(let count): "lists nest deeper than \(count)"
      }
    }
  }
}
