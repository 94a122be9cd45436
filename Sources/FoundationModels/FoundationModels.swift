@_exported public import LanguageModels
