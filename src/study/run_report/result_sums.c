#include "study/run_report/result_sums.h"

#include <string.h>

bool wm_space_leaves_sm(enum wm_address_space space)
{
    return space == WM_SPACE_GLOBAL || space == WM_SPACE_LOCAL || space == WM_SPACE_TEXTURE;
}

void wm_instruction_counters_add(struct wm_instruction_counters *sum,
                                 const struct wm_instruction_counters *more)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)more;
    for (size_t i = 0; i < WM_MOST_INSTRUCTION_COUNTERS; i++)
        to[i] += from[i];
}

// What was looked for and moved at the levels alone.
static void add_levels(struct wm_instruction_counters *sum,
                       const struct wm_instruction_counters *more)
{
    struct wm_instruction_counters moved = {.memory_bytes = more->memory_bytes};
    memcpy(moved.levels, more->levels, sizeof moved.levels);
    wm_instruction_counters_add(sum, &moved);
}

void wm_instruction_counters_add_result(struct wm_instruction_counters *sum,
                                        const struct wm_instruction_result *instruction)
{
    if (wm_space_leaves_sm(instruction->space))
        wm_instruction_counters_add(sum, &instruction->counters);
    else
        add_levels(sum, &instruction->counters);
}

struct wm_instruction_counters wm_kernel_instruction_counters(const struct wm_kernel_result *kernel)
{
    struct wm_instruction_counters sum = {0};
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        wm_instruction_counters_add_result(&sum, &kernel->instructions[i]);
    add_levels(&sum, &kernel->fetches);
    return sum;
}

uint32_t wm_place_below_l1(const struct wm_level_list *levels)
{
    uint32_t first = levels->count;
    for (uint32_t i = levels->count; i-- > 0;) {
        if (levels->levels[i].number == WM_LEVEL_L1)
            return levels->levels[i].below;
        if (levels->levels[i].data)
            first = i;
    }
    return first;
}

int wm_compare_moved(const struct wm_level_list *levels, const struct wm_instruction_counters *a,
                     const struct wm_instruction_counters *b)
{
    for (uint32_t place = levels->count + 1; place-- > 0;) {
        uint64_t x = wm_listed_row(levels, place, a).bytes,
                 y = wm_listed_row(levels, place, b).bytes;
        if (x != y)
            return x > y ? 1 : -1;
    }
    return 0;
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
