// Random programs on random cores, against one that looks at all instructions in every cycle.
#include "obvious_core.h"

#include "base/numbers/random.h"

#include <criterion/criterion.h>
#include <inttypes.h>

static uint64_t seed; // of what memory answers

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a + seed) * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 29;
    return x * UINT64_C(0x94d049bb133111eb) >> 33;
}

// Most are near, some are far; and some have to come again, or are blocked for some cycles.
static enum wm_core_sent some(const struct wm_core_request *access, uint64_t cycle, uint64_t *done)
{
    uint64_t line = access->address / WM_TEST_LINE;
    if (mix(line, cycle / 7) % 9 == 0)
        return mix(line, cycle) % 2 == 0 ? WM_CORE_AGAIN : WM_CORE_BLOCKED;
    *done = cycle + 1 + (mix(line, 1) % 5 == 0 ? mix(line, cycle) % 90 : mix(line, 2) % 4);
    return WM_CORE_SENT;
}

static bool now_and_then(uint32_t number, uint64_t cycle)
{
    return mix(number, 3) % 8 != 0 || mix(number, cycle / 5) % 3 == 0;
}

// A line of those that most programs use, in most cycles.
static bool some_line(uint64_t cycle, uint64_t *address)
{
    *address = mix(cycle, 4) % 12 * WM_TEST_LINE;
    return mix(cycle, 5) % 4 != 0;
}

static uint32_t below(struct wm_random *random, uint32_t most)
{
    return (uint32_t)wm_random_below(random, most);
}

static struct wm_core_spec random_spec(struct wm_random *random)
{
    return (struct wm_core_spec){.width = 1 + below(random, 6),
                                 .window = 1 + below(random, below(random, 2) ? 8 : 100),
                                 .load_queue = 1 + below(random, 20),
                                 .store_buffer = 1 + below(random, 20),
                                 .stores_in_flight = 1 + below(random, 4),
                                 .forward_latency = 1 + below(random, 6)};
}

static void random_program(struct wm_random *random, struct program *program)
{
    uint32_t lines = 1 + below(random, 40), rare = 1 + below(random, 12);
    uint32_t most = 1 + below(random, 9);
    program->count = 0;
    for (uint32_t i = 40 + below(random, 260); i != 0; i--) {
        enum wm_core_kind kind = below(random, 5) < 3 ? WM_CPU_LOAD : WM_CPU_STORE;
        if (below(random, rare) == 0 && below(random, 3) == 0)
            kind = below(random, 2) == 0 ? WM_CPU_LOCKED : WM_CPU_FENCE;
        uint32_t bytes = 1u << below(random, 6);
        uint64_t address = below(random, lines * WM_TEST_LINE);
        address -= below(random, 4) != 0 ? address % bytes : 0;
        add(program, kind, address, bytes, 1 + (below(random, 3) == 0 ? below(random, most) : 0));
        struct wm_core_operation *op = &program->ops[program->count - 1];
        op->continues = kind != WM_CPU_FENCE && program->count != 1 && below(random, 6) == 0;
        op->instructions -= op->continues ? 1 : 0;
        if (op->continues)
            op->instructions = 0;
        if (below(random, 40) == 0)
            op->instructions += op->continues ? 0 : below(random, 300);
    }
    program->last_instructions = below(random, 200);
}

static void expect_equal(const struct sent_list *sent, const struct sent_list *obvious,
                         uint32_t trial)
{
    uint32_t count = sent->count < obvious->count ? sent->count : obvious->count;
    for (uint32_t i = 0; i < count; i++) {
        const struct sent *a = &sent->sent[i], *b = &obvious->sent[i];
        cr_assert(a->kind == b->kind && a->address == b->address && a->bytes == b->bytes &&
                      a->cycle == b->cycle,
                  "%" PRIu32 ": access %" PRIu32 ": kind %d of %" PRIx64 " in %" PRIu64
                  ", not %d of %" PRIx64 " in %" PRIu64,
                  trial, i, (int)a->kind, a->address, a->cycle, (int)b->kind, b->address, b->cycle);
    }
    cr_assert_eq(sent->count, obvious->count);
}

static void run_trials(uint32_t trials, bool completes, bool waits, bool leaves)
{
    static struct program program;
    static struct sent_list sent, expected;
    static uint64_t done[WM_TEST_OPERATIONS], expected_done[WM_TEST_OPERATIONS];
    struct wm_random random;
    uint64_t made_again = 0;
    wm_random_init(&random, completes + 2u * waits + 4u * leaves, "core");
    for (uint32_t trial = 0; trial < trials; trial++) {
        struct wm_core_counters counters, expected_counters;
        const struct wm_core_spec spec = random_spec(&random);
        const struct memory memory = {.answer = some,
                                      .is_there = waits ? now_and_then : NULL,
                                      .leaves = leaves ? some_line : NULL,
                                      .completes = completes};
        seed = trial;
        random_program(&random, &program);
        for (uint32_t i = 0; i < program.count; i++)
            done[i] = expected_done[i] = 0;
        uint64_t end = run_core(&spec, &program, &memory, &sent, &counters, done);
        uint64_t expected_end = run_obvious_core(&spec, &program, &memory, &expected,
                                                 &expected_counters, expected_done);
        expect_equal(&sent, &expected, trial);
        cr_assert_eq(end, expected_end, "%" PRIu32 ": ends in %" PRIu64 ", not %" PRIu64, trial,
                     end, expected_end);
        for (uint32_t i = 0; i < program.count; i++)
            cr_assert_eq(done[i], expected_done[i], "%" PRIu32 ": operation %" PRIu32, trial, i);
        const uint64_t *a = (const uint64_t *)&counters, *b = (const uint64_t *)&expected_counters;
        for (size_t i = 0; i < wm_core_counter_set.count; i++)
            cr_assert_eq(a[i], b[i], "%" PRIu32 ": %s is %" PRIu64 ", not %" PRIu64, trial,
                         wm_core_counter_set.declarations[i].name, a[i], b[i]);
        made_again += counters.loads_made_again;
    }
    cr_assert_eq(made_again != 0, leaves);
}

Test(core_random, whose_accesses_are_done_at_once)
{
    run_trials(300, false, false, false);
}

Test(core_random, whose_accesses_are_completed)
{
    run_trials(300, true, false, false);
}

Test(core_random, whose_source_waits)
{
    run_trials(300, true, true, false);
}

Test(core_random, whose_lines_leave_L1)
{
    run_trials(300, false, false, true);
}

Test(core_random, whose_accesses_are_completed_as_lines_leave)
{
    run_trials(300, true, true, true);
}
