/// Global functions, and the methods of lists and dictionaries.
extension TemplateEvaluator {
  func call(
    _ function: TemplateFunction, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    switch function {
    case .range: return try range(arguments)
    case .namespace: return try make(.namespace(try dictionary(from: arguments, "namespace")))
    case .dict: return .dictionary(try dictionary(from: arguments, "dict"))
    case .cycler:
      guard !arguments.positional.isEmpty else { throw .evaluation("'cycler' needs a value") }
      return try make(.cycler(arguments.positional, position: 0))
    case .joiner:
      let values = try arguments.bound(to: ["sep"], of: "joiner")
      return try make(.joiner(values[0] ?? .text(", "), isUsed: false))
    case .raiseException:
      let values = try arguments.bound(to: ["message"], of: "raise_exception")
      throw .refused(try text(of: values[0] ?? .text("")).text)
    case .strftimeNow:
      let values = try arguments.bound(to: ["format"], of: "strftime_now")
      guard case .string(let format)? = values[0] else {
        throw .evaluation("'strftime_now' needs a format")
      }
      try charge(format.count, times: 32)
      var shown = TemplateString()
      shown.append(
        Array(clock.now().formatted(format.text).utf8), origin: format.contentOrigin)
      return .string(shown)
    }
  }

  private func range(_ arguments: TemplateArguments) throws(TemplateFailure) -> TemplateValue {
    guard arguments.named.isEmpty, (1...3).contains(arguments.positional.count) else {
      throw .evaluation("'range' takes one to three integers")
    }
    var bounds: [Int] = []
    for value in arguments.positional {
      if case .undefined(let missing) = value { throw missing.failure }
      guard let bound = value.integer else {
        throw .evaluation("'range' takes integers, not a \(value.typeName)")
      }
      bounds.append(bound)
    }
    let start = bounds.count == 1 ? 0 : bounds[0]
    let stop = bounds.count == 1 ? bounds[0] : bounds[1]
    let step = bounds.count == 3 ? bounds[2] : 1
    guard step != 0 else { throw .evaluation("the step of a range cannot be zero") }
    let count = try rangeCount(start, stop, step)
    try charge(count)
    let items = (0..<count).map { TemplateValue.int(start &+ $0 &* step) }
    return .sequence(try TemplateSequence(.range(start: start, stop: stop, step: step), items))
  }

  private func rangeCount(
    _ start: Int, _ stop: Int, _ step: Int
  ) throws(TemplateFailure) -> Int {
    guard step > 0 ? start < stop : start > stop else { return 0 }
    let distance = (start < stop ? stop &- start : start &- stop).magnitudeBits
    let count = (distance - 1) / step.magnitude + 1
    guard count <= UInt(max(limits.rangeLength, 0)) else {
      throw .limit(.rangeLength(limits.rangeLength))
    }
    return Int(count)
  }

  /// The entries that `dict` and `namespace` take: a dictionary or pairs, then named values.
  private func dictionary(
    from arguments: TemplateArguments, _ function: String
  ) throws(TemplateFailure) -> TemplateDictionary {
    guard arguments.positional.count <= 1 else {
      throw .evaluation("'\(function)' takes one dictionary and named values")
    }
    var dictionary = TemplateDictionary()
    if let source = arguments.positional.first {
      if case .dictionary(let given) = source {
        dictionary = given
      } else {
        for pair in try elements(of: source) {
          let parts = try elements(of: pair)
          guard parts.count == 2 else {
            throw .evaluation("'\(function)' takes pairs, not \(parts.count) values")
          }
          try charge(key: parts[0])
          try dictionary.set(parts[0], to: parts[1])
        }
      }
    }
    for argument in arguments.named { try dictionary.set(argument.name, to: argument.value) }
    return dictionary
  }

  // MARK: Methods

  func call(
    _ method: TemplateDictionaryMethod, of dictionary: TemplateDictionary,
    _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    guard arguments.named.isEmpty else {
      throw .evaluation("'\(method.rawValue)' takes no named arguments")
    }
    if method == .get {
      let values = try arguments.bound(to: ["key", "default"], of: "get")
      guard let key = values[0] else { throw .evaluation("'get' needs a key") }
      if case .undefined = key { return values[1] ?? .null }
      try charge(key: key)
      return dictionary[try TemplateKey(key)] ?? values[1] ?? .null
    }
    _ = try arguments.bound(to: [], of: method.rawValue)
    try charge(dictionary.count)
    switch method {
    case .items: return .sequence(try TemplateSequence(.items, dictionary.pairs))
    case .keys: return .sequence(try TemplateSequence(.keys, dictionary.keys))
    case .values: return .sequence(try TemplateSequence(.values, dictionary.values))
    default: return .dictionary(dictionary)
    }
  }

  func call(
    _ method: TemplateSequenceMethod, of sequence: TemplateSequence, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    switch method {
    case .copy: return .sequence(sequence)
    case .count:
      let wanted = try arguments.bound(to: ["value"], of: "count")[0] ?? .null
      var count = 0
      for item in sequence.items where try equal(item, wanted) { count += 1 }
      return .int(count)
    case .index:
      let wanted = try arguments.bound(to: ["value"], of: "index")[0] ?? .null
      for (index, item) in sequence.items.enumerated() where try equal(item, wanted) {
        return .int(index)
      }
      throw .evaluation("the value is not in the list")
    default: throw .forbidden("a template must not change a list")
    }
  }
}

extension Int {
  /// The bits as an unsigned number: the distance of two integers, which may not fit `Int`.
  fileprivate var magnitudeBits: UInt { UInt(bitPattern: self) }
}
