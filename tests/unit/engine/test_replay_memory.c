// A replay keeps a few frames of the recording, however many it has.
#include "base/numbers/random.h"
#include "engine/replay/many_machines.h"
#include "engine/session/results.h"
#include "trace/recording_writer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LANES = 32, BLOCK_ACCESSES = 800, SHORT_BLOCKS = 500, TIMES = 5 };

// Lanes anywhere in shared memory, which take some hundred bytes an access and no time to serve.
static void write_block(struct wm_recording_writer *writer, uint64_t index,
                        struct wm_random *random)
{
    struct wm_recording_block *block = wm_recording_block_begin(writer, index);
    cr_assert_not_null(block);
    struct wm_trace_item item = {
        .count = 1, .active = UINT32_MAX, .accesses = WM_TRACE_ONE_EACH, .lanes = UINT32_MAX};
    for (int n = 0; n < BLOCK_ACCESSES; n++) {
        uint64_t addresses[LANES];
        const struct wm_warp_access access = {.space = WM_SPACE_SHARED,
                                              .bytes_per_lane = 4,
                                              .lanes = LANES,
                                              .active = UINT32_MAX,
                                              .addresses = addresses};
        for (int lane = 0; lane < LANES; lane++)
            addresses[lane] = 4 * wm_random_below(random, 12000);
        wm_warp_encoder_access(&block->warps[0], 0, &access, 0);
        item.event = n + 1 == BLOCK_ACCESSES ? WM_TRACE_EXIT : WM_TRACE_NO_EVENT;
        item.lanes = n + 1 == BLOCK_ACCESSES ? UINT32_MAX : 0;
        wm_warp_encoder_item(&block->warps[0], &item);
    }
    wm_recording_block_end(writer, block);
}

static void write_recording(const char *path, uint32_t blocks)
{
    struct wm_random random;
    struct wm_recording_writer *writer;
    struct wm_error error;
    const struct wm_recording_header header = {.writer = "test", .lanes = LANES};
    struct wm_recorded_instruction load = {
        .text = "load", .exists = true, .is_memory = true, .space = WM_SPACE_SHARED};
    // So much shared memory that few blocks run at once.
    const struct wm_recorded_code code = {.name = "k",
                                          .module = "m",
                                          .static_shared_bytes = 49152,
                                          .instruction_count = 1,
                                          .instructions = &load};
    struct wm_recorded_launch launch = {.grid = {blocks, 1, 1}, .block = {LANES, 1, 1}};
    wm_random_init(&random, blocks, "replay memory");
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK);
    wm_recording_write_code(writer, &code);
    wm_recording_launch_begin(writer, &launch, 1);
    for (uint32_t b = 0; b < blocks; b++)
        write_block(writer, b, &random);
    wm_recording_launch_end(writer, true);
    cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
}

static void replay(const char *path, uint32_t blocks)
{
    static struct wm_machine machine;
    static const char *const settings[] = {"gpu.sm.count=2"};
    struct wm_recording recording;
    struct wm_error error;
    const struct wm_session_options options = {.memory = true};
    struct wm_replay_variant variant = {.machine = &machine};
    cr_assert_eq(wm_machine_load("v100", settings, 1, &machine, &error), WM_OK, "%s",
                 error.message);
    cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK);
    cr_assert_eq(wm_replay_many(&recording, &variant, 1, 1, &options, &error), WM_OK, "%s",
                 error.message);
    cr_assert_eq(variant.results->kernels[0].warp_instructions, (uint64_t)blocks * BLOCK_ACCESSES);
    wm_results_free(variant.results);
    wm_recording_close(&recording);
}

// Most KiB that the replay had at once. Each part in a process of its own: what is freed may stay.
static long memory_of(const char *path, uint32_t blocks)
{
    struct rusage used;
    for (int replays = 0; replays < 2; replays++) {
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            if (replays == 0)
                write_recording(path, blocks);
            else
                replay(path, blocks);
            _exit(0);
        }
        int status;
        cr_assert_eq(wait4(child, &status, 0, &used), child);
        cr_assert_eq(status, 0);
    }
    return used.ru_maxrss;
}

Test(replay_memory, does_not_grow_with_the_recording)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip("the sanitizer keeps what is freed");
#endif
    char path[] = "/tmp/replay-memory-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    close(descriptor);
    long of_short = memory_of(path, SHORT_BLOCKS), of_long = memory_of(path, TIMES * SHORT_BLOCKS);
    unlink(path);
    cr_assert_lt((double)of_long, 1.1 * (double)of_short, "%ld KiB, %ld KiB", of_short, of_long);
}

Test(replay_memory, a_block_that_would_need_too_much_is_refused)
{
    enum { INSTRUCTIONS = (1 << 20) / 32 + 1 };
    static struct wm_recorded_instruction instructions[INSTRUCTIONS];
    static struct wm_machine machine;
    char path[] = "/tmp/replay-memory-XXXXXX";
    struct wm_recording_writer *writer;
    struct wm_recording recording;
    struct wm_error error;
    const struct wm_recording_header header = {.writer = "test", .lanes = LANES};
    const struct wm_session_options options = {.memory = true};
    struct wm_replay_variant variant = {.machine = &machine};
    for (int i = 0; i < INSTRUCTIONS; i++)
        instructions[i] = (struct wm_recorded_instruction){
            .text = "load", .exists = true, .is_memory = true, .space = WM_SPACE_GLOBAL};
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    close(descriptor);
    // One instruction less is taken up to its blocks, which are missing.
    for (uint32_t count = INSTRUCTIONS; count >= INSTRUCTIONS - 1; count--) {
        const struct wm_recorded_code code = {
            .name = "k", .module = "m", .instruction_count = count, .instructions = instructions};
        struct wm_recorded_launch launch = {.grid = {1, 1, 1}, .block = {1024, 1, 1}};
        cr_assert_eq(wm_recording_writer_new(path, &header, &writer, &error), WM_OK);
        wm_recording_write_code(writer, &code);
        wm_recording_launch_begin(writer, &launch, count);
        wm_recording_launch_end(writer, false);
        cr_assert_eq(wm_recording_writer_finish(writer, &error), WM_OK);
        cr_assert_eq(wm_machine_load("v100", NULL, 0, &machine, &error), WM_OK);
        cr_assert_eq(wm_recording_open(&recording, path, &error), WM_OK);
        enum wm_status status = wm_replay_many(&recording, &variant, 1, 1, &options, &error);
        cr_assert_eq(status, count == INSTRUCTIONS ? WM_UNSUPPORTED : WM_INVALID, "%s",
                     error.message);
        wm_results_free(variant.results);
        wm_recording_close(&recording);
    }
    unlink(path);
}
