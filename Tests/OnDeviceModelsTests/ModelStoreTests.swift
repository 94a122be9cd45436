import ConstrainedDecoding
import Foundation
import GGUF
import Inference
import OnDeviceModels
import Testing

@Suite struct ModelStoreTests {
  @Test(arguments: [
    (["HEARTH_MODELS": "/m", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/m/hello.gguf"),
    (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/hearth/models/hello.gguf"),
    (["HEARTH_MODELS": "", "HOME": "/h"], "/h/.local/share/hearth/models/hello.gguf"),
    // The XDG specification: relative paths are invalid and ignored.
    (["XDG_DATA_HOME": "x", "HOME": "/h"], "/h/.local/share/hearth/models/hello.gguf"),
  ])
  func folderFollowsTheEnvironment(_ environment: [String: String], _ path: String) {
    #expect(ModelStore(environment: environment).path(for: .hello).path == path)
  }

  @Test(arguments: [[:], ["HOME": ""]])
  func withoutHomeTheFolderIsStillAbsolute(_ environment: [String: String]) {
    let path = ModelStore(environment: environment).path(for: .hello).path
    #expect(path.hasPrefix("/") && path.hasSuffix("/.local/share/hearth/models/hello.gguf"))
  }

  @Test func presenceIsAFileOfTheRightSize() throws {
    let folder = try TemporaryFolder()
    let store = ModelStore(folder: folder.url)
    #expect(!store.isPresent(.hello))
    try folder.write("hello worl", to: "hello.gguf")
    #expect(!store.isPresent(.hello))
    try folder.write("hello_world", to: "hello.gguf")
    #expect(store.isPresent(.hello))
  }

  @Test func aLinkToTheFileIsPresent() throws {
    let folder = try TemporaryFolder()
    let elsewhere = try folder.write("hello world", to: "elsewhere")
    try FileManager.default.createSymbolicLink(
      at: folder.file("hello.gguf"), withDestinationURL: elsewhere)
    #expect(ModelStore(folder: folder.url).isPresent(.hello))
  }

  @Test func verifyReadsTheFile() async throws {
    let folder = try TemporaryFolder()
    let store = ModelStore(folder: folder.url)
    let path = store.path(for: .hello).path
    await #expect(throws: ModelStoreError.notPulled(name: "hello", path: path)) {
      try await store.verify(.hello)
    }
    try folder.write("hello", to: "hello.gguf")
    await #expect(throws: ModelStoreError.wrongSize(path: path, expected: 11, actual: 5)) {
      try await store.verify(.hello)
    }
    try folder.write("hello_world", to: "hello.gguf")
    await #expect(
      throws: ModelStoreError.wrongChecksum(
        path: path, expected: ModelCatalog.Entry.hello.sha256,
        // printf hello_world | sha256sum
        actual: "35072c1ae546350e0bfa7ab11d49dc6f129e72ccd57ec7eb671225bbd197c8f1")
    ) {
      try await store.verify(.hello)
    }
    try folder.write("hello world", to: "hello.gguf")
    try await store.verify(.hello)
  }

  @Test func locateTakesNamesAndPaths() throws {
    let folder = try TemporaryFolder()
    let store = ModelStore(folder: folder.url)
    let catalog = ModelCatalog(models: [.hello])
    let path = store.path(for: .hello).path
    #expect(throws: ModelStoreError.notPulled(name: "hello", path: path)) {
      try store.locate("hi", in: catalog)
    }
    try folder.write("hello world", to: "hello.gguf")
    #expect(try store.locate("HI", in: catalog).path == path)
    let other = try folder.write("x", to: "other file.gguf")
    #expect(try store.locate(other.path, in: catalog).path == other.path)
  }

  @Test(arguments: ["nothing", "/nowhere/x.gguf", ""])
  func locateNamesTheModelsItKnows(_ name: String) throws {
    let store = ModelStore(folder: try TemporaryFolder().url)
    #expect(throws: ModelStoreError.unknownModel(name: name, known: ["hello"])) {
      try store.locate(name, in: ModelCatalog(models: [.hello]))
    }
  }

  @Test func aFileOfAnotherSizeIsDamagedNotAbsent() throws {
    let folder = try TemporaryFolder()
    let store = ModelStore(folder: folder.url)
    try folder.write("hello", to: "hello.gguf")
    let error = #expect(throws: ModelStoreError.self) {
      try store.locate("hello", in: ModelCatalog(models: [.hello]))
    }
    let path = store.path(for: .hello).path
    #expect(error == .damaged(name: "hello", path: path, expected: 11, actual: 5))
    let text = String(describing: error)
    #expect(text.contains("damaged") && text.contains("hearth models pull hello"))
  }

  @Test(arguments: ["hello", "/", "/etc/passwd/x"])
  func whatIsNoFileIsSaidInPlainWords(_ name: String) throws {
    let folder = try TemporaryFolder()
    let store = ModelStore(folder: folder.url)
    try FileManager.default.createDirectory(
      at: folder.file("hello.gguf"), withIntermediateDirectories: false)
    let error = #expect(throws: ModelStoreError.self) {
      try store.locate(name, in: ModelCatalog(models: [.hello]))
    }
    guard case .fileSystem(let path, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path.hasSuffix(name == "hello" ? "hello.gguf" : name))
    #expect(reason.contains(name == "/etc/passwd/x" ? "a file, not a folder" : "it is a folder"))
  }

  @Test func localizedDescriptionsSayWhatTheErrorsSay() {
    let errors: [any Error] = [
      GGUFError.cannotRead(path: "/m", reason: "it is a folder, not a file"),
      InferenceError.missingTensor(name: "output.weight"), PromptError.noTemplate,
      GrammarError.field(path: "a", reason: "is no string"),
      ModelStoreError.notPulled(name: "hello", path: "/m"),
      OnDeviceModelError.damaged(name: "hello", path: "/m", expected: 11, actual: 5),
    ]
    for error in errors { #expect(error.localizedDescription == "\(error)") }
  }

  /// The digests are the published ones of FIPS 180-2 (`abc`, empty) and of coreutils.
  @Test(arguments: [
    ("", "plain", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "plain", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("abc", "-c", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("abc", "a\\b\nc d", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func checksumIsSHA256(_ text: String, _ name: String, _ digest: String) async throws {
    let folder = try TemporaryFolder()
    #expect(try await Checksum.sha256(of: try folder.write(text, to: name)) == digest)
  }

  @Test func checksumOfAnAbsentFileIsAnError() async throws {
    let file = try TemporaryFolder().file("absent")
    await #expect(throws: ModelStoreError.self) { try await Checksum.sha256(of: file) }
  }

  @Test(
    .enabled("skipped: no model of the catalog is in the store, see 'hearth models pull'") {
      !pulled.isEmpty
    })
  func pulledModelsOfTheCatalogVerify() async throws {
    for entry in Self.pulled { try await ModelStore().verify(entry) }
  }

  private static var pulled: [ModelCatalog.Entry] {
    ModelCatalog.builtIn.models.filter { ModelStore().isPresent($0) }
  }
}
