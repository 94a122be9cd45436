// The compute kernels: raw blocks in, floats out. No allocation outside the pool, no file access,
// no policy; callers pass shapes that they have validated.
#pragma once

#include "ck_types.h"
#include "ck_cpu.h"
#include "ck_matmul.h"
#include "ck_float.h"
#include "ck_interleave.h"
#include "ck_pool.h"
#include "ck_parallel.h"
#include "ck_machine.h"
#include "ck_pack.h"
