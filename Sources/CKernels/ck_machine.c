#define _POSIX_C_SOURCE 199309L  // clock_gettime

#include "ck_machine.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "ck_cpu.h"
#include "ck_simd.h"
#include "ck_tiles_amx.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

// The compiler must take a value to be unknown here, so it can neither fold nor hoist its use.
#if defined(__aarch64__)
#define UNKNOWN(vector) __asm__ volatile("" : "+w"(vector))
#elif defined(__x86_64__)
#define UNKNOWN(vector) __asm__ volatile("" : "+v"(vector))
#else
#define UNKNOWN(vector) __asm__ volatile("" : "+r"(vector))
#endif

// Enough independent sums for every unit and its latency, few enough for the registers.
enum { SUMS = 12 };

// Operations that one call of a loop does; the result goes to `sink`.
typedef double (*peak_loop)(size_t rounds, void *sink);

// --- floats ---

// acc = acc * a + b with vectors of `lanes` floats.
#define F32_LOOP(name, target, lanes)                                                       \
  target static double name(size_t rounds, void *sink) {                                    \
    typedef float vector __attribute__((vector_size(4 * lanes)));                           \
    vector sums[SUMS], a, b;                                                                \
    for (int i = 0; i < lanes; i++) a[i] = 0.5f, b[i] = 1.0f;                               \
    for (int j = 0; j < SUMS; j++) sums[j] = b;                                             \
    for (size_t r = 0; r < rounds; r++) {                                                   \
      CK_UNROLL                                                                             \
      for (int j = 0; j < SUMS; j++) {                                                      \
        sums[j] = sums[j] * a + b;                                                          \
        UNKNOWN(sums[j]);                                                                   \
      }                                                                                     \
    }                                                                                       \
    memcpy(sink, sums, sizeof sums);                                                        \
    return 2.0 * lanes * SUMS * (double)rounds;                                             \
  }

// --- memory ---

// Wide loads with several sums, so that neither instructions nor additions hold the loads back.
#define READ_LOOP(name, target)                                                             \
  target static uint64_t name(const unsigned char *bytes, size_t count) {                   \
    typedef uint64_t vector __attribute__((vector_size(64)));                               \
    typedef uint64_t loose __attribute__((vector_size(64), aligned(1), may_alias));         \
    vector a = {0}, b = {0}, c = {0}, d = {0};                                              \
    for (size_t i = 0; i + 256 <= count; i += 256) {                                        \
      const loose *line = (const loose *)(bytes + i);                                       \
      a ^= line[0], b ^= line[1], c ^= line[2], d ^= line[3];                               \
    }                                                                                       \
    a ^= b ^ c ^ d;                                                                         \
    return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];                           \
  }

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define AMX __attribute__((target("amx-tile,amx-bf16")))

F32_LOOP(f32_avx2, AVX2, 8)
F32_LOOP(f32_avx512, AVX512, 16)
READ_LOOP(read_avx2, AVX2)
READ_LOOP(read_avx512, AVX512)

AVX2 static double int8_avx2(size_t rounds, void *sink) {
  __m256i sums[SUMS], w = _mm256_set1_epi8(3), x = _mm256_set1_epi8(-2);
  const __m256i ones = _mm256_set1_epi16(1);
  for (int j = 0; j < SUMS; j++) sums[j] = _mm256_setzero_si256();
  for (size_t r = 0; r < rounds; r++) {
    CK_UNROLL
    for (int j = 0; j < SUMS; j++) {
      UNKNOWN(w);
      const __m256i pairs = _mm256_maddubs_epi16(w, x);
      sums[j] = _mm256_add_epi32(sums[j], _mm256_madd_epi16(pairs, ones));
    }
  }
  memcpy(sink, sums, sizeof sums);
  return 2.0 * 32 * SUMS * (double)rounds;
}

AVX512 static double int8_vnni(size_t rounds, void *sink) {
  __m512i sums[SUMS], w = _mm512_set1_epi8(3);
  const __m512i x = _mm512_set1_epi8(-2);
  for (int j = 0; j < SUMS; j++) sums[j] = _mm512_setzero_si512();
  for (size_t r = 0; r < rounds; r++) {
    CK_UNROLL
    for (int j = 0; j < SUMS; j++) {
      sums[j] = _mm512_dpbusd_epi32(sums[j], w, x);
      UNKNOWN(sums[j]);
    }
  }
  memcpy(sink, sums, sizeof sums);
  return 2.0 * 64 * SUMS * (double)rounds;
}

// A 2 x 2 block of sums: two tiles of weights and two of activations are loaded for four products.
AMX static double bf16_tiles(size_t rounds, void *sink) {
  enum { TILE = 1024, ROW = 64, PAIRS = 4 };
  _Alignas(64) static const unsigned char data[4 * PAIRS * TILE] = {1};
  ck_tiles_begin();
  _tile_zero(0), _tile_zero(1), _tile_zero(2), _tile_zero(3);
  for (size_t r = 0; r < rounds; r++) {
    const unsigned char *at = data + (r % PAIRS) * 4 * TILE;
    _tile_loadd(4, at, ROW);
    _tile_loadd(5, at + TILE, ROW);
    _tile_loadd(6, at + 2 * TILE, ROW);
    _tile_loadd(7, at + 3 * TILE, ROW);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sink, ROW);
  ck_tiles_end();
  return 2.0 * 16 * 16 * 32 * 4 * (double)rounds;
}

#elif defined(__aarch64__)

F32_LOOP(f32_neon, , 4)
READ_LOOP(read_neon, )

static double int8_neon(size_t rounds, void *sink) {
  int32x4_t sums[SUMS];
  int8x8_t w = vdup_n_s8(3), x = vdup_n_s8(-2);
  for (int j = 0; j < SUMS; j++) sums[j] = vdupq_n_s32(0);
  for (size_t r = 0; r < rounds; r++) {
    CK_UNROLL
    for (int j = 0; j < SUMS; j++) {
      UNKNOWN(w);
      sums[j] = vpadalq_s16(sums[j], vmull_s8(w, x));
    }
  }
  memcpy(sink, sums, sizeof sums);
  return 2.0 * 8 * SUMS * (double)rounds;
}

__attribute__((target("dotprod"))) static double int8_dotprod(size_t rounds, void *sink) {
  int32x4_t sums[SUMS];
  const int8x16_t w = vdupq_n_s8(3), x = vdupq_n_s8(-2);
  for (int j = 0; j < SUMS; j++) sums[j] = vdupq_n_s32(0);
  for (size_t r = 0; r < rounds; r++) {
    CK_UNROLL
    for (int j = 0; j < SUMS; j++) {
      sums[j] = vdotq_s32(sums[j], w, x);
      UNKNOWN(sums[j]);
    }
  }
  memcpy(sink, sums, sizeof sums);
  return 2.0 * 16 * SUMS * (double)rounds;
}

__attribute__((target("i8mm"))) static double int8_i8mm(size_t rounds, void *sink) {
  int32x4_t sums[SUMS];
  const int8x16_t w = vdupq_n_s8(3), x = vdupq_n_s8(-2);
  for (int j = 0; j < SUMS; j++) sums[j] = vdupq_n_s32(0);
  for (size_t r = 0; r < rounds; r++) {
    CK_UNROLL
    for (int j = 0; j < SUMS; j++) {
      sums[j] = vmmlaq_s32(sums[j], w, x);
      UNKNOWN(sums[j]);
    }
  }
  memcpy(sink, sums, sizeof sums);
  return 2.0 * 32 * SUMS * (double)rounds;
}

#endif

READ_LOOP(read_portable, )

// --- choice ---

typedef struct peak {
  const char *name;
  peak_loop loop;
} peak;

static peak find(ck_peak what) {
  const ck_isa isa = ck_isa_active();
  (void)isa;
#if defined(__x86_64__)
  const bool wide = isa == CK_ISA_AVX512 || isa == CK_ISA_AMX;
  if (isa == CK_ISA_SCALAR) return (peak){0};
  switch (what) {
    case CK_PEAK_F32: return wide ? (peak){"AVX-512", f32_avx512} : (peak){"FMA", f32_avx2};
    case CK_PEAK_INT8: return wide ? (peak){"VNNI", int8_vnni} : (peak){"AVX2", int8_avx2};
    case CK_PEAK_TILES:
      return isa == CK_ISA_AMX ? (peak){"AMX, bfloat16", bf16_tiles} : (peak){0};
    default: break;
  }
#elif defined(__aarch64__)
  if (isa == CK_ISA_SCALAR) return (peak){0};
  if (what == CK_PEAK_F32) return (peak){"NEON", f32_neon};
  if (what == CK_PEAK_INT8 && isa == CK_ISA_I8MM) return (peak){"i8mm", int8_i8mm};
  if (what == CK_PEAK_INT8 && isa == CK_ISA_DOTPROD) return (peak){"dotprod", int8_dotprod};
  if (what == CK_PEAK_INT8) return (peak){"NEON", int8_neon};
#else
  (void)what;
#endif
  return (peak){0};
}

const char *ck_peak_name(ck_peak what) { return find(what).name; }

static uint64_t read_bytes(const unsigned char *bytes, size_t count) {
#if defined(__x86_64__)
  const ck_isa isa = ck_isa_active();
  if (isa == CK_ISA_AVX512 || isa == CK_ISA_AMX) return read_avx512(bytes, count);
  if (ck_isa_active() == CK_ISA_AVX2) return read_avx2(bytes, count);
#elif defined(__aarch64__)
  if (ck_isa_active() != CK_ISA_SCALAR) return read_neon(bytes, count);
#endif
  return read_portable(bytes, count);
}

// --- measuring ---

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct peak_job {
  peak_loop loop;
  size_t rounds;
} peak_job;

static void run_loop(void *context, size_t index, size_t worker) {
  (void)index, (void)worker;
  const peak_job *job = context;
  _Alignas(64) unsigned char sink[SUMS * 64 + 1024];
  job->loop(job->rounds, sink);
  __asm__ volatile("" : : "r"(sink) : "memory");
}

double ck_peak_rate(ck_pool *pool, ck_peak what) {
  // Long beside the time to wake a thread, short beside a scheduler's time slice.
  const double least = 0.01;
  peak_job job = {find(what).loop, 1000};
  if (job.loop == NULL) return 0;
  const size_t threads = ck_pool_threads(pool);
  _Alignas(64) unsigned char sink[SUMS * 64 + 1024];
  const double per_round = job.loop(1, sink);
  for (;;) {
    const double start = seconds();
    ck_pool_run(pool, threads, run_loop, &job);
    const double time = seconds() - start;
    if (time >= least) return per_round * (double)job.rounds * (double)threads / time;
    job.rounds *= 2;
  }
}

enum { READ_PART = 1 << 20 };

typedef struct read_job {
  const unsigned char *bytes;
  size_t count;
  size_t part;
} read_job;

static void read_part(void *context, size_t index, size_t worker) {
  (void)worker;
  const read_job *job = context;
  const size_t start = index * job->part;
  const size_t rest = job->count - start;
  const uint64_t sum = read_bytes(job->bytes + start, rest < job->part ? rest : job->part);
  __asm__ volatile("" : : "r"(sum));
}

double ck_read_rate(ck_pool *pool, const void *buffer, size_t bytes) {
  read_job job = {buffer, bytes, READ_PART};
  const double start = seconds();
  ck_pool_run(pool, (bytes + READ_PART - 1) / READ_PART, read_part, &job);
  return (double)bytes / (seconds() - start);
}
