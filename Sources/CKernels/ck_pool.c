// A job is handed out by one counter, `left`: a thread that takes it from n > 0 to n - 1 owns part
// count - n, and while it runs that part the job cannot end. So only owners read the job's fields,
// a late worker that finds `left` at 0 touches nothing, and the caller waits for parts that were
// taken, never for a worker that has not woken up.
#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "ck_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// CK_POOL_CONDITION: test on Linux what other systems use.
#if defined(__linux__) && !defined(CK_POOL_CONDITION)
#define CK_POOL_FUTEX 1
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// How long a thread polls before it sleeps. Longer than the gap between two jobs of one forward
// pass, short beside a scheduler's time slice.
enum { SPIN_NANOSECONDS = 20000 };

enum { CACHE_LINE = 128 };

typedef struct worker {
  ck_pool *pool;
  size_t index;
  pthread_t thread;
} worker;

struct ck_pool {
  // Written by the caller while no part is owned, read by owners.
  ck_pool_fn fn;
  void *context;
  uint32_t count;
  size_t threads;
  _Alignas(CACHE_LINE) atomic_uint left;      // parts not handed out
  _Alignas(CACHE_LINE) atomic_uint finished;  // parts done
  _Alignas(CACHE_LINE) atomic_uint epoch;     // rises with every job; idle workers sleep on it
  atomic_uint sleepers;                       // workers asleep or about to be
  atomic_bool caller_sleeps;
  atomic_bool stopping;
#if !CK_POOL_FUTEX
  pthread_mutex_t mutex;
  pthread_cond_t changed;
#endif
  worker workers[];  // [threads]; entry 0 is the caller's and has no thread
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// --- sleeping ---

#if CK_POOL_FUTEX

static bool pool_init_sleep(ck_pool *pool) {
  (void)pool;
  return true;
}

static void pool_end_sleep(ck_pool *pool) { (void)pool; }

// Sleeps while *word is `expected`; may return early.
static void sleep_while(ck_pool *pool, atomic_uint *word, unsigned expected) {
  (void)pool;
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void wake(ck_pool *pool, atomic_uint *word, unsigned sleepers) {
  (void)pool;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, sleepers, NULL, NULL, 0);
}

#else

static bool pool_init_sleep(ck_pool *pool) {
  if (pthread_mutex_init(&pool->mutex, NULL) != 0) return false;
  if (pthread_cond_init(&pool->changed, NULL) == 0) return true;
  pthread_mutex_destroy(&pool->mutex);
  return false;
}

static void pool_end_sleep(ck_pool *pool) {
  pthread_cond_destroy(&pool->changed);
  pthread_mutex_destroy(&pool->mutex);
}

static void sleep_while(ck_pool *pool, atomic_uint *word, unsigned expected) {
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load(word) == expected) pthread_cond_wait(&pool->changed, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

// The mutex makes sure that a sleeper is either before its look at the word or inside the wait.
static void wake(ck_pool *pool, atomic_uint *word, unsigned sleepers) {
  (void)word, (void)sleepers;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->mutex);
}

#endif

// --- parts ---

static bool take_part(ck_pool *pool, uint32_t *left) {
  unsigned now = atomic_load_explicit(&pool->left, memory_order_relaxed);
  while (now > 0) {
    if (atomic_compare_exchange_weak_explicit(&pool->left, &now, now - 1, memory_order_acquire,
                                              memory_order_relaxed)) {
      *left = now;
      return true;
    }
  }
  return false;
}

static void run_parts(ck_pool *pool, size_t worker) {
  uint32_t left;
  while (take_part(pool, &left)) {
    const uint32_t count = pool->count;
    pool->fn(pool->context, count - left, worker);
    // After this the job may be over and the fields another job's.
    const uint32_t finished = atomic_fetch_add(&pool->finished, 1) + 1;
    if (finished == count && atomic_load(&pool->caller_sleeps)) wake(pool, &pool->finished, 1);
  }
}

// Polls until there is a part or the pool stops, for SPIN_NANOSECONDS at most.
static bool spin_for_parts(ck_pool *pool) {
  const uint64_t end = nanoseconds() + SPIN_NANOSECONDS;
  do {
    for (int i = 0; i < 32; i++) {
      if (atomic_load_explicit(&pool->left, memory_order_relaxed) > 0) return true;
      if (atomic_load_explicit(&pool->stopping, memory_order_relaxed)) return true;
      pause_briefly();
    }
  } while (nanoseconds() < end);
  return false;
}

static void *worker_main(void *argument) {
  worker *self = argument;
  ck_pool *pool = self->pool;
  while (!atomic_load(&pool->stopping)) {
    run_parts(pool, self->index);
    if (spin_for_parts(pool)) continue;
    // A job published after `epoch` was read changes it and ends the sleep at once; one published
    // before has set `left`.
    const unsigned epoch = atomic_load(&pool->epoch);
    atomic_fetch_add(&pool->sleepers, 1);
    if (atomic_load(&pool->left) == 0 && !atomic_load(&pool->stopping))
      sleep_while(pool, &pool->epoch, epoch);
    atomic_fetch_sub(&pool->sleepers, 1);
  }
  return NULL;
}

static void wait_for_parts(ck_pool *pool, uint32_t count) {
  uint64_t end = 0;
  for (unsigned polls = 1; atomic_load(&pool->finished) != count; polls++) {
    pause_briefly();
    if (polls % 32 != 0) continue;
    const uint64_t now = nanoseconds();
    if (end == 0) end = now + SPIN_NANOSECONDS;
    if (now < end) continue;
    atomic_store(&pool->caller_sleeps, true);
    const unsigned finished = atomic_load(&pool->finished);
    if (finished != count) sleep_while(pool, &pool->finished, finished);
    atomic_store(&pool->caller_sleeps, false);
  }
}

static void announce(ck_pool *pool, uint32_t parts) {
  atomic_fetch_add(&pool->epoch, 1);
  const unsigned sleepers = atomic_load(&pool->sleepers);
  if (sleepers > 0) wake(pool, &pool->epoch, parts < sleepers ? parts : sleepers);
}

static void run_job(ck_pool *pool, uint32_t count, ck_pool_fn fn, void *context) {
  pool->fn = fn;
  pool->context = context;
  pool->count = count;
  atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
  atomic_store(&pool->left, count);
  announce(pool, count - 1);
  run_parts(pool, 0);
  wait_for_parts(pool, count);
}

// --- the interface ---

static void stop(ck_pool *pool, size_t started) {
  atomic_store(&pool->stopping, true);
  announce(pool, CK_POOL_MAX_THREADS);
  for (size_t i = 1; i < started; i++) pthread_join(pool->workers[i].thread, NULL);
  pool_end_sleep(pool);
  free(pool);
}

ck_pool *ck_pool_create(size_t threads) {
  if (threads == 0 || threads > CK_POOL_MAX_THREADS) return NULL;
  const size_t size = sizeof(ck_pool) + threads * sizeof(worker);
  ck_pool *pool = aligned_alloc(CACHE_LINE, (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
  if (!pool) return NULL;
  memset(pool, 0, size);
  pool->threads = threads;
  if (!pool_init_sleep(pool)) {
    free(pool);
    return NULL;
  }
  for (size_t i = 0; i < threads; i++) {
    worker *w = &pool->workers[i];
    *w = (worker){.pool = pool, .index = i};
    if (i > 0 && pthread_create(&w->thread, NULL, worker_main, w) != 0) {
      stop(pool, i);
      return NULL;
    }
  }
  return pool;
}

void ck_pool_destroy(ck_pool *pool) {
  if (pool) stop(pool, pool->threads);
}

size_t ck_pool_threads(const ck_pool *pool) { return pool->threads; }

void ck_pool_run(ck_pool *pool, size_t count, ck_pool_fn fn, void *context) {
  // The counters have 32 bits.
  if (pool->threads > 1 && count > 1 && count <= UINT32_MAX) {
    run_job(pool, (uint32_t)count, fn, context);
    return;
  }
  for (size_t i = 0; i < count; i++) fn(context, i, 0);
}
