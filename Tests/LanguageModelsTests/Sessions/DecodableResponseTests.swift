import Foundation
import LanguageModels
import Testing

@Suite struct DecodableResponseTests {
  private struct Flight: Codable, Equatable {
    struct Seat: Codable, Equatable {
      var row: Int
      var letter: String
    }

    var number: String
    var seats: [Seat]
    var gate: String?
  }

  private let flight = Flight(
    number: "TK1", seats: [.init(row: 7, letter: "A")], gate: nil)

  @Test func aDecodableTypeIsEnough() async throws {
    let model = ScriptedModel.saying(
      #"{"number": "TK1", "seats": [{"row": 7, "#, #""letter": "A"}]}"#)
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "Which?", decoding: Flight.self)
    #expect(response.content == flight)
    #expect(model.requests.last?.schema?.name == "Flight")
    #expect(model.requests.last?.contextOptions.includeSchemaInPrompt == true)
    try await session.respond(
      to: Prompt("Which?"), decoding: Flight.self, includeSchemaInPrompt: false)
    #expect(model.requests.last?.contextOptions.includeSchemaInPrompt == false)
    #expect(try await session.respond(decoding: Flight.self) { "Which?" }.content == flight)
    #expect(session.transcript.count == 6)
  }

  @Test func aValueThatDoesNotDecodeIsAParsingError() async throws {
    let session = LanguageModelSession(model: ScriptedModel.saying(#"{"number": 7}"#))
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "Which?", decoding: Flight.self)
    }
    #expect(error?.underlyingError is DecodingError)
    #expect(session.transcript.isEmpty)
  }

  @Test func aTypeThatCannotBeSampledIsAnError() async throws {
    struct Stubborn: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never"))
      }
    }
    let session = LanguageModelSession(model: ScriptedModel.saying("{}"))
    await #expect(throws: SchemaDerivationError.self) {
      try await session.respond(to: "?", decoding: Stubborn.self)
    }
    #expect(!session.isResponding)
  }
}
