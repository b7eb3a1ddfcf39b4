// The load/store unit of an SM: memory instructions in the order of issue, one at a time, as many
// of its requests a cycle as L1 has ports. What L1 cannot take now comes again, and holds up
// whatever is behind it.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"
#include "engine/clock/load_store_parts.h"

#include "base/containers/ring.h"
#include "sm/conflicts/atomic_conflicts.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_OPS = 64,     // places for memory instructions under way
    EXPECTED_LINES = 4, // that the host prefetches when an instruction issues
};

// Rows of bytes for each entry's lines, where a cache keeps byte masks or misses are explained.
static size_t bytes_of_entry(const struct wm_clock_sm *sm)
{
    return (size_t)WM_CLOCK_LINES * sm->byte_row;
}

static uint32_t *bytes_of(const struct wm_clock_sm *sm, const struct wm_load_store_entry *entry)
{
    if (sm->entry_bytes == NULL)
        return NULL;
    return sm->entry_bytes + (size_t)(entry - sm->entries) * bytes_of_entry(sm);
}

static bool build_bytes(struct wm_clock_sm *sm)
{
    bool explain = sm->clock->session->options.explain;
    sm->byte_row = explain ? WM_MAX_LINE_SECTORS : sm->timed.written.row_words;
    if (!explain && !wm_memory_needs_byte_masks(sm->clock->memory))
        return true;
    sm->entry_bytes = malloc(sm->entry_room * bytes_of_entry(sm) * sizeof *sm->entry_bytes);
    return sm->entry_bytes != NULL;
}

enum wm_status wm_load_store_init(struct wm_clock_sm *sm, struct wm_error *error)
{
    const struct wm_sm_spec *spec = &sm->clock->machine->sm;
    const struct wm_level_spec *levels = sm->clock->machine->memory.levels;
    sm->entry_room = spec->memory_queue;
    sm->op_count = spec->max_warps * WM_CLOCK_OPS_A_WARP;
    sm->first_token = sm->index * sm->op_count;
    sm->lane_banks = levels[WM_LEVEL_L1].banks.of_lanes;
    sm->word_interval = levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].word_interval;
    sm->has_data_passes = sm->lane_banks || sm->word_interval != 0;
    sm->ports = wm_level_ports(&sm->clock->machine->memory, WM_LEVEL_L1);
    sm->entries = aligned_alloc(64, (sm->entry_room * sizeof *sm->entries + 63) / 64 * 64);
    sm->op_room = sm->op_count < FIRST_OPS ? sm->op_count : FIRST_OPS;
    sm->ops = malloc(sm->op_room * sizeof *sm->ops);
    if (sm->entries == NULL || sm->ops == NULL || !wm_load_store_queues_init(sm) ||
        !build_bytes(sm) || !wm_requests_in_flight_init(sm))
        return wm_fail_no_memory(error, "a load/store unit");
    memset(sm->entries, 0, sm->entry_room * sizeof *sm->entries);
    return WM_OK;
}

void wm_load_store_release(struct wm_clock_sm *sm)
{
    for (uint32_t i = 0; sm->entries != NULL && i < sm->entry_room; i++)
        free(sm->entries[i].others);
    free(sm->entries);
    free(sm->entry_bytes);
    free(sm->entry_places);
    free(sm->entry_rounds);
    free(sm->ops);
    wm_load_store_queues_release(sm);
}

bool wm_load_store_has_room(const struct wm_clock_sm *sm)
{
    return sm->entry_count < sm->entry_room && sm->free_op < sm->op_count;
}

struct wm_load_store_entry *wm_load_store_open(struct wm_clock_sm *sm)
{
    uint32_t at = sm->entry_first + sm->entry_count;
    struct wm_load_store_entry *entry =
        &sm->entries[at < sm->entry_room ? at : at - sm->entry_room];
    struct wm_request_batch *batch = &sm->batch;  // its events are never used
    __builtin_prefetch(&sm->ops[sm->free_op], 1); // which is filled when it has been traced
    batch->head_count = batch->line_count = 0;
    batch->head_room = WM_CLOCK_HEADS;
    batch->line_room = WM_CLOCK_LINES;
    batch->heads = sm->tally->traced.heads;
    batch->lines = sm->tally->traced.lines;
    sm->traced_passes = 0;
    sm->traced_interval = 1;
    sm->traced_data_passes = 0;
    sm->traced_entry = entry;
    sm->traced_rounds = NULL;
    sm->traced_bytes = bytes_of(sm, entry);
    return entry;
}

// --- Atomics ---

static size_t rounds_of_entry(const struct wm_clock_sm *sm)
{
    return (size_t)WM_CLOCK_LINES * (sm->front_end.line_bytes / WM_SECTOR_BYTES);
}

// Of an entry's lines, a byte a sector.
static uint8_t *rounds_of(const struct wm_clock_sm *sm, const struct wm_load_store_entry *entry)
{
    return sm->entry_rounds + (size_t)(entry - sm->entries) * rounds_of_entry(sm);
}

void wm_load_store_note_atomic(struct wm_clock_sm *sm, const struct wm_warp_access *access,
                               uint32_t first)
{
    struct wm_atomic_contention meetings[WM_MAX_LANES / 2];
    uint32_t line_bytes = sm->front_end.line_bytes, row = line_bytes / WM_SECTOR_BYTES;
    if (sm->entry_rounds == NULL)
        sm->entry_rounds = malloc(sm->entry_room * rounds_of_entry(sm));
    if (sm->entry_rounds == NULL) {
        sm->failed = true;
        return;
    }
    uint8_t *rounds = rounds_of(sm, sm->traced_entry);
    uint32_t end = sm->batch.line_count, count = wm_atomic_contentions(access, meetings);
    sm->traced_rounds = rounds;
    memset(rounds + (size_t)first * row, 1, (size_t)(end - first) * row);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t line = first; line < end; line++) {
            uint64_t within = meetings[i].address - sm->batch.lines[line].line_address;
            if (within >= line_bytes)
                continue;
            uint8_t *of_sector = &rounds[(size_t)line * row + within / WM_SECTOR_BYTES];
            if (meetings[i].lanes > *of_sector)
                *of_sector = (uint8_t)meetings[i].lanes;
        }
}

// --- Entries ---

static bool make_others(struct wm_load_store_entry *entry, uint32_t lines)
{
    if (entry->others != NULL && lines <= entry->other_lines)
        return true;
    uint32_t room = wm_ring_length(lines);
    struct wm_load_store_lines *larger = malloc(sizeof *larger + room * sizeof *larger->lines);
    if (larger == NULL)
        return false;
    free(entry->others);
    entry->others = larger;
    entry->other_lines = room;
    return true;
}

// What was traced becomes the entry's. Field by field: loads of whole lines would wait for the
// stores of their fields, which have just been made.
static bool keep_traced(struct wm_load_store_entry *entry, const struct wm_request_batch *batch,
                        uint32_t base)
{
    entry->heads = entry->own_heads;
    entry->lines = entry->own_lines;
    if (batch->head_count > WM_CLOCK_ENTRY_HEADS || batch->line_count > WM_CLOCK_ENTRY_LINES) {
        if (!make_others(entry, batch->line_count))
            return false;
        entry->heads = entry->others->heads;
        entry->lines = entry->others->lines;
    }
    for (uint32_t i = 0; i < batch->line_count; i++) {
        entry->lines[i].line_address = batch->lines[i].line_address;
        entry->lines[i].sectors = batch->lines[i].sectors;
        entry->lines[i].full_sectors = batch->lines[i].full_sectors;
    }
    for (uint32_t i = 0; i < batch->head_count; i++) {
        entry->heads[i] = batch->heads[i];
        entry->heads[i].pc += base;
    }
    return true;
}

static bool grow_ops(struct wm_clock_sm *sm)
{
    return WM_ARRAY_RESERVE(sm->ops, sm->op_room, sm->op_room, 1);
}

bool wm_load_store_submit(struct wm_clock_sm *sm, struct wm_load_store_entry *entry, uint32_t slot,
                          uint32_t pc, uint64_t cycle)
{
    if (sm->batch.head_count == 0 && sm->traced_passes == 0)
        return false;
    uint32_t index = sm->free_op;
    if ((__builtin_expect(index == sm->op_room, false) && !grow_ops(sm)) ||
        !keep_traced(entry, &sm->batch, sm->base)) {
        sm->failed = true;
        return false;
    }
    struct wm_clock_memory_op *op = &sm->ops[index];
    sm->free_op = index != sm->fresh_op ? op->next_free : ++sm->fresh_op;
    const struct wm_issue_facts *facts = &sm->core.table->facts[pc];
    *op = (struct wm_clock_memory_op){.issued = cycle,
                                      .slot = slot,
                                      .pc = pc,
                                      .rank = sm->core.warps[slot].rank,
                                      .sending = true,
                                      .writes = facts->destinations != 0};
    entry->op = index;
    entry->head_count = sm->batch.head_count;
    entry->head = entry->line = entry->first_line = entry->latency = 0;
    entry->translated = false;
    entry->shared_passes = sm->traced_passes;
    entry->shared_interval = sm->traced_interval;
    entry->data_passes = sm->traced_data_passes;
    entry->is_atomic = sm->traced_rounds != NULL;
    entry->resident_warps = sm->front_end.resident_warps;
    if (sm->entry_count++ == 0) {
        sm->unit_free = sm->unit_free < cycle + 1 ? cycle + 1 : sm->unit_free;
        sm->memory_due = wm_earlier(sm->memory_due, sm->unit_free);
    }
    sm->core.warps[slot].accesses++;
    sm->places[sm->slots[slot].place].accesses++;
    sm->core.memory_takes = wm_load_store_has_room(sm);
    sm->unit.instructions++;
    if (__builtin_expect(sm->entry_places != NULL, false))
        wm_requests_arrive(sm, entry, cycle + 1);
    // Its requests are made in cycles to come. More would not stay in the host's caches.
    for (uint32_t i = 0; i < sm->batch.line_count && i < EXPECTED_LINES; i++)
        wm_timed_unit_host_prefetch(&sm->timed, entry->lines[i].line_address);
    return true;
}

// All its requests have been made.
static void close_entry(struct wm_clock_sm *sm, struct wm_load_store_entry *entry, uint64_t cycle)
{
    struct wm_clock_memory_op *op = &sm->ops[entry->op];
    op->sending = false;
    // Of an empty ring the host's caches most likely hold the first entry.
    bool last = --sm->entry_count == 0 || sm->entry_first + 1 == sm->entry_room;
    sm->entry_first = last ? 0 : sm->entry_first + 1;
    sm->core.memory_takes = wm_load_store_has_room(sm);
    // What L1 held of it is there a latency later; what it lacked comes by itself.
    if (op->writes && entry->head_count != 0)
        wm_load_store_expect_done(sm, &sm->hits, op, entry->op, cycle + entry->latency);
    if (op->outstanding == 0)
        wm_load_store_finish(sm, op);
}

struct wm_request wm_load_store_request_of(struct wm_clock_sm *sm,
                                           const struct wm_load_store_entry *entry,
                                           const struct wm_request_head *head,
                                           const struct wm_line_request *line)
{
    return (struct wm_request){
        .address = line->line_address,
        .sectors = line->sectors,
        .full_sectors = line->full_sectors,
        .kind = (enum wm_access_kind)head->kind,
        .hint = (enum wm_cache_hint)head->hint,
        .around_l1 = head->around_l1,
        .listed = sm->clock->listed[head->pc],
        .resident_warps = entry->resident_warps,
        .lines = head->count,
        .rank = sm->ops[entry->op].rank,
        .sm = sm->index,
        .warp = head->warp,
        .pc = head->pc,
        .instruction_counters = &sm->tally->counters_by_pc[head->pc],
    };
}

// Which bytes it touches, and what it is explained by, where these are used.
static void add_bytes(const struct wm_clock_sm *sm, const struct wm_load_store_entry *entry,
                      struct wm_request *request)
{
    size_t line = entry->first_line + entry->line;
    request->bytes = bytes_of(sm, entry) + line * sm->byte_row;
    if (sm->blocks == NULL)
        return;
    uint32_t slot = sm->ops[entry->op].slot;
    const struct wm_clock_block_slot *place = &sm->places[sm->slots[slot].place];
    request->block = sm->blocks[request->warp];
    request->explained = wm_clock_explained(sm, place->segment) + request->pc - place->base;
}

static enum wm_stall translate(struct wm_clock_sm *sm, struct wm_load_store_entry *entry,
                               const struct wm_request *request, uint64_t cycle)
{
    enum wm_stall stall =
        wm_timed_translate(&sm->timed.translation, cycle, request, &entry->lines[entry->first_line],
                           entry->heads[entry->head].count, &sm->timed.banks_ready);
    entry->translated = stall == WM_STALL_NONE;
    return stall;
}

static enum wm_stall look_up(struct wm_clock_sm *sm, const struct wm_load_store_entry *entry,
                             struct wm_request *request, uint64_t cycle, uint64_t token,
                             uint32_t *waits)
{
    const struct wm_request_head *head = &entry->heads[entry->head];
    if (__builtin_expect(entry->is_atomic, false))
        sm->timed.rounds = rounds_of(sm, entry) + (size_t)(entry->first_line + entry->line) *
                                                      (sm->front_end.line_bytes / WM_SECTOR_BYTES);
    enum wm_stall stall =
        __builtin_expect(sm->coherent, false)
            ? wm_clock_coherent_access(sm, request, cycle, token, waits)
        : head->item == WM_BATCH_SIDE_CACHE
            ? wm_timed_unit_side_load(&sm->timed, cycle, (enum wm_side_cache_kind)head->side_cache,
                                      request, token, waits)
            : wm_timed_unit_access(&sm->timed, cycle, request, token, waits);
    sm->timed.rounds = NULL;
    return stall;
}

// The entry's next request; why it has to come again, if so.
static enum wm_stall make_request(struct wm_clock_sm *sm, struct wm_load_store_entry *entry,
                                  uint64_t cycle)
{
    const struct wm_request_head *head = &entry->heads[entry->head];
    const struct wm_line_request *line = &entry->lines[entry->first_line + entry->line];
    struct wm_request request = wm_load_store_request_of(sm, entry, head, line);
    if (__builtin_expect(sm->clock->several, false))
        wm_clock_charge(sm, sm->places[sm->slots[sm->ops[entry->op].slot].place].segment);
    if (__builtin_expect(sm->front_end.translates, false) && !entry->translated) {
        enum wm_stall walks = translate(sm, entry, &request, cycle);
        if (walks != WM_STALL_NONE)
            return walks;
    }
    if (__builtin_expect(sm->entry_bytes != NULL, false))
        add_bytes(sm, entry, &request);
    uint64_t token = sm->first_token + entry->op;
    bool in_flight = __builtin_expect(sm->entry_places != NULL, false);
    if (in_flight)
        wm_request_gather(sm, entry, &request, &token);
    uint32_t waits = 0;
    enum wm_stall stall = look_up(sm, entry, &request, cycle, token, &waits);
    if (stall != WM_STALL_NONE)
        return stall;
    if (sm->throttle != NULL)
        wm_clock_throttle_served(sm, sm->ops[entry->op].slot, cycle);
    if (sm->timed.served_latency > entry->latency)
        entry->latency = sm->timed.served_latency;
    if (head->item == WM_BATCH_SIDE_CACHE)
        wm_load_store_note_served(sm, &sm->ops[entry->op],
                                  WM_SERVED_SIDE + (uint32_t)head->side_cache);
    if (in_flight)
        wm_request_looked_up(sm, entry, &request, cycle, &waits);
    sm->ops[entry->op].outstanding += waits;
    sm->ops[entry->op].requests_waited += waits;
    wm_load_store_advance(entry);
    return WM_STALL_NONE;
}

static void note_stall(struct wm_clock_sm *sm, enum wm_stall stall, uint64_t cycle)
{
    if (sm->stall != WM_STALL_NONE)
        wm_stall_count(&sm->unit.stalls, sm->stall, cycle - sm->stalled_since);
    sm->stall = stall;
    sm->stalled_since = cycle;
    sm->retries = false;
}

// Whether others may end what the entry's next request is stalled by, at any time: it is of a cache
// that they share.
static bool others_may_end_stall(const struct wm_clock_sm *sm,
                                 const struct wm_load_store_entry *entry)
{
    const struct wm_request_head *head = &entry->heads[entry->head];
    uint32_t level = head->item == WM_BATCH_SIDE_CACHE ? WM_LEVEL_SIDE + (uint32_t)head->side_cache
                                                       : WM_LEVEL_L1;
    return sm->shared_levels >> level & 1;
}

// As many requests of the entry as there are ports; returns the cycles that they take, 0: the next
// one has to come again.
static uint32_t make_requests(struct wm_clock_sm *sm, struct wm_load_store_entry *entry,
                              uint64_t cycle)
{
    uint32_t passes = 1, late = 0;
    for (uint32_t i = 0; i < sm->ports && passes == 1 && late == 0; i++) {
        if (__builtin_expect(sm->entry_places != NULL, false))
            wm_requests_pass_joined(sm, entry);
        if (entry->head == entry->head_count)
            break;
        enum wm_stall stall = make_request(sm, entry, cycle);
        note_stall(sm, stall, cycle);
        if (stall >= WM_STALL_BANK && sm->timed.banks_ready > cycle) {
            // The cycle in which that is over is known.
            sm->unit_free = sm->timed.banks_ready;
            sm->retries = true;
        }
        if (stall != WM_STALL_NONE) {
            sm->retries |= others_may_end_stall(sm, entry);
            return 0;
        }
        passes = sm->timed.passes;
        late = sm->timed.late;
    }
    if (__builtin_expect(sm->entry_places != NULL, false))
        wm_requests_pass_joined(sm, entry);
    wm_stall_count(&sm->unit.stalls, WM_STALL_BANK, passes - 1);
    return passes + late;
}

void wm_load_store_abandon(struct wm_clock_sm *sm)
{
    sm->abandoned = true;
    note_stall(sm, WM_STALL_NONE, sm->cycle);
    for (; sm->entry_count != 0; sm->entry_count--) {
        struct wm_load_store_entry *entry = &sm->entries[sm->entry_first];
        struct wm_clock_memory_op *op = &sm->ops[entry->op];
        if (sm->entry_places != NULL)
            wm_requests_abandon(sm, entry);
        sm->entry_first = sm->entry_first + 1 < sm->entry_room ? sm->entry_first + 1 : 0;
        op->sending = false;
        if (op->outstanding == 0)
            wm_load_store_finish(sm, op);
    }
    sm->entry_first = 0;
    sm->timed.translation.begun = false;
    sm->core.memory_takes = wm_load_store_has_room(sm);
}

// A load's data are read from its first look-up on; the next comes when both are over.
static void take_data_passes(struct wm_clock_sm *sm, struct wm_load_store_entry *entry,
                             uint64_t cycle)
{
    if (entry->data_passes != 0)
        sm->data_free = cycle + entry->data_passes;
    entry->data_passes = 0;
    if (entry->head != entry->head_count || sm->data_free <= sm->unit_free)
        return;
    wm_stall_count(&sm->unit.stalls, WM_STALL_BANK, sm->data_free - sm->unit_free);
    sm->unit_free = sm->data_free;
}

static void serve_first(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_load_store_entry *entry = &sm->entries[sm->entry_first];
    uint32_t l1_passes = 1;
    if (entry->shared_passes != 0) {
        uint32_t passes = entry->shared_passes, latency = sm->clock->machine->sm.shared_latency;
        uint64_t last = cycle + (uint64_t)(passes - 1) * entry->shared_interval;
        wm_load_store_expect_done(sm, &sm->shared, &sm->ops[entry->op], entry->op, last + latency);
        sm->unit.bank_conflict_cycles += passes - 1;
        entry->shared_passes = 0;
        sm->unit_free = cycle + passes;
    } else {
        l1_passes = make_requests(sm, entry, cycle);
        if (l1_passes == 0)
            return;
        sm->unit_free = cycle + l1_passes;
        if (sm->has_data_passes)
            take_data_passes(sm, entry, cycle);
    }
    if (entry->head == entry->head_count)
        close_entry(sm, entry, sm->unit_free - 1);
}

// What the first request was stalled by lasts until something says that it may be over.
static bool may_serve(const struct wm_clock_sm *sm)
{
    return sm->entry_count != 0 && (sm->stall == WM_STALL_NONE || sm->retries);
}

void wm_load_store_run(struct wm_clock_sm *sm, uint64_t cycle)
{
    if (sm->done_due <= cycle)
        wm_load_store_run_queues(sm, cycle);
    if (may_serve(sm) && sm->unit_free <= cycle)
        serve_first(sm, cycle);
}

uint64_t wm_load_store_next(const struct wm_clock_sm *sm, uint64_t cycle)
{
    uint64_t free = sm->unit_free > cycle ? sm->unit_free : cycle;
    return may_serve(sm) ? wm_earlier(free, sm->done_due) : sm->done_due;
}
