// Misses of an L1 in time explained, on random requests whose bytes come in any order, against an
// obvious model: after each step the array is searched for what it holds, so that what has come and
// what has gone, and under whom, needs no cache to be known.
#include "base/access/access.h"
#include "base/numbers/random.h"
#include "mem/cache/inline_access.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"
#include "mem/timed/unit.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128, SECTORS = 4, LINES = 24, SLOTS = 4, PCS = 3, STEPS = 60000, MOST_PACKETS = 64 };
enum kind { COLD, SAME, OTHER, REFUSED, DROPPED, UNALLOCATED, KINDS };

// Two warps of one block, and one of each of two others.
static const uint64_t blocks[SLOTS] = {10, 10, 11, 12};

struct sector {
    bool given, kept, held, evicted;
    uint32_t evictor; // a slot
};

struct bench {
    struct wm_memory *memory;
    struct wm_timed_level l1;
    struct wm_timed_unit unit;
    struct wm_timed_topology topology;
    bool on_fill;
    struct sector model[LINES][SECTORS];
    struct wm_packet packets[MOST_PACKETS]; // on their way
    uint32_t packet_count;
    struct wm_instruction_counters instruction_counters;
    struct wm_instruction_misses explained[PCS];
    uint64_t kinds[KINDS], missed;
};

static void new_bench(struct bench *bench, const struct write_choice *writes, bool on_fill,
                      uint32_t sector_bytes)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(4, 2, LINE, sector_bytes), small_cache(64, 4, LINE, 32), 1);
    struct wm_error error;
    set_writes(&spec.levels[WM_LEVEL_L1].cache, writes);
    spec.levels[WM_LEVEL_L1].allocation = on_fill ? WM_ALLOCATE_STREAMING : WM_ALLOCATE_ON_MISS;
    spec.levels[WM_LEVEL_L1].timing =
        (struct wm_cache_timing){.latency = 10, .mshr_entries = 5, .mshr_merges = 4, .queue = 16};
    spec.interconnect = (struct wm_interconnect_spec){.flit_bytes = 40, .sectors = 2};
    memset(bench, 0, sizeof *bench);
    bench->memory = small_memory_new(&spec);
    bench->on_fill = on_fill;
    cr_assert_eq(wm_memory_explain_timed(bench->memory, &error), WM_OK);
    cr_assert_eq(wm_timed_level_init(&bench->l1, bench->memory, WM_LEVEL_L1, 0, &error), WM_OK);
    cr_assert_eq(wm_timed_topology_init(&bench->topology, &spec, &error), WM_OK);
    cr_assert_eq(wm_timed_unit_init(&bench->unit, bench->memory, &bench->topology, 0, &error),
                 WM_OK);
    bench->unit.l1 = &bench->l1;
    bench->unit.out.blocks = blocks;
}

static void release_bench(struct bench *bench)
{
    wm_timed_unit_release(&bench->unit);
    wm_timed_level_release(&bench->l1);
    wm_timed_topology_release(&bench->topology);
    wm_memory_free(bench->memory);
}

static uint32_t valid_of(const struct wm_cache *cache, uint64_t line)
{
    uint32_t set = wm_cache_set_of(cache, line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    return way < 0 ? 0 : wm_cache_line_at(cache, set * cache->stride + (uint32_t)way).valid;
}

// What the array has and has no longer, under `slot`; `dropped` is a line that it let go, or none.
static void look(struct bench *bench, uint32_t slot, uint64_t dropped)
{
    for (uint64_t line = 0; line < LINES; line++) {
        uint32_t valid = valid_of(bench->memory->levels[WM_LEVEL_L1].caches, line + 1);
        for (uint32_t s = 0; s < SECTORS; s++) {
            struct sector *sector = &bench->model[line][s];
            bool now = (valid >> s & 1) != 0;
            if (line == dropped) {
                sector->kept = false;
            } else if (sector->held && !now) {
                sector->evicted = true;
                sector->evictor = slot;
            }
            sector->held = now;
            sector->given |= now;
            sector->kept |= now;
        }
    }
}

static enum kind kind_of(const struct sector *sector, uint32_t slot, bool allocate)
{
    if (!sector->kept)
        return !allocate ? UNALLOCATED : sector->given ? DROPPED : COLD;
    if (!sector->evicted)
        return REFUSED;
    return sector->evictor == slot ? SAME : OTHER;
}

// Of a request that is about to be served; KINDS: it finds all.
static enum kind expected_kind(const struct bench *bench, const struct wm_request *request,
                               bool allocate)
{
    static const enum kind order[KINDS] = {OTHER, SAME, REFUSED, DROPPED, COLD, UNALLOCATED};
    uint64_t line = request->address / LINE;
    const struct wm_mshr_entry *entry = wm_mshr_find(&bench->l1.timed.mshr, line);
    uint32_t here = valid_of(bench->memory->levels[WM_LEVEL_L1].caches, line);
    if (request->kind == WM_ACCESS_LOAD && entry != NULL)
        here |= entry->pending;
    bool is[KINDS] = {false};
    for (uint32_t s = 0; s < SECTORS; s++)
        if ((request->sectors & ~here) >> s & 1)
            is[kind_of(&bench->model[line - 1][s], request->warp, allocate)] = true;
    for (int i = 0; i < KINDS; i++)
        if (is[order[i]])
            return order[i];
    return KINDS;
}

static void nobody_is_told(void *context, uint64_t token)
{
    (void)context;
    (void)token;
}

static void take_packets(struct bench *bench)
{
    const struct wm_packet *packet;
    while ((packet = wm_packet_queue_head(&bench->unit.out.packets)) != NULL) {
        if (packet->from == WM_LEVEL_L1 && packet->replies) {
            cr_assert_lt(bench->packet_count, MOST_PACKETS);
            bench->packets[bench->packet_count++] = *packet;
        }
        wm_packet_queue_pop(&bench->unit.out.packets);
    }
}

static void deliver(struct bench *bench, struct wm_random *random, uint64_t cycle)
{
    if (bench->packet_count == 0)
        return;
    uint32_t at = (uint32_t)wm_random_below(random, bench->packet_count);
    struct wm_packet packet = bench->packets[at];
    bench->packets[at] = bench->packets[--bench->packet_count];
    uint64_t line = packet.address / LINE;
    bool takes = bench->on_fill && wm_mshr_find(&bench->l1.timed.mshr, line)->allocates;
    wm_timed_unit_reply(&bench->unit, cycle, &packet, nobody_is_told, NULL);
    look(bench, packet.warp, UINT64_MAX);
    // Where all ways of the set wait for their bytes it is refused: it would have been kept.
    for (uint32_t s = 0; takes && s < SECTORS; s++)
        if ((packet.sectors >> s & 1) != 0)
            bench->model[line - 1][s].given = bench->model[line - 1][s].kept = true;
}

static void ask(struct bench *bench, struct wm_random *random, uint64_t cycle)
{
    const struct wm_cache *cache = bench->memory->levels[WM_LEVEL_L1].caches;
    uint64_t line = wm_random_below(random, LINES), what = wm_random_below(random, 20);
    uint32_t pc = (uint32_t)wm_random_below(random, PCS), waits;
    struct wm_request request = {
        .address = (line + 1) * LINE,
        .sectors = 1 + (uint32_t)wm_random_below(random, 15),
        .kind = what == 0  ? WM_ACCESS_ATOMIC
                : what < 5 ? WM_ACCESS_STORE
                           : WM_ACCESS_LOAD,
        .hint = what == 19 ? WM_HINT_NO_L1 : WM_HINT_DEFAULT,
        .warp = (uint32_t)wm_random_below(random, SLOTS),
        .pc = pc,
        .lines = 1,
        .instruction_counters = &bench->instruction_counters,
        .explained = &bench->explained[pc],
    };
    bool load = request.kind == WM_ACCESS_LOAD, store = request.kind == WM_ACCESS_STORE;
    request.full_sectors = store ? request.sectors : 0;
    request.block = blocks[request.warp];
    bool allocate = request.hint != WM_HINT_NO_L1 && (load || cache->write_allocate);
    enum kind kind = load || store ? expected_kind(bench, &request, allocate) : KINDS;
    if (wm_timed_unit_access(&bench->unit, cycle, &request, 0, &waits) != WM_STALL_NONE)
        return;
    if (kind != KINDS) {
        bench->kinds[kind]++;
        bench->missed++;
    }
    bool drops = request.kind == WM_ACCESS_ATOMIC ||
                 (store && cache->write_policy == WM_WRITE_THROUGH_EVICT);
    look(bench, request.warp, drops ? line : UINT64_MAX);
    take_packets(bench);
}

static void check(const struct bench *bench, const char *what)
{
    static const char *const names[KINDS] = {"cold",    "same warp", "other warp",
                                             "refused", "dropped",   "unallocated"};
    const struct wm_explained_cache *found = &bench->memory->shadows->groups[0].shadows[0].counters;
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t charged = 0;
        for (int pc = 0; pc < PCS; pc++)
            charged += (&bench->explained[pc].levels[WM_LEVEL_L1].accesses_cold)[kind];
        cr_assert_eq((&found->accesses_cold)[kind], bench->kinds[kind], "%s: %s: %lu, not %lu",
                     what, names[kind], (&found->accesses_cold)[kind], bench->kinds[kind]);
        cr_assert_eq(charged, bench->kinds[kind], "%s: %s of instructions", what, names[kind]);
    }
    cr_assert_eq(bench->memory->levels[WM_LEVEL_L1].caches->counters.accesses_missed, bench->missed,
                 "%s", what);
    cr_assert_eq(found->cold + found->coherence + found->capacity + found->conflict +
                     found->unallocated,
                 bench->memory->levels[WM_LEVEL_L1].caches->counters.misses, "%s", what);
}

static void run(const struct write_choice *writes, bool on_fill, uint32_t sector_bytes)
{
    static struct bench bench;
    struct wm_random random;
    char what[80];
    new_bench(&bench, writes, on_fill, sector_bytes);
    wm_random_init(&random, 7, "explain in time");
    snprintf(what, sizeof what, "writes %d%s, lines taken %s, sectors of %u", (int)writes->policy,
             writes->allocate ? " allocating" : "", on_fill ? "later" : "at once", sector_bytes);
    for (uint64_t cycle = 1; cycle <= STEPS; cycle++) {
        if (wm_random_below(&random, 3) == 0)
            deliver(&bench, &random, cycle);
        else
            ask(&bench, &random, cycle);
    }
    check(&bench, what);
    cr_assert_geq(bench.kinds[COLD], LINES / 2, "%s", what);
    cr_assert_gt(bench.kinds[SAME], 1000, "%s", what);
    cr_assert_gt(bench.kinds[OTHER], 1000, "%s", what);
    cr_assert_gt(bench.kinds[DROPPED], 100, "%s", what);
    release_bench(&bench);
}

Test(timed_explain, random_requests_match_what_the_array_held)
{
    for (int i = 0; i < WRITE_CHOICES; i++)
        for (int form = 0; form < 4; form++)
            run(&write_choices[i], form % 2 != 0, form < 2 ? 32 : LINE);
}
