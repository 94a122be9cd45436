import LanguageModels
import Testing
