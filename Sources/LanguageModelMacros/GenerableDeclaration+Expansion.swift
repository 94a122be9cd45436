/// The names that expansions use, whatever the type around calls its own.
private enum Library {
  static let content = "LanguageModels.GeneratedContent"
  static let schema = "LanguageModels.GenerationSchema"
  static let property = "LanguageModels.GenerationSchema.Property"
  static let identifier = "LanguageModels.GenerationID"
}

// What `@Generable` adds to a type, as source text.
extension GenerableDeclaration {
  /// Declarations inside the type.
  var members: [String] {
    switch body {
    case .structure(let properties):
      [memberwiseInitializer(properties), schema(properties), partialType(properties)].compactMap {
        $0
      }
    case .enumeration(let cases, let hasStringValues):
      [schema(cases, hasStringValues: hasStringValues)]
    }
  }

  /// What converts values from and to content.
  var conversions: [String] {
    switch body {
    case .structure(let properties): [initializer(properties), content(properties)]
    case .enumeration(let cases, let hasStringValues):
      if cases.contains(where: { !$0.values.isEmpty }) {
        [initializer(withValues: cases), content(withValues: cases)]
      } else if hasStringValues {
        [rawValueInitializer(cases), rawValueContent]
      } else {
        [initializer(cases), content(cases)]
      }
    }
  }

  // MARK: Structures

  /// An initialiser that takes all properties, unless the type has one.
  private func memberwiseInitializer(_ properties: [StoredProperty]) -> String? {
    guard !initializers.contains(properties.map(\.identifier)) else { return nil }
    let parameters = properties.map { property in
      let value = property.defaultValue.map { " = \($0)" } ?? ""
      return "\(property.identifier): \(property.type.text)\(value)"
    }
    let assignments = properties.map { "  self.\($0.identifier) = \($0.identifier)" }
    let access = properties.map(\.initializerAccess).reduce(self.access, min)
    return """
      \(access.modifier)nonisolated init(\(parameters.joined(separator: ", "))) {
      \(assignments.joined(separator: "\n"))
      }
      """
  }

  private func schema(_ properties: [StoredProperty]) -> String {
    let entries = properties.filter { !$0.type.isIdentifier }.map(Self.schemaProperty)
    return schema("properties: [\n" + entries.joined() + "    ]", representsNil: true)
  }

  private func schema(_ contents: String, representsNil: Bool = false) -> String {
    var lines = ["type: Self.self,"]
    if let name = arguments.name { lines.append("name: \(name),") }
    if let description = arguments.description { lines.append("description: \(description),") }
    if representsNil, let value = arguments.representsNil {
      lines.append("representNilExplicitlyInGeneratedContent: \(value),")
    }
    lines.append(contents)
    return """
      \(access.modifier)nonisolated static var generationSchema: \(Library.schema) {
        \(Library.schema)(
          \(lines.joined(separator: "\n    "))
        )
      }
      """
  }

  private static func schemaProperty(_ property: StoredProperty) -> String {
    var arguments = ["name: \(quoted(property.name))"]
    if let description = property.description { arguments.append("description: \(description)") }
    arguments.append("type: \(property.type.text).self")
    if !property.guides.isEmpty {
      arguments.append("guides: [\(property.guides.joined(separator: ", "))]")
    }
    return "      \(Library.property)(\(arguments.joined(separator: ", "))),\n"
  }

  private func partialType(_ properties: [StoredProperty]) -> String {
    let generated = properties.filter { !$0.type.isIdentifier }
    let own = properties.first { $0.name == "id" && !$0.type.isIdentifier }
    let identifier = properties.first { $0.type.isIdentifier }?.identifier ?? "id"
    var protocols = ["LanguageModels.ConvertibleFromGeneratedContent"]
    // A property called `id` takes the place of the identifier, if it can tell values apart.
    let isIdentifiable =
      own.map { ["String", "Int"].contains($0.type.text) } ?? (identifier == "id")
    if isIdentifiable { protocols.insert("Swift.Identifiable", at: 0) }
    if isSendable { protocols.append("Swift.Sendable") }
    var declarations = generated.map {
      "  \($0.access.modifier)var \($0.identifier): \($0.type.text).PartiallyGenerated?"
    }
    var assignments = generated.map { property in
      "    self.\(property.identifier) = try content.value("
        + "Swift.Optional<\(property.type.text).PartiallyGenerated>.self, "
        + "forProperty: \(Self.quoted(property.name)))"
    }
    if own == nil {
      declarations.insert("  \(access.modifier)var \(identifier): \(Library.identifier)", at: 0)
      assignments.insert(
        "    self.\(identifier) = content.id ?? \(Library.identifier)()", at: 0)
    }
    return """
      \(access.modifier)nonisolated struct PartiallyGenerated: \(protocols.joined(separator: ", ")) {
      \(declarations.joined(separator: "\n"))

        \(access.modifier)init(_ content: \(Library.content)) throws {
      \(assignments.joined(separator: "\n"))
        }
      }
      """
  }

  private func initializer(_ properties: [StoredProperty]) -> String {
    let assignments = properties.map { property in
      property.type.isIdentifier
        ? "    self.\(property.identifier) = content.id ?? \(Library.identifier)()"
        // Without the type: an extension does not see what is nested beside its type.
        : "    self.\(property.identifier) = try content.value("
          + "forProperty: \(Self.quoted(property.name)))"
    }
    return initializer(assignments.joined(separator: "\n"))
  }

  private func initializer(_ body: String) -> String {
    """
      \(access.modifier)init(_ content: \(Library.content)) throws {
    \(body)
      }
    """
  }

  private func content(_ properties: [StoredProperty]) -> String {
    let entry = "(Swift.String, any LanguageModels.ConvertibleToGeneratedContent)"
    let representsNil = arguments.representsNil ?? "false"
    let additions = properties.filter { !$0.type.isIdentifier }.map { property in
      let value = "self.\(property.identifier)"
      let addition = "properties.append((\(Self.quoted(property.name)), \(value)))"
      return property.type.isOptional && representsNil != "true"
        ? "    if \(value) != nil\(representsNil == "false" ? "" : " || \(representsNil)") { \(addition) }"
        : "    \(addition)"
    }
    let identifier = properties.first { $0.type.isIdentifier }.map { "id: self.\($0.identifier), " }
    let variable = additions.isEmpty ? "let" : "var"
    return contentGetter(
      """
          \(variable) properties: [\(entry)] = []
      \(additions.joined(separator: "\n"))
          return \(Library.content)(
            properties: properties, \(identifier ?? "")uniquingKeysWith: { _, last in last })
      """)
  }

  private func contentGetter(_ body: String) -> String {
    """
      \(access.modifier)var generatedContent: \(Library.content) {
    \(body)
      }
    """
  }

  // MARK: Enumerations

  private func schema(_ cases: [EnumerationCase], hasStringValues: Bool) -> String {
    guard cases.contains(where: { !$0.values.isEmpty }) else {
      let texts = cases.map { item in
        hasStringValues ? "Self.\(item.identifier).rawValue" : Self.quoted(item.name)
      }
      return schema("anyOf: [\(texts.joined(separator: ", "))]")
    }
    let entries = cases.map { item in
      var entry = "      .init(\(Self.quoted(item.name))"
      if item.hasSingleValue {
        entry += ", value: \(item.values[0].type.text).self"
      } else if !item.values.isEmpty {
        let values = item.values.map {
          "\(Library.property)(name: \(Self.quoted($0.name)), type: \($0.type.text).self)"
        }
        entry += ", values: [\(values.joined(separator: ", "))]"
      }
      return entry + "),\n"
    }
    return schema("cases: [\n" + entries.joined() + "    ]")
  }

  private func initializer(_ cases: [EnumerationCase]) -> String {
    let branches = cases.map { item in
      "    case .string(\(Self.quoted(item.name))) where content.isComplete: self = .\(item.identifier)"
    }
    return initializer(
      """
          switch content.kind {
      \(branches.joined(separator: "\n"))
          default: \(Self.failure(cases, "content"))
          }
      """)
  }

  private func content(_ cases: [EnumerationCase]) -> String {
    let branches = cases.map {
      "    case .\($0.identifier): \(Self.quoted($0.name)).generatedContent"
    }
    return contentGetter(
      """
          switch self {
      \(branches.joined(separator: "\n"))
          }
      """)
  }

  private func rawValueInitializer(_ cases: [EnumerationCase]) -> String {
    initializer(
      """
          guard case .string(let text) = content.kind, content.isComplete,
            let value = Self(rawValue: text)
          else {
            \(Self.failure(cases, "content"))
          }
          self = value
      """)
  }

  private var rawValueContent: String { contentGetter("    self.rawValue.generatedContent") }

  /// A statement that throws the error that no case fits.
  private static func failure(_ cases: [EnumerationCase], _ content: String) -> String {
    let names = cases.map(\.name).joined(separator: ", ")
    return "throw \(Library.content).ParsingError(rawContent: \(content).jsonString, "
      + "debugDescription: \(quoted("expected one of " + names)))"
  }

  private func initializer(withValues cases: [EnumerationCase]) -> String {
    let branches = cases.map { item in
      let start = "    case .string(\(Self.quoted(item.name))) where choice.isComplete:"
      guard !item.values.isEmpty else { return "\(start) self = .\(item.identifier)" }
      if item.hasSingleValue {
        return """
          \(start)
                self = .\(item.identifier)(try content.value(forProperty: "value"))
          """
      }
      let values = item.values.map { value in
        let label = value.label.map { "\($0): " } ?? ""
        return "\(label)try values.value(forProperty: \(Self.quoted(value.name)))"
      }
      return """
        \(start)
              let values = try content.value(\(Library.content).self, forProperty: "value")
              self = .\(item.identifier)(\(values.joined(separator: ", ")))
        """
    }
    return initializer(
      """
          let choice = try content.value(\(Library.content).self, forProperty: "case")
          switch choice.kind {
      \(branches.joined(separator: "\n"))
          default: \(Self.failure(cases, "choice"))
          }
      """)
  }

  private func content(withValues cases: [EnumerationCase]) -> String {
    let branches = cases.map { item in
      let name = Self.quoted(item.name)
      guard !item.values.isEmpty else {
        return "    case .\(item.identifier): \(Library.content)(properties: [\"case\": \(name)])"
      }
      let names = item.values.indices.map { "value\($0)" }
      let entries = zip(item.values, names).map { "\(Self.quoted($0.name)): \($1)" }
      let value =
        item.hasSingleValue
        ? names[0] : "\(Library.content)(properties: [\(entries.joined(separator: ", "))])"
      return """
            case .\(item.identifier)(\(names.map { "let \($0)" }.joined(separator: ", "))):
              \(Library.content)(properties: ["case": \(name), "value": \(value)])
        """
    }
    return contentGetter(
      """
          switch self {
      \(branches.joined(separator: "\n"))
          }
      """)
  }

  /// A string literal; of what needs an escape, names in code can hold quotes only.
  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\"", with: "\\\"") + "\""
  }
}
