// What a description may say that the access path does not do yet.
#include "mem/system/memory_spec_check_parts.h"

#include <stdbool.h>

enum wm_status wm_spec_check_served(const struct wm_memory_spec *spec, struct wm_error *error)
{
    static const char draws[] = "\"warpmem machine graph\" draws such machines";
    if (spec->core_count != 0) {
        wm_fail(error, WM_UNSUPPORTED, "CPU cores beside SMs are not run yet");
        return wm_error_hint(error, "leave cpu out; %s", draws);
    }
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        const char *name = wm_level_name(spec, i);
        unsigned serves = spec->levels[i].serves; // beyond what its number says
        if (!spec->levels[i].cache.present)
            continue;
        if (i < WM_LEVELS_NAMED ? serves != 0 : (serves & ~(unsigned)WM_SERVES_DATA) != 0) {
            wm_fail(error, WM_UNSUPPORTED,
                    "no unit's accesses are given to the level %s yet, as "
                    "its key serves has it",
                    name);
            return wm_error_hint(error, "leave serves as it is by default; %s", draws);
        }
        if (wm_memory_gpus(spec) > 1 && !wm_level_is_plain(spec, i)) {
            wm_fail(error, WM_UNSUPPORTED,
                    "of several GPUs, a level like %s, which stands "
                    "elsewhere than those of other machines, is not run yet",
                    name);
            return wm_error_hint(error, "set gpu.count to 1; %s", draws);
        }
    }
    return WM_OK;
}
