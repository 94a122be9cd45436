#ifndef THREAD_CLOCK_H
#define THREAD_CLOCK_H

#include <stdint.h>

/// Nanoseconds of CPU time this thread has used.
uint64_t thread_clock_nanoseconds(void);

#endif
