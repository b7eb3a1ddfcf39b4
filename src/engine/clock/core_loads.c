#include "engine/clock/core_loads.h"

#include "base/containers/array.h"

#include <stdlib.h>
#include <string.h>

struct under_way {
    uint8_t served; // enum wm_server, 0: the core's first level
    uint8_t waits;  // parts that waited for bytes from below that
};

struct wm_clock_core_loads {
    uint32_t mask;
    struct under_way items[]; // by tag
};

enum wm_status wm_clock_core_loads_new(const struct wm_core *core,
                                       struct wm_clock_core_loads **loads, struct wm_error *error)
{
    size_t count = core->mask + UINT64_C(1);
    *loads = calloc(1, sizeof **loads + count * sizeof *(*loads)->items);
    if (*loads == NULL)
        return wm_fail_no_memory(error, "a CPU core");
    (*loads)->mask = core->mask;
    return WM_OK;
}

void wm_clock_core_loads_free(struct wm_clock_core_loads *loads)
{
    free(loads);
}

void wm_clock_core_loads_note(struct wm_clock_core_loads *loads, const struct wm_clock_sm *sm,
                              uint32_t tag, enum wm_server served)
{
    const uint8_t *distance = sm->clock->distance;
    const enum wm_server first = WM_SERVED_LEVEL + sm->timed.first;
    struct under_way *it = &loads->items[tag & loads->mask];
    if (tag >> 31 != 0 || served == first)
        return;
    it->waits++;
    if (it->served == 0 || distance[served] > distance[it->served])
        it->served = (uint8_t)served;
}

void wm_clock_core_loads_retired(struct wm_clock_core_loads *loads, const struct wm_clock_sm *sm,
                                 uint32_t segment, const struct wm_core_load *load)
{
    struct under_way *it = &loads->items[load->tag & loads->mask];
    const struct wm_clock_memory_op op = {
        .pc = load->pc,
        .served = it->served != 0 ? it->served : (uint8_t)(WM_SERVED_LEVEL + sm->timed.first),
        .requests_waited = it->waits};
    wm_clock_tally_load(sm->tally, segment, &op, load->cycles);
    *it = (struct under_way){0};
}

void wm_clock_core_loads_abandon(struct wm_clock_core_loads *loads)
{
    if (loads != NULL)
        memset(loads->items, 0, (loads->mask + UINT64_C(1)) * sizeof *loads->items);
}
