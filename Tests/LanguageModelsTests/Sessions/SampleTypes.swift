import LanguageModels

/// A value with two properties, as the macro would make it.
struct Booking: Generable, Equatable, Sendable {
  var code: String
  var guests: Int

  struct PartiallyGenerated: Identifiable, ConvertibleFromGeneratedContent, Equatable, Sendable {
    var id: GenerationID
    var code: String?
    var guests: Int?

    init(_ content: GeneratedContent) throws {
      id = content.id ?? GenerationID()
      code = try content.value(forProperty: "code")
      guests = try content.value(forProperty: "guests")
    }
  }

  static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: Self.self,
      properties: [
        .init(name: "code", type: String.self),
        .init(name: "guests", type: Int.self, guides: [.range(1...9)]),
      ])
  }

  init(code: String, guests: Int) {
    self.code = code
    self.guests = guests
  }

  init(_ content: GeneratedContent) throws {
    code = try content.value(forProperty: "code")
    guests = try content.value(forProperty: "guests")
  }

  var generatedContent: GeneratedContent {
    GeneratedContent(properties: ["code": code, "guests": guests])
  }
}

enum Colour: String, Generable {
  case green, grey

  static var generationSchema: GenerationSchema {
    GenerationSchema(type: Self.self, anyOf: ["green", "grey"])
  }

  init(_ content: GeneratedContent) throws {
    let name = try content.value(String.self)
    guard let colour = Colour(rawValue: name) else {
      throw GeneratedContent.ParsingError(rawContent: name, debugDescription: "no colour")
    }
    self = colour
  }

  var generatedContent: GeneratedContent { GeneratedContent(rawValue) }
}

/// Tells the gate of a flight, or fails.
struct GateTool: Tool {
  struct Arguments: Generable {
    var flight: String

    static var generationSchema: GenerationSchema {
      GenerationSchema(
        type: Self.self, properties: [.init(name: "flight", type: String.self)])
    }

    init(_ content: GeneratedContent) throws {
      flight = try content.value(forProperty: "flight")
    }

    var generatedContent: GeneratedContent { GeneratedContent(properties: ["flight": flight]) }
  }

  struct Unknown: Error, Equatable {
    let flight: String
  }

  let name = "gate"
  let description = "The gate of a flight"
  var answer: @Sendable (String) async throws -> String = { "gate of \($0)" }

  func call(arguments: Arguments) async throws -> String { try await answer(arguments.flight) }
}
