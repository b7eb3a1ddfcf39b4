#include "mem/timed/level/tracker.h"

#include "mem/system/memory_state.h"

// Among those of its level.
static uint32_t number_of(const struct wm_timed_level *level)
{
    return (uint32_t)(level->timed.cache - level->described->caches);
}

static void note_evicted(struct wm_timed_level *level, const struct wm_cache_victim *victim)
{
    if (victim->valid != 0)
        wm_tracker_remove(level->sharing->tracker, victim->line, number_of(level));
}

void wm_timed_tracker_served(struct wm_timed_level *level, bool store, uint64_t line,
                             const struct wm_cache_victim *victim)
{
    note_evicted(level, victim);
    if (store)
        wm_timed_tracker_written(level, line);
}

bool wm_timed_tracker_look_up(struct wm_timed_level *level, uint64_t line, uint32_t sectors,
                              struct wm_instruction_counters *charged, uint32_t *holder)
{
    struct wm_sharing_tracker *tracker = level->sharing->tracker;
    int32_t found = wm_tracker_look_up(tracker, line, number_of(level));
    if (found == WM_TRACKER_NONE)
        return false;
    struct wm_tracker_counters *counters = wm_tracker_counters_of(tracker, line);
    counters->remote_sectors += wm_count_sectors(sectors);
    counters->remote_bytes += wm_sector_bytes(sectors);
    charged->tracker_sectors += wm_count_sectors(sectors);
    *holder = (uint32_t)found * level->described->units_each;
    return true;
}

void wm_timed_tracker_written(struct wm_timed_level *level, uint64_t line)
{
    const struct wm_timed_tracker_group *sharing = level->sharing;
    if (level->memory->spec.levels[level->number].tracker.keeps_on_write) {
        if (wm_cache_find(level->timed.cache, line, line) < 0)
            wm_tracker_remove(sharing->tracker, line, number_of(level));
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

bool wm_timed_tracker_completes(const struct wm_timed_level *level, uint64_t line, uint32_t sectors)
{
    const struct wm_mshr_entry *entry = wm_mshr_find(&level->timed.mshr, line);
    return entry->allocates && !entry->outdated && (entry->pending & ~sectors) == 0;
}

void wm_timed_tracker_filled(struct wm_timed_level *level, bool notes, uint64_t line,
                             const struct wm_cache_victim *victim)
{
    note_evicted(level, victim);
    if (notes && wm_cache_find(level->timed.cache, line, line) >= 0)
        wm_tracker_add(level->sharing->tracker, line, number_of(level));
}
