import GGUF
import Testing

@Suite struct GGUFErrorTests {
  @Test(
    "A message names the field and the byte, and says what to do",
    arguments: [
      (
        .truncated(field: "value of 'k'", offset: 45, needed: 99, available: 5),
        "The value of 'k' at byte 45 needs 99 bytes but the file has only 5 more. The file is "
          + "damaged or its download did not finish; fetch it again."
      ),
      (
        .invalidKey("a\nb", offset: 24),
        "The metadata key 'a\\nb' at byte 24 must be 1 to 65535 ASCII letters, digits, '.', '_' "
          + "or '-'. The file is malformed; get it from another source or convert the model again."
      ),
      (
        .inShard(path: "b.gguf", .unsupportedVersion(1)),
        "b.gguf: GGUF version 1 at byte 4 is not supported, only 2 and 3 are. "
          + "Convert the model again."
      ),
      (
        .unsupportedTensorType(tensor: "t", offset: 45, id: 4, refusal: .removed),
        "Tensor 't' has type 4 at byte 45, a format that was removed from GGUF. "
          + "Convert the model again with current tools."
      ),
    ] as [(GGUFError, String)])
  func messages(error: GGUFError, message: String) {
    #expect("\(error)" == message)
  }

  @Test("A message shows only the beginning of long text")
  func longText() {
    let key = String(repeating: "k", count: 65_535)
    #expect("\(GGUFError.duplicateKey(key, offset: 24))".count < 250)
    var file = RawFile(entries: 1)
    file.put(text: key)
    #expect(openingError(file.bytes).map { "\($0)".count < 250 } == true)
  }
}
