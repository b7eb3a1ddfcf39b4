#include "mem/timed/l1_victims.h"

#include "mem/cache/pins.h"
#include "mem/timed/l1_explain.h"
#include "mem/timed/l1_look_up.h"
#include "mem/timed/timed_victim_cache.h"

struct wm_cache *wm_l1_holder_of(const struct wm_timed_l1 *l1, uint64_t line)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    return l1->victims != NULL && wm_cache_find(cache, line, line) < 0 ? l1->victims : cache;
}

// A store drops its line in the victim cache, where it is, and is sent on.
static enum wm_stall drop_in_victims(struct wm_timed_l1 *l1, uint64_t cycle,
                                     const struct wm_request *request, uint64_t token,
                                     uint32_t *waits, uint32_t *missing)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    uint64_t line = request->address >> cache->line_shift,
             bytes = wm_sector_bytes(request->sectors);
    bool found;
    uint32_t valid = wm_victim_cache_valid(l1->victims, line, &found);
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    *missing = request->sectors & ~valid;
    wm_victim_cache_count(l1->victims, WM_CACHE_STORE, request->sectors, true, valid);
    wm_victim_cache_count(cache, WM_CACHE_STORE, request->sectors, true, valid);
    wm_cache_invalidate(l1->victims, line, line, cache->all_sectors);
    cache->counters.bytes_from_above += bytes;
    cache->counters.bytes_to_below += bytes;
    request->instruction_counters->levels[WM_LEVEL_L2].bytes += bytes;
    wm_l1_charge(request, *missing);
    if (wm_l1_is_explained(l1)) {
        const struct wm_timed_result dropped = {.missing = *missing};
        wm_timed_explain(l1, request, true, &dropped);
    }
    *waits = wm_l1_send_store(l1, cycle, request, token, request->sectors);
    return WM_STALL_NONE;
}

// An access to a line that only the victim cache has: first the two exchange.
static enum wm_stall look_up_exchanged(struct wm_timed_l1 *l1, uint64_t cycle,
                                       const struct wm_request *request, uint64_t token,
                                       bool allocate, uint32_t *waits, uint32_t *missing)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    uint64_t line = request->address >> cache->line_shift;
    bool load = request->kind == WM_ACCESS_LOAD, found;
    if (!load && cache->write_policy == WM_WRITE_THROUGH_EVICT)
        return drop_in_victims(l1, cycle, request, token, waits, missing);
    if (wm_cache_set_is_pinned(cache, wm_cache_set_of(cache, line)))
        return WM_STALL_WAY;
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    uint32_t valid = wm_victim_cache_valid(l1->victims, line, &found);
    struct wm_timed_access access = wm_l1_access_for(l1, cycle, request, allocate, NULL);
    struct wm_cache_victim left = {0};
    wm_victim_cache_count(l1->victims, load ? WM_CACHE_LOAD : WM_CACHE_STORE, request->sectors,
                          true, valid);
    cycle += l1->victim_latency;
    if (!wm_victim_cache_swap(l1->victims, cache, line, &access.requester, &left) &&
        left.dirty != 0)
        wm_l1_send_victim(l1, cycle, request, l1->victims, &left);
    enum wm_stall stall = wm_l1_look_up(l1, cycle, request, token, allocate, waits, missing);
    if (stall == WM_STALL_NONE)
        l1->late = l1->victim_latency;
    return stall;
}

enum wm_stall wm_l1_look_up_with_victims(struct wm_timed_l1 *l1, uint64_t cycle,
                                         const struct wm_request *request, uint64_t token,
                                         bool allocate, uint32_t *waits, uint32_t *missing)
{
    uint64_t line = request->address >> wm_l1_cache_of(l1)->line_shift;
    bool absent = wm_cache_find(wm_l1_cache_of(l1), line, line) < 0;
    if (absent && wm_cache_find(l1->victims, line, line) >= 0)
        return look_up_exchanged(l1, cycle, request, token, allocate, waits, missing);
    // What is on its way is L1's already.
    bool missed = absent && wm_mshr_find(&l1->timed.mshr, line) == NULL;
    enum wm_stall stall = wm_l1_look_up(l1, cycle, request, token, allocate, waits, missing);
    if (missed && stall == WM_STALL_NONE)
        wm_victim_cache_count(l1->victims,
                              request->kind == WM_ACCESS_LOAD ? WM_CACHE_LOAD : WM_CACHE_STORE,
                              request->sectors, false, 0);
    return stall;
}

void wm_l1_bring_back(struct wm_timed_l1 *l1, uint64_t cycle, uint64_t line,
                      const struct wm_request *request, const struct wm_requester *requester)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    struct wm_cache_victim left = {0};
    if (l1->timed.allocates_on_fill && wm_cache_find(cache, line, line) < 0 &&
        wm_cache_find(l1->victims, line, line) >= 0 &&
        !wm_victim_cache_swap(l1->victims, cache, line, requester, &left) && left.dirty != 0)
        wm_l1_send_victim(l1, cycle, request, l1->victims, &left);
}
