// The walk engine on kernels whose traffic can be counted by hand. A warp that loads consecutive
// words touches one line of four sectors.
#include "sm/warp_scheduler/warp_scheduler.h"
#include "walk_fixture.h"

#include <criterion/criterion.h>
#include <sys/resource.h>

static struct walk_fixture fixture;

static void init(void)
{
    struct wm_machine machine = walk_test_machine();
    walk_fixture_init(&fixture, &machine, true);
}

static void release(void)
{
    walk_fixture_release(&fixture);
}

TestSuite(session, .init = init, .fini = release);

static void fill_floats(uint64_t address, uint32_t count, float scale)
{
    float *values = (float *)address;
    for (uint32_t i = 0; i < count; i++)
        values[i] = scale * (float)i;
    wm_session_host_write(fixture.session, address, 4 * (uint64_t)count);
}

static const struct wm_instruction_result *instruction_of(const struct wm_kernel_result *kernel,
                                                          enum wm_access_kind kind,
                                                          enum wm_address_space space, int which)
{
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instructions[i].kind == kind && kernel->instructions[i].space == space &&
            which-- == 0)
            return &kernel->instructions[i];
    cr_assert(false, "%s has no such instruction", kernel->name);
    return NULL;
}

Test(session, vecadd_moves_each_byte_once)
{
    enum { N = 1024, WARPS = N / 32 };
    uint64_t a = walk_words(&fixture, N), b = walk_words(&fixture, N), c = walk_words(&fixture, N);
    fill_floats(a, N, 1.0f);
    fill_floats(b, N, 2.0f);
    walk_run(&fixture, "_Z6vecaddPKfS0_Pfj", N / 128, 128, (uint64_t[]){a, b, c, N}, 4);
    for (uint32_t i = 0; i < N; i++)
        cr_assert_eq(((const float *)c)[i], 3.0f * (float)i);
    struct wm_results *results = walk_take_results(&fixture);
    cr_assert_eq(results->kernel_count, 1);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    cr_assert_str_eq(kernel->module, "walk_kernels.ptx");
    cr_assert(strcmp(kernel->signature,
                     "vecadd(float const*, float const*, float*, unsigned int)") == 0 ||
                  strcmp(kernel->signature, kernel->name) == 0,
              "%s", kernel->signature);
    cr_assert_eq(kernel->launches, 1);
    const struct wm_instruction_result *load =
        instruction_of(kernel, WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 0);
    cr_assert_eq(load->counters.executions, WARPS);
    cr_assert_eq(load->counters.lanes, N);
    cr_assert_eq(load->counters.bytes_requested, 4 * N);
    cr_assert_eq(load->counters.requests, WARPS);
    cr_assert_eq(load->counters.sectors, 4 * WARPS);
    cr_assert_eq(load->counters.levels[WM_LEVEL_L1].misses, 4 * WARPS);
    cr_assert_eq(load->counters.levels[WM_LEVEL_L2].misses, 4 * WARPS);
    cr_assert_eq(load->counters.levels[WM_LEVEL_L2].bytes, 4 * N);
    cr_assert_eq(load->counters.memory_bytes, 4 * N);
    cr_assert_not_null(load->source_file);
    cr_assert_not_null(strstr(load->source_file, "walk_kernels.cu"), "%s", load->source_file);
    cr_assert_not_null(strstr(load->text, "ld.global"), "%s", load->text);
    const struct wm_instruction_result *store =
        instruction_of(kernel, WM_ACCESS_STORE, WM_SPACE_GLOBAL, 0);
    cr_assert_eq(store->counters.sectors, 4 * WARPS);
    cr_assert_eq(store->counters.levels[WM_LEVEL_L2].bytes, 4 * N);
    cr_assert_eq(store->counters.memory_bytes, 0, "whole sectors are not fetched, and stay in L2");
    walk_check_invariants(results);
    wm_results_free(results);
    // The host reads the result: L2 writes it back, and no kernel is charged.
    wm_session_host_read(fixture.session, c, 4 * N);
    results = walk_take_results(&fixture);
    cr_assert_eq(
        walk_component_sum(results->components, results->component_count, "dram", "bytes_written"),
        4 * N);
    walk_check_invariants(results);
    cr_assert_eq(results->host_to_device_bytes, 8 * N);
    cr_assert_eq(results->device_to_host_bytes, 4 * N);
    wm_results_free(results);
}

Test(session, l1_keeps_what_one_kernel_reads_and_is_flushed_for_the_next)
{
    enum { N = 256, TIMES = 5, SECTORS = N / 8 };
    uint64_t a = walk_words(&fixture, N), sum = walk_words(&fixture, N);
    for (int launch = 1; launch <= 2; launch++) {
        walk_run(&fixture, "reread", 1, N, (uint64_t[]){a, sum, TIMES}, 3);
        struct wm_results *results = walk_take_results(&fixture);
        cr_assert_eq(results->kernel_count, 1, "launches of one kernel are added up");
        cr_assert_eq(results->kernels[0].launches, (uint64_t)launch);
        const struct wm_instruction_counters *load =
            &instruction_of(&results->kernels[0], WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 0)->counters;
        cr_assert_eq(load->levels[WM_LEVEL_L1].misses, (uint64_t)launch * SECTORS);
        cr_assert_eq(load->levels[WM_LEVEL_L1].hits, (uint64_t)launch * SECTORS * (TIMES - 1));
        cr_assert_eq(load->levels[WM_LEVEL_L2].misses, SECTORS, "L2 is not flushed");
        cr_assert_eq(load->levels[WM_LEVEL_L2].hits, (uint64_t)(launch - 1) * SECTORS);
        walk_check_invariants(results);
        wm_results_free(results);
    }
}

// Where L1 is for local memory alone, each read of a word is a request to L2.
Test(session, global_memory_goes_round_an_l1_for_local_memory)
{
    struct wm_machine machine = walk_test_machine();
    machine.sm.global_around_l1 = true;
    walk_fixture_release(&fixture);
    walk_fixture_init(&fixture, &machine, true);
    enum { N = 256, TIMES = 5, SECTORS = N / 8 };
    uint64_t a = walk_words(&fixture, N), sum = walk_words(&fixture, N);
    walk_run(&fixture, "reread", 1, N, (uint64_t[]){a, sum, TIMES}, 3);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_instruction_counters *load =
        &instruction_of(&results->kernels[0], WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 0)->counters;
    cr_assert_eq(load->levels[WM_LEVEL_L1].hits + load->levels[WM_LEVEL_L1].misses, 0);
    cr_assert_eq(load->levels[WM_LEVEL_L2].hits, SECTORS * (TIMES - 1));
    cr_assert_eq(load->levels[WM_LEVEL_L2].misses, SECTORS);
    walk_check_invariants(results);
    wm_results_free(results);
}

Test(session, stencil_finds_its_neighbours_in_l1)
{
    enum { N = 130 };
    uint64_t in = walk_words(&fixture, N), out = walk_words(&fixture, N);
    fill_floats(in, N, 1.0f);
    walk_run(&fixture, "stencil", 1, 128, (uint64_t[]){in, out, N}, 3);
    for (uint32_t i = 1; i + 1 < N; i++)
        cr_assert_eq(((const float *)out)[i], 3.0f * (float)i);
    struct wm_results *results = walk_take_results(&fixture);
    struct wm_instruction_counters counters_by_pc = walk_causes(&results->kernels[0]);
    // 130 floats are 16 sectors and a part of a seventeenth; each is fetched once.
    uint64_t misses = 0;
    for (int which = 0; which < 3; which++)
        misses += instruction_of(&results->kernels[0], WM_ACCESS_LOAD, WM_SPACE_GLOBAL, which)
                      ->counters.levels[WM_LEVEL_L1]
                      .misses;
    cr_assert_eq(misses, 17);
    cr_assert_gt(counters_by_pc.levels[WM_LEVEL_L1].hits, 2 * misses);
    walk_check_invariants(results);
    wm_results_free(results);
}

Test(session, atomics_go_to_l2_one_request_a_line)
{
    uint64_t bins = walk_words(&fixture, 8192);
    walk_run(&fixture, "count_bins", 2, 64, (uint64_t[]){bins, 7}, 2);
    for (uint32_t i = 0; i < 8; i++) {
        cr_assert_eq(((const uint32_t *)bins)[i], 16);
        cr_assert_eq(((const uint32_t *)bins)[4096 + i], 16);
    }
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    const enum wm_access_kind kinds[] = {WM_ACCESS_REDUCTION, WM_ACCESS_ATOMIC};
    for (int i = 0; i < 2; i++) {
        const struct wm_instruction_counters *counters =
            &instruction_of(kernel, kinds[i], WM_SPACE_GLOBAL, 0)->counters;
        cr_assert_eq(counters->executions, 4);
        cr_assert_eq(counters->requests, 4, "32 lanes on 8 words of one line are one request");
        cr_assert_eq(counters->sectors, 4);
        cr_assert_eq(counters->levels[WM_LEVEL_L1].hits + counters->levels[WM_LEVEL_L1].misses, 0);
        cr_assert_eq(counters->levels[WM_LEVEL_L2].misses, 1);
        cr_assert_eq(counters->levels[WM_LEVEL_L2].hits, 3);
    }
    walk_check_invariants(results);
    wm_results_free(results);
}

Test(session, shared_memory_is_counted_at_the_instruction_and_goes_no_further)
{
    uint64_t in = walk_words(&fixture, 512), out = walk_words(&fixture, 512);
    for (uint32_t i = 0; i < 512; i++)
        ((uint32_t *)in)[i] = i;
    walk_run(&fixture, "reverse", 2, 256, (uint64_t[]){in, out}, 2);
    for (uint32_t i = 0; i < 512; i++)
        cr_assert_eq(((const uint32_t *)out)[i], i / 256 * 256 + 255 - i % 256);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    const struct wm_instruction_counters *store =
        &instruction_of(kernel, WM_ACCESS_STORE, WM_SPACE_SHARED, 0)->counters;
    cr_assert_eq(store->executions, 16);
    cr_assert_eq(store->lanes, 512);
    cr_assert_eq(store->requests, 0);
    cr_assert_eq(kernel->static_shared_bytes, 1024);
    walk_check_invariants(results);
    wm_results_free(results);
}

Test(session, a_generic_load_is_charged_where_its_bytes_went)
{
    uint64_t in = walk_words(&fixture, 64), out = walk_words(&fixture, 64);
    for (uint32_t i = 0; i < 64; i++)
        ((uint32_t *)in)[i] = 1000 + i;
    walk_run(&fixture, "mixed_spaces", 1, 64, (uint64_t[]){in, out}, 2);
    for (uint32_t i = 0; i < 64; i++)
        cr_assert_eq(((const uint32_t *)out)[i], i % 2 == 0 ? i : 1000 + i);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_instruction_result *load =
        instruction_of(&results->kernels[0], WM_ACCESS_LOAD, WM_SPACE_GLOBAL, 0);
    cr_assert_eq(load->counters.lanes, 64);
    cr_assert_eq(load->counters.requests, 2);
    cr_assert_eq(load->counters.sectors, 8);
    wm_results_free(results);
}

Test(session, two_kernels_have_results_of_their_own)
{
    uint64_t words = walk_words(&fixture, 8192);
    walk_run(&fixture, "count_bins", 1, 32, (uint64_t[]){words, 0}, 2);
    walk_run(&fixture, "reread", 1, 32, (uint64_t[]){words, words, 1}, 3);
    walk_run(&fixture, "count_bins", 3, 32, (uint64_t[]){words, 0}, 2);
    struct wm_results *results = walk_take_results(&fixture);
    cr_assert_eq(results->kernel_count, 2);
    cr_assert_str_eq(results->kernels[0].name, "count_bins", "in order of first launch");
    cr_assert_eq(results->kernels[0].launches, 2);
    cr_assert_eq(results->kernels[0].grid[0], 3, "of the last launch");
    cr_assert_str_eq(results->kernels[1].name, "reread");
    cr_assert_eq(results->kernels[1].launches, 1);
    cr_assert_eq(results->kernels[1].grid[0], 1);
    walk_check_invariants(results);
    // What each did, in L2: four warps of count_bins make a reduction and an atomic each, of one
    // sector, and the first of each fetches it; the warp of reread loads four sectors, of which the
    // reductions' is there, and stores to the same.
    static const struct {
        const char *name;
        uint64_t expected[2];
    } counters[] = {{"accesses", {8, 2}},      {"atomic_accesses", {8, 0}}, {"atomic_hits", {6, 0}},
                    {"atomic_misses", {2, 0}}, {"load_hits", {0, 1}},       {"load_misses", {0, 3}},
                    {"store_hits", {0, 4}},    {"store_misses", {0, 0}}};
    for (size_t i = 0; i < 2 * sizeof counters / sizeof counters[0]; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i % 2];
        uint64_t sum = walk_component_sum(kernel->components, kernel->component_count, "l2",
                                          counters[i / 2].name);
        cr_expect_eq(sum, counters[i / 2].expected[i % 2], "%s: %lu %s", kernel->name, sum,
                     counters[i / 2].name);
    }
    // The run is the sum of its kernels, as the host has copied nothing.
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 2; i++)
        sum += walk_component_sum(results->kernels[i].components,
                                  results->kernels[i].component_count, "l2", "accesses");
    cr_assert_eq(
        sum, walk_component_sum(results->components, results->component_count, "l2", "accesses"));
    struct wm_session_totals totals = wm_session_totals(fixture.session, 0);
    cr_assert_eq(totals.warp_instructions,
                 results->kernels[0].warp_instructions + results->kernels[1].warp_instructions);
    wm_results_free(results);
}

// Block 0 waits for block 1, which waits for block 2, …: they progress because all are resident.
Test(session, blocks_that_wait_for_each_other_progress)
{
    uint64_t flags = walk_words(&fixture, 8);
    walk_run(&fixture, "wait_for_next", 8, 64, (uint64_t[]){flags}, 1);
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(((const uint32_t *)flags)[i], 1);
    cr_assert_gt(fixture.safe_points, 0);
}

// One device memory at a time: its addresses are the same in every process.
static void restart(const struct wm_machine *machine, bool memory)
{
    walk_fixture_release(&fixture);
    walk_fixture_init(&fixture, machine, memory);
}

Test(session, warps_that_wait_for_each_other_progress_in_every_order)
{
    size_t orders;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&orders);
    for (size_t order = 0; order < orders; order++)
        for (int memory = 0; memory < 2; memory++) {
            struct wm_machine machine = walk_test_machine();
            machine.sm.warp_scheduler = table[order];
            restart(&machine, memory == 1);
            uint64_t flags = walk_words(&fixture, 8);
            walk_run(&fixture, "wait_for_last_warp", 3, 256, (uint64_t[]){flags}, 1);
            memset((void *)flags, 0, 32);
            walk_run(&fixture, "wait_for_next", 8, 64, (uint64_t[]){flags}, 1);
        }
}

// Two blocks an SM fit at once: later ones wait for room and still run.
Test(session, a_block_that_does_not_fit_waits)
{
    uint64_t sms = walk_words(&fixture, 100);
    walk_run(&fixture, "where_am_i", 100, 1024, (uint64_t[]){sms}, 1);
    struct wm_results *results = walk_take_results(&fixture);
    cr_assert_eq(results->kernels[0].blocks_per_sm, 2, "2,048 threads an SM");
    cr_assert_str_eq(results->kernels[0].occupancy_limiter, "threads");
    cr_assert_eq(walk_component_sum(results->kernels[0].components,
                                    results->kernels[0].component_count, "sm", "blocks"),
                 100);
    const uint32_t *sm = (const uint32_t *)sms;
    cr_assert_eq(sm[0], 0, "round robin over the SMs");
    cr_assert_eq(sm[1], 1);
    cr_assert_eq(sm[2], 0);
    uint32_t on_second = 0;
    for (uint32_t i = 0; i < 100; i++)
        on_second += sm[i] == 1;
    cr_assert_eq(on_second, 50);
    wm_results_free(results);
}

Test(session, a_block_too_large_is_refused_with_both_numbers)
{
    struct wm_error error;
    uint64_t sms = walk_words(&fixture, 1);
    cr_assert_eq(walk_launch(&fixture, "where_am_i", 1, 1025, &sms, 1, NULL, &error), WM_LIMIT);
    cr_assert_not_null(strstr(error.message, "1025"), "%s", error.message);
    cr_assert_not_null(strstr(error.message, "1024"), "%s", error.message);
    cr_assert_not_null(strstr(error.place, "where_am_i"), "%s", error.place);
    const struct wm_kernel *kernel;
    cr_assert_eq(wm_program_kernel(fixture.program, "where_am_i", &kernel, &error), WM_OK);
    struct wm_launch launch = {
        .kernel = kernel,
        .grid = {1, 70000, 1},
        .block = {32, 1, 1},
        .parameters = &sms,
        .parameter_bytes = kernel->parameter_bytes,
    };
    cr_assert_eq(wm_session_launch(fixture.session, &launch, NULL, &error), WM_LIMIT);
    cr_assert_not_null(strstr(error.message, "65535"), "%s", error.message);
    launch.grid[1] = 1;
    launch.dynamic_shared_bytes = 50000;
    cr_assert_eq(wm_session_launch(fixture.session, &launch, NULL, &error), WM_LIMIT);
    cr_assert_not_null(strstr(error.message, "49152"), "%s", error.message);
    launch.dynamic_shared_bytes = 0;
    launch.grid[0] = 0;
    cr_assert_eq(wm_session_launch(fixture.session, &launch, NULL, &error), WM_INVALID);
}

Test(session, a_deadlock_is_reported)
{
    struct wm_error error;
    struct wm_finding finding;
    uint64_t out = walk_words(&fixture, 128);
    cr_assert_eq(walk_launch(&fixture, "never_meet", 1, 128, &out, 1, &finding, &error),
                 WM_DEADLOCK);
    cr_assert_eq(finding.kind, WM_FAULT_DEADLOCK);
    // Who waits where for what: three of the four warps, at the barrier of the PTX and of the
    // source.
    static const char *const facts[] = {
        "deadlock: block 0, warp 1, lanes 0xffffffff wait at a block barrier (bar.sync 1, 128, ",
        "; block 0, warp 2, lanes 0xffffffff wait at a block barrier (bar.sync 1, 128, ",
        "; block 0, warp 3, lanes 0xffffffff wait at a block barrier (bar.sync 1, 128, ",
        "walk_kernels.ptx:458", "walk_kernels.cu:83)"};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        cr_expect_not_null(strstr(error.message, facts[i]), "'%s' in: %s", facts[i], error.message);
    cr_expect_null(strstr(error.message, "warp 0"), "%s", error.message);
    cr_expect_null(strstr(error.message, "more"), "%s", error.message);
    cr_expect_str_eq(error.place, "kernel never_meet");
    cr_expect_eq(finding.block[0], 0);
    // And the engine goes on with the next launch.
    walk_run(&fixture, "where_am_i", 1, 32, (uint64_t[]){out}, 1);
}

Test(session, a_fault_stops_the_launch_and_leaves_results_consistent)
{
    struct wm_error error;
    struct wm_finding finding;
    uint64_t out = walk_words(&fixture, 64 * 128);
    cr_assert_eq(walk_launch(&fixture, "out_of_bounds", 64, 128, (uint64_t[]){out, 3 * 128 + 5}, 2,
                             &finding, &error),
                 WM_FAULT);
    cr_assert_eq(finding.kind, WM_FAULT_OUT_OF_BOUNDS);
    cr_assert_eq(finding.block[0], 3);
    cr_assert_eq(finding.thread[0], 5);
    cr_assert(finding.write);
    struct wm_results *results = walk_take_results(&fixture);
    cr_assert_eq(results->kernels[0].launches, 1);
    walk_check_invariants(results);
    wm_results_free(results);
    walk_run(&fixture, "where_am_i", 70, 32, (uint64_t[]){out}, 1);
}

Test(session, without_a_memory_system_it_only_executes)
{
    struct wm_machine machine = walk_test_machine();
    restart(&machine, false);
    uint64_t in = walk_words(&fixture, 512), out = walk_words(&fixture, 512);
    walk_run(&fixture, "reverse", 2, 256, (uint64_t[]){in, out}, 2);
    wm_session_host_read(fixture.session, out, 2048);
    wm_session_finish(fixture.session);
    struct wm_results *results = walk_take_results(&fixture);
    cr_assert_str_eq(results->engine, "none");
    cr_assert_gt(results->kernels[0].warp_instructions, 0);
    cr_assert_eq(wm_session_totals(fixture.session, 0).dram_bytes, 0);
    wm_results_free(results);
}

Test(session, parts_of_a_machine_that_do_not_fit_together_are_refused)
{
    struct wm_session *session;
    struct wm_error error;
    const struct wm_session_options options = {.memory = true};
    struct wm_machine machine = walk_test_machine();
    machine.memory.sm_count = 1;
    cr_assert_eq(wm_session_new(&machine, fixture.memory, &options, &session, &error), WM_INVALID);
    cr_assert_null(session);
    machine = walk_test_machine();
    machine.sm.coalescer_line_bytes = 64;
    cr_assert_eq(wm_session_new(&machine, fixture.memory, &options, &session, &error), WM_INVALID);
    cr_assert_not_null(strstr(error.message, "64"), "%s", error.message);
}

static long resident_kib(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss; // the most so far
}

Test(session, memory_does_not_grow_with_the_grid)
{
    uint64_t bins = walk_words(&fixture, 8192);
    walk_run(&fixture, "count_bins", 1000, 128, (uint64_t[]){bins, 4095}, 2);
    long before = resident_kib();
    walk_run(&fixture, "count_bins", 10000, 128, (uint64_t[]){bins, 4095}, 2);
    long after = resident_kib();
    cr_assert_lt((double)after, 1.1 * (double)before, "%ld KiB, then %ld KiB", before, after);
#ifndef __SANITIZE_ADDRESS__ // which keeps freed memory back on purpose
    // Nor with the number of launches.
    for (int i = 0; i < 2000; i++)
        walk_run(&fixture, "count_bins", 2, 32, (uint64_t[]){bins, 4095}, 2);
    cr_assert_lt((double)resident_kib(), 1.1 * (double)before);
#endif
}

// One L1 that nothing can stay in, one that everything stays in, each order of warps, 64 lanes:
// what a kernel computes never depends on them, and instructions and components agree on each.
Test(session, every_machine_computes_the_same_and_adds_up)
{
    enum { N = 4096 };
    for (int variant = 0; variant < 8; variant++) {
        struct wm_machine machine = walk_test_machine();
        machine.memory.levels[WM_LEVEL_L1].cache.present = variant != 1;
        if (variant == 2)
            machine.memory.levels[WM_LEVEL_L1].cache.size_bytes = 65536;
        if (variant == 3)
            machine.memory.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_BACK;
        if (variant == 3)
            machine.memory.levels[WM_LEVEL_L1].cache.write_allocate = true;
        if (variant == 4)
            machine.sm.warp_scheduler = &wm_warp_scheduler_greedy_then_oldest;
        if (variant == 6)
            machine.sm.warp_scheduler = &wm_warp_scheduler_oldest;
        if (variant == 7)
            machine.sm.warp_scheduler = &wm_warp_scheduler_two_level;
        if (variant == 5) {
            machine.sm.warp_width = 64;
            machine.sm.max_warps = 32;
        }
        restart(&machine, true);
        uint64_t a = walk_words(&fixture, N), b = walk_words(&fixture, N);
        uint64_t c = walk_words(&fixture, 8192);
        fill_floats(a, N, 1.0f);
        walk_run(&fixture, "stencil", 20, 224, (uint64_t[]){a, b, N}, 3);
        walk_run(&fixture, "count_bins", 9, 96, (uint64_t[]){c, 1023}, 2);
        walk_run(&fixture, "reverse", 16, 256, (uint64_t[]){b, a}, 2);
        for (uint32_t i = 1; i + 1 < N; i++)
            cr_assert_eq(((const float *)b)[i], 3.0f * (float)i, "variant %d", variant);
        for (uint32_t i = 0; i < 9 * 96; i++)
            cr_assert_eq(((const uint32_t *)c)[i], 1, "variant %d", variant);
        for (uint32_t i = 0; i < N; i++)
            cr_assert_eq(((const float *)a)[i], ((const float *)b)[i / 256 * 256 + 255 - i % 256]);
        struct wm_results *results = walk_take_results(&fixture);
        walk_check_invariants(results);
        wm_results_free(results);
    }
}
