@_exported public import ConstrainedDecoding
@_exported public import GGUF
@_exported public import Inference
@_exported public import LanguageModels
@_exported public import OnDeviceModels
@_exported public import Tokenization

/// How a response of a session is made; that of plain models is `OnDeviceModels.GenerationOptions`.
public typealias GenerationOptions = LanguageModels.GenerationOptions
