// Which levels may be scoped: those that accesses of SMs begin at. What excludes what in one level
// is in spec_exclusions.c.
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_spec_check_parts.h"

enum wm_status wm_spec_check_scoped(struct wm_spec_check *check)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const struct wm_checked_level level = wm_spec_checked_level(check, i);
        bool first = (wm_level_serves(check->spec, i) & WM_SERVES_DATA) != 0;
        if (!wm_level_is_scoped(check->spec, i) || (first && level.spec->place == WM_PLACE_GPU))
            continue;
        wm_spec_refuse(check, WM_SPEC_FIELDS(WM_SPEC_OF(&level, coherence)),
                       "{0} is scoped, and no loads and stores of SMs begin at %s", level.name);
        return wm_spec_cure(check,
                            "acquires of SMs concern the level where their accesses begin: set "
                            "{0} to none or mesi");
    }
    return WM_OK;
}
