// What a description may say that the engines do not do yet.
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_spec_check_parts.h"

#include <stdbool.h>

// Whether the level stands where the clock engine has it: L1s and side caches of SMs above one L2
// of slices, or above memory.
static bool is_where_it_is_served(const struct wm_memory_spec *spec, uint32_t number)
{
    const struct wm_level_spec *level = &spec->levels[number];
    bool of_all = wm_level_units_each(spec, number) >= spec->sm_count;
    bool above_l2 = number < WM_LEVEL_L2 && spec->levels[WM_LEVEL_L2].cache.present;
    if (number >= WM_LEVELS_NAMED || level->serves != 0 ||
        wm_level_below(spec, number) != (above_l2 ? WM_LEVEL_L2 : WM_BELOW_MEMORY))
        return false;
    return number == WM_LEVEL_L2 ? of_all : level->units_each != WM_UNITS_ALL;
}

enum wm_status wm_spec_check_served(const struct wm_memory_spec *spec, struct wm_error *error)
{
    if (spec->core_count == 0)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "CPU cores beside SMs are not run yet");
    return wm_error_hint(error, "leave cpu out; \"warpmem machine graph\" draws such machines");
}

bool wm_memory_spec_has_usual_levels(const struct wm_memory_spec *spec)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present && !is_where_it_is_served(spec, i))
            return false;
    return true;
}
