// The front of an SM in time: hand cases to the cycle, and random programs against a model that
// looks in every cycle at which warps can issue.
#include "base/numbers/random.h"
#include "obvious_issue.h"
#include "sm/issue/issue_core_cycle.h"

#include <criterion/criterion.h>
#include <string.h>

// --- The core, driven as an SM drives it ---

struct delivery {
    uint64_t cycle;
    uint32_t slot, pc;
};

struct driver {
    const struct issue_program *program;
    struct issue_trace *trace;
    struct wm_issue_core core;
    uint32_t next[ISSUE_SLOTS];
    bool held[ISSUE_SLOTS];
    struct delivery deliveries[ISSUE_SLOTS * ISSUE_LENGTH];
    uint32_t delivery_count;
};

static uint64_t next_delivery(const struct driver *driver)
{
    uint64_t next = WM_NEVER;
    for (uint32_t i = 0; i < driver->delivery_count; i++)
        next = driver->deliveries[i].cycle < next ? driver->deliveries[i].cycle : next;
    return next;
}

static void deliver(struct driver *driver, uint64_t cycle)
{
    for (uint32_t i = 0; i < driver->delivery_count;) {
        struct delivery delivery = driver->deliveries[i];
        if (delivery.cycle > cycle) {
            i++;
            continue;
        }
        driver->deliveries[i] = driver->deliveries[--driver->delivery_count];
        wm_issue_core_write_back(&driver->core, delivery.slot, delivery.pc, cycle, true);
    }
}

static void issue(struct driver *driver, uint32_t slot, uint64_t cycle)
{
    uint32_t step = driver->next[slot]++, pc = driver->program->pcs[slot][step];
    bool memory = driver->program->facts[pc].unit == WM_UNIT_MEMORY;
    driver->trace->cycle[slot][step] = cycle;
    if (memory) {
        driver->core.warps[slot].accesses++;
        driver->deliveries[driver->delivery_count++] = (struct delivery){
            .cycle = cycle + driver->program->memory_cycles[slot][step], .slot = slot, .pc = pc};
    }
    const uint32_t *pcs = driver->program->pcs[slot];
    if (driver->next[slot] < ISSUE_LENGTH && step % 4 != 0) { // both ways say the same
        wm_issue_core_issue_next(&driver->core, slot, cycle, memory, pcs[step + 1], cycle + 1);
        return;
    }
    wm_issue_core_issue(&driver->core, slot, cycle, memory);
    if (driver->next[slot] < ISSUE_LENGTH)
        wm_issue_core_set_next(&driver->core, slot, pcs[step + 1], cycle + 1);
    else
        wm_issue_core_finish(&driver->core, slot, cycle);
}

static int32_t pick(struct wm_issue_core *core, uint32_t scheduler, uint64_t cycle)
{
    uint64_t allowed = wm_issue_core_allowed(core, scheduler, cycle);
    return allowed != 0 ? wm_issue_core_choose(core, scheduler, allowed) : WM_NO_WARP;
}

static void hold(struct driver *driver, uint64_t cycle)
{
    const struct issue_program *program = driver->program;
    for (uint32_t slot = 0; slot < program->warps; slot++) {
        bool held = program->held_from[slot] <= cycle && cycle < program->held_to[slot];
        if (held != driver->held[slot])
            wm_issue_core_hold_loads(&driver->core, slot, held, cycle);
        driver->held[slot] = held;
    }
}

static uint64_t next_hold(const struct driver *driver, uint64_t cycle)
{
    const struct issue_program *program = driver->program;
    uint64_t next = WM_NEVER;
    for (uint32_t slot = 0; slot < program->warps; slot++) {
        uint64_t from = program->held_from[slot], to = program->held_to[slot];
        next = from >= cycle && from < to && from < next ? from : next;
        next = to >= cycle && from < to && to < next ? to : next;
    }
    return next;
}

static void run_cycle(struct driver *driver, uint64_t cycle)
{
    deliver(driver, cycle);
    hold(driver, cycle);
    uint64_t schedulers = wm_issue_core_ready(&driver->core, cycle);
    for (; schedulers != 0; schedulers &= schedulers - 1)
        for (uint32_t i = 0; i < driver->program->spec.issue_width; i++) {
            int32_t slot = pick(&driver->core, (uint32_t)__builtin_ctzll(schedulers), cycle);
            if (slot == WM_NO_WARP)
                break;
            issue(driver, (uint32_t)slot, cycle);
        }
    driver->trace->end = cycle + 1;
    driver->trace->looked++;
}

static struct wm_issue_table timed; // of the program that runs

static void launch(struct wm_issue_core *core, const struct issue_program *program, uint64_t cycle)
{
    struct wm_error error;
    timed = program->table;
    cr_assert_eq(wm_issue_steps_find(&timed, &program->spec, &error), WM_OK);
    cr_assert_eq(wm_issue_core_init(core, &program->spec, &error), WM_OK);
    cr_assert_eq(wm_issue_core_launch(core, &timed, cycle, &error), WM_OK);
}

static void release(struct wm_issue_core *core)
{
    wm_issue_core_release(core);
    free(timed.steps);
}

// From one event to the next, or (`step`) cycle after cycle.
static void run(const struct issue_program *program, struct issue_trace *trace, bool step)
{
    static struct driver driver;
    driver = (struct driver){.program = program, .trace = trace};
    *trace = (struct issue_trace){0};
    launch(&driver.core, program, 0);
    for (uint32_t slot = 0; slot < program->warps; slot++)
        wm_issue_core_join(&driver.core, slot, 0);
    for (uint32_t slot = 0; slot < program->warps; slot++)
        wm_issue_core_set_next(&driver.core, slot, program->pcs[slot][0], 0);
    uint64_t cycle = 0;
    for (;;) {
        uint64_t next = wm_issue_core_next(&driver.core, cycle), other = next_delivery(&driver);
        next = other < next ? other : next;
        other = next_hold(&driver, cycle);
        next = other < next ? other : next;
        uint32_t ended = 0;
        for (uint32_t slot = 0; slot < program->warps; slot++)
            ended += driver.next[slot] == ISSUE_LENGTH;
        if (ended == program->warps)
            break;
        cr_assert_neq(next, WM_NEVER, "it stands still");
        cycle = step ? cycle : next;
        run_cycle(&driver, cycle++);
    }
    wm_issue_core_count_waits(&driver.core, trace->end);
    trace->counters = driver.core.counters;
    trace->held = driver.core.parked_cycles;
    release(&driver.core);
}

// --- Programs ---

// One scheduler; a unit takes an instruction a cycle and has the result 4 cycles later.
static void new_program(struct issue_program *program, uint32_t warps)
{
    *program = (struct issue_program){
        .spec = {.max_warps = ISSUE_SLOTS,
                 .schedulers = 1,
                 .issue_width = 1,
                 .active_warps = 2,
                 .warp_scheduler = &wm_warp_scheduler_oldest},
        .warps = warps,
    };
    for (int unit = 0; unit < WM_UNITS; unit++)
        program->spec.units[unit] = (struct wm_unit_spec){.interval = 1, .latency = 4};
    program->table = (struct wm_issue_table){.facts = program->facts,
                                             .registers = program->registers,
                                             .instruction_count = ISSUE_KINDS,
                                             .register_count = ISSUE_REGISTERS};
}

// Instruction `pc` writes `to` and reads `from`.
static void instruction(struct issue_program *program, uint32_t pc, enum wm_unit unit, uint16_t to,
                        uint16_t from)
{
    program->facts[pc] = (struct wm_issue_facts){.first_register = pc * ISSUE_OPERANDS,
                                                 .destinations = 1,
                                                 .sources = 1,
                                                 .unit = (uint8_t)unit,
                                                 .passes = 1};
    program->registers[(size_t)pc * ISSUE_OPERANDS] = to;
    program->registers[(size_t)pc * ISSUE_OPERANDS + 1] = from;
}

static void same_for_all(struct issue_program *program, uint32_t pc)
{
    for (uint32_t slot = 0; slot < program->warps; slot++)
        for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
            program->pcs[slot][i] = pc;
}

static struct issue_trace trace;

Test(issue_core, dependent_instructions_come_a_latency_apart)
{
    static struct issue_program program;
    new_program(&program, 1);
    instruction(&program, 0, WM_UNIT_SINGLE, 1, 1);
    same_for_all(&program, 0);
    run(&program, &trace, false);
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
        cr_assert_eq(trace.cycle[0][i], 4 * i);
    cr_assert_eq(trace.counters.issued, ISSUE_LENGTH);
    cr_assert_eq(trace.counters.waited_result, 3 * (ISSUE_LENGTH - 1));
    cr_assert_eq(trace.looked, ISSUE_LENGTH, "cycles between are passed over");
}

Test(issue_core, independent_instructions_come_an_interval_apart)
{
    static struct issue_program program;
    new_program(&program, 1);
    program.spec.units[WM_UNIT_SINGLE].interval = 2;
    instruction(&program, 0, WM_UNIT_SINGLE, 1, 2);
    program.facts[0].destinations = 0;
    same_for_all(&program, 0);
    run(&program, &trace, false);
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
        cr_assert_eq(trace.cycle[0][i], 2 * i);
    cr_assert_eq(trace.counters.waited_ready, ISSUE_LENGTH - 1, "for the unit");
    program.facts[0].passes = 3;
    run(&program, &trace, false);
    cr_assert_eq(trace.cycle[0][10], 60, "each takes the unit three times");
}

// Writing a register again waits for the first to be written.
Test(issue_core, a_register_is_written_in_order)
{
    static struct issue_program program;
    new_program(&program, 1);
    program.spec.units[WM_UNIT_DOUBLE].latency = 30;
    instruction(&program, 0, WM_UNIT_DOUBLE, 1, 2);
    instruction(&program, 1, WM_UNIT_SINGLE, 1, 2);
    instruction(&program, 2, WM_UNIT_SINGLE, 3, 2);
    same_for_all(&program, 2);
    program.pcs[0][0] = 0;
    program.pcs[0][2] = 1;
    run(&program, &trace, false);
    cr_assert_eq(trace.cycle[0][1], 1, "another register");
    cr_assert_eq(trace.cycle[0][2], 30);
}

// The wheel has 64 entries; a result a thousand cycles away is looked at again on the way.
Test(issue_core, results_may_be_far_away)
{
    static struct issue_program program;
    for (uint32_t latency = 60; latency <= 1000; latency += latency < 70 ? 1 : 157) {
        new_program(&program, 3);
        program.spec.units[WM_UNIT_SPECIAL].latency = latency;
        instruction(&program, 0, WM_UNIT_SPECIAL, 1, 1);
        same_for_all(&program, 0);
        run(&program, &trace, false);
        for (uint32_t slot = 0; slot < 3; slot++)
            for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
                cr_assert_eq(trace.cycle[slot][i], (uint64_t)latency * i + slot);
    }
}

// The scoreboard holds 32 bits of a cycle and counts from a later one now and then: results that
// are known then, and those that are not, come when they would. The second warp begins a slow
// instruction right before that, and what needs its result is looked at right behind.
Test(issue_core, launches_may_take_more_cycles_than_the_scoreboard_counts)
{
    static struct issue_program program;
    const uint64_t load = (UINT64_C(1) << 30) - 20;
    new_program(&program, 2);
    program.spec.units[WM_UNIT_SPECIAL].latency = 200;
    program.spec.units[WM_UNIT_SINGLE].latency = 40;
    instruction(&program, 0, WM_UNIT_MEMORY, 1, 1);
    instruction(&program, 1, WM_UNIT_SPECIAL, 1, 1);
    instruction(&program, 2, WM_UNIT_SINGLE, 3, 3);
    same_for_all(&program, 0);
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
        program.memory_cycles[0][i] = program.memory_cycles[1][i] = load;
    for (uint32_t i = 1; i < ISSUE_LENGTH; i++)
        program.pcs[1][i] = i % 4 == 1 ? 1 : 2;
    run(&program, &trace, false);
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
        cr_assert_eq(trace.cycle[0][i], load * i);
    for (uint32_t i = 1; i < ISSUE_LENGTH; i += 4)
        cr_assert_eq(trace.cycle[1][i], 1 + load + 50 * (i - 1));
}

Test(issue_core, two_at_once_where_the_scheduler_is_wide)
{
    static struct issue_program program;
    new_program(&program, 2);
    program.spec.issue_width = 2;
    instruction(&program, 0, WM_UNIT_SINGLE, 1, 1);
    instruction(&program, 1, WM_UNIT_INTEGER, 1, 1);
    same_for_all(&program, 0);
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
        program.pcs[1][i] = 1;
    run(&program, &trace, false);
    for (uint32_t i = 0; i < ISSUE_LENGTH; i++) {
        cr_assert_eq(trace.cycle[0][i], 4 * i);
        cr_assert_eq(trace.cycle[1][i], 4 * i, "another unit takes it");
    }
}

Test(issue_core, a_block_that_comes_later_has_not_waited_before)
{
    static struct issue_program program;
    struct wm_issue_core core;
    new_program(&program, 1);
    instruction(&program, 0, WM_UNIT_SINGLE, 1, 1);
    launch(&core, &program, 10);
    wm_issue_core_join(&core, 0, 500);
    wm_issue_core_set_next(&core, 0, 0, 500);
    while (wm_issue_core_ready(&core, wm_issue_core_next(&core, core.cycle)) == 0)
        ;
    cr_assert_eq(core.cycle, 500);
    cr_assert_eq(pick(&core, 0, 500), 0);
    wm_issue_core_issue(&core, 0, 500, false);
    wm_issue_core_finish(&core, 0, 500);
    wm_issue_core_count_waits(&core, 900);
    cr_assert_eq(core.counters.issued, 1);
    cr_assert_eq(core.counters.waited_result + core.counters.waited_ready, 0);
    release(&core);
}

Test(issue_core, the_load_store_unit_may_be_full)
{
    static struct issue_program program;
    struct wm_issue_core core;
    new_program(&program, 1);
    instruction(&program, 0, WM_UNIT_MEMORY, 1, 1);
    launch(&core, &program, 0);
    wm_issue_core_join(&core, 0, 0);
    wm_issue_core_set_next(&core, 0, 0, 0);
    core.memory_takes = false;
    wm_issue_core_ready(&core, 0);
    cr_assert_eq(pick(&core, 0, 0), WM_NO_WARP);
    cr_assert_eq(wm_issue_core_next(&core, 1), WM_NEVER, "somebody will say when");
    core.memory_takes = true;
    cr_assert_eq(wm_issue_core_next(&core, 7), 7);
    wm_issue_core_ready(&core, 7);
    cr_assert_eq(pick(&core, 0, 7), 0);
    release(&core);
}

// Two warps that load: the second is held from cycle 0 to 40, and is the only one that waits.
Test(issue_core, a_held_warp_issues_what_is_no_load)
{
    static struct issue_program program;
    new_program(&program, 2);
    instruction(&program, 0, WM_UNIT_MEMORY, 1, 2);
    program.facts[0].is_load = true;
    instruction(&program, 1, WM_UNIT_INTEGER, 3, 2);
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
            program.pcs[slot][i] = i == 1 ? 0 : 1, program.memory_cycles[slot][i] = 5;
    program.facts[1].destinations = 0;
    program.held_to[1] = 40;
    run(&program, &trace, false);
    cr_assert_eq(trace.cycle[0][1], 1);
    cr_assert_eq(trace.cycle[1][0], ISSUE_LENGTH, "the oldest goes first");
    program.held_to[1] = 100;
    run(&program, &trace, false);
    cr_assert_eq(trace.cycle[1][0], ISSUE_LENGTH, "it is no load");
    cr_assert_eq(trace.cycle[1][1], 100);
    cr_assert_eq(trace.cycle[1][2], 101);
    cr_assert_eq(trace.held, 100 - ISSUE_LENGTH - 1);
}

static uint64_t offered, left;

static void note_offer(void *state, const uint64_t *warps)
{
    (void)state;
    offered = *warps;
}

static void note_leave(void *state, uint32_t slot)
{
    left |= UINT64_C(1) << slot;
    wm_warp_scheduler_oldest.leave(state, slot);
}

// A unit that is busy for a moment keeps a warp from being picked and not from being offered.
Test(issue_core, a_warp_scheduler_is_offered_who_could_go_on_and_told_who_left)
{
    static struct issue_program program;
    struct wm_warp_scheduler_ops noting = wm_warp_scheduler_oldest;
    struct wm_issue_core core;
    noting.offer = note_offer;
    noting.leave = note_leave;
    new_program(&program, 2);
    instruction(&program, 0, WM_UNIT_INTEGER, 1, 0);
    instruction(&program, 1, WM_UNIT_INTEGER, 3, 2);
    instruction(&program, 2, WM_UNIT_MEMORY, 5, 4);
    program.spec.units[WM_UNIT_INTEGER].interval = 3;
    launch(&core, &program, 0);
    core.order = &noting;
    for (uint32_t slot = 0; slot < 2; slot++)
        wm_issue_core_join(&core, slot, 0);
    wm_issue_core_set_next(&core, 0, 0, 0);
    wm_issue_core_set_next(&core, 1, 2, 0);
    wm_issue_core_ready(&core, 0);
    cr_expect_eq(pick(&core, 0, 0), 0);
    cr_expect_eq(offered, 3);
    wm_issue_core_issue(&core, 0, 0, false);
    wm_issue_core_set_next(&core, 0, 1, 1);
    offered = 0;
    wm_issue_core_ready(&core, 1);
    cr_expect_eq(wm_issue_core_allowed(&core, 0, 1), 2, "the unit is busy");
    cr_expect_eq(pick(&core, 0, 1), 1);
    cr_expect_eq(offered, 3);
    wm_issue_core_issue(&core, 1, 1, false);
    wm_issue_core_finish(&core, 1, 1);
    cr_expect_eq(left, 0);
    wm_issue_core_leave(&core, 1);
    cr_expect_eq(left, 2);
    release(&core);
}

// --- Random programs ---

static struct wm_random chance;

static uint32_t below(uint32_t bound)
{
    return (uint32_t)wm_random_below(&chance, bound);
}

static void random_program(struct issue_program *program, int round)
{
    static const uint32_t latencies[] = {1, 2, 4, 9, 63, 64, 65, 130, 400};
    static const struct wm_warp_scheduler_ops *const orders[] = {
        &wm_warp_scheduler_round_robin, &wm_warp_scheduler_greedy_then_oldest,
        &wm_warp_scheduler_oldest};
    wm_random_init(&chance, (uint64_t)round, "issue_core");
    new_program(program, 1 + below(ISSUE_SLOTS));
    program->spec.schedulers = 1 + below(4);
    // Slots that stay empty: the schedulers' warps fill more than a word of the wheel.
    program->spec.max_warps += program->spec.schedulers > 1 ? below(2) * 100 : 0;
    program->spec.issue_width = 1 + below(2);
    program->spec.warp_scheduler = orders[round % 3];
    for (int unit = 0; unit < WM_UNITS; unit++)
        program->spec.units[unit] =
            (struct wm_unit_spec){.interval = 1 + below(5), .latency = latencies[below(9)]};
    for (uint32_t pc = 0; pc < ISSUE_KINDS; pc++) {
        program->facts[pc] =
            (struct wm_issue_facts){.first_register = pc * ISSUE_OPERANDS,
                                    .destinations = (uint8_t)below(4),
                                    .sources = (uint8_t)below(below(4) == 0 ? 8 : 3),
                                    .unit = (uint8_t)below(WM_UNITS),
                                    .passes = (uint8_t)(1 + below(2)),
                                    .is_membar = below(12) == 0};
        for (uint32_t i = 0; i < ISSUE_OPERANDS; i++)
            program->registers[(size_t)pc * ISSUE_OPERANDS + i] = (uint16_t)below(ISSUE_REGISTERS);
    }
    for (uint32_t slot = 0; slot < program->warps; slot++)
        for (uint32_t i = 0; i < ISSUE_LENGTH; i++) {
            program->pcs[slot][i] = below(ISSUE_KINDS);
            program->memory_cycles[slot][i] = 1 + below(below(4) == 0 ? 300 : 20);
        }
    // In every other round some warps may not load for a while.
    for (uint32_t pc = 0; pc < ISSUE_KINDS; pc++)
        program->facts[pc].is_load = program->facts[pc].unit == WM_UNIT_MEMORY && pc % 3 != 0;
    for (uint32_t slot = 0; slot < program->warps && round % 2 != 0; slot++) {
        program->held_from[slot] = below(2000);
        program->held_to[slot] = program->held_from[slot] + below(3) * below(600);
    }
}

static void compare(const struct issue_trace *found, const struct issue_trace *wanted, int round)
{
    for (uint32_t slot = 0; slot < ISSUE_SLOTS; slot++)
        for (uint32_t i = 0; i < ISSUE_LENGTH; i++)
            cr_assert_eq(found->cycle[slot][i], wanted->cycle[slot][i],
                         "round %d, warp %u, instruction %u: in %llu, not %llu", round, slot, i,
                         (unsigned long long)found->cycle[slot][i],
                         (unsigned long long)wanted->cycle[slot][i]);
    cr_assert_eq(found->end, wanted->end);
    cr_assert_eq(found->counters.issued, wanted->counters.issued);
    cr_assert_eq(found->counters.waited_ready, wanted->counters.waited_ready);
    cr_assert_eq(found->counters.waited_result, wanted->counters.waited_result);
    cr_assert_eq(found->counters.waited_memory, wanted->counters.waited_memory);
    cr_assert_eq(found->held, wanted->held, "round %d", round);
}

Test(issue_core, random_programs_against_asking_in_every_cycle, .timeout = 120)
{
    static struct issue_program program;
    static struct issue_trace wanted, skipping, stepping;
    uint64_t looked = 0, cycles = 0;
    for (int round = 0; round < 120; round++) {
        random_program(&program, round);
        obvious_issue(&program, &wanted);
        run(&program, &skipping, false);
        run(&program, &stepping, true);
        compare(&skipping, &wanted, round);
        compare(&stepping, &wanted, round);
        looked += skipping.looked;
        cycles += skipping.end;
    }
    cr_assert_lt(looked, cycles / 2, "most cycles are passed over");
}

// A warp issues or waits in each cycle from its coming to its last instruction.
Test(issue_core, waits_and_issues_add_up_to_warps_times_cycles)
{
    static struct issue_program program;
    for (int round = 0; round < 20; round++) {
        random_program(&program, round);
        program.spec.warp_scheduler =
            round % 2 == 0 ? &wm_warp_scheduler_two_level : &wm_warp_scheduler_greedy_then_oldest;
        run(&program, &trace, false);
        uint64_t lived = 0;
        for (uint32_t slot = 0; slot < program.warps; slot++)
            lived += trace.cycle[slot][ISSUE_LENGTH - 1] + 1;
        cr_assert_eq(trace.counters.issued + trace.counters.waited_ready +
                         trace.counters.waited_result + trace.counters.waited_memory,
                     lived);
    }
}
