// Coherent caches in time against the walk, one access at a time: where nothing is evicted every
// counter of every component and instruction is equal, and with one line in a set so is what each
// way holds; where lines are evicted, what was found at each level, and what memory moved, is.
#include "base/numbers/random.h"
#include "coherent_machines.h"
#include "fixed_dram.h"
#include "mem/prefetch/entries.h"
#include "mem/system/coherent_memory.h"
#include "mem/timed/coherent/memory_caches.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128, PCS = 4, ACCESSES = 3000, SMS = 3, CORES = 2 };

struct side {
    struct wm_memory *memory;
    struct wm_instruction_counters pays[PCS];
};

struct timed_side {
    struct side side;
    struct wm_coherent_memory_caches caches;
    uint64_t now;
    uint32_t done;
};

static void note_done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    struct timed_side *timed = context;
    (void)origin;
    cr_assert_eq(token, timed->done);
    cr_assert_geq(cycle, timed->now);
    timed->done++;
}

static void note_change(void *context, uint32_t node, uint32_t slice)
{
    (void)context, (void)node, (void)slice;
}

static struct wm_instruction_counters *charged(void *context, const struct wm_requester *requester)
{
    return &((struct timed_side *)context)->side.pays[requester->pc];
}

static struct wm_memory *memory_of(const struct wm_memory_spec *spec)
{
    struct wm_memory *memory;
    struct wm_error error;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_OK, "%s", error.message);
    return memory;
}

static void begin(struct timed_side *timed, const struct wm_memory_spec *spec)
{
    const struct wm_dram_channel_spec dram = fixed_dram(50, 4);
    const struct wm_coherent_users users = {
        .done = note_done, .changed = note_change, .charged = charged, .context = timed};
    const struct wm_coherent_clocks clocks = {1000000000, 1000000000, 1000000000};
    struct wm_error error;
    timed->side.memory = memory_of(spec);
    cr_assert_eq(wm_coherent_memory_caches_init(&timed->caches, timed->side.memory, &users, &dram,
                                                &clocks, &error),
                 WM_OK, "%s", error.message);
}

static void walk_access(struct side *walk, const struct wm_request *request)
{
    struct wm_request own = *request;
    own.instruction_counters = &walk->pays[request->pc];
    wm_memory_access(walk->memory, &own);
}

// Where a unit's accesses begin: SMs without caches are beside a home that has cores' caches above.
static uint32_t node_of(const struct timed_side *timed, uint32_t unit)
{
    uint32_t node = wm_coherent_node_of_unit(&timed->caches, unit);
    return node != WM_NO_NODE ? node : timed->caches.levels->root;
}

// What an SM without caches sends is charged as it sends it (mem/timed/outbox.h).
static void charge_sender(struct timed_side *timed, const struct wm_request *request)
{
    const struct wm_coherent_memory_caches *caches = &timed->caches;
    if (wm_coherent_node_of_unit(caches, request->sm) != WM_NO_NODE)
        return;
    uint32_t level = wm_coherent_level_of(caches, caches->levels->root);
    uint64_t ways = request->kind == WM_ACCESS_ATOMIC ? 2 : 1;
    timed->side.pays[request->pc].levels[level].bytes += ways * wm_sector_bytes(request->sectors);
}

// A bypass entry: what loads of an instruction do.
static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    static const enum wm_bypass_decision decisions[PCS] = {WM_BYPASS_NO, WM_BYPASS_LOOKUP,
                                                           WM_BYPASS_ALLOCATION, WM_BYPASS_NO};
    (void)state;
    return decisions[event->pc];
}

static bool is_timed; // whose access is under way
static uint64_t served_loads[2], served_sectors[2];

static void served(void *state, const struct wm_bypass_event *event, uint32_t missing)
{
    (void)state;
    served_loads[is_timed]++;
    served_sectors[is_timed] += (uint64_t)__builtin_popcount(missing);
    cr_assert_eq(missing & ~event->sectors, 0);
}

static const struct wm_bypass_ops by_pc = {.name = "by-pc", .decide = decide, .served = served};

static void timed_access(struct timed_side *timed, const struct wm_request *request)
{
    enum wm_bypass_decision decision = wm_coherent_decide(&timed->caches, request);
    struct wm_coherent_access access = {
        .node = node_of(timed, request->sm),
        .kind = request->kind == WM_ACCESS_LOAD    ? WM_COHERENT_LOAD
                : request->kind == WM_ACCESS_STORE ? WM_COHERENT_STORE
                                                   : WM_COHERENT_LOCKED,
        .line = request->address / LINE,
        .token = timed->done,
        .locked_cycles = 1,
        .sectors = request->sectors,
        .requester = {.sm = request->sm, .pc = request->pc, .kind = request->kind},
        .bypasses = decision != WM_BYPASS_NO,
        .looked_up = decision == WM_BYPASS_ALLOCATION};
    uint64_t done = 0, next;
    enum wm_coherent_answer answer =
        wm_coherent_caches_access(timed->caches.caches, &access, timed->now, &done);
    cr_assert_not(wm_coherent_is_blocked(answer));
    wm_coherent_served(&timed->caches, request, decision, access.missed);
    if (answer == WM_COHERENT_DONE)
        note_done(timed, timed->done, done, 0);
    while ((next = wm_coherent_caches_next(timed->caches.caches)) != WM_NEVER)
        cr_assert(wm_coherent_caches_advance(timed->caches.caches, timed->now = next));
    timed->now++;
    cr_assert_eq(timed->done, access.token + 1, "an access is never done");
}

enum compared { WHAT_IS_FOUND, COUNTERS, COUNTERS_AND_WAYS };

static bool is_compared(const char *name, enum compared compared)
{
    static const char *const found[] = {"accesses",  "hits",       "misses",      "load_accesses",
                                        "load_hits", "store_hits", "atomic_hits", "allocations",
                                        "evictions", "gets",       "reads",       "bytes_read"};
    if (strstr(name, "_loads") != NULL) // which the load/store unit counts
        return false;
    // An empty way is another in each engine, and this is about the line that was there before.
    if (strcmp(name, "coherence_misses") == 0)
        return compared == COUNTERS_AND_WAYS;
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
        if (strcmp(name, found[i]) == 0)
            return true;
    // Evictions overtake requests in time: what was called back for them, and which Put came too
    // late, may differ then.
    return compared != WHAT_IS_FOUND;
}

static void compare(const struct side *walk, const struct side *timed, enum compared compared,
                    uint64_t seed)
{
    size_t count, other_count;
    const struct wm_component_counters *a = wm_memory_components(walk->memory, &count);
    const struct wm_component_counters *b = wm_memory_components(timed->memory, &other_count);
    cr_assert_eq(count, other_count);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < a[i].set->count; n++)
            if (is_compared(a[i].set->declarations[n].name, compared))
                cr_assert_eq(a[i].values[n], b[i].values[n],
                             "seed %lu: %s %s: %lu in the walk, %lu in time", (unsigned long)seed,
                             a[i].path, a[i].set->declarations[n].name,
                             (unsigned long)a[i].values[n], (unsigned long)b[i].values[n]);
    struct wm_instruction_counters expected[PCS];
    memcpy(expected, walk->pays, sizeof expected);
    for (uint32_t pc = 0; pc < PCS && !is_compared("coherence_misses", compared); pc++)
        expected[pc].coherence_misses = timed->pays[pc].coherence_misses;
    if (compared != WHAT_IS_FOUND)
        cr_assert_arr_eq(expected, timed->pays, sizeof expected, "seed %lu: instructions",
                         (unsigned long)seed);
}

static void compare_lines(const struct side *walk, const struct side *timed)
{
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        for (uint32_t i = 0; i < walk->memory->levels[level].count; i++) {
            const struct wm_cache *cache = &walk->memory->levels[level].caches[i];
            const struct wm_cache *other = &timed->memory->levels[level].caches[i];
            size_t slots = (size_t)cache->sets * cache->stride;
            cr_assert_arr_eq(cache->tags, other->tags, slots * sizeof *cache->tags);
            cr_assert_arr_eq(walk->memory->coherent->caches[level][i].lines,
                             timed->memory->coherent->caches[level][i].lines,
                             slots * sizeof(struct wm_coherence_line));
        }
}

static struct wm_request random_request(struct wm_random *random, uint64_t lines)
{
    uint64_t choice = wm_random_below(random, 10);
    uint32_t unit = (uint32_t)wm_random_below(random, SMS + CORES);
    return (struct wm_request){.address = wm_random_below(random, lines) * LINE,
                               .sectors = 1u + (uint32_t)wm_random_below(random, 15),
                               .kind = choice < 6   ? WM_ACCESS_LOAD
                                       : choice < 9 ? WM_ACCESS_STORE
                                                    : WM_ACCESS_ATOMIC,
                               .sm = unit,
                               .pc = (uint32_t)wm_random_below(random, PCS)};
}

static void give_times(struct wm_memory_spec *spec)
{
    spec->interconnect = (struct wm_interconnect_spec){.latency = 5, .flit_bytes = 16};
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        spec->levels[i].timing =
            (struct wm_cache_timing){.latency = 2 + i,
                                     .mshr_entries = spec->levels[i].prefetch != NULL ? 64 : 4,
                                     .mshr_merges = 4,
                                     .queue = 4};
}

static void run(struct wm_memory_spec spec, uint64_t seed, uint64_t lines, enum compared compared)
{
    struct timed_side timed = {0};
    struct side walk = {0};
    struct wm_random random;
    wm_random_init(&random, seed, "equal");
    give_times(&spec);
    walk.memory = memory_of(&spec);
    begin(&timed, &spec);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        struct wm_request request = random_request(&random, lines);
        is_timed = false;
        walk_access(&walk, &request);
        is_timed = true;
        timed_access(&timed, &request);
        charge_sender(&timed, &request);
    }
    compare(&walk, &timed.side, compared, seed);
    const struct wm_prefetchers *prefetchers = &walk.memory->levels[WM_LEVEL_L1].prefetchers;
    if (prefetchers->ops != NULL)
        cr_assert(prefetchers->counters->prefetches > 2 && prefetchers->counters->supplied != 0);
    if (compared == COUNTERS_AND_WAYS)
        compare_lines(&walk, &timed.side);
    wm_coherent_memory_caches_release(&timed.caches);
    wm_memory_free(timed.side.memory);
    wm_memory_free(walk.memory);
}

Test(coherent_equal, all_counters_where_nothing_is_evicted)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        run(coherent_shared(SMS, CORES), seed, 8, COUNTERS);
        run(coherent_split(SMS, CORES), seed, 8, COUNTERS);
        run(coherent_cores(SMS + CORES), seed, 4, COUNTERS);
        run(coherent_without_sms_caches(SMS, CORES), seed, 8, COUNTERS);
    }
}

Test(coherent_equal, all_ways_where_each_set_has_one_line)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        run(coherent_shared(SMS, CORES), seed, 4, COUNTERS_AND_WAYS);
        run(coherent_split(SMS, CORES), seed, 4, COUNTERS_AND_WAYS);
        run(coherent_cores(SMS + CORES), seed, 2, COUNTERS_AND_WAYS);
        run(coherent_without_sms_caches(SMS, CORES), seed, 4, COUNTERS_AND_WAYS);
    }
}

// A set of the L2 has four ways: the fifth line displaces the first, which another core has.
Test(coherent_equal, what_is_called_back)
{
    struct wm_memory_spec spec = coherent_cores(2);
    struct timed_side timed = {0};
    struct side walk = {0};
    give_times(&spec);
    walk.memory = memory_of(&spec);
    begin(&timed, &spec);
    for (uint32_t i = 0; i < 5; i++) {
        struct wm_request request = {.address = UINT64_C(4) * i * LINE,
                                     .sectors = 1,
                                     .kind = i == 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                                     .sm = i != 0};
        walk_access(&walk, &request);
        timed_access(&timed, &request);
    }
    cr_expect_eq(walk.memory->coherent->caches[WM_LEVEL_L1][0].counters.back_invalidations, 1);
    compare(&walk, &timed.side, COUNTERS, 0);
    wm_coherent_memory_caches_release(&timed.caches);
    wm_memory_free(timed.side.memory);
    wm_memory_free(walk.memory);
}

Test(coherent_equal, what_is_found_where_lines_are_evicted)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        run(coherent_shared(SMS, CORES), seed, 200, WHAT_IS_FOUND);
        run(coherent_split(SMS, CORES), seed, 120, WHAT_IS_FOUND);
        run(coherent_cores(SMS + CORES), seed, 40, WHAT_IS_FOUND);
        run(coherent_without_sms_caches(SMS, CORES), seed, 200, WHAT_IS_FOUND);
    }
}

// Caches so large that nothing is evicted, for what prefetchers bring too.
static struct wm_memory_spec with_parts(struct wm_memory_spec spec, uint64_t lines, bool bypasses)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        if (spec.levels[i].coherence != WM_LEVEL_MESI)
            continue;
        spec.levels[i].cache.ways *= 8;
        spec.levels[i].cache.size_bytes *= 8;
        if (lines == 0)
            continue;
        spec.levels[i].prefetch = lines == 1 ? &wm_prefetch_stream_buffer : &wm_prefetch_next_line;
        spec.levels[i].prefetch_values = (struct wm_entry_values){{lines, 1, 32}, 7};
    }
    if (bypasses)
        spec.levels[WM_LEVEL_L1].bypass = &by_pc;
    return spec;
}

// What prefetchers bring, and loads that bypass the SMs' L1s: the entry's hooks too are called
// alike.
Test(coherent_equal, all_counters_with_prefetchers_and_bypasses)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        bool bypasses = seed % 4 != 0;
        uint64_t lines = seed % 3;
        run(with_parts(coherent_shared(SMS, CORES), lines, bypasses), seed, 24, COUNTERS);
        run(with_parts(coherent_split(SMS, CORES), lines, bypasses), seed, 24, COUNTERS);
        run(with_parts(coherent_cores(SMS + CORES), lines, bypasses), seed, 12, COUNTERS);
    }
    cr_assert_eq(served_loads[0], served_loads[1]);
    cr_assert_eq(served_sectors[0], served_sectors[1]);
    cr_assert_gt(served_sectors[0], 1000);
}
