import Foundation
import FoundationModels

let json = #"""
  {"title": "North", "destination": "Oslo", "days": [{"date": "2026-02-03", "stops": [{"name": "Fjord", "kind": {"case": "walk", "value": {"kilometres": 2.5}}, "ratings": [5]}]}], "pace": "very calm"}
  """#
let trip = try Trip(GeneratedContent(json: json))
print(trip.generatedContent.jsonString == json)
print(trip.days[0].stops[0].kind == .walk(kilometres: 2.5), trip.pace, trip.budget as Any)

let partial = try Trip.PartiallyGenerated(GeneratedContent(json: String(json.prefix(60))))
print(partial.title ?? "-", partial.destination ?? "-", partial.days?.count ?? -1)

let letter = try GenerationSchema(
  root: DynamicGenerationSchema(
    name: "Letter",
    properties: [
      .init(
        name: "date",
        schema: .init(type: String.self, guides: [.pattern(/^$|^\d{4}-\d{2}-\d{2}$/)])),
      .init(name: "trip", schema: .init(type: Trip.self), isOptional: true),
    ]),
  dependencies: [])
let coded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(letter))
let members = coded as? [String: Any] ?? [:]
print(members["title"] as? String ?? "-", members["x-order"] as? [String] ?? [])

// Nobody has told the program of a model, and yet there is one, fetched or not.
print(SystemLanguageModel.default.availability == .unavailable(.deviceNotEligible))
print(SystemLanguageModel.default.supportsLocale(Locale(identifier: "en_US")))
let options = GenerationOptions(temperature: 0.5, maximumResponseTokens: 9)
print(LanguageModelSession(instructions: "Be brief.").transcript.count, options.temperature ?? 0)
