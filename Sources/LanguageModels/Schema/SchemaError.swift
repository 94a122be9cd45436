public import Foundation

extension GenerationSchema {
  /// What is wrong with a schema that was put together at run time.
  public enum SchemaError: Error, LocalizedError {
    /// Two different types have the same name.
    case duplicateType(schema: String?, type: String, context: Context)
    /// Two properties of a structure have the same name.
    case duplicateProperty(schema: String, property: String, context: Context)
    /// There is nothing to choose from.
    case emptyTypeChoices(schema: String, context: Context)
    /// No type has these names.
    case undefinedReferences(schema: String?, references: [String], context: Context)

    /// More about an error.
    public struct Context: Sendable {
      /// What is wrong, in a sentence.
      public let debugDescription: String

      /// More about an error.
      public init(debugDescription: String) {
        self.debugDescription = debugDescription
      }
    }

    private var context: Context {
      switch self {
      case .duplicateType(_, _, let context), .duplicateProperty(_, _, let context),
        .emptyTypeChoices(_, let context), .undefinedReferences(_, _, let context):
        context
      }
    }

    /// What is wrong, in a sentence.
    public var errorDescription: String? { context.debugDescription }

    /// What to do about it.
    public var recoverySuggestion: String? {
      switch self {
      case .duplicateType: "Give each type a name of its own."
      case .duplicateProperty: "Give each property of the structure a name of its own."
      case .emptyTypeChoices: "Give at least one choice."
      case .undefinedReferences: "Pass the missing types among the dependencies."
      }
    }
  }
}
