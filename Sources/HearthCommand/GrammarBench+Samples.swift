import OnDeviceModels

extension GrammarBench.Subject {
  /// Eight fields, one of each kind that extraction needs.
  static let schema8 = GrammarBench.Subject(
    name: "schema8",
    grammar: .jsonSchema(
      #"""
      {"type":"object","properties":{
        "name":{"type":"string"},
        "age":{"type":"integer","minimum":0,"maximum":150},
        "email":{"type":"string","format":"email"},
        "role":{"enum":["admin","editor","viewer","guest"]},
        "active":{"type":"boolean"},
        "score":{"type":"number"},
        "tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":5},
        "address":{"type":"object","properties":{
          "street":{"type":"string"},
          "zip":{"type":"string","pattern":"^[0-9]{5}(-[0-9]{4})?$"}},
          "required":["street","zip"]}},
        "required":["name","age","email","role","active","score","tags","address"]}
      """#),
    texts: [
      #"{"name":"Ada Lovelace","age":36,"email":"ada@engine.example","role":"admin","active":true,"score":9.75,"tags":["mathematics","poetry"],"address":{"street":"12 St James's Square","zip":"10115"}}"#,
      #"{"name": "Grace Hopper", "age": 85, "email": "grace.hopper@navy.example", "role": "editor", "active": false, "score": -3.5e2, "tags": ["compilers", "nanoseconds", "rear admiral"], "address": {"street": "1 Independence Avenue", "zip": "22201-0042"}}"#,
      "{\n  \"name\": \"Konrad Zuse\",\n  \"age\": 85,\n  \"email\": \"konrad@z3.example\",\n  \"role\": \"viewer\",\n  \"active\": true,\n  \"score\": 0.125,\n  \"tags\": [\n    \"relays\"\n  ],\n  \"address\": {\n    \"street\": \"Methfesselstraße 7\",\n    \"zip\": \"10965\"\n  }\n}",
      #"{"name":"Софья Ковалевская","age":41,"email":"sofia@stockholm.example","role":"guest","active":false,"score":1889,"tags":["анализ","механика"],"address":{"street":"Норртулльсгатан 2","zip":"11329"}}"#,
      #"{"name": "高木貞治", "age": 84, "email": "takagi@tokyo.example", "role": "editor", "active": true, "score": 19.20, "tags": ["類体論", "数論", "解析概論"], "address": {"street": "本郷三丁目", "zip": "11300"}}"#,
      #"{"name":"محمد الخوارزمي","age":70,"email":"algebra@baghdad.example","role":"admin","active":true,"score":8.2e+2,"tags":["الجبر"],"address":{"street":"بيت الحكمة","zip":"10001"}}"#,
      #"{"name":"Emmy Noether","age":53,"email":"e.noether+rings@goettingen.example","role":"viewer","active":false,"score":-0.5,"tags":["rings","ideals","symmetry","conservation laws","invariants"],"address":{"street":"Bunsenstraße 3-5, Haus \"B\"","zip":"37073-1234"}}"#,
      #"{"name": "Katherine Johnson", "age": 101, "email": "kj@orbit.example", "role": "admin", "active": true, "score": 100, "tags": ["trajectories", "launch windows\tand returns", "emergency paths"], "address": {"street": "100 Flight Dynamics Drive, Building 1244, Room 12", "zip": "23681"}}"#,
      #"{"name":"Évariste Galois","age":20,"email":"galois@ecole.example","role":"guest","active":false,"score":3.14159265358979,"tags":["groups","fields"],"address":{"street":"4 rue de l'Abbé-de-l'Épée\\Fond","zip":"75005"}}"#,
    ])

  /// Any object.
  static let json = GrammarBench.Subject(
    name: "json", grammar: .jsonSchema(#"{"type":"object"}"#),
    texts: [
      #"{"id":1024,"title":"Quarterly report","draft":false,"reviewers":[{"name":"Kim","ok":true},{"name":"Sam","ok":null}],"size":{"width":21.0,"height":29.7},"keywords":["finance","2024","q3"]}"#,
      "{\n  \"menu\": {\n    \"header\": \"Files\",\n    \"items\": [\n      {\"id\": \"open\", \"label\": \"Open …\"},\n      {\"id\": \"close\"},\n      null,\n      {\"id\": \"quit\", \"label\": \"Quit\\u0021\"}\n    ]\n  }\n}",
      #"{"coordinates": [[13.4050, 52.5200], [2.3522, 48.8566], [-0.1276, 51.5072]], "type": "LineString", "properties": {"länge": 1.05e3, "名前": "旅", "empty": {}, "none": []}}"#,
      #"{"log":[{"t":"2024-05-17T09:26:53Z","level":"warn","message":"disk \"data\" is 91 % full\n"},{"t":"2024-05-17T09:27:10Z","level":"info","message":"cleaned C:\\temp, 3.2 GB freed"}],"count":2}"#,
    ])
}
