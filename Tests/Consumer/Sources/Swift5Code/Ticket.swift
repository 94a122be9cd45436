import FoundationModels

/// A ticket, as a library would offer it.
@Generable(description: "A ticket")
public struct Ticket: Sendable {
  /// What it is told apart by.
  @Guide(description: "A code", .anyOf(["A", "B"]))
  public var code: String
  /// Anything else.
  public var tags: [String]?

  /// A ticket of the first kind.
  public init() {
    code = "A"
  }
}

/// The code of a ticket that is not generated to its end.
public func code(of ticket: Ticket) async -> String? {
  let partial = ticket.asPartiallyGenerated()
  return await Task.detached { partial.code }.value
}
