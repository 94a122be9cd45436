/// Rules that generated values of a type follow; they hold while the value is being generated.
public struct GenerationGuide<Value>: Sendable {
  /// All of them hold.
  let guides: [Guide]

  init(_ guides: Guide...) {
    self.guides = guides
  }
}
