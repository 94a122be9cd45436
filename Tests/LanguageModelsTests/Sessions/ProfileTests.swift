import LanguageModels
import Observation
import Synchronization
import Testing

private enum Mood: SessionPropertyKey {
  static var defaultValue: String { "calm" }
}

extension SessionPropertyValues {
  fileprivate var mood: String {
    get { self[Mood.self] }
    set { self[Mood.self] = newValue }
  }
}

/// Sets the mood of its session.
private struct MoodTool: Tool {
  @SessionProperty(\.mood) var mood
  let name = "mood"
  let description = "Sets the mood"

  func call(arguments: GateTool.Arguments) async throws -> String {
    let before = mood
    mood = arguments.flight
    return "was \(before)"
  }
}

private struct MoodInstructions: DynamicInstructions {
  @SessionProperty(\.mood) var mood
  var isLong = true

  var body: some DynamicInstructions {
    Instructions("Be \(mood).")
    if isLong { Instructions("Be long.") }
    MoodTool()
    if mood == "busy" { GateTool() }
    ForEach(["one", "two"], id: \.self) { Instructions("Item \($0)") }
  }
}

@Suite struct ProfileTests {
  typealias DynamicProfile = LanguageModelSession.DynamicProfile
  typealias Profile = LanguageModelSession.Profile

  @Test func instructionsAreAskedAnewAtEachRequest() async throws {
    let model = ScriptedModel.saying("Yes")
    let session = LanguageModelSession(model: model, dynamicInstructions: MoodInstructions())
    try await session.respond(to: "1")
    session.properties.mood = "busy"
    try await session.respond(to: "2")
    let requests = model.requests
    #expect(requests[0].transcript.texts == ["Be calm.\nBe long.\nItem one\nItem two", "1"])
    #expect(requests[0].enabledToolDefinitions.map(\.name) == ["mood"])
    #expect(
      requests[1].transcript.texts == [
        "Be busy.\nBe long.\nItem one\nItem two", "1", "Yes", "2",
      ])
    #expect(requests[1].enabledToolDefinitions.map(\.name) == ["mood", "gate"])
    #expect(session.transcript.texts == ["1", "Yes", "2", "Yes"])
  }

  @Test func aToolChangesWhatHoldsForTheNextPass() async throws {
    let model = ScriptedModel([
      { _, channel in await channel.call("1", "mood", #"{"flight": "busy"}"#) },
      { _, channel in await channel.call("2", "gate", #"{"flight": "A"}"#) },
      { _, channel in await channel.say("Done") },
    ])
    let session = LanguageModelSession(
      model: model, dynamicInstructions: MoodInstructions(isLong: false))
    #expect(try await session.respond(to: "?").content == "Done")
    #expect(session.transcript.texts.contains("was calm"))
    #expect(session.properties.mood == "busy")
    #expect(session.properties.history.count == session.transcript.count)
    #expect(model.requests.last?.transcript.texts.first?.hasPrefix("Be busy.") == true)
  }

  @Test func aHistoryCanBeBroughtAlong() async throws {
    let model = ScriptedModel.saying("Yes")
    let history = [Transcript.Entry.prompt(.init(segments: [.text(.init(content: "Old"))]))]
    let session = LanguageModelSession(
      model: model, dynamicInstructions: EmptyDynamicInstructions(), history: history)
    try await session.respond(to: "New")
    #expect(model.requests.last?.transcript.texts == ["Old", "New"])
  }

  private struct Switching: DynamicProfile {
    @SessionProperty(\.mood) var mood
    let quick: ScriptedModel
    let slow: ScriptedModel
    let log: Log

    final class Log: Sendable {
      let lines = Mutex<[String]>([])
      func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    var body: some DynamicProfile {
      if mood == "busy" {
        Profile { Instructions("Be quick.") }
          .model(quick)
          .temperature(0.1)
          .onActivate { log.add("quick begins") }
          .onDeactivate { log.add("quick ends") }
      } else {
        Profile {
          Instructions("Take your time.")
          GateTool()
        }
        .model(slow)
        .temperature(0.9)
        .temperature(0.2)
        .maximumResponseTokens(50)
        .toolCallingMode(.allowed)
        .samplingMode(.greedy)
        .onActivate { log.add("slow begins") }
        .onPrompt { log.add("prompt \($0.description)") }
        .onResponse { log.add("response \($0.description)") }
        .onReasoning { log.add("reasoning \($0.description)") }
        .onToolCall { log.add("call \($0.toolName)") }
        .onToolOutput { log.add("output \($1.segments.count) of \($0.id)") }
        .historyTransform { $0.filter { if case .response = $0 { false } else { true } } }
      }
    }
  }

  @Test func aProfileChangesModelOptionsAndHistory() async throws {
    let quick = ScriptedModel.saying("Quick")
    let slow = ScriptedModel([
      { _, channel in
        await channel.send(.reasoning(action: .appendText("Hm", tokenCount: 1)))
        await channel.call("7", "gate", #"{"flight": "A"}"#)
      },
      { _, channel in await channel.say("Slow") },
    ])
    let log = Switching.Log()
    let session = LanguageModelSession(profile: Switching(quick: quick, slow: slow, log: log))
    #expect(try await session.respond(to: "1").content == "Slow")
    session.properties.mood = "busy"
    let options = GenerationOptions(temperature: 0.5)
    #expect(try await session.respond(to: "2", options: options).content == "Quick")
    session.properties.mood = "calm"
    #expect(try await session.respond(to: "3").content == "Slow")

    #expect(
      log.lines.withLock { $0 } == [
        "slow begins", "prompt 1", "reasoning Hm", "call gate", "output 1 of 7", "response Slow",
        "quick begins", "quick ends", "slow begins", "prompt 3", "response Slow",
      ])
    // The innermost modifier has the last word, the request has it before all.
    #expect(slow.requests[0].generationOptions.temperature == 0.9)
    #expect(slow.requests[0].generationOptions.maximumResponseTokens == 50)
    #expect(slow.requests[0].generationOptions.samplingMode == .greedy)
    #expect(quick.requests[0].generationOptions.temperature == 0.5)
    #expect(slow.requests.last?.transcript.texts.contains("Quick") == false)
    #expect(session.transcript.texts.contains("Quick"))
  }

  @Test func anErrorOfAHookEndsTheRequest() async throws {
    struct Failure: Error {}
    struct Failing: DynamicProfile {
      let model: ScriptedModel
      var body: some DynamicProfile {
        Profile { Instructions("Be kind.") }
          .model(model)
          .onResponse { throw Failure() }
          .transcriptErrorHandlingPolicy(.preserveTranscript)
      }
    }
    let session = LanguageModelSession(profile: Failing(model: ScriptedModel.saying("Yes")))
    await #expect(throws: Failure.self) { try await session.respond(to: "?") }
    #expect(session.transcript.texts == ["?", "Yes"])
    session.transcriptErrorHandlingPolicy = .revertTranscript
    await #expect(throws: Failure.self) { try await session.respond(to: "!") }
    #expect(session.transcript.texts == ["?", "Yes"])
  }

  @Test func modifiersOfOnesOwnCanBeMade() async throws {
    struct Careful: LanguageModelSession.DynamicProfileModifier {
      func body(content: Content) -> some DynamicProfile { content.temperature(0) }
    }
    struct Kind: DynamicProfile {
      let model: ScriptedModel
      var body: some DynamicProfile {
        Profile { Instructions("Be kind.") }.model(model).modifier(Careful())
      }
    }
    let model = ScriptedModel.saying("Yes")
    try await LanguageModelSession(profile: Kind(model: model)).respond(to: "?")
    #expect(model.requests.first?.generationOptions.temperature == 0)
    #expect(model.requests.first?.transcript.texts == ["Be kind.", "?"])
  }

  @MainActor @Test func hooksRunWhereTheyWereWritten() async throws {
    let model = ScriptedModel.saying("Yes")
    var seen: [String] = []
    let profile = Profile { Instructions("Be kind.") }.model(model).onPrompt { prompt in
      MainActor.assertIsolated()
      seen.append(prompt.description)
    }
    let session = LanguageModelSession(profile: profile)
    try await session.respond(to: "?")
    #expect(seen == ["?"])
  }

  /// A profile that only the main actor can ask.
  @MainActor private final class Screen: @MainActor DynamicProfile {
    let model: ScriptedModel
    var title = "Start"

    init(model: ScriptedModel) { self.model = model }

    var body: some DynamicProfile {
      Profile { Instructions("The screen is \(title).") }.model(model)
    }
  }

  @MainActor @Test func aProfileIsAskedWhereItsSessionWasMade() async throws {
    let model = ScriptedModel.saying("Yes")
    let screen = Screen(model: model)
    let session = LanguageModelSession(profile: screen)
    screen.title = "Booking"
    try await session.respond(to: "?")
    #expect(model.requests.first?.transcript.texts == ["The screen is Booking.", "?"])
  }

  @Test func outsideOfARequestAPropertyHasItsDefault() {
    let tool = MoodTool()
    tool.mood = "busy"
    #expect(tool.mood == "calm")
  }

  @Test func propertiesCanBeObserved() {
    let session = LanguageModelSession(model: ScriptedModel.saying("Yes"))
    let changes = Counter()
    withObservationTracking {
      #expect(session.properties.mood == "calm")
    } onChange: {
      changes.increment()
    }
    session.properties.mood = "busy"
    #expect(changes.count == 1)
  }
}
