// Which side cache serves a load (docs/memory-system.md, R10), on a kernel of one load of each
// sort, run by one warp on words that nobody read before.
#include "walk_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

// The kernel's memory instructions in order.
enum {
    UNIFORM,
    DIVERGENT,
    ONE_LANE,
    READ_ONLY_UNIFORM,
    READ_ONLY_DIVERGENT,
    VOLATILE_UNIFORM,
    L2_ONLY_UNIFORM,
    CONSTANT,
    LOADS
};

// What served it: a letter a load, in their order. 'l' L1, 's' scalar, 't' texture, 'c' constant,
// 'o' around L1, '-' nothing.
static void served(const struct wm_machine *machine, const char *expected)
{
    struct walk_fixture fixture;
    walk_fixture_init(&fixture, machine, true);
    uint64_t in = walk_words(&fixture, 64), out = walk_words(&fixture, 64);
    walk_run(&fixture, "read_all_ways", 1, 32, (uint64_t[]){in, out}, 2);
    struct wm_results *results = walk_take_results(&fixture);
    walk_check_invariants(results);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    uint64_t sectors[128] = {0};
    for (uint32_t i = 0; i < LOADS; i++) {
        const struct wm_instruction_counters *counters = &kernel->instructions[i].counters;
        uint64_t looked_up = 0;
        for (uint32_t kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
            looked_up += counters->levels[WM_LEVEL_SIDE + kind].hits +
                         counters->levels[WM_LEVEL_SIDE + kind].misses;
        uint64_t l1 = counters->levels[WM_LEVEL_L1].hits + counters->levels[WM_LEVEL_L1].misses;
        bool of_side_cache = expected[i] != '\0' && strchr("stc", expected[i]) != NULL;
        cr_expect_eq(looked_up, of_side_cache ? counters->sectors : 0, "%s: load %u", expected, i);
        cr_expect_eq(l1, expected[i] == 'l' ? counters->sectors : 0, "%s: load %u", expected, i);
        sectors[(unsigned char)expected[i]] += counters->sectors;
    }
    static const struct {
        char letter;
        const char *kind;
    } kinds[] = {{'s', "scalar"}, {'t', "texture"}, {'c', "constant"}};
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_eq(
            walk_component_sum(kernel->components, kernel->component_count, kinds[i].kind, "hits") +
                walk_component_sum(kernel->components, kernel->component_count, kinds[i].kind,
                                   "misses"),
            sectors[(unsigned char)kinds[i].letter], "%s: %s", expected, kinds[i].kind);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(side_cache_walk, each_machine_sends_loads_where_its_caches_are)
{
    struct wm_machine machine = walk_test_machine();
    served(&machine, "llllloo-");
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE] = walk_side_cache(1024, 1);
    served(&machine, "lllttoo-");
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR] = walk_side_cache(1024, 2);
    served(&machine, "slsstoos");
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] = walk_side_cache(1024, 1);
    served(&machine, "slsstooc");
    machine.sm.scalar_loads = WM_SCALAR_READ_ONLY;
    served(&machine, "lllstooc");
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].cache.present = false;
    served(&machine, "lllslooc");
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.present = false;
    served(&machine, "lllsloos");
    // Where global memory goes round L1, the side caches keep what is theirs.
    machine.sm.scalar_loads = WM_SCALAR_UNIFORM;
    machine.sm.global_around_l1 = true;
    served(&machine, "sossloos");
}

// Blocks on two SMs that share a scalar cache: the second finds the line that the first brought.
Test(side_cache_walk, sms_share_a_scalar_cache)
{
    for (uint32_t sms_each = 1; sms_each <= 2; sms_each++) {
        struct walk_fixture fixture;
        struct wm_machine machine = walk_test_machine();
        machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR] =
            walk_side_cache(1024, sms_each);
        walk_fixture_init(&fixture, &machine, true);
        uint64_t in = walk_words(&fixture, 64), out = walk_words(&fixture, 64);
        walk_run(&fixture, "read_all_ways", 2, 32, (uint64_t[]){in, out}, 2);
        struct wm_results *results = walk_take_results(&fixture);
        const struct wm_kernel_result *kernel = &results->kernels[0];
        // Lanes read one word of `in` three times, or lane 7 another of its line; then the table.
        const struct wm_instruction_counters *uniform = &kernel->instructions[UNIFORM].counters;
        const struct wm_level_counters *scalar =
            &uniform->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR];
        cr_expect_eq(scalar->misses, 2 / sms_each);
        cr_expect_eq(scalar->hits, 2 - 2 / sms_each);
        cr_expect_eq(walk_component_sum(kernel->components, kernel->component_count, "scalar",
                                        "bytes_from_below"),
                     2 * 64 * 2 / sms_each);
        wm_results_free(results);
        walk_fixture_release(&fixture);
    }
}

// Requests to L1 are left to wait, and a turn may have more than are kept together; what they ask
// of L2 still comes before what a side cache requests later. A line that both load in turn is
// brought for the first and found for the second, wherever they are parted.
Test(side_cache_walk, what_waits_is_served_before_what_comes_later)
{
    enum { COUNT = 1100, MOST_BEFORE = 5 };
    struct wm_machine machine = walk_test_machine();
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR] = walk_side_cache(1024, 1);
    machine.sm.turn_instructions = 8192;
    for (uint64_t before = 0; before < MOST_BEFORE; before++) {
        struct walk_fixture fixture;
        walk_fixture_init(&fixture, &machine, true);
        uint64_t in = walk_words(&fixture, 32 * (COUNT + MOST_BEFORE));
        walk_run(&fixture, "both_in_turn", 1, 32, (uint64_t[]){in, before, COUNT}, 3);
        struct wm_results *results = walk_take_results(&fixture);
        const struct wm_kernel_result *kernel = &results->kernels[0];
        // Instructions that go to memory: the load before, the lanes' own, the uniform one.
        const struct wm_instruction_counters *lanes = &kernel->instructions[1].counters;
        const struct wm_instruction_counters *uniform = &kernel->instructions[2].counters;
        cr_expect_eq(lanes->levels[WM_LEVEL_L2].misses, 4 * COUNT, "%llu before",
                     (unsigned long long)before);
        cr_expect_eq(uniform->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR].misses, COUNT,
                     "%llu before", (unsigned long long)before);
        cr_expect_eq(uniform->levels[WM_LEVEL_L2].misses, 0, "%llu before",
                     (unsigned long long)before);
        wm_results_free(results);
        walk_fixture_release(&fixture);
    }
}
