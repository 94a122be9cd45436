internal import Foundation

/// Watches types decode sample values, and notes what they ask for.
final class SchemaRecorder {
  /// What references lead to: the structures by their names.
  private(set) var definitions: [String: SchemaNode] = [:]
  private var names: [ObjectIdentifier: String] = [:]
  /// Types whose values are being decoded right now, the outermost first.
  private var open: [ObjectIdentifier] = []

  /// A sample value of a type, and what all of its values look like.
  struct Sample<Value> {
    let value: Value
    let node: SchemaNode
  }

  /// Whether `type` is being decoded, so that another value of it would never end.
  func isOpen(_ type: any Decodable.Type) -> Bool { open.contains(ObjectIdentifier(type)) }

  /// What the values of `type` look like, even if one is being decoded.
  func node(_ type: any Decodable.Type, _ path: [any CodingKey]) throws -> SchemaNode {
    if let optional = type as? any RecordedOptional.Type {
      return try node(optional.wrappedType, path).orNull
    }
    if isOpen(type) { return SchemaNode(.reference(name(of: type))) }
    func sampled<Value: Decodable>(_ type: Value.Type) throws -> SchemaNode {
      try sample(type, path).node
    }
    return try sampled(type)
  }

  /// Decodes a value of `type` and notes what it asks for.
  func sample<Value: Decodable>(
    _ type: Value.Type, _ path: [any CodingKey]
  ) throws -> Sample<Value> {
    if let scalar = ScalarSample(type), let value = scalar.value as? Value {
      return Sample(value: value, node: SchemaNode(scalar.shape))
    }
    if let container = try containerSample(type, path) { return container }
    if let choice = try choiceSample(type, path) { return choice }
    guard !isOpen(type) else {
      throw SchemaDerivationError(
        type, path, "it contains itself other than in an optional or array")
    }
    open.append(ObjectIdentifier(type))
    defer { open.removeLast() }
    let decoder = RecordingDecoder(recorder: self, type: type, codingPath: path)
    let value = try decoded(type, decoder)
    guard !decoder.record.asksForKeys else {
      throw decoder.failure("it reads whatever keys there are")
    }
    guard var node = decoder.record.node else { throw decoder.failure("it decodes nothing") }
    guard case .object = node.shape else { return Sample(value: value, node: node) }
    let name = name(of: type)
    node.name = name
    definitions[name] = node
    return Sample(value: value, node: SchemaNode(.reference(name)))
  }

  private func decoded<Value: Decodable>(
    _ type: Value.Type, _ decoder: RecordingDecoder
  ) throws -> Value {
    do {
      return try Value(from: decoder)
    } catch let error as SchemaDerivationError {
      throw error
    } catch {
      let reason =
        if type is any RawRepresentable.Type {
          "an enumeration with raw values must be CaseIterable"
        } else if decoder.record.asksForKeys {
          "an enumeration must have raw values and be CaseIterable"
        } else {
          "it does not accept a sample value (\(error))"
        }
      throw decoder.failure(reason)
    }
  }

  /// The name of a structure; a second type of one name gets its full name.
  private func name(of type: any Decodable.Type) -> String {
    if let known = names[ObjectIdentifier(type)] { return known }
    let short = String(describing: type)
    let name = names.values.contains(short) ? String(reflecting: type) : short
    names[ObjectIdentifier(type)] = name
    return name
  }

  // MARK: Optionals, arrays, choices

  private func containerSample<Value: Decodable>(
    _ type: Value.Type, _ path: [any CodingKey]
  ) throws -> Sample<Value>? {
    if let optional = type as? any RecordedOptional.Type {
      return try (optional.noValue as? Value).map {
        Sample(value: $0, node: try node(optional.wrappedType, path).orNull)
      }
    }
    if let array = type as? any RecordedArray.Type {
      let element = try node(array.elementType, path + [RecordedIndex()])
      return (array.empty as? Value).map {
        Sample(value: $0, node: SchemaNode(.array(ArraySchema(element: element))))
      }
    }
    if type is any RecordedDictionary.Type {
      throw SchemaDerivationError(
        type, path, "its keys are not known; use an array of structures with a key and a value")
    }
    return nil
  }

  private func choiceSample<Value: Decodable>(
    _ type: Value.Type, _ path: [any CodingKey]
  ) throws -> Sample<Value>? {
    guard let choices = type as? any CaseIterable.Type else { return nil }
    func values<Choices: CaseIterable>(_ type: Choices.Type) -> [any RawRepresentable] {
      type.allCases.compactMap { $0 as? any RawRepresentable }
    }
    func rawValue<Choice: RawRepresentable>(_ choice: Choice) -> Any { choice.rawValue }
    let all = values(choices)
    guard let first = all.first as? Value else { return nil }
    let rawValues = all.map { rawValue($0) }
    if let texts = rawValues as? [String] {
      let node = SchemaNode(.string(StringSchema(choices: texts)))
      return Sample(value: first, node: node)
    }
    if let numbers = rawValues as? [any BinaryInteger] {
      let choices = numbers.map { JSONNumber(literal: String(describing: $0)) }
      let node = SchemaNode(.number(NumberSchema(isInteger: true, choices: choices)))
      return Sample(value: first, node: node)
    }
    throw SchemaDerivationError(type, path, "its raw values must be strings or integers")
  }
}

/// The key of an element of an array.
struct RecordedIndex: CodingKey {
  var stringValue: String { "element" }
  var intValue: Int? { 0 }

  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}

/// Optionals, whatever they hold.
protocol RecordedOptional {
  static var wrappedType: any Decodable.Type { get }
  static var noValue: Self { get }
}

extension Optional: RecordedOptional where Wrapped: Decodable {
  static var wrappedType: any Decodable.Type { Wrapped.self }
  static var noValue: Self { nil }
}

/// Arrays, whatever they hold.
protocol RecordedArray {
  static var elementType: any Decodable.Type { get }
  static var empty: Self { get }
}

extension Array: RecordedArray where Element: Decodable {
  static var elementType: any Decodable.Type { Element.self }
  static var empty: Self { [] }
}

/// Dictionaries, whatever they hold.
protocol RecordedDictionary {}

extension Dictionary: RecordedDictionary {}
