#include "mem/timed/l1_explain.h"

#include "mem/cache/inline_access.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"

// What an access does not take now: a load's line, whose way comes with its bytes, or nothing where
// all that it requests is on its way to a line that a store has dropped since; and what is on its
// way of a line that comes in parts.
static void note_absent(const struct wm_timed_l1 *l1, struct wm_explain_event *event)
{
    const struct wm_cache *cache = event->cache;
    uint32_t set = wm_cache_set_of(cache, event->line);
    int32_t way = wm_cache_find_in_set(cache, set, event->line);
    event->later = event->client == WM_CACHE_LOAD &&
                   (l1->timed.allocates_on_fill || (way < 0 && event->result->missing == 0));
    if (way >= 0)
        event->absent = ~wm_cache_line_at(cache, set * cache->stride + (uint32_t)way).valid;
}

void wm_timed_explain(struct wm_timed_l1 *l1, const struct wm_request *request, bool allocate,
                      const struct wm_timed_result *result)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    bool load = request->kind == WM_ACCESS_LOAD;
    const struct wm_cache_result served = {.missing = result->missing,
                                           .fetch = result->fetch,
                                           .whole = result->whole,
                                           .victim = result->victim};
    struct wm_explain_event event = {
        .cache = cache,
        .client = load ? WM_CACHE_LOAD : WM_CACHE_STORE,
        .line = request->address >> cache->line_shift,
        .sectors = request->sectors,
        .allocate = allocate && (load || cache->write_allocate),
        .moves_victim = l1->victims != NULL,
        .result = &served,
        .request = request,
    };
    if (event.allocate)
        note_absent(l1, &event);
    wm_explain_access(l1->memory, &event);
}

bool wm_timed_explain_takes(const struct wm_timed_l1 *l1, uint64_t line)
{
    return l1->timed.allocates_on_fill && wm_mshr_find(&l1->timed.mshr, line)->allocates;
}

void wm_timed_explain_fill(struct wm_timed_l1 *l1, bool takes, uint64_t line, uint32_t sectors,
                           const struct wm_cache_victim *victim,
                           const struct wm_request *instruction_counters)
{
    const struct wm_cache *cache = wm_l1_cache_of(l1);
    if (takes)
        wm_explain_filled(l1->memory, cache, line, sectors);
    if (victim->evicted && l1->victims == NULL)
        wm_explain_evicted(l1->memory, cache, victim->line, instruction_counters);
}

void wm_timed_explain_pass(struct wm_timed_l1 *l1, const struct wm_request *request, bool drops)
{
    const struct wm_cache *cache = wm_l1_cache_of(l1);
    if (drops)
        wm_explain_drop(l1->memory, cache, request->address >> cache->line_shift);
    if (request->kind == WM_ACCESS_LOAD)
        wm_explain_passed(l1->memory, cache, request->sectors, request);
}

void wm_timed_explain_side_load(struct wm_timed_l1 *l1, struct wm_cache *cache,
                                const struct wm_request *request,
                                const struct wm_cache_result *result)
{
    wm_explain_access(l1->memory,
                      &(struct wm_explain_event){.cache = cache,
                                                 .client = WM_CACHE_LOAD,
                                                 .line = request->address >> cache->line_shift,
                                                 .sectors = request->sectors,
                                                 .allocate = true,
                                                 .result = result,
                                                 .request = request});
}
