import LanguageModelMacros
import Testing

@Suite struct PluginTests {
  @Test func a() {
    #expect("\(GuideMacro.self)" == "GuideMacro")
  }
}
