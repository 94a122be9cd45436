/// A binary heap of merge candidates, the best one first.
///
/// The key orders candidates: rank (or reversed score) in the upper half, position in the lower,
/// so that equally good merges apply from left to right. Outdated candidates stay in the heap;
/// whoever takes one out checks whether it still describes the present symbols.
struct MergeQueue {
  struct Candidate {
    var key: UInt64
    /// What the taker compares with the present state.
    var check: UInt32
  }

  private var heap: [Candidate] = []

  mutating func removeAll() { heap.removeAll(keepingCapacity: true) }

  mutating func reserve(_ count: Int) { heap.reserveCapacity(count) }

  /// - Complexity: O(log *n*).
  mutating func push(_ candidate: Candidate) {
    heap.append(candidate)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[parent].key > candidate.key else { break }
      heap[child] = heap[parent]
      child = parent
    }
    heap[child] = candidate
  }

  /// Takes out the candidate with the smallest key.
  ///
  /// - Complexity: O(log *n*).
  mutating func pop() -> Candidate? {
    guard let best = heap.first, let last = heap.popLast() else { return nil }
    let count = heap.count
    if count == 0 { return best }
    var parent = 0
    while true {
      var child = parent * 2 + 1
      guard child < count else { break }
      if child + 1 < count, heap[child + 1].key < heap[child].key { child += 1 }
      guard heap[child].key < last.key else { break }
      heap[parent] = heap[child]
      parent = child
    }
    heap[parent] = last
    return best
  }
}
