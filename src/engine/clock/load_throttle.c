// Where a machine throttles loads: an SM's warps whose loads wait (sm/lost_locality.h), and what
// they lost in its L1 (mem/timed/victim_tags.h).
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include "mem/system/memory_components.h"

#include <stdlib.h>
#include <string.h>

struct wm_clock_throttle {
    struct wm_lost_locality lost;
    struct wm_victim_tags tags;
    uint64_t held[WM_LOST_LOCALITY_WARPS / 64]; // as the issue core has it
    uint64_t issued_before;                     // the launch
    struct wm_throttle_counters counters;
};

enum wm_status wm_clock_throttle_init(struct wm_clock_sm *sm, struct wm_error *error)
{
    const struct wm_sm_spec *spec = &sm->clock->machine->sm;
    const struct wm_load_throttle_spec *throttle = &spec->load_throttle;
    if (throttle->kind == WM_THROTTLE_NONE)
        return WM_OK;
    WM_TRY(WM_ARRAY_NEW(sm->throttle, 1, error, "an SM's load throttle"));
    WM_TRY(wm_victim_tags_init(&sm->throttle->tags, spec->max_warps, throttle->tags,
                               throttle->tag_ways, error));
    sm->timed.l1->victim_tags = &sm->throttle->tags;
    return WM_OK;
}

void wm_clock_throttle_release(struct wm_clock_sm *sm)
{
    if (sm->throttle != NULL)
        wm_victim_tags_release(&sm->throttle->tags);
    free(sm->throttle);
}

enum wm_status wm_clock_throttle_launch(struct wm_clock_sm *sm, struct wm_error *error)
{
    struct wm_clock_throttle *throttle = sm->throttle;
    if (throttle == NULL)
        return WM_OK;
    wm_lost_locality_begin(&throttle->lost, &sm->clock->machine->sm.load_throttle);
    memset(throttle->held, 0, sizeof throttle->held);
    throttle->issued_before = sm->core.counters.issued;
    return wm_victim_tags_begin(&throttle->tags, wm_memory_l1(sm->clock->memory, sm->index), error);
}

void wm_clock_throttle_join(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle)
{
    wm_lost_locality_join(&sm->throttle->lost, slot, cycle);
}

void wm_clock_throttle_finish(struct wm_clock_sm *sm, uint32_t slot)
{
    wm_lost_locality_finish(&sm->throttle->lost, slot);
}

void wm_clock_throttle_served(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle)
{
    struct wm_clock_throttle *throttle = sm->throttle;
    if (!throttle->tags.found)
        return;
    throttle->tags.found = false;
    throttle->counters.lost_lines++;
    wm_lost_locality_hit(&throttle->lost, slot, cycle,
                         sm->core.counters.issued - throttle->issued_before);
}

void wm_clock_throttle_find(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_clock_throttle *throttle = sm->throttle;
    if (!wm_lost_locality_is_due(&throttle->lost, cycle))
        return;
    wm_lost_locality_find(&throttle->lost, cycle);
    for (uint32_t word = 0; word < WM_LOST_LOCALITY_WARPS / 64; word++) {
        uint64_t now = throttle->lost.held[word], changed = now ^ throttle->held[word];
        throttle->held[word] = now;
        for (; changed != 0; changed &= changed - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(changed);
            wm_issue_core_hold_loads(&sm->core, word * 64 + bit, (now >> bit & 1) != 0, cycle);
        }
    }
}

uint64_t wm_clock_throttle_next(const struct wm_clock_sm *sm, uint64_t cycle)
{
    const struct wm_lost_locality *lost = &sm->throttle->lost;
    if (sm->core.parked == 0)
        return WM_NEVER;
    return lost->stale || lost->changes < cycle ? cycle : lost->changes;
}

const struct wm_throttle_counters *wm_clock_throttle_counters(const struct wm_clock_sm *sm)
{
    return &sm->throttle->counters;
}

void wm_clock_throttle_update_counters(struct wm_clock_sm *sm)
{
    sm->throttle->counters.held = sm->core.parked_cycles;
}
