import Testing
import Tokenization

/// Templates made to take long: each ends at the limit of steps, whatever a single step touches.
@Suite("Chat templates: hostile work")
struct ChatTemplateHostileTests {
  /// A text of a hundred thousand bytes, made in few steps.
  private static let long = "{% set s = 'aB' * 50000 %}"
  /// A text whose origin changes with every byte.
  private static let mixed =
    "{% set ns = namespace(s=c ~ 'x') %}"
    + "{% for i in range(17) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"

  private static func forever(_ body: String, after setup: String = "") -> String {
    setup + "{% for i in range(100000) %}\(body){% endfor %}"
  }

  private static func variables(_ count: Int) -> String {
    (0..<count).map { "{% set v\($0) = 1 %}" }.joined()
  }

  private static func entries(_ count: Int) -> String {
    "{" + (0..<count).map { "'k\($0)': 1" }.joined(separator: ", ") + "}"
  }

  static let sources: [(name: String, source: String)] =
    // What is done to a long text, again and again.
    [
      "s | length", "s | int", "s | float", "s | wordcount", "s | urlencode | length",
      "s | e | length", "s | forceescape | length", "s | truncate(9)", "s is upper", "s is filter",
      "s.find('x', 1)", "s.strip(s)", "'a'.strip(s)", "'a'.find(s)", "d[s]", "d.get(s)", "s in d",
      "{s: 1} | length", "[s] | unique | list | length", "[s, s] | sort | length",
      "s.expandtabs(1)",
      "s.splitlines() | length", "'%.1s' % s", "'{:.1}'.format(s)", "s | indent(1) | length",
      "[s] | string | length", "[s] | tojson | length", "[s, s] | min | length", "[[s]] == [[s]]",
      "'1'.zfill(2) ~ s.center(9) | length", "strftime_now(s) | length", "(s | e) + '<'",
      "s.startswith(('x', s))", "s | reverse | length", "s[::2] | length", "s[-1]", "s | first ~ s",
      "s | title | length", "s.swapcase() | length", "s | upper | length", "s.rsplit('B') | length",
      "s | batch(2) | list | length",
    ].map { ($0, forever("{{ \($0) }}", after: long + "{% set d = \(entries(12)) %}")) }
    + [
      ("many variables", forever(variables(20_000))),
      (
        "deep scopes",
        String(repeating: "{% with %}\(variables(9))", count: 40)
          + forever(String(repeating: "{{ nope }}", count: 50))
          + String(repeating: "{% endwith %}", count: 40)
      ),
      (
        "a key of tuples in tuples",
        "{% set ns = namespace(a=(1,)) %}{% for i in range(60) %}{% set ns.a = (ns.a, ns.a) %}"
          + "{% endfor %}{{ {ns.a: 1} }}"
      ),
      (
        "many named arguments",
        "{% macro m() %}{{ kwargs | length }}{% endmacro %}{% set d = \(entries(20_000)) %}"
          + forever("{{ m(**d) }}")
      ),
      (
        "many parameters",
        "{% macro m(\((0..<20_000).map { "p\($0)=0" }.joined(separator: ", "))) %}{% endmacro %}"
          + forever("{{ m() }}{{ m.arguments | length }}")
      ),
      (
        "many fields of a format",
        "{% set d = \(entries(20_000)) %}{% set f = '{k19999}' * 20000 %}"
          + forever("{{ f.format_map(d) | length }}")
      ),
      ("the loop as a list", "{% for i in range(100000) %}{{ loop | list | length }}{% endfor %}"),
      (
        "a long path of attributes",
        "{% set p = ('a.' * 20000) ~ 'a' %}"
          + forever("{{ l | map(attribute=p, default={}) | list | length }}")
      ),
      ("parts of a text of many origins", mixed + forever("{{ ns.s.split('x') | length }}")),
      ("wide indents", "{% set w = ' ' * 100000 %}" + forever("{{ deep | tojson(indent=w) }}")),
      (
        "wide separators",
        "{% set w = ',' * 100000 %}" + forever("{{ l | tojson(separators=(w, w)) | length }}")
      ),
    ]

  @Test("Work that grows with what it touches ends", .timeLimit(.minutes(1)), arguments: sources)
  func ends(_ name: String, _ source: String) throws {
    var limits = ChatTemplateLimits()
    limits.steps = 20_000
    limits.outputBytes = 1 << 22
    let input =
      #"{"c": "c", "deep": [[[[[[[[1]]]]]]]], "l": [\#(String(repeating: "1,", count: 999))1]}"#
    #expect {
      try renderTemplate(source, input, limits: limits)
    } throws: { error in
      switch error as? ChatTemplateError {
      case .limitExceeded(.steps, _), .limitExceeded(.outputBytes, _): true
      default: false
      }
    }
  }

  @Test(
    "Changing the case of a long text takes time in proportion to its length",
    .timeLimit(.minutes(1)))
  func changesCaseOfLongTexts() throws {
    let source = """
      {%- set s = 'aé' * 100000 -%}
      {{ (s | title)[:4] }} {{ s.swapcase()[:2] }} {{ (s | upper)[-2:] }} {{ (s | lower)[-2:] }} \
      {{ (s | urlencode)[:7] }} {{ ([s] | string)[:4] }} {{ (('<é' * 100000) | e)[:5] }}
      """
    #expect(try renderTemplate(source) == "Aéaé AÉ AÉ aé a%C3%A9 ['aé &lt;é")
  }

  @Test("A cancelled task ends rendering")
  func looksAtCancellation() async throws {
    var limits = ChatTemplateLimits()
    limits.steps = .max
    let endless = try ChatTemplate(
      source: "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
      limits: limits)
    let task = Task { () throws in
      while !Task.isCancelled { await Task.yield() }
      return try endless.render(ChatTemplateInput(messages: []))
    }
    task.cancel()
    await #expect(throws: ChatTemplateError.cancelled) { try await task.value }
  }

  @Test("Parts of a text of many origins keep them")
  func cutsMixedTexts() throws {
    let template = try ChatTemplate(
      source: "{% set s = 'ab' ~ m ~ 'cd' ~ m ~ 'ef' %}{{ s[1:5] }}|{{ s[3:4] }}|{{ s[5:] }}|"
        + "{{ s.split('c') | last }}|{{ s[2:4] }}|{{ s[:0] }}|{{ s[-1] }}")
    var input = ChatTemplateInput(messages: [])
    input.variables = [.init("m", "12")]
    let parts = try template.renderFragments(input)
    // "ab12cd12ef": what came in is marked by brackets.
    let shown = parts.map { part in
      switch part {
      case .template(let text): text
      case .content(let text): "[\(text)]"
      }
    }
    #expect(shown.joined() == "b[12]c|[2]|d[12]ef|d[12]ef|[12]||f")
  }
}
