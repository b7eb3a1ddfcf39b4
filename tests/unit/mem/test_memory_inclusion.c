// Levels that know of each other: by hand where the rule shows; on random traffic what must hold at
// any time; and that every stored byte reaches DRAM exactly once.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128, LINES = 96 };

static struct wm_memory_spec spec_of(enum wm_inclusion inclusion, uint32_t l1_ways,
                                     uint32_t l2_ways)
{
    struct wm_memory_spec spec =
        small_memory(1, small_cache(1, l1_ways, LINE, 32), small_cache(1, l2_ways, LINE, 32), 1);
    spec.levels[WM_LEVEL_L2].inclusion = inclusion;
    return spec;
}

static void request_on(struct wm_memory *memory, uint32_t sm, enum wm_access_kind kind,
                       uint64_t line, uint32_t sectors)
{
    struct wm_request r = {.address = line * LINE,
                           .sectors = sectors,
                           .full_sectors = sectors,
                           .kind = kind,
                           .sm = sm};
    wm_memory_access(memory, &r);
}

static void load(struct wm_memory *memory, uint64_t line)
{
    request_on(memory, 0, WM_ACCESS_LOAD, line, 1);
}

static void store(struct wm_memory *memory, uint64_t line, uint32_t sectors)
{
    request_on(memory, 0, WM_ACCESS_STORE, line, sectors);
}

// --- Inclusive, by hand ---

// L1 of four lines above an L2 of two: the third line displaces the first from both.
Test(inclusion, what_leaves_l2_leaves_every_l1)
{
    struct wm_memory_spec spec = spec_of(WM_INCLUSIVE, 4, 2);
    spec.sm_count = 2;
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 1);
    request_on(memory, 1, WM_ACCESS_LOAD, 1, 1);
    load(memory, 2);
    cr_expect(wm_memory_l1_holds(memory, 0, LINE) && wm_memory_l1_holds(memory, 1, LINE));
    load(memory, 3);
    cr_expect(!wm_memory_l1_holds(memory, 0, LINE) && !wm_memory_l1_holds(memory, 1, LINE));
    for (int sm = 0; sm < 2; sm++) {
        cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[sm].counters.inclusion_victims, 1);
        cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[sm].counters.invalidations, 1);
        cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[sm].counters.evictions, 0);
    }
    cr_expect(wm_memory_l1_holds(memory, 0, (uint64_t)2 * LINE));
    wm_memory_free(memory);
}

// Sector 0 of line 1 is dirty in L2, sectors 0 and 1 in L1. They leave in one write of 64 bytes.
Test(inclusion, dirty_sectors_leave_with_the_line_in_one_write)
{
    struct wm_memory_spec spec = spec_of(WM_INCLUSIVE, 4, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_request around = {.address = LINE,
                                .sectors = 1,
                                .full_sectors = 1,
                                .kind = WM_ACCESS_STORE,
                                .hint = WM_HINT_L2_ONLY};
    wm_memory_access(memory, &around);
    store(memory, 1, 3);
    load(memory, 2);
    cr_expect_eq(memory->dram[0].writes, 0);
    load(memory, 3);
    cr_expect_eq(memory->dram[0].writes, 1);
    cr_expect_eq(memory->dram[0].bytes_written, 64);
    const struct wm_cache_counters *l1 = &memory->levels[WM_LEVEL_L1].caches[0].counters,
                                   *l2 = &memory->levels[WM_LEVEL_L2].caches[0].counters;
    cr_expect_eq(l1->write_backs, 1);
    cr_expect_eq(l1->bytes_to_below, 32 + 64, "the store around it, and the two sectors");
    cr_expect_eq(l2->bytes_from_above, 32 + 64);
    cr_expect_eq(l2->write_backs, 1);
    cr_expect_eq(l2->writeback_accesses, 0);
    cr_expect_eq(l2->bytes_to_below, 64);
    wm_memory_free(memory);
}

// A store of whole sectors sends no request to L2, which takes the line all the same, with no
// sector.
Test(inclusion, l2_holds_the_line_of_a_store_that_fetched_nothing)
{
    struct wm_memory_spec spec = spec_of(WM_INCLUSIVE, 4, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    store(memory, 1, 15);
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L2].caches[0], 1, 1));
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.accesses, 0);
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.allocations, 1);
    cr_expect_eq(memory->dram[0].reads, 0);
    load(memory, 2);
    load(memory, 3); // displaces line 1, which L2 has no sector of, and L1 all
    cr_expect_eq(memory->dram[0].bytes_written, 128);
    cr_expect(!wm_memory_l1_holds(memory, 0, LINE));
    wm_memory_free(memory);
}

// L1 and L3 have one line, L2, exclusive, two. Line 2 displaces line 1 from L1, and from L3, before
// line 1 has come to L2: there it is taken by L3 again, with no sector, and line 2 leaves all.
Test(inclusion, what_moves_to_an_exclusive_l2_is_in_the_inclusive_l3)
{
    struct wm_memory_spec spec = spec_of(WM_EXCLUSIVE, 1, 2);
    struct wm_level_spec *l2 = &spec.levels[WM_LEVEL_L2], *l3 = l2 + 1;
    l3->cache = small_cache(1, 1, LINE, 32);
    snprintf(l3->name, sizeof l3->name, "l3");
    l3->slices = l2->slices;
    l3->interleave_bytes = l2->interleave_bytes;
    l3->below = WM_BELOW_MEMORY;
    l3->inclusion = WM_INCLUSIVE;
    l2->below = WM_BELOW(WM_LEVEL_L2 + 1);
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 1);
    load(memory, 2);
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L2].caches[0], 1, 1));
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L2 + 1].caches[0], 1, 1));
    cr_expect(!wm_memory_l1_holds(memory, 0, (uint64_t)2 * LINE));
    cr_expect_eq(memory->levels[WM_LEVEL_L2 + 1].caches[0].counters.allocations, 3);
    wm_memory_free(memory);
}

// What the host overwrites in L2 whole leaves the L1s whole, though it wrote a part of their line.
Test(inclusion, the_host_takes_lines_from_all_levels)
{
    struct wm_memory_spec spec = spec_of(WM_INCLUSIVE, 4, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 1);      // sector 0, in both
    store(memory, 1, 12); // sectors 2 and 3, in L1 alone
    wm_memory_host_write(memory, LINE, 32);
    cr_expect(!wm_cache_holds(&memory->levels[WM_LEVEL_L2].caches[0], 1, 1));
    cr_expect(!wm_memory_l1_holds(memory, 0, LINE));
    cr_expect_eq(memory->dram[0].bytes_written, 64, "not lost");
    wm_memory_free(memory);
}

// --- Exclusive, by hand ---

// L1 of one line, L2 of two, written back. Step by step:
//   store 1   L1: 1 dirty; no request to L2
//   load 2    from DRAM past L2; 1 goes down, dirty
//   load 1    comes up, dirty still, and 2 goes down, clean
//   load 3    past L2; 1 goes down
//   load 4    past L2; 3 goes down and displaces 2, clean: nothing is written
//   load 5    past L2; 4 goes down and displaces 1: written
Test(inclusion, lines_change_places)
{
    struct wm_memory_spec spec = spec_of(WM_EXCLUSIVE, 1, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_cache_counters *l2 = &memory->levels[WM_LEVEL_L2].caches[0].counters;
    store(memory, 1, 15);
    cr_expect_eq(l2->allocations, 0);
    load(memory, 2);
    cr_expect_eq(l2->fills, 0);
    cr_expect(!wm_cache_holds(&memory->levels[WM_LEVEL_L2].caches[0], 2, 2));
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L2].caches[0], 1, 1));
    request_on(memory, 0, WM_ACCESS_LOAD, 1, 15);
    cr_expect_eq(l2->load_hits, 4);
    cr_expect(!wm_cache_holds(&memory->levels[WM_LEVEL_L2].caches[0], 1, 1));
    cr_expect(wm_cache_holds(&memory->levels[WM_LEVEL_L2].caches[0], 2, 2));
    cr_expect_eq(l2->invalidations, 1);
    load(memory, 3);
    load(memory, 4);
    cr_expect_eq(memory->dram[0].bytes_written, 0);
    load(memory, 5);
    cr_expect_eq(memory->dram[0].bytes_written, 128);
    cr_expect_eq(memory->dram[0].bytes_read, 4 * 32);
    cr_expect_eq(l2->writeback_accesses, 5);
    cr_expect_eq(l2->bytes_from_above, (4 + 1 + 4 + 1 + 1) * 32);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.write_backs, 2,
                 "those that were dirty");
    wm_memory_free(memory);
}

// A store of a whole sector leaves no stale copy in L2.
Test(inclusion, what_a_store_overwrites_is_dropped_below)
{
    struct wm_memory_spec spec = spec_of(WM_EXCLUSIVE, 1, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    store(memory, 1, 3);
    load(memory, 2); // 1 goes down with two dirty sectors
    store(memory, 1, 1);
    int32_t way = wm_cache_find(&memory->levels[WM_LEVEL_L2].caches[0], 1, 1);
    cr_assert_geq(way, 0);
    cr_expect_eq(wm_cache_line_at(&memory->levels[WM_LEVEL_L2].caches[0], (uint32_t)way).valid, 2);
    cr_expect_eq(wm_cache_line_at(&memory->levels[WM_LEVEL_L2].caches[0], (uint32_t)way).dirty, 2);
    wm_memory_write_back_all(memory);
    cr_expect_eq(memory->dram[0].bytes_written, 64);
    wm_memory_free(memory);
}

// Written through, L1 cannot keep what is dirty: it goes to DRAM as it comes up.
Test(inclusion, dirty_sectors_do_not_enter_a_write_through_l1)
{
    struct wm_memory_spec spec = spec_of(WM_EXCLUSIVE, 1, 2);
    spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    spec.levels[WM_LEVEL_L1].cache.write_allocate = false;
    struct wm_memory *memory = small_memory_new(&spec);
    store(memory, 1, 3); // not kept in L1: to L2, as ever
    cr_expect_eq(memory->dram[0].bytes_written, 0);
    request_on(memory, 0, WM_ACCESS_LOAD, 1, 1);
    cr_expect_eq(memory->dram[0].bytes_written, 32);
    store(memory, 1, 1); // L1 holds it, L2 not: past L2
    cr_expect_eq(memory->dram[0].bytes_written, 64);
    wm_memory_free(memory);
}

// --- On random traffic ---

// Small caches of any kind: policies, replacements, lines, slices, victims, a constant cache.
static struct wm_memory_spec random_spec(struct wm_random *random, enum wm_inclusion inclusion)
{
    static const uint32_t lines[] = {64, 128, 256};
    size_t entries;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&entries);
    uint32_t l2_line = lines[wm_random_below(random, 3)];
    uint32_t l1_line = inclusion == WM_EXCLUSIVE ? l2_line : lines[wm_random_below(random, 3)];
    uint32_t sector = wm_random_below(random, 2) == 0 ? 32 : 64;
    struct wm_memory_spec spec = spec_of(inclusion, 4, 4);
    spec.sm_count = inclusion == WM_EXCLUSIVE ? 1 : 3;
    spec.levels[WM_LEVEL_L1].units_each = 1 + (uint32_t)wm_random_below(random, 2);
    spec.levels[WM_LEVEL_L1].cache =
        small_cache(1 + (uint32_t)wm_random_below(random, 4), 4, l1_line, sector);
    spec.levels[WM_LEVEL_L2].slices = spec.dram.channels = 1 + (uint32_t)wm_random_below(random, 3);
    spec.levels[WM_LEVEL_L2].cache =
        small_cache(spec.levels[WM_LEVEL_L2].slices * (1 + (uint32_t)wm_random_below(random, 4)), 4,
                    l2_line, sector);
    set_writes(&spec.levels[WM_LEVEL_L1].cache,
               &write_choices[wm_random_below(random, WRITE_CHOICES)]);
    set_writes(&spec.levels[WM_LEVEL_L2].cache,
               &write_choices[wm_random_below(random, WRITE_CHOICES)]);
    spec.levels[WM_LEVEL_L1].cache.write_fetch =
        wm_random_below(random, 3) == 0 ? WM_FETCH_ALWAYS : WM_FETCH_PARTIAL;
    do
        spec.levels[WM_LEVEL_L1].cache.replacement = table[wm_random_below(random, entries)];
    while (spec.levels[WM_LEVEL_L1].cache.replacement == &wm_replacement_opt);
    do
        spec.levels[WM_LEVEL_L2].cache.replacement = table[wm_random_below(random, entries)];
    while (spec.levels[WM_LEVEL_L2].cache.replacement == &wm_replacement_opt);
    spec.levels[WM_LEVEL_L1].victim_lines = wm_random_below(random, 2) == 0 ? 0 : 3;
    spec.levels[WM_LEVEL_L1].flush_at_kernel = wm_random_below(random, 2) == 0;
    spec.demand_before_writeback = wm_random_below(random, 2) == 0;
    if (inclusion == WM_INCLUSIVE && wm_random_below(random, 2) == 0)
        spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] =
            (struct wm_level_spec){.cache = small_cache(2, 2, 64, 64), .units_each = 1};
    return spec;
}

static struct wm_request random_request(struct wm_random *random, const struct wm_memory_spec *spec)
{
    uint64_t kind = wm_random_below(random, 10),
             line_bytes = spec->levels[WM_LEVEL_L1].cache.line_bytes;
    uint32_t all = UINT32_MAX >> (32 - line_bytes / 32);
    struct wm_request r = {
        .address = wm_random_below(random, LINES) * LINE / line_bytes * line_bytes,
        .sectors = (uint32_t)wm_random_u64(random) & all,
        .kind = kind < 5   ? WM_ACCESS_LOAD
                : kind < 9 ? WM_ACCESS_STORE
                           : WM_ACCESS_ATOMIC,
        .sm = (uint32_t)wm_random_below(random, spec->sm_count),
    };
    if (r.sectors == 0)
        r.sectors = 1;
    if (wm_random_below(random, 4) == 0)
        r.hint = (enum wm_cache_hint)wm_random_below(random, WM_HINT_NO_L1 + 1);
    r.full_sectors = r.sectors & (uint32_t)wm_random_u64(random);
    return r;
}

static void random_event(struct wm_memory *memory, struct wm_random *random)
{
    uint64_t event = wm_random_below(random, 40), at = wm_random_below(random, LINES * LINE);
    if (event == 0)
        wm_memory_host_write(memory, at, 1 + wm_random_below(random, 600));
    else if (event == 1)
        wm_memory_host_read(memory, at, 1 + wm_random_below(random, 600));
    else if (event == 2 && wm_random_below(random, 4) == 0)
        wm_memory_kernel_begin(memory);
    else if (event < 6 &&
             memory->spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.present) {
        struct wm_request r = {.address = at / 64 * 64, .sectors = 3, .sm = 0};
        wm_memory_side_load(memory, WM_SIDE_CACHE_CONSTANT, &r);
    }
}

// The sectors of the L2 line at `address` that the level holds; -1 when it has no such line.
static int64_t l2_valid(const struct wm_memory *memory, uint64_t address)
{
    uint64_t line = address >> memory->l2_line_shift, index_line;
    const struct wm_cache *l2 =
        &memory->levels[WM_LEVEL_L2].caches[wm_memory_slice(memory, line, &index_line)];
    int32_t way = wm_cache_find(l2, line, index_line);
    if (way < 0)
        return -1;
    for (uint64_t slot = 0; slot < (uint64_t)l2->sets * l2->stride; slot++)
        if (l2->tags[slot] == line)
            return wm_cache_line_at(l2, slot).valid;
    return -1;
}

static void check_cache(const struct wm_memory *memory, const struct wm_cache *cache,
                        uint32_t machine)
{
    bool exclusive = memory->spec.levels[WM_LEVEL_L2].inclusion == WM_EXCLUSIVE;
    for (uint64_t slot = 0; slot < (uint64_t)cache->sets * cache->stride; slot++) {
        if (cache->tags[slot] >= WM_CACHE_PADDING)
            continue;
        for (uint32_t sector = 0; sector < cache->line_sectors; sector++) {
            if ((wm_cache_line_at(cache, slot).valid >> sector & 1) == 0)
                continue;
            uint64_t at = (cache->tags[slot] << cache->line_shift) + (uint64_t)sector * 32;
            int64_t valid = l2_valid(memory, at);
            uint64_t bit = UINT64_C(1) << (at % memory->l2_line_bytes / 32);
            if (exclusive)
                cr_assert(valid < 0 || ((uint64_t)valid & bit) == 0, "machine %u: %lx in both",
                          machine, at);
            else
                cr_assert_geq(valid, 0, "machine %u: %lx not in L2", machine, at);
        }
    }
}

static void check_places(const struct wm_memory *memory, uint32_t machine)
{
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++) {
        check_cache(memory, &memory->levels[WM_LEVEL_L1].caches[i], machine);
        if (memory->levels[WM_LEVEL_L1].victims != NULL)
            check_cache(memory, &memory->levels[WM_LEVEL_L1].victims[i], machine);
    }
    const struct wm_cache_level *constant = &memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT];
    for (uint32_t i = 0;
         memory->spec.levels[WM_LEVEL_L2].inclusion == WM_INCLUSIVE && i < constant->count; i++)
        check_cache(memory, &constant->caches[i], machine);
}

static void check_books(const struct wm_memory *memory, uint32_t machine)
{
    struct wm_cache_counters above = {0}, l2 = {0};
    struct wm_dram_counters dram = {0};
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++) {
        const char *kind = components[i].set->kind;
        uint64_t *sum = strcmp(kind, "l2") == 0     ? &l2.accesses
                        : strcmp(kind, "dram") == 0 ? &dram.reads
                                                    : &above.accesses;
        if (strcmp(kind, "victim") == 0) { // of these, what crosses to L2
            above.bytes_to_below +=
                ((const struct wm_cache_counters *)(const void *)components[i].values)
                    ->bytes_to_below;
            continue;
        }
        for (size_t j = 0; j < components[i].set->count; j++)
            sum[j] += components[i].values[j];
    }
    cr_assert_eq(above.bytes_to_below, l2.bytes_from_above, "machine %u", machine);
    cr_assert_eq(above.bytes_from_below, l2.bytes_to_above, "machine %u", machine);
    cr_assert_eq(l2.bytes_to_below, dram.bytes_written, "machine %u", machine);
    cr_assert_eq(l2.bytes_from_below, dram.bytes_read, "machine %u", machine);
    const struct wm_instruction_counters *unattributed = &memory->unattributed;
    cr_assert_eq(unattributed->levels[WM_LEVEL_L2].bytes, l2.bytes_from_above + l2.bytes_to_above,
                 "machine %u", machine);
    cr_assert_eq(unattributed->memory_bytes, dram.bytes_written + dram.bytes_read, "machine %u",
                 machine);
}

static uint64_t run_random(enum wm_inclusion inclusion, uint32_t machine)
{
    struct wm_random random;
    wm_random_init(&random, machine, "inclusion");
    struct wm_memory_spec spec = random_spec(&random, inclusion);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_error error;
    if (machine % 4 == 3)
        cr_assert_eq(wm_memory_explain(memory, &error), WM_OK);
    for (int i = 0; i < 1200; i++) {
        struct wm_request r = random_request(&random, &spec);
        wm_memory_access(memory, &r);
        random_event(memory, &random);
        if (i % 4 == 0)
            check_places(memory, machine);
    }
    check_books(memory, machine);
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++)
        dropped += memory->levels[WM_LEVEL_L1].caches[i].counters.inclusion_victims;
    wm_memory_write_back_all(memory);
    uint64_t written = 0, again = 0;
    for (uint32_t i = 0; i < spec.dram.channels; i++)
        written += memory->dram[i].bytes_written;
    wm_memory_write_back_all(memory);
    for (uint32_t i = 0; i < spec.dram.channels; i++)
        again += memory->dram[i].bytes_written;
    cr_assert_eq(written, again, "machine %u", machine);
    wm_memory_free(memory);
    return dropped;
}

Test(inclusion, an_inclusive_l2_holds_every_line_above_it)
{
    uint64_t dropped = 0;
    for (uint32_t machine = 0; machine < 60; machine++)
        dropped += run_random(WM_INCLUSIVE, machine);
    cr_expect_gt(dropped, 1000);
}

Test(inclusion, with_an_exclusive_l2_no_sector_is_twice)
{
    for (uint32_t machine = 0; machine < 60; machine++)
        run_random(WM_EXCLUSIVE, machine);
}

// Each sector is stored once, whole, between loads of everything: whatever the levels do with it,
// it is written to DRAM exactly once.
Test(inclusion, every_stored_sector_reaches_dram_once)
{
    for (uint32_t machine = 0; machine < 120; machine++) {
        struct wm_random random;
        wm_random_init(&random, machine, "stores");
        enum wm_inclusion inclusion = (enum wm_inclusion)(machine % 3);
        struct wm_memory_spec spec = random_spec(&random, inclusion);
        spec.sm_count = 1; // L1s are not coherent
        struct wm_memory *memory = small_memory_new(&spec);
        uint64_t line_bytes = spec.levels[WM_LEVEL_L1].cache.line_bytes,
                 sectors = LINES * LINE / 32;
        for (uint64_t i = 0; i < sectors; i++) {
            uint64_t at = i * 29 % sectors * 32; // 29 has no factor in common with them
            struct wm_request r = {.address = at / line_bytes * line_bytes,
                                   .sectors = UINT32_C(1) << (at % line_bytes / 32),
                                   .kind = WM_ACCESS_STORE};
            r.full_sectors = r.sectors;
            wm_memory_access(memory, &r);
            for (int loads = 0; loads < 3; loads++) {
                r = random_request(&random, &spec);
                r.kind = WM_ACCESS_LOAD;
                wm_memory_access(memory, &r);
            }
        }
        wm_memory_write_back_all(memory);
        uint64_t written = 0;
        for (uint32_t i = 0; i < spec.dram.channels; i++)
            written += memory->dram[i].bytes_written;
        // A unit of 64 bytes is dirty whole when a half of it was stored.
        if (spec.levels[WM_LEVEL_L1].cache.sector_bytes == 32 &&
            spec.levels[WM_LEVEL_L2].cache.sector_bytes == 32)
            cr_assert_eq(written, sectors * 32, "machine %u, inclusion %d", machine,
                         (int)inclusion);
        wm_memory_free(memory);
    }
}

// Unsectored and under LRU, an L1 of 3 lines over an exclusive L2 of 9 is one cache of 12: DRAM
// sees no difference.
Test(inclusion, exclusive_levels_are_one_larger_cache)
{
    struct wm_memory_spec two = spec_of(WM_EXCLUSIVE, 3, 9), one = spec_of(WM_NON_INCLUSIVE, 12, 1);
    two.levels[WM_LEVEL_L1].cache.sector_bytes = two.levels[WM_LEVEL_L2].cache.sector_bytes =
        one.levels[WM_LEVEL_L1].cache.sector_bytes = LINE;
    one.levels[WM_LEVEL_L2].cache.present = false;
    struct wm_memory *a = small_memory_new(&two), *b = small_memory_new(&one);
    struct wm_random random;
    wm_random_init(&random, 1, "larger");
    for (int i = 0; i < 20000; i++) {
        struct wm_request r = {.address = wm_random_below(&random, 20) * LINE,
                               .sectors = 1 + (uint32_t)wm_random_below(&random, 15),
                               .kind = wm_random_below(&random, 3) == 0 ? WM_ACCESS_STORE
                                                                        : WM_ACCESS_LOAD};
        r.full_sectors = wm_random_below(&random, 2) == 0 ? 15 & r.sectors : 0;
        wm_memory_access(a, &r);
        wm_memory_access(b, &r);
        cr_assert_eq(memcmp(a->dram, b->dram, sizeof *a->dram), 0, "after %d", i);
    }
    cr_expect_gt(a->levels[WM_LEVEL_L2].caches[0].counters.load_hits, 10000);
    wm_memory_free(a);
    wm_memory_free(b);
}

// Where L2 never displaces anything, inclusion costs nothing and changes nothing.
Test(inclusion, inclusive_above_a_large_l2_is_neither)
{
    struct wm_memory_spec plain = spec_of(WM_NON_INCLUSIVE, 4, 1);
    plain.levels[WM_LEVEL_L2].cache = small_cache(64, 4, LINE, 32);
    struct wm_memory_spec inclusive = plain;
    inclusive.levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE;
    struct wm_memory *a = small_memory_new(&plain), *b = small_memory_new(&inclusive);
    struct wm_random random;
    wm_random_init(&random, 1, "large");
    for (int i = 0; i < 5000; i++) {
        struct wm_request r = random_request(&random, &plain);
        r.full_sectors = 0; // so that every line is fetched from L2
        wm_memory_access(a, &r);
        wm_memory_access(b, &r);
    }
    cr_expect_eq(memcmp(&a->levels[WM_LEVEL_L1].caches[0].counters,
                        &b->levels[WM_LEVEL_L1].caches[0].counters,
                        sizeof a->levels[WM_LEVEL_L1].caches[0].counters),
                 0);
    cr_expect_eq(memcmp(&a->levels[WM_LEVEL_L2].caches[0].counters,
                        &b->levels[WM_LEVEL_L2].caches[0].counters,
                        sizeof a->levels[WM_LEVEL_L2].caches[0].counters),
                 0);
    cr_expect_eq(memcmp(a->dram, b->dram, sizeof *a->dram), 0);
    wm_memory_free(a);
    wm_memory_free(b);
}

Test(inclusion, what_cannot_be_is_refused)
{
    static const struct {
        const char *says;
        int change;
    } cases[] = {{"l2.inclusion is inclusive, and l2.present is false", 0},
                 {"l1.replacement is opt", 1},
                 {"l2.write_fetch is never", 2},
                 {"l2.inclusion is exclusive: l1.line_bytes (64B)", 3},
                 {"l1.sector_bytes (256B) larger than l2.line_bytes (128B)", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_memory_spec spec = spec_of(i == 3 ? WM_EXCLUSIVE : WM_INCLUSIVE, 4, 4);
        switch (cases[i].change) {
        case 0: spec.levels[WM_LEVEL_L2].cache.present = false; break;
        case 1: spec.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_opt; break;
        case 2: spec.levels[WM_LEVEL_L2].cache.write_fetch = WM_FETCH_NEVER; break;
        case 3: spec.levels[WM_LEVEL_L1].cache = small_cache(1, 4, 64, 32); break;
        default: spec.levels[WM_LEVEL_L1].cache = small_cache(1, 4, 256, 256); break;
        }
        struct wm_memory *memory;
        struct wm_error error;
        cr_expect_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_INVALID);
        cr_expect(strstr(error.message, cases[i].says) != NULL, "%s", error.message);
        cr_expect(error.hint[0] != '\0');
    }
}
