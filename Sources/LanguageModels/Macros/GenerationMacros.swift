#if HEARTH_MACROS
public import _StringProcessing

/// Makes a structure or an enumeration ``Generable``.
/// - Parameter description: What the model is told about the type.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: arbitrary)
public macro Generable(description: String? = nil) =
  #externalMacro(module: "LanguageModelMacroPlugin", type: "GenerableMacro")

/// Makes a structure or an enumeration ``Generable``.
/// - Parameters:
///   - description: What the model is told about the type.
///   - representNilExplicitlyInGeneratedContent: Whether optional properties without a value are
///     there as null; otherwise they are left out.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: arbitrary)
public macro Generable(
  description: String? = nil, representNilExplicitlyInGeneratedContent: Bool
) = #externalMacro(module: "LanguageModelMacroPlugin", type: "GenerableMacro")

/// Makes a structure or an enumeration ``Generable`` under a name of its own.
/// - Parameters:
///   - name: What the model sees as the name of the type.
///   - description: What the model is told about the type.
///   - representNilExplicitlyInGeneratedContent: Whether optional properties without a value are
///     there as null; otherwise they are left out.
@attached(extension, conformances: Generable, names: named(init(_:)), named(generatedContent))
@attached(member, names: arbitrary)
public macro Generable(
  name: String, description: String? = nil, representNilExplicitlyInGeneratedContent: Bool = false
) = #externalMacro(module: "LanguageModelMacroPlugin", type: "GenerableMacro")

/// Tells the model what a property is for.
@attached(peer)
public macro Guide(description: String) =
  #externalMacro(module: "LanguageModelMacroPlugin", type: "GuideMacro")

/// Tells the model what a property is for, and which rules its values follow.
@attached(peer)
public macro Guide<T: Generable>(description: String? = nil, _ guides: GenerationGuide<T>...) =
  #externalMacro(module: "LanguageModelMacroPlugin", type: "GuideMacro")

/// Tells the model what a property is for, and which regular expression its values match.
@attached(peer)
public macro Guide<RegexOutput>(description: String? = nil, _ guides: Regex<RegexOutput>) =
  #externalMacro(module: "LanguageModelMacroPlugin", type: "GuideMacro")

/// Stores a property that is declared in an extension of ``SessionPropertyValues``.
@attached(accessor)
@attached(peer, names: prefixed(__Key_))
public macro SessionPropertyEntry() =
  #externalMacro(module: "LanguageModelMacroPlugin", type: "SessionPropertyEntryMacro")
#endif
