// How windows are run does not show in what they come to: random recordings on machines of random
// clocks, wires and buffers, window by window (as where a timeline is kept), two windows at a time
// (clock/paired_windows.c), and by several threads, which post to each other what islands send
// (clock/mailbox.c).
#include "base/numbers/random.h"
#include "engine/replay/replay.h"
#include "engine/session/session.h"
#include "machine/machine.h"
#include "small_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { MACHINES = 40, MOST_THREADS = 3, NEAR = 1 << 14, FAR = 1 << 22 };

static bool chance(struct wm_random *random, uint32_t one_of)
{
    return wm_random_below(random, one_of) == 0;
}

// --- Recordings ---

static void write_access(uint32_t pc, uint32_t slot, struct wm_random *random,
                         struct wm_warp_encoder *warp)
{
    uint64_t addresses[LANES];
    uint64_t base = 4 * wm_random_below(random, chance(random, 2) ? NEAR : FAR);
    bool scattered = chance(random, 6);
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = scattered ? 4 * wm_random_below(random, NEAR) : base + 4 * lane;
    small_access(warp, slot, pc, &small_instructions[pc], addresses);
}

// A warp goes through all instructions some times.
static void write_block(uint64_t index, uint32_t warps, uint32_t rounds, struct wm_random *random,
                        struct wm_recording_writer *writer)
{
    struct wm_recording_block *block = small_block_begin(writer, index);
    for (uint32_t warp = 0; warp < warps; warp++)
        for (uint32_t round = 0, last = (uint32_t)wm_random_below(random, rounds); round <= last;
             round++) {
            write_access(LOAD, 0, random, &block->warps[warp]);
            write_access(OTHER_LOAD, 1, random, &block->warps[warp]);
            write_access(STORE, 2, random, &block->warps[warp]);
            small_item(&block->warps[warp], LOAD, SMALL_INSTRUCTIONS, round == last);
        }
    wm_recording_block_end(writer, block);
}

// Two launches, so that one begins where another has left the machine.
static void write_recording(const char *path, struct wm_random *random)
{
    struct wm_recording_writer *writer =
        small_recording_begin(path, small_instructions, SMALL_INSTRUCTIONS);
    for (uint32_t number = 0; number < 2; number++) {
        uint32_t warps = 1 + (uint32_t)wm_random_below(random, 6);
        uint32_t blocks = 1 + (uint32_t)wm_random_below(random, 40);
        uint32_t rounds = 1 + (uint32_t)wm_random_below(random, 12);
        small_launch_begin(writer, blocks, warps, 3);
        for (uint32_t block = 0; block < blocks; block++)
            write_block(block, warps, rounds, random, writer);
        wm_recording_launch_end(writer, true);
    }
    small_recording_finish(writer);
}

// --- Machines ---

static void draw_machine(struct wm_random *random, struct wm_machine *machine)
{
    static const char *const counts[] = {"gpu.sm.count=1", "gpu.sm.count=3", "gpu.sm.count=15",
                                         "gpu.sm.count=15"};
    static const char *const wires[] = {"gpu.interconnect.latency=1", "gpu.interconnect.latency=4",
                                        "gpu.interconnect.latency=30",
                                        "gpu.interconnect.latency=120"};
    static const char *const clocks[] = {
        "gpu.interconnect.clock=500MHz", "gpu.interconnect.clock=1401MHz",
        "gpu.interconnect.clock=1401MHz", "gpu.interconnect.clock=2000MHz"};
    static const char *const often[] = {"gpu.interconnect.buffer=1",
                                        "gpu.sm.max_blocks=1",
                                        "gpu.l1.present=false",
                                        "gpu.l1.mshr_entries=2",
                                        "gpu.l2.mshr_entries=3",
                                        "gpu.sm.memory_queue=2",
                                        "gpu.l2.write_fetch=never",
                                        "gpu.l1.prefetch=stream-buffer",
                                        "gpu.l2.prefetch=stream-buffer(buffers=2,lines=8)"};
    const char *settings[16] = {"gpu.instruction.present=false", "gpu.texture.present=false"};
    uint32_t count = 2;
    settings[count++] = counts[wm_random_below(random, 4)];
    settings[count++] = wires[wm_random_below(random, 4)];
    settings[count++] = clocks[wm_random_below(random, 4)];
    for (uint32_t i = 0; i < sizeof often / sizeof often[0]; i++)
        if (chance(random, 4))
            settings[count++] = often[i];
    struct wm_error error;
    char buffer[2048];
    cr_assert_eq(wm_machine_load("gtx480", settings, count, machine, &error), WM_OK, "%s",
                 wm_error_format(&error, buffer, sizeof buffer));
}

// --- Comparing ---

static void count_moment(void *context)
{
    ++*(uint64_t *)context;
}

// `*moments`: how often time went on, by a window or by two.
static struct wm_results *replay(const char *path, const struct wm_machine *machine,
                                 uint32_t threads, uint64_t sample_cycles, uint64_t *moments)
{
    struct wm_recording recording;
    struct wm_results *results;
    struct wm_session *session;
    struct wm_error error;
    const struct wm_session_options options = {.memory = true,
                                               .clock = true,
                                               .threads = threads,
                                               .sample_cycles = sample_cycles,
                                               .at_safe_point = count_moment,
                                               .context = moments};
    *moments = 0;
    cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK, "%s", error.message);
    cr_assert_eq(wm_session_new(machine, NULL, &options, &session, &error), WM_OK, "%s",
                 error.message);
    cr_assert_eq(wm_replay(&recording, session, &error), WM_OK, "%s", error.message);
    wm_session_finish(session);
    cr_assert_eq(wm_session_results(session, NULL, &results, &error), WM_OK);
    wm_session_free(session);
    wm_recording_close(&recording);
    return results;
}

static void compare_kernels(const struct wm_kernel_result *a, const struct wm_kernel_result *b,
                            const char *what)
{
    cr_assert_eq(a->cycles, b->cycles, "%s: %" PRIu64 " cycles for %" PRIu64, what, a->cycles,
                 b->cycles);
    cr_assert_eq(a->component_count, b->component_count);
    for (uint32_t i = 0; i < a->component_count; i++)
        for (uint32_t c = 0; c < a->components[i].set->count; c++)
            cr_assert_eq(a->components[i].values[c], b->components[i].values[c],
                         "%s, %s %s: %" PRIu64 " for %" PRIu64, what, a->components[i].path,
                         a->components[i].set->declarations[c].name, a->components[i].values[c],
                         b->components[i].values[c]);
}

// Returns moments.
static uint64_t check(const char *path, const struct wm_machine *machine, uint32_t threads,
                      const struct wm_results *expected, uint64_t seed)
{
    char what[64];
    uint64_t moments;
    struct wm_results *results = replay(path, machine, threads, 0, &moments);
    cr_assert_eq(results->kernel_count, expected->kernel_count);
    snprintf(what, sizeof what, "seed %" PRIu64 ", %" PRIu32 " threads", seed, threads);
    for (uint32_t i = 0; i < results->kernel_count; i++)
        compare_kernels(&results->kernels[i], &expected->kernels[i], what);
    wm_results_free(results);
    return moments;
}

Test(clock_windows, come_to_the_same_however_they_are_run)
{
    static struct wm_machine machine;
    char path[SMALL_PATH];
    uint64_t singly = 0, in_turns = 0, moments;
    small_recording_file(path);
    for (uint64_t seed = 0; seed < MACHINES; seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "clock windows");
        write_recording(path, &random);
        draw_machine(&random, &machine);
        struct wm_results *expected = replay(path, &machine, 1, 1000, &moments);
        uint64_t alone = check(path, &machine, 1, expected, seed);
        if (machine.memory.interconnect.clock_hz == machine.device.clock_hz) {
            singly += moments;
            in_turns += alone;
        }
        for (uint32_t threads = 2; threads <= MOST_THREADS; threads++)
            cr_expect_eq(check(path, &machine, threads, expected, seed), moments);
        wm_results_free(expected);
    }
    unlink(path);
    // With one clock two at a time, for most windows begin where the last one ends.
    cr_expect_lt(3 * in_turns, 2 * singly, "%" PRIu64 " moments for %" PRIu64 " windows", in_turns,
                 singly);
}
