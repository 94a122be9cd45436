import FoundationModels

@Generable(description: "A ticket")
public struct Ticket: Sendable {
  @Guide(description: "A code", .anyOf(["A", "B"]))
  public var code: String
  public var tags: [String]?

  public init() {
    code = "A"
  }
}

public func summary(_ ticket: Ticket) async -> String {
  let partial = ticket.asPartiallyGenerated()
  return await Task.detached { partial.code ?? "" }.value
}
