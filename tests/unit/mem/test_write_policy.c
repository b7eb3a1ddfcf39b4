// What a store does at L1 and at L2 (docs/memory-system.md, R3 and R4), cell by cell of its tables,
// by traces whose counts are worked out by hand.
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>

// L1: one set of two lines of 128 bytes; L2: one slice, one set of four.
static struct wm_cache_spec cache_of(uint32_t ways, enum wm_write_policy policy, bool allocate,
                                     enum wm_write_fetch fetch)
{
    struct wm_cache_spec spec = small_cache(1, ways, 128, 32);
    spec.write_policy = policy;
    spec.write_allocate = allocate;
    spec.write_fetch = fetch;
    return spec;
}

static struct wm_memory *memory_of(struct wm_cache_spec l1, struct wm_cache_spec l2)
{
    struct wm_memory_spec spec = small_memory(1, l1, l2, 1);
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    return small_memory_new(&spec);
}

// An L1 that stores write to under the given policy, above an L2 that takes all there is.
static struct wm_memory *l1_of(enum wm_write_policy policy, bool allocate,
                               enum wm_write_fetch fetch)
{
    return memory_of(cache_of(2, policy, allocate, fetch),
                     cache_of(4, WM_WRITE_BACK, true, WM_FETCH_PARTIAL));
}

// One access of `size` bytes, inside one line.
static void touch(struct wm_memory *memory, enum wm_access_kind kind, uint64_t address,
                  uint32_t size)
{
    uint32_t bytes[32] = {0}, full = 0, sectors = 0;
    for (uint32_t i = 0; i < size; i++)
        bytes[(address + i) % 128 / 32] |= UINT32_C(1) << (address + i) % 32;
    for (uint32_t i = 0; i < 4; i++) {
        sectors |= (uint32_t)(bytes[i] != 0) << i;
        full |= (uint32_t)(bytes[i] == UINT32_MAX) << i;
    }
    struct wm_request request = {.address = address / 128 * 128,
                                 .sectors = sectors,
                                 .full_sectors = kind == WM_ACCESS_STORE ? full : 0,
                                 .bytes = bytes,
                                 .kind = kind};
    wm_memory_access(memory, &request);
}

static void load(struct wm_memory *memory, uint64_t address, uint32_t size)
{
    touch(memory, WM_ACCESS_LOAD, address, size);
}

static void store(struct wm_memory *memory, uint64_t address, uint32_t size)
{
    touch(memory, WM_ACCESS_STORE, address, size);
}

static const struct wm_cache_counters *l1(const struct wm_memory *memory)
{
    return &memory->levels[WM_LEVEL_L1].caches[0].counters;
}

static const struct wm_cache_counters *l2(const struct wm_memory *memory)
{
    return &memory->levels[WM_LEVEL_L2].caches[0].counters;
}

#define EXPECT(counters, name, value)                                                             \
    cr_expect_eq((counters)->name, (uint64_t)(value), #counters " " #name " is %lu, not " #value, \
                 (counters)->name)

// --- R3: where a store goes ---

Test(write_policy, back_writes_a_present_line_here)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, false, WM_FETCH_PARTIAL);
    load(memory, 0, 32);
    store(memory, 4, 4);
    EXPECT(l1(memory), store_hits, 1);
    EXPECT(l2(memory), store_accesses, 0);
    wm_memory_write_back_all(memory);
    EXPECT(l1(memory), write_backs, 1);
    EXPECT(l2(memory), writeback_hits, 1);
    wm_memory_free(memory);
}

Test(write_policy, back_without_allocation_lets_an_absent_line_go_below)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, false, WM_FETCH_PARTIAL);
    store(memory, 4, 4);
    EXPECT(l1(memory), allocations, 0);
    EXPECT(l1(memory), fills, 0);
    EXPECT(l2(memory), store_accesses, 1);
    load(memory, 128, 32); // a present line that lacks the sector is no different
    store(memory, 128 + 32, 4);
    EXPECT(l1(memory), sector_misses, 1);
    EXPECT(l2(memory), store_accesses, 2);
    wm_memory_write_back_all(memory);
    EXPECT(l1(memory), write_backs, 0);
    wm_memory_free(memory);
}

Test(write_policy, back_with_allocation_takes_a_line)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_PARTIAL);
    store(memory, 0, 32);
    EXPECT(l1(memory), allocations, 1);
    EXPECT(l2(memory), store_accesses, 0);
    wm_memory_write_back_all(memory);
    EXPECT(l2(memory), writeback_accesses, 1);
    wm_memory_free(memory);
}

Test(write_policy, through_update_goes_on_and_keeps_the_line)
{
    struct wm_memory *memory = l1_of(WM_WRITE_THROUGH_UPDATE, false, WM_FETCH_PARTIAL);
    store(memory, 0, 4); // absent: nothing is taken
    EXPECT(l1(memory), allocations, 0);
    load(memory, 0, 4);
    store(memory, 0, 4);
    load(memory, 0, 4);
    EXPECT(l1(memory), load_hits, 1);
    EXPECT(l2(memory), store_accesses, 2);
    wm_memory_write_back_all(memory);
    EXPECT(l1(memory), write_backs, 0);
    wm_memory_free(memory);

    memory = l1_of(WM_WRITE_THROUGH_UPDATE, true, WM_FETCH_PARTIAL);
    store(memory, 0, 4); // takes a line too, and what it lacks is fetched
    load(memory, 0, 4);
    EXPECT(l1(memory), fills, 1);
    EXPECT(l1(memory), load_hits, 1);
    EXPECT(l2(memory), store_accesses, 1);
    EXPECT(l2(memory), load_accesses, 1);
    wm_memory_free(memory);
}

Test(write_policy, through_evict_goes_on_and_drops_the_line)
{
    struct wm_memory *memory = l1_of(WM_WRITE_THROUGH_EVICT, false, WM_FETCH_PARTIAL);
    load(memory, 0, 4);
    store(memory, 4, 4);
    load(memory, 0, 4);
    EXPECT(l1(memory), invalidations, 1);
    EXPECT(l1(memory), load_misses, 2);
    store(memory, 128, 4);
    EXPECT(l1(memory), allocations, 2);
    EXPECT(l2(memory), store_accesses, 2);
    wm_memory_free(memory);
}

// --- R4: what is fetched ---

// A partial store and a whole one, to an absent line and to a line that lacks the sector.
static uint64_t fills_after(enum wm_write_policy policy, enum wm_write_fetch fetch, bool whole,
                            bool present)
{
    struct wm_memory *memory = l1_of(policy, true, fetch);
    if (present)
        load(memory, 96, 4);
    uint64_t before = l1(memory)->fills, below = l2(memory)->load_accesses;
    store(memory, 0, whole ? 32 : 4);
    uint64_t fills = l1(memory)->fills - before;
    cr_expect_eq(l2(memory)->load_accesses - below, fills);
    wm_memory_free(memory);
    return fills;
}

Test(write_policy, what_a_store_fetches)
{
    static const enum wm_write_policy policies[] = {WM_WRITE_BACK, WM_WRITE_THROUGH_UPDATE};
    for (int i = 0; i < 2; i++)
        for (int present = 0; present < 2; present++) {
            enum wm_write_policy policy = policies[i];
            cr_expect_eq(fills_after(policy, WM_FETCH_PARTIAL, false, present), 1);
            cr_expect_eq(fills_after(policy, WM_FETCH_PARTIAL, true, present), 0);
            cr_expect_eq(fills_after(policy, WM_FETCH_ALWAYS, false, present), 1);
            cr_expect_eq(fills_after(policy, WM_FETCH_ALWAYS, true, present), 1);
            cr_expect_eq(fills_after(policy, WM_FETCH_NEVER, false, present), 0);
            cr_expect_eq(fills_after(policy, WM_FETCH_NEVER, true, present), 0);
        }
}

Test(write_policy, always_fetches_under_a_write_back_too)
{
    struct wm_cache_spec above = cache_of(2, WM_WRITE_BACK, true, WM_FETCH_PARTIAL);
    struct wm_cache_spec below = cache_of(4, WM_WRITE_BACK, true, WM_FETCH_ALWAYS);
    struct wm_memory *memory = memory_of(above, below);
    store(memory, 0, 32);
    wm_memory_kernel_begin(memory);
    EXPECT(l2(memory), writeback_misses, 1);
    EXPECT(l2(memory), fills, 1);
    cr_expect_eq(memory->dram[0].reads, 1);
    wm_memory_free(memory);
    // In a stream as well, where lines of the plainest caches go by in batches.
    above.sector_bytes = below.sector_bytes = 128;
    memory = memory_of(above, below);
    uint64_t references[] = {0 | WM_REFERENCE_STORE, 128, 256};
    wm_memory_access_references(memory, &(struct wm_request){0}, references, 3);
    EXPECT(l2(memory), load_misses, 12);
    EXPECT(l2(memory), writeback_hits, 4);
    wm_memory_free(memory);
}

// --- R4: never ---

Test(write_policy, a_load_of_a_sector_written_in_part_fetches_it_and_leaves_it_dirty)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    store(memory, 0, 4);
    load(memory, 0, 4);
    EXPECT(l1(memory), load_misses, 1);
    EXPECT(l1(memory), sector_misses, 1);
    EXPECT(l1(memory), fills, 1);
    load(memory, 0, 32);
    EXPECT(l1(memory), load_hits, 1);
    wm_memory_write_back_all(memory);
    EXPECT(l1(memory), write_backs, 1);
    EXPECT(l1(memory), partial_write_backs, 0);
    wm_memory_free(memory);
}

Test(write_policy, stores_make_a_sector_whole_without_a_fetch)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    for (uint32_t at = 0; at < 32; at += 8)
        store(memory, at, 8);
    EXPECT(l1(memory), store_misses, 1);
    EXPECT(l1(memory), store_hits, 3);
    load(memory, 0, 32);
    EXPECT(l1(memory), load_hits, 1);
    EXPECT(l1(memory), fills, 0);
    wm_memory_free(memory);
}

Test(write_policy, a_byte_that_no_store_wrote_keeps_a_sector_partly_valid)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    store(memory, 0, 31);
    store(memory, 3, 20); // again: nothing new
    load(memory, 0, 4);
    EXPECT(l1(memory), load_misses, 1);
    wm_memory_free(memory);
}

Test(write_policy, an_atomic_at_l2_fetches_what_stores_left_out)
{
    struct wm_memory *memory = memory_of(cache_of(2, WM_WRITE_THROUGH_EVICT, false, 0),
                                         cache_of(4, WM_WRITE_BACK, true, WM_FETCH_NEVER));
    store(memory, 0, 4);
    touch(memory, WM_ACCESS_ATOMIC, 8, 4);
    EXPECT(l2(memory), atomic_misses, 1);
    EXPECT(l2(memory), fills, 1);
    touch(memory, WM_ACCESS_ATOMIC, 8, 4);
    EXPECT(l2(memory), atomic_hits, 1);
    wm_memory_write_back_all(memory);
    EXPECT(l2(memory), partial_write_backs, 0);
    cr_expect_eq(memory->dram[0].bytes_written, 32);
    wm_memory_free(memory);
}

// The same where no store may take a line: the atomic keeps what it fetches, as a part is there.
Test(write_policy, an_atomic_that_may_not_allocate_still_merges)
{
    struct wm_memory *memory = memory_of(cache_of(2, WM_WRITE_THROUGH_EVICT, false, 0),
                                         cache_of(4, WM_WRITE_BACK, true, WM_FETCH_NEVER));
    store(memory, 0, 4);
    memory->levels[WM_LEVEL_L2].caches[0].write_allocate =
        false; // no key does this, but L1's no_allocate does at L1
    touch(memory, WM_ACCESS_ATOMIC, 8, 4);
    EXPECT(l2(memory), fills, 1);
    cr_expect_eq(memory->dram[0].writes, 0);
    touch(memory, WM_ACCESS_ATOMIC, 40, 4); // of this sector there is nothing: done below
    EXPECT(l2(memory), fills, 1);
    cr_expect_eq(memory->dram[0].writes, 1);
    wm_memory_free(memory);
}

Test(write_policy, a_displaced_part_of_a_sector_is_written_back_as_one)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    store(memory, 0, 36); // a whole sector and 4 bytes of the next
    load(memory, 128, 4);
    load(memory, 256, 4); // displaces it
    EXPECT(l1(memory), write_backs, 1);
    EXPECT(l1(memory), partial_write_backs, 1);
    EXPECT(l1(memory), bytes_to_below, 64);
    // Below, the write that is partial fetches what it lacks, and the whole one does not.
    EXPECT(l2(memory), writeback_misses, 2);
    EXPECT(l2(memory), fills, 3); // two loads and this
    wm_memory_free(memory);
}

// Two halves of a sector, written apart and displaced between, meet in an L2 with masks.
Test(write_policy, a_partial_write_back_carries_its_mask)
{
    struct wm_memory *memory = memory_of(cache_of(2, WM_WRITE_BACK, true, WM_FETCH_NEVER),
                                         cache_of(4, WM_WRITE_BACK, true, WM_FETCH_NEVER));
    store(memory, 32, 16);
    wm_memory_kernel_begin(memory);
    store(memory, 48, 15);
    wm_memory_kernel_begin(memory);
    EXPECT(l1(memory), partial_write_backs, 2);
    EXPECT(l2(memory), writeback_misses, 1);
    EXPECT(l2(memory), writeback_hits, 1);
    load(memory, 32, 4); // one byte is missing
    EXPECT(l2(memory), load_misses, 1);
    store(memory, 64, 16);
    wm_memory_kernel_begin(memory);
    store(memory, 80, 16);
    wm_memory_kernel_begin(memory);
    load(memory, 64, 4); // none is
    EXPECT(l2(memory), load_hits, 1);
    EXPECT(l2(memory), fills, 1);
    wm_memory_write_back_all(memory);
    EXPECT(l2(memory), partial_write_backs, 0);
    cr_expect_eq(memory->dram[0].bytes_read, 32);
    wm_memory_free(memory);
}

Test(write_policy, a_store_that_goes_through_carries_its_mask)
{
    struct wm_memory *memory = memory_of(cache_of(2, WM_WRITE_THROUGH_UPDATE, true, WM_FETCH_NEVER),
                                         cache_of(4, WM_WRITE_BACK, true, WM_FETCH_NEVER));
    store(memory, 0, 16);
    store(memory, 16, 16);
    EXPECT(l2(memory), store_hits, 1);
    load(memory, 0, 32);
    EXPECT(l1(memory), load_hits, 1); // whole in L1 too
    wm_memory_kernel_begin(memory);
    EXPECT(l1(memory), write_backs, 0);
    load(memory, 0, 32);
    EXPECT(l2(memory), load_hits, 1);
    cr_expect_eq(memory->dram[0].reads, 0);
    wm_memory_free(memory);
}

Test(write_policy, the_unit_of_a_fetch_is_no_unit_of_stores)
{
    struct wm_cache_spec above = cache_of(2, WM_WRITE_BACK, true, WM_FETCH_NEVER);
    above.sector_bytes = 128;
    struct wm_memory *memory = memory_of(above, cache_of(4, WM_WRITE_BACK, true, WM_FETCH_PARTIAL));
    store(memory, 0, 32);
    EXPECT(l1(memory), fills, 0);
    load(memory, 64, 4);
    EXPECT(l1(memory), fills, 4);
    wm_memory_write_back_all(memory);
    EXPECT(l1(memory), bytes_to_below, 32);
    wm_memory_free(memory);
}

Test(write_policy, lines_of_other_lengths_below_get_the_right_bytes)
{
    static const uint32_t lines[] = {32, 64, 256};
    for (int i = 0; i < 3; i++) {
        struct wm_cache_spec below = cache_of(16, WM_WRITE_BACK, true, WM_FETCH_NEVER);
        below.line_bytes = lines[i];
        below.size_bytes = (uint64_t)16 * lines[i];
        struct wm_memory *memory =
            memory_of(cache_of(2, WM_WRITE_BACK, true, WM_FETCH_NEVER), below);
        store(memory, 128 + 60, 40); // bytes 28 to 31, a whole sector, bytes 0 to 3
        wm_memory_kernel_begin(memory);
        store(memory, 128 + 32, 28);
        wm_memory_kernel_begin(memory);
        load(memory, 128 + 32, 64);
        EXPECT(l2(memory), load_hits, 2);
        load(memory, 128 + 96, 4);
        EXPECT(l2(memory), load_misses, 1);
        wm_memory_free(memory);
    }
}

Test(write_policy, a_stream_writes_four_bytes)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    uint64_t references[9];
    for (uint32_t i = 0; i < 7; i++)
        references[i] = i * 4 | WM_REFERENCE_STORE;
    references[7] = 30 | WM_REFERENCE_STORE; // 2 of them lie in this sector
    references[8] = 0;
    wm_memory_access_references(memory, &(struct wm_request){0}, references, 9);
    EXPECT(l1(memory), load_misses, 1); // bytes 28 and 29
    references[0] = 64 | WM_REFERENCE_STORE;
    for (uint32_t i = 0; i < 8; i++)
        references[i] = (64 + i * 4) | WM_REFERENCE_STORE;
    references[8] = 64;
    wm_memory_access_references(memory, &(struct wm_request){0}, references, 9);
    EXPECT(l1(memory), load_misses, 1);
    wm_memory_free(memory);
}

Test(write_policy, a_request_that_does_not_say_its_bytes_makes_nothing_whole)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    struct wm_request request = {.sectors = 3, .full_sectors = 1, .kind = WM_ACCESS_STORE};
    wm_memory_access(memory, &request);
    store(memory, 32, 31);
    load(memory, 0, 64);
    EXPECT(l1(memory), load_hits, 1);
    EXPECT(l1(memory), load_misses, 1);
    wm_memory_free(memory);
}

// --- R4 and the host ---

Test(write_policy, the_host_reads_what_is_held_in_part)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    store(memory, 0, 4);
    wm_memory_host_read(memory, 0, 4);
    EXPECT(l1(memory), partial_write_backs, 1);
    EXPECT(l2(memory), write_backs, 1);
    cr_expect_eq(memory->dram[0].bytes_written, 32);
    store(memory, 4, 28); // clean, but still there: these complete it
    load(memory, 0, 32);
    EXPECT(l1(memory), load_hits, 1);
    wm_memory_free(memory);
}

Test(write_policy, the_host_overwrites_what_is_held_in_part)
{
    struct wm_memory *memory = l1_of(WM_WRITE_BACK, true, WM_FETCH_NEVER);
    store(memory, 0, 4);
    wm_memory_host_write(memory, 0, 32);
    EXPECT(l1(memory), invalidations, 1);
    store(memory, 4, 28); // what was written before is gone
    load(memory, 0, 32);
    EXPECT(l1(memory), load_misses, 1);
    EXPECT(l1(memory), partial_write_backs, 0);
    wm_memory_free(memory);
}

Test(write_policy, a_line_goes_around_l1_with_its_mask)
{
    struct wm_memory *memory = memory_of(cache_of(2, WM_WRITE_BACK, true, WM_FETCH_NEVER),
                                         cache_of(4, WM_WRITE_BACK, true, WM_FETCH_NEVER));
    store(memory, 0, 16);
    struct wm_request request = {.sectors = 2, .kind = WM_ACCESS_LOAD, .hint = WM_HINT_L2_ONLY};
    wm_memory_access(memory, &request); // another sector of the line: it is written back first
    EXPECT(l1(memory), partial_write_backs, 1);
    store(memory, 16, 16);
    wm_memory_kernel_begin(memory);
    load(memory, 0, 32);
    EXPECT(l2(memory), load_misses, 1); // only of the load around L1
    wm_memory_free(memory);
}

// --- The walk needs masks where they are kept ---

Test(write_policy, masks_are_wanted_where_they_are_kept)
{
    for (int level = 0; level < 3; level++) {
        struct wm_memory *memory =
            memory_of(cache_of(2, WM_WRITE_BACK, true, level == 1 ? WM_FETCH_NEVER : 0),
                      cache_of(4, WM_WRITE_BACK, true, level == 2 ? WM_FETCH_NEVER : 0));
        cr_expect_eq(wm_memory_needs_byte_masks(memory), level != 0);
        wm_memory_free(memory);
    }
}
