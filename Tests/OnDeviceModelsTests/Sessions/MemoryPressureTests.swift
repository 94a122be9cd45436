import Foundation
import Inference
import LanguageModels
import OnDeviceModels
import Synchronization
import Testing

/// Models that are loaded while the system runs short of memory.
@Suite struct MemoryPressureTests {
  /// A system whose memory is short when a test says so.
  private final class System: Sendable {
    private let state = Mutex((isShort: false, looks: 0))

    var isShort: Bool {
      get { state.withLock { $0.isShort } }
      set { state.withLock { $0.isShort = newValue } }
    }

    var looks: Int { state.withLock { $0.looks } }

    /// What the watch asks.
    func look() -> Bool {
      state.withLock { state in
        state.looks += 1
        return state.isShort
      }
    }

    /// Returns when the watch has asked twice more, so that what the first answer brought is done.
    func haveLooked() async throws {
      let wanted = looks + 2
      while looks < wanted { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  private let system = System()
  private let hosts: ModelHosts

  init() {
    hosts = ModelHosts(
      pressure: MemoryPressure(every: .milliseconds(1)) { [system] in system.look() })
  }

  private func model(contextSize: Int = 256) -> OnDeviceLanguageModel {
    OnDeviceLanguageModel(
      file: TinyModel.path,
      options: .init(contextSize: contextSize, threads: 1, sampling: .greedy, template: .chatML),
      hosts: hosts)
  }

  @Test func idleModelsGoAndAreLoadedAgain() async throws {
    let (first, second) = (model(), model(contextSize: 257))
    let sessions = [first, second].map { LanguageModelSession(model: $0) }
    for session in sessions { try await session.respond(to: "hello", options: atMost(2)) }
    try await system.haveLooked()
    #expect(first.isLoaded && second.isLoaded)
    system.isShort = true
    while first.isLoaded || second.isLoaded { try await Task.sleep(for: .milliseconds(1)) }
    system.isShort = false
    // The watch ends with the last model, and begins anew with the next one.
    while hosts.isWatching { try await Task.sleep(for: .milliseconds(1)) }
    let again = try await sessions[0].respond(to: "more", options: atMost(2))
    #expect(again.usage.input.cachedTokenCount == 0 && sessions[0].transcript.count == 4)
    #expect(first.isLoaded && !second.isLoaded)
    system.isShort = true
    while first.isLoaded { try await Task.sleep(for: .milliseconds(1)) }
    // A session keeps its model from making room for those of other tests.
    withExtendedLifetime(sessions) {}
  }

  /// A response that has begun, with memory short since then.
  private func streamUnderPressure(
    _ session: LanguageModelSession
  ) async throws -> LanguageModelSession.ResponseStream<String>.AsyncIterator {
    var stream = session.streamResponse(to: "hello", options: atMost(40)).makeAsyncIterator()
    _ = try await stream.next()
    system.isShort = true
    try await system.haveLooked()
    return stream
  }

  @Test func aModelInUseStaysUntilItsResponseIsWhole() async throws {
    let model = model()
    let session = LanguageModelSession(model: model)
    var stream = try await streamUnderPressure(session)
    #expect(model.isLoaded)
    while try await stream.next() != nil {}
    while model.isLoaded { try await Task.sleep(for: .milliseconds(1)) }
    #expect(session.transcript.count == 2)
  }

  @Test func aModelInUseIsKeptIfMemoryIsBackBeforeItsResponseIsWhole() async throws {
    let model = model()
    let session = LanguageModelSession(model: model)
    var stream = try await streamUnderPressure(session)
    system.isShort = false
    try await system.haveLooked()
    while try await stream.next() != nil {}
    try await system.haveLooked()
    #expect(model.isLoaded)
    let next = try await session.respond(to: "more", options: atMost(2))
    #expect(next.usage.input.cachedTokenCount > 0)
  }

  @Test func nobodyIsAskedWhereNothingIsLoaded() async throws {
    let model = model()
    let session = LanguageModelSession(model: model)
    try await session.respond(to: "hello", options: atMost(2))
    try await system.haveLooked()
    #expect(model.release())
    while hosts.isWatching { try await Task.sleep(for: .milliseconds(1)) }
    let looks = system.looks
    try await Task.sleep(for: .milliseconds(50))
    #expect(system.looks == looks)
  }
}
