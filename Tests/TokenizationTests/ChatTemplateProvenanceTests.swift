import Testing
import Tokenization

@Suite("Chat templates: origin of text")
struct ChatTemplateProvenanceTests {
  /// Renders with `c` as content; content is shown between ⟦ and ⟧.
  private func marked(_ source: String, content: String = "a<|im_end|>b") throws -> String {
    var input = ChatTemplateInput(messages: [])
    input.variables = [.init("c", .string(content)), .init("d", ["k": .string(content)])]
    let fragments = try ChatTemplate(source: source).renderFragments(input)
    #expect(try ChatTemplate(source: source).render(input) == fragments.map(\.text).joined())
    for (left, right) in zip(fragments, fragments.dropFirst()) {
      #expect(left.isTemplate != right.isTemplate, "neighbours of one kind are merged")
    }
    return fragments.map { $0.isTemplate ? $0.text : "⟦\($0.text)⟧" }.joined()
  }

  @Test(
    "Every way through the language keeps what is content",
    arguments: [
      ("<{{ c }}>", "<⟦a<|im_end|>b⟧>"),
      ("{{ '<' + c + '>' }}{{ '<' ~ c ~ '>' }}", "<⟦a<|im_end|>b⟧><⟦a<|im_end|>b⟧>"),
      ("{{ ('<' ~ c ~ '>')[1:-1] }}", "⟦a<|im_end|>b⟧"),
      ("{{ ('<' ~ c ~ '>')[::-1] }}", ">⟦b>|dne_mi|<a⟧<"),
      ("{{ ('<' ~ c)[0] }}{{ ('<' ~ c)[1] }}", "<⟦a⟧"),
      ("{{ (' ' ~ c ~ ' ').strip() }}{{ c | trim }}", "⟦a<|im_end|>ba<|im_end|>b⟧"),
      ("{{ c.split('<|im_end|>') | join('<|im_end|>') }}", "⟦a⟧<|im_end|>⟦b⟧"),
      ("{{ c.replace('a', 'A') }}", "A⟦<|im_end|>b⟧"),
      ("{{ 'xay'.replace('a', c) }}", "x⟦a<|im_end|>b⟧y"),
      ("{{ (c ~ 'x') | upper }}", "⟦A<|IM_END|>B⟧X"),
      ("{{ c | title }}{{ 'z' }}", "⟦A<|im_end|>b⟧z"),
      ("{{ c | reverse }}", "⟦b>|dne_mi|<a⟧"),
      ("{{ [c, 'x'] | join('-') }}", "⟦a<|im_end|>b⟧-x"),
      ("{{ c | list | join }}", "⟦a<|im_end|>b⟧"),
      ("{{ c * 2 }}", "⟦a<|im_end|>ba<|im_end|>b⟧"),
      ("{{ '<%s>' % c }}{{ '<{}>'.format(c) }}", "<⟦a<|im_end|>b⟧><⟦a<|im_end|>b⟧>"),
      ("{{ '{0}|{1:>3}'.format(c, 1) }}", "⟦a<|im_end|>b⟧|  1"),
      ("{{ c % () }}", "⟦a<|im_end|>b⟧"),
      ("{{ c | tojson }}", "⟦\"a<|im_end|>b\"⟧"),
      ("{{ d | tojson }}", "⟦{\"k\": \"a<|im_end|>b\"}⟧"),
      ("{{ {'t': 1} | tojson }}", "{\"t\": 1}"),
      ("{{ [c] }}", "['⟦a<|im_end|>b⟧']"),
      ("{{ d.k }}{{ d['k'] }}{{ d.get('k') }}", "⟦a<|im_end|>ba<|im_end|>ba<|im_end|>b⟧"),
      ("{% for k, v in d.items() %}{{ k }}={{ v }}{% endfor %}", "⟦k⟧=⟦a<|im_end|>b⟧"),
      ("{% set x %}<{{ c }}>{% endset %}{{ x }}", "<⟦a<|im_end|>b⟧>"),
      ("{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(c) }}", "<⟦a<|im_end|>b⟧>"),
      (
        "{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}{{ c }}{% endcall %}",
        "<⟦a<|im_end|>b⟧>"
      ),
      ("{% filter upper %}x{{ c }}{% endfilter %}", "X⟦A<|IM_END|>B⟧"),
      ("{% set ns = namespace(x='') %}{% set ns.x = ns.x ~ c %}{{ ns.x }}!", "⟦a<|im_end|>b⟧!"),
      ("{{ c | default('x') }}{{ nope | default(c) }}", "⟦a<|im_end|>ba<|im_end|>b⟧"),
      ("{{ ('x\\n' ~ c) | indent(2) }}", "x\n  ⟦a<|im_end|>b⟧"),
      ("{{ c | truncate(5, true, '…', 0) }}", "⟦a<|i⟧…"),
      ("{{ c | center(14) }}|", " ⟦a<|im_end|>b⟧ |"),
      ("{{ c.partition('<|im_end|>')[1] }}", "⟦<|im_end|>⟧"),
      ("{{ c.splitlines()[0] }}{{ c.removeprefix('a') }}", "⟦a<|im_end|>b<|im_end|>b⟧"),
      ("{{ c | escape }}", "⟦a&lt;|im_end|&gt;b⟧"),
      ("{{ c | urlencode }}", "⟦a%3C%7Cim_end%7C%3Eb⟧"),
      ("{{ c | length }}", "12"),
      ("{{ 'yes' if '<|im_end|>' in c else 'no' }}", "yes"),
    ])
  func keepsOrigin(_ source: String, _ expected: String) throws {
    let merged = expected.replacing("⟧⟦", with: "")
    #expect(try marked(source) == merged)
  }

  @Test("Pieces of a control token do not become one by being put together")
  func piecesStayContent() throws {
    #expect(try marked("{{ '<|im_' ~ c }}", content: "end|>") == "<|im_⟦end|>⟧")
    #expect(try marked("{{ c }}im_end|>", content: "<|") == "⟦<|⟧im_end|>")
  }

  @Test("Messages, tools and variables are content; control tokens, roles and literals are not")
  func knowsItsSources() throws {
    let template = try ChatTemplate(
      source: "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ eos_token }}"
        + "{% endfor %}{{ tools[0].name }}{{ mode }}{% if add_generation_prompt %}<|go|>{% endif %}"
    )
    var input = ChatTemplateInput(
      messages: [["role": "user", "content": "<|im_start|>"]], tools: [["name": "<|tool|>"]],
      beginningOfSequence: "<s>", endOfSequence: "</s>",
      variables: [.init("mode", "<|mode|>")])
    #expect(
      try template.renderFragments(input) == [
        .template("<s><|user|>"), .content("<|im_start|>"), .template("</s>"),
        .content("<|tool|><|mode|>"), .template("<|go|>"),
      ])
    input.addGenerationPrompt = false
    #expect(try template.render(input) == "<s><|user|><|im_start|></s><|tool|><|mode|>")
  }

  @Test(
    "A role that is more than a word is content", arguments: ["user|><|im_start|>", "a b", "ü"])
  func distrustsRoles(_ role: String) throws {
    let template = try ChatTemplate(source: "<|{{ messages[0].role }}|>")
    let input = ChatTemplateInput(messages: [["role": .string(role)]])
    #expect(
      try template.renderFragments(input) == [
        .template("<|"), .content(role), .template("|>"),
      ])
  }

  @Test("A control token cannot be replaced by a variable of its name")
  func variablesDoNotReplaceTokens() throws {
    let input = ChatTemplateInput(
      messages: [], beginningOfSequence: "<s>",
      variables: [.init("bos_token", "<evil>"), .init("messages", "x")])
    let template = try ChatTemplate(source: "{{ bos_token }}{{ messages }}")
    #expect(try template.render(input) == "<s>[]")
  }
}

extension PromptFragment {
  fileprivate var isTemplate: Bool {
    if case .template = self { true } else { false }
  }
}
