public import Observation
internal import Foundation
internal import Synchronization

/// Names a property that a session has and gives its first value.
///
/// `@SessionPropertyEntry` on a variable in an extension of ``SessionPropertyValues`` makes one.
public protocol SessionPropertyKey: SendableMetatype {
  /// What the property is.
  associatedtype Value

  /// What the property is before it is set.
  static var defaultValue: Value { get }
}

/// What a session shares with its instructions, profiles and tools.
///
/// The values may be of types that are not `Sendable`. Each access is under a lock; a value that is
/// shared between tasks must stand that by itself, as it must with Apple's framework.
public final class SessionPropertyValues: @unchecked Sendable {
  private let lock = NSLock()
  private var values: [ObjectIdentifier: Any] = [:]
  private let registrar = ObservationRegistrar()
  private let session = Mutex(WeakSession())

  private struct WeakSession {
    weak var session: LanguageModelSession?
  }

  /// The values of the session that is at work in this task.
  @TaskLocal static var current: SessionPropertyValues?

  init() {}

  func belong(to owner: LanguageModelSession) {
    session.withLock { $0.session = owner }
  }

  /// How often a value was set: what observers observe.
  private var changeCount: Int { 0 }

  /// The value of a property.
  public subscript<Key: SessionPropertyKey>(key: Key.Type) -> Key.Value {
    get {
      registrar.access(self, keyPath: \.changeCount)
      return lock.withLock { values[ObjectIdentifier(key)] as? Key.Value } ?? Key.defaultValue
    }
    set {
      registrar.withMutation(of: self, keyPath: \.changeCount) {
        lock.withLock { values[ObjectIdentifier(key)] = newValue }
      }
    }
  }

  /// What was said in the session, without instructions.
  public var history: ArraySlice<Transcript.Entry> {
    get { session.withLock { $0.session }?.transcript.history ?? [] }
    set { session.withLock { $0.session }?.transcript.history = newValue }
  }
}

extension SessionPropertyValues: Observable {}

extension LanguageModelSession {
  /// A property of the session that asks: for instructions, profiles, modifiers and tools.
  ///
  /// Outside of a request it has its default value, and setting it has no effect.
  @propertyWrapper
  public struct SessionProperty<Value> {
    private let keyPath: ReferenceWritableKeyPath<SessionPropertyValues, Value>

    /// A property of ``SessionPropertyValues``.
    public init(_ keyPath: ReferenceWritableKeyPath<SessionPropertyValues, Value>) {
      self.keyPath = keyPath
    }

    /// The value in the session that asks.
    public var wrappedValue: Value {
      get { (SessionPropertyValues.current ?? SessionPropertyValues())[keyPath: keyPath] }
      nonmutating set { SessionPropertyValues.current?[keyPath: keyPath] = newValue }
    }
  }
}

// A key path of properties holds nothing but their names. One with a subscript could hold an index
// that is not safe to share; session properties are read by key paths of properties.
extension LanguageModelSession.SessionProperty: @unchecked Sendable where Value: Sendable {}

extension DynamicInstructions {
  /// A property of the session that asks.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension Tool {
  /// A property of the session that asks.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfile {
  /// A property of the session that asks.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfileModifier {
  /// A property of the session that asks.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}
