#include "mem/timed/l1_look_up.h"

#include "mem/divergence/divergence_aware.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"
#include "mem/timed/l1_explain.h"
#include "mem/timed/timed_victim_cache.h"
#include "mem/timed/tracker_group.h"

#include <assert.h>

void wm_l1_settle_victim(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                         const struct wm_requester *requester, struct wm_cache_victim *victim)
{
    struct wm_cache *from = wm_l1_cache_of(l1);
    if (l1->victims != NULL) {
        wm_victim_cache_insert(l1->victims, from, victim, requester);
        if (wm_l1_is_explained(l1) && victim->valid != 0)
            wm_explain_evicted(l1->memory, from, victim->line, request);
        from = l1->victims;
    }
    if (victim->dirty != 0)
        wm_l1_send_victim(l1, cycle, request, from, victim);
}

void wm_l1_note_load(struct wm_timed_l1 *l1, const struct wm_request *request, bool looked_up,
                     bool missed)
{
    struct wm_timed_l1_load *load = &l1->load;
    struct wm_cache *cache = wm_l1_cache_of(l1);
    struct wm_divergence_aware *aware = cache != NULL ? wm_divergence_of(cache) : NULL;
    assert(request->lines != 0);
    if (request->lines == 1 && aware == NULL) {
        if (looked_up)
            wm_load_misses_count(&cache->counters.load_miss_counts, 1, missed);
        return;
    }
    if (load->left == 0)
        *load = (struct wm_timed_l1_load){.left = request->lines};
    load->looked_up += looked_up;
    load->missed += missed;
    if (aware != NULL && looked_up)
        wm_divergence_watch(aware, request->pc, request->warp, request->rank, request->lines,
                            request->address >> cache->line_shift, missed);
    if (--load->left != 0 || load->looked_up != request->lines)
        return;
    wm_load_misses_count(&cache->counters.load_miss_counts, request->lines, load->missed);
    if (aware != NULL)
        wm_divergence_served(aware, request->rank, request->lines, load->missed);
}

// Whether a load that may take a line of L1 has, or will when its bytes come.
static bool takes_line(const struct wm_timed_l1 *l1, const struct wm_request *request)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    uint64_t line = request->address >> cache->line_shift;
    return l1->timed.allocates_on_fill || wm_cache_find(cache, line, line) >= 0;
}

// What the look-up found lacking; the packet has its MSHR entry as token.
static void fetch(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                  bool allocate, const struct wm_timed_result *result)
{
    wm_l1_cache_of(l1)->counters.bytes_from_below += wm_sector_bytes(result->fetch);
    request->instruction_counters->levels[WM_LEVEL_L2].bytes += wm_sector_bytes(result->fetch);
    const struct wm_l1_packet_kind kind = {
        .client = WM_CACHE_LOAD,
        .fills = true,
        .replies = true,
        .token = result->entry,
        .read_no_allocate = l1->fills_skip_l2 && allocate && takes_line(l1, request),
    };
    wm_l1_send(l1, cycle, request, &kind, result->fetch);
}

// The same where a tracker may know of another L1 that has it.
static void fetch_through_tracker(struct wm_timed_l1 *l1, uint64_t cycle,
                                  const struct wm_request *request, bool allocate,
                                  const struct wm_timed_result *result)
{
    uint64_t line = request->address >> wm_l1_cache_of(l1)->line_shift;
    int32_t holder =
        wm_timed_tracker_look_up(l1, line, result->fetch, request->instruction_counters);
    if (holder == WM_TRACKER_NONE) {
        fetch(l1, cycle, request, allocate, result);
        return;
    }
    const struct wm_l1_packet_kind kind = {.client = WM_CACHE_LOAD,
                                           .fills = true,
                                           .replies = true,
                                           .to_sm = true,
                                           .token = result->entry,
                                           .holder = (uint32_t)holder};
    wm_l1_send(l1, cycle, request, &kind, result->fetch);
}

// What a look-up reports to the tracker, and fetches through it.
static void finish_tracked_miss(struct wm_timed_l1 *l1, uint64_t cycle,
                                const struct wm_request *request, bool allocate,
                                const struct wm_timed_result *result)
{
    wm_timed_tracker_evicted(l1, &result->victim);
    if (request->kind != WM_ACCESS_LOAD)
        wm_timed_tracker_written(l1, request->address >> wm_l1_cache_of(l1)->line_shift);
    if (result->fetch != 0)
        fetch_through_tracker(l1, cycle, request, allocate, result);
}

// What warps lost is known by their loads, and lines by who brought them.
static void note_missed(struct wm_timed_l1 *l1, const struct wm_request *request)
{
    if (request->kind == WM_ACCESS_LOAD)
        wm_victim_tags_missed(l1->victim_tags, request->warp,
                              request->address >> wm_l1_cache_of(l1)->line_shift);
}

// A load that was not found, and may displace nothing: its bytes go to its warp, and they take no
// entry of the MSHR.
static enum wm_stall load_past(struct wm_timed_l1 *l1, uint64_t cycle,
                               const struct wm_request *request, uint64_t token, uint32_t *waits,
                               uint32_t *missing)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    uint64_t bytes = wm_sector_bytes(request->sectors);
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    l1->passes = wm_l1_banks_take(&l1->banks, request->address, request->sectors, cycle);
    wm_cache_count(&cache->counters, WM_CACHE_LOAD, request->sectors, request->sectors);
    cache->counters.refusals++;
    if (wm_l1_is_explained(l1)) {
        const struct wm_timed_result lost = {.missing = request->sectors,
                                             .fetch = request->sectors};
        wm_timed_explain(l1, request, true, &lost);
    }
    cache->counters.bytes_from_below += bytes;
    cache->counters.bytes_to_above += bytes;
    wm_l1_charge(request, request->sectors);
    request->instruction_counters->levels[WM_LEVEL_L2].bytes += bytes;
    const struct wm_l1_packet_kind kind = {
        .client = WM_CACHE_LOAD, .replies = true, .token = token};
    *waits = wm_l1_send(l1, cycle, request, &kind, request->sectors);
    *missing = request->sectors;
    wm_l1_note_load(l1, request, true, true);
    if (l1->victim_tags != NULL)
        note_missed(l1, request);
    return WM_STALL_NONE;
}

enum wm_stall wm_l1_look_up(struct wm_timed_l1 *l1, uint64_t cycle,
                            const struct wm_request *request, uint64_t token, bool allocate,
                            uint32_t *waits, uint32_t *missing)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    bool load = request->kind == WM_ACCESS_LOAD;
    const struct wm_write_mask written = {.address = request->address, .words = request->bytes};
    struct wm_timed_access access =
        wm_l1_access_for(l1, cycle, request, allocate && (load || cache->write_allocate), &written);
    access.client = load ? WM_CACHE_LOAD : WM_CACHE_STORE;
    access.token = token;
    l1->banks_ready = wm_l1_banks_ready(&l1->banks, request->address, request->sectors, cycle);
    if (l1->banks_ready > cycle)
        return WM_STALL_BANK;
    struct wm_timed_result result = wm_timed_cache_access(&l1->timed, &access);
    if (result.stall != WM_STALL_NONE) {
        l1->failed |= l1->timed.mshr.failed;
        return result.stall;
    }
    if (result.must_bypass)
        return load_past(l1, cycle, request, token, waits, missing);
    if (__builtin_expect(l1->victim_tags != NULL, false) && result.missing != 0) {
        note_missed(l1, request);
        wm_victim_tags_filled(l1->victim_tags, cache, request->warp, access.line, &result.victim);
    }
    l1->passes = wm_l1_banks_take(&l1->banks, request->address, request->sectors, cycle);
    uint64_t bytes = wm_sector_bytes(request->sectors);
    *(load ? &cache->counters.bytes_to_above : &cache->counters.bytes_from_above) += bytes;
    wm_l1_charge(request, result.missing);
    if (wm_l1_is_explained(l1))
        wm_timed_explain(l1, request, allocate, &result);
    if (__builtin_expect(l1->sharing != NULL, false))
        finish_tracked_miss(l1, cycle, request, allocate, &result);
    else if (result.fetch != 0)
        fetch(l1, cycle, request, allocate && load, &result);
    if (wm_l1_leaves(l1, &result.victim))
        wm_l1_settle_victim(l1, cycle, request, &access.requester, &result.victim);
    if (result.forward != 0) {
        cache->counters.bytes_to_below += wm_sector_bytes(result.forward);
        request->instruction_counters->levels[WM_LEVEL_L2].bytes += wm_sector_bytes(result.forward);
        *waits = wm_l1_send_store(l1, cycle, request, token, result.forward);
    }
    *waits += result.waits;
    *missing = result.missing;
    if (load)
        wm_l1_note_load(l1, request, true, result.waits);
    return WM_STALL_NONE;
}
