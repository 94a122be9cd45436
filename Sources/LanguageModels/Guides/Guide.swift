/// One rule about generated values, whatever their type.
enum Guide: Sendable, Equatable {
  /// One of these texts.
  case anyOf([String])
  /// A text that this regular expression matches as a whole; nil where its source is not known.
  case pattern(String?)
  /// A text that occurs in `source`, nil being the text of the prompt.
  case verbatim(source: String?)
  /// A number not below this one.
  case minimum(JSONNumber)
  /// A number not above this one.
  case maximum(JSONNumber)
  /// An array of no fewer elements.
  case minimumCount(Int)
  /// An array of no more elements.
  case maximumCount(Int)
  /// An array whose elements follow these guides.
  case element([Guide])

  /// What a message calls the guide.
  var name: String {
    switch self {
    case .anyOf: "anyOf"
    case .pattern: "pattern"
    case .verbatim: "verbatim"
    case .minimum: "minimum"
    case .maximum: "maximum"
    case .minimumCount: "minimumCount"
    case .maximumCount: "maximumCount"
    case .element: "element"
    }
  }
}
