/// What an object says about properties, by name: looking through thousands of them for each of
/// them would take seconds.
struct PropertyIndex {
  let required: Set<ExactString>
  let forbidden: Set<ExactString>
  /// By source of the object, then by name.
  private let declared: [[ExactString: [SchemaReference]]]

  init(_ object: ObjectShape) {
    required = Set(object.required)
    forbidden = Set(object.forbidden)
    declared = object.sources.map { source in
      Dictionary(source.properties.map { ($0.name, [$0.schema]) }, uniquingKeysWith: +)
    }
  }

  /// Whether any source declares the property.
  func declares(_ name: ExactString) -> Bool { declared.contains { $0[name] != nil } }

  /// What one source of the object says about the property, patterns aside.
  func schemas(of name: ExactString, inSource number: Int) -> [SchemaReference] {
    declared[number][name] ?? []
  }
}
