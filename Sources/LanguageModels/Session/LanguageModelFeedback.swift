public import Foundation

/// What a person thinks of a response.
public struct LanguageModelFeedback: Sendable {
  /// Whether the person likes it.
  public enum Sentiment: String, Sendable, CaseIterable {
    /// The response is good.
    case positive
    /// The response is bad.
    case negative
    /// The response is neither.
    case neutral
  }

  /// Something that is wrong with a response.
  public struct Issue: Sendable {
    /// What is wrong.
    public enum Category: String, Sendable, CaseIterable {
      /// It does not help.
      case unhelpful
      /// It is too long.
      case tooVerbose
      /// It does something else than it should.
      case didNotFollowInstructions
      /// It is not true.
      case incorrect
      /// It is unfair to people.
      case stereotypeOrBias
      /// It is sexual.
      case suggestiveOrSexual
      /// It is coarse or hurts.
      case vulgarOrOffensive
      /// It was refused without a reason.
      case triggeredGuardrailUnexpectedly
    }

    let category: Category
    let explanation: String?

    /// Something that is wrong, perhaps with words about it.
    public init(category: Category, explanation: String? = nil) {
      self.category = category
      self.explanation = explanation
    }
  }
}

extension LanguageModelSession {
  /// Writes down what a person thinks of the last response; nothing is sent anywhere.
  ///
  /// - Parameters:
  ///   - sentiment: whether the person likes it.
  ///   - issues: what is wrong with it.
  ///   - desiredOutput: what it should have been.
  /// - Returns: JSON with all of this and the transcript.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredOutput: Transcript.Entry? = nil
  ) -> Data {
    let feedback = FeedbackAttachment(
      sentiment: sentiment?.rawValue,
      issues: issues.map { .init(category: $0.category.rawValue, explanation: $0.explanation) },
      desiredOutput: desiredOutput.map { Transcript(entries: [$0]) }, transcript: transcript)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Strings, arrays and objects of them: there is nothing that could not be encoded.
    return (try? encoder.encode(feedback)) ?? Data()
  }

  /// Writes down what a person thinks of the last response, and the text that it should have been.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseText: String?
  ) -> Data {
    logFeedbackAttachment(
      sentiment: sentiment, issues: issues,
      desiredOutput: desiredResponseText.map { text in
        .response(.init(segments: [.text(.init(content: text))]))
      })
  }

  /// Writes down what a person thinks of the last response, and the value that it should have been.
  @discardableResult
  public func logFeedbackAttachment(
    sentiment: LanguageModelFeedback.Sentiment?, issues: [LanguageModelFeedback.Issue] = [],
    desiredResponseContent: (any ConvertibleToGeneratedContent)?
  ) -> Data {
    logFeedbackAttachment(
      sentiment: sentiment, issues: issues,
      desiredOutput: desiredResponseContent.map { value in
        let name = String(describing: type(of: value))
        let segment = Transcript.StructuredSegment(
          schemaName: name, content: value.generatedContent)
        return .response(.init(segments: [.structure(segment)]))
      })
  }
}

private struct FeedbackAttachment: Encodable {
  struct Issue: Encodable {
    var category: String
    var explanation: String?
  }

  var sentiment: String?
  var issues: [Issue]
  var desiredOutput: Transcript?
  var transcript: Transcript
}
