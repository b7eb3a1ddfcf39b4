// A replay keeps a few frames of the recording, however many it has.
#include "base/numbers/random.h"
#include "engine/replay/many_machines.h"
#include "engine/session/results.h"
#include "small_recording.h"

#include <criterion/criterion.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK_ACCESSES = 800, SHORT_BLOCKS = 500, TIMES = 5 };

static struct wm_recorded_instruction load = {
    .text = "load", .exists = true, .is_memory = true, .space = WM_SPACE_SHARED};

// Lanes anywhere in shared memory, which take some hundred bytes an access and no time to serve.
static void write_block(struct wm_recording_writer *writer, uint64_t index,
                        struct wm_random *random)
{
    struct wm_recording_block *block = small_block_begin(writer, index);
    for (int n = 0; n < BLOCK_ACCESSES; n++) {
        uint64_t addresses[LANES];
        for (int lane = 0; lane < LANES; lane++)
            addresses[lane] = 4 * wm_random_below(random, 12000);
        small_access(&block->warps[0], 0, 0, &load, addresses);
        small_item(&block->warps[0], 0, 1, n + 1 == BLOCK_ACCESSES);
    }
    wm_recording_block_end(writer, block);
}

static void write_recording(const char *path, uint32_t blocks)
{
    struct wm_random random;
    struct wm_recording_writer *writer = small_recording_begin(path, &load, 1);
    // So much shared memory that few blocks run at once.
    struct wm_recorded_launch launch = {
        .grid = {blocks, 1, 1}, .block = {LANES, 1, 1}, .dynamic_shared_bytes = 49152};
    wm_random_init(&random, blocks, "replay memory");
    wm_recording_launch_begin(writer, &launch, 1);
    for (uint32_t b = 0; b < blocks; b++)
        write_block(writer, b, &random);
    wm_recording_launch_end(writer, true);
    small_recording_finish(writer);
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
    char path[SMALL_PATH];
    small_recording_file(path);
    long of_short = memory_of(path, SHORT_BLOCKS), of_long = memory_of(path, TIMES * SHORT_BLOCKS);
    unlink(path);
    cr_assert_lt((double)of_long, 1.1 * (double)of_short, "%ld KiB, %ld KiB", of_short, of_long);
}

Test(replay_memory, a_block_that_would_need_too_much_is_refused)
{
    enum { INSTRUCTIONS = (1 << 20) / 32 + 1 };
    static struct wm_recorded_instruction instructions[INSTRUCTIONS];
    static struct wm_machine machine;
    char path[SMALL_PATH];
    struct wm_recording recording;
    struct wm_error error;
    const struct wm_session_options options = {.memory = true};
    struct wm_replay_variant variant = {.machine = &machine};
    for (int i = 0; i < INSTRUCTIONS; i++)
        instructions[i] = (struct wm_recorded_instruction){
            .text = "load", .exists = true, .is_memory = true, .space = WM_SPACE_GLOBAL};
    small_recording_file(path);
    // One instruction less is taken up to its blocks, which are missing.
    for (uint32_t count = INSTRUCTIONS; count >= INSTRUCTIONS - 1; count--) {
        struct wm_recording_writer *writer = small_recording_begin(path, instructions, count);
        small_launch_begin(writer, 1, 32, count);
        wm_recording_launch_end(writer, false);
        small_recording_finish(writer);
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
