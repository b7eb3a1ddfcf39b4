#include "mem/timed/timed_l1.h"

#include "mem/bypass/bypass.h"
#include "mem/system/memory_state.h"
#include "mem/timed/l1_explain.h"
#include "mem/timed/l1_look_up.h"
#include "mem/timed/l1_victims.h"
#include "mem/timed/tracker_group.h"

enum wm_status wm_timed_l1_init(struct wm_timed_l1 *l1, struct wm_memory *memory, uint32_t sm,
                                struct wm_error *error)
{
    const struct wm_memory_spec *spec = &memory->spec;
    *l1 = (struct wm_timed_l1){.memory = memory,
                               .sm = sm,
                               .latency = spec->levels[WM_LEVEL_L1].timing.latency,
                               .victim_latency = spec->levels[WM_LEVEL_L1].victim_latency,
                               .latency_below = spec->levels[WM_LEVEL_L1].timing.latency +
                                                (spec->levels[WM_LEVEL_L1].tracker.present
                                                     ? spec->levels[WM_LEVEL_L1].tracker.latency
                                                     : 0),
                               .queue = spec->levels[WM_LEVEL_L1].timing.queue,
                               .flit_bytes = spec->interconnect.flit_bytes,
                               .packet_sectors = spec->interconnect.sectors,
                               .store_replies = spec->interconnect.store_replies,
                               .fills_skip_l2 = spec->levels[WM_LEVEL_L2].load_allocation ==
                                                WM_L2_TAKES_UNCACHED};
    l1->sends_byte_masks = memory->levels[WM_LEVEL_L2].caches != NULL &&
                           memory->levels[WM_LEVEL_L2].caches->bytes != NULL;
    wm_byte_mask_pool_init(&l1->written, memory->request_bytes / WM_SECTOR_BYTES);
    WM_TRY(wm_packet_queue_init(&l1->out, error));
    if (memory->levels[WM_LEVEL_L1].caches == NULL)
        return WM_OK;
    struct wm_cache *cache = memory->l1_of_sm[sm];
    WM_TRY(wm_l1_banks_init(&l1->banks, &spec->levels[WM_LEVEL_L1].banks, error));
    if (memory->levels[WM_LEVEL_L1].victims != NULL)
        l1->victims =
            &memory->levels[WM_LEVEL_L1].victims[cache - memory->levels[WM_LEVEL_L1].caches];
    WM_TRY(wm_timed_cache_init(&l1->timed, cache, &spec->levels[WM_LEVEL_L1].timing,
                               spec->levels[WM_LEVEL_L1].allocation == WM_ALLOCATE_STREAMING,
                               error));
    l1->timed.bypasses_when_full = spec->levels[WM_LEVEL_L1].divergence.full == WM_FULL_BYPASSES;
    return WM_OK;
}

void wm_timed_l1_release(struct wm_timed_l1 *l1)
{
    wm_packet_queue_release(&l1->out);
    wm_timed_cache_release(&l1->timed);
    wm_byte_mask_pool_release(&l1->written);
    wm_l1_banks_release(&l1->banks);
}

// An access that does not use L1: its copy goes, or is cleaned.
static void flush_l1_copy(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                          bool drop)
{
    struct wm_cache *cache =
        wm_l1_holder_of(l1, request->address >> wm_l1_cache_of(l1)->line_shift);
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

// A load, store or atomic that L2 serves, whether or not there is an L1.
static enum wm_stall pass(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                          uint64_t token, uint32_t *waits)
{
    struct wm_cache *cache = wm_l1_cache_of(l1);
    bool load = request->kind == WM_ACCESS_LOAD, store = request->kind == WM_ACCESS_STORE;
    uint64_t bytes = wm_sector_bytes(request->sectors);
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    if (cache != NULL) {
        bool drops = !load || request->hint == WM_HINT_VOLATILE;
        flush_l1_copy(l1, cycle, request, drops);
        if (wm_l1_is_explained(l1))
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
    request->instruction_counters->levels[WM_LEVEL_L2].bytes +=
        bytes + (returns && !load ? bytes : 0);
    const struct wm_l1_packet_kind kind = {.client = load ? WM_CACHE_LOAD : WM_CACHE_ATOMIC,
                                           .replies = true,
                                           .reduces = request->kind == WM_ACCESS_REDUCTION,
                                           .token = token};
    *waits = store ? wm_l1_send_store(l1, cycle, request, token, request->sectors)
                   : wm_l1_send(l1, cycle, request, &kind, request->sectors);
    if (load)
        wm_l1_note_load(l1, request, false, true);
    return WM_STALL_NONE;
}

static inline enum wm_stall look_up(struct wm_timed_l1 *l1, uint64_t cycle,
                                    const struct wm_request *request, uint64_t token, bool allocate,
                                    uint32_t *waits, uint32_t *missing)
{
    return (__builtin_expect(l1->victims == NULL, true)
                ? wm_l1_look_up
                : wm_l1_look_up_with_victims)(l1, cycle, request, token, allocate, waits, missing);
}

// A load or a store as the machine's bypass entry decides, whose hook `served` then gets the
// outcome.
static enum wm_stall access_by_bypass_policy(struct wm_timed_l1 *l1, uint64_t cycle,
                                             const struct wm_request *request, uint64_t token,
                                             uint32_t *waits)
{
    struct wm_memory *memory = l1->memory;
    struct wm_cache *cache = wm_l1_cache_of(l1);
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
    if (wm_l1_cache_of(l1) == NULL || !plain || request->hint == WM_HINT_VOLATILE ||
        request->around_l1)
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
    const struct wm_cache_level *side = &l1->memory->levels[WM_LEVEL_SIDE + kind];
    struct wm_cache *cache = wm_cache_of_unit(side, l1->sm);
    if (!wm_l1_has_room(l1, cycle))
        return WM_STALL_QUEUE;
    struct wm_requester requester = {.sm = l1->sm, .warp = request->warp, .pc = request->pc};
    uint64_t line = request->address >> cache->line_shift;
    struct wm_cache_result result =
        wm_cache_read(cache, line, line, request->sectors, true, &requester);
    if (wm_l1_is_explained(l1))
        wm_timed_explain_side_load(l1, cache, request, &result);
    uint64_t misses = wm_count_sectors(result.missing);
    struct wm_level_counters *charged =
        &request->instruction_counters->levels[WM_LEVEL_SIDE + kind];
    charged->misses += misses;
    charged->hits += wm_count_sectors(request->sectors) - misses;
    cache->counters.bytes_to_above += wm_sector_bytes(request->sectors);
    *waits = 0;
    l1->passes = 1;
    if (result.fetch == 0)
        return WM_STALL_NONE;
    cache->counters.bytes_from_below += wm_sector_bytes(result.fetch);
    request->instruction_counters->levels[WM_LEVEL_L2].bytes += wm_sector_bytes(result.fetch);
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

void wm_timed_l1_reply(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_packet *reply,
                       void (*done)(void *context, uint64_t token), void *context)
{
    if (!reply->fills) {
        done(context, reply->token);
        return;
    }
    struct wm_cache *cache = wm_l1_cache_of(l1);
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
    if (wm_l1_is_explained(l1)) {
        instruction_counters.block = l1->blocks[reply->warp];
        takes = wm_timed_explain_takes(l1, line);
    }
    if (l1->victims != NULL)
        wm_l1_bring_back(l1, cycle, line, &instruction_counters, &requester);
    bool shared = l1->sharing != NULL && wm_timed_tracker_completes(l1, line, reply->sectors);
    wm_timed_cache_fill(&l1->timed, (uint32_t)reply->token, line, line, reply->sectors, &requester,
                        done, context, &victim);
    l1->failed |= l1->timed.mshr.failed;
    if (l1->victim_tags != NULL)
        wm_victim_tags_filled(l1->victim_tags, cache, reply->warp, line, &victim);
    if (wm_l1_is_explained(l1))
        wm_timed_explain_fill(l1, takes, line, reply->sectors, &victim, &instruction_counters);
    if (l1->sharing != NULL)
        wm_timed_tracker_evicted(l1, &victim);
    if (shared)
        wm_timed_tracker_filled(l1, line);
    if (wm_l1_leaves(l1, &victim))
        wm_l1_settle_victim(l1, cycle, &instruction_counters, &requester, &victim);
}

bool wm_timed_l1_write_back(struct wm_timed_l1 *l1, uint64_t cycle, uint64_t line, uint32_t pc)
{
    struct wm_cache *cache = wm_l1_holder_of(l1, line);
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
           (l1->memory->levels[WM_LEVEL_L1].caches == NULL || wm_timed_cache_is_idle(&l1->timed));
}
