/// An array of byte strings in one block of memory, such as the tokens of a vocabulary.
///
/// Elements are bytes, not `String`: vocabulary entries need not be valid UTF-8, and `String`
/// comparison would merge entries that differ only in their Unicode composition.
public struct GGUFStrings: Hashable, Sendable {
  /// All elements one after the other. [sum of the lengths]
  public let bytes: [UInt8]
  /// Where each element ends within `bytes`. [count]
  private let ends: [UInt32]

  /// Takes elements that are laid out already; `ends` must rise and not pass the end of `bytes`.
  init(bytes: [UInt8], ends: [UInt32]) {
    self.bytes = bytes
    self.ends = ends
  }

  /// Lays out elements one after the other, less than 4 GiB of them.
  package init(_ elements: some Sequence<some Sequence<UInt8>>) {
    var bytes: [UInt8] = []
    var ends: [UInt32] = []
    for element in elements {
      bytes.append(contentsOf: element)
      ends.append(UInt32(bytes.count))
    }
    self.init(bytes: bytes, ends: ends)
  }

  /// Lays out the UTF-8 bytes of texts one after the other.
  package init(_ texts: [String]) {
    self.init(texts.map(\.utf8))
  }
}

extension GGUFStrings: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { ends.count }

  /// The bytes of one element, without a copy.
  public subscript(position: Int) -> ArraySlice<UInt8> { bytes[range(of: position)] }

  /// Where one element lies within `bytes`.
  public func range(of position: Int) -> Range<Int> {
    let start = position == 0 ? 0 : ends[position - 1]
    return Int(start)..<Int(ends[position])
  }

  /// One element as text, with U+FFFD in place of what is not UTF-8.
  public func text(at position: Int) -> String {
    String(decoding: self[position], as: UTF8.self)
  }
}
