// Clients without copies of their own, which make accesses at a home that has caches above it, in
// time: the cycles of each, worked out by hand. L1s look up in 4 cycles and their home in 10; a
// link takes 3 cycles, and data 8 more for its flits behind the first.
#include "coherent_tree.h"
#include "mem/timed/coherent/packet_port.h"

#include <criterion/criterion.h>

enum { HOME = 4, LOCKED = 20 };

static const struct tree_level l1 = {
    .sets = 4, .ways = 2, .latency = 4, .mshr_entries = 4, .merges = 4, .evictions = 2};
static const struct tree_level l2 = {
    .sets = 16, .ways = 4, .latency = 10, .mshr_entries = 8, .merges = 8, .evictions = 4};

// Four L1s, 0 to 3, above an L2, HOME.
static void four_caches(struct tree *tree, const struct tree_level *home)
{
    const uint32_t homes[] = {HOME, HOME, HOME, HOME, HOME};
    const struct tree_level *levels[] = {&l1, &l1, &l1, &l1, home};
    tree_init(tree, 5, homes, levels);
}

static void access_and_settle(struct tree *tree, uint32_t node, enum wm_coherent_access_kind kind,
                              uint64_t line, uint32_t token, uint64_t cycle)
{
    cr_assert_not(wm_coherent_is_blocked(tree_access(tree, node, kind, line, token, cycle)));
    tree_settle(tree);
    tree_check_quiet(tree);
}

static uint8_t state_of(const struct tree *tree, uint32_t node, uint64_t line)
{
    return wm_coherent_caches_state(tree->timed, node, line).cache;
}

enum {
    PROBE = 10 + LINK + 4 + LINK, // the home's look-up, to the L1, its look-up, and its answer
    OWNER = PROBE + DATA_FLITS - 1,
};

Test(coherent_time_clients, a_load_finds_its_line_in_a_core_s_l1)
{
    struct tree tree;
    four_caches(&tree, &l2);
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 7, 0, 0); // no cache has the line
    cr_expect_eq(tree.done[0], 10 + MEMORY);
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 7, 1, 1000); // the home has it
    cr_expect_eq(tree.done[1], 1010);
    access_and_settle(&tree, 0, WM_COHERENT_STORE, 7, 2, 2000);
    cr_expect_eq(state_of(&tree, 0, 7), WM_COHERENCE_CACHE_M);
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 7, 3, 3000); // an L1 has modified it
    cr_expect_eq(tree.done[3], 3000 + OWNER);
    cr_expect_eq(tree.served[3], 0);
    cr_expect_eq(state_of(&tree, 0, 7), WM_COHERENCE_CACHE_S);
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 7, 4, 4000); // which shares it now
    cr_expect_eq(tree.done[4], 4010);
    access_and_settle(&tree, 1, WM_COHERENT_LOAD, 8, 5, 5000);
    cr_expect_eq(state_of(&tree, 1, 8), WM_COHERENCE_CACHE_E);
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 8, 6, 6000); // one has it, unmodified
    cr_expect_eq(tree.done[6], 6000 + PROBE);
    cr_expect_eq(tree.served[6], HOME);
    const struct wm_coherent_timing_counters *counters =
        wm_coherent_caches_counters(tree.timed, HOME, 0);
    cr_expect_eq(counters->loads, 5);
    cr_expect_eq(counters->load_cycles, 10 + MEMORY + 10 + OWNER + 10 + PROBE);
    tree_release(&tree);
}

// The home's port sends one Inv a cycle, so each sharer more takes one more.
Test(coherent_time_clients, a_store_takes_all_copies)
{
    for (uint32_t sharers = 1; sharers <= 4; sharers++) {
        struct tree tree;
        four_caches(&tree, &l2);
        access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 7, 0, 0);
        for (uint32_t i = 0; i < sharers; i++)
            access_and_settle(&tree, i, WM_COHERENT_LOAD, 7, 1 + i, 1000 * (1 + i));
        access_and_settle(&tree, HOME, WM_COHERENT_STORE, 7, 9, 9000);
        cr_expect_eq(tree.done[9], 9000 + PROBE + sharers - 1);
        for (uint32_t i = 0; i < sharers; i++)
            cr_expect_eq(state_of(&tree, i, 7), WM_COHERENCE_CACHE_I);
        cr_expect_eq(state_of(&tree, HOME, 7), WM_COHERENCE_CACHE_M);
        access_and_settle(&tree, 0, WM_COHERENT_LOAD, 7, 10, 10000); // it reads the store's data
        cr_expect_eq(tree.done[10], 10000 + 4 + LINK + 10 + LINK + DATA_FLITS - 1);
        tree_release(&tree);
    }
    struct tree tree;
    four_caches(&tree, &l2);
    access_and_settle(&tree, 2, WM_COHERENT_STORE, 7, 0, 0);
    access_and_settle(&tree, HOME, WM_COHERENT_STORE, 7, 1, 1000); // its data come, then the store
    cr_expect_eq(tree.done[1], 1000 + OWNER);
    access_and_settle(&tree, HOME, WM_COHERENT_STORE, 7, 2, 2000);
    cr_expect_eq(tree.done[2], 2010);
    tree_release(&tree);
}

Test(coherent_time_clients, an_atomic_meets_a_locked_operation)
{
    struct tree tree;
    four_caches(&tree, &l2);
    access_and_settle(&tree, 0, WM_COHERENT_STORE, 7, 0, 0);
    // The L1's operation reads after 4 cycles and writes 20 after that. Inv is with it in 13, and
    // waits for the write; then the home has its data, reads, and writes 20 later.
    tree_access(&tree, 0, WM_COHERENT_LOCKED, 7, 1, 1000);
    access_and_settle(&tree, HOME, WM_COHERENT_LOCKED, 7, 2, 1000);
    cr_expect_eq(tree.done[1], 1000 + 4 + LOCKED);
    cr_expect_eq(tree.done[2], 1000 + 4 + LOCKED + LINK + DATA_FLITS - 1 + LOCKED);
    // The other way about: the home has the line, reads after 10 cycles, and writes 20 later; then
    // GetM of the L1, which came in 7, is answered.
    tree_access(&tree, HOME, WM_COHERENT_LOCKED, 7, 3, 2000);
    cr_expect_eq(state_of(&tree, HOME, 7), WM_COHERENCE_CACHE_ML);
    access_and_settle(&tree, 1, WM_COHERENT_LOCKED, 7, 4, 2000);
    cr_expect_eq(tree.done[3], 2000 + 10 + LOCKED);
    cr_expect_eq(tree.done[4], 2000 + 10 + LOCKED + LINK + DATA_FLITS - 1 + LOCKED);
    cr_expect_eq(wm_coherent_caches_counters(tree.timed, HOME, 0)->locked_reads, 2);
    tree_release(&tree);
}

// Loads of a child and of a client of a line that another child has modified, at once: the first at
// the home is served first, and the other when that is over.
Test(coherent_time_clients, a_transaction_of_a_child_comes_first)
{
    struct tree tree;
    four_caches(&tree, &l2);
    access_and_settle(&tree, 0, WM_COHERENT_STORE, 7, 0, 0);
    tree_access(&tree, 1, WM_COHERENT_LOAD, 7, 1, 1000); // GetS is looked up in 7
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 7, 2, 1008);
    // The owner sends nine flits to its sibling in 24, and nine to the home behind them; the
    // sibling's Unblock comes in behind these.
    cr_expect_eq(tree.done[1], 1000 + 4 + LINK + 10 + LINK + 4 + LINK + DATA_FLITS - 1);
    cr_expect_eq(tree.done[2], 1024 + DATA_FLITS + LINK + DATA_FLITS);
    access_and_settle(&tree, 0, WM_COHERENT_STORE, 7, 3, 2000);
    tree_access(&tree, HOME, WM_COHERENT_LOAD, 7, 4, 3000);
    access_and_settle(&tree, 1, WM_COHERENT_LOAD, 7, 5, 3000); // waits for AckData, in 28
    cr_expect_eq(tree.done[4], 3000 + OWNER);
    cr_expect_eq(tree.done[5], 3000 + OWNER + LINK + DATA_FLITS - 1);
    tree_release(&tree);
}

// A home of one way. What it displaces is recalled from the L1 above, in the eviction buffer; a
// load of that line waits there until it has gone, and is fetched again.
Test(coherent_time_clients, a_load_of_a_line_that_is_being_evicted)
{
    struct tree tree;
    const struct tree_level two = {
        .sets = 1, .ways = 2, .latency = 10, .mshr_entries = 8, .merges = 8, .evictions = 2};
    four_caches(&tree, &two);
    access_and_settle(&tree, 0, WM_COHERENT_STORE, 7, 0, 0);
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 8, 1, 1000);
    tree_access(&tree, HOME, WM_COHERENT_LOAD, 9, 2, 2000); // displaces 7
    cr_expect_eq(tree_access(&tree, HOME, WM_COHERENT_LOAD, 7, 3, 2001), WM_COHERENT_WAITS);
    tree_settle(&tree);
    tree_check_quiet(&tree);
    // Inv leaves in 10, AckData is there in 28, PutM is with memory; the line is read then.
    cr_expect_geq(tree.done[3], 2000 + OWNER + MEMORY);
    cr_expect_eq(tree.memory[7], 1);
    tree_release(&tree);
}

// All MSHR entries of the home are taken: the client is refused, and called when something has
// happened there.
static void count_change(void *context, uint32_t node, uint32_t slice)
{
    struct tree *tree = context;
    (void)slice;
    tree->changes += node == HOME;
}

Test(coherent_time_clients, a_client_that_was_blocked_is_called)
{
    struct tree tree = {0};
    const struct tree_level one = {
        .sets = 16, .ways = 4, .latency = 10, .mshr_entries = 1, .merges = 8, .evictions = 4};
    const uint32_t homes[] = {HOME, HOME, HOME, HOME, HOME};
    const struct tree_level *levels[] = {&l1, &l1, &l1, &l1, &one};
    tree_init_with(&tree, 5, homes, levels, false, count_change);
    cr_expect_eq(tree_access(&tree, HOME, WM_COHERENT_LOAD, 7, 0, 0), WM_COHERENT_WAITS);
    cr_expect_eq(tree_access(&tree, HOME, WM_COHERENT_LOAD, 8, 1, 1), WM_COHERENT_NO_MSHR);
    cr_expect_eq(tree.changes, 0);
    tree_settle(&tree);
    cr_expect_eq(tree.changes, 1);
    access_and_settle(&tree, HOME, WM_COHERENT_LOAD, 8, 1, 1000);
    cr_expect_eq(tree.changes, 1); // it was not blocked again
    tree_release(&tree);
}

// Loads of a line that is being shared wait with the first, as many as may.
Test(coherent_time_clients, loads_wait_with_the_first)
{
    struct tree tree;
    const struct tree_level few = {
        .sets = 16, .ways = 4, .latency = 10, .mshr_entries = 8, .merges = 2, .evictions = 4};
    four_caches(&tree, &few);
    access_and_settle(&tree, 0, WM_COHERENT_STORE, 7, 0, 0);
    cr_expect_eq(tree_access(&tree, HOME, WM_COHERENT_LOAD, 7, 1, 1000), WM_COHERENT_WAITS);
    cr_expect_eq(tree_access(&tree, HOME, WM_COHERENT_LOAD, 7, 2, 1001), WM_COHERENT_WAITS);
    cr_expect_eq(tree_access(&tree, HOME, WM_COHERENT_LOAD, 7, 3, 1002), WM_COHERENT_NO_MERGE);
    tree_settle(&tree);
    cr_expect_eq(tree.done[1], 1000 + OWNER);
    cr_expect_eq(tree.done[2], 1000 + OWNER);
    const struct wm_coherent_timing_counters *counters =
        wm_coherent_caches_counters(tree.timed, HOME, 0);
    cr_expect_eq(counters->merged, 1);
    cr_expect_eq(counters->blocked_merge, 1);
    tree_check_quiet(&tree);
    tree_release(&tree);
}

// --- Packets ---

enum { TOKEN = 1000, SHIFT = 7, FLIT = 40 };

static struct wm_coherent_packet_port port_at_home(struct tree *tree)
{
    const struct wm_coherent_packet_port_spec spec = {.caches = tree->timed,
                                                      .token = TOKEN,
                                                      .node = HOME,
                                                      .line_shift = SHIFT,
                                                      .room = 4,
                                                      .flit_bytes = FLIT,
                                                      .level = 2};
    struct wm_coherent_packet_port port;
    struct wm_error error;
    cr_assert_eq(wm_coherent_packet_port_init(&port, &spec, &error), WM_OK);
    return port;
}

// A packet that comes in a cycle, and is looked up in it: when its access is done.
static uint64_t done_of(struct tree *tree, struct wm_coherent_packet_port *port,
                        enum wm_cache_client client, uint64_t line, uint64_t cycle)
{
    const struct wm_packet packet = {
        .address = line << SHIFT, .sectors = 2, .client = (uint8_t)client, .rounds = 5};
    tree->done[TOKEN] = WM_NEVER;
    cr_assert(wm_coherent_caches_advance(tree->timed, cycle));
    wm_coherent_packet_port_put(port, &packet);
    wm_coherent_packet_port_look_up(port, cycle);
    tree_settle(tree);
    cr_assert_neq(tree->done[TOKEN], WM_NEVER);
    wm_coherent_packet_port_done(port, TOKEN, tree->done[TOKEN], 2);
    tree_check_quiet(tree);
    return tree->done[TOKEN] - cycle;
}

// A GPU's L2 without coherence sends what it lacks, writes back, and hands on to the home.
Test(coherent_time_clients, packets_find_lines_that_cores_hold)
{
    struct tree tree;
    four_caches(&tree, &l2);
    struct wm_coherent_packet_port port = port_at_home(&tree);
    const struct wm_cache_counters *counters = &tree.caches[HOME][0].counters;
    for (uint32_t core = 0; core < 3; core++)
        access_and_settle(&tree, core, WM_COHERENT_LOAD, 7, core, 1000 * core);
    uint64_t before = counters->writeback_accesses;
    cr_expect_eq(done_of(&tree, &port, WM_CACHE_WRITEBACK, 7, 10000), PROBE + 2); // three share it
    cr_expect_eq(counters->writeback_accesses - before, 1);                       // one sector
    cr_expect_eq(state_of(&tree, 0, 7), WM_COHERENCE_CACHE_I);
    access_and_settle(&tree, 1, WM_COHERENT_LOAD, 7, 3, 11000); // reads what was written back
    access_and_settle(&tree, 1, WM_COHERENT_STORE, 7, 4, 12000);
    cr_expect_eq(done_of(&tree, &port, WM_CACHE_WRITEBACK, 7, 13000), OWNER); // one has modified it
    access_and_settle(&tree, 1, WM_COHERENT_STORE, 7, 5, 14000);
    cr_expect_eq(done_of(&tree, &port, WM_CACHE_LOAD, 7, 15000), OWNER);
    cr_expect_eq(done_of(&tree, &port, WM_CACHE_STORE, 7, 16000), PROBE); // which shares it since
    access_and_settle(&tree, 2, WM_COHERENT_STORE, 7, 6, 17000);
    cr_expect_eq(done_of(&tree, &port, WM_CACHE_ATOMIC, 7, 18000), OWNER + 5); // of five lanes
    cr_expect_eq(tree.memory[7], 0); // none of it has left the home
    wm_coherent_packet_port_release(&port);
    tree_release(&tree);
}
