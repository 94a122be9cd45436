import Foundation
import OnDeviceModels
import TestSupport
import Testing

@Suite struct ModelCatalogTests {
  /// Compared as plain JSON values, so that a field only one side has is noticed too.
  @Test func compiledCatalogEqualsTheJSONFile() throws {
    let file = try Data(contentsOf: TestData.root.appending(path: "models/catalog.json"))
    let published = try #require(JSONSerialization.jsonObject(with: file) as? NSDictionary)
    let encoded = try JSONEncoder().encode(ModelCatalog.builtIn)
    let compiled = try #require(JSONSerialization.jsonObject(with: encoded) as? NSDictionary)
    #expect(published == compiled)
  }

  @Test func exactlyOneModelIsTheDefault() {
    #expect(ModelCatalog.builtIn.models.filter(\.isDefault).count == 1)
    #expect(ModelCatalog.builtIn.defaultEntry?.name == "smollm2-135m-instruct")
  }

  @Test func namesAliasesAndFilesAreUnique() {
    let names = ModelCatalog.builtIn.models.flatMap {
      [$0.name, $0.file.lowercased()] + $0.aliases
    }
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { $0 == $0.lowercased() && !$0.contains("/") })
  }

  @Test(arguments: ModelCatalog.builtIn.models)
  func entryIsComplete(_ entry: ModelCatalog.Entry) {
    #expect(entry.sha256.count == 64)
    #expect(entry.sha256.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    #expect(entry.bytes > 0 && entry.contextLength > 0 && !entry.wheels.isEmpty)
    #expect(entry.wheels.allSatisfy { $0.bytes > 0 && $0.bytes < entry.bytes })
  }

  @Test(arguments: [
    ("smollm2-135m-instruct", "smollm2-135m-instruct"), ("SmolLM2", "smollm2-135m-instruct"),
    ("SmolLM2-135M-Instruct.Q4_1.gguf", "smollm2-135m-instruct"),
    ("SmolLM2-135M-Instruct.Q4_1", "smollm2-135m-instruct"), ("gemma3", "gemma-3-270m"),
    ("gemma-3-270m-q4_k_m", "gemma-3-270m"),
  ])
  func entryIsFound(_ name: String, _ expected: String) {
    #expect(ModelCatalog.builtIn.entry(named: name)?.name == expected)
  }

  @Test(arguments: ["", "gemma", "smollm2-135m-instruct ", ".gguf", "./gemma3"])
  func otherNamesAreNotFound(_ name: String) {
    #expect(ModelCatalog.builtIn.entry(named: name) == nil)
  }
}
