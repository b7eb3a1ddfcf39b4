// Prefetchers of coherent caches in time (docs/prefetch.md, "At coherent levels"): what they are
// given. The lines that they want are requested in requests.c.
#include "mem/system/prefetch_events.h"
#include "mem/timed/coherent/caches_parts.h"

static const struct wm_cache_level *level_of(const struct wm_coherent_caches *caches,
                                             const struct wm_coherent_slice *slice)
{
    return caches->nodes[slice->node].spec.prefetches;
}

// What the entry wants now waits behind what it wanted before; for some there may be no room.
static void notice(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                   const struct wm_coherent_event *event, bool brought)
{
    const struct wm_cache_level *level = level_of(caches, slice);
    wm_prefetchers_noticed(level, slice->cache, event->line, &event->requester, brought);
    struct wm_prefetch_answer *answer = wm_prefetchers_wanted(level, slice->cache);
    slice->wanted_by = *event;
    slice->wanted_by.row = 0; // what a prefetcher brings touches no bytes
    for (uint32_t i = 0; i < answer->count; i++) {
        if (slice->wanted_count < WM_MOST_PREFETCHES) {
            slice->wanted[slice->wanted_count++] = answer->lines[i];
            continue;
        }
        slice->counters.prefetches_refused++;
        wm_prefetchers_refused(level, slice->cache, answer->lines[i]);
    }
    answer->count = 0;
}

void wm_coherent_prefetch_missed(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                                 const struct wm_coherent_event *event)
{
    if (level_of(caches, slice) != NULL)
        notice(caches, slice, event, false);
}

void wm_coherent_prefetch_used(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                               uint64_t slot, const struct wm_coherent_event *event)
{
    if (level_of(caches, slice) == NULL)
        return;
    enum wm_coherent_prefetched how = wm_coherent_take_mark(slice->beside, slot, WM_NOT_PREFETCHED);
    bool is_on_its_way = slice->beside->lines[slot].cache == WM_COHERENCE_CACHE_IS;
    slice->counters.prefetches_late += how == WM_PREFETCHED && is_on_its_way;
    if (how != WM_NOT_PREFETCHED)
        notice(caches, slice, event, how == WM_PREFETCHED);
}

void wm_coherent_prefetch_left(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                               uint64_t slot, uint64_t line)
{
    if (level_of(caches, slice) == NULL)
        return;
    enum wm_coherent_prefetched how = wm_coherent_take_mark(slice->beside, slot, WM_NOT_PREFETCHED);
    if (how != WM_NOT_PREFETCHED)
        wm_prefetchers_left(level_of(caches, slice), slice->cache, line, how == WM_PREFETCHED);
}
