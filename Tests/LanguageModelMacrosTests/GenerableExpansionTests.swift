import Testing

@Suite struct GenerableExpansionTests {
  /// Whether the expansion of `source` has `parts`, blanks aside, and nothing was reported.
  private func expect(
    _ source: String, has parts: String..., location: SourceLocation = #_sourceLocation
  ) {
    let expansion = Expansion(source)
    #expect(expansion.problems == [], sourceLocation: location)
    for part in parts {
      #expect(
        expansion.words.contains(Expansion.words(part)), "\(part)\nin\n\(expansion.source)",
        sourceLocation: location)
    }
  }

  @Test func propertiesKeepTheirOrderAndGuides() {
    expect(
      """
      @Generable(description: "A cat")
      struct Cat {
        @Guide(description: "Made up", .anyOf(["a", "b"]))
        var name: String
        @Guide(.range(0...20)) @Guide(description: "In years")
        var age: Int
      }
      """,
      has: """
        LanguageModels.GenerationSchema(
          type: Self.self,
          description: "A cat",
          properties: [
            LanguageModels.GenerationSchema.Property(name: "name", description: "Made up", \
        type: String.self, guides: [.anyOf(["a", "b"])]),
            LanguageModels.GenerationSchema.Property(name: "age", description: "In years", \
        type: Int.self, guides: [.range(0...20)]),
          ]
        )
        """)
  }

  @Test func severalGuidesOfAPropertyHoldTogether() {
    expect(
      """
      @Generable struct A {
        @Guide(description: "One", .minimum(1)) @Guide(.maximum(9)) @Guide(description: two)
        var a: Int
      }
      """,
      has: #"""
        Property(name: "a", description: ["One", two].joined(separator: " "), \#
        type: Int.self, guides: [.minimum(1), .maximum(9)])
        """#)
  }

  /// What an extension begins with, what the type in it begins with, and what its members are.
  @Test(arguments: [
    ("public ", "", "public "), ("public ", "internal ", ""), ("", "public ", "public "),
    ("package ", "", "package "), ("private ", "", ""), ("", "", ""),
  ])
  func theExtensionAroundATypeSaysWhoSeesIt(_ around: String, _ own: String, _ access: String) {
    expect(
      "\(around)extension Outer {\n@Generable \(own)struct A {\nvar a: Int\n}\n}",
      has: "}\(access)nonisolated static var generationSchema",
      "}\(access)nonisolated struct PartiallyGenerated",
      "throws{self.a = try content.value(forProperty: \"a\")}\(access)var generatedContent")
    // Only the extension right around it counts.
    expect(
      "\(around)extension Outer {\nstruct B {\n@Generable struct A {\nvar a: Int\n}\n}\n}",
      has: "}nonisolated static var generationSchema")
  }

  @Test func rawValuesAreStringsUnderAnyNameOfTheType() {
    expect(
      "@Generable enum A: Name { case a = \"first one\", b }",
      has: "anyOf:[Self.a.rawValue,Self.b.rawValue]")
    expect("@Generable enum A: Character { case a = \"x\" }", has: "anyOf:[\"a\"]")
    expect("@Generable enum A: Int { case a = 1, b }", has: "anyOf:[\"a\",\"b\"]")
  }

  @Test func typesMayNestAndContainThemselves() {
    expect(
      """
      @Generable struct A {
        var parts: [A]
        var b: B
        @Generable indirect enum B { case leaf, node(A, [B]), only(B?) }
      }
      """,
      has: #"Property(name: "parts", type: [A].self)"#,
      "var parts: [A].PartiallyGenerated?",
      #".init("leaf"),"#,
      #".init("node", values: [LanguageModels.GenerationSchema.Property(name: "_0", type: A.self), "#,
      #".init("only", value: B?.self)"#,
      "nonisolated extension A: LanguageModels.Generable")
  }

  @Test func regularExpressionsBecomePatterns() {
    expect(
      #"@Generable struct A { @Guide(description: "x", /[A-Z]{3}/) var a: String }"#,
      has: "guides: [.pattern(/[A-Z]{3}/)]")
    expect(
      #"@Generable struct A { @Guide(Regex { "x" }) var a: String }"#,
      has: #"guides: [.pattern(Regex { "x" })]"#)
  }

  @Test func membersAreAsVisibleAsTheTypeAndItsProperties() {
    expect(
      """
      @Generable public struct A {
        public var a: String
        public var b: Int?
      }
      """,
      has: "public nonisolated init(a: String, b: Int? = nil)",
      "public nonisolated static var generationSchema",
      "public nonisolated struct PartiallyGenerated: Swift.Identifiable",
      "public var a: String.PartiallyGenerated?", "public var b: Int?.PartiallyGenerated?",
      "nonisolated extension A: LanguageModels.Generable",
      "public init(_ content: LanguageModels.GeneratedContent) throws",
      "public var generatedContent: LanguageModels.GeneratedContent")
    expect(
      "@Generable public struct A { var a: Secret; public var b: Int }",
      has: "nonisolated init(a: Secret, b: Int)",
      "var a: Secret.PartiallyGenerated?")
    #expect(
      !Expansion("@Generable public struct A { var a: Secret }").words
        .contains("publicnonisolatedinit"))
    expect(
      "@Generable package struct A { package var a: B = B.standard() }",
      has: "nonisolated init(a: B = B.standard())")
  }

  @Test func defaultsAreThoseOfTheProperties() {
    expect(
      """
      @Generable struct A {
        var a = 5
        var b = -1.5
        var c = "x"
        var d = true
        var e: [Int] = []
        let f: String?
        var g: String!
      }
      """,
      has: """
        nonisolated init(a: Int = 5, b: Double = -1.5, c: String = "x", d: Bool = true, \
        e: [Int] = [], f: String?, g: String? = nil)
        """)
  }

  @Test func anInitialiserThatIsThereStays() {
    let expansion = Expansion(
      "@Generable struct A { var a: Int; init(a: Int) { self.a = a } }")
    #expect(!expansion.source.contains("nonisolated init"))
  }

  @Test func whatIsNotGeneratedIsNotInTheSchema() {
    let expansion = Expansion(
      """
      @Generable struct A {
        var id: GenerationID
        static var shared: Date? { nil }
        var sum: Date { Date() }
        let version: Date = Date()
        var seen: Int { didSet { print(seen) } }
      }
      """)
    #expect(expansion.problems == [])
    #expect(!expansion.source.contains("name: \"id\""))
    #expect(!expansion.source.contains("name: \"shared\""))
    #expect(!expansion.source.contains("name: \"sum\""))
    #expect(!expansion.source.contains("name: \"version\""))
    #expect(expansion.source.contains("name: \"seen\""))
    #expect(expansion.words.contains("id:self.id,uniquingKeysWith"))
  }

  @Test func severalNamesInOneDeclarationShareTheType() {
    expect(
      "@Generable struct A { var a, b: Int }", has: "nonisolated init(a: Int, b: Int)")
  }

  @Test func aPropertyCalledIdTakesTheIdentifiersPlace() {
    expect(
      "@Generable struct A { var id: String }",
      has: "struct PartiallyGenerated: Swift.Identifiable",
      "var id: String.PartiallyGenerated?")
    let expansion = Expansion("@Generable struct A { var id: [Int] }")
    #expect(!expansion.source.contains("Identifiable"))
  }

  @Test func aSendableTypeHasSendableParts() {
    expect(
      "@Generable public struct A: Sendable { var a: Int }",
      has: "Identifiable, LanguageModels.ConvertibleFromGeneratedContent, Swift.Sendable {")
  }

  @Test func quotedNamesKeepTheirQuotesInCodeOnly() {
    expect(
      "@Generable struct A { var `default`: Int }",
      has: #"Property(name: "default", type: Int.self)"#, "self.`default` = `default`")
    expect(
      "@Generable enum A { case `in`, out }",
      has: #"anyOf: ["in", "out"]"#,
      #"case .string("in") where content.isComplete: self = .`in`"#)
  }

  @Test func rawValuesOfOtherKindsThanTextAreNotSeen() {
    expect("@Generable enum A: Int { case low = 1, high = 9 }", has: #"anyOf: ["low", "high"]"#)
    expect(
      "@Generable enum A: String, Codable { case low = \"x\" }", has: "anyOf: [Self.low.rawValue]")
  }

  @Test func aTypeThatConformsAlreadyGetsTheMembersOnly() {
    let expansion = Expansion("@LanguageModels.Generable struct A { var a: Int }")
    #expect(expansion.problems == [])
  }

  @Test func aSessionPropertyHasAKeyOfItsOwn() {
    expect(
      "extension SessionPropertyValues { @SessionPropertyEntry var tone: Tone = .plain }",
      has: """
        private nonisolated enum __Key_tone: LanguageModels.SessionPropertyKey {
          static var defaultValue: Tone { .plain }
        }
        """,
      "get { self[__Key_tone.self] }", "set { self[__Key_tone.self] = newValue }")
  }
}
