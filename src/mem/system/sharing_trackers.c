// Sharing trackers as parts of a memory system: building, and what the host and
// launches do to them.
#include "base/containers/array.h"
#include "mem/system/memory.h"
#include "mem/system/memory_state.h"

#include <inttypes.h>
#include <stdlib.h>

enum wm_status wm_memory_trackers_init(struct wm_memory *memory, struct wm_error *error)
{
    const struct wm_tracker_spec *spec = &memory->spec.levels[WM_LEVEL_L1].tracker;
    if (!spec->present)
        return WM_OK;
    uint32_t count = memory->gpus * wm_sm_groups(memory->spec.sm_count, spec->sms_each);
    WM_TRY(WM_ARRAY_NEW(memory->trackers, count, error, "%" PRIu32 " trackers", count));
    for (; memory->tracker_count < count; memory->tracker_count++)
        WM_TRY(wm_tracker_init(&memory->trackers[memory->tracker_count], spec,
                               memory->levels[WM_LEVEL_L1].count, error));
    return WM_OK;
}

void wm_memory_trackers_release(struct wm_memory *memory)
{
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        wm_tracker_release(&memory->trackers[i]);
    free(memory->trackers);
    wm_line_versions_free(memory->versions);
}

void wm_memory_trackers_flush(struct wm_memory *memory)
{
    for (uint32_t i = 0; i < memory->tracker_count; i++)
        wm_tracker_flush(&memory->trackers[i]);
}

struct wm_line_versions *wm_memory_check_versions(struct wm_memory *memory)
{
    if (memory->trackers != NULL && memory->versions == NULL)
        memory->versions = wm_line_versions_new(memory->spec.levels[WM_LEVEL_L1].units_each,
                                                memory->spec.levels[WM_LEVEL_L1].tracker.sms_each);
    return memory->versions;
}
