@_exported public import LanguageModels
// Not seen by programs, but linked: it brings the model behind `SystemLanguageModel`.
internal import OnDeviceModels
