// Counts what a thread asks the C library's allocator for.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Whether counting works here: with glibc, outside of sanitizers, which have allocators of their own.
bool counts_allocations(void);

// Allocations of the calling thread since it started.
size_t allocations_of_this_thread(void);
