/// Runs a compiled template once.
///
/// Everything with identity that a template can make (namespaces, macros, loops) lives in `objects`
/// of this instance and ends with it; nothing of the host can be reached from here. Work counts:
/// every node and every byte that is touched goes towards the limits.
final class TemplateEvaluator {
  let program: TemplateProgram
  let limits: ChatTemplateLimits
  let clock: TemplateClock
  /// Text rendered so far, or the part of it that is being captured.
  var output = TemplateString()
  /// Byte offset in the source of what is being evaluated, to report failures at.
  var offset = 0
  /// The innermost scope, nil at the top of the template.
  var scope: TemplateScope?
  /// Variables at the top of the template, by symbol.
  var globals: [TemplateValue?]
  var objects: [TemplateObject] = []
  private var steps = 0
  /// The count of steps at which to look for a cancelled task again.
  private var nextLook = 0
  private var depth = 0

  init(
    _ program: TemplateProgram, variables: [(name: String, value: TemplateValue)],
    limits: ChatTemplateLimits, clock: TemplateClock
  ) {
    self.program = program
    self.limits = limits
    self.clock = clock
    var values: [[UInt8]: TemplateValue] = [:]
    for function in TemplateFunction.allCases {
      values[Array(function.rawValue.utf8)] = .function(function)
    }
    for variable in variables { values[Array(variable.name.utf8)] = variable.value }
    globals = program.names.map { values[Array($0.utf8)] }
  }

  /// The whole prompt, with the origin of its bytes.
  func render() throws(ChatTemplateError) -> TemplateString {
    do throws(TemplateFailure) {
      _ = try execute(program.statements)
      return output
    } catch {
      throw error.located(program.source.location(of: offset))
    }
  }

  // MARK: Metering

  func charge(_ work: Int = 1) throws(TemplateFailure) {
    steps += work
    guard steps <= limits.steps else { throw .limit(.steps(limits.steps)) }
    if steps >= nextLook {
      nextLook = steps + Self.stepsBetweenLooks
      if Task.isCancelled { throw .cancelled }
    }
  }

  /// Some tenths of a millisecond of work.
  private static let stepsBetweenLooks = 4096

  /// Counts the making or scanning of a text; one step stands for 64 bytes.
  func charge(bytes: Int) throws(TemplateFailure) {
    try check(bytes: bytes)
    try charge(1 + bytes >> 6)
  }

  func check(bytes: Int) throws(TemplateFailure) {
    guard bytes <= limits.outputBytes else { throw .limit(.outputBytes(limits.outputBytes)) }
  }

  /// Counts an operation that goes through a text by code points.
  func charge(scalarsOf text: TemplateString) throws(TemplateFailure) {
    try charge(1 + text.count >> 1)
  }

  /// Counts the texts that something is done to or with, before it is known what that is.
  func charge(
    texts value: TemplateValue, _ arguments: TemplateArguments
  ) throws(TemplateFailure) {
    func charge(_ value: TemplateValue) throws(TemplateFailure) {
      if case .string(let text) = value, text.count >= 32 { try self.charge(text.count >> 5) }
    }
    try charge(value)
    for argument in arguments.positional { try charge(argument) }
    for argument in arguments.named { try charge(argument.value) }
  }

  /// Counts the look-up of a key, which goes through the whole of it.
  func charge(key: TemplateValue) throws(TemplateFailure) {
    switch key {
    case .string(let text): try charge(1 + text.count >> 3)
    case .sequence(let sequence):
      try charge()
      for item in sequence.items { try charge(key: item) }
    default: break
    }
  }

  /// Counts a text that is made of `count` pieces of `size` bytes, before it is made.
  func charge(_ count: Int, times size: Int) throws(TemplateFailure) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    try charge(bytes: overflow ? .max : bytes)
  }

  func enter() throws(TemplateFailure) {
    depth += 1
    guard depth <= limits.depth else { throw .limit(.depth(limits.depth)) }
    try charge()
  }

  func leave() { depth -= 1 }

  // MARK: Variables

  func value(of symbol: TemplateSymbol) throws(TemplateFailure) -> TemplateValue {
    var next = scope
    var distance = 0
    while let scope = next {
      if let value = scope[symbol] { return value }
      next = scope.parent
      distance += 1
      if distance & 7 == 0 { try charge() }
    }
    if let value = globals[symbol.index] { return value }
    return .undefined(TemplateUndefined("'\(program.names[symbol.index])' is undefined"))
  }

  func assign(_ value: TemplateValue, to symbol: TemplateSymbol) {
    if let scope {
      scope[symbol] = value
    } else {
      globals[symbol.index] = value
    }
  }

  /// Runs a step in a scope whose parent is the given one.
  func withScope<Result>(
    inside parent: TemplateScope?, _ run: () throws(TemplateFailure) -> Result
  ) throws(TemplateFailure) -> Result {
    let outer = scope
    scope = TemplateScope(parent: parent)
    defer { scope = outer }
    return try run()
  }

  /// Runs a step and takes what it writes instead of letting it into the output.
  func capture(
    _ run: () throws(TemplateFailure) -> Void
  ) throws(TemplateFailure) -> TemplateString {
    let outer = output
    output = TemplateString()
    defer { output = outer }
    try run()
    return output
  }

  func write(_ text: TemplateString) throws(TemplateFailure) {
    try charge(bytes: text.footprint)
    try check(bytes: output.footprint + text.footprint)
    output.append(text)
  }
}

/// Variables of a loop, macro or block; the ones around it stay visible and unchanged.
final class TemplateScope {
  let parent: TemplateScope?
  private var symbols: [TemplateSymbol] = []
  private var values: [TemplateValue] = []
  /// Places of the symbols, kept once a search through them would be slow.
  private var places: [TemplateSymbol: Int] = [:]

  init(parent: TemplateScope?) {
    self.parent = parent
  }

  subscript(symbol: TemplateSymbol) -> TemplateValue? {
    get { place(of: symbol).map { values[$0] } }
    set {
      guard let newValue else { return }
      if let place = place(of: symbol) {
        values[place] = newValue
      } else {
        symbols.append(symbol)
        values.append(newValue)
        if symbols.count == Self.largestUnindexed + 1 {
          for (place, symbol) in symbols.enumerated() { places[symbol] = place }
        } else if symbols.count > Self.largestUnindexed {
          places[symbol] = symbols.count - 1
        }
      }
    }
  }

  private static let largestUnindexed = 16

  private func place(of symbol: TemplateSymbol) -> Int? {
    symbols.count > Self.largestUnindexed ? places[symbol] : symbols.firstIndex(of: symbol)
  }
}

/// Something with identity that a template made.
enum TemplateObject {
  case namespace(TemplateDictionary)
  case macro(TemplateMacro, scope: TemplateScope?)
  case loop(TemplateLoop)
  case cycler([TemplateValue], position: Int)
  case joiner(TemplateValue, isUsed: Bool)
  /// What a filter such as `map` yields: it can be gone through once.
  case iterator([TemplateValue], position: Int)
}

/// The state of a running `for`, what templates see as `loop`.
final class TemplateLoop {
  let statement: TemplateLoopStatement
  let scope: TemplateScope?
  let items: [TemplateValue]
  let level: Int
  var index = 0
  var lastChanged: [TemplateValue]?

  init(
    _ statement: TemplateLoopStatement, scope: TemplateScope?, items: [TemplateValue], level: Int
  ) {
    self.statement = statement
    self.scope = scope
    self.items = items
    self.level = level
  }
}

extension TemplateEvaluator {
  /// A value that stands for a new object.
  ///
  /// Objects stay until rendering ends, so each one counts for more than a step.
  func make(_ object: TemplateObject) throws(TemplateFailure) -> TemplateValue {
    try charge(8)
    objects.append(object)
    return .object(objects.count - 1)
  }

  func makeIterator(_ items: [TemplateValue]) throws(TemplateFailure) -> TemplateValue {
    try make(.iterator(items, position: 0))
  }
}
