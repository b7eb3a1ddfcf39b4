// The latency of the ways between coherent levels, and to memory, where they differ: cycles worked
// out by hand. L1s look up in 4 cycles and their home in 10; data take 8 cycles more for their
// flits behind the first.
#include "coherent_machines.h"
#include "coherent_tree.h"
#include "fixed_dram.h"
#include "mem/timed/coherent/memory_caches.h"
#include "small_memory.h"

#include <criterion/criterion.h>

enum { NEAR = 3, FAR = 7, TO_MEMORY = 5, TO_DIRECTORY = 15, BEHIND = DATA_FLITS - 1 };

#define L1_OF(cycles)                                                                       \
    {                                                                                       \
        .sets = 4, .ways = 2, .latency = 4, .mshr_entries = 4, .merges = 4, .evictions = 2, \
        .link = (cycles)                                                                    \
    }
#define L2_OF(cycles)                                                                         \
    {                                                                                         \
        .sets = 16, .ways = 4, .latency = 10, .mshr_entries = 8, .merges = 8, .evictions = 4, \
        .link = (cycles)                                                                      \
    }
static const struct tree_level near_l1 = L1_OF(NEAR), far_l1 = L1_OF(FAR);
static const struct tree_level root = L2_OF(TO_MEMORY), last = L2_OF(TO_DIRECTORY);
static const struct tree_level directory = {.latency = 6};

// Two L1s near their home, 0 and 1, and two far from it, 2 and 3.
static void near_and_far(struct tree *tree)
{
    const uint32_t homes[] = {4, 4, 4, 4, 4};
    const struct tree_level *levels[] = {&near_l1, &near_l1, &far_l1, &far_l1, &root};
    tree_init(tree, 5, homes, levels);
}

// An access when all is quiet takes so many cycles.
static void expect_cycles(struct tree *tree, uint32_t node, enum wm_coherent_access_kind kind,
                          uint64_t line, uint32_t token, uint64_t cycles)
{
    uint64_t begin = 1000 * (uint64_t)(token + 1);
    tree_settle(tree);
    cr_assert_not(wm_coherent_is_blocked(tree_access(tree, node, kind, line, token, begin)));
    tree_settle(tree);
    cr_expect_eq(tree->done[token], begin + cycles, "access %u in %llu and not %llu", token,
                 (unsigned long long)(tree->done[token] - begin), (unsigned long long)cycles);
    tree_check_quiet(tree);
}

Test(coherent_link, each_way_takes_its_own_cycles)
{
    struct tree tree;
    near_and_far(&tree);
    enum { AT_MEMORY = 10 + TO_MEMORY + MEMORY + TO_MEMORY };
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 0, 4 + NEAR + AT_MEMORY + NEAR + BEHIND);
    expect_cycles(&tree, 2, WM_COHERENT_STORE, 8, 1, 4 + FAR + AT_MEMORY + FAR + BEHIND);
    expect_cycles(&tree, 2, WM_COHERENT_LOAD, 8, 2, 4); // a hit takes none
    const struct wm_coherent_timing_counters *counters =
        wm_coherent_caches_counters(tree.timed, 4, 0);
    cr_expect_eq(counters->memory_reads, 2);
    cr_expect_eq(counters->memory_read_cycles, 2 * (TO_MEMORY + MEMORY + TO_MEMORY));
    tree_release(&tree);
}

// The request and the probe take the way of the one and of the other; the data that of the farther.
Test(coherent_link, an_owner_gives_over_the_longer_way)
{
    struct tree tree;
    near_and_far(&tree);
    tree_access(&tree, 0, WM_COHERENT_STORE, 7, 0, 0);
    expect_cycles(&tree, 2, WM_COHERENT_LOAD, 7, 1, 4 + FAR + 10 + NEAR + 4 + FAR + BEHIND);
    // Of a line that the home has, too.
    expect_cycles(&tree, 1, WM_COHERENT_LOAD, 7, 2, 4 + NEAR + 10 + NEAR + BEHIND);
    tree_settle(&tree);
    tree_access(&tree, 3, WM_COHERENT_STORE, 8, 3, 10000);
    tree_settle(&tree);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 8, 20, 4 + NEAR + 10 + FAR + 4 + FAR + BEHIND);
    expect_cycles(&tree, 1, WM_COHERENT_LOAD, 8, 21, 4 + NEAR + 10 + NEAR + 4 + NEAR + BEHIND);
    tree_release(&tree);
}

// Of the sharers the farthest one's answer is waited for; its probe leaves behind the others'.
Test(coherent_link, an_upgrade_waits_for_the_farthest_sharer)
{
    static const struct {
        uint32_t sharers[3], count; // the first of them writes
        uint64_t cycles;
    } upgrades[] = {
        {{0}, 1, 4 + NEAR + 10 + NEAR},
        {{2}, 1, 4 + FAR + 10 + FAR},
        {{0, 1}, 2, 4 + NEAR + 10 + NEAR + 4 + NEAR + NEAR},
        {{0, 2}, 2, 4 + NEAR + 10 + FAR + 4 + FAR + NEAR},
        {{0, 1, 2}, 3, 4 + NEAR + 10 + 1 + FAR + 4 + FAR + NEAR},
        {{2, 0, 1}, 3, 4 + FAR + 10 + 1 + NEAR + 4 + NEAR + FAR},
        {{2, 1, 3}, 3, 4 + FAR + 10 + 1 + FAR + 4 + FAR + FAR},
    };
    for (size_t i = 0; i < sizeof upgrades / sizeof upgrades[0]; i++) {
        struct tree tree;
        near_and_far(&tree);
        // A second reader, whose copy is evicted again, so that the only sharer's is in S.
        tree_access(&tree, 1 + 2 * (upgrades[i].sharers[0] / 2), WM_COHERENT_LOAD, 7, 0, 0);
        for (uint32_t k = 0; k < upgrades[i].count; k++) {
            tree_settle(&tree);
            tree_access(&tree, upgrades[i].sharers[k], WM_COHERENT_LOAD, 7, 1 + k, 1000 * (k + 1));
        }
        bool keeps = false;
        uint32_t second = 1 + 2 * (upgrades[i].sharers[0] / 2);
        for (uint32_t k = 0; k < upgrades[i].count; k++)
            keeps |= upgrades[i].sharers[k] == second;
        for (uint32_t k = 0; k < 2 && !keeps; k++) {
            tree_settle(&tree);
            tree_access(&tree, second, WM_COHERENT_LOAD, 11 + 4 * k, 5 + k, 5000 + 1000 * k);
        }
        expect_cycles(&tree, upgrades[i].sharers[0], WM_COHERENT_STORE, 7, 20, upgrades[i].cycles);
        tree_release(&tree);
    }
}

// Two sides, each an L1 above a last-level cache, which meet in the directory.
Test(coherent_link, from_side_to_side_is_over_the_directory_and_back_by_one_way)
{
    struct tree tree;
    const uint32_t homes[] = {2, 3, 4, 4, 4};
    const struct tree_level *levels[] = {&near_l1, &far_l1, &last, &last, &directory};
    tree_init(&tree, 5, homes, levels);
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 0,
                  4 + NEAR + 10 + TO_DIRECTORY + 6 + MEMORY + TO_DIRECTORY + BEHIND + NEAR +
                      BEHIND);
    // The owner's last-level cache has its L1 downgraded, and gives the line over one way.
    expect_cycles(&tree, 1, WM_COHERENT_LOAD, 7, 1,
                  4 + FAR + 10 + TO_DIRECTORY + 6 + TO_DIRECTORY + 10 + NEAR + 4 + NEAR +
                      TO_DIRECTORY + BEHIND + FAR + BEHIND);
    expect_cycles(&tree, 1, WM_COHERENT_STORE, 7, 2,
                  4 + FAR + 10 + TO_DIRECTORY + 6 + TO_DIRECTORY + 10 + NEAR + 4 + NEAR +
                      TO_DIRECTORY + TO_DIRECTORY + FAR);
    // A modified line comes up from the owner's L1 first.
    expect_cycles(&tree, 0, WM_COHERENT_LOAD, 7, 3,
                  4 + NEAR + 10 + TO_DIRECTORY + 6 + TO_DIRECTORY + 10 + FAR + 4 + FAR + BEHIND +
                      TO_DIRECTORY + BEHIND + NEAR + BEHIND);
    tree_release(&tree);
}

// What is written back leaves its entry of the eviction buffer when memory's answer has come.
Test(coherent_link, a_write_back_goes_to_memory_and_its_answer_comes_back)
{
    struct tree tree;
    const struct tree_level narrow = {.sets = 1,
                                      .ways = 2,
                                      .latency = 4,
                                      .mshr_entries = 4,
                                      .merges = 4,
                                      .evictions = 1,
                                      .link = TO_MEMORY};
    const uint32_t homes[] = {0};
    const struct tree_level *levels[] = {&narrow};
    tree_init(&tree, 1, homes, levels);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 7, 0, 4 + TO_MEMORY + MEMORY + TO_MEMORY);
    expect_cycles(&tree, 0, WM_COHERENT_STORE, 8, 1, 4 + TO_MEMORY + MEMORY + TO_MEMORY);
    enum { ANSWERED = 9000 + 4 + TO_MEMORY + TO_MEMORY };
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 9, 2, 9000), WM_COHERENT_WAITS);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 10, 3, ANSWERED - 1),
                 WM_COHERENT_NO_EVICTION);
    cr_expect_eq(tree_access(&tree, 0, WM_COHERENT_LOAD, 10, 3, ANSWERED), WM_COHERENT_WAITS);
    tree_settle(&tree);
    tree_check_quiet(&tree);
    tree_release(&tree);
}

// --- What a machine says ---

static void nothing_done(void *context, uint64_t token, uint64_t cycle, uint32_t origin)
{
    (void)token, (void)origin;
    *(uint64_t *)context = cycle;
}

static void nothing_changed(void *context, uint32_t node, uint32_t slice)
{
    (void)context, (void)node, (void)slice;
}

static struct wm_instruction_counters *none_pays(void *context,
                                                 const struct wm_requester *requester)
{
    (void)context, (void)requester;
    return NULL;
}

// The cycles of the first load of a unit, all of whose caches are empty.
static uint64_t first_load(const struct wm_memory_spec *spec, uint32_t unit)
{
    const struct wm_dram_channel_spec dram = fixed_dram(50, 16);
    const struct wm_coherent_clocks clocks = {1000000000, 1000000000, 250000000};
    struct wm_coherent_memory_caches caches;
    uint64_t done = 0, next;
    struct wm_error error;
    const struct wm_coherent_users users = {
        .done = nothing_done, .changed = nothing_changed, .charged = none_pays, .context = &done};
    struct wm_memory *memory = small_memory_new(spec);
    cr_assert_eq(wm_coherent_memory_caches_init(&caches, memory, &users, &dram, &clocks, &error),
                 WM_OK);
    struct wm_coherent_access access = {.node = wm_coherent_node_of_unit(&caches, unit),
                                        .kind = WM_COHERENT_LOAD,
                                        .locked_cycles = 1,
                                        .sectors = 1};
    cr_assert_eq(wm_coherent_caches_access(caches.caches, &access, 0, &done), WM_COHERENT_WAITS);
    while ((next = wm_coherent_caches_next(caches.caches)) != WM_NEVER)
        cr_assert(wm_coherent_caches_advance(caches.caches, next));
    wm_coherent_memory_caches_release(&caches);
    wm_memory_free(memory);
    return done;
}

// Two ways each, there and back; a level that says nothing has a cycle, and to memory none.
Test(coherent_link, a_level_says_how_far_the_one_below_is_in_its_own_cycles)
{
    enum { SM, CORE };
    struct wm_memory_spec plain[] = {coherent_shared(1, 1), coherent_split(1, 1)};
    for (uint32_t split = 0; split < 2; split++) {
        plain[split].interconnect.flit_bytes = 16;
        struct wm_memory_spec spec = plain[split];
        uint64_t sm = first_load(&spec, SM), core = first_load(&spec, CORE);
        spec.levels[WM_LEVEL_L2].link_latency = 5;
        spec.levels[WM_LEVEL_L2].timing.clock_hz = 500000000;
        cr_expect_eq(first_load(&spec, SM), sm + 2 * (10 - 1));
        cr_expect_eq(first_load(&spec, CORE), core);
        // Of the SMs' or the machine's a cycle is one of the SMs', of the cores' one of theirs.
        spec.levels[LAST].link_latency = 6;
        cr_expect_eq(first_load(&spec, SM), sm + 2 * (10 - 1) + 2 * (6 - (uint64_t)split));
        cr_expect_eq(first_load(&spec, CORE), core + (split ? 0 : 2 * 6));
        spec.levels[CPU_L2].link_latency = 3;
        cr_expect_eq(first_load(&spec, CORE), core + (split ? 0 : 2 * 6) + 2 * (12 - 1));
    }
}
