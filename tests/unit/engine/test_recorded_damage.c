// Recordings that are damaged in several places at once: which damage a replay tells of does not
// depend on the threads that run it, nor on how windows are run. And an item that no writer makes.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "engine/replay/many_machines.h"
#include "engine/session/results.h"
#include "trace/recording_writer.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { RECORDINGS = TEST_ROUNDS(36), LANES = 32, WARPS = 2, BLOCKS = 64, MOST_ROUNDS = 6 };
// A block in so many is damaged: in some recordings one or two are, in others most.
static const uint32_t rarities[] = {40, 8, 2};

// An instruction that keeps no waits has no event of an mbarrier.
enum { LOAD, ADD, INSTRUCTIONS };

static struct wm_recorded_instruction instructions[INSTRUCTIONS] = {
    [LOAD] = {.text = "ld.global.u32 %r1, [%rd1]",
              .exists = true,
              .is_memory = true,
              .kind = WM_ACCESS_LOAD,
              .space = WM_SPACE_GLOBAL},
    [ADD] = {.text = "add.s32 %r2, %r1, %r2", .exists = true},
};

enum damage { SOUND, ENDS_TOO_SOON, ENDS_TWICE, PHASE_OF_NO_BARRIER, DAMAGES };

static void write_round(struct wm_warp_encoder *warp, struct wm_random *random)
{
    uint64_t addresses[LANES], base = 128 * wm_random_below(random, 64);
    const struct wm_warp_access access = {.kind = WM_ACCESS_LOAD,
                                          .space = WM_SPACE_GLOBAL,
                                          .pc = LOAD,
                                          .bytes_per_lane = 4,
                                          .lanes = LANES,
                                          .active = UINT32_MAX,
                                          .addresses = addresses};
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = base + 4 * lane;
    wm_warp_encoder_access(warp, 0, &access, 0);
    wm_warp_encoder_item(warp, &(struct wm_trace_item){.count = INSTRUCTIONS,
                                                       .active = UINT32_MAX,
                                                       .accesses = WM_TRACE_ONE_EACH});
}

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
    for (uint32_t round = 0; round < rounds; round++)
        write_round(warp, random);
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
    struct wm_recording_writer *writer;
    struct wm_error error;
    // Nearly as many in each warp: several come to their damage at about the same time.
    uint32_t damaged = 0, rounds = (uint32_t)wm_random_below(random, MOST_ROUNDS);
    uint32_t rarity = rarities[wm_random_below(random, sizeof rarities / sizeof rarities[0])];
    const struct wm_recording_header header = {
        .writer = "test", .source = "test", .machine = "", .machine_yaml = "", .lanes = LANES};
    const struct wm_recorded_code code = {.name = "damaged",
                                          .module = "test",
                                          .instruction_count = INSTRUCTIONS,
                                          .instructions = instructions};
    struct wm_recorded_launch launch = {.grid = {BLOCKS, 1, 1}, .block = {LANES * WARPS, 1, 1}};
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK);
    wm_recording_write_code(writer, &code);
    wm_recording_launch_begin(writer, &launch, 1);
    for (uint32_t index = 0; index < BLOCKS; index++) {
        struct wm_recording_block *block = wm_recording_block_begin(writer, index);
        cr_assert_not_null(block);
        bool bad = wm_random_below(random, rarity) == 0 || (index == BLOCKS / 2 && damaged == 0);
        damaged += bad;
        for (uint32_t warp = 0; warp < WARPS; warp++)
            write_warp(&block->warps[warp], rounds + (uint32_t)wm_random_below(random, 2),
                       bad ? (enum damage)(1 + wm_random_below(random, DAMAGES - 1)) : SOUND,
                       random);
        wm_recording_block_end(writer, block);
    }
    wm_recording_launch_end(writer, true);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
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
    char folder[] = "/tmp/recorded-damage-XXXXXX", path[64];
    uint32_t several = 0;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/damaged.wmt", folder);
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
        unlink(path);
    }
    rmdir(folder);
    cr_assert_gt(several, RECORDINGS / 2);
}

// --- An item of more memory instructions than any may have ---

enum { LOADS = WM_TRACE_ITEM_ACCESSES + 1 };

static void write_loads(struct wm_warp_encoder *warp)
{
    const struct wm_warp_access access = {.kind = WM_ACCESS_LOAD,
                                          .space = WM_SPACE_GLOBAL,
                                          .bytes_per_lane = 4,
                                          .lanes = LANES,
                                          .active = UINT32_MAX,
                                          .base = 4096,
                                          .stride = 4};
    uint64_t addresses[LANES];
    struct wm_warp_access spread = access;
    wm_access_expand(&access, addresses);
    spread.addresses = addresses;
    for (uint32_t slot = 0; slot < LOADS; slot++) {
        spread.pc = slot;
        wm_warp_encoder_access(warp, slot, &spread, 0);
    }
    wm_warp_encoder_item(warp, &(struct wm_trace_item){.count = LOADS,
                                                       .active = UINT32_MAX,
                                                       .accesses = WM_TRACE_ONE_EACH});
    write_event(warp, WM_TRACE_EXIT, UINT32_MAX);
}

static void write_long_items(const char *path)
{
    static struct wm_recorded_instruction loads[LOADS];
    struct wm_recording_writer *writer;
    struct wm_error error;
    const struct wm_recording_header header = {
        .writer = "test", .source = "test", .machine = "", .machine_yaml = "", .lanes = LANES};
    const struct wm_recorded_code code = {
        .name = "loads", .module = "test", .instruction_count = LOADS, .instructions = loads};
    struct wm_recorded_launch launch = {.grid = {BLOCKS, 1, 1}, .block = {LANES * WARPS, 1, 1}};
    for (uint32_t i = 0; i < LOADS; i++)
        loads[i] = instructions[LOAD];
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK);
    wm_recording_write_code(writer, &code);
    wm_recording_launch_begin(writer, &launch, LOADS);
    for (uint32_t index = 0; index < BLOCKS; index++) {
        struct wm_recording_block *block = wm_recording_block_begin(writer, index);
        cr_assert_not_null(block);
        for (uint32_t warp = 0; warp < WARPS; warp++)
            write_loads(&block->warps[warp]);
        wm_recording_block_end(writer, block);
    }
    wm_recording_launch_end(writer, true);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
}

// Of warps that go in step, and one by one: the presets' orders. It is told by the first that comes
// to it, which has no plan yet.
Test(recorded_damage, refuses_items_of_too_many_memory_instructions)
{
    static const char *const presets[] = {"v100", "gtx480"};
    static struct wm_machine machine;
    char folder[] = "/tmp/recorded-damage-XXXXXX", path[64];
    struct wm_error error;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/long.wmt", folder);
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
    rmdir(folder);
}
