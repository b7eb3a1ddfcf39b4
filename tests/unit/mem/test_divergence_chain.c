// An L1 whose chain is DaCache's, in time: where lines enter and move, and, under random traffic,
// that its promises hold.
#include "base/numbers/random.h"
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/timed/timed_cache.h"

#include <criterion/criterion.h>

enum { SETS = 32, WAYS = 8, LINE = 128 };

struct fixture {
    struct wm_cache cache;
    struct wm_timed_cache timed;
    struct wm_divergence_aware *aware;
};

static void init(struct fixture *f, struct wm_divergence_spec spec)
{
    spec.schedulers = 2;
    spec.warp_width = 32;
    spec.max_warps = 48;
    const struct wm_cache_spec plain = {.present = true,
                                        .size_bytes = SETS * WAYS * LINE,
                                        .ways = WAYS,
                                        .line_bytes = LINE,
                                        .sector_bytes = LINE,
                                        .write_policy = WM_WRITE_THROUGH_EVICT,
                                        .replacement = &wm_replacement_lru,
                                        .set_index = &wm_set_index_modulo};
    const struct wm_cache_spec built = wm_divergence_built_as(&spec, &plain);
    const struct wm_cache_timing timing = {.mshr_entries = 64, .mshr_merges = 8};
    struct wm_error error = {0};
    cr_assert_eq(wm_cache_init(&f->cache, &built, "l1", &error), WM_OK);
    cr_assert_eq(wm_timed_cache_init(&f->timed, &f->cache, &timing, false, &error), WM_OK);
    f->timed.bypasses_when_full = spec.full == WM_FULL_BYPASSES;
    f->aware = wm_divergence_of(&f->cache);
    cr_assert_not_null(f->aware);
}

static void release(struct fixture *f)
{
    wm_timed_cache_release(&f->timed);
    wm_cache_release(&f->cache);
}

static struct wm_timed_result load(struct fixture *f, uint64_t line, uint32_t rank, uint32_t lines)
{
    const struct wm_timed_access ask = {
        .line = line,
        .index_line = line,
        .sectors = 1,
        .client = WM_CACHE_LOAD,
        .allocate = true,
        .queue_has_room = true,
        .requester = {
            .pc = 3, .kind = WM_ACCESS_LOAD, .lines = (uint16_t)lines, .rank = (uint16_t)rank}};
    return wm_timed_cache_read(&f->timed, &ask);
}

static void unattributed(void *context, uint64_t token)
{
    (void)context;
    (void)token;
}

static void fill(struct fixture *f, uint64_t line, uint32_t sectors)
{
    const struct wm_requester requester = {0};
    struct wm_cache_victim victim;
    wm_timed_cache_fill(&f->timed, WM_MSHR_NONE, line, line, sectors, &requester, unattributed,
                        NULL, &victim);
}

// Line n of set 0 comes whole.
static void bring(struct fixture *f, uint64_t n, uint32_t rank, uint32_t lines)
{
    struct wm_timed_result result = load(f, n * SETS, rank, lines);
    cr_assert_eq(result.stall, WM_STALL_NONE);
    if (result.fetch != 0)
        fill(f, n * SETS, result.fetch);
}

// The lines of set 0 by position, as numbers; 99 for none.
static void expect_chain(struct fixture *f, const uint64_t *expected, const char *when)
{
    for (uint32_t position = 0; position < WAYS; position++) {
        uint32_t way = wm_recency_way_at(&f->cache.recency, 0, position);
        uint64_t tag = f->cache.tags[way];
        uint64_t line = tag == WM_CACHE_EMPTY ? 99 : tag / SETS;
        cr_assert_eq(line, expected[position], "%s: position %u has %lu, not %lu", when, position,
                     line, expected[position]);
    }
}

Test(divergence_chain, lines_enter_by_rank_and_move_up_step_by_step)
{
    static struct fixture f;
    init(&f, (struct wm_divergence_spec){.insertion = WM_INSERT_GAUGED,
                                         .promotion = 3,
                                         .region = WM_REGION_STATIC,
                                         .region_warps = 2});
    for (uint64_t n = 0; n < 8; n++)
        bring(&f, n, 0, 32);
    expect_chain(&f, (uint64_t[]){7, 6, 5, 4, 3, 2, 1, 0}, "rank 0 in front");
    bring(&f, 10, 1, 32); // position 2: line 0 leaves
    expect_chain(&f, (uint64_t[]){7, 6, 10, 5, 4, 3, 2, 1}, "rank 1 behind two");
    bring(&f, 11, 2, 32); // of a thrashing warp: last
    expect_chain(&f, (uint64_t[]){7, 6, 10, 5, 4, 3, 2, 11}, "rank 2 last");
    bring(&f, 11, 2, 32); // a hit: three positions up
    expect_chain(&f, (uint64_t[]){7, 6, 10, 5, 11, 4, 3, 2}, "a hit");
    bring(&f, 6, 0, 32);
    expect_chain(&f, (uint64_t[]){6, 7, 10, 5, 11, 4, 3, 2}, "not beyond the front");
    bring(&f, 12, 20, 5); // few lines
    expect_chain(&f, (uint64_t[]){12, 6, 7, 10, 5, 11, 4, 3}, "five lines in front");
    bring(&f, 13, 20, 2); // coherent, of unknown locality
    expect_chain(&f, (uint64_t[]){13, 12, 6, 7, 10, 5, 11, 4}, "coherent in front");
    for (uint64_t line = 0; line < 17; line++)
        wm_divergence_watch(f.aware, 3, 0, 0, 1, 1000 + line, true);
    bring(&f, 14, 0, 1); // the same instruction, found to have none
    expect_chain(&f, (uint64_t[]){13, 12, 6, 7, 10, 5, 11, 14}, "coherent without locality last");
    release(&f);
}

// What the rules are not for: stores, atomics and write-backs enter in front; a hit on a line that
// is on its way moves nothing; another scheduler's oldest warp is not watched.
Test(divergence_chain, rules_are_for_loads_that_came_and_for_one_warp)
{
    static struct fixture f;
    init(&f, (struct wm_divergence_spec){.insertion = WM_INSERT_GAUGED, .promotion = 3});
    const struct wm_replacement_ops *ops = &wm_replacement_divergence_aware;
    const struct wm_replacement_set set = {.array = f.aware, .sets = SETS, .ways = WAYS};
    struct wm_replacement_event event = {.kind = WM_ACCESS_LOAD, .lines = 32, .rank = 3, .pc = 3};
    cr_expect_eq(ops->chain_insert(&set, &event), 6);
    event.write_back = true;
    cr_expect_eq(ops->chain_insert(&set, &event), 0);
    event.write_back = false;
    event.kind = WM_ACCESS_STORE;
    cr_expect_eq(ops->chain_insert(&set, &event), 0);
    event.kind = WM_ACCESS_ATOMIC;
    cr_expect_eq(ops->chain_insert(&set, &event), 0);
    cr_expect_eq(ops->chain_promote(&set, 0, &event), 3);
    event.pending = true;
    cr_expect_eq(ops->chain_promote(&set, 0, &event), 0);
    for (uint64_t line = 0; line < 17; line++)
        wm_divergence_watch(f.aware, 3, 1, 0, 1, 1000 + line, true);
    cr_expect_eq(wm_locality_of(&f.aware->detector, 3), WM_LOCALITY_UNKNOWN);
    release(&f);
}

// A divergent load that lacks one line counts against the region, one of two lines not at all.
Test(divergence_chain, loads_that_were_served_move_the_region)
{
    static struct fixture f;
    init(&f, (struct wm_divergence_spec){
                 .insertion = WM_INSERT_GAUGED, .region = WM_REGION_DYNAMIC, .region_warps = 2});
    uint32_t count = f.aware->warps.count;
    wm_divergence_served(f.aware, 40, 3, 0);
    cr_expect_eq(f.aware->warps.count, count + 1);
    wm_divergence_served(f.aware, 40, 3, 1);
    cr_expect_eq(f.aware->warps.count, count);
    wm_divergence_served(f.aware, 40, 2, 0);
    wm_divergence_served(f.aware, 40, 2, 2);
    wm_divergence_served(f.aware, 40, 1, 1);
    cr_expect_eq(f.aware->warps.count, count);
    release(&f);
}

// Without a region all warps are gauged, also those far behind.
Test(divergence_chain, without_a_region_rank_alone_says)
{
    static struct fixture f;
    init(&f, (struct wm_divergence_spec){.insertion = WM_INSERT_GAUGED});
    for (uint64_t n = 0; n < 8; n++)
        bring(&f, n, 0, 32);
    bring(&f, 10, 3, 32);
    expect_chain(&f, (uint64_t[]){7, 6, 5, 4, 3, 2, 10, 1}, "rank 3 at position 6");
    bring(&f, 1, 0, 32);
    expect_chain(&f, (uint64_t[]){1, 7, 6, 5, 4, 3, 2, 10}, "hits go to the front");
    release(&f);
}

// The region is of four positions; what is on its way cannot leave.
Test(divergence_chain, reserved_lines_are_no_victims)
{
    static struct fixture f;
    init(&f, (struct wm_divergence_spec){.promotion = 4,
                                         .region = WM_REGION_STATIC,
                                         .region_warps = 2,
                                         .full = WM_FULL_STALLS});
    for (uint64_t n = 0; n < 8; n++)
        bring(&f, n, 0, 32);
    // Four lines enter in front, each pushing one into the thrashing region: 4, 5, 6 and 7 are
    // there, not reserved.
    for (uint64_t n = 10; n < 14; n++)
        cr_assert_eq(load(&f, n * SETS, 0, 32).stall, WM_STALL_NONE);
    expect_chain(&f, (uint64_t[]){13, 12, 11, 10, 7, 6, 5, 4}, "four reserved in front");
    for (uint64_t n = 14; n < 18; n++)
        cr_assert_eq(load(&f, n * SETS, 0, 32).stall, WM_STALL_NONE);
    expect_chain(&f, (uint64_t[]){17, 16, 15, 14, 13, 12, 11, 10}, "eight reserved");
    cr_assert_eq(load(&f, 18 * SETS, 0, 32).stall, WM_STALL_WAY);
    fill(&f, 15 * SETS, 15); // of the locality region: still no warp's
    cr_assert_eq(load(&f, 18 * SETS, 0, 32).stall, WM_STALL_WAY);
    fill(&f, 12 * SETS, 15);
    struct wm_timed_result result = load(&f, 18 * SETS, 0, 32);
    cr_assert_eq(result.stall, WM_STALL_NONE);
    cr_assert_eq(result.fetch, 15);
    expect_chain(&f, (uint64_t[]){18, 17, 16, 15, 14, 13, 11, 10}, "12 has left");
    release(&f);
}

Test(divergence_chain, who_finds_no_room_may_go_past)
{
    static struct fixture f;
    init(&f, (struct wm_divergence_spec){.promotion = 4,
                                         .region = WM_REGION_STATIC,
                                         .region_warps = 2,
                                         .full = WM_FULL_BYPASSES});
    for (uint64_t n = 0; n < 8; n++)
        cr_assert_eq(load(&f, n * SETS, 0, 32).stall, WM_STALL_NONE);
    struct wm_timed_result result = load(&f, 8 * SETS, 0, 32);
    cr_assert_eq(result.stall, WM_STALL_NONE);
    cr_assert(result.must_bypass);
    cr_assert(!result.waits && result.fetch == 0 && f.timed.mshr.used == 8);
    cr_assert_eq(f.cache.counters.load_accesses, 8, "nothing was counted");
    cr_assert_lt(wm_cache_find(&f.cache, 8 * SETS, 8 * SETS), 0);
    // A hit of a line on its way does not move it.
    expect_chain(&f, (uint64_t[]){7, 6, 5, 4, 3, 2, 1, 0}, "before");
    cr_assert_eq(load(&f, 0, 0, 32).stall, WM_STALL_NONE);
    expect_chain(&f, (uint64_t[]){7, 6, 5, 4, 3, 2, 1, 0}, "a pending hit");
    release(&f);
}

// --- Random traffic ---

struct positions {
    uint32_t of_way[WAYS];
    uint64_t tags[WAYS];
    bool pinned[WAYS];
};

static struct positions positions_of(const struct fixture *f, uint32_t set)
{
    struct positions now;
    for (uint32_t way = 0; way < WAYS; way++) {
        now.of_way[way] = wm_recency_position(&f->cache.recency, set, way);
        now.tags[way] = f->cache.tags[set * f->cache.stride + way];
        now.pinned[way] = wm_cache_is_pinned(&f->cache, set, way);
    }
    return now;
}

// The chain is a permutation, and the lines that left were neither reserved nor of the region.
static void check_step(const struct fixture *f, uint32_t set, const struct positions *before,
                       uint32_t region)
{
    struct positions now = positions_of(f, set);
    uint32_t seen = 0;
    for (uint32_t way = 0; way < WAYS; way++)
        seen |= 1u << now.of_way[way];
    cr_assert_eq(seen, (1u << WAYS) - 1, "the chain of set %u is no permutation", set);
    for (uint32_t way = 0; way < WAYS; way++) {
        if (before->tags[way] == now.tags[way] || before->tags[way] == WM_CACHE_EMPTY)
            continue;
        cr_assert(!before->pinned[way], "a reserved line left");
        cr_assert_geq(before->of_way[way], region, "a line left the region");
    }
}

static void run_random(enum wm_region_full full, enum wm_region region, uint64_t seed)
{
    enum { STEPS = 60000, ON_WAY = 64 };
    static struct fixture f;
    struct wm_random random;
    uint64_t on_way[ON_WAY], stalls = 0, past = 0;
    uint32_t fetched[ON_WAY], count = 0, regions = 0;
    wm_random_init(&random, seed, "divergence");
    init(&f, (struct wm_divergence_spec){.insertion = WM_INSERT_GAUGED,
                                         .promotion = 4,
                                         .region = region,
                                         .region_warps = 2,
                                         .full = full});
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t line = wm_random_below(&random, 12) * SETS + wm_random_below(&random, 4);
        uint32_t set = (uint32_t)(line % SETS), rank = (uint32_t)wm_random_below(&random, 24);
        uint32_t lines = wm_random_below(&random, 4) == 0 ? 1 : 32;
        uint32_t kept = wm_gauge_region(&f.aware->gauge, wm_divergence_warps(f.aware));
        struct positions before = positions_of(&f, set);
        struct wm_timed_result result = load(&f, line, rank, lines);
        check_step(&f, set, &before, kept);
        regions |= 1u << kept;
        stalls += result.stall == WM_STALL_WAY;
        past += result.must_bypass;
        if (result.fetch != 0) {
            on_way[count] = line;
            fetched[count++] = result.fetch;
        }
        wm_divergence_served(f.aware, rank, lines, wm_random_below(&random, 24) > rank ? 0 : 3);
        while (count == ON_WAY || (count > 0 && wm_random_below(&random, 40) < count)) {
            uint32_t which = (uint32_t)wm_random_below(&random, count);
            uint64_t comes = on_way[which];
            before = positions_of(&f, (uint32_t)(comes % SETS));
            fill(&f, comes, fetched[which]);
            check_step(&f, (uint32_t)(comes % SETS), &before, WAYS); // nothing leaves
            on_way[which] = on_way[--count];
            fetched[which] = fetched[count];
        }
    }
    cr_assert_eq(full == WM_FULL_STALLS, stalls > 0);
    cr_assert_eq(full == WM_FULL_BYPASSES, past > 0);
    cr_assert_eq(region == WM_REGION_DYNAMIC, (regions & (regions - 1)) != 0);
    release(&f);
}

Test(divergence_chain, nothing_leaves_the_region_whoever_comes)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run_random(WM_FULL_STALLS, WM_REGION_STATIC, seed);
        run_random(WM_FULL_BYPASSES, WM_REGION_STATIC, seed);
        run_random(WM_FULL_STALLS, WM_REGION_DYNAMIC, seed);
        run_random(WM_FULL_BYPASSES, WM_REGION_DYNAMIC, seed);
    }
}
