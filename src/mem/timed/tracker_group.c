#include "mem/timed/tracker_group.h"

#include "mem/system/memory_state.h"

void wm_timed_tracker_evicted(struct wm_timed_l1 *l1, const struct wm_cache_victim *victim)
{
    if (victim->valid != 0)
        wm_tracker_remove(l1->sharing->tracker, victim->line, l1->sm);
}

int32_t wm_timed_tracker_look_up(struct wm_timed_l1 *l1, uint64_t line, uint32_t sectors,
                                 struct wm_instruction_counters *instruction_counters)
{
    struct wm_sharing_tracker *tracker = l1->sharing->tracker;
    int32_t holder = wm_tracker_look_up(tracker, line, l1->sm);
    if (holder == WM_TRACKER_NONE)
        return holder;
    struct wm_tracker_counters *counters = wm_tracker_counters_of(tracker, line);
    counters->remote_sectors += wm_count_sectors(sectors);
    counters->remote_bytes += wm_sector_bytes(sectors);
    instruction_counters->tracker_sectors += wm_count_sectors(sectors);
    return holder;
}

void wm_timed_tracker_written(struct wm_timed_l1 *l1, uint64_t line)
{
    const struct wm_timed_tracker_group *sharing = l1->sharing;
    if (l1->memory->spec.levels[WM_LEVEL_L1].tracker.keeps_on_write) {
        if (wm_cache_find(wm_l1_cache_of(l1), line, line) < 0)
            wm_tracker_remove(sharing->tracker, line, l1->sm);
        return;
    }
    wm_tracker_clear(sharing->tracker, line);
    // Bytes that are on their way may be older than this.
    for (uint32_t i = 0; i < sharing->count; i++) {
        struct wm_mshr_entry *entry = wm_mshr_find(&sharing->l1s[i]->timed.mshr, line);
        if (entry != NULL)
            entry->outdated = true;
    }
}

bool wm_timed_tracker_completes(const struct wm_timed_l1 *l1, uint64_t line, uint32_t sectors)
{
    const struct wm_mshr_entry *entry = wm_mshr_find(&l1->timed.mshr, line);
    return entry->allocates && !entry->outdated && (entry->pending & ~sectors) == 0;
}

void wm_timed_tracker_filled(struct wm_timed_l1 *l1, uint64_t line)
{
    if (wm_cache_find(wm_l1_cache_of(l1), line, line) >= 0)
        wm_tracker_add(l1->sharing->tracker, line, l1->sm);
}
