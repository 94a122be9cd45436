import FoundationModels

@Generable(description: "A plan for a few days away")
struct Trip: Equatable {
  @Guide(description: "A short, inviting title")
  let title: String

  @Guide(.anyOf(["Lisbon", "Kyoto", "Oslo"]))
  let destination: String

  @Guide(description: "The days in order", .count(1...3))
  let days: [Day]

  @Guide(description: "In euros", .range(0...5000))
  var budget: Double?

  var pace: Pace
}

@Generable
struct Day: Equatable {
  @Guide(description: "ISO date", /\d{4}-\d{2}-\d{2}/)
  var date: String
  @Guide(.maximumCount(4))
  var stops: [Stop]
}

@Generable
struct Stop: Equatable {
  var name: String
  var kind: Kind
  @Guide(.element(.range(1...5)), .minimumCount(1))
  var ratings: [Int]

  @Generable
  enum Kind {
    case sight
    case food
    case walk(kilometres: Double)
  }
}

@Generable(description: "How full the days are")
enum Pace: String, CaseIterable {
  case calm = "very calm"
  case busy
}

extension Stop.Kind: Equatable {}
