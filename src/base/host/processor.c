#include "base/host/processor.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

// F16C, of which not every compiler's __builtin_cpu_supports knows (leaf 1, ecx bit 29).
static bool converts_halves(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
}

static enum wm_processor_isa look(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2") || !converts_halves())
        return WM_PROCESSOR_C;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return WM_PROCESSOR_AVX2;
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2")
               ? WM_PROCESSOR_VBMI
               : WM_PROCESSOR_AVX512;
}

// The CPUID instruction leaves a virtual machine, some ten microseconds, so it runs once.
bool wm_processor_runs(enum wm_processor_isa isa)
{
    static atomic_int known; // one more than the best; 0: not yet
    int best = atomic_load_explicit(&known, memory_order_relaxed);
    if (best == 0) {
        best = (int)look() + 1;
        atomic_store_explicit(&known, best, memory_order_relaxed);
    }
    return (int)isa < best;
}
#else
bool wm_processor_runs(enum wm_processor_isa isa)
{
    return isa == WM_PROCESSOR_C;
}
#endif

const char *wm_processor_isa_name(enum wm_processor_isa isa)
{
    static const char *const names[WM_PROCESSOR_ISAS] = {"c", "avx2", "avx512", "avx512"};
    return names[isa];
}

// What the environment allows at most; WM_PROCESSOR_ISAS when it says what is no name.
static enum wm_processor_isa limit(const char *wish)
{
    if (wish == NULL || *wish == '\0')
        return WM_PROCESSOR_ISAS - 1;
    for (int isa = WM_PROCESSOR_ISAS - 1; isa >= 0; isa--)
        if (strcmp(wish, wm_processor_isa_name((enum wm_processor_isa)isa)) == 0)
            return (enum wm_processor_isa)isa;
    return WM_PROCESSOR_ISAS;
}

enum wm_processor_isa wm_processor_best(void)
{
    enum wm_processor_isa isa = limit(getenv("WARPMEM_ISA"));
    if (isa == WM_PROCESSOR_ISAS)
        isa--;
    while (!wm_processor_runs(isa))
        isa--;
    return isa;
}

enum wm_status wm_processor_check(struct wm_error *error)
{
    const char *wish = getenv("WARPMEM_ISA");
    if (limit(wish) != WM_PROCESSOR_ISAS)
        return WM_OK;
    wm_fail(error, WM_INVALID, "\"%.64s\" names none of the builds of the vector code", wish);
    wm_error_place(error, "WARPMEM_ISA");
    return wm_error_hint(error, "set it to c, avx2 or avx512, or leave it out for the best that "
                                "this processor runs");
}
