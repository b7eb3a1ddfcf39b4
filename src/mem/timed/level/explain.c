#include "mem/explain/explain.h"

#include "mem/cache/inline_access.h"
#include "mem/timed/level/parts.h"

// What an access does not take now: a load's line, whose way comes with its bytes, or nothing where
// all that it requests is on its way to a line that a store has dropped since; and what is on its
// way of a line that comes in parts.
static void note_absent(const struct wm_timed_level *level, uint64_t index_line,
                        struct wm_explain_event *event)
{
    const struct wm_cache *cache = event->cache;
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, event->line);
    event->later = event->client == WM_CACHE_LOAD &&
                   (level->timed.allocates_on_fill || (way < 0 && event->result->missing == 0));
    if (way >= 0)
        event->absent = ~wm_cache_line_at(cache, set * cache->stride + (uint32_t)way).valid;
}

void wm_timed_level_explain(const struct wm_timed_level *level,
                            const struct wm_level_request *request,
                            const struct wm_timed_result *result)
{
    const struct wm_timed_access *access = &request->access;
    const struct wm_cache_result served = {.missing = result->missing,
                                           .fetch = result->fetch,
                                           .whole = result->whole,
                                           .victim = result->victim};
    struct wm_explain_event event = {
        .cache = level->timed.cache,
        .client = access->client,
        .line = access->line,
        .sectors = access->sectors,
        .allocate = access->allocate || request->moves_up, // its shadow would keep the line
        .moves_victim = level->victims != NULL,
        .result = &served,
        .request = request->explained,
    };
    if (access->allocate)
        note_absent(level, access->index_line, &event);
    wm_explain_access(level->memory, &event);
}

bool wm_timed_level_takes_now(const struct wm_timed_level *level, uint64_t line)
{
    return level->timed.allocates_on_fill && wm_mshr_find(&level->timed.mshr, line)->allocates;
}

void wm_timed_level_explain_fill(const struct wm_timed_level *level, bool takes, uint64_t line,
                                 uint32_t sectors, const struct wm_cache_victim *victim,
                                 const struct wm_request *request)
{
    const struct wm_cache *cache = level->timed.cache;
    if (takes)
        wm_explain_filled(level->memory, cache, line, sectors);
    if (victim->evicted && level->victims == NULL)
        wm_explain_evicted(level->memory, cache, victim->line, request);
}
