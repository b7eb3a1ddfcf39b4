#include "study/run_report/result_sums.h"

bool wm_space_leaves_sm(enum wm_address_space space)
{
    return space == WM_SPACE_GLOBAL || space == WM_SPACE_LOCAL || space == WM_SPACE_TEXTURE;
}

void wm_instruction_counters_add(struct wm_instruction_counters *sum,
                                 const struct wm_instruction_counters *more)
{
#define ADD(name, unit, sentence) sum->name += more->name;
    WM_INSTRUCTION_COUNTERS(ADD)
#undef ADD
}

void wm_instruction_counters_add_result(struct wm_instruction_counters *sum,
                                        const struct wm_instruction_result *instruction)
{
    const struct wm_instruction_counters *more = &instruction->counters;
    if (wm_space_leaves_sm(instruction->space)) {
        wm_instruction_counters_add(sum, more);
        return;
    }
    sum->side_cache_hits += more->side_cache_hits;
    sum->side_cache_misses += more->side_cache_misses;
    sum->l2_hits += more->l2_hits;
    sum->l2_misses += more->l2_misses;
    sum->bytes_l1_l2 += more->bytes_l1_l2;
    sum->bytes_dram += more->bytes_dram;
}

struct wm_instruction_counters wm_kernel_instruction_counters(const struct wm_kernel_result *kernel)
{
    struct wm_instruction_counters sum = {0};
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        wm_instruction_counters_add_result(&sum, &kernel->instructions[i]);
    // Instruction fetches do not go through L1.
    sum.l2_hits += kernel->fetches.l2_hits;
    sum.l2_misses += kernel->fetches.l2_misses;
    sum.bytes_l1_l2 += kernel->fetches.bytes_l1_l2;
    sum.bytes_dram += kernel->fetches.bytes_dram;
    return sum;
}

uint64_t wm_results_sum(const struct wm_results *results, const char *kind, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        sum += wm_component_sum(results->kernels[i].components, results->kernels[i].component_count,
                                kind, name);
    return sum;
}

const char *wm_space_name(enum wm_address_space space)
{
    static const char *const names[] = {
        [WM_SPACE_GLOBAL] = "global",       [WM_SPACE_LOCAL] = "local",
        [WM_SPACE_SHARED] = "shared",       [WM_SPACE_CONSTANT] = "constant",
        [WM_SPACE_PARAMETER] = "parameter", [WM_SPACE_TEXTURE] = "texture",
    };
    return names[space];
}

const char *wm_access_kind_name(enum wm_access_kind kind)
{
    static const char *const names[] = {
        [WM_ACCESS_LOAD] = "load",
        [WM_ACCESS_STORE] = "store",
        [WM_ACCESS_ATOMIC] = "atomic",
        [WM_ACCESS_REDUCTION] = "reduction",
    };
    return names[kind];
}
