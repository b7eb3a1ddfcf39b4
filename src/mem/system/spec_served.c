// What a description may say that the engines do not do yet.
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_spec_check_parts.h"

#include <stdbool.h>

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
