#include "mem/timed/timed_l1.h"

#include "mem/bypass/bypass.h"
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"
#include "mem/timed/l1_explain.h"
#include "mem/timed/l1_send.h"
#include "mem/timed/timed_victim_cache.h"
#include "mem/timed/tracker_group.h"

#include <assert.h>

// NULL: the machine has no L1.
static inline struct wm_cache *cache_of(const struct wm_timed_l1 *l1)
{
    return l1->timed.cache;
}

enum wm_status wm_timed_l1_init(struct wm_timed_l1 *l1, struct wm_memory *memory, uint32_t sm,
                                struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    *l1 = (struct wm_timed_l1){.memory = memory,
                               .sm = sm,
                               .latency = spec->l1_timing.latency,
                               .victim_latency = spec->l1_victim_latency,
                               .latency_below = spec->l1_timing.latency +
                                                (spec->tracker.present ? spec->tracker.latency : 0),
                               .queue = spec->l1_timing.queue,
                               .flit_bytes = spec->interconnect.flit_bytes,
                               .packet_sectors = spec->interconnect.sectors,
                               .store_replies = spec->interconnect.store_replies,
                               .fills_skip_l2 = spec->l2_load_allocation == WM_L2_TAKES_UNCACHED};
    l1->sends_byte_masks = memory->l2 != NULL && memory->l2->bytes != NULL;
    wm_byte_mask_pool_init(&l1->written, memory->request_bytes / WM_SECTOR_BYTES);
    WM_TRY(wm_packet_queue_init(&l1->out, error));
    if (memory->l1 == NULL)
        return WM_OK;
    struct wm_cache *cache = memory->l1_of_sm[sm];
    WM_TRY(wm_l1_banks_init(&l1->banks, &spec->l1_banks, error));
    if (memory->victim_caches != NULL)
        l1->victims = &memory->victim_caches[cache - memory->l1];
    WM_TRY(wm_timed_cache_init(&l1->timed, cache, &spec->l1_timing,
                               spec->l1_allocation == WM_ALLOCATE_STREAMING, error));
    l1->timed.bypasses_when_full = spec->l1_divergence.full == WM_FULL_BYPASSES;
    return WM_OK;
}

void wm_timed_l1_release(struct wm_timed_l1 *l1)
{
    wm_packet_queue_release(&l1->out);
    wm_timed_cache_release(&l1->timed);
    wm_byte_mask_pool_release(&l1->written);
    wm_l1_banks_release(&l1->banks);
}

// Whether misses are explained.
static inline bool is_explained(const struct wm_timed_l1 *l1)
{
    return __builtin_expect(l1->blocks != NULL, false);
}

// Whether what L1 displaced goes anywhere.
static bool leaves(const struct wm_timed_l1 *l1, const struct wm_cache_victim *victim)
{
    return victim->dirty != 0 || (l1->victims != NULL && victim->valid != 0);
}

// L1 displaced it, and it leaves.
static void settle_victim(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                          const struct wm_requester *requester, struct wm_cache_victim *victim)
{
    struct wm_cache *from = cache_of(l1);
    if (l1->victims != NULL) {
        wm_victim_cache_insert(l1->victims, from, victim, requester);
        if (is_explained(l1) && victim->valid != 0)
            wm_explain_evicted(l1->memory, from, victim->line, request);
        from = l1->victims;
    }
    if (victim->dirty != 0)
        wm_l1_send_victim(l1, cycle, request, from, victim);
}

// L1, or its victim cache where only that has the line.
static struct wm_cache *holder_of(const struct wm_timed_l1 *l1, uint64_t line)
{
    struct wm_cache *cache = cache_of(l1);
    return l1->victims != NULL && wm_cache_find(cache, line, line) < 0 ? l1->victims : cache;
}

// An access that does not use L1: its copy goes, or is cleaned.
static void flush_l1_copy(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                          bool drop)
{
    struct wm_cache *cache = holder_of(l1, request->address >> cache_of(l1)->line_shift);
    uint64_t line = request->address >> cache->line_shift;
    if (wm_cache_find(cache, line, line) < 0)
        return;
    uint32_t dirty = wm_cache_clean(cache, line, line, cache->all_sectors);
    if (drop)
        wm_cache_invalidate(cache, line, line, cache->all_sectors);
    struct wm_cache_victim left = wm_cache_last_write_back(cache, line, dirty);
    if (dirty != 0)
        wm_l1_send_victim(l1, cycle, request, cache, &left);
}

// A load's request was served, `looked_up` in L1 or around it, and `missed` bytes there.
static void note_load(struct wm_timed_l1 *l1, const struct wm_request *request, bool looked_up,
                      bool missed)
{
    struct wm_timed_l1_load *load = &l1->load;
    struct wm_cache *cache = cache_of(l1);
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

// A load, store or atomic that L2 serves, whether or not there is an L1.
static enum wm_stall pass(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                          uint64_t token, uint32_t *waits)
{
    struct wm_cache *cache = cache_of(l1);
    bool load = request->kind == WM_ACCESS_LOAD, store = request->kind == WM_ACCESS_STORE;
    uint64_t bytes = wm_sector_bytes(request->sectors);
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    if (cache != NULL) {
        bool drops = !load || request->hint == WM_HINT_VOLATILE;
        flush_l1_copy(l1, cycle, request, drops);
        if (is_explained(l1))
            wm_timed_explain_pass(l1, request, drops);
        cache->counters.accesses++;
        cache->counters.load_accesses += load;
        cache->counters.store_accesses += store;
        cache->counters.atomic_accesses += !load && !store;
        cache->counters.load_accesses_bypassed += load;
        cache->counters.store_accesses_bypassed += store;
        cache->counters.bypasses += wm_count_sectors(request->sectors);
        cache->counters.bytes_from_above += load ? 0 : bytes;
        cache->counters.bytes_to_below += load ? 0 : bytes;
        if (l1->sharing != NULL && drops)
            wm_timed_tracker_written(l1, request->address >> cache->line_shift);
    }
    bool returns = load || request->kind == WM_ACCESS_ATOMIC;
    if (cache != NULL && returns) {
        cache->counters.bytes_from_below += bytes;
        cache->counters.bytes_to_above += bytes;
    }
    request->instruction_counters->bytes_l1_l2 += bytes + (returns && !load ? bytes : 0);
    const struct wm_l1_packet_kind kind = {.client = load ? WM_CACHE_LOAD : WM_CACHE_ATOMIC,
                                           .replies = true,
                                           .reduces = request->kind == WM_ACCESS_REDUCTION,
                                           .token = token};
    *waits = store ? wm_l1_send_store(l1, cycle, request, token, request->sectors)
                   : wm_l1_send(l1, cycle, request, &kind, request->sectors);
    if (load)
        note_load(l1, request, false, true);
    return WM_STALL_NONE;
}

static struct wm_timed_access access_for(struct wm_timed_l1 *l1, uint64_t cycle,
                                         const struct wm_request *request, bool allocate,
                                         const struct wm_write_mask *written)
{
    uint64_t line = request->address >> cache_of(l1)->line_shift;
    return (struct wm_timed_access){
        .line = line,
        .index_line = line,
        .sectors = request->sectors,
        .full_sectors = request->full_sectors,
        .allocate = allocate,
        .written = written,
        .queue_has_room = wm_l1_has_room(l1, cycle),
        .requester = {.sm = request->sm,
                      .warp = request->warp,
                      .pc = request->pc,
                      .kind = request->kind,
                      .hint = request->hint,
                      .lines = request->lines,
                      .rank = request->rank},
    };
}

static void charge(const struct wm_request *request, uint32_t missing)
{
    uint64_t misses = wm_count_sectors(missing);
    request->instruction_counters->l1_misses += misses;
    request->instruction_counters->l1_hits += wm_count_sectors(request->sectors) - misses;
}

// Whether a load that may take a line of L1 has, or will when its bytes come.
static bool takes_line(const struct wm_timed_l1 *l1, const struct wm_request *request)
{
    struct wm_cache *cache = cache_of(l1);
    uint64_t line = request->address >> cache->line_shift;
    return l1->timed.allocates_on_fill || wm_cache_find(cache, line, line) >= 0;
}

// What the look-up found lacking; the packet has its MSHR entry as token.
static void fetch(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                  bool allocate, const struct wm_timed_result *result)
{
    cache_of(l1)->counters.bytes_from_below += wm_sector_bytes(result->fetch);
    request->instruction_counters->bytes_l1_l2 += wm_sector_bytes(result->fetch);
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
    uint64_t line = request->address >> cache_of(l1)->line_shift;
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
        wm_timed_tracker_written(l1, request->address >> cache_of(l1)->line_shift);
    if (result->fetch != 0)
        fetch_through_tracker(l1, cycle, request, allocate, result);
}

// What warps lost is known by their loads, and lines by who brought them.
static void note_missed(struct wm_timed_l1 *l1, const struct wm_request *request)
{
    if (request->kind == WM_ACCESS_LOAD)
        wm_victim_tags_missed(l1->victim_tags, request->warp,
                              request->address >> cache_of(l1)->line_shift);
}

// A load that was not found, and may displace nothing: its bytes go to its warp, and they take no
// entry of the MSHR.
static enum wm_stall load_past(struct wm_timed_l1 *l1, uint64_t cycle,
                               const struct wm_request *request, uint64_t token, uint32_t *waits,
                               uint32_t *missing)
{
    struct wm_cache *cache = cache_of(l1);
    uint64_t bytes = wm_sector_bytes(request->sectors);
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    l1->passes = wm_l1_banks_take(&l1->banks, request->address, request->sectors, cycle);
    wm_cache_count(&cache->counters, WM_CACHE_LOAD, request->sectors, request->sectors);
    cache->counters.refusals++;
    if (is_explained(l1)) {
        const struct wm_timed_result lost = {.missing = request->sectors,
                                             .fetch = request->sectors};
        wm_timed_explain(l1, request, true, &lost);
    }
    cache->counters.bytes_from_below += bytes;
    cache->counters.bytes_to_above += bytes;
    charge(request, request->sectors);
    request->instruction_counters->bytes_l1_l2 += bytes;
    const struct wm_l1_packet_kind kind = {
        .client = WM_CACHE_LOAD, .replies = true, .token = token};
    *waits = wm_l1_send(l1, cycle, request, &kind, request->sectors);
    *missing = request->sectors;
    note_load(l1, request, true, true);
    if (l1->victim_tags != NULL)
        note_missed(l1, request);
    return WM_STALL_NONE;
}

static enum wm_stall look_up_l1(struct wm_timed_l1 *l1, uint64_t cycle,
                                const struct wm_request *request, uint64_t token, bool allocate,
                                uint32_t *waits, uint32_t *missing)
{
    struct wm_cache *cache = cache_of(l1);
    bool load = request->kind == WM_ACCESS_LOAD;
    const struct wm_write_mask written = {.address = request->address, .words = request->bytes};
    struct wm_timed_access access =
        access_for(l1, cycle, request, allocate && (load || cache->write_allocate), &written);
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
    charge(request, result.missing);
    if (is_explained(l1))
        wm_timed_explain(l1, request, allocate, &result);
    if (__builtin_expect(l1->sharing != NULL, false))
        finish_tracked_miss(l1, cycle, request, allocate, &result);
    else if (result.fetch != 0)
        fetch(l1, cycle, request, allocate && load, &result);
    if (leaves(l1, &result.victim))
        settle_victim(l1, cycle, request, &access.requester, &result.victim);
    if (result.forward != 0) {
        cache->counters.bytes_to_below += wm_sector_bytes(result.forward);
        request->instruction_counters->bytes_l1_l2 += wm_sector_bytes(result.forward);
        *waits = wm_l1_send_store(l1, cycle, request, token, result.forward);
    }
    *waits += result.waits;
    *missing = result.missing;
    if (load)
        note_load(l1, request, true, result.waits);
    return WM_STALL_NONE;
}

// A store drops its line in the victim cache, where it is, and is sent on.
static enum wm_stall drop_in_victims(struct wm_timed_l1 *l1, uint64_t cycle,
                                     const struct wm_request *request, uint64_t token,
                                     uint32_t *waits, uint32_t *missing)
{
    struct wm_cache *cache = cache_of(l1);
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
    request->instruction_counters->bytes_l1_l2 += bytes;
    charge(request, *missing);
    if (is_explained(l1)) {
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
    struct wm_cache *cache = cache_of(l1);
    uint64_t line = request->address >> cache->line_shift;
    bool load = request->kind == WM_ACCESS_LOAD, found;
    if (!load && cache->write_policy == WM_WRITE_THROUGH_EVICT)
        return drop_in_victims(l1, cycle, request, token, waits, missing);
    if (wm_cache_set_is_pinned(cache, wm_cache_set_of(cache, line)))
        return WM_STALL_WAY;
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    uint32_t valid = wm_victim_cache_valid(l1->victims, line, &found);
    struct wm_timed_access access = access_for(l1, cycle, request, allocate, NULL);
    struct wm_cache_victim left = {0};
    wm_victim_cache_count(l1->victims, load ? WM_CACHE_LOAD : WM_CACHE_STORE, request->sectors,
                          true, valid);
    cycle += l1->victim_latency;
    if (!wm_victim_cache_swap(l1->victims, cache, line, &access.requester, &left) &&
        left.dirty != 0)
        wm_l1_send_victim(l1, cycle, request, l1->victims, &left);
    enum wm_stall stall = look_up_l1(l1, cycle, request, token, allocate, waits, missing);
    if (stall == WM_STALL_NONE)
        l1->late = l1->victim_latency;
    return stall;
}

// The same with a victim cache.
static enum wm_stall look_up_both(struct wm_timed_l1 *l1, uint64_t cycle,
                                  const struct wm_request *request, uint64_t token, bool allocate,
                                  uint32_t *waits, uint32_t *missing)
{
    uint64_t line = request->address >> cache_of(l1)->line_shift;
    bool absent = wm_cache_find(cache_of(l1), line, line) < 0;
    if (absent && wm_cache_find(l1->victims, line, line) >= 0)
        return look_up_exchanged(l1, cycle, request, token, allocate, waits, missing);
    // What is on its way is L1's already.
    bool missed = absent && wm_mshr_find(&l1->timed.mshr, line) == NULL;
    enum wm_stall stall = look_up_l1(l1, cycle, request, token, allocate, waits, missing);
    if (missed && stall == WM_STALL_NONE)
        wm_victim_cache_count(l1->victims,
                              request->kind == WM_ACCESS_LOAD ? WM_CACHE_LOAD : WM_CACHE_STORE,
                              request->sectors, false, 0);
    return stall;
}

static inline enum wm_stall look_up(struct wm_timed_l1 *l1, uint64_t cycle,
                                    const struct wm_request *request, uint64_t token, bool allocate,
                                    uint32_t *waits, uint32_t *missing)
{
    return (__builtin_expect(l1->victims == NULL, true) ? look_up_l1 : look_up_both)(
        l1, cycle, request, token, allocate, waits, missing);
}

// A load or a store as the machine's bypass entry decides, whose hook `served` then gets the
// outcome.
static enum wm_stall access_by_bypass_policy(struct wm_timed_l1 *l1, uint64_t cycle,
                                             const struct wm_request *request, uint64_t token,
                                             uint32_t *waits)
{
    struct wm_memory *memory = l1->memory;
    struct wm_cache *cache = cache_of(l1);
    struct wm_bypass_event event = {.line = request->address >> cache->line_shift,
                                    .sectors = request->sectors,
                                    .pc = request->pc,
                                    .warp = request->warp,
                                    .sm = request->sm,
                                    .kind = request->kind,
                                    .hint = request->hint,
                                    .listed = (enum wm_bypass_list_entry)request->listed,
                                    .lines = request->lines,
                                    .resident_warps = request->resident_warps};
    enum wm_bypass_decision decision = wm_memory_bypass_decide(memory, &event);
    if (decision == WM_BYPASS_LOOKUP)
        return pass(l1, cycle, request, token, waits);
    uint32_t missing = 0;
    enum wm_stall stall =
        look_up(l1, cycle, request, token, decision != WM_BYPASS_ALLOCATION, waits, &missing);
    if (stall == WM_STALL_NONE && memory->bypass->served != NULL)
        memory->bypass->served(wm_memory_bypass_state(memory, cache), &event, missing);
    return stall;
}

enum wm_stall wm_timed_l1_access(struct wm_timed_l1 *l1, uint64_t cycle,
                                 const struct wm_request *request, uint64_t token, uint32_t *waits)
{
    bool plain = request->kind == WM_ACCESS_LOAD || request->kind == WM_ACCESS_STORE;
    *waits = 0;
    l1->passes = 1;
    if (cache_of(l1) == NULL || !plain || request->hint == WM_HINT_VOLATILE || request->around_l1)
        return pass(l1, cycle, request, token, waits);
    if (l1->memory->bypass != NULL)
        return access_by_bypass_policy(l1, cycle, request, token, waits);
    enum wm_bypass_decision decision = wm_bypass_by_operator(request->hint);
    if (decision == WM_BYPASS_LOOKUP)
        return pass(l1, cycle, request, token, waits);
    uint32_t missing;
    return look_up(l1, cycle, request, token, decision != WM_BYPASS_ALLOCATION, waits, &missing);
}

enum wm_stall wm_timed_l1_side_load(struct wm_timed_l1 *l1, uint64_t cycle,
                                    enum wm_side_cache_kind kind, const struct wm_request *request,
                                    uint64_t token, uint32_t *waits)
{
    struct wm_side_caches *side = &l1->memory->side_caches[kind];
    struct wm_cache *cache = &side->caches[l1->sm / side->sms_each];
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    struct wm_requester requester = {.sm = l1->sm, .warp = request->warp, .pc = request->pc};
    uint64_t line = request->address >> cache->line_shift;
    struct wm_cache_result result =
        wm_cache_read(cache, line, line, request->sectors, true, &requester);
    if (is_explained(l1))
        wm_timed_explain_side_load(l1, cache, request, &result);
    uint64_t misses = wm_count_sectors(result.missing);
    request->instruction_counters->side_cache_misses += misses;
    request->instruction_counters->side_cache_hits += wm_count_sectors(request->sectors) - misses;
    cache->counters.bytes_to_above += wm_sector_bytes(request->sectors);
    *waits = 0;
    l1->passes = 1;
    if (result.fetch == 0)
        return WM_STALL_NONE;
    cache->counters.bytes_from_below += wm_sector_bytes(result.fetch);
    request->instruction_counters->bytes_l1_l2 += wm_sector_bytes(result.fetch);
    const struct wm_l1_packet_kind load = {
        .client = WM_CACHE_LOAD, .replies = true, .token = token};
    *waits = wm_l1_send(l1, cycle, request, &load, result.fetch);
    return WM_STALL_NONE;
}

void wm_timed_l1_host_prefetch(const struct wm_timed_l1 *l1, uint64_t address)
{
    const struct wm_cache *cache = l1->timed.cache;
    if (cache == NULL)
        return;
    uint64_t line = address >> cache->line_shift;
    wm_timed_cache_host_prefetch(&l1->timed, line, line);
}

void wm_timed_l1_host_prefetch_reply(const struct wm_timed_l1 *l1, const struct wm_packet *reply)
{
    if (!reply->fills)
        return;
    __builtin_prefetch(&l1->timed.mshr.entries[reply->token], 1);
    wm_timed_l1_host_prefetch(l1, reply->address);
}

// More sectors come of a line that L1 displaced meanwhile: it goes back first.
static void bring_back(struct wm_timed_l1 *l1, uint64_t cycle, uint64_t line,
                       const struct wm_request *instruction_counters,
                       const struct wm_requester *requester)
{
    struct wm_cache *cache = cache_of(l1);
    struct wm_cache_victim left = {0};
    if (l1->timed.allocates_on_fill && wm_cache_find(cache, line, line) < 0 &&
        wm_cache_find(l1->victims, line, line) >= 0 &&
        !wm_victim_cache_swap(l1->victims, cache, line, requester, &left) && left.dirty != 0)
        wm_l1_send_victim(l1, cycle, instruction_counters, l1->victims, &left);
}

void wm_timed_l1_reply(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_packet *reply,
                       void (*done)(void *context, uint64_t token), void *context)
{
    if (!reply->fills) {
        done(context, reply->token);
        return;
    }
    struct wm_cache *cache = cache_of(l1);
    uint64_t line = reply->address >> cache->line_shift;
    struct wm_requester requester = {.sm = l1->sm,
                                     .warp = reply->warp,
                                     .pc = reply->pc,
                                     .hint = (enum wm_cache_hint)reply->hint};
    struct wm_cache_victim victim;
    if (l1->banks.take_fills)
        wm_l1_banks_take(&l1->banks, reply->address, reply->sectors, cycle);
    struct wm_request instruction_counters = {
        .pc = reply->pc, .warp = reply->warp, .instruction_counters = &l1->unattributed};
    bool takes = false;
    if (is_explained(l1)) {
        instruction_counters.block = l1->blocks[reply->warp];
        takes = wm_timed_explain_takes(l1, line);
    }
    if (l1->victims != NULL)
        bring_back(l1, cycle, line, &instruction_counters, &requester);
    bool shared = l1->sharing != NULL && wm_timed_tracker_completes(l1, line, reply->sectors);
    wm_timed_cache_fill(&l1->timed, (uint32_t)reply->token, line, line, reply->sectors, &requester,
                        done, context, &victim);
    l1->failed |= l1->timed.mshr.failed;
    if (l1->victim_tags != NULL)
        wm_victim_tags_filled(l1->victim_tags, cache, reply->warp, line, &victim);
    if (is_explained(l1))
        wm_timed_explain_fill(l1, takes, line, reply->sectors, &victim, &instruction_counters);
    if (l1->sharing != NULL)
        wm_timed_tracker_evicted(l1, &victim);
    if (shared)
        wm_timed_tracker_filled(l1, line);
    if (leaves(l1, &victim))
        settle_victim(l1, cycle, &instruction_counters, &requester, &victim);
}

bool wm_timed_l1_write_back(struct wm_timed_l1 *l1, uint64_t cycle, uint64_t line, uint32_t pc)
{
    struct wm_cache *cache = holder_of(l1, line);
    if (!wm_l1_has_room(l1, cycle))
        return false;
    uint32_t dirty = wm_cache_clean(cache, line, line, cache->all_sectors);
    struct wm_cache_victim left = wm_cache_last_write_back(cache, line, dirty);
    const struct wm_request unattributed = {.pc = pc, .instruction_counters = &l1->unattributed};
    wm_l1_send_victim(l1, cycle, &unattributed, cache, &left);
    return true;
}

bool wm_timed_l1_is_idle(const struct wm_timed_l1 *l1)
{
    return wm_packet_queue_count(&l1->out) == 0 &&
           (l1->memory->l1 == NULL || wm_timed_cache_is_idle(&l1->timed));
}
