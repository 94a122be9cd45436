package import Tokenization

/// A JSON Schema as a person would sketch it, short enough for a small model to read.
///
/// Names, order, kinds, choices and descriptions are kept; bounds and patterns are left out, since
/// the grammar sees to them.
package struct SchemaOutline {
  private let root: OrderedJSON
  /// Bytes that may still be written.
  private var room = 6000

  private static let deepest = 8

  /// The sketch of a schema that has been checked.
  package static func text(_ schema: OrderedJSON) -> String {
    var outline = SchemaOutline(root: schema)
    return outline.sketch(schema, indent: "", depth: 0)
  }

  private init(root: OrderedJSON) { self.root = root }

  private mutating func sketch(_ schema: OrderedJSON, indent: String, depth: Int) -> String {
    guard depth < Self.deepest, room > 0 else { return "…" }
    let text = shape(schema, indent: indent, depth: depth)
    room -= text.utf8.count
    return text
  }

  private mutating func shape(_ schema: OrderedJSON, indent: String, depth: Int) -> String {
    if let target = referenced(schema) { return sketch(target, indent: indent, depth: depth + 1) }
    if let value = schema["const"] { return Self.literal(value) }
    if let values = schema["enum"]?.arrayValue {
      return values.prefix(40).map(Self.literal).joined(separator: " | ")
    }
    for key in ["anyOf", "oneOf"] {
      guard let branches = schema[key]?.arrayValue else { continue }
      return branches.prefix(10).map { sketch($0, indent: indent, depth: depth + 1) }
        .joined(separator: " | ")
    }
    if let properties = schema["properties"]?.objectValue {
      return object(properties, indent: indent, depth: depth)
    }
    if let first = schema["allOf"]?[0] {
      return sketch(first, indent: indent, depth: depth + 1)
    }
    if let items = schema["items"], items.objectValue != nil {
      return "[" + sketch(items, indent: indent, depth: depth + 1) + ", …]"
    }
    return kind(schema)
  }

  private mutating func object(
    _ properties: [OrderedJSON.Member], indent: String, depth: Int
  ) -> String {
    let inner = indent + "  "
    var lines: [String] = []
    for property in properties {
      let sketch = sketch(property.value, indent: inner, depth: depth + 1)
      let name = OrderedJSON.string(property.name).serialized()
      lines.append(inner + name + ": " + sketch + note(property.value))
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n" + indent + "}"
  }

  /// What the schema says about a field in words.
  private func note(_ schema: OrderedJSON) -> String {
    guard let text = schema["description"]?.stringValue, !text.isEmpty else { return "" }
    return " (" + String(text.prefix(200)).replacing("\n", with: " ") + ")"
  }

  private func kind(_ schema: OrderedJSON) -> String {
    guard let type = schema["type"] else { return "value" }
    if type == "string" { return schema["format"]?.stringValue ?? "string" }
    let names = type.arrayValue?.compactMap(\.stringValue) ?? [type.stringValue ?? "value"]
    return names.joined(separator: " | ")
  }

  private func referenced(_ schema: OrderedJSON) -> OrderedJSON? {
    guard let reference = schema["$ref"]?.stringValue, reference.hasPrefix("#") else { return nil }
    var place = root
    for part in reference.dropFirst().split(separator: "/") {
      let name = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
      guard let next = place[name] ?? Int(name).flatMap({ place[$0] }) else { return nil }
      place = next
    }
    return place
  }

  /// A constant as JSON, structures cut short.
  private static func literal(_ value: OrderedJSON) -> String {
    switch value {
    case .array: "[…]"
    case .object: "{…}"
    default: value.serialized()
    }
  }
}
