#include "mem/explain/coherent_misses.h"

#include "mem/explain/explain.h"

void wm_explain_coherent_lookup(struct wm_memory *memory, const struct wm_coherent_lookup *lookup,
                                const struct wm_request *request)
{
    const struct wm_cache_result result = {
        .missing = lookup->missed ? lookup->sectors : 0,
        .fetch = lookup->missed ? lookup->cache->all_sectors : 0,
        .victim = {.line = lookup->victim, .evicted = lookup->victim != WM_CACHE_EMPTY}};
    const struct wm_explain_event event = {.cache = lookup->cache,
                                           .client = lookup->client,
                                           .line = lookup->line,
                                           .sectors = lookup->sectors,
                                           .allocate = !lookup->passes,
                                           .result = &result,
                                           .request = request};
    wm_explain_access(memory, &event);
}

void wm_explain_coherent_loss(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                              bool recalled, const struct wm_request *request)
{
    if (recalled)
        wm_explain_evicted(memory, cache, line, request);
    else
        wm_explain_drop(memory, cache, line);
}
