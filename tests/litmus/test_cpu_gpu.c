// Threads of both sides on machines whose CPU cores and SMs share coherent memory
// (machines/examples/cpu-gpu-shared-llc.yaml and -split-llc.yaml), with accesses and fences of the
// system's scope on SMs. L1s of SMs are without coherence, scoped and under MESI, in both engines;
// the first two, too, above a last-level cache that has the cores' coherent caches above it
// (-one-way-llc.yaml without the GPU's L2). docs/litmus.md has what is seen exactly, on all
// machines.
#include "../rounds.h"
#include "../unit/engine/walk_fixture.h"
#include "cpu_threads.h"
#include "litmus_page.h"
#include "observed.h"
#include "watched_caches.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// --- Machines ---

enum setup {
    WALK_NONE,
    WALK_SCOPED,
    WALK_MESI,
    CLOCK_NONE,
    CLOCK_SCOPED,
    CLOCK_MESI,
    SETUPS,
};
enum { SHARED, SPLIT, ONE_WAY, MACHINES, WITH_L2 = MACHINES }; // WITH_L2: no row of the page

static bool is_timed(enum setup setup)
{
    return setup >= CLOCK_NONE;
}

static bool is_mesi(enum setup setup)
{
    return setup == WALK_MESI || setup == CLOCK_MESI;
}

// Whether the machine's SMs may have such L1s.
static bool has_setup(enum setup setup, int number)
{
    return number != ONE_WAY || !is_mesi(setup);
}

// Ways of a cycle between coherent levels and cores as fast as SMs: threads of both sides then meet
// within the times that they wait here, and more outcomes are seen than with the files' own ways.
static const char *const near_settings[] = {
    "cpu.core.clock=1400MHz",    "cpu.l1.latency=1",           "cpu.l2.latency=6",
    "cpu.l2.link_latency=0",     "gpu.l2.latency=57",          "gpu.l2.link_latency=0",
    "gpu.interconnect.flit=40B", "gpu.interconnect.latency=16"};
static const char *const near_caches[ONE_WAY][6] = {
    {"llc.clock=0Hz", "llc.latency=14", "llc.link_latency=0"},
    {"gpu.l3.clock=0Hz", "gpu.l3.latency=14", "gpu.l3.link_latency=0", "cpu.l3.latency=14",
     "cpu.l3.link_latency=0"}};

static uint32_t add_near(const char **settings, uint32_t count, int number)
{
    for (size_t i = 0; i < sizeof near_settings / sizeof near_settings[0]; i++)
        settings[count++] = near_settings[i];
    for (size_t i = 0; near_caches[number][i] != NULL; i++)
        settings[count++] = near_caches[number][i];
    return count;
}

static struct wm_machine machine_of(enum setup setup, int number)
{
    static const char *const files[] = {SHARED_MACHINE, SPLIT_MACHINE, ONE_WAY_MACHINE,
                                        ONE_WAY_MACHINE};
    const char *settings[32] = {"gpu.sm.turn=1"};
    uint32_t count = 1;
    if (number < ONE_WAY)
        count = add_near(settings, count, number);
    if (!is_mesi(setup)) {
        bool scoped = setup == WALK_SCOPED || setup == CLOCK_SCOPED;
        settings[count++] = "gpu.l1.write=through-update";
        settings[count++] = "gpu.l1.write_allocate=false";
        settings[count++] = "gpu.l2.inclusion=non-inclusive";
        settings[count++] = scoped ? "gpu.l1.coherence=scoped" : "gpu.l1.coherence=none";
    }
    if (!is_mesi(setup) && is_timed(setup)) // for releases and fences
        settings[count++] = "gpu.interconnect.store_replies=true";
    if (number == ONE_WAY) {
        settings[count++] = "gpu.l1.below=/llc";
        settings[count++] = "gpu.l2.present=false";
        settings[count++] =
            "gpu.interconnect.latency=60"; // so that SMs may load later than cores store
    }
    struct wm_machine machine;
    struct wm_error error;
    wm_error_clear(&error);
    cr_assert_eq(wm_machine_load(files[number], settings, count, &machine, &error), WM_OK, "%s: %s",
                 error.place, error.message);
    cr_assert_eq(machine.sm.count, LITMUS_THREADS);
    cr_assert_eq(machine.memory.core_count, LITMUS_THREADS);
    return machine;
}

// --- Runs ---

struct form {
    const char *name;
    enum litmus_form gpu;
    enum cpu_form cpu;
};
static const struct form forms[] = {
    {"weak; mov", FORM_WEAK, CPU_MOV},
    {"relaxed; mov", FORM_RELAXED, CPU_MOV},
    {"release, acquire; mov", FORM_ORDERED, CPU_MOV},
    {"relaxed, fence.sc; mov, mfence", FORM_RELAXED_FENCED, CPU_FENCED},
    {"relaxed, fence.sc; xchg", FORM_RELAXED_FENCED, CPU_LOCKED},
};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

static void start_kernel(struct walk_fixture *fixture, const struct litmus_test *test,
                         const uint64_t *parameters, struct wm_concurrent_launch **running)
{
    const struct wm_kernel *kernel;
    struct wm_error error;
    wm_error_clear(&error);
    cr_assert_eq(wm_program_kernel(fixture->program, "k", &kernel, &error), WM_OK);
    const struct wm_launch launch = {.kernel = kernel,
                                     .grid = {test->threads, 1, 1},
                                     .block = {1, 1, 1},
                                     .peers = UINT32_MAX,
                                     .parameters = parameters,
                                     .parameter_bytes = kernel->parameter_bytes};
    cr_assert_eq(wm_session_start_launch(fixture->session, &launch, 0, running, &error), WM_OK,
                 "%s", error.message);
}

static void run_both(struct walk_fixture *fixture, const struct litmus_test *test,
                     struct cpu_threads *threads, const uint64_t *parameters)
{
    struct wm_concurrent_launch *cores, *kernel;
    struct wm_error error;
    wm_error_clear(&error);
    cr_assert_eq(wm_session_start_work(fixture->session, &threads->work, 0, false, &cores, &error),
                 WM_OK, "%s", error.message);
    start_kernel(fixture, test, parameters, &kernel);
    while (wm_session_step(fixture->session))
        continue;
    cr_assert_eq(wm_session_collect(fixture->session, kernel, NULL, &error), WM_OK, "%s",
                 error.message);
    cr_assert_eq(wm_session_collect(fixture->session, cores, NULL, &error), WM_OK, "%s",
                 error.message);
}

// How many different times threads wait, and the times: rounds of a loop on an SM, instructions on
// a core. In time kernels begin later than cores.
static uint32_t count_waits(const struct litmus_test *test, enum setup setup)
{
    return test->threads != 2 ? 6 : is_timed(setup) ? 24 : 12;
}

static uint64_t wait_of(const struct litmus_test *test, enum setup setup, bool on_cpu,
                        uint32_t number)
{
    bool is_short = test->threads == 2;
    if (!is_timed(setup))
        return number * (!on_cpu ? 1 : is_short ? 4 : 12);
    uint64_t core = setup == CLOCK_MESI ? 70 : 100; // then stores and fences of SMs take longer
    return number * (is_short ? (on_cpu ? core : 5) : (on_cpu ? 520 : 8));
}

static const struct watched_listener listener = {observed_step, observed_packet};

static void run_once(struct walk_fixture *fixture, const struct litmus_test *test, uint32_t on_cpu,
                     const struct form *form, enum setup setup, struct gpu_litmus *kernel,
                     const uint64_t *waits, struct litmus_outcome *outcome)
{
    uint64_t address = walk_words(fixture, (LITMUS_LOCATIONS + LITMUS_THREADS) * LITMUS_APART / 4);
    uint64_t parameters[1 + LITMUS_THREADS] = {address};
    struct cpu_threads threads;
    cpu_threads_init(&threads, test, on_cpu, form->cpu, address, waits, kernel);
    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        parameters[1 + i] = (on_cpu >> i & 1) != 0 ? 0 : waits[i];
    if (setup == CLOCK_MESI)
        watched_begin(test, address);
    else if (is_timed(setup))
        watched_listen(test, address, &listener);
    if (setup != CLOCK_MESI)
        observed_begin(test, kernel, address);
    run_both(fixture, test, &threads, parameters);
    if (is_timed(setup))
        watched_end(outcome);
    if (setup != CLOCK_MESI)
        observed_end(outcome);
}

// The caches of a run are watched; what its loads see is not said.
static void watch_once(struct walk_fixture *fixture, const struct litmus_test *test,
                       uint32_t on_cpu, const struct form *form, struct gpu_litmus *kernel,
                       const uint64_t *waits)
{
    uint64_t address = walk_words(fixture, (LITMUS_LOCATIONS + LITMUS_THREADS) * LITMUS_APART / 4);
    uint64_t parameters[1 + LITMUS_THREADS] = {address};
    struct cpu_threads threads;
    struct litmus_outcome outcome;
    cpu_threads_init(&threads, test, on_cpu, form->cpu, address, waits, kernel);
    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        parameters[1 + i] = (on_cpu >> i & 1) != 0 ? 0 : waits[i];
    watched_begin(test, address);
    run_both(fixture, test, &threads, parameters);
    watched_end(&outcome);
}

// What comes of one thread after the other.
static struct litmus_outcome one_after_the_other(const struct litmus_test *test, uint32_t first)
{
    struct litmus_outcome outcome = {{0}, {0}};
    for (uint32_t i = 0; i < test->threads; i++) {
        uint32_t thread = (first + i) % test->threads;
        for (uint32_t k = 0; k < test->steps_of[thread]; k++) {
            const struct litmus_step *step = &test->steps[thread][k];
            if (step->store)
                outcome.last[step->location] = step->value;
            else
                outcome.registers[step->value] = outcome.last[step->location];
        }
    }
    return outcome;
}

static bool is_same(const struct litmus_test *test, const struct litmus_outcome *a,
                    const struct litmus_outcome *b)
{
    for (uint32_t i = 0; i < test->threads; i++)
        for (uint32_t k = 0; k < test->steps_of[i]; k++) {
            const struct litmus_step *step = &test->steps[i][k];
            if (!step->store && a->registers[step->value] != b->registers[step->value])
                return false;
        }
    return memcmp(a->last, b->last, sizeof a->last) == 0;
}

// Of all combinations of the threads' waiting: how often the weak outcome comes, and how many loads
// have seen stale copies.
struct counts {
    uint32_t weak, stale;
};

static struct counts count_all(const struct litmus_test *test, uint32_t on_cpu,
                               const struct form *form, enum setup setup, int number)
{
    const uint32_t most = count_waits(test, setup);
    struct wm_machine machine = machine_of(setup, number);
    struct litmus_test of_kernel = *test;
    struct gpu_litmus kernel;
    struct walk_fixture fixture;
    struct counts counts = {0, 0};
    uint32_t runs = 1, orders = 0;
    for (uint32_t i = 0; i < test->threads; i++) {
        of_kernel.steps_of[i] = (on_cpu >> i & 1) != 0 ? 0 : test->steps_of[i];
        runs *= most;
    }
    gpu_litmus_write(&kernel, &of_kernel, form->gpu, "sys");
    if (is_timed(setup)) // the cores' instructions, and their end
        kernel.first_pc = LITMUS_THREADS * CPU_MOST_OPERATIONS + 1;
    if (is_timed(setup))
        walk_fixture_init_timed(&fixture, &machine, kernel.text.data);
    else
        walk_fixture_init_text(&fixture, &machine, kernel.text.data);
    for (uint32_t run = 0; run < runs; run++) {
        uint64_t waits[LITMUS_THREADS] = {0};
        uint32_t rest = run;
        for (uint32_t i = 0; i < test->threads; i++, rest /= most)
            waits[i] = wait_of(test, setup, (on_cpu >> i & 1) != 0, rest % most);
        struct litmus_outcome outcome;
        run_once(&fixture, test, on_cpu, form, setup, &kernel, waits, &outcome);
        counts.weak += test->is_weak(&outcome);
        counts.stale += setup == CLOCK_MESI ? 0 : observed_stale();
        for (uint32_t first = 0; first < test->threads; first++) {
            const struct litmus_outcome expected = one_after_the_other(test, first);
            orders |= (uint32_t)is_same(test, &outcome, &expected) << first;
        }
    }
    // They wait long enough for each other: each comes before the others.
    cr_expect_eq(orders, (1u << test->threads) - 1, "%s, %s, setup %d machine %d: %x", test->name,
                 form->name, (int)setup, number, orders);
    walk_fixture_release(&fixture);
    wm_text_release(&kernel.text);
    return counts;
}

// --- The page ---

struct assignment {
    const char *test, *on_cpu;
    uint32_t mask; // of the threads on cores
};
// Of tests whose threads are alike, one. Of IRIW each side writes and reads.
static const struct assignment assignments[] = {
    {"SB", "T0", 1},   {"MP", "T0", 1}, {"MP", "T1", 2}, {"LB", "T0", 1}, {"IRIW", "T0, T2", 5},
    {"2+2W", "T0", 1}, {"R", "T0", 1},  {"R", "T1", 2},  {"S", "T0", 1},  {"S", "T1", 2},
};
enum { ASSIGNMENTS = sizeof assignments / sizeof assignments[0] };

static const struct litmus_test *test_of(const char *name)
{
    const struct litmus_test *test = litmus_tests;
    while (strcmp(test->name, name) != 0)
        test++;
    return test;
}

// By PTX's model for one side, and TSO for the other: whether each thread's steps are in order.
static const char *verdict_of(const struct litmus_test *test, const struct form *form)
{
    if (form->gpu == FORM_WEAK)
        return "a race";
    if (litmus_form_orders(test, form->gpu))
        return "forbidden";
    return form->gpu == FORM_RELAXED ? "allowed" : "a race";
}

// Where L1s drop their lines, no load behind an acquire gets an older version of its line than the
// last when that was made. Where they do not, readers of MP with an old copy do.
static void check_stale(const char *row, const struct assignment *assignment,
                        const struct form *form, enum setup setup, uint32_t stale)
{
    bool reads_on_gpu = strcmp(assignment->test, "MP") == 0 && assignment->mask == 1;
    if (form->gpu != FORM_WEAK && setup != WALK_NONE && setup != CLOCK_NONE)
        cr_expect_eq(stale, 0, "%s%u loads have seen old versions", row, stale);
    if (form->gpu == FORM_ORDERED && reads_on_gpu && (setup == WALK_NONE || setup == CLOCK_NONE))
        cr_expect_gt(stale, 0, "%sno load has seen an old version", row);
}

static void check_row(const char *page, const struct assignment *assignment,
                      const struct form *form)
{
    const struct litmus_test *test = test_of(assignment->test);
    const char *verdict = verdict_of(test, form);
    struct wm_text row;
    wm_text_init(&row);
    wm_text_format(&row, "| %s | %s | %s | %s |", test->name, assignment->on_cpu, form->name,
                   verdict);
    for (enum setup setup = 0; setup < SETUPS; setup++) {
        uint32_t weak[MACHINES] = {0};
        for (int machine = 0; machine < MACHINES; machine++) {
            if (!has_setup(setup, machine))
                continue;
            struct counts counts = count_all(test, assignment->mask, form, setup, machine);
            weak[machine] = counts.weak;
            check_stale(row.data, assignment, form, setup, counts.stale);
            if (setup != WALK_NONE && setup != CLOCK_NONE && strcmp(verdict, "forbidden") == 0)
                cr_expect_eq(weak[machine], 0, "%s%u times", row.data, weak[machine]);
        }
        wm_text_format(&row, " %s |", weak[SHARED] != 0 ? "seen" : "never");
        for (int other = SPLIT; other < MACHINES; other++)
            if (has_setup(setup, other))
                cr_expect_eq(weak[SHARED] != 0, weak[other] != 0, "%s machine %d: %u times",
                             row.data, other, weak[other]);
    }
    litmus_page_expect(page, row.data);
    wm_text_release(&row);
}

// Under the sanitizers a fourth of the rows, others for each form.
static void check_form(uint32_t form)
{
    char *page = litmus_page_read();
    for (uint32_t i = form % TEST_SHARE; i < ASSIGNMENTS; i += TEST_SHARE)
        check_row(page, &assignments[i], &forms[form]);
    free(page);
}

#define FORM(test_name, number)                     \
    Test(cpu_gpu_litmus, test_name, .timeout = 600) \
    {                                               \
        check_form(number);                         \
    }

FORM(weak, 0)
FORM(relaxed, 1)
FORM(release_and_acquire, 2)
FORM(fences, 3)
FORM(locked_operations, 4)

// --- An L2 without coherence ---

// What it holds may be old. What it reads below, writes back and hands on is not: each read and
// write at the last level, and in the cores' caches, finds the last write (watched_caches.h).
Test(cpu_gpu_litmus, an_l2_without_coherence, .timeout = 600)
{
    static const struct form *const accesses[] = {&forms[0], &forms[1], &forms[4]};
    struct wm_machine machine = machine_of(CLOCK_SCOPED, WITH_L2);
    cr_assert_gt(machine.memory.levels[WM_LEVEL_L2].slices, 1);
    for (uint32_t i = 0; i < 3 * ASSIGNMENTS; i += TEST_SHARE) {
        const struct assignment *assignment = &assignments[i / 3];
        const struct form *form = accesses[i % 3];
        struct litmus_test of_kernel = *test_of(assignment->test);
        struct gpu_litmus kernel;
        struct walk_fixture fixture;
        for (uint32_t thread = 0; thread < LITMUS_THREADS; thread++)
            if ((assignment->mask >> thread & 1) != 0)
                of_kernel.steps_of[thread] = 0;
        gpu_litmus_write(&kernel, &of_kernel, form->gpu, "sys");
        walk_fixture_init_timed(&fixture, &machine, kernel.text.data);
        for (uint32_t run = 0; run < 100; run++) {
            uint64_t waits[LITMUS_THREADS];
            for (uint32_t thread = 0; thread < LITMUS_THREADS; thread++)
                waits[thread] =
                    (assignment->mask >> thread & 1) != 0 ? run % 10 * 200 : run / 10 * 10;
            watch_once(&fixture, test_of(assignment->test), assignment->mask, form, &kernel, waits);
        }
        walk_fixture_release(&fixture);
        wm_text_release(&kernel.text);
    }
}
