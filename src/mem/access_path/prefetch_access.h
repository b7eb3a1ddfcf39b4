// A miss of a cache with a prefetcher (mem/prefetch/prefetch.h): what it holds does not come from
// below again, and what it wants next is requested behind all that the miss sends. Of the full
// build; the others have no trace of it. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_PREFETCH_ACCESS_H
#define WM_MEM_ACCESS_PATH_PREFETCH_ACCESS_H

#include "mem/access_path/level_requests.h"
#include "mem/system/prefetch_events.h"

static inline bool has_prefetcher(const struct wm_cache_level *level)
{
    return WM_PATHS_FULL && level->prefetchers.ops != NULL;
}

static void fetch_past_prefetcher(struct wm_memory *memory, const struct wm_cache_level *level,
                                  struct wm_cache *cache, const struct line_place *place,
                                  uint32_t sectors, struct access_context *context)
{
    if (wm_prefetchers_missed(level, cache, place->line, &context->requester))
        return;
    cache->counters.bytes_from_below += bytes_of(sectors);
    request_below(memory, level, WM_CACHE_LOAD, place->address, sectors, 0, context);
}

static void request_wanted(struct wm_memory *memory, const struct wm_cache_level *level,
                           struct wm_cache *cache, struct access_context *context)
{
    struct wm_prefetch_answer *wanted = wm_prefetchers_wanted(level, cache);
    bool no_allocate = context->read_no_allocate; // is said of the missed line
    context->read_no_allocate = false;
    for (uint32_t i = 0; i < wanted->count; i++) {
        wm_prefetchers_requested(level, cache);
        request_below(memory, level, WM_CACHE_LOAD, wanted->lines[i] << cache->line_shift,
                      cache->all_sectors, 0, context);
    }
    wanted->count = 0;
    context->read_no_allocate = no_allocate;
}

#endif
