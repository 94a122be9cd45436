import OnDeviceModels

/// A grammar to measure, with texts of it to measure along.
struct GrammarWorkload {
  var name: String
  var grammar: ResponseGrammar
  /// Nil for texts drawn at random from the grammar.
  var texts: [String]?

  static let all = [eightFields, json, verbatim, loop, recursion]

  /// JSON strings as a loop, and the same language by right recursion: neither may cost more.
  static let loop = GrammarWorkload(
    name: "loop",
    grammar: .gbnf(
      #"root ::= "\"" ( [^"\\\x00-\x1f] | "\\" ( ["\\/bfnrt] | "u" [0-9a-f]{4} ) )* "\"""#),
    texts: strings)
  static let recursion = GrammarWorkload(
    name: "recursion",
    grammar: .gbnf(
      #"""
      root ::= "\"" rest
      rest ::= "\"" | [^"\\\x00-\x1f] rest | "\\" ( ["\\/bfnrt] | "u" hex hex hex hex ) rest
      hex ::= [0-9a-f]
      """#),
    texts: strings)

  private static let strings = [
    #""A plain sentence of some length, as people write them.""#,
    #""Escapes: \"quoted\", a tab\t, \u00e9 and a backslash \\ in the middle""#,
    #""東京タワー und Köln, 12,50 €""#,
  ]

  /// String, bounded integer, email, enum, boolean, number, array of 1 to 5, nested object with a
  /// pattern.
  static let eightFields = GrammarWorkload(
    name: "schema8",
    grammar: .jsonSchema(
      """
      {"type":"object","properties":{\
      "name":{"type":"string"},"age":{"type":"integer","minimum":0,"maximum":150},\
      "email":{"type":"string","format":"email"},"role":{"enum":["admin","editor","viewer"]},\
      "active":{"type":"boolean"},"score":{"type":"number"},\
      "tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":5},\
      "address":{"type":"object","properties":{"street":{"type":"string"},\
      "zip":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["street","zip"],\
      "additionalProperties":false}},\
      "required":["name","age","email","role","active","score","tags","address"],\
      "additionalProperties":false}
      """),
    texts: [
      #"{"name": "Ada Lovelace", "age": 36, "email": "ada@analytical.engine.org", "role": "admin", "active": true, "score": 99.5, "tags": ["mathematics", "first programmer"], "address": {"street": "12 St James's Square", "zip": "10115"}}"#,
      #"{"name": "Grace Hopper", "age": 85, "email": "grace.hopper@navy.mil", "role": "editor", "active": false, "score": 12, "tags": ["compilers", "COBOL", "nanoseconds"], "address": {"street": "1 Arlington Avenue, Building 7", "zip": "22201"}}"#,
      #"{"name": "José Ñandú", "age": 7, "email": "jose_7@correo.example.ar", "role": "viewer", "active": true, "score": -0.25, "tags": ["niño"], "address": {"street": "Av. 9 de Julio 1450, piso 3º", "zip": "01043"}}"#,
      #"{"name": "田中 太郎", "age": 41, "email": "taro@example.jp", "role": "admin", "active": false, "score": 3.14159, "tags": ["東京", "営業", "部長"], "address": {"street": "千代田区丸の内1-1", "zip": "10000"}}"#,
      #"{"name": "O'Neil \"The Fox\" Brown", "age": 150, "email": "o'neil+fox@sub.domain.co.uk", "role": "viewer", "active": true, "score": 1e-7, "tags": ["quoted \\ text", "line\nbreak"], "address": {"street": "Fox Road 8\t(rear)", "zip": "99999"}}"#,
      #"{"name":"Compact","age":0,"email":"c@d.io","role":"editor","active":false,"score":0,"tags":["a","b","c","d","e"],"address":{"street":"X","zip":"00000"}}"#,
      #"{"name": "A rather long name that goes on for quite a while, as names of institutions do", "age": 120, "email": "office.of.the.registrar@university-of-somewhere.edu", "role": "editor", "active": true, "score": 6.02214076e+23, "tags": ["institution", "public", "founded in 1742"], "address": {"street": "The Old Quadrangle, North Gate, Room 101", "zip": "54321"}}"#,
      #"{"name": "Мария Иванова", "age": 29, "email": "m.ivanova@example.ru", "role": "viewer", "active": true, "score": 77.7, "tags": ["Москва"], "address": {"street": "улица Ленина, 5", "zip": "12345"}}"#,
      """
      {
        "name": "Indented",
        "age": 64,
        "email": "in.dented@white.space",
        "role": "admin",
        "active": true,
        "score": 64.0,
        "tags": [
          "pretty",
          "printed"
        ],
        "address": {
          "street": "Line Road 4",
          "zip": "40000"
        }
      }
      """,
    ])

  /// Any JSON object.
  static let json = GrammarWorkload(
    name: "json", grammar: .jsonSchema(#"{"type":"object"}"#),
    texts: [
      #"{"id": 4711, "title": "A small order", "lines": [{"sku": "A-1", "count": 2, "price": 9.95}, {"sku": "B-22", "count": 1, "price": 120.0}], "paid": true, "note": null}"#,
      #"{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.404954, 52.520008]}, "properties": {"name": "Berlin", "population": 3769495}}]}"#,
      #"{"log": {"level": "warning", "message": "disk \"sda1\" is 91% full\nplease clean up", "tags": ["disk", "ops"], "context": {"host": "db-7", "used": 0.91, "since": "2024-05-01T12:00:00Z"}}, "seen": [1, 2, 3, 5, 8, 13]}"#,
      #"{"überschrift": "Grüße aus Köln", "街": "東京タワー", "empty": {}, "none": [], "deep": [[[[{"a": [false, true, null]}]]]], "exp": -1.5e-10}"#,
    ])

  /// Strings copied from a document of 16 KB.
  static let verbatim = GrammarWorkload(
    name: "verbatim",
    grammar: .jsonSchema(
      """
      {"type":"object","properties":{"person":{"type":"string","x-verbatim":true},\
      "clause":{"type":"string","x-verbatim":true},\
      "date":{"type":"string","x-verbatim":true,"pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}},\
      "required":["person","clause","date"],"additionalProperties":false}
      """, source: contract),
    texts: [
      #"{"person": "Ada Lovelace", "clause": "Clause 4.2 (\"repairs\") says who pays for the boiler", "date": "2024-03-05"}"#,
      #"{"person": "Mr. Charles Babbage", "clause": "Le loyer sera révisé chaque année", "date": "2024-03-05"}"#,
      #"{"person": "the clerk of the court", "clause": "Der Vermieter haftet nicht für Schäden durch höhere Gewalt.", "date": "2024-03-05"}"#,
    ])

  private static let contract: String = {
    let sentences = [
      "The tenant, Ms. Ada Lovelace, pays 1,250.00 EUR on the first day of each month.",
      "Notice no. 17-B was sent to 12 St James's Square on 2024-03-05 and came back unopened.",
      "Clause 4.2 (\"repairs\") says who pays for the boiler; see also annex C, pages 3-9.",
      "Mr. Charles Babbage guarantees the deposit, as recorded by the clerk of the court.",
      "Der Vermieter haftet nicht für Schäden durch höhere Gewalt.",
      "Le loyer sera révisé chaque année selon l'indice publié.",
    ]
    var text = ""
    var number = 1000
    while text.utf8.count < 16_000 {
      number += 37
      text += "§ \(number) " + sentences[number % sentences.count] + " Ref. \(number * 7919)\n"
    }
    return text
  }()
}
