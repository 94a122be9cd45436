public import _StringProcessing

extension GenerationGuide where Value == String {
  /// Exactly `value`.
  public static func constant(_ value: String) -> GenerationGuide<String> {
    Self(.anyOf([value]))
  }

  /// One of `values`.
  public static func anyOf(_ values: [String]) -> GenerationGuide<String> {
    Self(.anyOf(values))
  }

  /// Texts that `regex` matches as a whole; of several patterns the last one counts.
  public static func pattern<Output>(_ regex: Regex<Output>) -> GenerationGuide<String> {
    Self(Guide(regex))
  }

  /// Texts that occur in the text of the prompt, letter by letter: the model can only copy.
  public static var verbatim: GenerationGuide<String> {
    Self(.verbatim(source: nil))
  }

  /// Texts that occur in `source`, letter by letter: the model can only copy.
  public static func verbatim(in source: String) -> GenerationGuide<String> {
    Self(.verbatim(source: source))
  }
}

extension Guide {
  /// Texts that `regex` matches as a whole.
  init<Output>(_ regex: Regex<Output>) {
    self = .pattern(regex._literalPattern)
  }
}
