internal import Inference
internal import Synchronization
internal import Tokenization

/// A talk of several turns; what was said stays in the KV cache, so a turn costs its own tokens.
public final class Conversation: Sendable {
  private let model: OnDeviceModel
  private let instructions: String?
  private let turns = Mutex<[ChatMessage]>([])

  /// A talk that has not begun.
  ///
  /// - Parameters:
  ///   - model: who answers.
  ///   - instructions: what the model is told about its task, if anything.
  public init(_ model: OnDeviceModel, instructions: String? = nil) {
    self.model = model
    self.instructions = instructions
  }

  /// The turns so far, prompts and responses.
  public var messages: [ChatMessage] { turns.withLock { $0 } }

  /// Forgets all turns; the instructions stay.
  public func reset() { turns.withLock { $0 = [] } }

  /// Says something and starts the answer.
  ///
  /// The turn is kept once its response has ended, also at a limit. A turn that is cancelled,
  /// fails or is dropped leaves no trace.
  ///
  /// - Throws: `InferenceError.contextSizeExceeded` with both numbers before any work,
  ///   `busy`, `invalidOption`; `PromptError.noTemplate`; `ChatTemplateError` when the template
  ///   refuses.
  public func send(
    _ prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> TextStream {
    let question = ChatMessage(role: .user, content: prompt)
    return try await model.answer(
      messages + [question], instructions: instructions, options
    ) { [weak self] text, reason in
      guard reason != .cancelled else { return }
      self?.turns.withLock { $0 += [question, ChatMessage(role: .assistant, content: text)] }
    }
  }
}

/// One message of a conversation.
public struct ChatMessage: Sendable, Equatable {
  /// Who speaks.
  public enum Role: String, Sendable {
    /// What the model is told about its task.
    case system
    /// The person.
    case user
    /// The model.
    case assistant
  }

  /// Who speaks.
  public var role: Role
  /// What is said.
  public var content: String

  /// A message.
  public init(role: Role, content: String) {
    self.role = role
    self.content = content
  }
}
