/// Evaluated arguments of a call, filter or test.
struct TemplateArguments {
  var positional: [TemplateValue] = []
  var named: [(name: String, value: TemplateValue)] = []

  var isEmpty: Bool { positional.isEmpty && named.isEmpty }

  /// The values for the given parameters, nil where one is left out.
  ///
  /// - Throws: for more arguments than parameters, names that are not among them, and values
  ///   given twice.
  func bound(
    to parameters: [String], of function: String
  ) throws(TemplateFailure) -> [TemplateValue?] {
    guard positional.count <= parameters.count else {
      throw .evaluation(
        "'\(function)' takes at most \(parameters.count) arguments, not \(positional.count)")
    }
    var values = positional.map { Optional($0) }
    values += [TemplateValue?](repeating: nil, count: parameters.count - positional.count)
    for argument in named {
      guard let place = parameters.firstIndex(of: argument.name) else {
        throw .evaluation("'\(function)' has no parameter '\(argument.name)'")
      }
      guard values[place] == nil else {
        throw .evaluation("the parameter '\(argument.name)' of '\(function)' is given twice")
      }
      values[place] = argument.value
    }
    return values
  }
}

/// The functions that every template can call.
enum TemplateFunction: String, Sendable, CaseIterable {
  case range, namespace, dict, cycler, joiner
  case raiseException = "raise_exception"
  case strftimeNow = "strftime_now"
}

/// A method of a value, not yet called.
enum TemplateMethod: Sendable {
  case string(TemplateStringMethod)
  case sequence(TemplateSequenceMethod)
  case dictionary(TemplateDictionaryMethod)
  case object(TemplateObjectMethod)
}

enum TemplateSequenceMethod: String, Sendable {
  case count, index, copy
  case append, clear, extend, insert, pop, remove, reverse, sort

  /// Whether it changes the list, which a sandboxed template must not.
  var changesReceiver: Bool {
    switch self {
    case .count, .index, .copy: false
    default: true
    }
  }
}

enum TemplateDictionaryMethod: String, Sendable {
  case get, items, keys, values, copy
  case clear, pop, popitem, setdefault, update

  var changesReceiver: Bool {
    switch self {
    case .get, .items, .keys, .values, .copy: false
    default: true
    }
  }
}

enum TemplateObjectMethod: String, Sendable {
  case next, reset, cycle, changed
}

extension TemplateEvaluator {
  func call(
    _ function: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    switch function {
    case .undefined(let missing): throw missing.failure
    case .function(let function): return try call(function, arguments)
    case .method(let receiver, let method): return try call(method, of: receiver, arguments)
    case .object(let identity): return try callObject(identity, arguments)
    default: throw .evaluation("a \(function.typeName) cannot be called")
    }
  }

  private func call(
    _ method: TemplateMethod, of receiver: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    switch (method, receiver) {
    case (.string(let method), .string(let text)): return try call(method, of: text, arguments)
    case (.sequence(let method), .sequence(let sequence)):
      return try call(method, of: sequence, arguments)
    case (.dictionary(let method), .dictionary(let dictionary)):
      return try call(method, of: dictionary, arguments)
    case (.object(let method), .object(let identity)):
      return try call(method, of: identity, arguments)
    default: throw .evaluation("a \(receiver.typeName) has no such method")
    }
  }

  // MARK: Objects

  private func callObject(
    _ identity: Int, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    switch objects[identity] {
    case .macro(let macro, let scope):
      return .string(try call(macro, inside: scope, arguments))
    case .joiner(let separator, let isUsed):
      objects[identity] = .joiner(separator, isUsed: true)
      return isUsed ? separator : .text("")
    case .loop(let loop):
      guard loop.statement.isRecursive else {
        throw .evaluation("the loop must be marked 'recursive' to be called")
      }
      let values = try arguments.bound(to: ["iterable"], of: "loop")
      let iterable = values[0] ?? .undefined(TemplateUndefined("'loop' needs an iterable"))
      let text = try capture { () throws(TemplateFailure) in
        try executeLoop(loop.statement, over: iterable, inside: loop.scope, level: loop.level + 1)
      }
      return .string(text)
    default: throw .evaluation("a \(typeName(of: .object(identity))) cannot be called")
    }
  }

  private func call(
    _ method: TemplateObjectMethod, of identity: Int, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateValue {
    switch (objects[identity], method) {
    case (.cycler(let items, let position), .next):
      objects[identity] = .cycler(items, position: (position + 1) % items.count)
      return items[position]
    case (.cycler(let items, _), .reset):
      objects[identity] = .cycler(items, position: 0)
      return .null
    case (.loop(let loop), .cycle):
      guard !arguments.positional.isEmpty else { throw .evaluation("'cycle' needs a value") }
      return arguments.positional[loop.index % arguments.positional.count]
    case (.loop(let loop), .changed):
      defer { loop.lastChanged = arguments.positional }
      guard let last = loop.lastChanged, last.count == arguments.positional.count else {
        return .bool(true)
      }
      for (old, new) in zip(last, arguments.positional) where try !equal(old, new) {
        return .bool(true)
      }
      return .bool(false)
    default: throw .evaluation("a \(typeName(of: .object(identity))) has no such method")
    }
  }

  // MARK: Macros

  private func call(
    _ macro: TemplateMacro, inside parent: TemplateScope?, _ arguments: TemplateArguments
  ) throws(TemplateFailure) -> TemplateString {
    try enter()
    defer { leave() }
    return try withScope(inside: parent) { () throws(TemplateFailure) in
      try bind(arguments, to: macro)
      return try capture { () throws(TemplateFailure) in _ = try execute(macro.body) }
    }
  }

  private func bind(
    _ arguments: TemplateArguments, to macro: TemplateMacro
  ) throws(TemplateFailure) {
    var named = arguments.named
    try charge(macro.parameters.count)
    let firstDefault = macro.parameters.count - macro.defaults.count
    for (index, parameter) in macro.parameters.enumerated() {
      try charge(named.count)
      let place = named.firstIndex { $0.name == parameter.text }
      if index < arguments.positional.count {
        guard place == nil else {
          throw .evaluation("the macro '\(macro.name)' gets '\(parameter.text)' twice")
        }
        assign(arguments.positional[index], to: parameter.name)
      } else if let place {
        assign(named.remove(at: place).value, to: parameter.name)
      } else if index >= firstDefault {
        assign(try evaluate(macro.defaults[index - firstDefault]), to: parameter.name)
      } else {
        let reason = "the parameter '\(parameter.text)' was not provided"
        assign(.undefined(TemplateUndefined(reason)), to: parameter.name)
      }
    }
    try bindRest(arguments.positional.dropFirst(macro.parameters.count), named, to: macro)
  }

  /// Arguments beyond the parameters, which only macros that mention them by name accept.
  private func bindRest(
    _ positional: ArraySlice<TemplateValue>, _ named: [(name: String, value: TemplateValue)],
    to macro: TemplateMacro
  ) throws(TemplateFailure) {
    var named = named
    if macro.takesCaller && !macro.parameters.contains(where: { $0.text == "caller" }) {
      let missing = TemplateValue.undefined(TemplateUndefined("No caller defined"))
      let place = named.firstIndex { $0.name == "caller" }
      assign(place.map { named.remove(at: $0).value } ?? missing, to: .caller)
    }
    if macro.takesVariadic {
      assign(try .tuple(Array(positional)), to: .variadic)
    } else if !positional.isEmpty {
      throw .evaluation(
        "the macro '\(macro.name)' takes not more than \(macro.parameters.count) arguments")
    }
    if macro.takesNamed {
      var dictionary = TemplateDictionary()
      for argument in named { try dictionary.set(argument.name, to: argument.value) }
      assign(.dictionary(dictionary), to: .named)
    } else if let argument = named.first {
      throw .evaluation("the macro '\(macro.name)' has no parameter '\(argument.name)'")
    }
  }
}
