import Testing
import Tokenization

/// Renders one template with variables given as JSON.
func renderTemplate(
  _ source: String, _ variables: String = "{}", limits: ChatTemplateLimits = ChatTemplateLimits()
) throws -> String {
  let template = try ChatTemplate(source: source, limits: limits)
  return try template.render(templateInput(variables))
}

/// An input without messages, with variables given as JSON and a fixed time.
func templateInput(_ variables: String = "{}") throws -> ChatTemplateInput {
  let now = try #require(CivilTime(iso8601: "2026-01-15T09:30:00"))
  var input = ChatTemplateInput(messages: [], clock: .fixed(now))
  input.variables = try #require(OrderedJSON(parsing: variables).objectValue)
  return input
}

@Suite("Chat templates: expressions")
struct ChatTemplateExpressionTests {
  @Test("Expressions print what Python prints", arguments: ChatTemplateExpressionCases.all)
  func printsAsPython(_ expression: String, _ expected: String) throws {
    let text = try renderTemplate("{{ \(expression) }}", ChatTemplateExpressionCases.variables)
    #expect(Array(text.utf8) == Array(expected.utf8), "\(text)")
  }

  @Test(
    "Operations that Python refuses are errors of evaluation",
    arguments: [
      "1 // 0", "1 % 0", "1.0 / 0", "0 ** -1", "'a' + 1", "[1] + (2,)", "1 + none", "'x' - 'y'",
      "1 < 'a'", "none < 1", "1 in 'abc'", "l[::0]", "(1)[1:]", "d[1:]", "s.split('')",
      "s.index('zz')", "l.index(99)", "','.join([1])", "'%d' % 'a'", "'%s %s' % 'a'",
      "'%s' % (1, 2)", "'{} {}'.format(1)", "range(1, 2, 0)", "range('a')", "[1, 'a'] | sort",
      "'x' | abs", "l | items", "d.items() | tojson", "range(3) | tojson", "a()", "d.get()",
      "{[1]: 2}", "l | map('string') | length", "a | nosuchfilter", "a is nosuchtest",
      "l | map('nosuch') | list", "l | select('nosuch') | list", "a is defined(1)", "a | upper(1)",
      "9223372036854775807 + 1", "-9223372036854775807 - 2", "4611686018427387904 * 2", "3 ** 99",
      "10.0 ** 400", "(-8) ** 0.5", "1e400 | int",
    ])
  func refusesAsPython(_ expression: String) throws {
    do {
      let text = try renderTemplate("{{ \(expression) }}", ChatTemplateExpressionCases.variables)
      Issue.record("rendered \(text)")
    } catch let error as ChatTemplateError {
      switch error {
      case .evaluation, .syntax: break
      default: Issue.record("\(error)")
      }
    }
  }

  @Test(
    "Using a missing value is an error that names it",
    arguments: [
      ("nope + 1", "'nope' is undefined"), ("1 + nope", "'nope' is undefined"),
      ("nope.x", "'nope' is undefined"), ("nope()", "'nope' is undefined"),
      ("d.nope.more", "'dict object' has no attribute 'nope'"),
      ("s.nope()", "'str object' has no attribute 'nope'"), ("nope | int", "'nope' is undefined"),
      ("nope | tojson", "'nope' is undefined"), ("nope < 1", "'nope' is undefined"),
      ("-nope", "'nope' is undefined"), ("nope in 'abc'", "'nope' is undefined"),
      ("([] | first).x", "there is no first item, the sequence is empty"),
    ])
  func namesMissingValues(_ expression: String, _ reason: String) throws {
    #expect {
      try renderTemplate("{{ \(expression) }}", ChatTemplateExpressionCases.variables)
    } throws: { error in
      guard case .undefined(reason, _)? = error as? ChatTemplateError else { return false }
      return true
    }
  }

  @Test("What a filter yields can be gone through once")
  func iteratorsEnd() throws {
    let text = try renderTemplate(
      "{% set g = [1, 2] | map('string') %}{{ g | first }}{{ g | list }}{{ g | list }}")
    #expect(text == "1['2'][]")
  }

  @Test("Numbers are integers or doubles as the input wrote them")
  func numbersKeepTheirKind() throws {
    #expect(
      try renderTemplate("{{ x }} {{ y }} {{ x | tojson }}", #"{"x": 2, "y": 2.0}"#) == "2 2.0 2")
  }

  @Test("The clock is the caller's")
  func formatsTime() throws {
    // Made by Python's datetime.
    let formats =
      "%Y-%m-%d %H:%M:%S %A %a %B %b %-d %e %j %U %W %V %G %u %w %y %I %p %-I %% %D %F %T"
    #expect(
      try renderTemplate("{{ strftime_now('\(formats)') }}")
        == "2026-01-15 09:30:00 Thursday Thu January Jan 15 15 015 02 02 03 2026 4 4 26 09 AM 9 % "
        + "01/15/26 2026-01-15 09:30:00")
  }

  @Test(
    "Weeks and days of the year are those of the calendar",
    arguments: [
      ("2021-01-03", "003 53 2020 7 01 00"), ("2024-12-30", "365 01 2025 1 52 53"),
      ("2000-02-29", "060 09 2000 2 09 09"), ("1999-12-31", "365 52 1999 5 52 52"),
    ])
  func countsWeeks(_ day: String, _ expected: String) throws {
    let time = try #require(CivilTime(iso8601: day))
    #expect(time.formatted("%j %V %G %u %U %W") == expected)
  }

  @Test(
    "A malformed time is none",
    arguments: [
      "", "2026", "2026-13-01", "2026-02-30", "2026-01-01T25:00", "2026-01-01T1", "x-y-z",
    ])
  func refusesMalformedTimes(_ text: String) {
    #expect(CivilTime(iso8601: text) == nil)
  }
}
