// Machines whose levels are coherent (docs/engine-clock.md, "Coherent caches"): SMs and CPU cores
// make their accesses to a tree of coherent caches (mem/timed/coherent/), which all share. It is
// one island, on one thread: a window is a cycle of the caches' clock, in which they act first, and
// then unit after unit makes its accesses.
#include "engine/clock/coherent_parts.h"
#include "engine/clock/load_store_parts.h"
#include "mem/system/requester.h"

#include "base/containers/array.h"
#include "cpu/core.h"

#include <stdlib.h>

// --- What is not modelled ---

static enum wm_status unsupported(const struct wm_machine *machine, const char *what,
                                  const char *hint, struct wm_error *error)
{
    wm_fail(error, WM_UNSUPPORTED,
            "the clock engine has no %s beside coherent levels, which machine %s has", what,
            machine->name);
    return wm_error_hint(error, "%s, or use --engine walk", hint);
}

enum wm_status wm_clock_coherent_check(const struct wm_machine *machine, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &machine->memory;
    const char *hint, *lacks = wm_clock_packets_lack(memory, &hint);
    if (lacks != NULL)
        return unsupported(machine, lacks, hint, error);
    if (memory->tlb.present)
        return unsupported(machine, "TLBs", "leave them out", error);
    if (memory->interconnect.topology != WM_CROSSBAR)
        return unsupported(machine, "butterfly", "set gpu.interconnect.topology to crossbar",
                           error);
    return WM_OK;
}

uint64_t wm_clock_coherent_hz(const struct wm_machine *machine)
{
    uint64_t sms = machine->device.clock_hz, cores = machine->core.clock_hz;
    return machine->memory.core_count != 0 && cores > sms ? cores : sms;
}

// --- Accesses that are done ---

// A core's token: its number, and the core's own tag.
#define OF_CORE (UINT64_C(1) << 63)

static uint64_t core_token(const struct wm_clock_sm *sm, uint32_t tag)
{
    return OF_CORE | (uint64_t)sm->index << 32 | tag;
}

// From `cycle` of the unit on, it acts.
static void expect(struct wm_clock_sm *sm, uint64_t cycle)
{
    wm_clock_sm_expect(sm, wm_clock_floor(&sm->to_network, cycle));
}

static void done(void *context, uint64_t token, uint64_t ends, uint32_t origin)
{
    struct wm_clock *clock = context;
    if (wm_clock_packets_have(token)) {
        wm_clock_packet_done(clock, token, ends,
                             wm_coherent_level_of(&clock->coherent->tree, origin));
        return;
    }
    bool is_core = (token & OF_CORE) != 0;
    uint64_t unit = is_core ? (token & ~OF_CORE) >> 32 : token / clock->sms->op_count;
    struct wm_clock_sm *sm = &clock->sms[unit];
    uint64_t cycle = wm_clock_convert(&sm->from_network, ends);
    uint32_t level = wm_coherent_level_of(&clock->coherent->tree, origin);
    enum wm_server served = level == WM_MOST_LEVELS ? WM_SERVED_MEMORY : WM_SERVED_LEVEL + level;
    expect(sm, cycle);
    if (is_core) {
        wm_clock_core_complete(sm, (uint32_t)token, cycle, served);
        return;
    }
    uint32_t index = (uint32_t)token - sm->first_token;
    wm_load_store_note_served(sm, &sm->ops[index], served);
    wm_load_store_put_done(sm, &sm->returned, index, cycle);
}

// What units of the node are stalled by may be over.
static void changed(void *context, uint32_t node, uint32_t slice)
{
    struct wm_clock *clock = context;
    wm_clock_packets_changed(clock, node, slice);
    for (uint32_t i = 0; i < clock->unit_count; i++) {
        struct wm_clock_sm *sm = &clock->sms[i];
        if (clock->coherent->node_of_unit[i] != node)
            continue;
        uint64_t cycle = wm_clock_convert(&sm->from_network, clock->now);
        if (sm->cpu != NULL) {
            wm_clock_core_retry(sm, cycle);
            expect(sm, cycle);
        } else if (sm->stall != WM_STALL_NONE) {
            sm->retries = true;
            expect(sm, cycle);
        }
    }
}

// Loads that cores have made of the line may have to be made again.
static void left(void *context, uint32_t node, uint64_t line)
{
    struct wm_clock *clock = context;
    for (uint32_t i = clock->sm_count; i < clock->unit_count; i++) {
        struct wm_clock_sm *sm = &clock->sms[i];
        if (clock->coherent->node_of_unit[i] != node)
            continue;
        uint64_t cycle = wm_clock_convert(&sm->from_network, clock->now);
        wm_clock_core_line_left(sm, line << clock->coherent->line_shift, cycle);
        expect(sm, cycle);
    }
}

static struct wm_instruction_counters *charged(void *context, const struct wm_requester *requester)
{
    const struct wm_clock *clock = context;
    return clock->tallies != NULL ? &clock->tallies->counters_by_pc[requester->pc] : NULL;
}

// --- Building ---

enum wm_status wm_clock_coherent_init(struct wm_clock *clock, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    if (!wm_memory_is_coherent(memory))
        return WM_OK;
    const struct wm_coherent_users users = {.done = done,
                                            .changed = changed,
                                            .left = left,
                                            .charged = charged,
                                            .explains = wm_clock_coherent_explains,
                                            .context = clock};
    uint64_t sm_hz = clock->machine->device.clock_hz, core_hz = clock->machine->core.clock_hz;
    const struct wm_coherent_clocks clocks = {
        .caches = clock->network_hz, .sms = sm_hz, .cores = core_hz != 0 ? core_hz : sm_hz};
    WM_TRY(WM_ARRAY_NEW(clock->coherent, 1, error, "coherent caches in time"));
    struct wm_clock_coherent *coherent = clock->coherent;
    WM_TRY(wm_coherent_memory_caches_init(&coherent->tree, clock->memory, &users, &clock->dram,
                                          &clocks, error));
    WM_TRY(
        WM_ARRAY_NEW(coherent->node_of_unit, clock->unit_count, error, "coherent caches in time"));
    for (uint32_t i = 0; i < clock->unit_count; i++)
        coherent->node_of_unit[i] = wm_coherent_node_of_unit(&coherent->tree, i);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        clock->sms[i].coherent = coherent->node_of_unit[i] != WM_NO_NODE;
    uint32_t level = coherent->tree.levels->nodes[0].level;
    coherent->line_shift = (uint32_t)__builtin_ctz(memory->levels[level].cache.line_bytes);
    clock->window = 1;
    return wm_clock_packets_init(clock, error);
}

void wm_clock_coherent_release(struct wm_clock *clock)
{
    if (clock->coherent == NULL)
        return;
    wm_clock_packets_release(clock->coherent);
    wm_coherent_memory_caches_release(&clock->coherent->tree);
    free(clock->coherent->node_of_unit);
    free(clock->coherent);
}

// --- Accesses of SMs ---

// The most lanes at one address: an atomic's operations there come one after another.
static uint32_t rounds_of(const struct wm_clock_sm *sm)
{
    uint32_t most = 1, sectors = sm->front_end.line_bytes / WM_SECTOR_BYTES;
    for (uint32_t i = 0; sm->timed.rounds != NULL && i < sectors; i++)
        most = sm->timed.rounds[i] > most ? sm->timed.rounds[i] : most;
    return most;
}

static enum wm_stall stall_of(enum wm_coherent_answer answer)
{
    switch (answer) {
    case WM_COHERENT_NO_MSHR: return WM_STALL_MSHR;
    case WM_COHERENT_NO_MERGE: return WM_STALL_MERGE;
    case WM_COHERENT_NO_WAY: return WM_STALL_WAY;
    case WM_COHERENT_NO_EVICTION: return WM_STALL_QUEUE;
    default: return WM_STALL_NONE;
    }
}

// An access at the beginning of the window that the unit's cycle lies in.
static enum wm_coherent_answer make_access(struct wm_clock_sm *sm, const struct wm_request *request,
                                           uint64_t token, uint32_t rounds,
                                           enum wm_bypass_decision decision, bool *missed,
                                           uint64_t *ends)
{
    struct wm_clock_coherent *coherent = sm->clock->coherent;
    uint32_t node = coherent->node_of_unit[sm->index];
    uint32_t level = wm_coherent_level_of(&coherent->tree, node);
    uint32_t interval = sm->clock->machine->memory.levels[level].atomic_interval;
    struct wm_coherent_access access = {.node = node,
                                        .kind = request->kind == WM_ACCESS_LOAD ? WM_COHERENT_LOAD
                                                : request->kind == WM_ACCESS_STORE
                                                    ? WM_COHERENT_STORE
                                                    : WM_COHERENT_LOCKED,
                                        .line = request->address >> coherent->line_shift,
                                        .token = token,
                                        .locked_cycles = rounds * (interval > 1 ? interval : 1),
                                        .sectors = request->sectors,
                                        .requester = wm_requester_of(request),
                                        .bypasses = decision != WM_BYPASS_NO,
                                        .looked_up = decision == WM_BYPASS_ALLOCATION};
    if (__builtin_expect(sm->blocks != NULL, false))
        wm_clock_coherent_explain(sm, request, &access);
    enum wm_coherent_answer answer =
        wm_coherent_caches_access(coherent->tree.caches, &access, sm->clock->now, ends);
    *missed = access.missed;
    *ends = wm_clock_convert(&sm->from_network, *ends);
    return answer;
}

enum wm_stall wm_clock_coherent_access(struct wm_clock_sm *sm, const struct wm_request *request,
                                       uint64_t cycle, uint64_t token, uint32_t *waits)
{
    bool missed;
    uint64_t ends = 0;
    struct wm_coherent_memory_caches *tree = &sm->clock->coherent->tree;
    enum wm_bypass_decision decision = wm_coherent_decide(tree, request);
    enum wm_coherent_answer answer =
        make_access(sm, request, token, rounds_of(sm), decision, &missed, &ends);
    if (request->kind == WM_ACCESS_LOAD && !wm_coherent_is_blocked(answer)) {
        bool looked_up = decision != WM_BYPASS_LOOKUP || !missed;
        wm_timed_unit_note_load(&sm->timed, request, looked_up, missed);
        wm_coherent_served(tree, request, decision, missed);
    }
    *waits = answer == WM_COHERENT_WAITS;
    sm->timed.passes = 1;
    sm->timed.late = 0;
    sm->timed.served_latency = answer == WM_COHERENT_DONE ? (uint32_t)(ends - cycle) : 0;
    return stall_of(answer);
}

enum wm_stall wm_clock_coherent_core_access(struct wm_clock_sm *sm,
                                            const struct wm_request *request, uint64_t cycle,
                                            uint32_t tag, struct wm_core_answer *answer)
{
    bool missed;
    uint64_t ends = 0;
    enum wm_coherent_answer made =
        make_access(sm, request, core_token(sm, tag), 1, WM_BYPASS_NO, &missed, &ends);
    answer->completions = made == WM_COHERENT_WAITS;
    // A store that finds its line is written in the next cycle.
    bool writes = request->kind == WM_ACCESS_STORE;
    answer->done = writes || ends <= cycle ? cycle + 1 : ends;
    return stall_of(made);
}

// --- Time ---

bool wm_clock_coherent_run(struct wm_clock *clock)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    if (wm_coherent_caches_next(coherent->tree.caches) > clock->now)
        return true;
    coherent->acted = wm_clock_convert(&clock->from_network, clock->now + 1);
    return wm_coherent_caches_advance(coherent->tree.caches, clock->now);
}

uint64_t wm_clock_coherent_next(const struct wm_clock *clock)
{
    return wm_coherent_caches_next(clock->coherent->tree.caches);
}

uint64_t wm_clock_coherent_last_active(const struct wm_clock *clock)
{
    return clock->coherent->acted;
}

// --- Reports ---

void wm_clock_coherent_describe(const struct wm_clock *clock, struct wm_text *text)
{
    if (clock->coherent == NULL)
        return;
    wm_coherent_caches_describe(clock->coherent->tree.caches, text);
    wm_clock_packets_describe(clock, text);
}

const struct wm_dram_channel *wm_clock_coherent_channel(const struct wm_clock *clock,
                                                        uint32_t number)
{
    return wm_coherent_caches_channel(clock->coherent->tree.caches, number);
}

// Where a node is at an end of the interconnect: an SM's first cache, `*unit` the first of its SMs,
// or what these miss to, WM_NO_NODE.
static const struct wm_link_counters *link_of(const struct wm_clock *clock, uint32_t node,
                                              uint32_t slice, uint32_t *unit)
{
    const struct wm_clock_coherent *coherent = clock->coherent;
    const struct wm_coherent_levels *levels = coherent->tree.levels;
    bool serves = false;
    *unit = WM_NO_NODE;
    for (uint32_t i = clock->sm_count; i-- > 0;) {
        if (coherent->node_of_unit[i] == WM_NO_NODE)
            continue;
        *unit = coherent->node_of_unit[i] == node ? i : *unit;
        serves |= levels->nodes[coherent->node_of_unit[i]].home == node;
    }
    bool sends = *unit != WM_NO_NODE;
    return sends || serves ? wm_coherent_caches_port(coherent->tree.caches, node, slice, sends)
                           : NULL;
}

bool wm_clock_coherent_part(const struct wm_clock *clock, uint32_t number,
                            struct wm_clock_coherent_part *part)
{
    const struct wm_coherent_levels *levels = clock->coherent->tree.levels;
    for (uint32_t node = 0; node < levels->node_count; node++) {
        uint32_t slices = wm_coherent_caches_slices(clock->coherent->tree.caches, node);
        if (number >= slices) {
            number -= slices;
            continue;
        }
        part->level = levels->nodes[node].level;
        part->link = link_of(clock, node, number, &part->unit);
        part->index = levels->nodes[node].instance * slices + number;
        part->counters = wm_coherent_caches_counters(clock->coherent->tree.caches, node, number);
        return true;
    }
    return false;
}
