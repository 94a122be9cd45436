/// Filters on lists and dictionaries.
extension TemplateFilters {
  static let collections: [String: TemplateFilter] = [
    "attr": { evaluator, value, arguments throws(TemplateFailure) in
      let name = try evaluator.textArgument(
        arguments.bound(to: ["name"], of: "attr")[0], of: "attr")
      let attribute = TemplateAttribute(name.text)
      // Unlike a dot, this filter does not look for keys.
      let isKey = if case .dictionary = value { attribute.dictionaryMethod == nil } else { false }
      return try evaluator.attribute(
        attribute, of: isKey ? .dictionary(TemplateDictionary()) : value)
    },
    "batch": { evaluator, value, arguments throws(TemplateFailure) in
      let values = try arguments.bound(to: ["linecount", "fill_with"], of: "batch")
      return try evaluator.batches(
        evaluator.elements(of: value),
        size: evaluator.integerArgument(values[0], of: "batch") ?? 0, fill: values[1])
    },
    "count": length, "length": length,
    "d": fallback, "default": fallback,
    "dictsort": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.sortedPairs(value, arguments)
    },
    "first": plain { evaluator, value throws(TemplateFailure) in
      try evaluator.first(of: value)
    },
    "groupby": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.groups(value, arguments)
    },
    "items": plain { evaluator, value throws(TemplateFailure) in
      if value.isUndefined { return try evaluator.makeIterator([]) }
      guard case .dictionary(let dictionary) = value else {
        throw .evaluation("'items' needs a dictionary, not a \(evaluator.typeName(of: value))")
      }
      try evaluator.charge(dictionary.count)
      return try evaluator.makeIterator(dictionary.pairs)
    },
    "join": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.joined(value, arguments)
    },
    "last": plain { evaluator, value throws(TemplateFailure) in
      if case .object = value {
        throw .evaluation("'last' needs a list, not a \(evaluator.typeName(of: value))")
      }
      return try evaluator.elements(of: value).last
        ?? .undefined(TemplateUndefined("there is no last item, the sequence is empty"))
    },
    "list": plain { evaluator, value throws(TemplateFailure) in
      try .list(evaluator.elements(of: value))
    },
    "max": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.extreme(value, arguments, "max")
    },
    "min": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.extreme(value, arguments, "min")
    },
    "reverse": plain { evaluator, value throws(TemplateFailure) in
      if case .string(let text) = value {
        try evaluator.charge(text.count)
        var reversed = TemplateString()
        for scalar in text.scalars.reversed() { reversed.append(scalar) }
        return .string(reversed)
      }
      return try evaluator.makeIterator(evaluator.elements(of: value).reversed())
    },
    "slice": { evaluator, value, arguments throws(TemplateFailure) in
      let values = try arguments.bound(to: ["slices", "fill_with"], of: "slice")
      return try evaluator.slices(
        evaluator.elements(of: value),
        count: evaluator.integerArgument(values[0], of: "slice") ?? 0, fill: values[1])
    },
    "sort": { evaluator, value, arguments throws(TemplateFailure) in
      let values = try arguments.bound(to: ["reverse", "case_sensitive", "attribute"], of: "sort")
      let key = try evaluator.sortKeys(values[2], isCaseSensitive: values[1]?.isTrue ?? false)
      return try .list(
        evaluator.sorted(
          evaluator.elements(of: value), descending: values[0]?.isTrue ?? false, by: key))
    },
    "sum": { evaluator, value, arguments throws(TemplateFailure) in
      let values = try arguments.bound(to: ["attribute", "start"], of: "sum")
      let getter = try evaluator.getter(values[0])
      var total = values[1] ?? .int(0)
      for item in try evaluator.elements(of: value) {
        total = try evaluator.apply(.add, total, getter(item))
      }
      return total
    },
    "unique": { evaluator, value, arguments throws(TemplateFailure) in
      let values = try arguments.bound(to: ["case_sensitive", "attribute"], of: "unique")
      let key = try evaluator.getter(values[1], isCaseSensitive: values[0]?.isTrue ?? false)
      var seen: Set<TemplateKey> = []
      var unique: [TemplateValue] = []
      for item in try evaluator.elements(of: value) {
        let key = try key(item)
        try evaluator.charge(key: key)
        if seen.insert(try TemplateKey(key)).inserted { unique.append(item) }
      }
      return try evaluator.makeIterator(unique)
    },
  ]

  private static let length: TemplateFilter = plain { evaluator, value throws(TemplateFailure) in
    switch value {
    case .undefined: return .int(0)
    case .string(let text): return .int(text.scalarCount)
    case .sequence(let sequence): return .int(sequence.items.count)
    case .dictionary(let dictionary): return .int(dictionary.count)
    case .object(let identity):
      if case .loop(let loop) = evaluator.objects[identity] { return .int(loop.items.count) }
      fallthrough
    default: throw .evaluation("a \(evaluator.typeName(of: value)) has no length")
    }
  }

  private static let fallback: TemplateFilter = { _, value, arguments throws(TemplateFailure) in
    let values = try arguments.bound(to: ["default_value", "boolean"], of: "default")
    if value.isUndefined { return values[0] ?? .text("") }
    guard values[1]?.isTrue ?? false, !value.isTrue else { return value }
    return values[0] ?? .text("")
  }

  // MARK: Choosing elements

  static let selections: [String: TemplateFilter] = [
    "map": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.map(value, arguments)
    },
    "reject": choose("reject", keeps: false, byAttribute: false),
    "rejectattr": choose("rejectattr", keeps: false, byAttribute: true),
    "select": choose("select", keeps: true, byAttribute: false),
    "selectattr": choose("selectattr", keeps: true, byAttribute: true),
  ]

  private static func choose(
    _ name: String, keeps outcome: Bool, byAttribute: Bool
  ) -> TemplateFilter {
    { evaluator, value, arguments throws(TemplateFailure) in
      // Whatever is false counts as empty, and nothing else is looked at then.
      guard value.isTrue else { return try evaluator.makeIterator([]) }
      var rest = arguments
      guard !byAttribute || !rest.positional.isEmpty else {
        throw .evaluation("'\(name)' needs an attribute")
      }
      let getter = try evaluator.getter(byAttribute ? rest.positional.removeFirst() : nil)
      let test = try evaluator.test(&rest)
      var kept: [TemplateValue] = []
      for item in try evaluator.elements(of: value) {
        try evaluator.charge()
        if try test(evaluator, getter(item), rest) == outcome { kept.append(item) }
      }
      return try evaluator.makeIterator(kept)
    }
  }
}
