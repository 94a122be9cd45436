/// Writes GGUF files, whole or as a split set, for tests and tools.
///
/// It writes what it is told, also what `GGUFFile` refuses: keys, names, value types and the
/// alignment are not judged here, only the size of tensor data.
package struct GGUFWriter {
  private struct Tensor {
    let name: String
    let type: TensorType
    let dimensions: [Int]
    /// Makes the bytes; nil where a `GGUFStream` gets them.
    let data: (() -> [UInt8])?
  }

  /// The format version that is written.
  package var version: UInt32 = 3
  private var entries: [(key: String, value: GGUFValue)] = []
  private var tensors: [Tensor] = []

  /// Begins a file, with `general.architecture` where a name is given.
  package init(architecture: String? = nil) {
    if let architecture { set("general.architecture", .text(architecture)) }
  }

  /// Sets a metadata value; a key that is set again keeps its place.
  package mutating func set(_ key: String, _ value: GGUFValue) {
    if let position = entries.firstIndex(where: { $0.key == key }) {
      entries[position].value = value
    } else {
      entries.append((key, value))
    }
  }

  /// Adds a tensor; `dimensions` begin with the row length, and the bytes must fit them.
  package mutating func add(
    _ name: String, _ type: TensorType, _ dimensions: [Int], bytes: [UInt8]
  ) {
    add(name, type, dimensions) { bytes }
  }

  /// Adds a tensor of 32-bit floats; `dimensions` begin with the row length.
  package mutating func add(_ name: String, _ dimensions: [Int], floats: [Float]) {
    var bytes: [UInt8] = []
    for value in floats { bytes.put(value.bitPattern) }
    add(name, .f32, dimensions, bytes: bytes)
  }

  /// Adds a tensor whose bytes are made when they are written, so that large ones need not stay.
  package mutating func add(
    _ name: String, _ type: TensorType, _ dimensions: [Int], data: @escaping () -> [UInt8]
  ) {
    tensors.append(Tensor(name: name, type: type, dimensions: dimensions, data: data))
  }
}

extension GGUFWriter {
  /// Adds a tensor whose bytes are handed to a `GGUFStream`.
  package mutating func declare(_ name: String, _ type: TensorType, _ dimensions: [Int]) {
    tensors.append(Tensor(name: name, type: type, dimensions: dimensions, data: nil))
  }

  /// Everything before the data with its padding, and the number of bytes of each tensor.
  func layout(for path: String) throws(GGUFError) -> (header: [UInt8], sizes: [Int]) {
    var sizes: [Int] = []
    for tensor in tensors {
      do {
        sizes.append(try TensorInfo.byteCount(type: tensor.type, dimensions: tensor.dimensions))
      } catch {
        throw .cannotWrite(path: path, reason: "tensor \(quoted(tensor.name)): \(error.reason)")
      }
    }
    let header = header(sizes: sizes)
    return (header + padding(after: header.count), sizes)
  }

  /// The zeros that follow so many bytes.
  func padding(after count: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (alignment - count % alignment) % alignment)
  }
}

extension GGUFWriter {
  /// The whole file.
  ///
  /// - Throws: `cannotWrite` where the bytes of a tensor do not fit its shape.
  package func bytes() throws(GGUFError) -> [UInt8] {
    var all: [UInt8] = []
    try emit(for: "bytes in memory") { all.append(contentsOf: $0) }
    return all
  }

  /// Writes the file, replacing one that is there.
  ///
  /// - Throws: `cannotWrite` where the system refuses, or the bytes of a tensor do not fit its shape.
  package func write(to path: String) throws(GGUFError) {
    var output = try OutputFile(path: path)
    try emit(for: path) { (bytes) throws(GGUFError) in try output.append(bytes) }
    try output.finish()
  }

  /// Writes a split set `prefix-00001-of-0000N.gguf`, with so many of the tensors in each file.
  ///
  /// - Returns: the paths of the files.
  /// - Throws: as `write(to:)`.
  @discardableResult
  package func writeSplit(
    prefix: String, tensorCounts: [Int]
  ) throws(GGUFError) -> [String] {
    var rest = tensors[...]
    var paths: [String] = []
    for (index, count) in tensorCounts.enumerated() {
      var shard = GGUFWriter()
      shard.version = version
      shard.entries = entries.filter { index == 0 || $0.key == "general.alignment" }
      shard.set("split.no", .uint16(UInt16(clamping: index)))
      shard.set("split.count", .uint16(UInt16(clamping: tensorCounts.count)))
      shard.set("split.tensors.count", .int32(Int32(clamping: tensors.count)))
      shard.tensors = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      let path = prefix + SplitSet.suffix(index, of: tensorCounts.count)
      try shard.write(to: path)
      paths.append(path)
    }
    return paths
  }
}

extension GGUFWriter {
  /// What tensor data is padded to; 32 where a file states none or an unusable one.
  private var alignment: Int {
    let stated = entries.first { $0.key == "general.alignment" }?.value.integer
    guard let stated, stated > 0, stated.nonzeroBitCount == 1 else { return 32 }
    return stated
  }

  /// Hands the file to `sink`, header first and then tensor by tensor.
  private func emit(
    for path: String, _ sink: ([UInt8]) throws(GGUFError) -> Void
  ) throws(GGUFError) {
    let (header, sizes) = try layout(for: path)
    try sink(header)
    for (tensor, size) in zip(tensors, sizes) {
      let data = tensor.data?() ?? []
      guard data.count == size else {
        let reason = "tensor \(quoted(tensor.name)) needs \(size) bytes, got \(data.count)"
        throw .cannotWrite(path: path, reason: reason)
      }
      try sink(data)
      try sink(padding(after: size))
    }
  }

  private func header(sizes: [Int]) -> [UInt8] {
    var bytes = Array("GGUF".utf8)
    bytes.put(version)
    bytes.put(UInt64(tensors.count))
    bytes.put(UInt64(entries.count))
    for (key, value) in entries {
      bytes.put(string: key.utf8)
      bytes.put(value.type.rawValue)
      bytes.put(value)
    }
    var offset = 0
    for (tensor, size) in zip(tensors, sizes) {
      bytes.put(string: tensor.name.utf8)
      bytes.put(UInt32(tensor.dimensions.count))
      for dimension in tensor.dimensions { bytes.put(UInt64(clamping: dimension)) }
      bytes.put(tensor.type.rawValue)
      bytes.put(UInt64(offset))
      offset += size + padding(after: size).count
    }
    return bytes
  }
}

extension [UInt8] {
  /// Appends an integer, lowest byte first.
  fileprivate mutating func put(_ value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Appends a length and that many bytes.
  fileprivate mutating func put(string: some Collection<UInt8>) {
    put(UInt64(string.count))
    append(contentsOf: string)
  }

  /// Appends a value without its type.
  fileprivate mutating func put(_ value: GGUFValue) {
    switch value {
    case .uint8(let value): put(value)
    case .int8(let value): put(value)
    case .uint16(let value): put(value)
    case .int16(let value): put(value)
    case .uint32(let value): put(value)
    case .int32(let value): put(value)
    case .float32(let value): put(value.bitPattern)
    case .bool(let value): put(value ? 1 as UInt8 : 0)
    case .string(let value): put(string: value)
    case .array(let array): put(array)
    case .uint64(let value): put(value)
    case .int64(let value): put(value)
    case .float64(let value): put(value.bitPattern)
    }
  }

  private mutating func put(_ array: GGUFArray) {
    put(array.elementType.rawValue)
    put(UInt64(array.count))
    if case .string(let strings) = array {
      for string in strings { put(string: string) }
    } else {
      for position in 0..<array.count { put(array[position]) }
    }
  }
}
