// On which SMs blocks run, from the block dispatch of a machine to the results: small grids worked
// out by hand, and random ones in both engines, on several threads and several machines at once.
#include "base/numbers/random.h"
#include "engine/replay/many_machines.h"
#include "machine/machine.h"
#include "small_recording.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST_BLOCKS = 150, MOST_VARIANTS = 3, TURN = 256 };

// --- Recordings ---

// One warp that loads a line of its own and adds, and then adds so often.
static void write_block(uint64_t index, uint32_t adds, struct wm_recording_writer *writer)
{
    struct wm_recording_block *block = small_block_begin(writer, index);
    small_load(&block->warps[0], 0, LOAD, 128 * index);
    small_item(&block->warps[0], LOAD, ADD + 1, adds == 0);
    for (uint32_t i = 1; i <= adds; i++)
        small_item(&block->warps[0], ADD, 1, i == adds);
    wm_recording_block_end(writer, block);
}

// A recording of one launch, in a file of its own.
struct recorded {
    char path[SMALL_PATH];
    uint32_t blocks, adds[MOST_BLOCKS];
};

static void write_recording(struct recorded *recorded)
{
    small_recording_file(recorded->path);
    struct wm_recording_writer *writer =
        small_recording_begin(recorded->path, small_instructions, ADD + 1);
    small_launch_begin(writer, recorded->blocks, 1, 1);
    for (uint32_t block = 0; block < recorded->blocks; block++)
        write_block(block, recorded->adds[block], writer);
    wm_recording_launch_end(writer, true);
    small_recording_finish(writer);
}

// --- Replays ---

struct replayed {
    const char *dispatch;
    uint32_t sms, blocks_per_sm;
    bool clock;
    uint32_t threads, variants; // of L2's size
};

static void load_machine(const struct replayed *it, uint32_t variant, struct wm_machine *machine)
{
    char sms[32], blocks[40], dispatch[64], turn[32], size[32];
    snprintf(sms, sizeof sms, "gpu.sm.count=%u", it->sms);
    snprintf(blocks, sizeof blocks, "gpu.sm.max_blocks=%u", it->blocks_per_sm);
    snprintf(dispatch, sizeof dispatch, "gpu.sm.block_dispatch=%s", it->dispatch);
    snprintf(turn, sizeof turn, "gpu.sm.turn=%d", TURN);
    snprintf(size, sizeof size, "gpu.l2.size=%uKiB", 768 << variant);
    const char *settings[] = {sms, blocks, dispatch, turn, size, "gpu.instruction.present=false"};
    struct wm_error error;
    char buffer[2048];
    cr_assert_eq(wm_machine_load("gtx480", settings, 6, machine, &error), WM_OK, "%s",
                 wm_error_format(&error, buffer, sizeof buffer));
}

static uint64_t blocks_of_sm(const struct wm_results *results, uint32_t sm)
{
    char path[32];
    snprintf(path, sizeof path, "gpu0.sm[%u]", sm);
    for (uint32_t i = 0; i < results->component_count; i++) {
        const struct wm_component_result *component = &results->components[i];
        if (strcmp(component->path, path) == 0)
            return component->values[wm_counter_index(component->set, "blocks")];
    }
    cr_assert_fail("no %s", path);
    return 0;
}

// Every block has an SM, and SMs have counted as many.
static void check_map(const struct replayed *it, const struct wm_results *results)
{
    cr_assert(results->has_block_maps);
    cr_assert_eq(results->block_map_count, 1);
    const struct wm_block_map *map = &results->block_maps[0];
    uint64_t on[64] = {0};
    cr_assert(map->launch == 0 && map->kernel == 0 && map->grid[0] == map->count);
    for (uint64_t block = 0; block < map->count; block++) {
        cr_assert_lt(map->sms[block], it->sms);
        on[map->sms[block]]++;
    }
    for (uint32_t sm = 0; sm < it->sms; sm++)
        cr_assert_eq(on[sm], blocks_of_sm(results, sm), "%s: SM %u", it->dispatch, sm);
}

// The launch's map, which is that of all variants.
static void replay(const struct recorded *recorded, const struct replayed *it, uint16_t *sms)
{
    static struct wm_machine machines[MOST_VARIANTS];
    struct wm_replay_variant variants[MOST_VARIANTS] = {0};
    struct wm_recording recording;
    struct wm_error error;
    const struct wm_session_options options = {
        .memory = true, .clock = it->clock, .block_map = true};
    for (uint32_t i = 0; i < it->variants; i++) {
        load_machine(it, i, &machines[i]);
        variants[i].machine = &machines[i];
    }
    cr_assert_eq(wm_recording_open(&recording, recorded->path, &error), WM_OK);
    cr_assert_eq(wm_replay_many(&recording, variants, it->variants, it->threads, &options, &error),
                 WM_OK, "%s", error.message);
    for (uint32_t i = 0; i < it->variants; i++) {
        const struct wm_results *results = variants[i].results;
        check_map(it, results);
        cr_assert_eq(results->block_maps[0].count, recorded->blocks);
        if (i == 0)
            memcpy(sms, results->block_maps[0].sms, recorded->blocks * sizeof *sms);
        else
            cr_assert_arr_eq(sms, results->block_maps[0].sms, recorded->blocks * sizeof *sms);
        wm_results_free(variants[i].results);
    }
    wm_recording_close(&recording);
}

static void expect_map(const struct recorded *recorded, const struct replayed *it,
                       const uint16_t *expected)
{
    uint16_t sms[MOST_BLOCKS];
    replay(recorded, it, sms);
    for (uint32_t block = 0; block < recorded->blocks; block++)
        cr_assert_eq(sms[block], expected[block], "%s%s: block %u on SM %u, not %u", it->dispatch,
                     it->clock ? ", clock" : "", block, sms[block], expected[block]);
}

// Blocks that take one turn each, one to an SM: in either engine those of a round finish before
// others begin.
Test(block_maps, of_equal_blocks)
{
    static const uint16_t in_turn[] = {0, 1, 2, 3, 0, 1, 2, 3},
                          together[] = {0, 0, 1, 1, 2, 2, 3, 3};
    struct recorded recorded = {.blocks = 8};
    write_recording(&recorded);
    for (int clock = 0; clock < 2; clock++) {
        struct replayed it = {
            .sms = 4, .blocks_per_sm = 1, .clock = clock, .threads = 1, .variants = 1};
        it.dispatch = "round-robin";
        expect_map(&recorded, &it, in_turn);
        it.dispatch = "first-available";
        expect_map(&recorded, &it, in_turn);
        it.dispatch = "clustered";
        expect_map(&recorded, &it, together);
    }
    unlink(recorded.path);
}

// Of a walk: blocks 1 and 2 take two turns, so that SM 0 gets block 3 before the others are free.
// Then all three are, and round robin goes on behind SM 0.
Test(block_maps, in_the_order_of_finishing)
{
    static const uint16_t in_turn[] = {0, 1, 2, 0, 1, 2, 0}, by_number[] = {0, 1, 2, 0, 0, 1, 2};
    struct recorded recorded = {.blocks = 7, .adds = {[1] = TURN + 50, [2] = TURN + 50}};
    struct replayed it = {.sms = 3, .blocks_per_sm = 1, .threads = 1, .variants = 1};
    write_recording(&recorded);
    it.dispatch = "round-robin";
    expect_map(&recorded, &it, in_turn);
    it.dispatch = "first-available";
    expect_map(&recorded, &it, by_number);
    unlink(recorded.path);
}

// Of a walk: block 0 takes four turns. Meanwhile SMs 1 to 3 run their own two blocks, and SM 1 then
// borrows what SM 0 has left, block 1.
Test(block_maps, of_a_borrowed_block)
{
    static const uint16_t expected[] = {0, 1, 1, 1, 2, 2, 3, 3};
    struct recorded recorded = {.blocks = 8, .adds = {3 * TURN + 50}};
    struct replayed it = {
        .dispatch = "clustered", .sms = 4, .blocks_per_sm = 1, .threads = 1, .variants = 1};
    write_recording(&recorded);
    expect_map(&recorded, &it, expected);
    unlink(recorded.path);
}

// Whatever dispatches blocks, threads and machines beside it change nothing.
Test(block_maps, do_not_depend_on_threads)
{
    static const char *const dispatches[] = {"round-robin", "first-available", "clustered"};
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "block maps");
        struct recorded recorded = {.blocks = 1 + (uint32_t)wm_random_below(&random, MOST_BLOCKS)};
        for (uint32_t block = 0; block < recorded.blocks; block++)
            recorded.adds[block] = (uint32_t)wm_random_below(&random, 3 * TURN);
        write_recording(&recorded);
        struct replayed it = {.dispatch = dispatches[seed % 3],
                              .sms = 1 + (uint32_t)wm_random_below(&random, 15),
                              .blocks_per_sm = 1 + (uint32_t)wm_random_below(&random, 4),
                              .clock = seed / 3 % 2 != 0,
                              .threads = 1,
                              .variants = 1};
        uint16_t sms[MOST_BLOCKS];
        replay(&recorded, &it, sms);
        it.variants = MOST_VARIANTS;
        for (it.threads = 1; it.threads <= 2; it.threads++)
            expect_map(&recorded, &it, sms);
        it.variants = 1;
        it.threads = 3;
        expect_map(&recorded, &it, sms);
        unlink(recorded.path);
    }
}
