import Testing
import Tokenization

@Suite("Chat templates: statements")
struct ChatTemplateStatementTests {
  /// Templates with what Python's jinja2 3.1.6 renders with the settings of transformers.
  static let rendered: [(String, String)] = [
    // White space: trim_blocks and lstrip_blocks are on, one line feed at the end goes.
    ("  {% if true %}\n  text\n  {% endif %}\nend\n", "  text\nend"),
    ("a\n  {%+ if true %}x{% endif +%}\n\nb", "a\n  x\n\nb"),
    ("a  {%- if true -%}  x  {%- endif -%}  b", "axb"),
    ("{{- 'a' -}}   b {{ 'c' -}}\n", "ab c"),
    ("{# c #}\n\n  {# c #}\nz", "\nz"),
    ("x {% if 1 %} y\n {% endif %} z", "x  y\n z"),
    ("{% if 1 %}\n\n  a\n\n{% endif %}\n\n", "\n  a\n\n"),
    ("{# #}a\r\nb\rc\n\n", "a\nb\nc\n"),
    ("\u{A0}{% if 1 %}\u{3000}x{% endif %}", "\u{3000}x"),
    ("{{ 1 }}\n{{ 2 }}\n", "1\n2"),
    ("a {#- c #}\n b", "a b"),
    ("a\n  {% raw -%}\n {{ x }} \n{%- endraw %}\nb", "a\n{{ x }}b"),
    ("  {% raw %} {% if %} {% endraw %}  \n b", " {% if %}   \n b"),
    ("{{ {'a': {'b': {}}} }}{{ '}}' }}{% if '%}' %}x{% endif %}", "{'a': {'b': {}}}}}x"),
    ("{ {{ 1 }} } {{ 1 }}}", "{ 1 } 1}"),
    // Branches and loops.
    ("{% if z %}a{% elif 1 %}b{% else %}c{% endif %}", "b"),
    ("{% if 1: %}a{% else: %}b{% endif %}", "a"),
    (
      "{% for x in 'ab' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}"
        + "{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }}"
        + "{{ loop.cycle('p', 'q') }};{% endfor %}",
      "1021TrueFalse2bp;2110FalseTrue2aq;"
    ),
    ("{% for x in [1, 1, 2] %}{{ loop.changed(x) }}{% endfor %}", "TrueFalseTrue"),
    ("{% for x in [] %}a{% else %}b{% endfor %}{% for x in nope %}a{% else %}c{% endfor %}", "bc"),
    ("{% for x in [3, 1, 2] if x > 1 %}{{ x }}{{ loop.length }}{% endfor %}", "3222"),
    ("{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}", "123"),
    ("{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% endfor %}", "a1"),
    ("{% for c in 'añ日' %}[{{ c }}]{% endfor %}", "[a][ñ][日]"),
    (
      "{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}"
        + "{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}",
      "0134"
    ),
    (
      "{% for x in [[1, [2]]] recursive %}{% if x is iterable %}<{{ loop(x) }}>"
        + "{% else %}{{ x }}@{{ loop.depth }}{% endif %}{% endfor %}",
      "<1@2<2@3>>"
    ),
    // Assignments and scopes.
    ("{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }},{% endfor %}{{ x }}", "2,3,1"),
    ("{% set x = 1 %}{% if 1 %}{% set x = 2 %}{% endif %}{{ x }}", "2"),
    ("{% set x = 1 %}{% with x = 3, y = x %}{{ x }}{{ y }}{% endwith %}{{ x }}", "311"),
    ("{% set (a, b), c = (1, 2), 3 %}{{ a }}{{ b }}{{ c }}", "123"),
    ("{% set x | upper | trim %} ab {% endset %}[{{ x }}]", "[AB]"),
    ("{% set ns = namespace(x=1) %}{% set ns.v %}t{% endset %}{{ ns.v }}{{ ns.x }}", "t1"),
    ("{% filter upper %}ab{{ 'c' }}{% endfilter %}", "ABC"),
    ("{% generation %}{% set x = 2 %}{{ x }}{% endgeneration %}{{ x }}", "2"),
    ("{% print 1, 2 %}", "12"),
    // Macros.
    (
      "{% macro m(x, y=2, z=x) %}{{ x }}{{ y }}{{ z }};{% endmacro %}{{ m(1) }}{{ m(y=5, x=4) }}",
      "121;454;"
    ),
    ("{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, a=3) }}", "(1, 2){'a': 3}"),
    (
      "{% macro m(x) %}<{{ caller(x) }}>{% endmacro %}{% call(y) m(5) %}got {{ y }}{% endcall %}",
      "<got 5>"
    ),
    ("{% macro m() %}{{ v }}{% endmacro %}{% set v = 'late' %}{{ m() }}", "late"),
    ("{% macro f(n) %}{{ n }}{% if n %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}", "3210"),
    ("{% macro m(x, y) %}{{ x }}{{ y }}{% endmacro %}{{ m(*[1], **{'y': 2}) }}", "12"),
    ("{% macro m(a) %}{% endmacro %}{{ m.name }}{{ m.arguments }}", "m('a',)"),
    ("{% set c = cycler(1, 2) %}{{ c.next() }}{{ c.next() }}{{ c.current }}", "121"),
    ("{% set j = joiner(',') %}{{ j() }}a{{ j() }}b", "a,b"),
  ]

  @Test("Statements render what Python renders", arguments: rendered)
  func rendersAsPython(_ source: String, _ expected: String) throws {
    #expect(try renderTemplate(source) == expected)
  }

  @Test(
    "Source that is not in the language is an error of syntax",
    arguments: [
      "{% endif %}", "{% if a %}", "{% if a %}{% endfor %}", "{{ a", "{{ }}", "{% %}", "{{ a b }}",
      "{{ 'a }}", "{{ a | }}", "{{ a. }}", "{{ [1, }}", "{{ (1 }}", "{{ ] }}", "{{ a ! b }}",
      "{% for x l %}{% endfor %}", "{% set 5 = 3 %}", "{% set none = 3 %}", "{# a", "{% raw %}a",
      "{% macro m(a=1, b) %}{% endmacro %}", "{% macro m(a, a) %}{% endmacro %}",
      "{{ a is defined is defined }}", "{{ f(a=1, 2) }}", "{{ f(a=1, a=2) }}", "{{ f(**a, b) }}",
      "{% break %}", "{% for x in l %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
      "{% include 'x' %}", "{% import 'x' as y %}", "{% from 'x' import y %}", "{% extends 'x' %}",
      "{% block x %}{% endblock %}", "{% do 1 %}", "{% call 1 %}{% endcall %}", "{% filter %}",
      #"{{ '\ud800' }}"#, #"{{ '\x4' }}"#, #"{{ '\N{DASH}' }}"#, "{{ 99999999999999999999 }}",
      "{{ 0x }}", "{{ 01 }}", "{{ a[1 }}", "{{ {1} }}", "{{ {1: } }}", "{{ \u{7F} }}",
    ])
  func refusesMalformedSource(_ source: String) throws {
    #expect {
      try ChatTemplate(source: source)
    } throws: { error in
      guard case .syntax? = error as? ChatTemplateError else { return false }
      return true
    }
  }

  @Test(
    "Errors say where they are",
    arguments: [
      ("a\n  {{ 'çay' ~ nope.x }}", 2, 18), ("{% if 1 %}\n{{ 1 + }}{% endif %}", 2, 8),
      ("{# one\ntwo #}{% for x in 5 %}{% endfor %}", 2, 10), ("\r\n\r\n{{ 1 // 0 }}", 3, 6),
      ("{{ raise_exception('no') }}", 1, 19),
      ("{% macro m() %}\n{{ x.y }}{% endmacro %}{{ m() }}", 2, 5),
    ])
  func locatesErrors(_ source: String, _ line: Int, _ column: Int) {
    #expect {
      try renderTemplate(source)
    } throws: { error in
      let place = ChatTemplateError.SourceLocation(line: line, column: column)
      return (error as? ChatTemplateError)?.location == place
    }
  }

  @Test(
    "Calls that do not fit a macro are errors",
    arguments: ["m(1, 2)", "m(y=2)", "m(1, x=2)", "m(**{1: 2})", "m(**[1])"])
  func refusesWrongArguments(_ call: String) {
    #expect(throws: ChatTemplateError.self) {
      try renderTemplate("{% macro m(x) %}{{ x }}{% endmacro %}{{ \(call) }}")
    }
  }
}
