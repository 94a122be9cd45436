extension GenerationSchema {
  /// Whether both describe the same values in the same words.
  func isIdentical(to other: GenerationSchema) -> Bool {
    debugDescription == other.debugDescription
  }
}
