import Foundation
import Testing
import Tokenization

@Suite("Chat templates: robustness")
struct ChatTemplateRobustnessTests {
  // MARK: Inputs that have broken engines

  @Test("Attributes set on a namespace outlive the loop, and what a filter yields has items")
  func namespacesOutliveLoops() throws {
    let source = """
      {%- set ns = namespace(count=0, last=none) -%}
      {%- for m in items -%}
        {%- set ns.count = ns.count + 1 -%}{%- set ns.last = m -%}
      {%- endfor -%}
      {{ ns.count }} {{ ns.last }} {{ (items | list)[0] }} {{ items[::-1] | join }}
      """
    #expect(try renderTemplate(source, #"{"items": ["a", "b"]}"#) == "2 b a ba")
  }

  @Test(
    "Setting an attribute of anything but a namespace is a typed error",
    arguments: ["{% set d = {} %}{% set d.x = 1 %}", "{% set nope.x = 1 %}", "{% set ns. = 1 %}"])
  func refusesOtherAttributes(_ source: String) {
    #expect(throws: ChatTemplateError.self) { try renderTemplate(source) }
  }

  @Test("A number joined to a text becomes text")
  func concatenationMakesText() throws {
    #expect(try renderTemplate("{{ 1 ~ 'a' ~ 2.5 ~ none ~ true }}") == "1a2.5NoneTrue")
  }

  @Test("A generation block renders its body")
  func rendersGenerationBlocks() throws {
    let source = "{% for m in l %}{% generation %}<{{ m }}>{% endgeneration %}{% endfor %}"
    #expect(try renderTemplate(source, #"{"l": [1, 2]}"#) == "<1><2>")
  }

  @Test("A missing name is not defined, and printing or filtering it gives nothing")
  func missingNamesAreLenient() throws {
    let source = "{{ tools is defined }}{{ tools is not none }}[{{ nope | upper }}{{ nope }}]"
    #expect(try renderTemplate(source) == "FalseTrue[]")
  }

  @Test("JSON keeps the order of keys and escapes only what JSON must")
  func jsonKeepsOrder() throws {
    let tool = #"{"tool": {"z": 1, "a": {"q": ["<é>", "it's"], "b": 1.0}, "m": null}}"#
    #expect(
      try renderTemplate("{{ tool | tojson }}", tool)
        == #"{"z": 1, "a": {"q": ["<é>", "it's"], "b": 1.0}, "m": null}"#)
    #expect(
      try renderTemplate("{{ tool.a | tojson(indent=2) }}", tool)
        == "{\n  \"q\": [\n    \"<é>\",\n    \"it's\"\n  ],\n  \"b\": 1.0\n}")
  }

  @Test("A template that objects to the conversation ends with its own words")
  func refusesSecondSystemMessage() throws {
    let template = try ChatTemplate(
      source: """
        {%- for m in messages -%}
        {%- if m.role == 'system' and not loop.first -%}
          {{- raise_exception('Only one system message, at the start') -}}
        {%- endif -%}{{ m.content }}
        {%- endfor -%}
        """)
    let system: OrderedJSON = ["role": "system", "content": "a"]
    #expect(try template.render(ChatTemplateInput(messages: [system])) == "a")
    #expect {
      try template.render(ChatTemplateInput(messages: [system, system]))
    } throws: { error in
      guard
        case .refused("Only one system message, at the start", let place)? = error
          as? ChatTemplateError
      else { return false }
      return place.line == 3
    }
  }

  @Test(
    "Nothing of the host can be reached",
    arguments: [
      "''.__class__.__mro__", "''['__class__']['__mro__']", "d.__init__.__globals__", "l.__len__()",
      "m.__call__()", "''.format.__self__.__class__.x", "'{0.__class__.__mro__}'.format('')",
      "(d | attr('__class__')).x", "l | map(attribute='__class__.x') | list", "cycler.__init__.x",
      "namespace.__init__.__globals__.os", "l.append(1)", "l.pop()", "d.update({})", "d.clear()",
    ])
  func reachesNothing(_ expression: String) {
    #expect {
      try renderTemplate(
        "{% macro m() %}{% endmacro %}{{ \(expression) }}", #"{"l": [1], "d": {"a": 1}}"#)
    } throws: { error in
      guard case .forbidden? = error as? ChatTemplateError else { return false }
      return true
    }
  }

  @Test(
    "The name of a template is not taken for its source", arguments: ["llama2", "chatml", "", "{"])
  func distinguishesNames(_ name: String) {
    #expect(throws: ChatTemplateError.notATemplate(name)) { try ChatTemplate(source: name) }
  }

  @Test("A file without a template is an error, and a named one is found by its name")
  func readsMetadata() throws {
    let metadata = [
      "tokenizer.chat_template": "{{ 'a' }}", "tokenizer.chat_template.tool_use": "{{ 'b' }}",
    ]
    let input = ChatTemplateInput(messages: [])
    #expect(try ChatTemplate { metadata[$0] }.render(input) == "a")
    #expect(try ChatTemplate(named: "tool_use") { metadata[$0] }.render(input) == "b")
    #expect(throws: ChatTemplateError.missing(name: "rag")) {
      try ChatTemplate(named: "rag") { metadata[$0] }
    }
    #expect(throws: ChatTemplateError.missing(name: nil)) { try ChatTemplate { _ in nil } }
  }

  @Test("An input is read from one JSON object")
  func readsInput() throws {
    let json = try OrderedJSON(
      parsing: """
        {"source": "x", "messages": [{"role": "user", "content": "hi"}], "tools": null,
         "bos_token": "<s>", "eos_token": null, "now": "2026-01-15", "enable_thinking": false}
        """)
    let input = try ChatTemplateInput(json: json, ignoring: ["source"])
    let template = try ChatTemplate(
      source:
        "{{ bos_token }}{{ messages[0].content }}{{ tools is defined }}{{ source is defined }}"
        + "{{ enable_thinking }}{{ strftime_now('%d') }}{{ add_generation_prompt }}{{ eos_token }}")
    #expect(try template.render(input) == "<s>hiFalseFalseFalse15False")
  }

  @Test(
    "An input of another form is refused",
    arguments: [
      "[]", "{}", #"{"messages": {}}"#, #"{"messages": [], "tools": {}}"#,
      #"{"messages": [], "now": "soon"}"#, #"{"messages": [], "add_generation_prompt": 1}"#,
      #"{"messages": [], "bos_token": 1}"#,
    ])
  func refusesMalformedInput(_ text: String) throws {
    let json = try OrderedJSON(parsing: text)
    #expect {
      try ChatTemplateInput(json: json)
    } throws: { error in
      guard case .input? = error as? ChatTemplateError else { return false }
      return true
    }
  }

  // MARK: Limits

  @Test("Endless work ends at the limit of steps")
  func limitsSteps() {
    var limits = ChatTemplateLimits()
    limits.steps = 50_000
    let sources = [
      "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
      "{% set ns = namespace(a=[0]) %}{% for i in range(60) %}{% set ns.a = [ns.a, ns.a] %}"
        + "{{ ns.a == ns.a }}{% endfor %}",
      "{% set ns = namespace(a=[0]) %}"
        + "{% for i in range(60) %}{% set ns.a = ns.a + ns.a %}{% endfor %}",
    ]
    for source in sources {
      #expect {
        try renderTemplate(source, limits: limits)
      } throws: { error in
        switch error as? ChatTemplateError {
        case .limitExceeded(.steps(50_000), _), .limitExceeded(.valueDepth, _): true
        default: false
        }
      }
    }
  }

  @Test(
    "Texts that would fill the memory are refused before they are made",
    arguments: [
      "{% set ns = namespace(s='ab') %}"
        + "{% for i in range(90) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
      "{{ 'a' * 999999999999 }}", "{{ 'ab' * 9223372036854775807 }}", "{{ [0] * 9999999999 }}",
      "{{ 'a'.center(9999999999) }}", "{{ 'a'.ljust(9223372036854775807) }}",
      "{{ 'a' | center(99999999999) }}",
      "{{ 'a\\nb' | indent(99999999999) }}", "{{ '%99999999d' % 1 }}",
      "{{ '{:99999999}'.format(1) }}",
      "{{ ('a' * 9999).replace('', 'b' * 9999) }}", "{{ '\\t'.expandtabs(9999999999) }}",
      "{{ '%.99999999f' % 1.0 }}",
      "{{ [1] | batch(9999999999999, 0) | list | string * 999999999 }}",
      "{{ [1] | slice(9999999999) | list }}", "{{ ('x' * 99999).join('y' * 99999) }}",
      "{% for i in range(99999) %}{{ 'a' * 99999 }}{% endfor %}", "{{ 'a'.zfill(99999999999) }}",
      "{% macro m() %}{% for i in range(99999) %}{{ 'a' * 99999 }}{% endfor %}{% endmacro %}"
        + "{{ m() }}",
      "{{ range(100001) }}", "{{ range(-9000000000000000000, 9000000000000000000) }}",
    ])
  func limitsMemory(_ source: String) {
    var limits = ChatTemplateLimits()
    limits.outputBytes = 1 << 20
    limits.steps = 1_000_000
    #expect(throws: ChatTemplateError.self) { try renderTemplate(source, limits: limits) }
  }

  @Test("A range may span all integers as long as it is short")
  func rangesDoNotOverflow() throws {
    let source =
      "{{ range(-9000000000000000000, 9000000000000000000, 6000000000000000000) | list }}"
    #expect(
      try renderTemplate(source)
        == "[-9000000000000000000, -3000000000000000000, 3000000000000000000]")
  }

  /// Sources that nest, each a template of that nesting.
  static let nested: [@Sendable (Int) -> String] = [
    { "{{ \(String(repeating: "(", count: $0))1\(String(repeating: ")", count: $0)) }}" },
    { "{{ \(String(repeating: "[", count: $0))1\(String(repeating: "]", count: $0)) }}" },
    { "{{ \(String(repeating: "{1:", count: $0))1\(String(repeating: "}", count: $0)) }}" },
    { "{{ \(String(repeating: "not ", count: $0))1 }}" },
    { "{{ \(String(repeating: "-", count: $0))1 }}" },
    { "{{ \(String(repeating: "1 if 1 else ", count: $0))1 }}" },
    { "{{ 'a'\(String(repeating: " | upper", count: $0)) }}" },
    { "{{ a\(String(repeating: "[0]", count: $0)) }}" },
    { "{{ a\(String(repeating: "[a", count: $0))\(String(repeating: "]", count: $0)) }}" },
    { "{{ f\(String(repeating: "(f", count: $0))\(String(repeating: ")", count: $0)) }}" },
    { "{% set \(String(repeating: "(", count: $0))a\(String(repeating: ")", count: $0)) = 1 %}" },
    { String(repeating: "{% if 1 %}", count: $0) + String(repeating: "{% endif %}", count: $0) },
    {
      String(repeating: "{% for a in [1] %}", count: $0)
        + String(repeating: "{% endfor %}", count: $0)
    },
    {
      String(repeating: "{% filter upper %}", count: $0)
        + String(repeating: "{% endfilter %}", count: $0)
    },
  ]

  @Test("Source that nests without end is an error, not a crash", arguments: nested.indices)
  func limitsSourceDepth(_ index: Int) throws {
    #expect {
      try ChatTemplate(source: Self.nested[index](20_000))
    } throws: { error in
      guard case .syntax(let reason, _)? = error as? ChatTemplateError else { return false }
      return reason.contains("nests deeper")
    }
    _ = try ChatTemplate(source: Self.nested[index](20))
  }

  @Test("Long chains of operators are not deep")
  func chainsAreFlat() throws {
    for symbol in ["+", "~", "and", "or", "*"] {
      let chain = String(repeating: " \(symbol) 1", count: 5_000)
      #expect(try !renderTemplate("{{ 1\(chain) }}").isEmpty)
    }
    let branches = String(repeating: "{% elif z %}", count: 5_000)
    #expect(try renderTemplate("{% if z %}\(branches){% else %}a{% endif %}") == "a")
  }

  @Test(
    "Recursion without end is an error, not a crash",
    arguments: [
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% macro m(x=m()) %}{% endmacro %}{{ m() }}",
      "{% macro m() %}{% filter upper %}{% for i in [1] %}{{ m() }}{% endfor %}{% endfilter %}"
        + "{% endmacro %}{{ m() }}",
      "{% macro m() %}{{ caller() }}{% endmacro %}"
        + "{% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}{{ n() }}",
      "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
      "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}",
      "{% set ns = namespace(a=1) %}{% for i in range(9999) %}{% set ns.a = [ns.a] %}{% endfor %}",
      "{% set ns = namespace(a=1) %}"
        + "{% for i in range(9999) %}{% set ns.a = {'a': ns.a} %}{% endfor %}",
    ])
  func limitsRecursion(_ source: String) {
    #expect {
      try renderTemplate(source)
    } throws: { error in
      guard case .limitExceeded? = error as? ChatTemplateError else { return false }
      return true
    }
  }

  @Test("Values that nest deeper than can be handled are refused where they come in")
  func limitsInputDepth() throws {
    var deep: OrderedJSON = .null
    for _ in 0..<1_000 { deep = .array([deep]) }
    var input = ChatTemplateInput(messages: [])
    input.variables = [.init("deep", deep)]
    let template = try ChatTemplate(source: "{{ deep }}")
    #expect(throws: ChatTemplateError.self) { try template.render(input) }
  }

  @Test("A source beyond the limit is not compiled")
  func limitsSource() {
    var limits = ChatTemplateLimits()
    limits.sourceBytes = 10
    #expect(throws: ChatTemplateError.sourceTooLarge(bytes: 11, limit: 10)) {
      try ChatTemplate(source: "{{ 1 }} abc", limits: limits)
    }
  }

  @Test("Searching long texts takes time in proportion to their length")
  func searchesLongTexts() throws {
    let source = """
      {%- set s = 'a' * 400000 -%}{%- set n = 'a' * 200000 ~ 'b' -%}
      {{ n in s }} {{ s.find(n) }} {{ s.rfind(n) }} {{ s.split(n) | length }} \
      {{ s.rsplit(n) | length }} {{ s.count(n) }} {{ s.replace(n, '') | length }} \
      {{ (s ~ ' ' ~ s).split() | length }} {{ ('b ' * 100000).split() | length }}
      """
    #expect(try renderTemplate(source) == "False -1 -1 1 1 0 400000 2 100000")
  }

  // MARK: Damaged sources

  static let seeds: [String] = [
    """
    {%- macro show(v, deep=true) -%}
      {%- if v is mapping and deep %}{% for k, w in v | dictsort %}{{ k ~ '=' }}{{ show(w) }}
      {%- if not loop.last %}, {% endif %}{% endfor %}
      {%- elif v is iterable and v is not string %}[{{ v | map('string') | join(';') }}]
      {%- else %}{{ '%s|%5.1f' % (v, 2.25) }}{% endif -%}
    {%- endmacro -%}
    {% set ns = namespace(n=0, parts=[]) %}
    {%- for m in messages if m.role != 'x' %}
      {%- set ns.n = ns.n + loop.index0 * 2 ** 2 // 3 % 5 %}
      {{- '<|im_start|>' + m['role'] + '\\n' + (m.content | trim)[::-1] + '<|im_end|>\\n' }}
      {%- if loop.index > 3 %}{% break %}{% endif %}
    {%- endfor %}
    {%- filter upper %}{{ show({'b': [1, 2], 'a': {'c': ns.n}}) }}{% endfilter %}
    {%- call(x) show(1) %}{{ x }}{% endcall %}
    {% set t %}{% raw %}{{ x }}{% endraw %}{% endset %}{{ t | tojson(indent=2) }}
    {%- with a = 1, b = [1, 2, 3][1:] %}{{ a if b else 'none' }}{% endwith %}
    """
  ]

  @Test("Damaged sources end with a text or an error", arguments: [1, 2, 3, 4] as [UInt64])
  func survivesDamage(_ seed: UInt64) throws {
    var random = SplitMix(state: seed)
    var limits = ChatTemplateLimits()
    limits.steps = 20_000
    limits.outputBytes = 100_000
    var input = ChatTemplateInput(
      messages: [
        ["role": "user", "content": " Hello "], ["role": "assistant", "content": "çay <|im_end|>"],
      ])
    input.clock = .system
    let source = Array(Self.seeds[0].unicodeScalars)
    let pieces = Self.seeds[0].split(separator: " ").map { Array($0.unicodeScalars) }
    for _ in 0..<400 {
      var damaged = source
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged.remove(at: place)
        case 1: damaged.removeSubrange(place..<min(place + 20, damaged.count))
        case 2: damaged.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
        default: damaged[place] = source.randomElement(using: &random) ?? " "
        }
        if damaged.isEmpty { damaged = source }
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: damaged)
      do {
        let template = try ChatTemplate(source: String(text), limits: limits)
        let fragments = try template.renderFragments(input)
        #expect(try template.render(input) == fragments.map(\.text).joined(), "seed \(seed)")
      } catch {
        // The type of the error is all there is to ask for: every one has a case.
        #expect(!error.description.isEmpty)
      }
    }
  }
}

/// A small generator whose numbers depend on the seed alone.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
