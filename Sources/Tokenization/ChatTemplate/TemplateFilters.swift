/// A filter: the evaluator, the value before the bar, the arguments.
typealias TemplateFilter =
  @Sendable (TemplateEvaluator, TemplateValue, TemplateArguments) throws(TemplateFailure) ->
  TemplateValue

/// The filters of jinja2 that make sense without access to a host, `tojson` as transformers has it.
enum TemplateFilters {
  static let table: [String: TemplateFilter] = texts.merging(numbers) { $1 }
    .merging(collections) { $1 }.merging(selections) { $1 }

  // MARK: Texts

  private static let texts: [String: TemplateFilter] = [
    "capitalize": text { $0.capitalized() },
    "center": { evaluator, value, arguments throws(TemplateFailure) in
      let width = try arguments.bound(to: ["width"], of: "center")[0] ?? .int(80)
      return try evaluator.call(
        .center, of: evaluator.text(of: value), TemplateArguments(positional: [width]))
    },
    "e": escape, "escape": escape,
    "forceescape": plain { evaluator, value throws(TemplateFailure) in
      var text = try evaluator.text(of: value)
      try evaluator.charge(scalarsOf: text)
      text.isMarkup = false
      return .string(text.escapedForMarkup())
    },
    "format": { evaluator, value, arguments throws(TemplateFailure) in
      guard arguments.positional.isEmpty || arguments.named.isEmpty else {
        throw .evaluation("'format' takes either named values or others")
      }
      var values = try TemplateValue.tuple(arguments.positional)
      if !arguments.named.isEmpty {
        var dictionary = TemplateDictionary()
        for argument in arguments.named { try dictionary.set(argument.name, to: argument.value) }
        values = .dictionary(dictionary)
      }
      return .string(try evaluator.percentFormat(evaluator.text(of: value), values))
    },
    "indent": indent,
    "lower": text { $0.lowercased() },
    "replace": { evaluator, value, arguments throws(TemplateFailure) in
      var arguments = try arguments.bound(to: ["old", "new", "count"], of: "replace")
      for index in 0..<2 {
        arguments[index] = .string(try evaluator.text(of: arguments[index] ?? .text("")))
      }
      let given = TemplateArguments(positional: arguments.compactMap { $0 })
      var text = try evaluator.text(of: value)
      text.isMarkup = false
      return try evaluator.replace(text, given)
    },
    "safe": plain { evaluator, value throws(TemplateFailure) in
      var text = try evaluator.text(of: value)
      text.isMarkup = true
      return .string(text)
    },
    "string": plain { evaluator, value throws(TemplateFailure) in
      .string(try evaluator.text(of: value))
    },
    "title": text { $0.titlecasedWords() },
    "tojson": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.json(value, arguments)
    },
    "trim": { evaluator, value, arguments throws(TemplateFailure) in
      .string(try evaluator.strip(.strip, evaluator.text(of: value), arguments))
    },
    "truncate": { evaluator, value, arguments throws(TemplateFailure) in
      if value.isUndefined { return value }
      return try evaluator.truncate(evaluator.textArgument(value, of: "truncate"), arguments)
    },
    "upper": text { $0.uppercased() },
    "urlencode": plain { evaluator, value throws(TemplateFailure) in
      .string(try evaluator.urlEncoded(value))
    },
    "wordcount": plain { evaluator, value throws(TemplateFailure) in
      let text = try evaluator.text(of: value)
      try evaluator.charge(text.count)
      return .int(text.wordCount)
    },
  ]

  private static let escape: TemplateFilter = plain { evaluator, value throws(TemplateFailure) in
    let text = try evaluator.text(of: value)
    try evaluator.charge(scalarsOf: text)
    return .string(text.escapedForMarkup())
  }

  /// A filter without arguments.
  static func plain(
    _ change:
      @escaping @Sendable (TemplateEvaluator, TemplateValue) throws(TemplateFailure) ->
      TemplateValue
  ) -> TemplateFilter {
    { evaluator, value, arguments throws(TemplateFailure) in
      guard arguments.isEmpty else { throw .evaluation("this filter takes no argument") }
      return try change(evaluator, value)
    }
  }

  /// A filter without arguments that changes a text.
  private static func text(
    _ change: @escaping @Sendable (TemplateString) -> TemplateString
  ) -> TemplateFilter {
    plain { evaluator, value throws(TemplateFailure) in
      let text = try evaluator.text(of: value)
      try evaluator.charge(bytes: text.count)
      try evaluator.charge(scalarsOf: text)
      return .string(change(text))
    }
  }

  private static let indent: TemplateFilter = {
    evaluator, value, arguments throws(TemplateFailure) in
    let values = try arguments.bound(to: ["width", "first", "blank"], of: "indent")
    return .string(
      try evaluator.indented(
        evaluator.textArgument(value, of: "indent"), width: values[0] ?? .int(4),
        first: values[1]?.isTrue ?? false, blank: values[2]?.isTrue ?? false))
  }

  // MARK: Numbers

  private static let numbers: [String: TemplateFilter] = [
    "abs": plain { evaluator, value throws(TemplateFailure) in
      if case .double(let number) = value { return .double(abs(number)) }
      if case .undefined(let missing) = value { throw missing.failure }
      guard let number = value.integer else {
        throw .evaluation("'abs' needs a number, not a \(evaluator.typeName(of: value))")
      }
      return number < 0 ? try TemplateArithmetic.apply(.negate, to: .int(number)) : .int(number)
    },
    "float": { evaluator, value, arguments throws(TemplateFailure) in
      let fallback = try arguments.bound(to: ["default"], of: "float")[0] ?? .double(0)
      if case .undefined(let missing) = value { throw missing.failure }
      if let number = value.number { return .double(number) }
      guard case .string(let text) = value else { return fallback }
      try evaluator.charge(text.count)
      return text.parsedDouble.map { .double($0) } ?? fallback
    },
    "int": { evaluator, value, arguments throws(TemplateFailure) in
      let values = try arguments.bound(to: ["default", "base"], of: "int")
      let base = try evaluator.integerArgument(values[1], of: "int") ?? 10
      guard base == 0 || (2...36).contains(base) else {
        throw .evaluation("the base must be 2 to 36")
      }
      return try evaluator.integer(value, base: base) ?? values[0] ?? .int(0)
    },
    "round": { evaluator, value, arguments throws(TemplateFailure) in
      try evaluator.round(value, arguments)
    },
  ]
}
