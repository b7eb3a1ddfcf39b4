// Which build this processor runs, and the look-up of a kernel in it.
#include "exec/lanes/lane_kernels.h"

#include "base/host/processor.h"

static wm_lane_function *find_in(const struct wm_lane_list *list, uint64_t packed)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->entries[i].key == packed)
            return list->entries[i].function;
    return NULL;
}

wm_lane_function *wm_lane_find(enum wm_lane_isa isa, const struct wm_lane_key *key)
{
    enum wm_ptx_opcode opcode;
    uint64_t packed;
    if (!wm_lane_key_pack(key, &opcode, &packed))
        return NULL;
    wm_lane_function *function = NULL;
    if (isa == WM_HOST_AVX512)
        function = find_in(&wm_lane_lists_avx512[opcode], packed);
    if (!function && isa != WM_HOST_C)
        function = find_in(&wm_lane_lists_avx2[opcode], packed);
    return function ? function : find_in(&wm_lane_lists_c[opcode], packed);
}

_Static_assert((int)WM_HOST_C == (int)WM_PROCESSOR_C &&
                   (int)WM_HOST_AVX2 == (int)WM_PROCESSOR_AVX2 &&
                   (int)WM_HOST_AVX512 == (int)WM_PROCESSOR_AVX512,
               "builds of the lanes are those of base/host/processor.h");

const char *wm_host_isa_name(enum wm_lane_isa isa)
{
    return wm_processor_isa_name((enum wm_processor_isa)isa);
}

enum wm_lane_isa wm_host_best_isa(void)
{
    enum wm_processor_isa best = wm_processor_best();
    return best > WM_PROCESSOR_AVX512 ? WM_HOST_AVX512 : (enum wm_lane_isa)best;
}
