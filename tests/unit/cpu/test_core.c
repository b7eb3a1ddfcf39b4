// A core by hand, to the cycle.
#include "one_core.h"

#include <criterion/criterion.h>

// Wide enough not to matter, but for what a case sets.
static const struct wm_core_spec wide = {.width = 4,
                                         .window = 64,
                                         .load_queue = 32,
                                         .store_buffer = 16,
                                         .stores_in_flight = 1,
                                         .forward_latency = 2};

static struct program program;
static struct sent_list sent;
static struct wm_core_counters counters;
static uint64_t done[WM_TEST_OPERATIONS];

// Lines from 0x10000 on are far: 100 cycles; others are there in 3, and are written in one.
static enum wm_core_sent near_and_far(const struct wm_core_request *access, uint64_t cycle,
                                      uint64_t *when)
{
    bool is_far = access->address >= 0x10000;
    *when = cycle + (is_far ? 100 : access->kind == WM_CPU_STORE ? 1 : 3);
    return WM_CORE_SENT;
}

static uint64_t run(const struct wm_core_spec *spec)
{
    const struct memory memory = {.answer = near_and_far};
    return run_core(spec, &program, &memory, &sent, &counters, done);
}

static void expect_sent(uint32_t i, enum wm_core_kind kind, uint64_t address, uint64_t cycle)
{
    cr_assert_lt(i, sent.count);
    cr_assert_eq(sent.sent[i].kind, kind);
    cr_assert_eq(sent.sent[i].address, address);
    cr_assert_eq(sent.sent[i].cycle, cycle, "%u: sent in %lu, not %lu", i, sent.sent[i].cycle,
                 cycle);
}

// --- Width ---

// Ten instructions, four a cycle: dispatched in 0, 1 and 2, the last two retire in 3.
Test(core, instructions_without_accesses_are_bound_by_the_width)
{
    program.last_instructions = 10;
    cr_assert_eq(run(&wide), 3);
    cr_assert_eq(counters.instructions, 10);
    cr_assert_eq(counters.cycles, 3);
}

// A million of them: 250,000 cycles of dispatch, and one more.
Test(core, long_stretches_are_passed_as_they_would_be_cycle_by_cycle)
{
    program.last_instructions = 1000000;
    cr_assert_eq(run(&wide), 250000);
    cr_assert_eq(counters.instructions, 1000000);
    struct wm_core_spec narrow = wide;
    narrow.window = 3; // of less than the width
    cr_assert_eq(run(&narrow), 333334);
    cr_assert_eq(counters.instructions, 1000000);
}

// Loads that hit: dispatched and sent four in 0 and four in 1, there in 3 and 4.
Test(core, hits_follow_each_other)
{
    for (uint64_t i = 0; i < 8; i++)
        add(&program, WM_CPU_LOAD, i * 8, 8, 1);
    cr_assert_eq(run(&wide), 4);
    expect_sent(3, WM_CPU_LOAD, 24, 0);
    expect_sent(4, WM_CPU_LOAD, 32, 1);
    cr_assert_eq(counters.loads, 8);
    cr_assert_eq(counters.load_cycles, 8 * 3);
    cr_assert_eq(done[3], 3);
    cr_assert_eq(done[4], 4);
}

// --- The window ---

// A miss in cycle 0 and then 1,000 instructions: 63 find room, in 3 + 15 * 4 of cycles 0 to 15.
// From 16 until 99 nothing is dispatched. In 100 the load and three instructions retire, as four
// come.
Test(core, a_miss_at_the_head_fills_the_window)
{
    add(&program, WM_CPU_LOAD, 0x10000, 8, 1);
    program.last_instructions = 1000;
    uint64_t end = run(&wide);
    cr_assert_eq(counters.stalled_window, 84);
    cr_assert_eq(counters.load_cycles, 100);
    // All 1,001 retire from 100 on, four a cycle: in 251 cycles.
    cr_assert_eq(end, 100 + 250);
    cr_assert_eq(counters.instructions, 1001);
}

// --- Memory-level parallelism ---

// Sixteen misses of lines of their own: sent four a cycle, all on their way together.
Test(core, misses_overlap)
{
    for (uint64_t i = 0; i < 16; i++)
        add(&program, WM_CPU_LOAD, 0x10000 + i * 64, 8, 1);
    cr_assert_eq(run(&wide), 3 + 100);
    cr_assert_eq(counters.stalled_window, 0);
}

// Of eight entries: eight in 0 and 1; the others in 100 and 101 as these retire.
Test(core, misses_overlap_as_far_as_the_load_queue_goes)
{
    struct wm_core_spec spec = wide;
    spec.load_queue = 8;
    for (uint64_t i = 0; i < 16; i++)
        add(&program, WM_CPU_LOAD, 0x10000 + i * 64, 8, 1);
    cr_assert_eq(run(&spec), 201);
    expect_sent(8, WM_CPU_LOAD, 0x10000 + 8 * 64, 100);
    expect_sent(12, WM_CPU_LOAD, 0x10000 + 12 * 64, 101);
    cr_assert_eq(counters.stalled_load_queue, 98); // 2 to 99
}

// With 15 instructions before each: the first is the oldest of the window from 4 on, and the third,
// the 33rd from it, comes when it has retired, in 103; the fourth when the second has, in 107.
Test(core, misses_overlap_as_far_as_the_window_goes)
{
    struct wm_core_spec spec = wide;
    spec.window = 32;
    for (uint64_t i = 0; i < 4; i++)
        add(&program, WM_CPU_LOAD, 0x10000 + i * 64, 8, 16);
    cr_assert_eq(run(&spec), 207);
    expect_sent(0, WM_CPU_LOAD, 0x10000, 3);
    expect_sent(1, WM_CPU_LOAD, 0x10000 + 64, 7);
    expect_sent(2, WM_CPU_LOAD, 0x10000 + 128, 103);
    expect_sent(3, WM_CPU_LOAD, 0x10000 + 192, 107);
}

// --- Stores ---

// A store is dispatched in 0, complete and sent in 1, and written in 2 where L1 holds its line.
Test(core, a_store_is_sent_when_it_has_retired)
{
    add(&program, WM_CPU_STORE, 0, 8, 1);
    cr_assert_eq(run(&wide), 2);
    expect_sent(0, WM_CPU_STORE, 0, 1);
    cr_assert_eq(done[0], 2);
}

// One at a time, in order: the second waits for the first, though L1 holds its line.
Test(core, stores_become_visible_in_order)
{
    add(&program, WM_CPU_STORE, 0x10000, 8, 1);
    add(&program, WM_CPU_STORE, 0x40, 8, 1);
    cr_assert_eq(run(&wide), 102);
    expect_sent(0, WM_CPU_STORE, 0x10000, 1);
    expect_sent(1, WM_CPU_STORE, 0x40, 101);
    cr_assert_eq(done[0], 101);
    cr_assert_eq(done[1], 102);
}

// Two at a time: both leave in 1, and leave the store buffer in order.
Test(core, as_many_stores_as_stated_are_on_their_way)
{
    struct wm_core_spec spec = wide;
    spec.stores_in_flight = 2;
    add(&program, WM_CPU_STORE, 0x10000, 8, 1);
    add(&program, WM_CPU_STORE, 0x40, 8, 1);
    add(&program, WM_CPU_STORE, 0x80, 8, 1);
    cr_assert_eq(run(&spec), 102);
    expect_sent(1, WM_CPU_STORE, 0x40, 1);
    expect_sent(2, WM_CPU_STORE, 0x80, 101);
    cr_assert_eq(done[0], 101);
    cr_assert_eq(done[1], 101);
}

// A store buffer of two entries: the third store comes when the first has been written, in 101.
Test(core, a_full_store_buffer_stalls)
{
    struct wm_core_spec spec = wide;
    spec.store_buffer = 2;
    for (uint64_t i = 0; i < 3; i++)
        add(&program, WM_CPU_STORE, 0x10000 + i * 64, 8, 1);
    program.last_instructions = 8;
    cr_assert_eq(run(&spec), 301);
    cr_assert_eq(counters.stalled_store_buffer, 100); // 1 to 100
    expect_sent(2, WM_CPU_STORE, 0x10000 + 128, 201);
}

// Total store order: a load may be sent before an older store to another line is written.
Test(core, a_load_passes_an_older_store)
{
    add(&program, WM_CPU_STORE, 0x10000, 8, 1);
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    cr_assert_eq(run(&wide), 101);
    expect_sent(0, WM_CPU_LOAD, 0x40, 0);
    expect_sent(1, WM_CPU_STORE, 0x10000, 1);
    cr_assert_eq(done[1], 101); // as one behind the other
}

// Its own store's bytes a load has from the store buffer, without memory.
Test(core, a_load_has_its_data_from_an_older_store)
{
    add(&program, WM_CPU_STORE, 0x10000, 8, 1);
    add(&program, WM_CPU_LOAD, 0x10004, 4, 1);
    cr_assert_eq(run(&wide), 101);
    cr_assert_eq(sent.count, 1);
    cr_assert_eq(counters.forwarded, 1);
    cr_assert_eq(counters.load_cycles, 2);
}

// Bytes of which the store writes some: the load is sent when that has been written.
Test(core, a_load_that_a_store_covers_in_part_waits)
{
    add(&program, WM_CPU_STORE, 0x10000, 4, 1);
    add(&program, WM_CPU_LOAD, 0x10000, 8, 1);
    cr_assert_eq(run(&wide), 201);
    expect_sent(1, WM_CPU_LOAD, 0x10000, 101);
    cr_assert_eq(counters.forwarded, 0);
}

// A younger store to the same bytes is none of its matter.
Test(core, a_younger_store_forwards_nothing)
{
    add(&program, WM_CPU_FENCE, 0, 0, 1);
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    add(&program, WM_CPU_STORE, 0x40, 8, 1);
    cr_assert_eq(run(&wide), 5);
    expect_sent(0, WM_CPU_LOAD, 0x40, 1); // the fence has retired
    expect_sent(1, WM_CPU_STORE, 0x40, 4);
    cr_assert_eq(counters.forwarded, 0);
}

// --- Fences and locked operations ---

// The fence waits until the store has been written, in 101; then the load is sent.
Test(core, a_fence_waits_for_older_stores)
{
    add(&program, WM_CPU_STORE, 0x10000, 8, 1);
    add(&program, WM_CPU_FENCE, 0, 0, 1);
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    cr_assert_eq(run(&wide), 104);
    expect_sent(1, WM_CPU_LOAD, 0x40, 101);
    cr_assert_eq(counters.fences, 1);
}

// What fills the window behind a fence is stalled by it.
Test(core, a_fence_that_fills_the_window_is_the_reason)
{
    add(&program, WM_CPU_STORE, 0x10000, 8, 1);
    add(&program, WM_CPU_FENCE, 0, 0, 1);
    program.last_instructions = 1000;
    run(&wide);
    // In 0 a store, the fence and two; in 1 the store retires. 63 behind the fence fill the window
    // by 16: in 16 one comes. From 17 until 100 none.
    cr_assert_eq(counters.stalled_fence, 84);
    cr_assert_eq(counters.stalled_window, 0);
}

// The store is written in 101, the locked operation sent then and done in 104, the load sent then.
Test(core, a_locked_operation_waits_for_older_stores_and_holds_up_younger_loads)
{
    add(&program, WM_CPU_STORE, 0x10000, 8, 1);
    add(&program, WM_CPU_LOCKED, 0x80, 8, 1);
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    cr_assert_eq(run(&wide), 107);
    expect_sent(1, WM_CPU_LOCKED, 0x80, 101);
    expect_sent(2, WM_CPU_LOAD, 0x40, 104);
    cr_assert_eq(counters.locked, 1);
    cr_assert_eq(counters.locked_cycles, 104);
    cr_assert_eq(done[1], 104);
}

// --- Lines ---

// Of two lines: two accesses, the second of them far.
Test(core, an_access_of_two_lines_is_two)
{
    add(&program, WM_CPU_LOAD, 0x10000 - 4, 8, 1);
    add(&program, WM_CPU_STORE, 0x10000 - 4, 8, 1);
    cr_assert_eq(run(&wide), 200);
    expect_sent(0, WM_CPU_LOAD, 0x10000 - 4, 0);
    expect_sent(1, WM_CPU_LOAD, 0x10000, 0);
    cr_assert_eq(sent.sent[0].bytes, 4);
    cr_assert_eq(sent.sent[1].bytes, 4);
    expect_sent(2, WM_CPU_STORE, 0x10000 - 4, 100);
    expect_sent(3, WM_CPU_STORE, 0x10000, 100);
}

// --- Other cores ---

static bool from_cycle_50(uint32_t number, uint64_t cycle)
{
    return number == 0 || cycle >= 50;
}

// What waits for another core is dispatched when that has done its part.
Test(core, the_source_may_have_to_wait)
{
    const struct memory memory = {.answer = near_and_far, .is_there = from_cycle_50};
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    add(&program, WM_CPU_LOAD, 0x80, 8, 1);
    cr_assert_eq(run_core(&wide, &program, &memory, &sent, &counters, done), 53);
    expect_sent(1, WM_CPU_LOAD, 0x80, 50);
    cr_assert_eq(counters.stalled_order, 49); // 1 to 49
    cr_assert_eq(done[0], 3);
}

// Instructions before what it waits for are executed meanwhile: 40 in ten cycles, with the first
// load.
Test(core, instructions_before_a_wait_are_executed)
{
    const struct memory memory = {
        .answer = near_and_far, .is_there = from_cycle_50, .splits = true};
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    add(&program, WM_CPU_LOAD, 0x80, 8, 40);
    cr_assert_eq(run_core(&wide, &program, &memory, &sent, &counters, done), 53);
    expect_sent(1, WM_CPU_LOAD, 0x80, 50);
    cr_assert_eq(counters.instructions, 41);
    cr_assert_eq(counters.stalled_order, 40); // 10 to 49
}

// --- Lines that leave L1 ---

static uint64_t leaving_cycle, leaving_line;

static bool one_leaves(uint64_t cycle, uint64_t *address)
{
    *address = leaving_line;
    return cycle == leaving_cycle;
}

// A far load, done in 100, and a near one behind it, done in 3; the line leaves in `cycle`. Returns
// the last cycle.
static uint64_t run_two_loads(uint64_t line, uint64_t cycle)
{
    const struct memory memory = {.answer = near_and_far, .leaves = one_leaves};
    leaving_line = line;
    leaving_cycle = cycle;
    program.count = 0;
    add(&program, WM_CPU_LOAD, 0x10000, 8, 1);
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    return run_core(&wide, &program, &memory, &sent, &counters, done);
}

// The near one is made again in the cycle in which its line leaves. It was sent in 0 and waits for
// the far one until 100: before 98 that costs nothing, in 98 and 99 a cycle and two.
Test(core, a_load_is_made_again_whose_line_leaves_before_it_retires)
{
    static const struct {
        uint64_t leaves, ends;
    } cases[] = {{50, 100}, {97, 100}, {98, 101}, {99, 102}};
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(run_two_loads(0x40, cases[i].leaves), cases[i].ends);
        cr_assert_eq(sent.count, 3);
        expect_sent(2, WM_CPU_LOAD, 0x40, cases[i].leaves);
        cr_assert_eq(done[0], 100);
        cr_assert_eq(done[1], cases[i].ends);
        cr_assert_eq(counters.loads, 2);
        cr_assert_eq(counters.loads_made_again, 1);
        cr_assert_eq(counters.load_cycles, 100 + cases[i].leaves + 3);
    }
    // In 100 they would retire: the far one does. In 101 both have retired.
    cr_assert_eq(run_two_loads(0x40, 100), 103);
    cr_assert_eq(counters.loads_made_again, 1);
    cr_assert_eq(run_two_loads(0x40, 101), 100);
    cr_assert_eq(counters.loads_made_again, 0);
}

Test(core, other_lines_and_the_oldest_load_are_left_alone)
{
    cr_assert_eq(run_two_loads(0x80, 99), 100);
    cr_assert_eq(counters.loads_made_again, 0);
    cr_assert_eq(run_two_loads(0x10000, 99), 100);
    cr_assert_eq(counters.loads_made_again, 0);
}

// Its data are its own core's: no probe takes them.
Test(core, a_forwarded_load_is_not_made_again)
{
    const struct memory memory = {.answer = near_and_far, .leaves = one_leaves};
    add(&program, WM_CPU_LOAD, 0x10000, 8, 1);
    add(&program, WM_CPU_STORE, 0x40, 8, 1);
    add(&program, WM_CPU_LOAD, 0x40, 8, 1);
    leaving_line = 0x40;
    leaving_cycle = 50;
    run_core(&wide, &program, &memory, &sent, &counters, done);
    cr_assert_eq(counters.forwarded, 1);
    cr_assert_eq(counters.loads_made_again, 0);
}

// Of two lines, near and far: its near one leaves in 50, and it is sent again when both have come.
Test(core, a_load_of_two_lines_is_made_again_when_both_have_come)
{
    const struct memory memory = {.answer = near_and_far, .leaves = one_leaves, .completes = true};
    add(&program, WM_CPU_LOAD, 0x20000, 8, 1);
    add(&program, WM_CPU_LOAD, 0xfffc, 8, 5);
    leaving_line = 0xffc0;
    leaving_cycle = 50;
    cr_assert_eq(run_core(&wide, &program, &memory, &sent, &counters, done), 201);
    cr_assert_eq(counters.loads_made_again, 1);
    cr_assert_eq(sent.count, 5);
    expect_sent(3, WM_CPU_LOAD, 0xfffc, 101);
    expect_sent(4, WM_CPU_LOAD, 0x10000, 101);
}
