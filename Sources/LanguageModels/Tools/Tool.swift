public import Foundation

/// Something a model can have done for it while it answers.
///
/// Calls may run at the same time as others. An error that a tool throws ends the response as
/// ``LanguageModelSession/ToolCallError``.
public protocol Tool<Arguments, Output>: Sendable {
  /// What a call gives; the model reads it.
  associatedtype Output: PromptRepresentable
  /// What a call takes; the model generates it.
  associatedtype Arguments: ConvertibleFromGeneratedContent

  /// What the model calls the tool; the name of the type unless you say otherwise.
  var name: String { get }
  /// What the tool is for, in words that tell the model when to call it.
  var description: String { get }
  /// The schema that arguments follow; read once for each session.
  var parameters: GenerationSchema { get }
  /// Whether the model reads the schema; it follows it in any case.
  var includesSchemaInInstructions: Bool { get }

  /// Does what the model wants.
  ///
  /// - Parameter arguments: what the model generated.
  /// - Returns: what the model is told.
  /// - Throws: anything; it ends the response.
  @concurrent func call(arguments: Arguments) async throws -> Output
}

extension Tool {
  /// The name of the type.
  public var name: String { String(describing: Self.self) }

  /// The model reads the schema.
  public var includesSchemaInInstructions: Bool { true }
}

extension Tool where Arguments: Generable {
  /// The schema of the arguments' type.
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

// Models generate arguments by name, so a lone value is none; the compiler says so.

extension Tool where Arguments == String {
  /// Not there: put the string into a `@Generable` structure.
  @available(*, unavailable, message: "Arguments are a '@Generable' structure, not a 'String'.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Int {
  /// Not there: put the number into a `@Generable` structure.
  @available(*, unavailable, message: "Arguments are a '@Generable' structure, not an 'Int'.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Double {
  /// Not there: put the number into a `@Generable` structure.
  @available(*, unavailable, message: "Arguments are a '@Generable' structure, not a 'Double'.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Float {
  /// Not there: put the number into a `@Generable` structure.
  @available(*, unavailable, message: "Arguments are a '@Generable' structure, not a 'Float'.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Decimal {
  /// Not there: put the number into a `@Generable` structure.
  @available(*, unavailable, message: "Arguments are a '@Generable' structure, not a 'Decimal'.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}

extension Tool where Arguments == Bool {
  /// Not there: put the value into a `@Generable` structure.
  @available(*, unavailable, message: "Arguments are a '@Generable' structure, not a 'Bool'.")
  public var parameters: GenerationSchema { Arguments.generationSchema }
}
