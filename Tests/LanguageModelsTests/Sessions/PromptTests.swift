import Foundation
import LanguageModels
import Testing

@Suite struct PromptTests {
  private func text(_ prompt: Prompt) -> [String] { prompt.segments.map(\.description) }

  @Test func textsStandBelowEachOther() {
    let names = ["Ada", "Ben"]
    let isPolite = true
    let title: String? = nil
    let prompt = Prompt {
      "Dear"
      for name in names { name }
      if isPolite { "Please" } else { "Now" }
      if !isPolite { "never" }
      if let title { title }
      ["one", "two"]
      Prompt("end")
    }
    #expect(text(prompt) == ["Dear\nAda\nBen\nPlease\none\ntwo\nend"])
  }

  @Test func valuesStandAsWhatAModelWouldGenerate() {
    let prompt = Prompt {
      "An example:"
      Booking(code: "QX7", guests: 2)
      "and"
      3
      true
      Int?.none
    }
    #expect(
      text(prompt) == ["An example:", #"{"code": "QX7", "guests": 2}"#, "and\n3\ntrue"])
    #expect(text(Prompt(Booking(code: "A", guests: 1))) == [#"{"code": "A", "guests": 1}"#])
  }

  @Test func nothingIsAPromptOfNoSegments() {
    #expect(Prompt {}.segments.isEmpty)
    #expect(Instructions {}.segments.isEmpty)
  }

  @Test func instructionsAreBuiltTheSameWay() {
    let isShort = true
    let instructions = Instructions {
      "Be kind."
      if isShort { "Be short." }
      Booking(code: "A", guests: 1)
    }
    #expect(
      instructions.segments.map(\.description) == [
        "Be kind.\nBe short.", #"{"code": "A", "guests": 1}"#,
      ])
  }

  @Test func attachmentsKeepTheirPlaceAndLabel() throws {
    let prompt = Prompt {
      "Look:"
      Attachment(imageURL: URL(filePath: "/a.png")).label("picture")
      "What is it?"
    }
    #expect(prompt.segments.count == 3)
    guard case .attachment(let segment) = prompt.segments[1] else {
      Issue.record("no attachment")
      return
    }
    #expect(segment.label == "picture")
  }

  @Test func aTypeOfOnesOwnCanBeAPrompt() {
    struct Question: PromptRepresentable {
      let topic: String
      var promptRepresentation: Prompt {
        "Tell me about"
        topic
      }
    }
    #expect(text(Prompt(Question(topic: "bees"))) == ["Tell me about\nbees"])
  }

  @Test func errorsOfTheClosureComeThrough() {
    struct Failure: Error {}
    func fail() throws -> String { throw Failure() }
    #expect(throws: Failure.self) { try Prompt { try fail() } }
    #expect(throws: Failure.self) { try Instructions { try fail() } }
  }
}
