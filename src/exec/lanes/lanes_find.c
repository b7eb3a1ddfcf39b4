// Which build this processor runs, and the look-up of a kernel in it.
#include "exec/lanes/lane_kernels.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

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

// F16C, of which not every compiler's __builtin_cpu_supports knows (leaf 1, ecx bit 29).
static bool converts_halves(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1);
}

// The features that meson.build compiles each build for.
static bool processor_has(enum wm_lane_isa isa)
{
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi2") && converts_halves();
    switch (isa) {
    case WM_HOST_AVX512:
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case WM_HOST_AVX2: return avx2;
    default: return true;
    }
}

const char *wm_host_isa_name(enum wm_lane_isa isa)
{
    static const char *const names[WM_HOST_ISA_COUNT] = {"c", "avx2", "avx512"};
    return names[isa];
}

enum wm_lane_isa wm_host_best_isa(void)
{
    enum wm_lane_isa limit = WM_HOST_AVX512;
    const char *wanted = getenv("WARPMEM_ISA");
    for (enum wm_lane_isa isa = WM_HOST_C; wanted && isa < WM_HOST_ISA_COUNT; isa++)
        if (strcmp(wanted, wm_host_isa_name(isa)) == 0)
            limit = isa;
    while (!processor_has(limit))
        limit--;
    return limit;
}
