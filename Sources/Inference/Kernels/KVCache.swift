internal import CKernels

internal import Foundation

/// What keys and values are kept in.
public enum KeyValueType: Sendable, Hashable {
  /// Half the memory, and half of what a token reads after a long text; 11 bits of precision.
  case float16
  /// Keys and values as they were computed.
  case float32

  /// Bytes of one element.
  package var byteCount: Int { ck_kv_bytes(kernelType) }

  var kernelType: ck_kv_type {
    switch self {
    case .float16: CK_KV_F16
    case .float32: CK_KV_F32
    }
  }
}

/// Keys and values of the tokens seen so far.
///
/// One allocation, `[layer, key or value, kvHead, position, headDim]`. The system gives pages
/// only when they are first written, so an unused context costs address space, not memory.
/// Belongs to one forward pass at a time.
@safe
package final class KVCache: @unchecked Sendable {
  /// Positions that fit.
  package let capacity: Int
  /// Positions that hold a token's keys and values.
  package private(set) var count = 0
  /// What they are kept in.
  package let type: KeyValueType
  /// Bytes of the whole allocation.
  package let bytes: Int

  private let base: UnsafeMutableRawPointer
  private let layers: [LayerLayout]

  private struct LayerLayout {
    var keys: Int  // offset in elements
    var values: Int
    var heads: Int
    var headDim: Int
  }

  /// An empty cache for `capacity` tokens of the model.
  ///
  /// - Throws: `contextTooLarge` when the size is not a sensible number, `outOfMemory`.
  package init(
    _ configuration: ModelConfiguration, capacity: Int, type: KeyValueType = .float16
  ) throws(InferenceError) {
    guard capacity >= 1, capacity <= configuration.maximumContextSize else {
      throw .contextTooLarge(requested: capacity, limit: configuration.maximumContextSize)
    }
    var layers: [LayerLayout] = []
    var elements = 0
    for layer in configuration.layers {
      // Cannot overflow: capacity <= 2^24, heads and sizes <= 2^16, layers <= 512.
      let size = layer.keyValueHeads * capacity * layer.headDim
      layers.append(
        LayerLayout(
          keys: elements, values: elements + size, heads: layer.keyValueHeads,
          headDim: layer.headDim))
      elements += 2 * size
    }
    var memory: UnsafeMutableRawPointer?
    let bytes = elements * type.byteCount
    guard unsafe posix_memalign(&memory, 4096, bytes) == 0, let memory = unsafe memory else {
      throw .outOfMemory(bytes: bytes, purpose: "KV cache of \(capacity) tokens")
    }
    self.capacity = capacity
    self.type = type
    self.layers = layers
    self.bytes = bytes
    unsafe base = memory
  }

  deinit { unsafe free(base) }

  /// Forgets every token from `position` on.
  package func truncate(to position: Int) {
    precondition(position >= 0 && position <= count)
    count = position
  }

  /// Counts `tokens` more as present, after every layer has stored them.
  func advance(by tokens: Int) {
    precondition(count + tokens <= capacity)
    count += tokens
  }

  /// Keys and values of one layer, `[kvHead, capacity, headDim]`; `holding` positions are read.
  func layer(
    _ index: Int, holding positions: Int
  ) -> (keys: UnsafeRawPointer, values: UnsafeRawPointer) {
    let (keys, values) = unsafe mutableLayer(index, holding: positions)
    return (UnsafeRawPointer(keys), UnsafeRawPointer(values))
  }

  /// The same to be written.
  func mutableLayer(
    _ index: Int, holding positions: Int
  ) -> (keys: UnsafeMutableRawPointer, values: UnsafeMutableRawPointer) {
    precondition(positions <= capacity)
    let layer = layers[index]
    return unsafe (base + layer.keys * type.byteCount, base + layer.values * type.byteCount)
  }
}
