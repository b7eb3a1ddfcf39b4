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
    bool is_one = level->slices <= 1;
    bool has_parts = number != WM_LEVEL_L1 && level->victim_lines != 0; // that are L1's alone
    return (number == WM_LEVEL_L2 ? of_all : is_one) && !has_parts;
}

bool wm_memory_spec_has_usual_levels(const struct wm_memory_spec *spec)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present && !is_where_it_is_served(spec, i))
            return false;
    return true;
}

// Whether it is given all that it says it serves: what each access begins at goes by the numbers of
// levels, but for data.
static bool is_given(const struct wm_memory_spec *spec, uint32_t number)
{
    unsigned serves = spec->levels[number].serves; // beyond what its number says
    return number < WM_LEVELS_NAMED ? serves == 0 : (serves & ~(unsigned)WM_SERVES_DATA) == 0;
}

enum wm_status wm_spec_check_served(const struct wm_memory_spec *spec, struct wm_error *error)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        if (!spec->levels[i].cache.present || is_given(spec, i))
            continue;
        wm_fail(error, WM_UNSUPPORTED, "the level %s is not given yet what its key serves says",
                wm_level_name(spec, i));
        return wm_error_hint(error, "leave serves as it is by default; "
                                    "\"warpmem machine graph\" draws such machines");
    }
    return WM_OK;
}
