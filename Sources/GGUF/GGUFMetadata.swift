/// The metadata of a file: keys with values, in file order, with checked access by key.
///
/// The getters give nil for an absent key, so that callers choose the default or the complaint;
/// a key that is there with an unusable value is always an error.
public struct GGUFMetadata: Sendable {
  /// One key with its value.
  public struct Entry: Sendable {
    /// The key: `llama.block_count`.
    public let key: String
    /// The value.
    public let value: GGUFValue
    /// The byte of the file where the value begins (its type number).
    public let offset: Int
  }

  private var entries: [Entry] = []
  private var positions: [String: Int] = [:]

  init() {}

  /// Adds an entry at the end; false, and nothing added, where the key is there already.
  mutating func append(_ entry: Entry) -> Bool {
    guard positions[entry.key] == nil else { return false }
    positions[entry.key] = entries.count
    entries.append(entry)
    return true
  }

  /// The value of a key, or nil where the key is absent.
  public subscript(key: String) -> GGUFValue? { entry(for: key)?.value }

  /// The byte of the file where the value of a key begins.
  func offset(of key: String) -> Int? { entry(for: key)?.offset }

  private func entry(for key: String) -> Entry? { positions[key].map { entries[$0] } }
}

extension GGUFMetadata: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of entries.
  public var endIndex: Int { entries.count }
  /// The entry at a position in file order.
  public subscript(position: Int) -> Entry { entries[position] }
}

extension GGUFMetadata {
  /// An integer of whatever width the file uses.
  ///
  /// - Throws: `wrongMetadata` where the value is no integer, or lies outside `range`.
  public func integer(
    _ key: String, in range: ClosedRange<Int> = Int.min...Int.max
  ) throws(GGUFError) -> Int? {
    try convert(key, to: expectation("an integer", range)) { value in
      value.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A number of whatever type the file uses, as `Float`; never infinite or NaN.
  ///
  /// - Throws: `wrongMetadata` where the value is no number, or lies outside `range`.
  public func float(
    _ key: String,
    in range: ClosedRange<Float> = -Float.greatestFiniteMagnitude...Float.greatestFiniteMagnitude
  ) throws(GGUFError) -> Float? {
    let expected =
      range.upperBound < .greatestFiniteMagnitude
      ? "a number from \(range.lowerBound) to \(range.upperBound)"
      : range.lowerBound > -.greatestFiniteMagnitude
        ? "a finite number of at least \(range.lowerBound)" : "a finite number"
    return try convert(key, to: expected) { value in
      value.number.map { Float($0) }.flatMap { $0.isFinite && range.contains($0) ? $0 : nil }
    }
  }

  /// A Boolean.
  ///
  /// - Throws: `wrongMetadata` where the value is anything else.
  public func bool(_ key: String) throws(GGUFError) -> Bool? {
    try convert(key, to: "a Boolean") { value in
      if case .bool(let flag) = value { flag } else { nil }
    }
  }

  /// A string as text, with U+FFFD in place of what is not UTF-8.
  ///
  /// - Throws: `wrongMetadata` where the value is anything else.
  public func string(_ key: String) throws(GGUFError) -> String? {
    try convert(key, to: "a string") { value in
      if case .string(let bytes) = value { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
  }

  /// Bytes, stored as a string or as an array of 8-bit integers.
  ///
  /// - Throws: `wrongMetadata` where the value is anything else.
  public func bytes(_ key: String) throws(GGUFError) -> [UInt8]? {
    try convert(key, to: "bytes") { value in
      switch value {
      case .string(let bytes), .array(.uint8(let bytes)): bytes
      case .array(.int8(let bytes)): bytes.map { UInt8(bitPattern: $0) }
      default: nil
      }
    }
  }

  /// An array of strings.
  ///
  /// - Throws: `wrongMetadata` where the value is anything else.
  public func strings(_ key: String) throws(GGUFError) -> GGUFStrings? {
    try convert(key, to: "an array of strings") { value in
      if case .array(.string(let strings)) = value { strings } else { nil }
    }
  }

  /// Integers of whatever width the file uses; a single one counts as an array of one.
  ///
  /// - Throws: `wrongMetadata` where an element is no integer, or lies outside `range`.
  /// - Complexity: O(*n*) in the number of elements.
  public func integers(
    _ key: String, in range: ClosedRange<Int> = Int.min...Int.max
  ) throws(GGUFError) -> [Int]? {
    try convertAll(key, to: expectation("integers", range)) { value in
      value.integer.flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Numbers of whatever type the file uses; a single one counts as an array of one.
  ///
  /// They may be infinite or NaN.
  ///
  /// - Throws: `wrongMetadata` where an element is no number.
  /// - Complexity: O(*n*) in the number of elements; O(1) for an array of 32-bit floats.
  public func floats(_ key: String) throws(GGUFError) -> [Float]? {
    if case .array(.float32(let values)) = self[key] { return values }
    return try convertAll(key, to: "numbers") { value in value.number.map { Float($0) } }
  }

  /// Booleans; a single one counts as an array of one.
  ///
  /// - Throws: `wrongMetadata` where an element is no Boolean.
  /// - Complexity: O(*n*) in the number of elements.
  public func bools(_ key: String) throws(GGUFError) -> [Bool]? {
    try convertAll(key, to: "Booleans") { value in
      if case .bool(let flag) = value { flag } else { nil }
    }
  }
}

extension GGUFMetadata {
  private func convert<T>(
    _ key: String, to expected: @autoclosure () -> String, _ convert: (GGUFValue) -> T?
  ) throws(GGUFError) -> T? {
    guard let entry = entry(for: key) else { return nil }
    guard let result = convert(entry.value) else {
      throw .wrongMetadata(
        key: key, offset: entry.offset, expected: expected(), found: "\(entry.value)")
    }
    return result
  }

  private func convertAll<T>(
    _ key: String, to expected: @autoclosure () -> String, _ convert: (GGUFValue) -> T?
  ) throws(GGUFError) -> [T]? {
    guard let entry = entry(for: key) else { return nil }
    guard case .array(let array) = entry.value else {
      return try self.convert(key, to: expected()) { value in convert(value).map { [$0] } }
    }
    var results: [T] = []
    results.reserveCapacity(array.count)
    for position in 0..<array.count {
      guard let result = convert(array[position]) else {
        throw .wrongMetadata(
          key: key, offset: entry.offset, expected: expected(),
          found: "\(array[position]) at index \(position)")
      }
      results.append(result)
    }
    return results
  }

  private func expectation(_ what: String, _ range: ClosedRange<Int>) -> String {
    range == Int.min...Int.max ? what : "\(what) from \(range.lowerBound) to \(range.upperBound)"
  }
}
