// The array by hand: what a single access leaves, and what its owner has to move.
#include "base/numbers/random.h"
#include "mem/cache/cache.h"
#include "mem/cache/pins.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_spec_check.h"

#include <criterion/criterion.h>

static const struct wm_requester unattributed;

static struct wm_cache_spec spec_of(uint32_t ways, uint32_t sector_bytes)
{
    return (struct wm_cache_spec){
        .present = true,
        .size_bytes = (uint64_t)ways * 128 * 2, // two sets
        .ways = ways,
        .line_bytes = 128,
        .sector_bytes = sector_bytes,
        .write_policy = WM_WRITE_BACK,
        .write_allocate = true,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
}

static void init(struct wm_cache *cache, const struct wm_cache_spec *spec)
{
    struct wm_error error;
    cr_assert_eq(wm_cache_spec_check(spec, "cache", 1, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_cache_init(cache, spec, "cache", &error), WM_OK, "%s", error.message);
}

static struct wm_cache_result read_line(struct wm_cache *cache, uint64_t line, uint32_t sectors)
{
    return wm_cache_read(cache, line, line, sectors, true, &unattributed);
}

Test(cache, a_sectored_line_fetches_only_what_is_asked)
{
    struct wm_cache cache;
    struct wm_cache_spec spec = spec_of(2, 32);
    init(&cache, &spec);
    struct wm_cache_result result = read_line(&cache, 10, 0x1);
    cr_assert(result.missing == 0x1 && result.fetch == 0x1);
    result = read_line(&cache, 10, 0x3);
    cr_assert(result.missing == 0x2 && result.fetch == 0x2);
    cr_assert_eq(cache.counters.sector_misses, 1);
    result = read_line(&cache, 10, 0x3);
    cr_assert(result.missing == 0 && result.fetch == 0);
    cr_assert(cache.counters.hits == 3 && cache.counters.misses == 2);
    cr_assert(cache.counters.accesses == 3 && cache.counters.accesses_missed == 2);
    wm_cache_release(&cache);
}

Test(cache, an_unsectored_line_is_fetched_whole_and_a_unit_of_two_in_pairs)
{
    struct wm_cache cache;
    struct wm_cache_spec spec = spec_of(2, 128);
    init(&cache, &spec);
    struct wm_cache_result result = read_line(&cache, 10, 0x4);
    cr_assert(result.missing == 0x4 && result.fetch == 0xf);
    cr_assert_eq(read_line(&cache, 10, 0xf).missing, 0);
    wm_cache_release(&cache);
    spec = spec_of(2, 64);
    init(&cache, &spec);
    cr_assert_eq(read_line(&cache, 10, 0x4).fetch, 0xc);
    cr_assert_eq(read_line(&cache, 11, 0x6).fetch, 0xf);
    wm_cache_release(&cache);
}

Test(cache, the_least_recent_line_of_the_set_leaves_and_is_reported)
{
    static const uint32_t ways[] = {2, 16, 17, 32, 33, 200};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct wm_cache cache;
        struct wm_cache_spec spec = spec_of(ways[i], 32);
        init(&cache, &spec);
        for (uint64_t line = 0; line < ways[i]; line++)
            wm_cache_write(&cache, WM_CACHE_STORE, 2 * line, 2 * line, 0x5, 0x5, true,
                           &unattributed);
        read_line(&cache, 0, 0x1); // now 2 is the least recent
        struct wm_cache_result result = read_line(&cache, 2000, 0x1);
        cr_assert(result.victim.line == 2 && result.victim.dirty == 0x5, "%u ways", ways[i]);
        cr_assert_geq(wm_cache_find(&cache, 0, 0), 0);
        cr_assert_eq(wm_cache_find(&cache, 2, 2), -1);
        cr_assert_eq(read_line(&cache, 2001, 0x1).victim.dirty, 0); // the other set is empty
        cr_assert(cache.counters.evictions == 1 && cache.counters.write_backs == 1);
        wm_cache_release(&cache);
    }
}

Test(cache, a_dropped_way_is_filled_before_anything_leaves)
{
    static const uint32_t ways[] = {4, 16, 24, 40};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct wm_cache cache;
        struct wm_cache_spec spec = spec_of(ways[i], 32);
        init(&cache, &spec);
        for (uint64_t line = 0; line < ways[i]; line++)
            read_line(&cache, 2 * line, 0x1);
        cr_assert_eq(wm_cache_invalidate(&cache, 4, 4, 0x1), 0);
        cr_assert_eq(wm_cache_invalidate(&cache, 4, 4, 0x1), 0); // gone already
        cr_assert_eq(cache.counters.invalidations, 1);
        read_line(&cache, 1000, 0x1);
        cr_assert_eq(cache.counters.evictions, 0);
        read_line(&cache, 1002, 0x1);
        cr_assert_eq(cache.counters.evictions, 1);
        cr_assert_eq(wm_cache_find(&cache, 0, 0), -1); // the least recent
        wm_cache_release(&cache);
    }
}

Test(cache, a_store_fetches_only_units_that_it_does_not_cover)
{
    struct wm_cache cache;
    struct wm_cache_spec spec = spec_of(2, 32);
    init(&cache, &spec);
    struct wm_cache_result result =
        wm_cache_write(&cache, WM_CACHE_STORE, 10, 10, 0x7, 0x5, true, &unattributed);
    cr_assert(result.missing == 0x7 && result.fetch == 0x2 && result.forward == 0);
    cr_assert_eq(read_line(&cache, 10, 0x7).missing, 0);
    cr_assert_eq(wm_cache_clean(&cache, 10, 10, 0x3), 0x3);
    cr_assert_eq(wm_cache_clean(&cache, 10, 10, 0xf), 0x4);
    cr_assert_eq(wm_cache_clean(&cache, 10, 10, 0xf), 0);
    cr_assert_eq(cache.counters.write_backs, 2);
    wm_cache_release(&cache);
    spec = spec_of(2, 128);
    init(&cache, &spec);
    result = wm_cache_write(&cache, WM_CACHE_STORE, 10, 10, 0xf, 0xf, true, &unattributed);
    cr_assert_eq(result.fetch, 0);
    result = wm_cache_write(&cache, WM_CACHE_STORE, 11, 11, 0x1, 0x1, true, &unattributed);
    cr_assert_eq(result.fetch, 0xf);
    wm_cache_release(&cache);
}

Test(cache, a_write_through_cache_passes_stores_on)
{
    struct wm_cache cache;
    struct wm_cache_spec spec = spec_of(2, 32);
    spec.write_policy = WM_WRITE_THROUGH_UPDATE;
    spec.write_allocate = false;
    init(&cache, &spec);
    read_line(&cache, 10, 0x1);
    struct wm_cache_result result =
        wm_cache_write(&cache, WM_CACHE_STORE, 10, 10, 0x3, 0x3, false, &unattributed);
    cr_assert(result.forward == 0x3 && result.fetch == 0 && result.missing == 0x2);
    cr_assert_eq(read_line(&cache, 10, 0x3).missing, 0x2); // not taken
    wm_cache_release(&cache);
    spec.write_policy = WM_WRITE_THROUGH_EVICT;
    init(&cache, &spec);
    read_line(&cache, 10, 0x1);
    result = wm_cache_write(&cache, WM_CACHE_STORE, 10, 10, 0x1, 0x1, false, &unattributed);
    cr_assert(result.forward == 0x1 && result.missing == 0);
    cr_assert_eq(wm_cache_find(&cache, 10, 10), -1);
    wm_cache_release(&cache);
}

Test(cache, reset_is_just_built_and_flush_keeps_the_counts)
{
    struct wm_cache cache;
    struct wm_cache_spec spec = spec_of(40, 32);
    init(&cache, &spec);
    for (uint64_t line = 0; line < 60; line++)
        read_line(&cache, line, 0x1);
    wm_cache_flush(&cache);
    cr_assert(cache.counters.invalidations == 60 && cache.counters.accesses == 60);
    for (uint64_t line = 0; line < 60; line++)
        cr_assert_eq(wm_cache_find(&cache, line, line), -1);
    wm_cache_reset(&cache);
    cr_assert(cache.counters.accesses == 0 && cache.occupied_lines == 0);
    wm_cache_release(&cache);
    wm_cache_release(&cache);
}

static int32_t lowest_empty_way(const struct wm_cache *cache, uint32_t set)
{
    for (uint32_t way = 0; way < cache->ways; way++)
        if (cache->tags[set * cache->stride + way] == WM_CACHE_EMPTY)
            return (int32_t)way;
    return -1;
}

// Lines come, are dropped, and leave all at once: who comes takes the lowest empty way of its set.
static void check_lowest(uint32_t ways)
{
    enum { STEPS = 20000 };
    struct wm_cache cache;
    struct wm_cache_spec spec = spec_of(ways, 32);
    struct wm_random random;
    struct wm_error error;
    uint32_t taken = 0;
    init(&cache, &spec);
    wm_random_init(&random, ways, "lowest");
    cr_assert_eq(wm_cache_enable_pins(&cache, &error), WM_OK);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t line = wm_random_below(&random, 5 * ways);
        uint32_t set = (uint32_t)(line % cache.sets);
        if (wm_random_below(&random, STEPS / 4) == 0)
            wm_cache_flush(&cache);
        int32_t lowest = lowest_empty_way(&cache, set);
        if (wm_random_below(&random, 3) == 0) {
            wm_cache_invalidate(&cache, line, line, cache.all_sectors);
        } else if (wm_cache_find(&cache, line, line) < 0) {
            cr_assert_eq(read_line(&cache, line, 0xf).fetch, 0xf);
            cr_assert(lowest < 0 || cache.tags[set * cache.stride + (uint32_t)lowest] == line);
            taken += lowest >= 0;
        }
    }
    cr_assert_gt(taken, STEPS / 10);
    wm_cache_release(&cache);
}

Test(cache, lines_that_keep_their_ways_take_the_lowest_empty_one)
{
    check_lowest(2);
    check_lowest(24);
    check_lowest(100);
}
