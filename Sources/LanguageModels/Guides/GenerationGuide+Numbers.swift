public import Foundation

extension GenerationGuide where Value == Int {
  /// Numbers not below `value`.
  public static func minimum(_ value: Int) -> GenerationGuide<Int> {
    Self(.minimum(JSONNumber(value)))
  }

  /// Numbers not above `value`.
  public static func maximum(_ value: Int) -> GenerationGuide<Int> {
    Self(.maximum(JSONNumber(value)))
  }

  /// Numbers within `range`, both ends included.
  public static func range(_ range: ClosedRange<Int>) -> GenerationGuide<Int> {
    Self(.minimum(JSONNumber(range.lowerBound)), .maximum(JSONNumber(range.upperBound)))
  }
}

extension GenerationGuide where Value == Float {
  /// Numbers not below `value`.
  public static func minimum(_ value: Float) -> GenerationGuide<Float> {
    Self(.minimum(JSONNumber(literal: value.description)))
  }

  /// Numbers not above `value`.
  public static func maximum(_ value: Float) -> GenerationGuide<Float> {
    Self(.maximum(JSONNumber(literal: value.description)))
  }

  /// Numbers within `range`, both ends included.
  public static func range(_ range: ClosedRange<Float>) -> GenerationGuide<Float> {
    Self(
      .minimum(JSONNumber(literal: range.lowerBound.description)),
      .maximum(JSONNumber(literal: range.upperBound.description)))
  }
}

extension GenerationGuide where Value == Double {
  /// Numbers not below `value`.
  public static func minimum(_ value: Double) -> GenerationGuide<Double> {
    Self(.minimum(JSONNumber(value)))
  }

  /// Numbers not above `value`.
  public static func maximum(_ value: Double) -> GenerationGuide<Double> {
    Self(.maximum(JSONNumber(value)))
  }

  /// Numbers within `range`, both ends included.
  public static func range(_ range: ClosedRange<Double>) -> GenerationGuide<Double> {
    Self(.minimum(JSONNumber(range.lowerBound)), .maximum(JSONNumber(range.upperBound)))
  }
}

extension GenerationGuide where Value == Decimal {
  /// Numbers not below `value`.
  public static func minimum(_ value: Decimal) -> GenerationGuide<Decimal> {
    Self(.minimum(JSONNumber(value)))
  }

  /// Numbers not above `value`.
  public static func maximum(_ value: Decimal) -> GenerationGuide<Decimal> {
    Self(.maximum(JSONNumber(value)))
  }

  /// Numbers within `range`, both ends included.
  public static func range(_ range: ClosedRange<Decimal>) -> GenerationGuide<Decimal> {
    Self(.minimum(JSONNumber(range.lowerBound)), .maximum(JSONNumber(range.upperBound)))
  }
}
