#include "ck_cpu.h"
