import Foundation
import TestSupport
import Testing

/// What a person or program sees that talks to the command line by line.
@Suite(.timeLimit(.minutes(2))) struct InteractiveTests {
  /// A running `hearth` whose input stays open.
  private final class Talk {
    let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()

    init(_ words: [String]) throws {
      process.executableURL = try Command.found()
      process.arguments = words
      process.standardInput = input
      process.standardOutput = output
      process.standardError = errors
      try process.run()
    }

    func say(_ text: String) throws {
      try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func close() throws { try input.fileHandleForWriting.close() }

    /// Reads standard output until it holds `text`.
    func hear(_ text: String) -> String { read(output, until: text) }

    /// Reads standard error until it holds `text`.
    func note(_ text: String) -> String { read(errors, until: text) }

    /// Passes over what standard output holds now.
    func drain() {
      let descriptor = output.fileHandleForReading.fileDescriptor
      let flags = fcntl(descriptor, F_GETFL)
      _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
      var buffer = [UInt8](repeating: 0, count: 4096)
      while unsafe Foundation.read(descriptor, &buffer, buffer.count) > 0 {}
      _ = fcntl(descriptor, F_SETFL, flags)
    }

    private func read(_ pipe: Pipe, until text: String) -> String {
      var heard = ""
      while !heard.contains(text) {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { return heard }
        heard += String(decoding: data, as: UTF8.self)
      }
      return heard
    }
  }

  @Test func everyLineIsAnsweredBeforeTheNextIsThere() throws {
    let talk = try Talk(["tokenize", "--model", Command.tinyModel("llama")])
    for _ in 0..<3 {
      try talk.say("{\"text\":\"hi\"}\n")
      #expect(talk.hear("\n").hasPrefix("{\"ids\":["))
    }
    try talk.close()
    talk.process.waitUntilExit()
    #expect(talk.process.terminationStatus == 0)
  }

  @Test(
    .serialized, .enabled(if: TestData.isRelease, "skipped: a debug build writes for minutes"),
    arguments: [SIGTERM, SIGINT, SIGHUP])
  func aSignalLeavesNothingOfAFileHalfWritten(_ signal: Int32) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "out.gguf").path(percentEncoded: false)
    let talk = try Talk(["random-model", "1.1b", output, "Q8_0"])
    #expect(talk.note("[3/").contains("[3/"))
    kill(talk.process.processIdentifier, signal)
    talk.process.waitUntilExit()
    #expect(talk.process.terminationReason == .exit)
    #expect(talk.process.terminationStatus == 128 + signal)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
  }

  private static let model = TestData.model("SmolLM2-135M-Instruct.Q4_1.gguf")

  @Test(
    .enabled(
      if: TestData.isRelease && model != nil, "skipped: needs a release build and the default model"
    ))
  func controlCEndsTheResponseInEveryTurnAndTheTalkGoesOn() throws {
    let path = try #require(Self.model).path(percentEncoded: false)
    let talk = try Talk(["chat", "--temperature", "0", "--model", path])
    for _ in 0..<3 {
      try talk.say("Write a long story about a cat and a dog.\n")
      // The response has begun as soon as a word of it is there; a whole one takes seconds.
      #expect(talk.hear(" ").contains(" "))
      kill(talk.process.processIdentifier, SIGINT)
      #expect(talk.note("]").contains("cancelled; this turn is not kept"))
      // The note comes after the last word; the next one is of the next turn.
      talk.drain()
    }
    try talk.close()
    talk.process.waitUntilExit()
    #expect(talk.process.terminationStatus == 0)
  }
}
