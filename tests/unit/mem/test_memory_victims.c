// Victim caches: Jouppi's idea by hand, what is counted where, and that a fully associative L1 with
// a victim cache is one larger cache under LRU, in all its requests to the levels below.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128 };

static struct wm_memory_spec spec_of(uint32_t sets, uint32_t ways, uint32_t victim_lines)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(sets, ways, LINE, 32), small_cache(16, 8, LINE, 32), 1);
    spec.levels[WM_LEVEL_L1].victim_lines = victim_lines;
    return spec;
}

static void request(struct wm_memory *memory, enum wm_access_kind kind, uint64_t line,
                    uint32_t sectors, enum wm_cache_hint hint)
{
    struct wm_request r = {.address = line * LINE,
                           .sectors = sectors,
                           .full_sectors = sectors,
                           .kind = kind,
                           .hint = hint};
    wm_memory_access(memory, &r);
}

static void load(struct wm_memory *memory, uint64_t line)
{
    request(memory, WM_ACCESS_LOAD, line, 1, WM_HINT_DEFAULT);
}

// Jouppi's figure 3-3 in small: lines of one set of a direct-mapped cache, by turns.
static uint64_t misses_of_turns(uint32_t lines, uint32_t victim_lines)
{
    struct wm_memory_spec spec = spec_of(4, 1, victim_lines);
    struct wm_memory *memory = small_memory_new(&spec);
    for (int turn = 0; turn < 10; turn++)
        for (uint64_t line = 0; line < lines; line++)
            load(memory, 4 * line);
    uint64_t misses = memory->levels[WM_LEVEL_L1].caches[0].counters.misses;
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.load_accesses, misses);
    wm_memory_free(memory);
    return misses;
}

Test(victims, a_few_lines_remove_conflict_misses)
{
    cr_expect_eq(misses_of_turns(2, 0), 20, "without one, every load misses");
    cr_expect_eq(misses_of_turns(2, 1), 2, "two lines and one place beside: only the first time");
    cr_expect_eq(misses_of_turns(3, 1), 30, "three lines want two places");
    cr_expect_eq(misses_of_turns(3, 2), 3);
    cr_expect_eq(misses_of_turns(5, 4), 5);
}

// One set of one way, two victims, written back. Step by step:
//   store 1   L1: 1 dirty
//   load 2    1 goes to the victims, dirty: nothing is written back
//   load 3    victims: 2, 1
//   load 1    exchanged with 3: victims 3, 2; L1 1, still dirty; a hit of both
//   load 1, sector 1   L1 holds the line without it: a sector miss, the victims are not looked up
//   load 4    victims 1, 3; 2 leaves, clean
//   load 2    misses everywhere; victims 4, 1; 3 leaves
//   load 3    victims 2, 4; 1 leaves, and is written back by the victim cache
Test(victims, who_counts_what)
{
    struct wm_memory_spec spec = spec_of(1, 1, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 1, 1, WM_HINT_DEFAULT);
    load(memory, 2);
    load(memory, 3);
    const struct wm_cache_counters *l1 = &memory->levels[WM_LEVEL_L1].caches[0].counters;
    const struct wm_cache_counters *victims = &memory->levels[WM_LEVEL_L1].victims[0].counters;
    cr_expect_eq(l1->misses, 3);
    cr_expect_eq(victims->accesses, 3, "looked for in vain each time");
    cr_expect_eq(victims->misses, 3);
    load(memory, 1);
    cr_expect_eq(l1->hits, 1);
    cr_expect_eq(victims->hits, 1);
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L1].caches[0], 1, 1));
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L1].victims[0], 3, 3));
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.writeback_accesses, 0);
    request(memory, WM_ACCESS_LOAD, 1, 2, WM_HINT_DEFAULT);
    cr_expect_eq(l1->sector_misses, 1);
    cr_expect_eq(victims->accesses, 4);
    load(memory, 4);
    cr_expect(!wm_cache_holds(&memory->levels[WM_LEVEL_L1].victims[0], 2, 2));
    cr_expect_eq(victims->write_backs, 0);
    load(memory, 2);
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.writeback_accesses, 0);
    load(memory, 3);
    cr_expect_eq(victims->write_backs, 1);
    cr_expect_eq(l1->write_backs, 0);
    cr_expect_eq(victims->bytes_to_below, 32);
    cr_expect_eq(l1->bytes_to_below, 0);
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.bytes_from_above, 32);
    // Entered: 1, 2, 3, 1 with two sectors, 4, 2. Went back: 1 with one sector.
    cr_expect_eq(victims->bytes_from_above, 7 * 32);
    cr_expect_eq(victims->bytes_to_above, 32);
    cr_expect_eq(victims->allocations, 6);
    cr_expect_eq(victims->evictions, 3);
    cr_expect_eq(l1->allocations, 7);
    cr_expect_eq(l1->evictions, 6);
    wm_memory_free(memory);
}

// Line 1, dirty in the victim cache: each kind of access around L1 finds it there.
Test(victims, accesses_around_l1_treat_both_as_one_cache)
{
    static const struct {
        enum wm_access_kind kind;
        enum wm_cache_hint hint;
        bool stays;
    } cases[] = {{WM_ACCESS_LOAD, WM_HINT_L2_ONLY, true},
                 {WM_ACCESS_LOAD, WM_HINT_VOLATILE, false},
                 {WM_ACCESS_STORE, WM_HINT_L2_ONLY, false},
                 {WM_ACCESS_ATOMIC, WM_HINT_DEFAULT, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_memory_spec spec = spec_of(1, 1, 2);
        struct wm_memory *memory = small_memory_new(&spec);
        request(memory, WM_ACCESS_STORE, 1, 1, WM_HINT_DEFAULT);
        load(memory, 2);
        request(memory, cases[i].kind, 1, 1, cases[i].hint);
        cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.writeback_accesses, 1,
                     "case %zu", i);
        cr_expect_eq(memory->levels[WM_LEVEL_L1].victims[0].counters.write_backs, 1);
        cr_expect_eq(memory->levels[WM_LEVEL_L1].victims[0].counters.bytes_to_below, 32);
        cr_expect_eq(wm_cache_holds(&memory->levels[WM_LEVEL_L1].victims[0], 1, 1), cases[i].stays,
                     "case %zu", i);
        cr_expect_eq(wm_memory_l1_holds(memory, 0, LINE), cases[i].stays);
        cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L1].caches[0], 2, 2), "no exchange");
        wm_memory_free(memory);
    }
}

Test(victims, a_store_under_through_evict_drops_its_line_there)
{
    struct wm_memory_spec spec = spec_of(1, 1, 2);
    set_writes(&spec.levels[WM_LEVEL_L1].cache,
               &(struct write_choice){WM_WRITE_THROUGH_EVICT, false});
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 1);
    load(memory, 2);
    request(memory, WM_ACCESS_STORE, 1, 3, WM_HINT_DEFAULT); // sector 0 is there, 1 is not
    cr_expect(!wm_memory_l1_holds(memory, 0, LINE));
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L1].caches[0], 2, 2), "no exchange");
    const struct wm_cache_counters *l1 = &memory->levels[WM_LEVEL_L1].caches[0].counters;
    const struct wm_cache_counters *victims = &memory->levels[WM_LEVEL_L1].victims[0].counters;
    cr_expect_eq(l1->store_hits, 1);
    cr_expect_eq(l1->store_misses, 1);
    cr_expect_eq(l1->sector_misses, 1);
    cr_expect_eq(victims->store_hits, 1);
    cr_expect_eq(victims->invalidations, 1);
    cr_expect_eq(l1->bytes_to_below, 64);
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.bytes_from_above, 64);
    wm_memory_free(memory);
}

Test(victims, a_kernels_start_and_the_host_reach_them)
{
    struct wm_memory_spec spec = spec_of(1, 1, 2);
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    struct wm_memory *memory = small_memory_new(&spec);
    request(memory, WM_ACCESS_STORE, 1, 15, WM_HINT_DEFAULT);
    load(memory, 2);
    wm_memory_host_read(memory, LINE, 32);
    cr_expect_eq(memory->dram[0].bytes_written, 32);
    wm_memory_host_read(memory, LINE, LINE);
    cr_expect_eq(memory->dram[0].bytes_written, 128, "each sector once");
    wm_memory_host_write(memory, LINE, LINE);
    cr_expect(!wm_memory_l1_holds(memory, 0, LINE));
    request(memory, WM_ACCESS_STORE, 3, 1, WM_HINT_DEFAULT);
    load(memory, 4);
    load(memory, 5);
    wm_memory_kernel_begin(memory);
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.writeback_accesses, 3);
    for (uint64_t line = 0; line < 6; line++)
        cr_expect(!wm_memory_l1_holds(memory, 0, line * LINE));
    struct wm_error error;
    request(memory, WM_ACCESS_STORE, 3, 1, WM_HINT_DEFAULT);
    load(memory, 4);
    cr_assert_eq(wm_memory_resize_l1(memory, (uint64_t)2 * LINE, 2, &error), WM_OK);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].victims[0].counters.write_backs, 4);
    cr_expect(!wm_memory_l1_holds(memory, 0, (uint64_t)3 * LINE));
    wm_memory_free(memory);
}

static struct wm_request random_request(struct wm_random *random)
{
    uint64_t kind = wm_random_below(random, 10);
    struct wm_request r = {
        .address = wm_random_below(random, 40) * LINE,
        .sectors = 1 + (uint32_t)wm_random_below(random, 15),
        .kind = kind < 5   ? WM_ACCESS_LOAD
                : kind < 9 ? WM_ACCESS_STORE
                           : WM_ACCESS_ATOMIC,
        .warp = (uint32_t)wm_random_below(random, 8),
        .block = wm_random_below(random, 3),
    };
    if (wm_random_below(random, 4) == 0)
        r.hint = (enum wm_cache_hint)wm_random_below(random, WM_HINT_NO_L1 + 1);
    r.full_sectors = r.sectors & (uint32_t)wm_random_u64(random);
    return r;
}

// The host takes one line at a time, so that no order between lines matters.
static void random_host(struct wm_memory *memory, uint64_t draw)
{
    uint64_t address = draw % 40 * LINE + draw % 4 * 32;
    if (draw % 3 == 0)
        wm_memory_host_write(memory, address, 20);
    else
        wm_memory_host_read(memory, address, 32);
}

// Under LRU the ways of one set and its victims are one stack: L1 has the most recent lines, the
// victim cache those next. So one set of 4 ways with 12 victims is one set of 16 ways, seen from
// above (hits) or below (all of L2 and DRAM), whatever the traffic.
Test(victims, a_fully_associative_l1_with_victims_is_one_larger_l1)
{
    static const uint32_t ways_of[] = {1, 4, 8, 33};
    for (uint32_t round = 0; round < 40; round++) {
        uint32_t ways = ways_of[round % 4], victims = round % 3 == 0 ? 12 : 1 + round % 5;
        struct wm_memory_spec beside = spec_of(1, ways, victims);
        set_writes(&beside.levels[WM_LEVEL_L1].cache, &write_choices[round % WRITE_CHOICES]);
        if (round % 7 < 2)
            beside.levels[WM_LEVEL_L1].cache.sector_bytes = 64;
        struct wm_memory_spec larger = beside;
        larger.levels[WM_LEVEL_L1].victim_lines = 0;
        larger.levels[WM_LEVEL_L1].cache.ways = ways + victims;
        larger.levels[WM_LEVEL_L1].cache.size_bytes =
            (uint64_t)larger.levels[WM_LEVEL_L1].cache.ways * LINE;
        // Which comes first decides only who is written back when.
        beside.demand_before_writeback = larger.demand_before_writeback = round % 2 == 0;
        struct wm_memory *a = small_memory_new(&beside), *b = small_memory_new(&larger);
        struct wm_random random;
        wm_random_init(&random, round, "victims");
        for (int i = 0; i < 4000; i++) {
            struct wm_request r = random_request(&random);
            wm_memory_access(a, &r);
            wm_memory_access(b, &r);
            uint64_t draw = wm_random_u64(&random);
            if (draw % 16 == 0) {
                random_host(a, draw >> 8);
                random_host(b, draw >> 8);
            }
        }
        cr_expect_eq(a->levels[WM_LEVEL_L1].caches[0].counters.hits,
                     b->levels[WM_LEVEL_L1].caches[0].counters.hits, "round %u", round);
        cr_expect_eq(a->levels[WM_LEVEL_L1].caches[0].counters.misses,
                     b->levels[WM_LEVEL_L1].caches[0].counters.misses, "round %u", round);
        cr_expect_eq(a->levels[WM_LEVEL_L1].caches[0].counters.sector_misses,
                     b->levels[WM_LEVEL_L1].caches[0].counters.sector_misses);
        cr_expect_eq(a->levels[WM_LEVEL_L1].caches[0].counters.fills,
                     b->levels[WM_LEVEL_L1].caches[0].counters.fills, "round %u", round);
        cr_expect_eq(a->levels[WM_LEVEL_L1].caches[0].counters.bytes_from_below,
                     b->levels[WM_LEVEL_L1].caches[0].counters.bytes_from_below);
        cr_expect_eq(a->levels[WM_LEVEL_L1].caches[0].counters.bytes_to_below +
                         a->levels[WM_LEVEL_L1].victims[0].counters.bytes_to_below,
                     b->levels[WM_LEVEL_L1].caches[0].counters.bytes_to_below, "round %u", round);
        cr_expect_eq(a->levels[WM_LEVEL_L1].caches[0].counters.write_backs +
                         a->levels[WM_LEVEL_L1].victims[0].counters.write_backs,
                     b->levels[WM_LEVEL_L1].caches[0].counters.write_backs, "round %u", round);
        cr_expect(ways == 33 || a->levels[WM_LEVEL_L1].victims[0].counters.hits > 50, "round %u",
                  round);
        cr_expect_eq(memcmp(&a->levels[WM_LEVEL_L2].caches[0].counters,
                            &b->levels[WM_LEVEL_L2].caches[0].counters,
                            sizeof a->levels[WM_LEVEL_L2].caches[0].counters),
                     0, "round %u: L2", round);
        cr_expect_eq(memcmp(a->dram, b->dram, sizeof *a->dram), 0, "round %u: DRAM", round);
        wm_memory_free(a);
        wm_memory_free(b);
    }
}

// Any array: a line is in L1 or in its victim cache, what crosses each boundary is counted on both
// sides, and explained misses add up. Under every replacement that can have victims.
Test(victims, a_line_is_in_one_place_and_the_books_balance)
{
    size_t entries;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&entries);
    for (uint32_t round = 0; round < 2 * entries; round++) {
        const struct wm_replacement_ops *entry = table[round / 2];
        if (entry == &wm_replacement_opt)
            continue;
        struct wm_memory_spec spec = spec_of(4, 4, 1 + round % 9);
        set_writes(&spec.levels[WM_LEVEL_L1].cache, &write_choices[round % WRITE_CHOICES]);
        spec.levels[WM_LEVEL_L1].cache.replacement = entry;
        struct wm_memory *memory = small_memory_new(&spec);
        struct wm_error error;
        if (round % 2 == 1)
            cr_assert_eq(wm_memory_explain(memory, &error), WM_OK);
        struct wm_random random;
        wm_random_init(&random, round, "places");
        struct wm_instruction_counters instruction_counters = {0};
        for (int i = 0; i < 3000; i++) {
            struct wm_request r = random_request(&random);
            r.instruction_counters = &instruction_counters;
            wm_memory_access(memory, &r);
            for (uint64_t line = 0; i % 16 == 0 && line < 40; line++)
                cr_assert(!(wm_cache_holds(&memory->levels[WM_LEVEL_L1].caches[0], line, line) &&
                            wm_cache_holds(&memory->levels[WM_LEVEL_L1].victims[0], line, line)),
                          "%s, line %lu", entry->name, line);
        }
        const struct wm_cache_counters *l1 = &memory->levels[WM_LEVEL_L1].caches[0].counters;
        const struct wm_cache_counters *victims = &memory->levels[WM_LEVEL_L1].victims[0].counters;
        const struct wm_cache_counters *l2 = &memory->levels[WM_LEVEL_L2].caches[0].counters;
        cr_expect_eq(l1->bytes_to_below + victims->bytes_to_below, l2->bytes_from_above);
        cr_expect_eq(l1->bytes_from_below, l2->bytes_to_above);
        cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].bytes,
                     l2->bytes_from_above + l2->bytes_to_above);
        cr_expect_eq(instruction_counters.levels[WM_LEVEL_L1].hits, l1->hits);
        cr_expect_leq(victims->hits, l1->hits);
        size_t count;
        const struct wm_component_counters *components = wm_memory_components(memory, &count);
        for (size_t i = 0; i < count; i++)
            if (strcmp(components[i].set->kind, "l1_explained") == 0) {
                const struct wm_explained_cache *why = (const void *)components[i].values;
                cr_expect_eq(why->cold + why->coherence + why->capacity + why->conflict +
                                 why->unallocated,
                             l1->misses, "%s", entry->name);
            }
        wm_memory_write_back_all(memory);
        uint64_t written = memory->dram[0].bytes_written;
        wm_memory_write_back_all(memory);
        cr_expect_eq(memory->dram[0].bytes_written, written, "each dirty sector once");
        wm_memory_free(memory);
    }
}
