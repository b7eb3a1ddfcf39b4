// Making an SM of the clock engine, and beginning a launch on it: what its memory instructions are
// traced with. clock/sm.c runs it.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include "engine/access/access_pattern.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_components.h"
#include "sm/conflicts/bank_conflicts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- What memory instructions touch ---

// What a load takes in L1's banks, or in the constant cache, besides its look-ups. Textures have
// banks of their own.
static void trace_passes(struct wm_clock_sm *sm, const struct wm_warp_access *access)
{
    const struct wm_request_head *head = &sm->batch.heads[sm->batch.head_count - 1];
    if (access->kind != WM_ACCESS_LOAD)
        return;
    if (access->space == WM_SPACE_CONSTANT)
        sm->traced_data_passes += sm->word_interval * wm_words_of_load(access);
    else if (sm->lane_banks && access->space != WM_SPACE_TEXTURE &&
             head->item != WM_BATCH_SIDE_CACHE)
        sm->traced_data_passes += wm_bank_passes_of_load(access);
}

static void trace(void *context, const struct wm_warp_access *access)
{
    struct wm_clock_sm *sm = context;
    bool atomic = access->kind == WM_ACCESS_ATOMIC || access->kind == WM_ACCESS_REDUCTION;
    uint32_t before = sm->batch.line_count;
    if (access->space == WM_SPACE_SHARED && access->active != 0) {
        sm->traced_passes += wm_bank_use_of(access).passes;
        if (atomic && sm->clock->machine->sm.shared_atomic_interval != 0)
            sm->traced_interval = sm->clock->machine->sm.shared_atomic_interval;
    }
    wm_front_end_access(&sm->front_end, access);
    if (sm->has_data_passes && sm->batch.line_count != before)
        trace_passes(sm, access);
    if (__builtin_expect(atomic, false) && sm->batch.line_count != before)
        wm_load_store_note_atomic(sm, access, before);
}

// Of the cache that the last traced access goes to.
static uint32_t traced_line_bytes(const struct wm_clock_sm *sm)
{
    const struct wm_request_head *head = &sm->batch.heads[sm->batch.head_count - 1];
    return head->item == WM_BATCH_SIDE_CACHE ? sm->front_end.side_cache_line_bytes[head->side_cache]
                                             : sm->front_end.line_bytes;
}

// The same, and which bytes a store writes, for caches that keep byte masks, or any access touches,
// where misses are explained.
static void trace_bytes(void *context, const struct wm_warp_access *access)
{
    struct wm_clock_sm *sm = context;
    uint32_t before = sm->batch.line_count, row = sm->byte_row;
    trace(context, access);
    if (access->kind != WM_ACCESS_STORE && sm->blocks == NULL)
        return;
    for (uint32_t i = before; i < sm->batch.line_count; i++) {
        uint32_t bytes[WM_MAX_LINE_SECTORS];
        wm_coalesced_bytes(access, &sm->batch.lines[i], traced_line_bytes(sm), bytes);
        memcpy(sm->traced_bytes + i * row, bytes, row * sizeof *bytes);
    }
}

// --- Building ---

// An instruction's requests fit its entry.
static void never_full(struct wm_request_batcher *batcher)
{
    (void)batcher;
    assert(!"a memory instruction goes to more places than there are");
}

static struct wm_timed_level *cache_of(const struct wm_clock_sm *sm, uint32_t level)
{
    struct wm_clock_cache *caches = sm->clock->caches[level];
    return caches != NULL
               ? &caches[wm_memory_cache_of(sm->clock->memory, level, sm->index, 0)].level
               : NULL;
}

// To its caches.
static void connect(struct wm_clock_sm *sm)
{
    sm->timed.l1 = cache_of(sm, WM_LEVEL_L1);
    sm->scoped =
        sm->timed.l1 != NULL && wm_level_is_scoped(&sm->clock->machine->memory, WM_LEVEL_L1);
    for (uint32_t kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        sm->timed.sides[kind] = cache_of(sm, WM_LEVEL_SIDE + kind);
    for (uint32_t level = 0; level < WM_LEVEL_L2; level++)
        if (sm->clock->caches[level] != NULL &&
            wm_level_units_each(&sm->clock->machine->memory, level) > 1)
            sm->shared_levels |= 1u << level;
    if (sm->clock->machine->memory.tlb.present)
        sm->shared_levels = UINT32_MAX;
}

enum wm_status wm_clock_sm_init(struct wm_clock *clock, struct wm_clock_sm *sm, uint32_t index,
                                struct wm_error *error)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    struct wm_network_ends ends = wm_network_ends_of(memory);
    *sm = (struct wm_clock_sm){.clock = clock,
                               .index = index,
                               .to_network = clock->to_network,
                               .from_network = clock->from_network};
    sm->issue_width = clock->machine->sm.issue_width;
    WM_TRY(wm_issue_core_init(&sm->core, &clock->machine->sm, error));
    WM_TRY(wm_timed_unit_init(&sm->timed, clock->memory, &clock->topology, index, error));
    connect(sm);
    WM_TRY(wm_clock_throttle_init(sm, error));
    WM_TRY(wm_crossbar_output_init(&sm->output, ends.requests + ends.peers, ends.send,
                                   memory->interconnect.buffer, error));
    if (clock->topology.invalidates) // a receiver always has room for them, a switch may not
        WM_TRY(wm_crossbar_output_init(&sm->responses, ends.requests, ends.send,
                                       ends.stages != 0 ? memory->interconnect.buffer : 0, error));
    sm->output.one_way = ends.requests == 1;
    WM_TRY(wm_crossbar_input_init(&sm->input, index, ends.requests + ends.peers, ends.receive,
                                  ends.requests, error)); // replies have their requests' places
    WM_TRY(wm_load_store_init(sm, error));
    WM_TRY(wm_clock_sleep_init(sm, error));
    WM_TRY(wm_clock_code_init(sm, error));
    WM_TRY(WM_ARRAY_NEW(sm->places, clock->machine->sm.max_blocks, error, "an SM"));
    if (clock->session->options.explain) {
        sm->timed.out.blocks = sm->blocks =
            calloc(clock->machine->sm.max_warps, sizeof *sm->blocks);
        sm->patterns = wm_access_patterns_new(clock->machine->sm.count);
        if (sm->blocks == NULL || sm->patterns == NULL)
            return wm_fail_no_memory(error, "an SM");
    }
    wm_front_end_init(&sm->front_end, clock->machine, NULL);
    sm->front_end.patterns = sm->patterns;
    sm->batcher = (struct wm_request_batcher){.batch = &sm->batch, .pass_on = never_full};
    sm->front_end.batcher = &sm->batcher;
    sm->front_end.sm = index;
    return WM_OK;
}

void wm_clock_sm_release(struct wm_clock_sm *sm)
{
    wm_issue_core_release(&sm->core);
    wm_clock_throttle_release(sm);
    wm_timed_unit_release(&sm->timed);
    wm_crossbar_output_release(&sm->output);
    wm_crossbar_output_release(&sm->responses);
    wm_crossbar_input_release(&sm->input);
    wm_load_store_release(sm);
    wm_clock_sleep_release(sm);
    wm_clock_code_release(sm);
    free(sm->places);
    free(sm->spaces);
    free(sm->own_slots);
    free(sm->blocks);
    wm_access_patterns_free(sm->patterns);
}

struct wm_instruction_misses *wm_clock_explained(const struct wm_clock_sm *sm, uint32_t segment)
{
    const struct wm_kernel_record *record = sm->clock->segments[segment].record;
    uint32_t copy = sm->clock->coherent == NULL ? sm->index : 0;
    return record->explained + copy * (record->instruction_count + UINT64_C(1));
}

void wm_clock_sm_trace_for(struct wm_clock_sm *sm, uint32_t segment)
{
    const struct wm_clock *clock = sm->clock;
    sm->base = clock->segments[segment].base;
    sm->front_end.counters_by_pc = sm->tally->counters_by_pc + sm->base;
    sm->front_end.spaces = sm->spaces + sm->base;
    sm->front_end.listed = clock->listed + sm->base;
    if (sm->blocks != NULL)
        sm->front_end.explained = wm_clock_explained(sm, segment);
}

// Bank conflicts and bytes are computed from addresses.
static bool accepts_strided(const struct wm_clock_sm *sm)
{
    bool takes = sm->entry_bytes == NULL;
    for (const struct wm_clock_launch *running = sm->clock->launches; running != NULL;
         running = running->next) {
        const struct wm_work *work = running->run->work;
        takes = takes && work->static_shared_bytes + work->dynamic_shared_bytes == 0;
    }
    return takes;
}

// No block is on the SM, and no warp in a slot.
static enum wm_status empty_places(struct wm_clock_sm *sm, struct wm_error *error)
{
    sm->resident_warps = 0;
    sm->finished_blocks = 0;
    sm->waiting = 0;
    memset(sm->places, 0, sm->clock->machine->sm.max_blocks * sizeof *sm->places);
    WM_TRY(wm_clock_throttle_launch(sm, error));
    wm_clock_code_launch(sm);
    return wm_issue_core_launch(&sm->core, &sm->clock->table, sm->cycle, error);
}

enum wm_status wm_clock_sm_launch(struct wm_clock_sm *sm, struct wm_error *error)
{
    struct wm_clock *clock = sm->clock;
    sm->slots = clock->slots;
    sm->front_end.counters = &clock->session->sms[sm->index].counters;
    if (clock->machine->sm.machine_code == WM_MACHINE_CODE_ESTIMATED)
        sm->front_end.machine_code = &clock->session->sms[sm->index].machine_code;
    if (sm->blocks != NULL)
        sm->front_end.shared = &clock->session->sms[sm->index].shared;
    wm_clock_sm_trace_for(sm, 0);
    sm->sink = (struct wm_access_sink){
        .access = sm->entry_bytes != NULL ? trace_bytes : trace,
        .context = sm,
        .accepts_strided = accepts_strided(sm),
    };
    sm->charged = 0;
    sm->abandoned = false;
    return empty_places(sm, error);
}

enum wm_status wm_clock_sm_abandon(struct wm_clock_sm *sm, struct wm_error *error)
{
    wm_load_store_abandon(sm);
    wm_clock_sleep_abandon(sm);
    wm_clock_sm_expect(sm, sm->clock->now);
    return empty_places(sm, error);
}

// From here on places have warps of their own numbers.
static bool use_own_slots(struct wm_clock_sm *sm)
{
    size_t bytes = sm->clock->machine->sm.max_warps * sizeof *sm->slots;
    if (sm->own_slots == NULL)
        sm->own_slots = malloc(bytes);
    if (sm->own_slots == NULL)
        return false;
    if (sm->slots != sm->own_slots)
        memcpy(sm->own_slots, sm->slots, bytes);
    sm->slots = sm->own_slots;
    return true;
}

enum wm_status wm_clock_sm_join(struct wm_clock_sm *sm, struct wm_error *error)
{
    if (!use_own_slots(sm))
        return wm_fail_no_memory(error, "an SM");
    sm->sink.accepts_strided = accepts_strided(sm);
    return wm_issue_core_extend(&sm->core, &sm->clock->table, error);
}
