// Threads of a running program on CPU cores: what the cores count of accesses that are handed over
// as they happen, beside kernels that have their rounds, and kernels that are known to wait.
#include "base/numbers/random.h"
#include "engine/session/live_cores.h"
#include "walk_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

static const char kernels_text[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    // Polls a word until it is not 0.
    ".visible .entry poll(.param .u64 at)\n{\n"
    "  .reg .u64 %a;\n  .reg .u32 %v;\n  .reg .pred %p;\n"
    "  ld.param.u64 %a, [at];\n"
    "again:\n"
    "  ld.volatile.global.u32 %v, [%a];\n"
    "  setp.eq.u32 %p, %v, 0;\n"
    "  @%p bra again;\n"
    "  ret;\n}\n"
    // The same, and counts how often: so many times at most.
    ".visible .entry poll_at_most(.param .u64 at, .param .u32 most)\n{\n"
    "  .reg .u64 %a;\n  .reg .u32 %v, %n, %m;\n  .reg .pred %p, %q;\n"
    "  ld.param.u64 %a, [at];\n  ld.param.u32 %m, [most];\n  mov.u32 %n, 0;\n"
    "again:\n"
    "  add.u32 %n, %n, 1;\n"
    "  ld.volatile.global.u32 %v, [%a];\n"
    "  setp.eq.u32 %p, %v, 0;\n"
    "  setp.lt.and.u32 %q, %n, %m, %p;\n"
    "  @%q bra again;\n"
    "  ret;\n}\n";

enum { CORES = 4, SETS = 64, WAYS = 8, LINE = 64 };

static struct walk_fixture fixture;
static struct wm_live_cores *cores;

static void never(void *context, uint64_t command)
{
    (void)context, (void)command;
    cr_assert_fail("no command is issued in the walk");
}

static void begin(void)
{
    const struct wm_live_commands commands = {.issue = never};
    struct wm_machine machine;
    struct wm_error error;
    wm_error_clear(&error);
    cr_assert_eq(wm_machine_load(CPU_GPU_MACHINE, NULL, 0, &machine, &error), WM_OK, "%s",
                 error.message);
    walk_fixture_init_text(&fixture, &machine, kernels_text);
    cr_assert_eq(wm_live_cores_new(fixture.session, &commands, &cores, &error), WM_OK, "%s",
                 error.message);
}

static void end(void)
{
    wm_live_cores_free(cores);
    walk_fixture_release(&fixture);
}

static struct wm_host_access access_of(uint64_t address, uint32_t thread, uint32_t bytes,
                                       enum wm_access_kind kind)
{
    return (struct wm_host_access){.address = address,
                                   .code = address + kind, // a place for each
                                   .bytes = (uint16_t)bytes,
                                   .kind = (uint8_t)kind,
                                   .thread = (uint8_t)thread};
}

static void make(const struct wm_host_access *accesses, size_t count)
{
    struct wm_error error;
    cr_assert_eq(wm_live_cores_access(cores, accesses, count, &error), WM_OK);
}

static const struct wm_kernel_result *kernel_of(const struct wm_results *results, const char *name)
{
    for (uint32_t i = 0; i < results->kernel_count; i++)
        if (strcmp(results->kernels[i].name, name) == 0)
            return &results->kernels[i];
    return NULL;
}

static uint64_t counted(const struct wm_kernel_result *kernel, const char *kind, const char *name)
{
    return walk_component_sum(kernel->components, kernel->component_count, kind, name);
}

// The launch that is under way ends first.
static struct wm_results *take_results(void)
{
    wm_live_cores_free(cores);
    cores = NULL;
    return walk_take_results(&fixture);
}

// Core 0 loads a line twice and core 1 stores into it; a locked operation loads and stores in one.
Test(live_cores, by_hand)
{
    begin();
    const struct wm_host_access accesses[] = {
        access_of(0x10000, 0, 8, WM_ACCESS_LOAD),  access_of(0x10008, 0, 8, WM_ACCESS_LOAD),
        access_of(0x10010, 1, 4, WM_ACCESS_STORE), access_of(0x10010, 1, 4, WM_ACCESS_ATOMIC),
        access_of(0x1003c, 0, 8, WM_ACCESS_LOAD), // and the line behind
    };
    make(accesses, sizeof accesses / sizeof accesses[0]);
    struct wm_results *results = take_results();
    const struct wm_kernel_result *kernel = kernel_of(results, "cores");
    cr_assert_not_null(kernel);
    cr_expect(kernel->on_cores);
    cr_expect_eq(kernel->warp_instructions, 5);
    cr_expect_eq(kernel->launches, 1);
    cr_expect_eq(kernel->instruction_count, 5); // each access has code of its own
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        cr_expect_eq(kernel->instructions[i].counters.executions, 1);
    // Core 0: a miss, a hit, a hit and a miss; core 1: a miss, then two hits.
    cr_expect_eq(counted(kernel, "cpu_l1", "misses"), 3);
    cr_expect_eq(counted(kernel, "cpu_l1", "hits"), 4);
    // Three lines of two sectors of 32 bytes each.
    cr_expect_eq(counted(kernel, "cpu_l2", "misses"), 6);
    wm_results_free(results);
    end();
}

// Beyond so many places of code accesses count together.
Test(live_cores, have_so_many_places_of_code)
{
    enum { PLACES = 2048, MORE = 500 };
    begin();
    for (uint64_t i = 0; i < 2 * (PLACES + MORE); i++) {
        struct wm_host_access load = access_of(0x10000, 0, 8, WM_ACCESS_LOAD);
        load.code = 16 + i % (PLACES + MORE);
        make(&load, 1);
    }
    struct wm_results *results = take_results();
    const struct wm_kernel_result *kernel = kernel_of(results, "cores");
    cr_assert_eq(kernel->instruction_count, PLACES + 1);
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        cr_expect_eq(kernel->instructions[i].counters.executions, i == 0 ? 2 * MORE : 2);
    wm_results_free(results);
    end();
}

Test(live_cores, without_accesses_there_is_no_row)
{
    begin();
    make(NULL, 0);
    struct wm_results *results = take_results();
    cr_expect_eq(results->kernel_count, 0);
    wm_results_free(results);
    end();
}

// ---- An obvious model: the L1s of cores that load -----------------------------------------------

struct obvious {
    uint64_t lines[CORES][SETS][WAYS]; // the one used last in front; plus one, 0: none
    uint64_t hits, misses;
};

static void load(struct obvious *model, uint32_t core, uint64_t line)
{
    uint64_t *set = model->lines[core][line % SETS];
    uint32_t way = 0;
    while (way < WAYS - 1 && set[way] != line + 1)
        way++;
    model->hits += set[way] == line + 1;
    model->misses += set[way] != line + 1;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line + 1;
}

// However accesses are cut into pieces that are handed over.
Test(live_cores, as_obvious_caches_whatever_the_pieces)
{
    enum { COUNT = 20000, LINES = 3000 };
    static struct wm_host_access accesses[COUNT];
    static struct obvious model;
    struct wm_random random;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        begin();
        wm_random_init(&random, seed, "live cores");
        memset(&model, 0, sizeof model);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t thread = i > 0 && wm_random_below(&random, 50) != 0
                                  ? accesses[i - 1].thread
                                  : (uint32_t)wm_random_below(&random, CORES);
            uint64_t line = wm_random_below(&random, LINES) + 1000;
            accesses[i] = access_of(line * LINE + 8 * (i % 8), thread, 8, WM_ACCESS_LOAD);
            load(&model, thread, line);
        }
        for (uint32_t at = 0, piece; at < COUNT; at += piece) {
            piece = 1 + (uint32_t)wm_random_below(&random, 5000);
            piece = piece < COUNT - at ? piece : COUNT - at;
            make(accesses + at, piece);
        }
        struct wm_results *results = take_results();
        const struct wm_kernel_result *kernel = kernel_of(results, "cores");
        cr_expect_eq(counted(kernel, "cpu_l1", "hits"), model.hits);
        cr_expect_eq(counted(kernel, "cpu_l1", "misses"), model.misses);
        cr_expect_eq(counted(kernel, "sm", "warp_instructions"), COUNT);
        wm_results_free(results);
        end();
    }
}

// ---- Beside kernels ----------------------------------------------------------------------------

static struct wm_concurrent_launch *start(const char *name, const uint64_t *parameters,
                                          uint32_t count)
{
    static uint64_t kept[2];
    struct wm_concurrent_launch *running;
    const struct wm_kernel *kernel;
    struct wm_error error;
    memcpy(kept, parameters, count * sizeof *parameters);
    cr_assert_eq(wm_program_kernel(fixture.program, name, &kernel, &error), WM_OK);
    const struct wm_launch launch = {.kernel = kernel,
                                     .grid = {1, 1, 1},
                                     .block = {32, 1, 1},
                                     .peers = UINT32_MAX,
                                     .parameters = kept,
                                     .parameter_bytes = kernel->parameter_bytes};
    cr_assert_eq(wm_session_start_launch(fixture.session, &launch, 0, &running, &error), WM_OK);
    return running;
}

// A kernel that polls a word goes on while a core's accesses are made, and ends behind the store.
Test(live_cores, a_kernel_polls_what_a_thread_writes)
{
    begin();
    uint64_t at = walk_words(&fixture, 1);
    struct wm_concurrent_launch *running = start("poll", &at, 1);
    struct wm_error error;
    const struct wm_host_access loads[] = {access_of(0x20000, 2, 4, WM_ACCESS_LOAD)};
    for (int i = 0; i < 10; i++)
        make(loads, 1);
    cr_assert(!wm_concurrent_launch_has_ended(running));
    *(volatile uint32_t *)(uintptr_t)at = 1;
    const struct wm_host_access store = access_of(at, 2, 4, WM_ACCESS_STORE);
    make(&store, 1);
    cr_assert(wm_concurrent_launch_has_ended(running));
    cr_assert_eq(wm_session_collect(fixture.session, running, NULL, &error), WM_OK);
    struct wm_results *results = take_results();
    cr_expect_eq(kernel_of(results, "cores")->warp_instructions, 11);
    // The cores come first in a round: ten rounds of polling, and the one that ends it.
    cr_expect_geq(kernel_of(results, "poll")->warp_instructions, 10 * 2048);
    cr_expect_lt(kernel_of(results, "poll")->warp_instructions, 11 * 2048);
    wm_results_free(results);
    end();
}

enum { MOST_STEPS = 20000 };

static uint32_t steps_until_it_waits(void)
{
    uint32_t steps = 0;
    wm_session_kernels_go_on(fixture.session);
    while (steps < MOST_STEPS && wm_session_step(fixture.session)) {
        steps++;
        if (wm_session_kernels_wait(fixture.session))
            return steps;
    }
    return MOST_STEPS;
}

Test(live_cores, a_kernel_that_polls_is_known_to_wait)
{
    begin();
    uint64_t at = walk_words(&fixture, 1);
    struct wm_concurrent_launch *running = start("poll", &at, 1);
    struct wm_error error;
    cr_expect_lt(steps_until_it_waits(), MOST_STEPS);
    // It goes on when the word is written all the same.
    *(volatile uint32_t *)(uintptr_t)at = 1;
    cr_assert(wm_session_step(fixture.session));
    cr_expect(wm_concurrent_launch_has_ended(running));
    cr_assert_eq(wm_session_collect(fixture.session, running, NULL, &error), WM_OK);
    end();
}

// Which ends by itself: that it waits may never be said.
Test(live_cores, a_kernel_that_counts_is_not)
{
    begin();
    const uint64_t parameters[] = {walk_words(&fixture, 1), 1000000};
    struct wm_concurrent_launch *running = start("poll_at_most", parameters, 2);
    struct wm_error error;
    cr_expect_eq(steps_until_it_waits(), MOST_STEPS);
    cr_expect(wm_concurrent_launch_has_ended(running));
    cr_assert_eq(wm_session_collect(fixture.session, running, NULL, &error), WM_OK);
    end();
}

// ---- What is refused ---------------------------------------------------------------------------

Test(live_cores, machines_and_engines)
{
    struct wm_machine machine = walk_test_machine();
    struct wm_error error;
    cr_expect_eq(
        wm_live_cores_check(&machine, &(struct wm_session_options){.memory = true}, &error),
        WM_UNSUPPORTED);
    machine.memory.core_count = 1;
    cr_expect_eq(
        wm_live_cores_check(&machine, &(struct wm_session_options){.memory = true}, &error), WM_OK);
    cr_expect_eq(wm_live_cores_check(&machine, &(struct wm_session_options){.clock = true}, &error),
                 WM_UNSUPPORTED);
}
