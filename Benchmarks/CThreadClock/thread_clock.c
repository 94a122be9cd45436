#define _POSIX_C_SOURCE 199309L  // clock_gettime

#include "thread_clock.h"

#include <time.h>

uint64_t thread_clock_nanoseconds(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
