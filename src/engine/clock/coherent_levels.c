// Machines whose levels are coherent (docs/engine-clock.md, "Coherent caches"): SMs make their
// accesses to a tree of coherent caches (mem/timed/coherent/), which all share. It is one island,
// on one thread: a window is a cycle of the SMs' clock, in which it acts first, and then SM after
// SM makes its accesses.
#include "engine/clock/clock_state.h"
#include "engine/clock/load_store_parts.h"
#include "mem/timed/coherent/memory_caches.h"

#include "base/containers/array.h"

#include <stdlib.h>

struct wm_clock_coherent {
    struct wm_coherent_memory_caches tree;
    uint32_t *node_of_sm; // owned
    uint64_t acted;       // the cycle behind the last in which it did something
    uint32_t line_shift;
};

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
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (memory->levels[i].cache.present && !wm_level_is_coherent(memory, i))
            return unsupported(machine, "level without coherence",
                               "set the coherence of all levels to mesi", error);
    if (memory->tlb.present)
        return unsupported(machine, "TLBs", "leave them out", error);
    if (memory->interconnect.topology != WM_CROSSBAR)
        return unsupported(machine, "butterfly", "set gpu.interconnect.topology to crossbar",
                           error);
    return WM_OK;
}

// --- Accesses that are done ---

static void done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    struct wm_clock *clock = context;
    struct wm_clock_sm *sm = &clock->sms[token / clock->sms->op_count];
    uint32_t index = (uint32_t)token - sm->first_token;
    uint32_t level = wm_coherent_level_of(&clock->coherent->tree, origin);
    wm_load_store_note_served(sm, &sm->ops[index],
                              level == WM_MOST_LEVELS ? WM_SERVED_MEMORY : WM_SERVED_LEVEL + level);
    wm_load_store_put_done(sm, &sm->returned, index, cycle);
    wm_clock_sm_expect(sm, cycle);
}

// What SMs of the node are stalled by may be over.
static void changed(void *context, uint32_t node)
{
    struct wm_clock *clock = context;
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        struct wm_clock_sm *sm = &clock->sms[i];
        if (clock->coherent->node_of_sm[i] != node || sm->stall == WM_STALL_NONE)
            continue;
        sm->retries = true;
        wm_clock_sm_expect(sm, clock->now);
    }
}

static struct wm_instruction_counters *charged(void *context, const struct wm_requester *requester)
{
    const struct wm_clock *clock = context;
    return &clock->tallies->counters_by_pc[requester->pc];
}

// --- Building ---

enum wm_status wm_clock_coherent_init(struct wm_clock *clock, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    if (!wm_memory_is_coherent(memory))
        return WM_OK;
    const struct wm_coherent_users users = {
        .done = done, .changed = changed, .charged = charged, .context = clock};
    WM_TRY(WM_ARRAY_NEW(clock->coherent, 1, error, "coherent caches in time"));
    struct wm_clock_coherent *coherent = clock->coherent;
    WM_TRY(wm_coherent_memory_caches_init(&coherent->tree, clock->memory, &users, &clock->dram,
                                          clock->machine->device.clock_hz, error));
    WM_TRY(WM_ARRAY_NEW(coherent->node_of_sm, clock->sm_count, error, "coherent caches in time"));
    for (uint32_t i = 0; i < clock->sm_count; i++)
        coherent->node_of_sm[i] = wm_coherent_node_of_unit(&coherent->tree, i);
    uint32_t level = coherent->tree.levels->nodes[coherent->node_of_sm[0]].level;
    coherent->line_shift = (uint32_t)__builtin_ctz(memory->levels[level].cache.line_bytes);
    clock->window = 1;
    return WM_OK;
}

void wm_clock_coherent_release(struct wm_clock *clock)
{
    if (clock->coherent == NULL)
        return;
    wm_coherent_memory_caches_release(&clock->coherent->tree);
    free(clock->coherent->node_of_sm);
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

enum wm_stall wm_clock_coherent_access(struct wm_clock_sm *sm, const struct wm_request *request,
                                       uint64_t cycle, uint64_t token, uint32_t *waits)
{
    struct wm_clock_coherent *coherent = sm->clock->coherent;
    uint32_t node = coherent->node_of_sm[sm->index];
    uint32_t interval =
        sm->clock->machine->memory.levels[wm_coherent_level_of(&coherent->tree, node)]
            .atomic_interval;
    struct wm_coherent_access access = {
        .node = node,
        .kind = request->kind == WM_ACCESS_LOAD    ? WM_COHERENT_LOAD
                : request->kind == WM_ACCESS_STORE ? WM_COHERENT_STORE
                                                   : WM_COHERENT_LOCKED,
        .line = request->address >> coherent->line_shift,
        .token = token,
        .locked_cycles = rounds_of(sm) * (interval > 1 ? interval : 1),
        .sectors = request->sectors,
        .requester = {.sm = request->sm,
                      .warp = request->warp,
                      .pc = request->pc,
                      .kind = request->kind,
                      .hint = request->hint,
                      .lines = request->lines,
                      .rank = request->rank}};
    uint64_t ends = cycle;
    enum wm_coherent_answer answer =
        wm_coherent_caches_access(coherent->tree.caches, &access, cycle, &ends);
    *waits = answer == WM_COHERENT_WAITS;
    sm->timed.passes = 1;
    sm->timed.late = 0;
    sm->timed.served_latency = answer == WM_COHERENT_DONE ? (uint32_t)(ends - cycle) : 0;
    return stall_of(answer);
}

// --- Time ---

bool wm_clock_coherent_run(struct wm_clock *clock)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    if (wm_coherent_caches_next(coherent->tree.caches) > clock->now)
        return true;
    coherent->acted = clock->now + 1;
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
    if (clock->coherent != NULL)
        wm_coherent_caches_describe(clock->coherent->tree.caches, text);
}

const struct wm_dram_channel *wm_clock_coherent_channel(const struct wm_clock *clock,
                                                        uint32_t number)
{
    return wm_coherent_caches_channel(clock->coherent->tree.caches, number);
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
        part->index = levels->nodes[node].instance * slices + number;
        part->counters = wm_coherent_caches_counters(clock->coherent->tree.caches, node, number);
        return true;
    }
    return false;
}
