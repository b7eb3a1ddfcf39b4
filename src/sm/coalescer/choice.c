#include "sm/coalescer/coalescer_parts.h"

#include "base/host/processor.h"

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
    if (isa == WM_COALESCER_AVX512 && !wm_processor_runs(WM_PROCESSOR_AVX512))
        return NULL;
    return builds[isa].function;
}

wm_coalesce_function *wm_coalescer_best(void)
{
    // There is no AVX2 build yet; plain C serves processors without AVX-512.
    bool wide = wm_processor_best() >= WM_PROCESSOR_AVX512;
    return builds[wide ? WM_COALESCER_AVX512 : WM_COALESCER_C].function;
}
