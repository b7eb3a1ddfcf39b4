// Coherent caches in time: the cycles of each transaction, worked out by hand. L1s look up in 4
// cycles and their home in 10; a link takes 3 cycles, and data 8 more for its flits behind the
// first.
#include "coherent_tree.h"
#include "mem/timed/network/crossbar.h"

#include <criterion/criterion.h>

static const struct tree_level l1 = {
    .sets = 4, .ways = 2, .latency = 4, .mshr_entries = 4, .merges = 4, .evictions = 2};
static const struct tree_level l2 = {
    .sets = 16, .ways = 4, .latency = 10, .mshr_entries = 8, .merges = 8, .evictions = 4};
static const struct tree_level directory = {.latency = 6};

// Four L1s, 0 to 3, above an L2.
static void four_caches(struct tree *tree, const struct tree_level *above,
                        const struct tree_level *home)
{
    const uint32_t homes[] = {4, 4, 4, 4, 4};
    const struct tree_level *levels[] = {above, above, above, above, home};
    tree_init(tree, 5, homes, levels);
}

// An access when all is quiet: it is done in so many cycles, and not before.
static void expect_cycles(struct tree *tree, uint32_t node, enum wm_coherent_access_kind kind,
                          uint64_t line, uint32_t token, uint64_t begin, uint64_t cycles)
{
    tree_settle(tree);
    cr_assert_not(wm_coherent_is_blocked(tree_access(tree, node, kind, line, token, begin)));
    cr_assert(wm_coherent_caches_advance(tree->timed, begin + cycles - 1));
    cr_assert(tree->done[token] == WM_NEVER || tree->done[token] == begin + cycles, "done in %llu",
              (unsigned long long)(tree->done[token] - begin));
    cr_assert(wm_coherent_caches_advance(tree->timed, begin + cycles));
    cr_assert_eq(tree->done[token], begin + cycles, "done in %llu and not %llu",
                 (unsigned long long)(tree->done[token] - begin), (unsigned long long)cycles);
    tree_settle(tree);
    tree_check_quiet(tree);
}

// 4 look-up, 3 link, 10 look-up, 50 memory, 3 link, 8 for the other flits.
enum { MISS = 4 + LINK + 10 + MEMORY + LINK + DATA_FLITS - 1 };

Test(coherent_time, a_hit_and_a_miss_to_memory)
{
    struct tree tree;
    four_caches(&tree, &l1, &l2);
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 0, 0, MISS);
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 1, 1000, 4);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 7, 2, 2000, 4); // exclusive: no message
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 3, 3000, 4);
    expect_cycles(&tree, 1, WM_COHERENT_STORE, 9, 4, 4000, MISS);
    const struct wm_coherent_timing_counters *counters =
        wm_coherent_caches_counters(tree.timed, 0, 0);
    cr_expect_eq(counters->loads, 3);
    cr_expect_eq(counters->load_cycles, MISS + 4 + 4);
    cr_expect_eq(counters->stores, 1);
    cr_expect_eq(counters->store_cycles, 4);
    tree_release(&tree);
}

Test(coherent_time, a_shared_copy_and_an_owner)
{
    struct tree tree;
    four_caches(&tree, &l1, &l2);
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 0, 0, MISS);
    // To the owner: link, L2, link, the owner's look-up, link with data.
    enum { THREE_HOPS = 4 + LINK + 10 + LINK + 4 + LINK + DATA_FLITS - 1 };
    expect_cycles(&tree, 1, WM_COHERENT_LOAD, 7, 1, 1000, THREE_HOPS);
    expect_cycles(&tree, 2, WM_COHERENT_LOAD, 7, 2, 2000, 4 + LINK + 10 + LINK + DATA_FLITS - 1);
    expect_cycles(&tree, 3, WM_COHERENT_STORE, 8, 3, 3000, MISS);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 8, 4, 4000, THREE_HOPS);
    expect_cycles(&tree, 1, WM_COHERENT_LOAD, 8, 5, 5000, THREE_HOPS);
    tree_release(&tree);
}

// The home's port sends one Inv a cycle, so each sharer more takes one more.
Test(coherent_time, an_upgrade_takes_a_cycle_for_each_sharer_more)
{
    enum { ALONE = 4 + LINK + 10 + LINK, WITH_ONE = ALONE + 4 + 2 * LINK };
    static const uint32_t cycles[] = {WITH_ONE, WITH_ONE + 1, WITH_ONE + 2};
    for (uint32_t others = 1; others <= 3; others++) {
        struct tree tree;
        four_caches(&tree, &l1, &l2);
        for (uint32_t i = 0; i <= others; i++) {
            tree_access(&tree, i, WM_COHERENT_LOAD, 7, i, 1000 * i);
            tree_settle(&tree);
        }
        expect_cycles(&tree, 0, WM_COHERENT_STORE, 7, 10, 9000, cycles[others - 1]);
        tree_release(&tree);
    }
    // The only sharer left, as the other one has evicted the line.
    struct tree tree;
    four_caches(&tree, &l1, &l2);
    for (uint32_t i = 0; i < 2; i++) {
        tree_access(&tree, i, WM_COHERENT_LOAD, 7, i, 1000 * i);
        tree_settle(&tree);
    }
    for (uint32_t i = 0; i < 2; i++) {
        tree_access(&tree, 1, WM_COHERENT_LOAD, 11 + 4 * i, 2 + i, 3000 + 1000 * i);
        tree_settle(&tree);
    }
    cr_assert_eq(wm_coherent_caches_state(tree.timed, 1, 7).cache, WM_COHERENCE_CACHE_I);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 7, 10, 9000, ALONE);
    tree_release(&tree);
}

Test(coherent_time, a_locked_operation_met_by_a_probe)
{
    struct tree tree;
    four_caches(&tree, &l1, &l2);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 7, 0, 0, MISS);
    // It reads after 4 cycles and writes 20 after that. GetS is with the home in cycle 8, the probe
    // with the owner in 21: it waits for the write, and its own look-up is over in 25.
    tree_access(&tree, 0, WM_COHERENT_LOCKED, 7, 1, 1000);
    tree_access(&tree, 1, WM_COHERENT_LOAD, 7, 2, 1001);
    cr_assert(wm_coherent_caches_advance(tree.timed, 1023));
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 0, 7).cache, WM_COHERENCE_CACHE_ML);
    cr_expect_eq(tree.done[1], WM_NEVER);
    cr_assert(wm_coherent_caches_advance(tree.timed, 1024));
    cr_expect_eq(tree.done[1], 1024);
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 0, 7).cache, WM_COHERENCE_CACHE_S);
    tree_settle(&tree);
    cr_expect_eq(tree.done[2], 1025 + LINK + DATA_FLITS - 1);
    const struct wm_coherent_timing_counters *counters =
        wm_coherent_caches_counters(tree.timed, 0, 0);
    cr_expect_eq(counters->locked_reads, 1);
    cr_expect_eq(counters->locked_read_cycles, 4);
    cr_expect_eq(counters->deferred, 1);
    // One that comes while another's is locked reads when that has written.
    tree_access(&tree, 0, WM_COHERENT_LOCKED, 8, 3, 2000);
    tree_settle(&tree);
    tree_access(&tree, 0, WM_COHERENT_LOCKED, 8, 4, 3000);
    tree_access(&tree, 0, WM_COHERENT_LOCKED, 8, 5, 3001);
    tree_settle(&tree);
    cr_expect_eq(tree.done[4], 3024);
    cr_expect_eq(tree.done[5], 3044);
    tree_check_quiet(&tree);
    tree_release(&tree);
}

Test(coherent_time, accesses_merge_and_full_mshrs_block)
{
    struct tree tree;
    const struct tree_level one = {
        .sets = 4, .ways = 2, .latency = 4, .mshr_entries = 1, .merges = 2, .evictions = 2};
    four_caches(&tree, &one, &l2);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 7, 0, 0), WM_COHERENT_WAITS);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 7, 1, 5), WM_COHERENT_WAITS);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 7, 2, 6), WM_COHERENT_NO_MERGE);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 8, 3, 7), WM_COHERENT_NO_MSHR);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 8, 3, MISS - 1), WM_COHERENT_NO_MSHR);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 8, 3, MISS), WM_COHERENT_WAITS);
    cr_expect_eq(tree.done[0], MISS);
    cr_expect_eq(tree.done[1], MISS);
    const struct wm_coherent_timing_counters *counters =
        wm_coherent_caches_counters(tree.timed, 0, 0);
    cr_expect_eq(counters->merged, 1);
    cr_expect_eq(counters->blocked_merge, 1);
    cr_expect_eq(counters->blocked_mshr, 2);
    tree_settle(&tree);
    tree_check_quiet(&tree);
    tree_release(&tree);
}

// An L2 of one way: what it displaces leaves the L1 above, while the new line is on its way.
Test(coherent_time, a_back_invalidation)
{
    struct tree tree;
    const struct tree_level narrow = {
        .sets = 1, .ways = 1, .latency = 10, .mshr_entries = 8, .merges = 8, .evictions = 1};
    four_caches(&tree, &l1, &narrow);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 7, 0, 0, MISS);
    tree_access(&tree, 1, WM_COHERENT_LOAD, 8, 1, 1000);
    // Inv leaves when the request has been looked up, in 17, and is taken in 20.
    cr_assert(wm_coherent_caches_advance(tree.timed, 1019));
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 0, 7).cache, WM_COHERENCE_CACHE_M);
    cr_assert(wm_coherent_caches_advance(tree.timed, 1020));
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 0, 7).cache, WM_COHERENCE_CACHE_I);
    // Its data are back in 24 + 3 + 8, and are written to memory then.
    cr_assert(wm_coherent_caches_advance(tree.timed, 1034));
    cr_expect_eq(tree.memory[7], 0);
    cr_assert(wm_coherent_caches_advance(tree.timed, 1035));
    cr_expect_eq(tree.memory[7], 1);
    tree_settle(&tree);
    cr_expect_eq(tree.done[1], 1000 + MISS); // which did not wait for that
    tree_check_quiet(&tree);
    tree_release(&tree);
}

// A victim's Put and a probe for it cross: the eviction buffer answers.
Test(coherent_time, a_write_back_that_meets_a_probe)
{
    struct tree tree;
    const struct tree_level narrow = {
        .sets = 1, .ways = 1, .latency = 4, .mshr_entries = 4, .merges = 4, .evictions = 1};
    four_caches(&tree, &narrow, &l2);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 7, 0, 0, MISS);
    tree_access(&tree, 0, WM_COHERENT_LOAD, 8, 1, 1000); // 7 leaves: PutM begins in 5, behind GetS
    tree_access(&tree, 1, WM_COHERENT_LOAD, 7, 2, 1000);
    cr_assert(wm_coherent_caches_advance(tree.timed, 1020));
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 0, 7).cache, WM_COHERENCE_CACHE_MI);
    // The second GetS comes in 8, behind the first; FwdGetS is taken in 21, its data leave in 25.
    cr_assert(wm_coherent_caches_advance(tree.timed, 1021));
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 0, 7).cache, WM_COHERENCE_CACHE_SI);
    tree_settle(&tree);
    cr_expect_eq(tree.done[2], 1025 + LINK + DATA_FLITS - 1);
    tree_check_quiet(&tree);
    // While an entry of the buffer is taken another victim waits.
    tree_access(&tree, 1, WM_COHERENT_LOAD, 9, 3, 2000);
    cr_expect_eq(tree_access(&tree, 1, WM_COHERENT_LOAD, 10, 4, 2001), WM_COHERENT_NO_WAY);
    cr_expect_eq(wm_coherent_caches_counters(tree.timed, 1, 0)->blocked_way, 1);
    tree_settle(&tree);
    tree_release(&tree);
}

// Of two messages with data that are ready one after another, the second waits for nine flits.
Test(coherent_time, ports_send_and_take_a_flit_a_cycle)
{
    struct tree tree;
    four_caches(&tree, &l1, &l2);
    for (uint32_t i = 0; i < 4; i++) { // lines 7 and 8 are shared by caches 2 and 3
        tree_access(&tree, 2 + i % 2, WM_COHERENT_LOAD, 7 + i / 2, i, 1000 * i);
        tree_settle(&tree);
    }
    enum { READY = 4 + LINK + 10, BEHIND = LINK + DATA_FLITS - 1 };
    tree_access(&tree, 0, WM_COHERENT_LOAD, 7, 10, 9000);
    tree_access(&tree, 1, WM_COHERENT_LOAD, 8, 11, 9000);
    tree_settle(&tree);
    cr_expect_eq(tree.done[10], 9000 + READY + BEHIND);
    cr_expect_eq(tree.done[11], 9000 + READY + DATA_FLITS + BEHIND);
    // And of two caches' to one, which owns neither line: the second comes a cycle behind the
    // first.
    tree_access(&tree, 2, WM_COHERENT_STORE, 12, 12, 10000);
    tree_access(&tree, 3, WM_COHERENT_STORE, 13, 13, 11000);
    tree_settle(&tree);
    tree_access(&tree, 0, WM_COHERENT_LOAD, 12, 14, 12000);
    tree_access(&tree, 0, WM_COHERENT_LOAD, 13, 15, 12001);
    tree_settle(&tree);
    cr_expect_eq(tree.done[14], 12000 + READY + LINK + 4 + BEHIND);
    cr_expect_eq(tree.done[15], 12000 + READY + LINK + 4 + BEHIND + DATA_FLITS);
    tree_release(&tree);
}

// An owner gives each line twice, to the requester and, modified, to the home: of lines that are
// loaded at once each waits for eighteen flits of the owner's port more than the one before.
Test(coherent_time, an_owner_gives_lines_one_after_another)
{
    enum { LINES = 4, THREE_HOPS = 4 + LINK + 10 + LINK + 4 + LINK + DATA_FLITS - 1 };
    struct tree tree;
    four_caches(&tree, &l1, &l2);
    for (uint32_t i = 0; i < LINES; i++) {
        tree_access(&tree, 0, WM_COHERENT_STORE, 8 + i, i, 1000 * i);
        tree_settle(&tree);
    }
    const struct wm_link_counters *port = wm_coherent_caches_port(tree.timed, 0, 0, true);
    uint64_t flits = port->flits;
    for (uint32_t i = 0; i < LINES; i++)
        tree_access(&tree, 1, WM_COHERENT_LOAD, 8 + i, LINES + i, 9000);
    tree_settle(&tree);
    for (uint32_t i = 0; i < LINES; i++)
        cr_expect_eq(tree.done[LINES + i], 9000 + THREE_HOPS + i * 2 * DATA_FLITS, "%u in %llu", i,
                     (unsigned long long)(tree.done[LINES + i] - 9000));
    cr_expect_eq(port->flits - flits, LINES * 2 * DATA_FLITS);
    tree_check_quiet(&tree);
    tree_release(&tree);
}

// Two last-level caches that meet at the directory at memory.
Test(coherent_time, two_sides_meet_at_the_directory)
{
    struct tree tree;
    const uint32_t homes[] = {2, 3, 4, 4, 4};
    const struct tree_level *levels[] = {&l1, &l1, &l2, &l2, &directory};
    tree_init(&tree, 5, homes, levels);
    enum { TO_HOME = 4 + LINK + 10 + LINK + 6, BACK = LINK + DATA_FLITS - 1 };
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 0, 0, TO_HOME + MEMORY + 2 * BACK);
    // The owner's last-level cache has its L1 downgraded, and gives the line itself.
    expect_cycles(&tree, 1, WM_COHERENT_LOAD, 7, 1, 1000,
                  TO_HOME + LINK + 10 + LINK + 4 + LINK + 2 * BACK);
    expect_cycles(&tree, 1, WM_COHERENT_STORE, 7, 2, 2000,
                  TO_HOME + LINK + 10 + LINK + 4 + LINK + LINK + LINK + LINK);
    tree_release(&tree);
}

// Three caches under a directory, two of which share a line: the third gets it from memory, or from
// the first of them, in fewer cycles.
Test(coherent_time, a_sharer_gives_a_clean_line)
{
    const uint32_t homes[] = {3, 3, 3, 3};
    const struct tree_level *levels[] = {&l1, &l1, &l1, &directory};
    enum { TO_HOME = 4 + LINK + 6, BACK = LINK + DATA_FLITS - 1 };
    for (int forwards = 0; forwards < 2; forwards++) {
        struct tree tree;
        (forwards ? tree_init_forwarding : tree_init)(&tree, 4, homes, levels);
        expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 0, 0, TO_HOME + MEMORY + BACK);
        expect_cycles(&tree, 1, WM_COHERENT_LOAD, 7, 1, 1000, TO_HOME + LINK + 4 + BACK);
        expect_cycles(&tree, 2, WM_COHERENT_LOAD, 7, 2, 2000,
                      TO_HOME + (forwards ? LINK + 4 : MEMORY) + BACK);
        cr_expect_eq(wm_coherent_caches_counters(tree.timed, 3, 0)->memory_reads, forwards ? 1 : 2);
        // Of the first two, whose copies stay, the second writes: the others' go.
        expect_cycles(&tree, 1, WM_COHERENT_STORE, 7, 3, 3000,
                      TO_HOME + LINK + 4 + LINK + LINK + 1);
        tree_release(&tree);
    }
}

// --- Prefetchers and bypasses ---

static const struct wm_prefetcher_counters *prefetcher_of(const struct tree *tree, uint32_t node)
{
    return &tree->levels[node].prefetchers.counters[0];
}

// The request for line 1 leaves a cycle behind that for line 0, and so on: but the L2's port sends
// nine flits of data for each, so line 1 comes nine cycles later. A load of it that comes in
// between waits for it, and one that comes later hits.
Test(coherent_time, a_prefetched_line_comes_behind_the_demanded_one)
{
    struct tree tree;
    struct tree_level with = l1;
    with.prefetch_lines = 1;
    four_caches(&tree, &with, &l2);
    tree_access(&tree, 0, WM_COHERENT_LOAD, 0, 0, 0);
    cr_expect_eq(prefetcher_of(&tree, 0)->prefetches, 1);
    tree_access(&tree, 0, WM_COHERENT_LOAD, 1, 1, 50);
    tree_settle(&tree);
    cr_expect_eq(tree.done[0], MISS);
    cr_expect_eq(tree.done[1], MISS + DATA_FLITS);
    const struct wm_coherent_timing_counters *counters =
        wm_coherent_caches_counters(tree.timed, 0, 0);
    cr_expect_eq(counters->prefetches_late, 1);
    cr_expect_eq(tree.caches[0][0].counters.misses, 1, "it is a hit, that waits");
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 2, 2, 1000, 4);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 3, 3, 2000, 4); // it came in E
    cr_expect_eq(counters->prefetches_late, 1);
    cr_expect_eq(prefetcher_of(&tree, 0)->supplied, 3);
    cr_expect_eq(prefetcher_of(&tree, 0)->prefetches, 4);
    tree_release(&tree);
}

// An MSHR entry is left to accesses: of two entries the demand has one, of three a prefetch one.
Test(coherent_time, an_mshr_entry_is_left_to_accesses)
{
    for (uint32_t entries = 2; entries <= 4; entries++) {
        struct tree tree;
        struct tree_level with = l1;
        with.prefetch_lines = 2;
        with.mshr_entries = entries;
        four_caches(&tree, &with, &l2);
        tree_access(&tree, 0, WM_COHERENT_LOAD, 0, 0, 0);
        cr_expect_eq(prefetcher_of(&tree, 0)->prefetches, entries - 2);
        cr_expect_eq(wm_coherent_caches_counters(tree.timed, 0, 0)->prefetches_refused,
                     4 - entries);
        cr_expect_not(wm_coherent_is_blocked(tree_access(&tree, 0, WM_COHERENT_LOAD, 100, 1, 1)));
        tree_settle(&tree);
        tree_check_quiet(&tree);
        tree_release(&tree);
    }
}

// A load that bypasses its cache takes as long as a miss, and an owner shares the line. It leaves
// no copy, displaces none, and those that wait with it are served with it.
Test(coherent_time, a_load_that_bypasses)
{
    enum { THREE_HOPS = 4 + LINK + 10 + LINK + 4 + LINK + DATA_FLITS - 1 };
    struct tree tree;
    four_caches(&tree, &l1, &l2);
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 0, 0, 0, MISS);
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 4, 1, 1000, MISS); // both ways of the set
    expect_cycles(&tree, 1, WM_COHERENT_STORE, 8, 2, 2000, MISS);
    tree_load_past(&tree, 0, 8, 3, 3000);
    tree_load_past(&tree, 0, 8, 4, 3001);
    tree_load_past(&tree, 0, 0, 5, 3002); // which is there
    tree_settle(&tree);
    cr_expect_eq(tree.done[3], 3000 + THREE_HOPS);
    cr_expect_eq(tree.done[4], 3000 + THREE_HOPS);
    cr_expect_eq(tree.done[5], 3002 + 4);
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 0, 8).cache, WM_COHERENCE_CACHE_I);
    cr_expect_eq(wm_coherent_caches_state(tree.timed, 1, 8).cache, WM_COHERENCE_CACHE_S);
    const struct wm_cache_counters *cache = &tree.caches[0][0].counters;
    cr_expect_eq(cache->load_accesses_bypassed, 2);
    cr_expect_eq(cache->misses, 2);
    cr_expect_eq(cache->evictions, 0);
    tree_check_quiet(&tree);
    // They take an MSHR entry and room in the eviction buffer, of which there are two.
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_eq(tree_load_past(&tree, 0, 20 + i, 6 + i, 5000),
                     i < 2 ? WM_COHERENT_WAITS : WM_COHERENT_NO_EVICTION);
    tree_settle(&tree);
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 4, 9, 9000, 4);
    tree_release(&tree);
}
