// A fork-join pool of threads for the loops inside one forward pass.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct ck_pool ck_pool;

// Runs part `index` of a job; `worker` (0 ..< threads) is unique among the parts running at once.
typedef void (*ck_pool_fn)(void *context, size_t index, size_t worker);

// A pool of `threads` threads in all, the caller's included (threads - 1 are created). NULL when
// threads is 0 or above CK_POOL_MAX_THREADS, or when the system refuses memory or a thread.
enum { CK_POOL_MAX_THREADS = 256 };
ck_pool *ck_pool_create(size_t threads);
void ck_pool_destroy(ck_pool *pool);
size_t ck_pool_threads(const ck_pool *pool);

// Runs fn for index 0 ..< count on all threads and returns when the last has finished. Parts are
// handed out one at a time, so a descheduled worker delays its own part only. Workers spin briefly
// between jobs and then sleep. One job at a time: calls must not overlap or nest.
void ck_pool_run(ck_pool *pool, size_t count, ck_pool_fn fn, void *context);
