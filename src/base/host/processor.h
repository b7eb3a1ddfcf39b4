// What the host's processor can do, and which of our builds may run on it: the one place that looks
// at the processor and at the environment variable WARPMEM_ISA.
#ifndef WM_BASE_PROCESSOR_H
#define WM_BASE_PROCESSOR_H

#include "base/error.h"

#include <stdbool.h>

// What code is compiled for, from the least on: a processor that runs one runs all before it.
enum wm_processor_isa {
    WM_PROCESSOR_C,      // what the whole of warpmem is compiled for
    WM_PROCESSOR_AVX2,   // AVX2, FMA, BMI2 and F16C: x86-64-v3
    WM_PROCESSOR_AVX512, // besides AVX-512 F, BW, CD, DQ and VL: x86-64-v4
    WM_PROCESSOR_VBMI,   // besides AVX-512 VBMI and VBMI2; WARPMEM_ISA calls both "avx512"
    WM_PROCESSOR_ISAS
};

// "c", "avx2" or "avx512": what WARPMEM_ISA may say, and reports print.
const char *wm_processor_isa_name(enum wm_processor_isa isa);

// Whether this processor runs code compiled for `isa`, whatever WARPMEM_ISA says: for tests, which
// compare every build that can run.
bool wm_processor_runs(enum wm_processor_isa isa);

// The best that this processor runs, and no better than WARPMEM_ISA says where that is set. Looks
// at the environment at each call: not for hot paths. A value that wm_processor_check refuses
// lowers nothing.
enum wm_processor_isa wm_processor_best(void);

// WM_INVALID when WARPMEM_ISA is set to what is no name of a build; empty is as if not set. Every
// front door calls it before anything is built.
enum wm_status wm_processor_check(struct wm_error *error);

#endif
