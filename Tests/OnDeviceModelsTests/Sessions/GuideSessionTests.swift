import Foundation
import Inference
import LanguageModels
import OnDeviceModels
import Testing

/// Guides hold whatever the model would like to say.
@Suite struct OnDeviceGuideTests {
  @Test(arguments: [1, 2, 3, 4, 5])
  func everyGuideHolds(_ seed: UInt64) async throws {
    let text = "Order 77-A1 by \"Müller & Söhne\", 東京\nfor 3 x FL-20."
    let session = LanguageModelSession(
      model: TinyModel.model(sampling: TinyModel.hot(seed)))
    let booking = try await session.respond(
      to: text, generating: Booking.self, options: atMost(250)
    ).content
    #expect(!booking.code.isEmpty && text.contains(booking.code))
    #expect(booking.flight.wholeMatch(of: /[A-Z]{2}[0-9]{3}/) != nil)
    #expect((1...4).contains(booking.guests))
    #expect((0.5...1.5).contains(booking.share))
    #expect(booking.extras.count == 2 && Set(booking.extras).isSubset(of: ["wifi", "bar"]))
    #expect(booking.currency == "EUR")
  }

  @Test func propertiesComeInTheirOrder() async throws {
    let session = LanguageModelSession(model: TinyModel.model(sampling: TinyModel.hot(7)))
    let response = try await session.respond(
      to: "x y z", generating: Booking.self, options: atMost(250))
    guard case .structure(_, let keys) = response.rawContent.kind else {
      Issue.record("no structure")
      return
    }
    let order = [
      "code", "flight", "guests", "share", "extras", "currency", "seat", "note",
    ]
    #expect(keys == order.filter(keys.contains) && keys.count >= 7)
  }

  @Test func snapshotsFillInTheOrderOfTheProperties() async throws {
    let session = LanguageModelSession(model: TinyModel.model(sampling: TinyModel.hot(3)))
    var last: Booking.PartiallyGenerated?
    var counts: [Int] = []
    for try await snapshot in session.streamResponse(
      to: "x y z", generating: Booking.self, options: atMost(250))
    {
      if let last { #expect(last.id == snapshot.content.id) }
      last = snapshot.content
      if case .structure(let properties, _) = snapshot.rawContent.kind {
        counts.append(properties.count)
      }
    }
    #expect(counts == counts.sorted() && (counts.last ?? 0) >= 7 && counts.count > 7)
  }

  @Test(arguments: [40, 60, 90])
  func aLimitClosesTheValue(_ tokens: Int) async throws {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "Note",
        properties: [
          .init(name: "text", schema: .init(type: String.self)),
          .init(
            name: "more", schema: .init(arrayOf: .init(type: String.self), minimumElements: 1)),
        ]), dependencies: [])
    let session = LanguageModelSession(model: TinyModel.model(sampling: TinyModel.hot(9)))
    let response = try await session.respond(to: "x", schema: schema, options: atMost(tokens))
    #expect(response.content.isComplete)
    #expect(response.usage.output.totalTokenCount <= tokens)
  }

  @Test func timeClosesTheValueToo() async throws {
    let schema = try GenerationSchema(
      root: .init(name: "Note", properties: [.init(name: "a", schema: .init(type: String.self))]),
      dependencies: [])
    let model = TinyModel.model(sampling: TinyModel.hot(9), timeLimit: .zero)
    let response = try await LanguageModelSession(model: model).respond(to: "x", schema: schema)
    #expect(response.content.isComplete)
  }

  @Test func theSchemaIsShownUnlessItIsNotToBe() async throws {
    let session = LanguageModelSession(model: TinyModel.model())
    let shown = try await session.respond(to: "x", generating: Pick.self)
    #expect(session.contextUsage?.schema ?? 0 > 0)
    let other = LanguageModelSession(model: TinyModel.model())
    let hidden = try await other.respond(
      to: "x", generating: Pick.self, includeSchemaInPrompt: false)
    #expect(other.contextUsage?.schema == 0)
    #expect(hidden.usage.input.totalTokenCount < shown.usage.input.totalTokenCount)
  }

  @Test func aGuideThatCannotBeEnforcedIsAnErrorBeforeAnyWork() async throws {
    let schema = try GenerationSchema(
      root: .init(
        name: "Doubled",
        properties: [
          .init(
            name: "word",
            schema: .init(type: String.self, guides: [.pattern(/([a-z]+)-\1/)]))
        ]), dependencies: [])
    let session = LanguageModelSession(model: TinyModel.model(contextSize: 504))
    await #expect {
      try await session.respond(to: "x", schema: schema)
    } throws: { error in
      guard case LanguageModelError.unsupportedGenerationGuide(let payload) = error else {
        return false
      }
      return payload.schemaName == "Doubled"
    }
    #expect(session.transcript.isEmpty && session.usage.totalTokenCount == 0)
  }

  @Test func aPromptWithoutTextLeavesNothingToCopy() async throws {
    let session = LanguageModelSession(model: TinyModel.model())
    await #expect(throws: LanguageModelError.self) {
      try await session.respond(to: "", generating: Copied.self)
    }
  }
}

@Generable
struct Booking {
  @Guide(.verbatim)
  var code: String
  @Guide(.pattern(/[A-Z]{2}[0-9]{3}/))
  var flight: String
  @Guide(.range(1...4))
  var guests: Int
  @Guide(.minimum(0.5), .maximum(1.5))
  var share: Double
  @Guide(.count(2), .element(.anyOf(["wifi", "bar"])))
  var extras: [String]
  @Guide(.constant("EUR"))
  var currency: String
  var seat: Seat
  var note: String?
}

@Generable
enum Seat: String, CaseIterable {
  case aisle = "at the aisle"
  case window
}

@Generable
struct Copied {
  @Guide(.verbatim)
  var text: String
}
