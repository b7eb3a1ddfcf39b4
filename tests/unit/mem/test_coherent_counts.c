// Coherent levels in the walk, counted by hand: one transaction of docs/coherence.md after the
// other.
#include "coherent_machines.h"
#include "mem/prefetch/entries.h"
#include "mem/system/coherent_memory.h"
#include "mem/system/instruction_counters.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128 };

static struct wm_access_result access(struct wm_memory *memory, uint32_t unit, uint64_t address,
                                      enum wm_access_kind kind)
{
    struct wm_request request = {.address = address / LINE * LINE,
                                 .sectors = UINT32_C(1) << address % LINE / 32,
                                 .kind = kind,
                                 .sm = unit};
    return wm_memory_access(memory, &request);
}

static void load(struct wm_memory *memory, uint32_t unit, uint64_t address)
{
    access(memory, unit, address, WM_ACCESS_LOAD);
}

static void store(struct wm_memory *memory, uint32_t unit, uint64_t address)
{
    access(memory, unit, address, WM_ACCESS_STORE);
}

static const struct wm_coherence_counters *counted(const struct wm_memory *memory, uint32_t level,
                                                   uint32_t cache)
{
    return &memory->coherent->caches[level][cache].counters;
}

static const struct wm_cache_counters *cache_at(const struct wm_memory *memory, uint32_t level,
                                                uint32_t cache)
{
    return &memory->levels[level].caches[cache].counters;
}

// L1s of two sets and two ways: lines 0 to 3 stay. L2 of four sets and four ways.
Test(coherent_counts, a_first_read_is_exclusive_and_is_written_silently)
{
    struct wm_memory_spec spec = coherent_cores(2);
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 0, 0);
    load(memory, 0, 96);
    store(memory, 0, 32); // E to M without a message
    const struct wm_coherence_counters *l1 = counted(memory, WM_LEVEL_L1, 0);
    cr_expect_eq(l1->read_requests, 1);
    cr_expect_eq(l1->write_requests, 0);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->hits, 2);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->misses, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->fills, 4); // the whole line
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->load_misses, 4);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->read_requests, 1);
    cr_expect_eq(memory->dram->bytes_read, LINE);
    cr_expect_eq(memory->dram->bytes_written, 0);
    wm_memory_write_back_all(memory);
    cr_expect_eq(memory->dram->bytes_written, LINE);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->write_backs, 1);
    wm_memory_write_back_all(memory); // nothing is modified any more
    cr_expect_eq(memory->dram->bytes_written, LINE);
    store(memory, 0, 0); // so it is shared, by none else
    cr_expect_eq(l1->upgrades, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->upgrades, 1);
    cr_expect_eq(memory->dram->bytes_read, LINE);
    wm_memory_free(memory);
}

static void upgrade(uint32_t sharers)
{
    struct wm_memory_spec spec = coherent_cores(8);
    struct wm_memory *memory = small_memory_new(&spec);
    for (uint32_t core = 0; core < sharers; core++)
        load(memory, core, 0);
    store(memory, 0, 0);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->upgrades, sharers > 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->write_requests, sharers > 1);
    // The first one's copy was exclusive until the second's read.
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->downgrades, sharers > 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->forwards, sharers > 1);
    uint64_t invalidated = 0;
    for (uint32_t core = 1; core < 8; core++)
        invalidated += counted(memory, WM_LEVEL_L1, core)->invalidations;
    cr_expect_eq(invalidated, sharers - 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->store_hits, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->accesses, sharers); // an upgrade wants no data
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->bytes_to_above,
                 (sharers - (sharers > 1)) * LINE); // and one came from the owner
    wm_memory_free(memory);
}

Test(coherent_counts, an_upgrade_with_sharers)
{
    for (uint32_t sharers = 1; sharers <= 8; sharers++)
        upgrade(sharers);
}

Test(coherent_counts, an_owner_gives_in_three_hops)
{
    struct wm_memory_spec spec = coherent_cores(2);
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_coherence_counters *owner = counted(memory, WM_LEVEL_L1, 0),
                                       *other = counted(memory, WM_LEVEL_L1, 1);
    store(memory, 0, 0);
    load(memory, 1, 0); // the home gets the modified line too
    cr_expect_eq(owner->forwards, 1);
    cr_expect_eq(owner->downgrades, 1);
    cr_expect_eq(owner->bytes_to_peers, LINE);
    cr_expect_eq(other->bytes_from_peers, LINE);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->write_backs, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->writeback_accesses, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 1)->bytes_from_below, 0);
    store(memory, 1, 0);
    store(memory, 0, 0); // and now it does not: the whole line changes hands
    cr_expect_eq(other->forwards, 1);
    cr_expect_eq(other->invalidations, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 1)->write_backs, 0);
    cr_expect_eq(owner->invalidations, 1);
    cr_expect_eq(owner->coherence_misses, 1); // its store missed what the other's took
    load(memory, 1, 32);
    cr_expect_eq(other->coherence_misses, 1);
    load(memory, 1, 64);
    cr_expect_eq(other->coherence_misses, 1);
    cr_expect_eq(memory->dram->bytes_read, LINE);
    wm_memory_free(memory);
}

// Line 0, 2 and 4 have one set of two ways.
Test(coherent_counts, evictions)
{
    struct wm_memory_spec spec = coherent_cores(2);
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_coherence_counters *l1 = counted(memory, WM_LEVEL_L1, 0);
    store(memory, 0, 0);
    load(memory, 0, 2 * LINE);
    load(memory, 0, 4 * LINE); // line 0 is written back
    cr_expect_eq(l1->put_m, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->evictions, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->bytes_to_below, LINE);
    load(memory, 0, 6 * LINE);
    cr_expect_eq(l1->clean_puts, 1);
    cr_expect_eq(memory->dram->bytes_written, 0);
    load(memory, 1, 0); // L2 has it, and no cache above: exclusive
    cr_expect_eq(l1->forwards, 0);
    store(memory, 1, 0);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 1)->upgrades, 0);
    wm_memory_free(memory);
}

// An L2 of one line: what it evicts leaves the L1s.
Test(coherent_counts, what_a_home_evicts_is_called_back)
{
    struct wm_memory_spec spec = coherent_cores(3);
    spec.levels[WM_LEVEL_L2].cache = small_cache(1, 1, LINE, LINE);
    struct wm_memory *memory = small_memory_new(&spec);
    store(memory, 0, 0);
    load(memory, 1, LINE);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->back_invalidations, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->invalidations, 0);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->inclusion_victims, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->write_backs, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->recalls, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->put_m, 1);
    cr_expect_eq(memory->dram->bytes_written, LINE);
    load(memory, 0, 0); // its L1 misses, though no other cache wrote the line
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->coherence_misses, 0);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->load_misses, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->clean_puts, 1);
    wm_memory_free(memory);
}

Test(coherent_counts, locked_operations)
{
    struct wm_memory_spec spec = coherent_cores(2);
    struct wm_memory *memory = small_memory_new(&spec);
    cr_expect_eq(access(memory, 0, 0, WM_ACCESS_ATOMIC).source, WM_SOURCE_BELOW_L1);
    cr_expect_eq(access(memory, 0, 32, WM_ACCESS_REDUCTION).source, WM_SOURCE_L1);
    access(memory, 0, 0, WM_ACCESS_ATOMIC);
    access(memory, 1, 0, WM_ACCESS_ATOMIC); // from the owner
    load(memory, 0, 0);
    cr_expect_eq(access(memory, 0, 0, WM_ACCESS_ATOMIC).source, WM_SOURCE_BELOW_L1); // an upgrade
    const struct wm_coherence_counters *first = counted(memory, WM_LEVEL_L1, 0),
                                       *second = counted(memory, WM_LEVEL_L1, 1);
    cr_expect_eq(first->locked_operations, 4);
    cr_expect_eq(first->locked_hits, 2);
    cr_expect_eq(second->locked_operations, 1);
    cr_expect_eq(second->locked_hits, 0);
    cr_expect_eq(first->upgrades, 1);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->atomic_hits, 3);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->bytes_to_above,
                 4 * 32);                                               // a reduction returns none
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->atomic_accesses, 0); // they are done in L1
    wm_memory_free(memory);
}

// An SM, 0, and a core, 1, whose last-level caches meet at the directory.
Test(coherent_counts, two_sides_meet_at_the_directory)
{
    struct wm_memory_spec spec = coherent_split(1, 1);
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_directory_counters *directory = &memory->coherent->directory_counters;
    store(memory, 1, 0);
    cr_expect_eq(directory->write_requests, 1);
    cr_expect_eq(memory->dram->bytes_read, LINE);
    load(memory, 0, 0); // the core's L3 calls back what its L1 has, and gives it
    cr_expect_eq(directory->read_requests, 1);
    cr_expect_eq(directory->forwards, 1);
    cr_expect_eq(counted(memory, CPU_LAST, 0)->forwards, 1);
    cr_expect_eq(counted(memory, CPU_L1, 0)->downgrades, 1);
    cr_expect_eq(counted(memory, CPU_L1, 0)->forwards, 0);
    cr_expect_eq(counted(memory, LAST, 0)->bytes_from_peers, LINE);
    cr_expect_eq(memory->dram->bytes_read, LINE);
    cr_expect_eq(memory->dram->bytes_written, LINE); // shared, so memory has it too
    store(memory, 0, 0);                             // through three levels
    cr_expect_eq(directory->write_requests, 2);
    cr_expect_eq(directory->upgrades, 1);
    cr_expect_eq(directory->invalidations, 1);
    cr_expect_eq(counted(memory, CPU_LAST, 0)->invalidations, 1);
    cr_expect_eq(counted(memory, CPU_L2, 0)->invalidations, 1);
    cr_expect_eq(counted(memory, CPU_L1, 0)->invalidations, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->upgrades, 1);
    cr_expect_eq(memory->dram->bytes_written, LINE);
    cr_expect_eq(memory->coherent->directory.known.count, 1);
    wm_memory_host_write(memory, 0, LINE); // no copy is left, and nothing is written back
    cr_expect_eq(directory->recalls, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->back_invalidations, 1);
    cr_expect_eq(memory->dram->bytes_written, LINE);
    cr_expect_eq(memory->coherent->directory.known.count, 0);
    store(memory, 0, 0);
    wm_memory_host_write(memory, 8, 8); // what it does not overwrite is written back
    cr_expect_eq(memory->dram->bytes_written, 2 * LINE);
    store(memory, 0, 0);
    wm_memory_host_read(memory, 0, 4); // copies stay, shared
    cr_expect_eq(memory->dram->bytes_written, 3 * LINE);
    cr_expect(wm_memory_l1_holds(memory, 0, 0));
    wm_memory_free(memory);
}

// Three cores with L2s of their own: the third reads what the first two share, from memory, or, as
// the machine says, from the first of them.
Test(coherent_counts, a_sharer_gives_where_the_directory_forwards_clean_lines)
{
    for (int forwards = 0; forwards < 2; forwards++) {
        struct wm_memory_spec spec = coherent_cores(3);
        spec.levels[WM_LEVEL_L2].units_each = 1;
        spec.dram.clean_forward = forwards;
        struct wm_memory *memory = small_memory_new(&spec);
        const struct wm_directory_counters *directory = &memory->coherent->directory_counters;
        for (uint32_t core = 0; core < 3; core++)
            load(memory, core, 0); // from memory; from the owner; the third
        cr_expect_eq(directory->read_requests, 3);
        cr_expect_eq(directory->forwards, forwards ? 2 : 1);
        cr_expect_eq(memory->dram->bytes_read, forwards ? LINE : 2 * LINE);
        cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->forwards, forwards ? 2 : 1);
        cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->bytes_to_peers, forwards ? 2 * LINE : LINE);
        cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->downgrades, 1);
        cr_expect_eq(counted(memory, WM_LEVEL_L2, 2)->bytes_from_peers, forwards ? LINE : 0);
        store(memory, 2, 0); // all others' copies go
        cr_expect_eq(directory->invalidations, 2);
        wm_memory_free(memory);
    }
}

// The same pair of accesses with a shared last-level cache costs memory nothing.
Test(coherent_counts, two_sides_meet_in_a_shared_cache)
{
    struct wm_memory_spec spec = coherent_shared(1, 1);
    struct wm_memory *memory = small_memory_new(&spec);
    store(memory, 1, 0);
    load(memory, 0, 0);
    cr_expect_eq(counted(memory, CPU_L2, 0)->forwards, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->bytes_from_peers, LINE);
    cr_expect_eq(cache_at(memory, LAST, 0)->load_hits, 4);
    cr_expect_eq(cache_at(memory, LAST, 0)->load_misses, 4);
    cr_expect_eq(memory->dram->bytes_read, LINE);
    cr_expect_eq(memory->dram->bytes_written, 0);
    size_t count, caches = 0, directories = 0;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++) {
        caches += strcmp(components[i].set->kind, "coherence") == 0;
        directories += strcmp(components[i].set->kind, "directory") == 0;
    }
    cr_expect_eq(caches, 1 + 2 + 1 + 1 + 4); // each slice by itself
    cr_expect_eq(directories, 0);
    wm_memory_free(memory);
}

// An L1 that takes no part sends what it lacks, and its stores, to the L2, which makes the
// accesses.
Test(coherent_counts, incoherent_caches_above)
{
    struct wm_memory_spec spec = coherent_split(2, 1);
    struct wm_level_spec *l1 = &spec.levels[WM_LEVEL_L1];
    l1->coherence = WM_LEVEL_INCOHERENT;
    l1->cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    l1->cache.write_allocate = false;
    l1->cache.sector_bytes = 32;
    struct wm_memory *memory = small_memory_new(&spec);
    load(memory, 0, 32);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->fills, 1); // a sector
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->fills, 4); // a line
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->read_requests, 1);
    store(memory, 2, 0); // the core's: L1's copy gets old, as it takes no part
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->invalidations, 1);
    cr_expect(wm_memory_l1_holds(memory, 0, 32));
    store(memory, 1, 0);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->write_requests, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->coherence_misses, 1);
    access(memory, 0, 0, WM_ACCESS_ATOMIC);
    cr_expect_eq(counted(memory, WM_LEVEL_L2, 0)->locked_hits, 1);
    cr_expect_not(wm_memory_l1_holds(memory, 0, 0)); // as atomics do it
    wm_memory_free(memory);
}

// An SM, 0, whose L1 and L2 take no part, beside a core, 1: the last-level cache serves what L2
// sends as accesses at the home, and keeps no record of L2's copies.
Test(coherent_counts, incoherent_caches_beside_coherent_ones)
{
    struct wm_memory_spec spec = coherent_shared(1, 1);
    spec.levels[WM_LEVEL_L1].coherence = spec.levels[WM_LEVEL_L2].coherence = WM_LEVEL_INCOHERENT;
    spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    spec.levels[WM_LEVEL_L1].cache.write_allocate = false;
    struct wm_memory *memory = small_memory_new(&spec);
    store(memory, 1, 0);
    load(memory, 0, 0); // the core's copies are shared then, and the last-level cache has the data
    cr_expect_eq(counted(memory, CPU_L1, 0)->downgrades, 1);
    cr_expect_eq(counted(memory, CPU_L2, 0)->downgrades, 1);
    cr_expect_eq(cache_at(memory, CPU_L2, 0)->write_backs, 1);
    cr_expect_eq(cache_at(memory, LAST, 0)->bytes_to_above, 2 * LINE);
    cr_expect_eq(cache_at(memory, LAST, 0)->load_hits, 4);
    store(memory, 1, 0); // an upgrade, which invalidates none: the SM's copies get old
    cr_expect_eq(counted(memory, CPU_L2, 0)->upgrades, 1);
    cr_expect(wm_memory_l1_holds(memory, 0, 0));
    store(memory, 0, 0); // stays in L2, modified
    cr_expect_eq(counted(memory, CPU_L1, 0)->invalidations, 0);
    wm_memory_host_read(memory, 0,
                        4); // L2 writes back: a write at the home, which takes the core's
    cr_expect_eq(counted(memory, CPU_L1, 0)->invalidations, 1);
    cr_expect_eq(counted(memory, CPU_L2, 0)->invalidations, 1);
    cr_expect_eq(counted(memory, LAST, 0)->recalls, 1);
    cr_expect_eq(cache_at(memory, LAST, 0)->writeback_hits,
                 3 * 4); // whole lines, the first two the core's
    load(memory, 1, 0);
    cr_expect_eq(counted(memory, CPU_L1, 0)->coherence_misses, 1);
    store(memory, 1, 0);
    access(memory, 0, 0, WM_ACCESS_ATOMIC); // done at the home
    cr_expect_eq(counted(memory, CPU_L1, 0)->invalidations, 2);
    cr_expect_eq(counted(memory, LAST, 0)->locked_operations, 1);
    cr_expect_eq(counted(memory, LAST, 0)->locked_hits, 1);
    wm_memory_free(memory);
}

// What an instruction is charged: look-ups at each level, and bytes between them.
Test(coherent_counts, instructions_are_charged)
{
    struct wm_memory_spec spec = coherent_shared(1, 1);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_instruction_counters charged = {0};
    struct wm_request request = {
        .sectors = 3, .kind = WM_ACCESS_LOAD, .sm = 0, .instruction_counters = &charged};
    wm_memory_access(memory, &request);
    cr_expect_eq(charged.levels[WM_LEVEL_L1].misses, 2);
    cr_expect_eq(charged.levels[WM_LEVEL_L2].misses, 4);
    cr_expect_eq(charged.levels[WM_LEVEL_L2].bytes, LINE);
    cr_expect_eq(charged.levels[LAST].misses, 4);
    cr_expect_eq(charged.levels[LAST].bytes, LINE);
    cr_expect_eq(charged.memory_bytes, LINE);
    wm_memory_access(memory, &request);
    cr_expect_eq(charged.levels[WM_LEVEL_L1].hits, 2);
    cr_expect_eq(charged.levels[WM_LEVEL_L2].bytes, LINE);
    wm_memory_free(memory);
}

// --- Prefetchers and bypasses ---

static const struct wm_prefetcher_counters *prefetcher_of(const struct wm_memory *memory,
                                                          uint32_t level, uint32_t cache)
{
    return &memory->levels[level].prefetchers.counters[cache];
}

static struct wm_memory *prefetching(uint32_t level, uint64_t lines)
{
    struct wm_memory_spec spec = coherent_cores(2);
    spec.levels[level].prefetch = &wm_prefetch_next_line;
    spec.levels[level].prefetch_values = (struct wm_entry_values){{lines, 1, 16}, 7};
    return small_memory_new(&spec);
}

// What is prefetched is a line of the L1 as others are: in E, known at home, and a hit. L1s have
// two sets and two ways: lines 0 to 3 stay, line 4 displaces line 0.
Test(coherent_counts, a_prefetched_line_is_a_copy_as_others)
{
    struct wm_memory *memory = prefetching(WM_LEVEL_L1, 1);
    const struct wm_prefetcher_counters *it = prefetcher_of(memory, WM_LEVEL_L1, 0);
    const struct wm_coherence_counters *l1 = counted(memory, WM_LEVEL_L1, 0);
    load(memory, 0, 0); // and line 1
    cr_expect_eq(it->misses, 1);
    cr_expect_eq(it->prefetches, 1);
    cr_expect_eq(l1->read_requests, 2);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->accesses, 1, "a prefetch is no access");
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->bytes_from_below, 2 * LINE);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->load_accesses, 2);
    store(memory, 0, LINE); // E, so no upgrade; and line 2
    cr_expect_eq(l1->write_requests, 0);
    cr_expect_eq(it->supplied, 1);
    cr_expect_eq(it->misses, 2);
    cr_expect_eq(it->prefetches, 2);
    load(memory, 0, LINE); // it was used before
    cr_expect_eq(it->misses, 2);
    store(memory, 1, UINT64_C(2) * LINE); // the other L1's: takes line 2, and prefetches line 3
    cr_expect_eq(l1->invalidations, 1);
    cr_expect_eq(it->dropped, 1);
    load(memory, 0, UINT64_C(2) * LINE);
    cr_expect_eq(l1->coherence_misses, 1, "no copy was old");
    cr_expect_eq(it->supplied, 1);
    wm_memory_free(memory);
}

// A line that comes for nothing: it takes another core's exclusive copy, and displaces a line.
Test(coherent_counts, a_prefetch_that_harms)
{
    struct wm_memory *memory = prefetching(WM_LEVEL_L1, 1);
    const struct wm_prefetcher_counters *it = prefetcher_of(memory, WM_LEVEL_L1, 0);
    store(memory, 1, LINE); // core 1 owns line 1, and has line 2
    load(memory, 0, 0);     // core 0 reads line 0, and line 1
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 1)->downgrades, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 1)->forwards, 1);
    store(memory, 1, LINE);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 1)->upgrades, 1);
    cr_expect_eq(it->dropped, 1);
    load(memory, 0, UINT64_C(6) * LINE);  // and line 7
    load(memory, 0, UINT64_C(8) * LINE);  // and line 9
    load(memory, 0, UINT64_C(10) * LINE); // line 11 displaces line 7
    cr_expect_eq(it->dropped, 2);
    cr_expect_eq(it->supplied, 0);
    wm_memory_free(memory);
}

// Next to the L2: its lines are in no L1, and memory is read once for each.
Test(coherent_counts, a_prefetcher_of_a_home)
{
    struct wm_memory *memory = prefetching(WM_LEVEL_L2, 2);
    const struct wm_prefetcher_counters *it = prefetcher_of(memory, WM_LEVEL_L2, 0);
    load(memory, 0, 0);    // and lines 1 and 2
    load(memory, 1, LINE); // and line 3
    cr_expect_eq(it->prefetches, 3);
    cr_expect_eq(it->supplied, 1);
    cr_expect_eq(memory->dram->bytes_read, 4 * LINE);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->load_misses, 4, "sectors, of line 0");
    cr_expect_eq(cache_at(memory, WM_LEVEL_L2, 0)->bytes_to_above, 2 * LINE);
    cr_expect_eq(cache_at(memory, WM_LEVEL_L1, 0)->fills, 4);
    wm_memory_host_write(memory, UINT64_C(2) * LINE, LINE);
    cr_expect_eq(it->dropped, 1);
    wm_memory_free(memory);
}

static enum wm_bypass_decision goes_around(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    return event->pc == 0 ? WM_BYPASS_LOOKUP : WM_BYPASS_NO;
}

static const struct wm_bypass_ops around = {.name = "around", .decide = goes_around};

static void load_of(struct wm_memory *memory, uint32_t unit, uint64_t address, uint32_t pc)
{
    struct wm_request request = {
        .address = address, .sectors = 1, .kind = WM_ACCESS_LOAD, .sm = unit, .pc = pc};
    wm_memory_access(memory, &request);
}

// A load that goes around L1 takes no line there, and reads what was written last: of an owner,
// who shares it, or here.
Test(coherent_counts, a_load_around_a_coherent_l1)
{
    struct wm_memory_spec spec = coherent_cores(2);
    spec.levels[WM_LEVEL_L1].bypass = &around;
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_cache_counters *l1 = cache_at(memory, WM_LEVEL_L1, 0);
    const struct wm_coherence_counters *other = counted(memory, WM_LEVEL_L1, 1);
    store(memory, 1, 0);
    load_of(memory, 0, 0, 0);
    cr_expect_eq(l1->load_accesses_bypassed, 1);
    cr_expect_eq(l1->bypasses, 1);
    cr_expect_eq(l1->misses, 0);
    cr_expect_eq(l1->fills, 0);
    cr_expect_eq(l1->bytes_to_above, 32);
    cr_expect_eq(other->forwards, 1);
    cr_expect_eq(other->downgrades, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->read_requests, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->clean_puts, 1);
    cr_expect_not(wm_memory_l1_holds(memory, 0, 0));
    store(memory, 1, 0); // shared, by none else: no copy is invalidated
    cr_expect_eq(other->upgrades, 1);
    cr_expect_eq(counted(memory, WM_LEVEL_L1, 0)->invalidations, 0);
    load_of(memory, 0, 0, 1); // this one takes the line
    load_of(memory, 0, 0, 0); // and this one finds it
    cr_expect_eq(l1->load_hits, 1);
    cr_expect_eq(l1->load_accesses_bypassed, 1);
    cr_expect(wm_memory_l1_holds(memory, 0, 0));
    for (uint64_t line = 2; line < 60; line += 2) // which displace nothing
        load_of(memory, 0, line * LINE, 0);
    cr_expect_eq(l1->evictions, 0);
    wm_memory_free(memory);
}
