import Foundation
import LanguageModels

@Generable(description: "A cat to adopt")
struct Cat: Equatable {
  @Guide(description: "A made-up name")
  var name: String
  @Guide(description: "In years", .range(0...20))
  var age: Int
  @Guide(.anyOf(["short", "long"]))
  var coat: String
  var nickname: String?
}

@Generable
enum Mood: CaseIterable {
  case calm
  case veryWild
  case `default`
}

@Generable(description: "How urgent it is")
enum Urgency: String {
  case low = "not urgent"
  case high = "urgent-now"
}

@Generable
struct Person: Equatable {
  var id: GenerationID
  var name: String
  var children: [Person]
}

@Generable
indirect enum Shape: Equatable {
  case circle(radius: Double)
  case label(String)
  case note(String?)
  case box(Int, Int)
  case group([Shape])
  case nothing
}

@Generable(representNilExplicitlyInGeneratedContent: true)
struct Form: Equatable {
  var first: String?
  var second: Int?
}

@Generable(name: "receipt", description: "What was bought")
struct Bill: Equatable {
  @Guide(description: "Each line", .count(1...3))
  var items: [Item]
  @Guide(.pattern(/[A-Z]{3}/))
  @Guide(description: "ISO 4217")
  var currency: String
  @Guide(description: "A code", /[A-Z0-9]{6}/)
  var code: String
  @Guide(.verbatim)
  var total: String
  var mood: Mood?
  var number = 7
  let version = 1
  var doubled: Int { number * 2 }
  static var count: Int { 0 }

  @Generable
  struct Item: Equatable {
    let name: String
    @Guide(.minimum(0))
    let price: Decimal
  }
}
