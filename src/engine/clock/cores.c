// CPU cores beside the SMs: what a core (cpu/core.h) executes, a block of one warp of one lane,
// becomes its operations, and what it sends goes to its L1, and from there as an SM's requests do.
// All cores, with the levels that are theirs alone, are one island: so what a core waits for of
// another is known at once, in order of time and of number within a cycle.
#include "base/containers/array.h"
#include "engine/access/access_pattern.h"
#include "engine/clock/core_loads.h"

#include "cpu/core.h"
#include "mem/system/memory_components.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRETCH = 4096,   // instructions that are executed ahead at most, in search of an access
    LOCKED_PARTS = 2, // a locked operation of two lines
    LATER_LOCKED_PART = 1 << 30, // in the tag of a locked operation's second part
};

// A locked operation has read its line, and holds it: what is to be written.
struct locked_part {
    struct wm_core_request access;
    struct wm_request request;
    uint64_t when; // the cycle from which it may be; WM_NEVER: not known yet
    uint32_t tag;
    bool is_underway;
};

struct wm_clock_core {
    struct wm_core core;
    struct wm_timed_level l1; // its own
    struct wm_block *block;   // that it runs, or NULL
    struct wm_launch_state *run;
    uint32_t segment, base;
    bool waits;    // its source waits for another core, or for what supplies it
    bool stops;    // a step when it is at rest
    uint64_t done; // of its operations, as the others know
    // Accesses of the instruction that was executed last, and those of them that the core has.
    struct wm_core_operation ops[WM_MOST_ACCESSES];
    uint32_t op_count, op_taken;
    uint64_t instructions; // executed since the last access
    struct locked_part locked[LOCKED_PARTS];
    uint64_t port_cycle; // of a coherent L1's last access
    uint32_t port_uses;  // and how many it has taken in that
    // Where misses are explained: the bytes of a request, a word a sector of its line; and how long
    // loads take, owned.
    uint32_t bytes[WM_MAX_LINE_SECTORS];
    struct wm_clock_core_loads *loads;
};

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

// --- What it sends ---

// Sectors of the line that bytes lie in; with `whole` those that they cover.
static uint32_t sectors_of(uint64_t within, uint32_t bytes, bool whole)
{
    uint64_t end = within + bytes;
    uint64_t first =
        whole ? (within + WM_SECTOR_BYTES - 1) / WM_SECTOR_BYTES : within / WM_SECTOR_BYTES;
    uint64_t last = whole ? end / WM_SECTOR_BYTES : (end + WM_SECTOR_BYTES - 1) / WM_SECTOR_BYTES;
    uint64_t mask = ((UINT64_C(1) << last) - 1) & ~((UINT64_C(1) << first) - 1);
    return first < last ? (uint32_t)mask : 0;
}

// What its misses are explained by.
static __attribute__((noinline)) void explain_request(const struct wm_clock_sm *sm,
                                                      const struct wm_core_request *access,
                                                      struct wm_request *request)
{
    struct wm_clock_core *cpu = sm->cpu;
    uint64_t first = access->address & (cpu->core.line_bytes - 1), end = first + access->bytes;
    memset(cpu->bytes, 0, sizeof cpu->bytes);
    for (uint64_t byte = first; byte < end; byte++)
        cpu->bytes[byte / WM_SECTOR_BYTES] |= UINT32_C(1) << byte % WM_SECTOR_BYTES;
    request->bytes = cpu->bytes;
    request->block = sm->blocks[0];
    if (cpu->block != NULL)
        request->explained = wm_clock_explained(sm, cpu->segment) + (access->pc - cpu->base);
}

static struct wm_request request_of(const struct wm_clock_sm *sm,
                                    const struct wm_core_request *access, enum wm_access_kind kind)
{
    uint64_t within = access->address & (sm->cpu->core.line_bytes - 1);
    struct wm_request request = {
        .address = access->address - within,
        .sectors = sectors_of(within, access->bytes, false),
        .full_sectors = kind == WM_ACCESS_STORE ? sectors_of(within, access->bytes, true) : 0,
        .kind = kind,
        .lines = (uint16_t)access->parts,
        .sm = sm->index,
        .pc = access->pc,
        .instruction_counters =
            sm->cpu->block != NULL ? &sm->tally->counters_by_pc[access->pc] : NULL,
    };
    if (__builtin_expect(sm->blocks != NULL, false))
        explain_request(sm, access, &request);
    return request;
}

void wm_clock_core_access(struct wm_clock *clock, uint32_t core, enum wm_access_kind kind,
                          uint64_t address, uint32_t bytes)
{
    const struct wm_clock_sm *sm = &clock->sms[clock->sm_count + core];
    uint64_t line = sm->cpu->core.line_bytes, within = address & (line - 1);
    uint32_t first = within + bytes <= line ? bytes : (uint32_t)(line - within);
    struct wm_core_request part = {
        .address = address, .bytes = first, .parts = first < bytes ? 2 : 1};
    struct wm_request request = request_of(sm, &part, kind);
    wm_clock_coherent_note(sm, kind, address, bytes);
    wm_memory_access(clock->memory, &request);
    if (first == bytes)
        return;
    part.address += first;
    part.bytes = bytes - first;
    request = request_of(sm, &part, kind);
    wm_memory_access(clock->memory, &request);
}

static enum wm_core_sent sent_of(enum wm_stall stall)
{
    if (stall == WM_STALL_NONE)
        return WM_CORE_SENT;
    return stall == WM_STALL_BANK ? WM_CORE_AGAIN : WM_CORE_BLOCKED;
}

// Some of what a core's load waits for has come.
static void note_served(const struct wm_clock_sm *sm, uint32_t tag, uint32_t served)
{
    if (sm->cpu->loads != NULL && sm->cpu->block != NULL)
        wm_clock_core_loads_note(sm->cpu->loads, sm, tag, served);
}

static void count_load(void *context, const struct wm_core_load *load)
{
    const struct wm_clock_sm *sm = context;
    wm_clock_core_loads_retired(sm->cpu->loads, sm, sm->cpu->segment, load);
}

static enum wm_stall load(struct wm_clock_sm *sm, const struct wm_request *request, uint64_t cycle,
                          uint32_t tag, struct wm_core_answer *answer)
{
    enum wm_stall stall =
        wm_timed_unit_access(&sm->timed, cycle, request, tag, &answer->completions);
    answer->done = cycle + sm->timed.served_latency + sm->timed.late;
    return stall;
}

// A store is written when L1 has its line; or in the next cycle, where it takes none.
static enum wm_stall store(struct wm_clock_sm *sm, const struct wm_request *request, uint64_t cycle,
                           uint32_t tag, struct wm_core_answer *answer)
{
    struct wm_timed_cache *l1 = &sm->cpu->l1.timed;
    uint64_t line = request->address >> l1->cache->line_shift;
    if (!wm_mshr_can_merge(&l1->mshr, wm_mshr_find(&l1->mshr, line), request->sectors))
        return WM_STALL_MERGE;
    enum wm_stall stall =
        wm_timed_unit_access(&sm->timed, cycle, request, tag, &answer->completions);
    if (stall != WM_STALL_NONE)
        return stall;
    bool waits = false;
    if (answer->completions == 0 &&
        wm_timed_cache_wait(l1, line, request->sectors, tag, &waits) == WM_STALL_NONE)
        answer->completions = waits;
    answer->done = cycle + 1 + sm->timed.late;
    return WM_STALL_NONE;
}

// The line is read, as by a load; what holds it is written when it is there.
static enum wm_stall read_locked(struct wm_clock_sm *sm, const struct wm_core_request *access,
                                 uint64_t cycle, struct wm_core_answer *answer)
{
    struct locked_part *part = &sm->cpu->locked[access->part];
    uint32_t tag = access->part == 0 ? access->tag : access->tag | LATER_LOCKED_PART;
    struct wm_request request = request_of(sm, access, WM_ACCESS_LOAD);
    enum wm_stall stall = load(sm, &request, cycle, tag, answer);
    if (stall != WM_STALL_NONE)
        return stall;
    *part = (struct locked_part){.access = *access,
                                 .request = request_of(sm, access, WM_ACCESS_STORE),
                                 .when = answer->completions == 0 ? answer->done : WM_NEVER,
                                 .tag = access->tag,
                                 .is_underway = true};
    answer->completions = 1; // when it has been written
    return WM_STALL_NONE;
}

static bool has_port(struct wm_clock_core *cpu, uint64_t cycle)
{
    if (cpu->port_cycle != cycle)
        cpu->port_uses = 0;
    cpu->port_cycle = cycle;
    return cpu->port_uses < cpu->core.spec.ports;
}

// To a coherent L1, which locks the line of a locked operation itself.
static enum wm_stall send_coherent(struct wm_clock_sm *sm, const struct wm_core_request *access,
                                   uint64_t cycle, struct wm_core_answer *answer)
{
    static const enum wm_access_kind kinds[] = {[WM_CPU_LOAD] = WM_ACCESS_LOAD,
                                                [WM_CPU_STORE] = WM_ACCESS_STORE,
                                                [WM_CPU_LOCKED] = WM_ACCESS_ATOMIC};
    if (!has_port(sm->cpu, cycle))
        return WM_STALL_BANK;
    struct wm_request request = request_of(sm, access, kinds[access->kind]);
    enum wm_stall stall = wm_clock_coherent_core_access(sm, &request, cycle, access->tag, answer);
    sm->cpu->port_uses += stall == WM_STALL_NONE;
    return stall;
}

static enum wm_core_sent send(void *context, const struct wm_core_request *access, uint64_t cycle,
                              struct wm_core_answer *answer)
{
    struct wm_clock_sm *sm = context;
    if (__builtin_expect(sm->clock->several, false))
        wm_clock_charge(sm, sm->cpu->segment);
    if (sm->clock->coherent != NULL)
        return sent_of(send_coherent(sm, access, cycle, answer));
    if (access->kind == WM_CPU_LOCKED)
        return sent_of(read_locked(sm, access, cycle, answer));
    bool is_load = access->kind == WM_CPU_LOAD;
    struct wm_request request = request_of(sm, access, is_load ? WM_ACCESS_LOAD : WM_ACCESS_STORE);
    return sent_of((is_load ? load : store)(sm, &request, cycle, access->tag, answer));
}

// Writes what locked operations hold, if it may be in `cycle`.
static void write_locked(struct wm_clock_sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < LOCKED_PARTS; i++) {
        struct locked_part *part = &sm->cpu->locked[i];
        struct wm_core_answer answer = {0};
        if (!part->is_underway || part->when > cycle)
            continue;
        part->when = cycle + 1;
        part->request.instruction_counters = &sm->tally->counters_by_pc[part->request.pc];
        if (__builtin_expect(sm->blocks != NULL, false))
            explain_request(sm, &part->access, &part->request);
        if (wm_timed_unit_access(&sm->timed, cycle, &part->request, part->tag,
                                 &answer.completions) != WM_STALL_NONE)
            continue;
        part->is_underway = false;
        wm_core_complete(&sm->cpu->core, part->tag, cycle + 1);
    }
}

void wm_clock_core_complete(struct wm_clock_sm *sm, uint32_t tag, uint64_t cycle,
                            enum wm_server served)
{
    if (sm->cpu->block == NULL)
        return; // it has been abandoned
    note_served(sm, tag, served);
    wm_core_complete(&sm->cpu->core, tag, cycle);
}

void wm_clock_core_line_left(struct wm_clock_sm *sm, uint64_t address, uint64_t cycle)
{
    if (sm->cpu->block != NULL)
        wm_core_line_left(&sm->cpu->core, address, cycle);
}

void wm_clock_core_done(void *context, uint64_t token)
{
    struct wm_clock_sm *sm = context;
    struct wm_clock_core *cpu = sm->cpu;
    note_served(sm, (uint32_t)token, sm->served);
    for (uint32_t i = 0; i < LOCKED_PARTS; i++) {
        struct locked_part *part = &cpu->locked[i];
        uint32_t tag = i == 0 ? part->tag : part->tag | LATER_LOCKED_PART;
        if (!part->is_underway || tag != token)
            continue;
        part->when = sm->cycle;
        return;
    }
    wm_core_complete(&cpu->core, (uint32_t)token, sm->cycle);
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
    const struct wm_core_port port = {
        .send = send, .loaded = sm->blocks != NULL ? count_load : NULL, .context = sm};
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
    for (uint32_t i = 0; i < LOCKED_PARTS; i++)
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
    for (uint32_t i = 0; i < LOCKED_PARTS; i++)
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
    write_locked(sm, cycle);
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
