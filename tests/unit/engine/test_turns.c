// How long SMs' turns are, and what bypass entries are told of an SM's warps during them
// (docs/engine-walk.md).
#include "sm/warp_scheduler/warp_scheduler.h"
#include "walk_fixture.h"

#include "mem/bypass/bypass.h"

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
    uint64_t turns = fixture.between_turns;
    *executed = wm_session_totals(fixture.session).warp_instructions;
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
    machine.memory.l1_bypass = &witness_ops;
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
