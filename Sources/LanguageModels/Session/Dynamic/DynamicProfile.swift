extension LanguageModelSession {
  /// Who answers, with which instructions, tools and options: asked for anew at each request.
  ///
  /// A conforming type says in its ``body`` which profile holds now.
  @_typeEraser(AnyDynamicProfile)
  public protocol DynamicProfile {
    /// What the profile is made of.
    associatedtype Body: DynamicProfile

    /// The profile that holds now.
    @DynamicProfileBuilder var body: Body { get }

    /// A profile with instructions and tools.
    typealias Profile = LanguageModelSession.Profile
    /// A profile that changes.
    typealias DynamicProfile = LanguageModelSession.DynamicProfile
  }

  /// A profile with instructions and tools; modifiers say the rest.
  public struct Profile: DynamicProfile, ProfilePart {
    /// There is none.
    public typealias Body = Never

    private let instructions: any DynamicInstructions

    /// A profile with instructions and tools.
    public init(
      @DynamicInstructionsBuilder _ dynamicInstructions: () -> some DynamicInstructions
    ) {
      instructions = dynamicInstructions()
    }

    func add(to resolved: inout ResolvedProfile) { resolved.instructions.add(instructions) }
  }

  /// A profile of any type.
  public struct AnyDynamicProfile: DynamicProfile, ProfilePart {
    /// There is none.
    public typealias Body = Never

    private let profile: any DynamicProfile

    /// Forgets the type of a profile.
    public init(_ dynamicProfile: any DynamicProfile) { profile = dynamicProfile }

    /// Forgets the type of a profile.
    public init(erasing dynamicProfile: some DynamicProfile) { self.init(dynamicProfile) }

    func add(to resolved: inout ResolvedProfile) { resolved.add(profile) }
  }

  /// One of two profiles.
  public struct ConditionalDynamicProfile<
    TrueContent: DynamicProfile, FalseContent: DynamicProfile
  >: DynamicProfile, ProfilePart {
    /// There is none.
    public typealias Body = Never

    enum Branch {
      case trueContent(TrueContent)
      case falseContent(FalseContent)
    }

    let branch: Branch

    func add(to resolved: inout ResolvedProfile) {
      switch branch {
      case .trueContent(let content):
        resolved.path.append("true")
        resolved.add(content)
      case .falseContent(let content):
        resolved.path.append("false")
        resolved.add(content)
      }
    }
  }

  /// Makes a profile of the one statement of a body.
  @resultBuilder
  public struct DynamicProfileBuilder {
    /// The profile.
    public static func buildBlock<Content: DynamicProfile>(_ content: Content) -> Content {
      content
    }

    /// The branch of a condition that holds.
    public static func buildEither<TrueContent, FalseContent>(
      first content: TrueContent
    ) -> ConditionalDynamicProfile<TrueContent, FalseContent> {
      ConditionalDynamicProfile(branch: .trueContent(content))
    }

    /// The branch of a condition that does not hold.
    public static func buildEither<TrueContent, FalseContent>(
      second content: FalseContent
    ) -> ConditionalDynamicProfile<TrueContent, FalseContent> {
      ConditionalDynamicProfile(branch: .falseContent(content))
    }

    /// A profile that only some systems have.
    public static func buildLimitedAvailability(
      _ component: some DynamicProfile
    ) -> AnyDynamicProfile {
      AnyDynamicProfile(component)
    }
  }
}

/// A profile of instructions and tools whose type says that they can be sent.
struct InstructionsProfile<Content: DynamicInstructions>: LanguageModelSession.DynamicProfile,
  ProfilePart
{
  typealias Body = Never

  let instructions: Content

  func add(to resolved: inout ResolvedProfile) { resolved.instructions.add(instructions) }
}

extension Never: LanguageModelSession.DynamicProfile {}

extension LanguageModelSession.DynamicProfile where Body == Never {
  /// Not there: this profile is not made of others.
  public var body: Never { preconditionFailure("\(Self.self) has no body") }
}

/// A profile that is not made of others.
protocol ProfilePart {
  func add(to resolved: inout ResolvedProfile)
}
