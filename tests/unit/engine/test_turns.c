// How long SMs' turns are, and what bypass entries and warp schedulers learn of an SM's warps
// during them (docs/engine-walk.md).
#include "engine/session/session_state.h"
#include "mem/bypass/bypass.h"
#include "sm/warp_scheduler/warp_scheduler.h"
#include "walk_fixture.h"

#include <criterion/criterion.h>

static struct walk_fixture fixture;

// Of vecadd in walk_kernels.ptx, all of which a warp executes: 7 to the branch, 15 behind it.
enum { INSTRUCTIONS = 22 };

// One block of `threads` adds vectors of `count`: a warp whose lanes are all below it makes two
// loads and a store of one line each.
static void add_vectors(const struct wm_machine *machine, uint32_t threads, uint32_t count)
{
    walk_fixture_init(&fixture, machine, true);
    uint64_t a = walk_words(&fixture, threads), b = walk_words(&fixture, threads);
    uint64_t c = walk_words(&fixture, threads);
    walk_run(&fixture, "_Z6vecaddPKfS0_Pfj", 1, threads, (uint64_t[]){a, b, c, count}, 4);
}

static struct wm_machine machine_of(const struct wm_warp_scheduler_ops *order, uint32_t turn,
                                    bool ends_at_memory)
{
    struct wm_machine machine = walk_test_machine();
    machine.sm.warp_scheduler = order;
    machine.sm.turn_instructions = turn;
    machine.sm.turn_ends_at_memory = ends_at_memory;
    return machine;
}

// Turns that one warp takes, and the instructions that it executes.
static uint64_t turns_of(const struct wm_machine *machine, uint64_t *executed)
{
    add_vectors(machine, 32, 32);
    uint64_t turns = fixture.safe_points;
    *executed = wm_session_totals(fixture.session, 0).warp_instructions;
    walk_fixture_release(&fixture);
    return turns;
}

Test(turns, have_as_many_instructions_as_the_machine_says)
{
    size_t orders;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&orders);
    for (size_t order = 0; order < orders; order++) {
        static const uint32_t lengths[] = {1, 4, 2048};
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            struct wm_machine machine = machine_of(table[order], lengths[i], false);
            uint64_t executed, turns = turns_of(&machine, &executed);
            cr_expect_eq(executed, INSTRUCTIONS);
            cr_expect_eq(turns, (executed + lengths[i] - 1) / lengths[i],
                         "order %zu, turns of %u: %llu", order, lengths[i],
                         (unsigned long long)turns);
        }
    }
}

// Two loads and a store end one each; what is left is the return.
Test(turns, may_end_at_memory)
{
    size_t orders;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&orders);
    for (size_t order = 0; order < orders; order++) {
        struct wm_machine machine = machine_of(table[order], 2048, true);
        uint64_t executed;
        cr_expect_eq(turns_of(&machine, &executed), 3 + 1, "order %zu", order);
        cr_expect_eq(executed, INSTRUCTIONS);
    }
}

// --- Warps that a bypass entry hears of ---

enum { MOST_EVENTS = 16 };
static struct wm_bypass_event events[MOST_EVENTS];
static uint32_t event_count;

static enum wm_bypass_decision witness(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    cr_assert_lt(event_count, MOST_EVENTS);
    events[event_count++] = *event;
    return WM_BYPASS_NO;
}

static const struct wm_bypass_ops witness_ops = {.name = "witness", .decide = witness};

static void hears(const struct wm_warp_scheduler_ops *order, uint32_t count,
                  const uint32_t *residents, uint32_t expected)
{
    struct wm_machine machine = machine_of(order, 2048, false);
    machine.memory.levels[WM_LEVEL_L1].bypass = &witness_ops;
    event_count = 0;
    add_vectors(&machine, 64, count);
    walk_fixture_release(&fixture);
    cr_assert_eq(event_count, expected, "%s: %u events", order->name, event_count);
    for (uint32_t i = 0; i < expected; i++) {
        cr_expect_eq(events[i].resident_warps, residents[i], "%s, event %u: %u", order->name, i,
                     events[i].resident_warps);
        cr_expect_eq(events[i].lines, 1);
    }
}

// The other warp has nothing to add. It has its turn, and ends, when the first one's first load has
// missed; under every order, as they all leave a warp that waits.
Test(turns, residents_are_those_that_have_not_finished)
{
    size_t orders;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&orders);
    for (size_t order = 0; order < orders; order++)
        hears(table[order], 32, (const uint32_t[]){2, 1, 1}, 3);
}

// Both add: rotating, they go side by side, and neither has finished before the other's store.
Test(turns, both_warps_are_resident_to_the_end)
{
    hears(&wm_warp_scheduler_round_robin, 64, (const uint32_t[]){2, 2, 2, 2, 2, 2}, 6);
}

// --- Why a warp's turn ended, as its scheduler learns it ---

static uint64_t stops[WM_WARP_STOP_ISSUED + 1];

static void count_stop(void *state, uint32_t slot, enum wm_warp_stop stop)
{
    stops[stop]++;
    wm_warp_scheduler_greedy_then_oldest.ran(state, slot, stop);
}

static struct wm_machine caching_machine(void)
{
    struct wm_machine machine = machine_of(&wm_warp_scheduler_greedy_then_oldest, 2048, false);
    machine.memory.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    machine.memory.levels[WM_LEVEL_L1].cache.sector_bytes =
        machine.memory.levels[WM_LEVEL_L1].cache.line_bytes;
    return machine;
}

// A block of each SM reads its half of one line twice. Returns how many turns ended at a miss;
// `*remote` is how many sectors came from another L1.
static uint64_t misses_of_two_readers(const struct wm_machine *machine, uint64_t *remote)
{
    enum { THREADS = 16 };
    struct wm_warp_scheduler_ops counting = wm_warp_scheduler_greedy_then_oldest;
    counting.ran = count_stop;
    memset(stops, 0, sizeof stops);
    walk_fixture_init(&fixture, machine, true);
    fixture.session->warp_scheduler = &counting;
    uint64_t words = walk_words(&fixture, 2 * THREADS), sums = walk_words(&fixture, 2 * THREADS);
    walk_run(&fixture, "reread", 2, THREADS, (uint64_t[]){words, sums, 2}, 3);
    struct wm_results *results = walk_take_results(&fixture);
    *remote = walk_causes(&results->kernels[0]).tracker_sectors;
    wm_results_free(results);
    walk_fixture_release(&fixture);
    return stops[WM_WARP_STOP_MISS];
}

// Each warp misses once, wherever the line comes from.
Test(stops, a_load_that_another_l1_serves_is_a_miss)
{
    struct wm_machine machine = caching_machine();
    uint64_t remote;
    cr_expect_eq(misses_of_two_readers(&machine, &remote), 2);
    cr_expect_eq(remote, 0);
    machine.memory.levels[WM_LEVEL_L1].tracker = (struct wm_tracker_spec){
        .present = true, .sms_each = 2, .sets = 16, .ways = 4, .banks = 1, .sharers = 2};
    cr_expect_eq(misses_of_two_readers(&machine, &remote), 2);
    cr_expect_eq(remote, 4, "the second SM has the line from the first");
}

Test(stops, a_load_that_dram_serves_without_an_l2_is_a_miss)
{
    struct wm_machine machine = caching_machine();
    machine.memory.levels[WM_LEVEL_L2].cache.present = false;
    uint64_t remote;
    cr_expect_eq(misses_of_two_readers(&machine, &remote), 2);
}

// Its sector is in the slice's buffer from the reduction before it on, and L2 is not looked up.
Test(stops, an_atomic_that_a_buffer_serves_is_a_miss)
{
    for (uint32_t lines = 0; lines <= 4; lines += 4) {
        struct wm_warp_scheduler_ops counting = wm_warp_scheduler_greedy_then_oldest;
        counting.ran = count_stop;
        memset(stops, 0, sizeof stops);
        struct wm_machine machine = caching_machine();
        machine.memory.levels[WM_LEVEL_L2].atomic_buffer_lines = lines;
        walk_fixture_init(&fixture, &machine, true);
        fixture.session->warp_scheduler = &counting;
        uint64_t bins = walk_words(&fixture, 8192);
        for (int launch = 0; launch < 2; launch++)
            walk_run(&fixture, "count_bins", 1, 32, (uint64_t[]){bins, 8}, 2);
        walk_fixture_release(&fixture);
        cr_expect_eq(stops[WM_WARP_STOP_MISS], 2, "%u lines: %llu", lines,
                     (unsigned long long)stops[WM_WARP_STOP_MISS]);
    }
}
