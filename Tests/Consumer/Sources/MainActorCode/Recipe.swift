import FoundationModels

@Generable
struct Recipe {
  var id: GenerationID
  @Guide(description: "What it is called")
  var name: String
  var steps: [Step]
  var course: Course?

  @Generable
  struct Step {
    var text: String
    @Guide(.range(1...240)) var minutes: Int
  }

  @Generable
  enum Course { case starter, main, dessert(sweetness: Int) }
}

func show(_ recipe: Recipe) -> String {
  recipe.generatedContent.jsonString + Recipe.generationSchema.debugDescription
}

nonisolated func read(_ content: GeneratedContent) throws -> Recipe.PartiallyGenerated {
  try Recipe.PartiallyGenerated(content)
}
