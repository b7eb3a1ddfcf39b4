// What a CPU core sends goes to its L1, and from there as an SM's requests do.
#include "engine/clock/core_parts.h"

#include "mem/system/memory_components.h"

#include <string.h>

enum { LATER_LOCKED_PART = 1 << 30 }; // in the tag of a locked operation's second part

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

void wm_clock_core_count_load(void *context, const struct wm_core_load *load)
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
    struct wm_clock_locked_part *part = &sm->cpu->locked[access->part];
    uint32_t tag = access->part == 0 ? access->tag : access->tag | LATER_LOCKED_PART;
    struct wm_request request = request_of(sm, access, WM_ACCESS_LOAD);
    enum wm_stall stall = load(sm, &request, cycle, tag, answer);
    if (stall != WM_STALL_NONE)
        return stall;
    *part =
        (struct wm_clock_locked_part){.access = *access,
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

enum wm_core_sent wm_clock_core_send(void *context, const struct wm_core_request *access,
                                     uint64_t cycle, struct wm_core_answer *answer)
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

void wm_clock_core_write_locked(struct wm_clock_sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < WM_CLOCK_LOCKED_PARTS; i++) {
        struct wm_clock_locked_part *part = &sm->cpu->locked[i];
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
    for (uint32_t i = 0; i < WM_CLOCK_LOCKED_PARTS; i++) {
        struct wm_clock_locked_part *part = &cpu->locked[i];
        uint32_t tag = i == 0 ? part->tag : part->tag | LATER_LOCKED_PART;
        if (!part->is_underway || tag != token)
            continue;
        part->when = sm->cycle;
        return;
    }
    wm_core_complete(&cpu->core, (uint32_t)token, sm->cycle);
}
