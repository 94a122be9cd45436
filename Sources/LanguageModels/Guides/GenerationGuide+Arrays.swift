extension GenerationGuide {
  /// Arrays of `count` elements or more.
  public static func minimumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    Self(.minimumCount(count))
  }

  /// Arrays of `count` elements or fewer.
  public static func maximumCount<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    Self(.maximumCount(count))
  }

  /// Arrays of as many elements as `range` holds.
  public static func count<Element>(_ range: ClosedRange<Int>) -> GenerationGuide<[Element]>
  where Value == [Element] {
    Self(.minimumCount(range.lowerBound), .maximumCount(range.upperBound))
  }

  /// Arrays of `count` elements.
  public static func count<Element>(_ count: Int) -> GenerationGuide<[Element]>
  where Value == [Element] {
    Self(.minimumCount(count), .maximumCount(count))
  }

  /// Arrays whose elements follow `guide`.
  public static func element<Element>(
    _ guide: GenerationGuide<Element>
  ) -> GenerationGuide<[Element]> where Value == [Element] {
    Self(.element(guide.guides))
  }
}

// An attribute such as `@Guide(.count(3))` does not know the type of its property; with these it
// has one that fits.
extension GenerationGuide where Value == [Never] {
  /// Arrays of `count` elements or more.
  public static func minimumCount(_ count: Int) -> GenerationGuide<Value> {
    Self(.minimumCount(count))
  }

  /// Arrays of `count` elements or fewer.
  public static func maximumCount(_ count: Int) -> GenerationGuide<Value> {
    Self(.maximumCount(count))
  }

  /// Arrays of as many elements as `range` holds.
  public static func count(_ range: ClosedRange<Int>) -> GenerationGuide<Value> {
    Self(.minimumCount(range.lowerBound), .maximumCount(range.upperBound))
  }

  /// Arrays of `count` elements.
  public static func count(_ count: Int) -> GenerationGuide<Value> {
    Self(.minimumCount(count), .maximumCount(count))
  }
}
