// Variants of a machine, measured together: each has the numbers of a machine that was loaded with
// its settings and replayed alone, in whatever pass it comes and on however many threads.
#include "base/numbers/random.h"
#include "engine/profile/variants.h"
#include "engine/replay/many_machines.h"
#include "trace/recording_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LANES = 32, BLOCKS = 8, ACCESSES = 200, VARIANTS = WM_VARIANTS_A_PASS + 3 };

static void write_block(struct wm_recording_writer *writer, uint64_t index,
                        struct wm_random *random)
{
    struct wm_recording_block *block = wm_recording_block_begin(writer, index);
    cr_assert_not_null(block);
    for (int n = 0; n < ACCESSES; n++) {
        uint64_t addresses[LANES], base = 128 * wm_random_below(random, 2000);
        bool last = n + 1 == ACCESSES;
        const struct wm_warp_access access = {.space = WM_SPACE_GLOBAL,
                                              .pc = 0,
                                              .bytes_per_lane = 4,
                                              .lanes = LANES,
                                              .active = UINT32_MAX,
                                              .addresses = addresses};
        const struct wm_trace_item item = {.count = 1,
                                           .active = UINT32_MAX,
                                           .accesses = WM_TRACE_ONE_EACH,
                                           .event = last ? WM_TRACE_EXIT : WM_TRACE_NO_EVENT,
                                           .lanes = last ? UINT32_MAX : 0};
        for (int lane = 0; lane < LANES; lane++)
            addresses[lane] = (UINT64_C(1) << 32) + base + 4 * (uint64_t)lane;
        wm_warp_encoder_access(&block->warps[0], 0, &access, 0);
        wm_warp_encoder_item(&block->warps[0], &item);
    }
    wm_recording_block_end(writer, block);
}

static void write_recording(const char *path)
{
    struct wm_random random;
    struct wm_recording_writer *writer;
    struct wm_error error;
    const struct wm_recording_header header = {.writer = "test", .lanes = LANES};
    struct wm_recorded_instruction load = {
        .text = "load", .exists = true, .is_memory = true, .space = WM_SPACE_GLOBAL};
    const struct wm_recorded_code code = {
        .name = "k", .module = "m", .instruction_count = 1, .instructions = &load};
    struct wm_recorded_launch launch = {.grid = {BLOCKS, 1, 1}, .block = {LANES, 1, 1}};
    wm_random_init(&random, 1, "variants");
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK);
    wm_recording_write_code(writer, &code);
    wm_recording_launch_begin(writer, &launch, 1);
    for (uint32_t b = 0; b < BLOCKS; b++)
        write_block(writer, b, &random);
    wm_recording_launch_end(writer, true);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
}

static const char *const base_settings[] = {"gpu.sm.count=2", "gpu.sm.unified=0B"};
static char size_settings[VARIANTS][48];

// The first is the machine as it is; then L1s of 8 KiB more each; the last around L1 altogether.
static uint32_t settings_of(uint32_t variant, const char *settings[2])
{
    if (variant == 0)
        return 0;
    if (variant + 1 == VARIANTS) {
        settings[0] = "gpu.l1.bypass=per-pc";
        settings[1] = "gpu.l1.bypass_list=k:pc0";
        return 2;
    }
    snprintf(size_settings[variant], sizeof size_settings[variant], "gpu.l1.size=%uKiB",
             8 * variant);
    settings[0] = size_settings[variant];
    settings[1] = "gpu.l1.ways=1";
    return 2;
}

static struct wm_instruction_counters alone(struct wm_recording *recording, uint32_t variant)
{
    static struct wm_machine machine;
    const char *settings[4] = {base_settings[0], base_settings[1]};
    const struct wm_session_options options = {.memory = true};
    struct wm_replay_variant replayed = {.machine = &machine};
    struct wm_error error;
    uint32_t count = settings_of(variant, settings + 2);
    cr_assert_eq(wm_machine_load("v100", settings, 2 + count, &machine, &error), WM_OK, "%s",
                 error.message);
    cr_assert_eq(wm_replay_many(recording, &replayed, 1, 1, &options, &error), WM_OK);
    struct wm_instruction_counters counters = replayed.results->kernels[0].instructions[0].counters;
    wm_results_free(replayed.results);
    return counters;
}

static void open_recording(struct wm_recording *recording)
{
    char path[] = "/tmp/variants-XXXXXX";
    struct wm_error error;
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    close(descriptor);
    write_recording(path);
    cr_assert_eq(wm_recording_open(recording, path, &error), WM_OK);
}

static void close_recording(struct wm_recording *recording)
{
    unlink(recording->file.path);
    wm_recording_close(recording);
}

Test(variants, each_has_the_numbers_of_its_own_machine)
{
    static struct wm_machine base;
    static const char *settings[VARIANTS][2];
    static struct wm_variant variants[VARIANTS];
    struct wm_recording recording;
    struct wm_error error;
    const struct wm_session_options options = {.memory = true};
    open_recording(&recording);
    cr_assert_eq(wm_machine_load("v100", base_settings, 2, &base, &error), WM_OK);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        for (uint32_t i = 0; i < VARIANTS; i++)
            variants[i] = (struct wm_variant){.settings = settings[i],
                                              .setting_count = settings_of(i, settings[i])};
        cr_assert_eq(wm_variants_measure(&recording, &base, NULL, variants, VARIANTS, threads,
                                         &options, &error),
                     WM_OK, "%s", error.message);
        uint64_t hits[VARIANTS];
        for (uint32_t i = 0; i < VARIANTS; i++) {
            struct wm_instruction_counters
                wanted = alone(&recording, i),
                found = variants[i].results->kernels[0].instructions[0].counters;
            cr_expect_arr_eq(&found, &wanted, sizeof found, "variant %u, %u threads", i, threads);
            hits[i] = found.levels[WM_LEVEL_L1].hits;
            wm_results_free(variants[i].results);
        }
        cr_expect_eq(hits[VARIANTS - 1], 0, "around L1");
        cr_expect_lt(hits[1], hits[VARIANTS - 2], "a larger L1 holds more");
    }
    close_recording(&recording);
}

Test(variants, one_that_cannot_be_made_is_named_and_nothing_is_left)
{
    static struct wm_machine base;
    struct wm_recording recording;
    struct wm_error error;
    const struct wm_session_options options = {.memory = true};
    const char *const good = "gpu.l1.bypass=none", *const bad = "gpu.l1.bypass=nonsense";
    struct wm_variant variants[2] = {{&good, 1, NULL}, {&bad, 1, NULL}};
    open_recording(&recording);
    cr_assert_eq(wm_machine_load("v100", base_settings, 2, &base, &error), WM_OK);
    wm_error_clear(&error);
    cr_expect_neq(wm_variants_measure(&recording, &base, NULL, variants, 2, 1, &options, &error),
                  WM_OK);
    cr_expect_not_null(strstr(error.message, "nonsense"), "%s", error.message);
    cr_expect_null(variants[0].results);
    cr_expect_null(variants[1].results);
    close_recording(&recording);
}
