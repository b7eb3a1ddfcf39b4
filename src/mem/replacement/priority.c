// LRU that obeys programs: the eviction priorities of PTX ISA 9.7.9.2. It says which lines go first
// and which last; what a cache makes of it, no vendor documents. Ours:
//
//   evict_first      the line takes the LRU position, so that it goes next; so does the line that
//                    such an access hits. Of a stream one line of a set is kept
//   evict_last       the line takes the MRU position and is kept: the victim is the least recently
//                    used of the other lines, or, where all of a set are kept, of these
//   evict_unchanged  a hit moves nothing and changes nothing; a line that comes in is normal
//   evict_normal     as under LRU, and the line is no longer kept: "memory accesses with the normal
//                    property reset previously applied persisting ones" is CUDA's rule for L2
//                    (CUDA C++ Programming Guide, "L2 Access Properties")
//
// A line that the level above writes back moves to the front and stays kept if it was.
#include "mem/cache/recency.h"
#include "mem/replacement/entries.h"

#include <string.h>

static bool *kept_of(const struct wm_replacement_set *set)
{
    return set->lines;
}

static void place(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event)
{
    if (event->priority == WM_EVICT_FIRST)
        wm_recency_move(set->recency, set->index, way, set->ways - 1);
    else
        wm_recency_to_front(set->recency, set->index, way);
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    kept_of(set)[way] = event->priority == WM_EVICT_LAST;
    place(set, way, event);
}

static void hit(const struct wm_replacement_set *set, uint32_t way,
                const struct wm_replacement_event *event)
{
    if (event->priority == WM_EVICT_UNCHANGED)
        return;
    if (!event->write_back)
        kept_of(set)[way] = event->priority == WM_EVICT_LAST;
    place(set, way, event);
}

static int32_t victim(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    const bool *kept = kept_of(set);
    uint64_t others[WM_REPLACEMENT_MAX_WAYS / 64] = {0};
    if (memchr(kept, 1, set->ways) == NULL)
        return wm_recency_last_allowed(set->recency, set->index, 0, allowed);
    for (uint32_t way = 0; way < set->ways; way++)
        others[way / 64] |= (uint64_t)!kept[way] << way % 64;
    for (uint32_t word = 0; allowed != NULL && word < (set->ways + 63) / 64; word++)
        others[word] &= allowed[word];
    int32_t way = wm_recency_last_allowed(set->recency, set->index, 0, others);
    return way >= 0 ? way : wm_recency_last_allowed(set->recency, set->index, 0, allowed);
}

const struct wm_replacement_ops wm_replacement_priority = {
    .name = "priority",
    .title = "LRU with the program's eviction priorities",
    .source = "PTX ISA, 9.7.9.2: cache eviction priority hints",
    .sentence = "evicts by the priorities of loads and stores: evict_first first, evict_last last",
    .details = "As lru where an instruction has no priority. Obeys L1::evict_… and L2::evict_… of "
               "loads, stores "
               "and atomics, policies of createpolicy.fractional, and the streaming operators .cs "
               "and .lu.",
    .line_state_bytes = sizeof(bool),
    .hit = hit,
    .insert = insert,
    .victim = victim,
};
