import CKernels
import Foundation
import Synchronization
import Testing

/// A pool that lives as long as its owner.
@safe final class TestPool {
  let pointer: OpaquePointer

  init(threads: Int) throws {
    unsafe pointer = try unsafe #require(ck_pool_create(threads))
  }

  deinit { unsafe ck_pool_destroy(pointer) }
}

/// What the parts of a job did.
private final class Tally: Sendable {
  let runs = Mutex<[Int: Int]>([:])
  let workers = Mutex<Set<Int>>([])
  let busy = Mutex<Set<Int>>([])
  let clashes = Atomic<Int>(0)

  func part(_ index: Int, _ worker: Int) {
    if !busy.withLock({ $0.insert(worker).inserted }) { clashes.add(1, ordering: .relaxed) }
    runs.withLock { $0[index, default: 0] += 1 }
    workers.withLock { _ = $0.insert(worker) }
    busy.withLock { _ = $0.remove(worker) }
  }

  func run(_ pool: TestPool, parts: Int) {
    unsafe ck_pool_run(
      pool.pointer, parts,
      { context, index, worker in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Tally>.fromOpaque(context).takeUnretainedValue().part(index, worker)
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}

@Suite struct PoolTests {
  @Test(arguments: [1, 2, 3, 5], [0, 1, 2, 3, 7, 100])
  func everyPartRunsOnce(threads: Int, parts: Int) throws {
    let pool = try TestPool(threads: threads)
    #expect(unsafe ck_pool_threads(pool.pointer) == threads)
    let tally = Tally()
    for job in 1...50 {
      tally.run(pool, parts: parts)
      let runs = tally.runs.withLock { $0 }
      #expect(runs == Dictionary(uniqueKeysWithValues: (0..<parts).map { ($0, job) }))
    }
    #expect(tally.clashes.load(ordering: .relaxed) == 0)
    #expect(tally.workers.withLock { $0.allSatisfy { 0..<threads ~= $0 } })
  }

  @Test func workersWakeFromSleep() throws {
    let pool = try TestPool(threads: 3)
    let tally = Tally()
    for _ in 0..<20 {
      Thread.sleep(forTimeInterval: 0.002)  // longer than the workers poll
      tally.run(pool, parts: 9)
    }
    #expect(tally.runs.withLock { $0.values.allSatisfy { $0 == 20 } && $0.count == 9 })
  }

  @Test func partsRunAtTheSameTime() throws {
    // Each of two parts waits for the other; one thread alone would never end.
    final class Meeting: Sendable {
      let arrived = Atomic<Int>(0)
    }
    let pool = try TestPool(threads: 2)
    let meeting = Meeting()
    unsafe ck_pool_run(
      pool.pointer, 2,
      { context, _, _ in
        guard let context = unsafe context else { return }
        let meeting = unsafe Unmanaged<Meeting>.fromOpaque(context).takeUnretainedValue()
        meeting.arrived.add(1, ordering: .sequentiallyConsistent)
        while meeting.arrived.load(ordering: .sequentiallyConsistent) < 2 {}
      }, Unmanaged.passUnretained(meeting).toOpaque())
    #expect(meeting.arrived.load(ordering: .relaxed) == 2)
  }

  @Test func impossibleSizesAreRefused() {
    #expect(unsafe ck_pool_create(0) == nil)
    #expect(unsafe ck_pool_create(Int(CK_POOL_MAX_THREADS) + 1) == nil)
    ck_pool_destroy(nil)
  }
}
