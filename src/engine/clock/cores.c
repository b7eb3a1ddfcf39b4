// CPU cores beside the SMs: what a core (cpu/core.h) executes, a block of one warp of one lane,
// becomes its operations, and what it sends goes to its L1, and from there as an SM's requests do.
// All cores, with the levels that are theirs alone, are one island: so what a core waits for of
// another is known at once, in order of time and of number within a cycle.
#include "base/containers/array.h"
#include "engine/access/access_pattern.h"
#include "engine/clock/core_parts.h"

#include "mem/system/memory_components.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCH = 4096 }; // instructions that are executed ahead at most, in search of an access

// --- What it executes ---

static enum wm_core_kind kind_of(enum wm_access_kind kind)
{
    if (kind == WM_ACCESS_LOAD)
        return WM_CPU_LOAD;
    return kind == WM_ACCESS_STORE ? WM_CPU_STORE : WM_CPU_LOCKED;
}

// The front end counts it; requests are of the core's own lines, and made when it sends them.
static void take_access(void *context, const struct wm_warp_access *access)
{
    struct wm_clock_sm *sm = context;
    struct wm_clock_core *cpu = sm->cpu;
    struct wm_request_batch *batch = &sm->batch;
    batch->head_count = batch->line_count = 0;
    batch->head_room = WM_CLOCK_HEADS;
    batch->line_room = WM_CLOCK_LINES;
    batch->heads = sm->tally->traced.heads;
    batch->lines = sm->tally->traced.lines;
    wm_front_end_core_count(&sm->front_end, access);
    if (access->active == 0)
        return;
    assert(cpu->op_count < WM_MOST_ACCESSES);
    cpu->ops[cpu->op_count] = (struct wm_core_operation){
        .kind = kind_of(access->kind),
        .address = access->addresses != NULL ? access->addresses[0] : access->base,
        .bytes = access->bytes_per_lane,
        .pc = cpu->base + access->pc,
        .continues = cpu->op_count != 0};
    cpu->op_count++;
}

// A fence between two instructions.
static void take_fence(void *context, const struct wm_warp_phase *phase)
{
    struct wm_clock_sm *sm = context;
    struct wm_clock_core *cpu = sm->cpu;
    assert(phase->operation == WM_PHASE_FENCE && cpu->op_count == 0);
    cpu->ops[cpu->op_count++] = (struct wm_core_operation){
        .kind = WM_CPU_FENCE, .pc = cpu->base + phase->pc, .continues = true};
}

static bool has_finished(const struct wm_clock_core *cpu)
{
    return cpu->block->finished == cpu->run->all_warps;
}

// Executes up to an access or a fence, or the end, or what has to wait for another core.
static enum wm_core_supply execute(struct wm_clock_sm *sm)
{
    struct wm_clock_core *cpu = sm->cpu;
    struct wm_work *work = cpu->run->work;
    cpu->op_count = cpu->op_taken = 0;
    while (cpu->op_count == 0) {
        struct wm_run_result result = {0};
        work->ops->run(work, cpu->block, 0, STRETCH, WM_RUN_MEMORY, &sm->sink, &result);
        sm->front_end.counters->warp_instructions += result.warp_instructions;
        sm->front_end.counters->thread_instructions += result.thread_instructions;
        cpu->instructions += result.warp_instructions;
        if (cpu->op_count != 0)
            break;
        if (has_finished(cpu) || work->ops->fault(work, NULL) != WM_OK)
            return WM_CORE_ENDED;
        if (result.warp_instructions == 0)
            return WM_CORE_WAITS;
    }
    return WM_CORE_NEXT;
}

static enum wm_core_supply next_operation(void *context, struct wm_core_operation *op)
{
    struct wm_clock_sm *sm = context;
    struct wm_clock_core *cpu = sm->cpu;
    bool first = cpu->op_taken == cpu->op_count;
    enum wm_core_supply supply = first ? execute(sm) : WM_CORE_NEXT;
    cpu->waits = supply == WM_CORE_WAITS;
    if (supply == WM_CORE_NEXT)
        *op = cpu->ops[cpu->op_taken++];
    if (first) {
        op->instructions = cpu->instructions;
        cpu->instructions = 0;
    }
    return supply;
}

// --- Making ---

static enum wm_status connect(struct wm_clock_sm *sm, struct wm_error *error)
{
    const struct wm_clock *clock = sm->clock;
    const struct wm_memory_spec *memory = &clock->machine->memory;
    const struct wm_network_ends ends = wm_network_ends_of(memory);
    uint32_t first = wm_level_first(memory, sm->index, WM_SERVES_DATA);
    uint32_t cache = wm_memory_cache_of(clock->memory, first, sm->index, 0);
    WM_TRY(wm_timed_level_init(&sm->cpu->l1, clock->memory, first, cache, error));
    WM_TRY(wm_timed_unit_init(&sm->timed, clock->memory, &clock->topology, sm->index, error));
    sm->timed.l1 = &sm->cpu->l1;
    sm->cpu->l1.ports = clock->machine->core.ports;
    WM_TRY(wm_crossbar_output_init(&sm->output, ends.requests, ends.send,
                                   memory->interconnect.buffer, error));
    return wm_crossbar_input_init(&sm->input, sm->index, ends.requests, ends.receive, ends.requests,
                                  error);
}

// An instruction's requests fit.
static void never_full(struct wm_request_batcher *batcher)
{
    (void)batcher;
    assert(!"an instruction of a CPU core goes to more lines than there are");
}

enum wm_status wm_clock_core_init(struct wm_clock *clock, struct wm_clock_sm *sm, uint32_t index,
                                  struct wm_error *error)
{
    const struct wm_machine *machine = clock->machine;
    uint64_t network_hz = clock->network_hz;
    uint64_t hz = machine->core.clock_hz != 0 ? machine->core.clock_hz : machine->device.clock_hz;
    *sm = (struct wm_clock_sm){.clock = clock,
                               .index = index,
                               .to_network = wm_clock_ratio_of(hz, network_hz),
                               .from_network = wm_clock_ratio_of(network_hz, hz)};
    WM_TRY(WM_ARRAY_NEW(sm->cpu, 1, error, "a CPU core"));
    WM_TRY(WM_ARRAY_NEW(sm->places, machine->sm.max_blocks, error, "a CPU core"));
    WM_TRY(connect(sm, error));
    if (clock->session->options.explain) {
        WM_TRY(WM_ARRAY_NEW(sm->blocks, 1, error, "a CPU core"));
        sm->timed.out.blocks = sm->blocks;
        sm->patterns = wm_access_patterns_new(clock->unit_count);
        if (sm->patterns == NULL)
            return wm_fail_no_memory(error, "a CPU core");
    }
    const struct wm_core_port port = {.send = wm_clock_core_send,
                                      .loaded =
                                          sm->blocks != NULL ? wm_clock_core_count_load : NULL,
                                      .context = sm};
    const struct wm_level_spec *l1 = &machine->memory.levels[sm->timed.first];
    WM_TRY(wm_core_init(&sm->cpu->core, &machine->core, l1->cache.line_bytes, &port, error));
    if (sm->blocks != NULL)
        WM_TRY(wm_clock_core_loads_new(&sm->cpu->core, &sm->cpu->loads, error));
    wm_front_end_init(&sm->front_end, machine, NULL);
    sm->batcher = (struct wm_request_batcher){.batch = &sm->batch, .pass_on = never_full};
    sm->front_end.batcher = &sm->batcher;
    sm->front_end.patterns = sm->patterns;
    wm_front_end_take_unit(&sm->front_end, index, true);
    sm->slots = clock->slots;
    return WM_OK;
}

void wm_clock_core_release(struct wm_clock_sm *sm)
{
    wm_timed_unit_release(&sm->timed);
    wm_crossbar_output_release(&sm->output);
    wm_crossbar_input_release(&sm->input);
    if (sm->cpu != NULL) {
        wm_timed_level_release(&sm->cpu->l1);
        wm_core_release(&sm->cpu->core);
        wm_clock_core_loads_free(sm->cpu->loads);
    }
    free(sm->cpu);
    free(sm->places);
    free(sm->spaces);
    free(sm->blocks);
    wm_access_patterns_free(sm->patterns);
}

const struct wm_core_counters *wm_clock_core_counters(const struct wm_clock_sm *sm)
{
    return &sm->cpu->core.counters;
}

// --- Launches ---

void wm_clock_core_trace(struct wm_clock_sm *sm)
{
    const struct wm_clock *clock = sm->clock;
    sm->base = clock->segments[sm->cpu->segment].base;
    sm->front_end.counters_by_pc = sm->tally->counters_by_pc + sm->base;
    sm->front_end.spaces = sm->spaces + sm->base;
    sm->front_end.listed = clock->listed + sm->base;
    if (sm->blocks != NULL)
        sm->front_end.explained = wm_clock_explained(sm, sm->cpu->segment);
}

void wm_clock_core_launch(struct wm_clock_sm *sm)
{
    sm->front_end.counters = &sm->clock->session->sms[sm->index].counters;
    sm->sink = (struct wm_access_sink){
        .access = take_access,
        .phase = take_fence,
        .context = sm,
        .accepts_strided = sm->blocks == NULL, // patterns are of addresses
    };
    sm->cpu->segment = 0;
    sm->charged = 0;
    sm->finished_blocks = 0;
    wm_clock_core_trace(sm);
}

void wm_clock_core_abandon(struct wm_clock_sm *sm)
{
    struct wm_clock_core *cpu = sm->cpu;
    wm_core_abandon(&cpu->core);
    wm_clock_core_loads_abandon(cpu->loads);
    cpu->block = NULL;
    for (uint32_t i = 0; i < WM_CLOCK_LOCKED_PARTS; i++)
        cpu->locked[i].is_underway = false;
    sm->finished_blocks = 0;
    for (uint32_t i = 0; i < sm->clock->machine->sm.max_blocks; i++)
        sm->places[i] = (struct wm_clock_block_slot){0};
    wm_clock_sm_expect(sm, sm->clock->now);
}

// Others may wait for what is done now.
static void show_done(struct wm_clock_sm *sm, uint64_t done)
{
    const struct wm_clock_core *cpu = sm->cpu;
    struct wm_work *work = cpu->run->work;
    sm->cpu->done = done;
    if (work->ops->accesses_done != NULL)
        work->ops->accesses_done(work, cpu->block->index, done);
}

void wm_clock_core_start(struct wm_clock_sm *sm, const struct wm_clock_launch *running,
                         struct wm_block *block, uint64_t cycle)
{
    struct wm_clock_core *cpu = sm->cpu;
    const struct wm_core_source source = {.next = next_operation, .context = sm};
    uint32_t base = sm->clock->segments[running->segment].base;
    cpu->block = block;
    cpu->run = running->run;
    cpu->segment = running->segment;
    cpu->base = base;
    cpu->op_count = cpu->op_taken = 0;
    cpu->instructions = 0;
    sm->places[0] = (struct wm_clock_block_slot){.block = block,
                                                 .run = running->run,
                                                 .index = block->index,
                                                 .segment = running->segment,
                                                 .base = base};
    wm_clock_core_trace(sm);
    if (sm->blocks != NULL) {
        sm->front_end.block = sm->blocks[0] = running->run->first_block + block->index;
        wm_access_patterns_launch(sm->patterns, running->run->first_block);
    }
    for (uint32_t i = sm->clock->sm_count; sm->clock->several && i < sm->clock->unit_count; i++)
        wm_clock_charge(&sm->clock->sms[i], running->segment);
    show_done(sm, 0);
    uint64_t from = cycle > sm->cycle ? cycle : sm->cycle;
    wm_core_begin(&cpu->core, &source, from);
    wm_clock_sm_expect(sm, wm_clock_floor(&sm->to_network, from));
}

// --- Time ---

uint64_t wm_clock_core_next(const struct wm_clock_sm *sm, uint64_t cycle)
{
    uint64_t next = wm_core_next(&sm->cpu->core);
    for (uint32_t i = 0; i < WM_CLOCK_LOCKED_PARTS; i++)
        if (sm->cpu->locked[i].is_underway)
            next = wm_earlier(next, sm->cpu->locked[i].when);
    return next > cycle ? next : cycle;
}

void wm_clock_core_retry(struct wm_clock_sm *sm, uint64_t cycle)
{
    sm->retries = false;
    wm_core_unblock(&sm->cpu->core, cycle);
}

// What the core waited for is there from `cycle` on.
static void wake(struct wm_clock_sm *sm, uint64_t cycle)
{
    if (sm->cpu->block == NULL || !sm->cpu->waits)
        return;
    wm_core_wake(&sm->cpu->core, cycle);
    sm->memory_due = wm_earlier(sm->memory_due, cycle);
    sm->due = wm_earlier(sm->due, cycle);
}

// What another core waited for is done: it goes on in the next cycle.
static void wake_others(const struct wm_clock *clock, uint64_t cycle)
{
    for (uint32_t i = clock->sm_count; i < clock->unit_count; i++)
        wake(&clock->sms[i], cycle + 1);
}

void wm_clock_wake_core(struct wm_clock *clock, uint32_t core)
{
    struct wm_clock_sm *sm = &clock->sms[clock->sm_count + core];
    wake(sm, wm_clock_convert(&sm->from_network, clock->now));
    wm_clock_sm_expect(sm, clock->now);
}

static bool is_at_rest(const struct wm_clock_core *cpu)
{
    return cpu->block == NULL || (cpu->waits && cpu->core.first == cpu->core.end);
}

bool wm_clock_core_is_at_rest(struct wm_clock *clock, uint32_t core, bool stops)
{
    struct wm_clock_core *cpu = clock->sms[clock->sm_count + core].cpu;
    cpu->stops = stops;
    return is_at_rest(cpu);
}

uint32_t wm_clock_core_lead(const struct wm_clock *clock)
{
    const struct wm_clock_sm *sm = &clock->sms[clock->sm_count];
    uint64_t cycles = wm_clock_convert(&sm->from_network, clock->window) + 1;
    return (uint32_t)(cycles * sm->cpu->core.spec.width);
}

// Its block leaves with the window.
static void finish(struct wm_clock_sm *sm)
{
    sm->cpu->block = NULL;
    sm->places[0].finished = true;
    sm->finished_blocks++;
}

void wm_clock_core_run(struct wm_clock_sm *sm, uint64_t cycle)
{
    struct wm_clock_core *cpu = sm->cpu;
    wm_clock_core_write_locked(sm, cycle);
    if (wm_core_next(&cpu->core) > cycle)
        return;
    wm_core_run_cycle(&cpu->core, cycle);
    if (cpu->block == NULL)
        return;
    uint64_t done = wm_core_operations_done(&cpu->core);
    if (done != cpu->done) {
        show_done(sm, done);
        if (cpu->run->work->ops->accesses_done != NULL)
            wake_others(sm->clock, cycle);
    }
    if (wm_core_has_finished(&cpu->core))
        finish(sm);
    if (cpu->stops && is_at_rest(cpu))
        wm_clock_stop(sm->clock);
}
