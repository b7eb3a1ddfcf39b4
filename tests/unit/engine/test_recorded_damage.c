// Recordings that are damaged in several places at once: which damage a replay tells of does not
// depend on the threads that run it, nor on how windows are run. And an item that no writer makes.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "engine/replay/many_machines.h"
#include "engine/session/results.h"
#include "small_recording.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <unistd.h>

enum { RECORDINGS = TEST_ROUNDS(36), WARPS = 2, BLOCKS = 64, MOST_ROUNDS = 6 };
// A block in so many is damaged: in some recordings one or two are, in others most.
static const uint32_t rarities[] = {40, 8, 2};

enum damage { SOUND, ENDS_TOO_SOON, ENDS_TWICE, PHASE_OF_NO_BARRIER, DAMAGES };

// ADD keeps no waits: it has no event of an mbarrier.
static void write_event(struct wm_warp_encoder *warp, enum wm_trace_event event, uint64_t lanes)
{
    struct wm_trace_item item = {.event = event, .first_pc = ADD, .lanes = lanes};
    if (event == WM_TRACE_PHASE)
        item.barrier = WM_PHASE_CLUSTER_ARRIVE;
    wm_warp_encoder_item(warp, &item);
}

static void write_warp(struct wm_warp_encoder *warp, uint32_t rounds, enum damage damage,
                       struct wm_random *random)
{
    for (uint32_t round = 0; round < rounds; round++) {
        small_load(warp, 0, LOAD, 128 * wm_random_below(random, 64));
        small_item(warp, LOAD, ADD + 1, false);
    }
    if (damage == ENDS_TOO_SOON)
        return;
    if (damage == PHASE_OF_NO_BARRIER)
        write_event(warp, WM_TRACE_PHASE, UINT32_MAX);
    if (damage == ENDS_TWICE) {
        write_event(warp, WM_TRACE_EXIT, 1);
        write_event(warp, WM_TRACE_EXIT, 1);
    }
    write_event(warp, WM_TRACE_EXIT, UINT32_MAX);
}

// Returns how many of its blocks are damaged.
static uint32_t write_recording(const char *path, struct wm_random *random)
{
    // Nearly as many in each warp: several come to their damage at about the same time.
    uint32_t damaged = 0, rounds = (uint32_t)wm_random_below(random, MOST_ROUNDS);
    uint32_t rarity = rarities[wm_random_below(random, sizeof rarities / sizeof rarities[0])];
    struct wm_recording_writer *writer = small_recording_begin(path, small_instructions, ADD + 1);
    small_launch_begin(writer, BLOCKS, WARPS, 1);
    for (uint32_t index = 0; index < BLOCKS; index++) {
        struct wm_recording_block *block = small_block_begin(writer, index);
        bool bad = wm_random_below(random, rarity) == 0 || (index == BLOCKS / 2 && damaged == 0);
        damaged += bad;
        for (uint32_t warp = 0; warp < WARPS; warp++)
            write_warp(&block->warps[warp], rounds + (uint32_t)wm_random_below(random, 2),
                       bad ? (enum damage)(1 + wm_random_below(random, DAMAGES - 1)) : SOUND,
                       random);
        wm_recording_block_end(writer, block);
    }
    wm_recording_launch_end(writer, true);
    small_recording_finish(writer);
    return damaged;
}

// --- Replays ---

enum { MACHINES = 3 };

static void load_machines(struct wm_machine *machines)
{
    // With one clock windows are run two at a time by one thread; the last two have one front end.
    static const char *const settings[MACHINES][4] = {
        {"gpu.sm.count=24", "gpu.sm.max_blocks=2", "gpu.interconnect.clock=1530MHz",
         "gpu.interconnect.latency=60"},
        {"gpu.sm.count=16", "gpu.sm.max_blocks=1", "gpu.l2.size=3MiB",
         "gpu.interconnect.latency=150"},
        {"gpu.sm.count=16", "gpu.sm.max_blocks=1", "gpu.l2.size=1536KiB",
         "gpu.interconnect.latency=150"},
    };
    struct wm_error error;
    for (uint32_t i = 0; i < MACHINES; i++)
        cr_assert_eq(wm_machine_load("v100", settings[i], 4, &machines[i], &error), WM_OK, "%s",
                     error.message);
}

static void replay(const char *path, const struct wm_machine *machines, uint32_t count, bool clock,
                   uint32_t threads, struct wm_error *error)
{
    struct wm_recording recording;
    struct wm_replay_variant variants[MACHINES] = {{NULL}};
    const struct wm_session_options options = {.memory = true, .clock = clock};
    for (uint32_t i = 0; i < count; i++)
        variants[i].machine = &machines[i];
    cr_assert_eq(wm_recording_open(&recording, path, error), WM_OK, "%s", error->message);
    cr_assert_eq(wm_replay_many(&recording, variants, count, threads, &options, error), WM_INVALID);
    for (uint32_t i = 0; i < count; i++)
        wm_results_free(variants[i].results);
    wm_recording_close(&recording);
}

static void compare(const char *path, const struct wm_machine *machines, uint32_t count, bool clock,
                    uint64_t seed)
{
    static const uint32_t threads[] = {2, 2, 4};
    struct wm_error expected, told;
    replay(path, machines, count, clock, 1, &expected);
    for (uint32_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        replay(path, machines, count, clock, threads[i], &told);
        cr_expect(
            strcmp(told.message, expected.message) == 0 &&
                strcmp(told.place, expected.place) == 0 && strcmp(told.hint, expected.hint) == 0,
            "seed %" PRIu64 ", %s, %" PRIu32 " machines, %" PRIu32 " threads: %s, not %s", seed,
            clock ? "clock" : "walk", count, threads[i], told.message, expected.message);
    }
}

Test(recorded_damage, is_told_of_alike_by_any_number_of_threads)
{
    static struct wm_machine machines[MACHINES];
    char path[SMALL_PATH];
    uint32_t several = 0;
    small_recording_file(path);
    load_machines(machines);
    for (uint64_t seed = 0; seed < RECORDINGS; seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "recorded damage");
        several += write_recording(path, &random) > 1;
        for (int clock = 0; clock < 2; clock++) {
            compare(path, machines, MACHINES, clock, seed);
            for (uint32_t i = 0; i < 2; i++)
                compare(path, &machines[i], 1, clock, seed);
        }
    }
    unlink(path);
    cr_assert_gt(several, RECORDINGS / 2);
}

// --- An item of more memory instructions than any may have ---

enum { LOADS = WM_TRACE_ITEM_ACCESSES + 1 };

static void write_loads(struct wm_warp_encoder *warp)
{
    for (uint32_t slot = 0; slot < LOADS; slot++)
        small_load(warp, slot, slot, 4096);
    small_item(warp, 0, LOADS, false);
    write_event(warp, WM_TRACE_EXIT, UINT32_MAX);
}

static void write_long_items(const char *path)
{
    static struct wm_recorded_instruction loads[LOADS];
    for (uint32_t i = 0; i < LOADS; i++)
        loads[i] = small_instructions[LOAD];
    struct wm_recording_writer *writer = small_recording_begin(path, loads, LOADS);
    small_launch_begin(writer, BLOCKS, WARPS, LOADS);
    for (uint32_t index = 0; index < BLOCKS; index++) {
        struct wm_recording_block *block = small_block_begin(writer, index);
        for (uint32_t warp = 0; warp < WARPS; warp++)
            write_loads(&block->warps[warp]);
        wm_recording_block_end(writer, block);
    }
    wm_recording_launch_end(writer, true);
    small_recording_finish(writer);
}

// Of warps that go in step, and one by one: the presets' orders. It is told by the first that comes
// to it, which has no plan yet.
Test(recorded_damage, refuses_items_of_too_many_memory_instructions)
{
    static const char *const presets[] = {"v100", "gtx480"};
    static struct wm_machine machine;
    char path[SMALL_PATH];
    struct wm_error error;
    small_recording_file(path);
    write_long_items(path);
    for (uint32_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        cr_assert_eq(wm_machine_load(presets[i], NULL, 0, &machine, &error), WM_OK);
        for (int clock = 0; clock < 2; clock++) {
            replay(path, &machine, 1, clock, 1, &error);
            cr_expect_not_null(strstr(error.message, "an item has too many memory instructions"),
                               "%s: %s", presets[i], error.message);
        }
    }
    unlink(path);
}
