import Testing

@Suite struct MacroProblemTests {
  @Test(arguments: [
    ("class", "class A { var a: Int = 1 }"), ("actor", "actor A { var a: Int = 1 }"),
    ("protocol", "protocol A {}"),
  ])
  func onlyStructuresAndEnumerationsAreGenerable(kind: String, source: String) {
    #expect(
      Expansion("@Generable\nfinal \(source)").problems
        == ["2:7: @Generable works on structures and enumerations only"])
  }

  @Test func genericTypesAreRefused() {
    #expect(
      Expansion("@Generable\nstruct A<T: Generable> {\n  var a: T\n}").problems
        == ["2:9: a generic type cannot be @Generable; write one type for each use"])
    #expect(
      Expansion("@Generable\nenum A<T> { case a(T) }").problems
        == ["2:7: a generic type cannot be @Generable; write one type for each use"])
  }

  /// The type of a property, and what is reported at it.
  @Test(arguments: [
    (
      "[String: Int]",
      "a dictionary cannot be generated; use an array of structures with a key and a value"
    ),
    (
      "Dictionary<String, Int>",
      "a dictionary cannot be generated; use an array of structures with a key and a value"
    ),
    ("(Int, Int)", "a tuple cannot be generated; use a structure with @Generable"),
    ("() -> Int", "a function cannot be generated"),
    ("any Generable", "any Generable cannot be generated; name a type that is Generable"),
    ("Any", "Any cannot be generated; name a type that is Generable"),
    ("Int.Type", "a metatype cannot be generated"),
    ("Date", "Date cannot be generated; use String with a pattern, and convert it"),
    ("URL", "URL cannot be generated; use String, and convert it"),
    ("Set<Int>", "Set cannot be generated; use an array"),
    ("UInt8", "UInt8 cannot be generated; use Int, with a range if it must fit"),
    ("Character", "Character cannot be generated; use String"),
    ("Int??", "an optional of an optional cannot be generated"),
  ])
  func typesThatCannotBeGeneratedAreRefusedWhereTheyStand(type: String, message: String) {
    let source = """
      @Generable
      struct A {
        var fine: Int
        var bad: \(type)
      }
      """
    #expect(Expansion(source).problems == ["4:12: \(message)"])
  }

  @Test(arguments: [
    ("[Date]", 13), ("Date?", 12), ("[[Date]]", 14), ("Optional<Date>", 21), ("[Date]?", 13),
    ("Array<Date>", 18), ("(Date)", 13),
  ])
  func theyAreFoundInsideOtherTypes(type: String, column: Int) {
    let source = "@Generable\nstruct A {\n  var bad: \(type)\n}"
    #expect(
      Expansion(source).problems
        == ["3:\(column): Date cannot be generated; use String with a pattern, and convert it"])
  }

  @Test(arguments: ["[Int?]", "[Int]?", "Int?", "String!", "Foundation.Date", "My.Own", "((Int))"])
  func otherTypesAreLeftToTheCompiler(type: String) {
    let problems = Expansion("@Generable struct A { var a: \(type) }").problems
    #expect(
      problems
        == (type == "[Int?]"
          ? ["1:31: an array of optionals cannot be generated; leave the missing elements out"]
          : []))
  }

  @Test func everyProblemIsReported() {
    let source = """
      @Generable
      struct A {
        var a: Date
        var b = makeOne()
        lazy var c: Int = 1
        var (d, e): (Int, Int) = (1, 2)
        #if DEBUG
        var f: Int
        #endif
      }
      """
    #expect(
      Expansion(source).problems == [
        "3:10: Date cannot be generated; use String with a pattern, and convert it",
        "4:7: a property of a @Generable type needs a type, as in “b: String”",
        "5:3: a lazy property cannot be generated; compute it, or give it a value",
        "6:7: a property of a @Generable type needs a declaration of its own",
        "7:3: a property of a @Generable type cannot stand inside #if",
      ])
  }

  /// A guide, the type it stands at, and what is reported there.
  @Test(arguments: [
    (".range(1...3)", "String", "the guide “range” is for a number; String is a text"),
    (".minimum(1)", "String?", "the guide “minimum” is for a number; String? is a text"),
    (".count(2)", "String", "the guide “count” is for an array; String is a text"),
    (".anyOf(choices)", "Int", "the guide “anyOf” is for a text; Int is a number"),
    ("/[0-9]+/", "Double", "the guide “pattern” is for a text; Double is a number"),
    (".verbatim", "Decimal", "the guide “verbatim” is for a text; Decimal is a number"),
    (".maximum(1)", "Bool", "the guide “maximum” is for a number; Bool is true or false"),
    (".range(1...3)", "[Int]", "the guide “range” is for a number; [Int] is an array"),
  ])
  func aGuideThatDoesNotFitIsRefusedWhereItStands(guide: String, type: String, message: String) {
    let source = """
      @Generable
      struct A {
        @Guide(description: "x")
        @Guide(\(guide))
        var a: \(type)
      }
      """
    #expect(Expansion(source).problems == ["4:10: \(message)"])
  }

  @Test(arguments: [
    (".range(1...3)", "Int?"), (".element(.anyOf(names))", "[String]"), (".count(2)", "[[Int]]"),
    (".constant(\"x\")", "String"), (".range(1...3)", "Own"), ("Own.guide", "String"),
    ("guide", "Bool"), (".own", "Int"), (".count(2)", "Names"),
    (".maximum(2)", "Foundation.Decimal"),
    (".verbatim(in: text)", "String!"),
  ])
  func otherGuidesAreLeftToTheCompiler(guide: String, type: String) {
    #expect(Expansion("@Generable struct A {\n@Guide(\(guide)) var a: \(type)\n}").problems == [])
  }

  @Test func aPropertyCannotBeCalledSelf() {
    #expect(
      Expansion("@Generable\nstruct A {\n  var `self`: Int\n}").problems
        == ["3:7: a property called “self” cannot be generated; give it another name"])
  }

  @Test func valuesOfCasesAreChecked() {
    let source = """
      @Generable
      enum A {
        case a(Int, when: Date)
        case b(id: GenerationID)
      }
      """
    #expect(
      Expansion(source).problems == [
        "3:21: Date cannot be generated; use String with a pattern, and convert it",
        "4:14: GenerationID stands in structures only",
      ])
    #expect(Expansion("@Generable\nenum A {}").problems == ["2:6: there is no case to generate"])
  }

  @Test func aGuideNeedsAStoredVariable() {
    let source = """
      struct A {
        @Guide(description: "x") var a: Int { 1 }
        @Guide(description: "x") static var b = 1
        @Guide(description: "x") func c() {}
        @Guide(description: "x") let d = 1
        @Guide(description: "x") let e: Int
      }
      enum B {
        @Guide(description: "x") case a
      }
      """
    #expect(
      Expansion(source).problems == [
        "2:3: @Guide works on stored properties only",
        "3:3: @Guide works on stored properties only",
        "4:3: @Guide works on stored properties only",
        "5:3: a constant that has its value is not generated; use var",
        "9:3: @Guide works on stored properties only",
      ])
  }

  @Test func anIdentifierTakesNoGuide() {
    let source = """
      @Generable
      struct A {
        @Guide(description: "x")
        var id: GenerationID
        var a: Int
      }
      """
    #expect(
      Expansion(source).problems
        == ["3:3: no model generates a GenerationID, so it takes no guide"])
  }

  @Test func problemsOfNestedTypesAreTheirOwn() {
    let source = """
      @Generable
      struct A {
        var b: B
        @Generable
        struct B {
          var bad: Date
          @Generable
          enum C { case a([String: Int]) }
        }
        @Generable
        class D {}
      }
      """
    #expect(
      Expansion(source).problems.sorted() == [
        "11:3: @Generable works on structures and enumerations only",
        "6:14: Date cannot be generated; use String with a pattern, and convert it",
        "8:21: a dictionary cannot be generated; use an array of structures with a key and a value",
      ])
  }

  @Test func casesInsideConditionsAreRefused() {
    let source = "@Generable\nenum A {\n  case a\n  #if DEBUG\n  case b\n  #endif\n}"
    #expect(
      Expansion(source).problems
        == ["4:3: a case of a @Generable type cannot stand inside #if"])
  }

  @Test func aSessionPropertyNeedsTypeAndDefault() {
    let source = """
      extension SessionPropertyValues {
        @SessionPropertyEntry var a = 1
        @SessionPropertyEntry var b: Int
        @SessionPropertyEntry let c: Int = 1
        @SessionPropertyEntry var d: Int?
      }
      """
    #expect(
      Expansion(source).problems == [
        "2:29: a session property needs a type", "3:29: a session property needs a default value",
        "4:3: @SessionPropertyEntry works on a single var only",
      ])
  }
}
