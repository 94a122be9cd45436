/// Attributes, items, slices and iteration.
extension TemplateEvaluator {
  /// What stands after a dot: a method of the type first, then the key of a dictionary.
  func attribute(
    _ attribute: TemplateAttribute, of value: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue {
    switch value {
    case .undefined(let missing): throw missing.failure
    case .dictionary(let dictionary):
      if let method = attribute.dictionaryMethod {
        return method.changesReceiver
          ? forbidden(attribute.name, of: value) : .method(value, .dictionary(method))
      }
      if let found = dictionary[attribute.key] { return found }
    case .string:
      if let method = attribute.stringMethod { return .method(value, .string(method)) }
    case .sequence(let sequence):
      if let found = sequenceAttribute(attribute, of: sequence) { return found }
    case .object(let identity):
      if let found = try objectAttribute(attribute.name, of: identity) { return found }
    default: break
    }
    if attribute.name.hasPrefix("__") { return forbidden(attribute.name, of: value) }
    return missing(attribute.name, of: value)
  }

  private func forbidden(_ name: String, of value: TemplateValue) -> TemplateValue {
    .undefined(
      TemplateUndefined(
        "the attribute '\(name)' of a \(value.typeName) is not safe to use", isForbidden: true))
  }

  private func missing(_ name: String, of value: TemplateValue) -> TemplateValue {
    .undefined(TemplateUndefined("'\(value.typeName) object' has no attribute '\(name)'"))
  }

  private func sequenceAttribute(
    _ attribute: TemplateAttribute, of sequence: TemplateSequence
  ) -> TemplateValue? {
    switch sequence.kind {
    case .group where attribute.name == "grouper": return sequence.items.first
    case .group where attribute.name == "list": return sequence.items.last
    case .list, .tuple, .group, .range:
      guard let method = attribute.sequenceMethod else { return nil }
      guard method.changesReceiver else { return .method(.sequence(sequence), .sequence(method)) }
      return sequence.kind == .list ? forbidden(attribute.name, of: .sequence(sequence)) : nil
    case .keys, .values, .items: return nil
    }
  }

  private func objectAttribute(
    _ name: String, of identity: Int
  ) throws(TemplateFailure) -> TemplateValue? {
    switch objects[identity] {
    case .namespace(let attributes): return attributes[.string(Array(name.utf8))]
    case .macro(let macro, _):
      switch name {
      case "name": return .text(macro.name)
      case "caller": return .bool(macro.takesCaller)
      case "catch_varargs": return .bool(macro.takesVariadic)
      case "catch_kwargs": return .bool(macro.takesNamed)
      case "arguments":
        try charge(macro.parameters.count)
        return try .tuple(macro.parameters.map { .text($0.text) })
      default: return nil
      }
    case .loop(let loop): return loop.attribute(name, identity)
    case .cycler(let items, let position):
      if name == "current" { return items[position] }
      return TemplateObjectMethod(rawValue: name).flatMap {
        $0 == .next || $0 == .reset ? .method(.object(identity), .object($0)) : nil
      }
    case .joiner, .iterator: return nil
    }
  }

  /// What stands in brackets: an item first, then an attribute of that name.
  func item(
    _ key: TemplateValue, of value: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue {
    switch value {
    case .undefined(let missing): throw missing.failure
    case .dictionary(let dictionary):
      try charge(key: key)
      if let key = try? TemplateKey(key), let found = dictionary[key] { return found }
    case .sequence(let sequence) where sequence.isIndexable:
      if let index = key.integer, let place = resolve(index, sequence.items.count) {
        return sequence.items[place]
      }
    case .string(let text):
      if let index = key.integer {
        try charge(bytes: text.count)
        if let found = scalar(index, of: text) { return .string(found) }
      }
    default: break
    }
    if case .string(let name) = key {
      try charge(scalarsOf: name)
      return try attribute(TemplateAttribute(name.text), of: value)
    }
    let shown = try repr(of: key).text
    return .undefined(TemplateUndefined("\(value.typeName) object has no element \(shown)"))
  }

  /// The place an index means, negative ones counting from the end.
  private func resolve(_ index: Int, _ count: Int) -> Int? {
    let place = index < 0 ? index &+ count : index
    return place >= 0 && place < count ? place : nil
  }

  private func scalar(_ index: Int, of text: TemplateString) -> TemplateString? {
    if text.isASCII { return resolve(index, text.count).map { text[$0..<($0 + 1)] } }
    let offsets = text.scalarOffsets
    return resolve(index, offsets.count - 1).map { text[offsets[$0]..<offsets[$0 + 1]] }
  }

  // MARK: Slices

  func slice(
    of value: TemplateValue, start: TemplateValue, stop: TemplateValue, step: TemplateValue
  ) throws(TemplateFailure) -> TemplateValue {
    switch value {
    case .undefined(let missing): throw missing.failure
    case .string(let text):
      try charge(bytes: text.count)
      return .string(try slice(of: text, start, stop, step))
    case .sequence(let sequence) where sequence.isIndexable:
      let places = try places(sequence.items.count, start, stop, step)
      try charge(places.count)
      let items = places.map { sequence.items[$0] }
      return sequence.kind == .tuple ? try .tuple(items) : try .list(items)
    default: throw .evaluation("a \(typeName(of: value)) cannot be sliced")
    }
  }

  private func slice(
    of text: TemplateString, _ start: TemplateValue, _ stop: TemplateValue, _ step: TemplateValue
  ) throws(TemplateFailure) -> TemplateString {
    let offsets = text.isASCII ? nil : text.scalarOffsets
    let places = try places(offsets.map { $0.count - 1 } ?? text.count, start, stop, step)
    func range(_ first: Int, _ last: Int) -> Range<Int> {
      guard let offsets else { return first..<(last + 1) }
      return offsets[first]..<offsets[last + 1]
    }
    guard let first = places.first, let last = places.last else { return TemplateString() }
    if places.count == 1 || places[1] == first + 1 { return text[range(first, last)] }
    try charge(places.count)
    var result = TemplateString()
    for place in places { result.append(text[range(place, place)]) }
    return result
  }

  /// The indices that a slice takes, by the rules of Python.
  private func places(
    _ count: Int, _ start: TemplateValue, _ stop: TemplateValue, _ step: TemplateValue
  ) throws(TemplateFailure) -> [Int] {
    let step = try bound(step) ?? 1
    guard step != 0 else { throw .evaluation("the step of a slice cannot be zero") }
    let lowest = step > 0 ? 0 : -1
    let highest = step > 0 ? count : count - 1
    func clamp(_ index: Int) -> Int {
      min(max(index < 0 ? max(index, -count - 1) + count : index, lowest), highest)
    }
    let first = try bound(start).map(clamp) ?? (step > 0 ? 0 : count - 1)
    let end = try bound(stop).map(clamp) ?? (step > 0 ? count : -1)
    // A step beyond the length takes one element; keep the arithmetic inside of Int.
    return Array(Swift.stride(from: first, to: end, by: min(max(step, -count - 1), count + 1)))
  }

  private func bound(_ value: TemplateValue) throws(TemplateFailure) -> Int? {
    if case .null = value { return nil }
    if case .undefined(let missing) = value { throw missing.failure }
    guard let index = value.integer else {
      throw .evaluation("the bounds of a slice must be integers, not \(value.typeName)")
    }
    return index
  }

  // MARK: Iteration

  /// The elements that going through a value yields.
  func elements(of value: TemplateValue) throws(TemplateFailure) -> [TemplateValue] {
    switch value {
    case .undefined: return []
    case .sequence(let sequence):
      try charge(sequence.items.count)
      return sequence.items
    case .dictionary(let dictionary):
      try charge(dictionary.count)
      return dictionary.keys
    case .string(let text):
      try charge(text.count)
      return text.scalars.map { .string($0) }
    case .object(let identity):
      if case .iterator(let items, let position) = objects[identity] {
        objects[identity] = .iterator([], position: 0)
        try charge(items.count - position)
        return Array(items[position...])
      }
      if case .loop(let loop) = objects[identity] {
        try charge(loop.items.count)
        return loop.items
      }
      throw .evaluation("a \(typeName(of: value)) cannot be iterated over")
    default: throw .evaluation("a \(value.typeName) cannot be iterated over")
    }
  }

  func typeName(of value: TemplateValue) -> String {
    guard case .object(let identity) = value else { return value.typeName }
    return switch objects[identity] {
    case .namespace: "Namespace"
    case .macro: "Macro"
    case .loop: "LoopContext"
    case .cycler: "Cycler"
    case .joiner: "Joiner"
    case .iterator: "generator"
    }
  }
}

extension TemplateLoop {
  /// What templates read of a running loop.
  func attribute(_ name: String, _ identity: Int) -> TemplateValue? {
    let count = items.count
    switch name {
    case "index": return .int(index + 1)
    case "index0": return .int(index)
    case "revindex": return .int(count - index)
    case "revindex0": return .int(count - index - 1)
    case "first": return .bool(index == 0)
    case "last": return .bool(index == count - 1)
    case "length": return .int(count)
    case "depth": return .int(level + 1)
    case "depth0": return .int(level)
    case "previtem": return index > 0 ? items[index - 1] : absent("there is no previous item")
    case "nextitem": return index + 1 < count ? items[index + 1] : absent("there is no next item")
    case "cycle": return .method(.object(identity), .object(.cycle))
    case "changed": return .method(.object(identity), .object(.changed))
    default: return nil
    }
  }

  private func absent(_ reason: String) -> TemplateValue {
    .undefined(TemplateUndefined(reason))
  }
}
