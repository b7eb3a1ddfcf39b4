// A miss of a cache with a prefetcher (mem/prefetch/prefetch.h): what it holds does not come from
// below again, and what it wants next is requested behind the miss. Of the full build; the others
// have no trace of it. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_PREFETCH_ACCESS_H
#define WM_MEM_ACCESS_PATH_PREFETCH_ACCESS_H

#include "mem/access_path/level_requests.h"

static inline bool has_prefetcher(const struct wm_cache_level *level)
{
    return WM_PATHS_FULL && level->prefetchers.ops != NULL;
}

static void fetch_past_prefetcher(struct wm_memory *memory, const struct wm_cache_level *level,
                                  struct wm_cache *cache, const struct line_place *place,
                                  uint32_t sectors, struct access_context *context)
{
    const struct wm_prefetch_event event = {.line = place->line,
                                            .pc = context->requester.pc,
                                            .warp = context->requester.warp,
                                            .sm = context->requester.sm,
                                            .kind = context->requester.kind};
    struct wm_prefetch_answer answer;
    wm_prefetchers_missed(&level->prefetchers, cache, &event, &answer);
    if (!answer.supplies) {
        cache->counters.bytes_from_below += bytes_of(sectors);
        request_below(memory, level, WM_CACHE_LOAD, place->address, sectors, 0, context);
    }
    bool no_allocate = context->read_no_allocate; // is said of the missed line
    context->read_no_allocate = false;
    for (uint32_t i = 0; i < answer.count; i++) {
        cache->counters.bytes_from_below += cache->line_bytes;
        request_below(memory, level, WM_CACHE_LOAD, answer.lines[i] << cache->line_shift,
                      cache->all_sectors, 0, context);
    }
    context->read_no_allocate = no_allocate;
}

#endif
