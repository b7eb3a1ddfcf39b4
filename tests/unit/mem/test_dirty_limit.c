// A limit on dirty sectors (docs/memory-system.md, R15), by traces whose counts are worked out by
// hand. That any stream counts as the model is for the random machines (test_memory_levels.c).
#include "base/numbers/random.h"
#include "mem/cache/dirty_limit.h"
#include "mem/cache/pins.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>

// No L1; an L2 of one slice, of lines of four sectors, that keeps so many sectors dirty at most.
static struct wm_memory *limited_under(const struct wm_replacement_ops *replacement, uint32_t sets,
                                       uint32_t ways, uint64_t sectors)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(1, 1, 128, 32), small_cache(sets, ways, 128, 32), 1);
    struct wm_cache_spec *l2 = &spec.levels[WM_LEVEL_L2].cache;
    spec.levels[WM_LEVEL_L1].cache.present = false;
    l2->dirty_limit_bytes = sectors * WM_SECTOR_BYTES;
    l2->replacement = replacement;
    return small_memory_new(&spec);
}

static struct wm_memory *limited(uint32_t sets, uint32_t ways, uint64_t sectors)
{
    return limited_under(&wm_replacement_lru, sets, ways, sectors);
}

static void touch(struct wm_memory *memory, enum wm_access_kind kind, uint64_t line,
                  uint32_t sectors)
{
    const struct wm_request request = {.address = line * 128,
                                       .sectors = sectors,
                                       .full_sectors = kind == WM_ACCESS_STORE ? sectors : 0,
                                       .kind = kind};
    wm_memory_access(memory, &request);
}

static void store(struct wm_memory *memory, uint64_t line, uint32_t sectors)
{
    touch(memory, WM_ACCESS_STORE, line, sectors);
}

static const struct wm_cache *l2(const struct wm_memory *memory)
{
    return &memory->levels[WM_LEVEL_L2].caches[0];
}

static uint32_t dirty(const struct wm_memory *memory, uint64_t line)
{
    const struct wm_cache *cache = l2(memory);
    int32_t way = wm_cache_find(cache, line, line);
    cr_assert_geq(way, 0);
    return wm_cache_line_at(cache, (uint64_t)line % cache->sets * cache->stride + (uint32_t)way)
        .dirty;
}

static void expect_cleaned(const struct wm_memory *memory, uint64_t lines, uint64_t sectors)
{
    const struct wm_dirty_limit *limit = l2(memory)->dirty_limit;
    cr_expect_eq(limit->counters.cleaned, lines, "%lu", limit->counters.cleaned);
    cr_expect_eq(limit->counters.cleaned_sectors, sectors, "%lu", limit->counters.cleaned_sectors);
}

Test(dirty_limit, the_dirty_line_used_longest_ago_is_cleaned_and_stays)
{
    struct wm_memory *memory = limited(1, 4, 8);
    store(memory, 0, 0xf);
    store(memory, 1, 0xf); // 8 are dirty: as many as may be
    expect_cleaned(memory, 0, 0);
    touch(memory, WM_ACCESS_LOAD, 2, 0xf);
    store(memory, 0, 0xf); // dirty already: now line 1 was used longest ago
    store(memory, 3, 0x1); // 9: line 1 is cleaned, not line 2, which is clean
    expect_cleaned(memory, 1, 4);
    cr_expect_eq(dirty(memory, 1), 0);
    cr_expect_eq(l2(memory)->counters.write_backs, 1);
    cr_expect_eq(l2(memory)->counters.evictions, 0);
    cr_expect_eq(l2(memory)->counters.bytes_to_below, 128);
    cr_expect_eq(memory->dram[0].writes, 1);
    cr_expect_eq(memory->dram[0].bytes_written, 128);
    touch(memory, WM_ACCESS_LOAD, 1, 0xf); // it is still there
    cr_expect_eq(l2(memory)->counters.load_hits, 4);
    store(memory, 1, 0x3); // 4 + 1 + 2
    store(memory, 3, 0xe); // 10: line 0
    expect_cleaned(memory, 2, 8);
    cr_expect_eq(dirty(memory, 0), 0);
    cr_expect_eq(dirty(memory, 1), 0x3);
    wm_memory_free(memory);
}

Test(dirty_limit, as_many_lines_as_it_takes_are_cleaned)
{
    struct wm_memory *memory = limited(1, 8, 5);
    for (uint64_t line = 0; line < 5; line++)
        store(memory, line, 0x4);
    store(memory, 5, 0xf); // 9: lines 0 to 3
    expect_cleaned(memory, 4, 4);
    cr_expect_eq(dirty(memory, 3), 0);
    cr_expect_eq(dirty(memory, 4), 0x4);
    cr_expect_eq(memory->dram[0].writes, 4);
    wm_memory_free(memory);
}

// Under FIFO it may be the first of the order.
Test(dirty_limit, the_line_just_written_is_not_cleaned)
{
    struct wm_memory *memory = limited_under(&wm_replacement_fifo, 1, 4, 5);
    store(memory, 0, 0x3);
    store(memory, 1, 0x7);
    store(memory, 0, 0x4); // 6: line 0 came first, and is written now
    expect_cleaned(memory, 1, 3);
    cr_expect_eq(dirty(memory, 0), 0x7);
    cr_expect_eq(dirty(memory, 1), 0);
    wm_memory_free(memory);
}

// An entry that keeps its lines in no order: the lowest way's.
Test(dirty_limit, where_there_is_no_order_the_lowest_way_is_cleaned)
{
    struct wm_memory *memory = limited_under(&wm_replacement_srrip, 1, 4, 8);
    store(memory, 1, 0xf); // way 0
    store(memory, 0, 0xf);
    store(memory, 1, 0xf);
    store(memory, 2, 0x1); // 9
    expect_cleaned(memory, 1, 4);
    cr_expect_eq(dirty(memory, 1), 0);
    store(memory, 1, 0xf); // 9: way 0 is written now
    expect_cleaned(memory, 2, 8);
    cr_expect_eq(dirty(memory, 0), 0);
    wm_memory_free(memory);
}

// What leaves dirty, or is read by the host, is dirty here no more.
Test(dirty_limit, what_has_left_does_not_count)
{
    struct wm_memory *memory = limited(1, 2, 8);
    store(memory, 0, 0xf);
    store(memory, 1, 0xf);
    store(memory, 2, 0xf); // displaces line 0
    expect_cleaned(memory, 0, 0);
    cr_expect_eq(wm_cache_dirty_sectors(l2(memory), 0), 8);
    wm_memory_host_read(memory, 128, 128); // cleans line 1
    cr_expect_eq(wm_cache_dirty_sectors(l2(memory), 0), 4);
    touch(memory, WM_ACCESS_ATOMIC, 1, 0x1);
    cr_expect_eq(wm_cache_dirty_sectors(l2(memory), 0), 5);
    expect_cleaned(memory, 0, 0);
    cr_expect_eq(l2(memory)->counters.write_backs, 2);
    wm_memory_free(memory);
}

// Five sectors of each set: what is left of 11 by two sets is nobody's.
Test(dirty_limit, each_set_has_its_part)
{
    struct wm_memory *memory = limited(2, 4, 11);
    store(memory, 0, 0xf); // even lines lie in one set, odd ones in the other
    store(memory, 1, 0xf);
    store(memory, 2, 0x1);
    expect_cleaned(memory, 0, 0);
    store(memory, 4, 0x1); // 6 in set 0
    expect_cleaned(memory, 1, 4);
    cr_expect_eq(dirty(memory, 0), 0);
    cr_expect_eq(dirty(memory, 1), 0xf);
    wm_memory_free(memory);
}

// Of each slice by itself, by its part of the limit.
Test(dirty_limit, each_slice_has_its_part)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(1, 1, 128, 32), small_cache(2, 2, 128, 32), 2);
    spec.levels[WM_LEVEL_L1].cache.present = false;
    spec.levels[WM_LEVEL_L2].cache.dirty_limit_bytes = 256; // a line of each
    struct wm_memory *memory = small_memory_new(&spec);
    store(memory, 0, 0xf); // lines 0, 1 lie in the one slice, 2, 3 in the other
    store(memory, 2, 0xf);
    expect_cleaned(memory, 0, 0);
    store(memory, 1, 0x1);
    expect_cleaned(memory, 1, 4);
    cr_expect_eq(memory->dram[0].writes, 1);
    cr_expect_eq(memory->dram[1].writes, 0);
    wm_memory_free(memory);
}

// In time the bytes of a line that is written in part may be on their way.
Test(dirty_limit, a_line_that_waits_for_bytes_is_not_cleaned)
{
    struct wm_memory *memory = limited(1, 4, 8);
    struct wm_cache *cache = &memory->levels[WM_LEVEL_L2].caches[0];
    cr_assert_eq(wm_cache_enable_pins(cache, NULL), WM_OK);
    store(memory, 0, 0xf);
    store(memory, 1, 0xf);
    wm_cache_pin(cache, 0, (uint32_t)wm_cache_find(cache, 0, 0));
    store(memory, 2, 0x1); // 9: line 0 was used longest ago, and waits
    expect_cleaned(memory, 1, 4);
    cr_expect_eq(dirty(memory, 0), 0xf);
    cr_expect_eq(dirty(memory, 1), 0);
    wm_cache_pin(cache, 0, (uint32_t)wm_cache_find(cache, 2, 2));
    store(memory, 3, 0xf); // 9: all others wait
    expect_cleaned(memory, 1, 4);
    wm_memory_free(memory);
}

static void any_access(struct wm_memory *memories[2], struct wm_random *random)
{
    static const enum wm_access_kind kinds[] = {WM_ACCESS_LOAD, WM_ACCESS_STORE, WM_ACCESS_STORE,
                                                WM_ACCESS_ATOMIC};
    enum wm_access_kind kind = kinds[wm_random_below(random, 4)];
    uint64_t line = wm_random_below(random, 200), host = wm_random_below(random, 40);
    uint32_t sectors = 1 + (uint32_t)wm_random_below(random, 15);
    for (int i = 0; i < 2; i++) {
        touch(memories[i], kind, line, sectors);
        if (host == 0)
            wm_memory_host_read(memories[i], line * 128, 1000);
        else if (host == 1)
            wm_memory_host_write(memories[i], line * 128, 256);
    }
}

// Sets in their order, whose lines change their ways, and the same with a chain beside them.
Test(dirty_limit, ordered_sets_count_as_others)
{
    static const struct wm_replacement_ops *const entries[] = {
        &wm_replacement_lru, &wm_replacement_fifo, &wm_replacement_lip};
    struct wm_random random;
    wm_random_init(&random, 1, "ordered or not");
    for (int machine = 0; machine < 100; machine++) {
        uint32_t sets = 1u << wm_random_below(&random, 4);
        uint32_t ways = 2 + (uint32_t)wm_random_below(&random, 31);
        uint64_t most = sets * (4 + wm_random_below(&random, ways * 3));
        struct wm_memory *memories[2];
        for (int i = 0; i < 2; i++)
            memories[i] = limited_under(entries[machine % 3], sets, ways, most);
        cr_assert_eq(wm_cache_enable_pins(&memories[1]->levels[WM_LEVEL_L2].caches[0], NULL),
                     WM_OK);
        cr_assert(l2(memories[0])->is_ordered && !l2(memories[1])->is_ordered);
        for (int i = 0; i < 2000; i++)
            any_access(memories, &random);
        const struct wm_cache *ordered = l2(memories[0]), *other = l2(memories[1]);
        cr_assert_gt(ordered->counters.write_backs, 0);
        cr_assert_eq(memcmp(&ordered->counters, &other->counters, sizeof ordered->counters), 0,
                     "machine %d", machine);
        expect_cleaned(memories[1], ordered->dirty_limit->counters.cleaned,
                       ordered->dirty_limit->counters.cleaned_sectors);
        wm_memory_free(memories[0]);
        wm_memory_free(memories[1]);
    }
}
