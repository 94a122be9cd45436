internal import SwiftSyntax

/// A case of an enumeration with the values that come with it.
struct EnumerationCase {
  /// The name as code spells it, in backticks where it needs them.
  let identifier: String
  let values: [Value]

  struct Value {
    /// The argument's label, if it has one.
    let label: String?
    /// The name among several values: the label, or an underscore and the position.
    let name: String
    let type: PropertyType
  }

  /// The name without backticks.
  var name: String { identifier.filter { $0 != "`" } }

  /// Whether the one value needs no name.
  var hasSingleValue: Bool { values.count == 1 && values[0].label == nil }

  init(_ element: EnumCaseElementSyntax) throws(MacroProblem) {
    identifier = element.name.text
    var values: [Value] = []
    for (index, parameter) in (element.parameterClause?.parameters ?? []).enumerated() {
      let label = parameter.firstName.map(\.text).flatMap { $0 == "_" ? nil : $0 }
      let name = label.map { $0.filter { $0 != "`" } } ?? "_\(index)"
      let type = try PropertyType(parameter.type)
      if type.isIdentifier {
        throw MacroProblem("GenerationID stands in structures only", at: parameter.type)
      }
      values.append(Value(label: label, name: name, type: type))
    }
    self.values = values
  }
}
