// Sets of loads as lanes (engine/profile/load_lanes.h) against the same sets with a memory system
// each, on random requests of random kernels: the counts are equal.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "engine/profile/load_sets.h"
#include "engine/walk/request_batch.h"
#include "machine/machine.h"
#include "mem/lru_lanes/lru_lanes.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST_LOADS = 6, PCS = 10, HEADS = 400, MOST_LINES = 4, SMS = 3 };

// Loads that lanes serve. wm_load_lanes_new may make none, and memory systems would be compared
// with memory systems.
static uint64_t lane_loads;

void __real_wm_lru_lanes_load(struct wm_lru_lanes *lanes, uint32_t sm,
                              const struct wm_line_request *lines, uint32_t count, bool allocate,
                              struct wm_lane_share *shares, uint32_t share_count);
void __wrap_wm_lru_lanes_load(struct wm_lru_lanes *lanes, uint32_t sm,
                              const struct wm_line_request *lines, uint32_t count, bool allocate,
                              struct wm_lane_share *shares, uint32_t share_count);

void __wrap_wm_lru_lanes_load(struct wm_lru_lanes *lanes, uint32_t sm,
                              const struct wm_line_request *lines, uint32_t count, bool allocate,
                              struct wm_lane_share *shares, uint32_t share_count)
{
    lane_loads++;
    __real_wm_lru_lanes_load(lanes, sm, lines, count, allocate, shares, share_count);
}

// A kernel's counts, with room for its loads.
struct counted {
    struct wm_load_record loads[MOST_LOADS];
    struct wm_load_set_counts pairs[MOST_LOADS * MOST_LOADS];
    struct wm_profiled_kernel kernel;
};

struct drawn {
    struct wm_random random;
    int32_t load_of[PCS];
    uint32_t loads;
    struct wm_request_head heads[HEADS];
    struct wm_line_request lines[HEADS * MOST_LINES];
};

static void begin(struct counted *counted, uint32_t loads)
{
    *counted = (struct counted){0};
    counted->kernel.load_count = loads;
    counted->kernel.loads = counted->loads;
    counted->kernel.pairs = counted->pairs;
}

static uint32_t draw_below(struct drawn *drawn, uint32_t bound)
{
    return (uint32_t)wm_random_below(&drawn->random, bound);
}

// Loads are at the first pcs; the others have what all sets serve.
static void draw_kernel(struct drawn *drawn)
{
    drawn->loads = draw_below(drawn, MOST_LOADS + 1);
    for (uint32_t pc = 0; pc < PCS; pc++)
        drawn->load_of[pc] = pc < drawn->loads ? (int32_t)pc : WM_LOAD_OF_ALL_SETS;
}

// Different lines of an instruction, in order.
static uint32_t draw_lines(struct drawn *drawn, struct wm_line_request *lines, uint32_t most_lines)
{
    uint64_t line = draw_below(drawn, most_lines);
    uint32_t count = 1 + draw_below(drawn, MOST_LINES);
    for (uint32_t i = 0; i < count; i++, line += 1 + draw_below(drawn, 3))
        lines[i] = (struct wm_line_request){.line_address = line * 128,
                                            .sectors = 1 + draw_below(drawn, 15)};
    return count;
}

// A load of the kernel comes at any time, or, at the last pcs, a store, an atomic or another load.
static void draw_batch(struct drawn *drawn, uint32_t loads, uint32_t most_lines)
{
    static const enum wm_access_kind kinds[] = {WM_ACCESS_LOAD, WM_ACCESS_STORE, WM_ACCESS_ATOMIC};
    static const enum wm_cache_hint hints[] = {WM_HINT_DEFAULT, WM_HINT_L2_ONLY, WM_HINT_NO_L1,
                                               WM_HINT_VOLATILE, WM_HINT_STREAMING};
    uint32_t line = 0;
    for (uint32_t i = 0; i < HEADS; i++) {
        struct wm_request_head *head = &drawn->heads[i];
        uint32_t pc = draw_below(drawn, loads + 1);
        if (pc == loads)
            pc = MOST_LOADS + draw_below(drawn, PCS - MOST_LOADS);
        enum wm_access_kind kind = kinds[pc < MOST_LOADS ? 0 : draw_below(drawn, 3)];
        *head = (struct wm_request_head){
            .pc = pc,
            .sm = draw_below(drawn, SMS),
            .kind = (uint8_t)kind,
            .hint = (uint8_t)hints[draw_below(drawn, sizeof hints / sizeof hints[0])],
            .item = draw_below(drawn, 20) == 0 ? WM_BATCH_SIDE_CACHE : WM_BATCH_L1,
            .resident_warps = 1,
        };
        head->count = (uint8_t)draw_lines(drawn, drawn->lines + line, most_lines);
        for (uint32_t k = 0; k < head->count && kind == WM_ACCESS_STORE; k++)
            drawn->lines[line + k].full_sectors = drawn->lines[line + k].sectors;
        line += head->count;
    }
}

static void expect_equal(const struct wm_load_set_counts *one, const struct wm_load_set_counts *two,
                         const struct counted *ones, const struct counted *twos, uint32_t round)
{
    cr_expect_eq(one->hits, two->hits, "round %u: %lu hits, %lu", round, one->hits, two->hits);
    cr_expect_eq(one->misses, two->misses, "round %u", round);
    cr_expect_eq(one->bytes - ones->kernel.none.bytes, two->bytes - twos->kernel.none.bytes,
                 "round %u", round);
}

// Returns the hits of all loads together: a test without any would show nothing.
static uint64_t compare(const struct counted *one, const struct counted *two, uint32_t round)
{
    uint32_t loads = one->kernel.load_count;
    for (uint32_t a = 0; a < loads; a++) {
        expect_equal(&one->loads[a].alone, &two->loads[a].alone, one, two, round);
        cr_expect_eq(one->loads[a].hits_together, two->loads[a].hits_together, "round %u", round);
        cr_expect_eq(one->loads[a].misses_together, two->loads[a].misses_together);
        for (uint32_t b = 0; b < a; b++)
            expect_equal(wm_load_profile_pair(&one->kernel, a, b),
                         wm_load_profile_pair(&two->kernel, a, b), one, two, round);
    }
    expect_equal(&one->kernel.all, &two->kernel.all, one, two, round);
    return one->kernel.all.hits;
}

static void serve_launch(struct wm_load_sets *sets, const struct drawn *drawn,
                         struct counted *counted, const struct wm_occupancy *occupancy)
{
    uint64_t l1_bytes;
    struct wm_error error;
    cr_assert_eq(
        wm_load_sets_begin(sets, drawn->load_of, PCS, drawn->loads, occupancy, &l1_bytes, &error),
        WM_OK, "%s", error.message);
    cr_expect_eq(l1_bytes, occupancy->shared_bytes != 0 ? 65536 - occupancy->shared_bytes : 16384);
    // In two batches: what comes in the second finds what the first left.
    uint32_t half = HEADS / 2, line = 0;
    for (uint32_t i = 0; i < half; i++)
        line += drawn->heads[i].count;
    wm_load_sets_serve(sets, drawn->heads, half, drawn->lines);
    wm_load_sets_serve(sets, drawn->heads + half, HEADS - half, drawn->lines + line);
    cr_assert_eq(wm_load_sets_end(sets, &counted->kernel, NULL), WM_OK);
}

// `sms_each`: consecutive SMs that share an L1. Where they do it is no part of an SM's array.
static void compare_on(const char *const *settings, uint32_t setting_count, uint32_t sms_each)
{
    static struct wm_machine machine;
    static struct drawn drawn;
    static struct counted side_by_side, one_by_one;
    struct wm_error error;
    struct wm_load_sets *lanes, *memories;
    cr_assert_eq(wm_machine_load("liang-2015", settings, setting_count, &machine, &error), WM_OK,
                 "%s", error.message);
    machine.memory.levels[WM_LEVEL_L1].units_each = sms_each;
    machine.sm.unified_bytes = sms_each == 1 ? machine.sm.unified_bytes : 0;
    cr_assert_eq(wm_load_sets_new(&machine, true, &lanes, NULL), WM_OK);
    cr_assert_eq(wm_load_sets_new(&machine, false, &memories, NULL), WM_OK);
    wm_random_init(&drawn.random, setting_count, "load sets");
    uint64_t hits = 0;
    for (uint32_t round = 0; round < TEST_ROUNDS(40); round++) {
        const struct wm_occupancy occupancy = {.shared_bytes =
                                                   sms_each == 1 ? 16384 + 16384 * (round % 3) : 0};
        draw_kernel(&drawn);
        begin(&side_by_side, drawn.loads);
        begin(&one_by_one, drawn.loads);
        // Later launches begin with other loads; some have none at all of the last.
        for (uint32_t launch = 0; launch < 3; launch++) {
            draw_batch(&drawn, drawn.loads > launch ? drawn.loads - launch : 0, 200U << round % 4);
            uint64_t before = lane_loads;
            serve_launch(lanes, &drawn, &side_by_side, &occupancy);
            uint64_t by_lanes = lane_loads;
            cr_expect_gt(by_lanes, before);
            serve_launch(memories, &drawn, &one_by_one, &occupancy);
            cr_expect_eq(lane_loads, by_lanes);
        }
        hits += compare(&side_by_side, &one_by_one, round);
    }
    cr_expect_gt(hits, 0);
    wm_load_sets_free(lanes);
    wm_load_sets_free(memories);
}

Test(load_sets, lanes_count_what_memories_count)
{
    compare_on((const char *const[]){"gpu.sm.count=3"}, 1, 1);
}

Test(load_sets, lanes_count_it_where_sms_share_an_l1_of_another_index)
{
    compare_on((const char *const[]){"gpu.sm.count=3", "gpu.l1.set_index=modulo"}, 2, 2);
}
