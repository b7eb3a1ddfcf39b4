#include "sm/coalescer/coalescer_parts.h"

static const struct {
    const char *name;
    wm_coalesce_function *function;
} builds[WM_COALESCER_ISA_COUNT] = {
    [WM_COALESCER_C] = {"c", wm_coalesce},
    [WM_COALESCER_AVX512] = {"avx512", wm_coalesce_avx512},
};

const char *wm_coalescer_isa_name(enum wm_coalescer_isa isa)
{
    return builds[isa].name;
}

wm_coalesce_function *wm_coalescer_find(enum wm_coalescer_isa isa)
{
    if (isa == WM_COALESCER_AVX512 &&
        !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")))
        return NULL;
    return builds[isa].function;
}

wm_coalesce_function *wm_coalescer_best(void)
{
    const char *wish = getenv("WARPMEM_ISA");
    // There is no AVX2 build yet; plain C serves processors without AVX-512.
    if (wish != NULL && (strcmp(wish, "c") == 0 || strcmp(wish, "avx2") == 0))
        return wm_coalesce;
    wm_coalesce_function *best = wm_coalescer_find(WM_COALESCER_AVX512);
    return best != NULL ? best : wm_coalesce;
}
