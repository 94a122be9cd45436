internal import CKernels

internal import Foundation

/// Keys and values of the tokens seen so far, float16.
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
  /// Bytes of the whole allocation.
  package let bytes: Int

  private let base: UnsafeMutableRawPointer
  private let layers: [LayerLayout]

  private struct LayerLayout {
    var keys: Int  // offset in float16 elements
    var values: Int
    var heads: Int
    var headDim: Int
  }

  /// An empty cache for `capacity` tokens of the model.
  ///
  /// - Throws: `contextTooLarge` when the size is not a sensible number, `outOfMemory`.
  package init(_ configuration: ModelConfiguration, capacity: Int) throws(InferenceError) {
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
    guard unsafe posix_memalign(&memory, 4096, elements * 2) == 0, let memory = unsafe memory else {
      throw .outOfMemory(bytes: elements * 2, purpose: "KV cache of \(capacity) tokens")
    }
    self.capacity = capacity
    self.layers = layers
    bytes = elements * 2
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
  ) -> (keys: UnsafePointer<UInt16>, values: UnsafePointer<UInt16>) {
    let (keys, values) = unsafe mutableLayer(index, holding: positions)
    return unsafe (UnsafePointer(keys), UnsafePointer(values))
  }

  /// The same to be written.
  func mutableLayer(
    _ index: Int, holding positions: Int
  ) -> (keys: UnsafeMutablePointer<UInt16>, values: UnsafeMutablePointer<UInt16>) {
    precondition(positions <= capacity)
    let layer = layers[index]
    let half = unsafe base.assumingMemoryBound(to: UInt16.self)
    return unsafe (half + layer.keys, half + layer.values)
  }
}
