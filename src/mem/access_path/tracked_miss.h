// An L1's misses where a sharing tracker knows which other L1 has the line (docs/memory-system.md,
// R12; Anssari, sections 3.1 to 3.3). Of the full build; the others have no trace of it.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_TRACKED_MISS_H
#define WM_MEM_ACCESS_PATH_TRACKED_MISS_H

#include "mem/access_path/level_requests.h"

#include <assert.h>

static inline bool has_tracker(const struct wm_memory *memory, const struct wm_cache_level *level)
{
    return WM_PATHS_FULL && level == &memory->levels[WM_LEVEL_L1] && memory->trackers != NULL;
}

static inline uint32_t number_of(const struct wm_memory *memory, const struct wm_cache *l1)
{
    return (uint32_t)(l1 - memory->levels[WM_LEVEL_L1].caches);
}

static inline struct wm_sharing_tracker *tracker_of(const struct wm_memory *memory,
                                                    const struct wm_cache *l1)
{
    uint32_t sm = wm_first_unit_of(&memory->levels[WM_LEVEL_L1], number_of(memory, l1));
    return &memory->trackers[wm_memory_tracker_of(memory, sm)];
}

// --- The check of copies' versions (mem/tracker/line_versions.h) ---

static void check_write_version(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                                bool held, const struct access_context *context)
{
    for (uint32_t rest = sectors; memory->versions != NULL && rest != 0; rest &= rest - 1)
        wm_versions_write(memory->versions, context->requester.sm,
                          address / WM_SECTOR_BYTES + (uint32_t)__builtin_ctz(rest), held);
}

// A load requested `sectors`; those `missing` came from the L1 `from` or from below, which sent
// `fetched` of them and their neighbours, and L1 keeps these when `kept`.
static void check_read_version(struct wm_memory *memory, const struct wm_cache *l1,
                               uint64_t address, uint32_t sectors, uint32_t missing,
                               uint32_t fetched, bool kept, int32_t from,
                               const struct access_context *context)
{
    if (memory->versions == NULL)
        return;
    uint64_t first = address / WM_SECTOR_BYTES;
    for (uint32_t rest = sectors & ~missing; rest != 0; rest &= rest - 1)
        wm_versions_read(memory->versions, context->requester.sm,
                         first + (uint32_t)__builtin_ctz(rest));
    for (uint32_t rest = missing; rest != 0; rest &= rest - 1)
        wm_versions_read_from(memory->versions, context->requester.sm,
                              first + (uint32_t)__builtin_ctz(rest), from);
    for (uint32_t rest = kept ? fetched : 0; rest != 0; rest &= rest - 1)
        wm_versions_fill(memory->versions, number_of(memory, l1),
                         first + (uint32_t)__builtin_ctz(rest), from);
}

// --- Messages from an L1 to its tracker ---

// A line has left L1: the message precedes the fetch of the miss that displaced it.
static void remove_sharer(struct wm_memory *memory, const struct wm_cache *l1,
                          const struct wm_cache_victim *victim)
{
    if (victim->valid != 0)
        wm_tracker_remove(tracker_of(memory, l1), victim->line, number_of(memory, l1));
}

// The line is written, or accessed coherently: it has no known holder any more. A copy that has
// left this L1 on the way is forgotten in any case.
static void clear_tracker_line(struct wm_memory *memory, const struct wm_cache *l1, uint64_t line)
{
    struct wm_sharing_tracker *tracker = tracker_of(memory, l1);
    if (!memory->spec.levels[WM_LEVEL_L1].tracker.keeps_on_write)
        wm_tracker_clear(tracker, line);
    else if (wm_cache_find(l1, line, line) < 0)
        wm_tracker_remove(tracker, line, number_of(memory, l1));
}

// --- A miss ---

// Another L1 sends the sectors: its copy stays, and its recency is not touched.
static void count_remote_supply(struct wm_memory *memory, struct wm_sharing_tracker *tracker,
                                uint32_t holder, uint64_t line, uint32_t sectors,
                                struct access_context *context)
{
    struct wm_tracker_counters *counters = wm_tracker_counters_of(tracker, line);
    assert(wm_cache_find(&memory->levels[WM_LEVEL_L1].caches[holder], line, line) >= 0);
    (void)holder;
    counters->remote_sectors += wm_count_sectors(sectors);
    counters->remote_bytes += bytes_of(sectors);
    context->instruction_counters->tracker_sectors += wm_count_sectors(sectors);
}

// What a load misses comes from another L1, or from below; L1 is noted as a holder when it has
// taken the line. Returns who sent it: an L1, or WM_FROM_BELOW.
static int32_t fetch_through_tracker(struct wm_memory *memory, struct wm_cache *l1,
                                     uint64_t address, uint32_t sectors, bool taken,
                                     struct access_context *context)
{
    struct wm_sharing_tracker *tracker = tracker_of(memory, l1);
    uint64_t line = address >> l1->line_shift;
    int32_t holder = wm_tracker_look_up(tracker, line, number_of(memory, l1));
    if (holder != WM_TRACKER_NONE) {
        note_source(context, WM_SOURCE_OTHER_L1);
        count_remote_supply(memory, tracker, (uint32_t)holder, line, sectors, context);
    } else {
        note_source(context, WM_SOURCE_BELOW_L1);
        l1->counters.bytes_from_below += bytes_of(sectors);
        request_below(memory, &memory->levels[WM_LEVEL_L1], WM_CACHE_LOAD, address, sectors, 0,
                      context);
    }
    if (taken)
        wm_tracker_add(tracker, line, number_of(memory, l1));
    return holder != WM_TRACKER_NONE ? holder : WM_FROM_BELOW;
}

// The miss of a load: what left L1, what comes. Returns who sent it, as fetch_through_tracker does.
static int32_t finish_tracked_miss(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                   const struct wm_cache_result *result, bool taken,
                                   struct access_context *context)
{
    remove_sharer(memory, l1, &result->victim);
    return fetch_through_tracker(memory, l1, address, result->fetch, taken, context);
}

#endif
