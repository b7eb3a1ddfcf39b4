// warpmem trace diff: where two recordings of a program part.
#include "cli/parts/machine_text.h"
#include "cli/trace/step_text.h"
#include "cli/trace/trace_commands.h"
#include "trace/recording_diff.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DIFFERENT = 1, TROUBLE = 2 };

static const char *const sides[] = {"A", "B"};

static void event_sides(const struct wm_recording_diff *diff, struct wm_text *text)
{
    wm_text_format(text, "The first events that differ: %" PRIu64 "\n", diff->event);
    for (int i = 0; i < 2; i++) {
        wm_text_format(text, "  %s  ", sides[i]);
        if (diff->there[i])
            wm_trace_event_text(&diff->events[i], text);
        else
            wm_text_add(text, "(the recording ends)");
        wm_text_add(text, "\n");
    }
}

static void launch_sides(const struct wm_recording_diff *diff, struct wm_text *text)
{
    wm_text_format(text, "The first launches that differ:\n");
    for (int i = 0; i < 2; i++) {
        wm_text_format(text, "  %s  ", sides[i]);
        wm_trace_launch_text(&diff->launches[i], diff->codes[i], text);
        wm_text_add(text, "\n");
    }
}

static void step_sides(const struct wm_diff_first *first, const char *stream, struct wm_text *text)
{
    for (int i = 0; i < 2; i++) {
        const struct wm_diff_step *side = &first->steps[i];
        wm_text_format(text, "  %s\n", sides[i]);
        if (side->there)
            wm_trace_step_text(first->codes[i], &side->step, "    ", text);
        else if (side->cut)
            wm_text_add(text, "      (the recording is cut off)\n");
        else
            wm_text_format(text, "      (the %s has ended)\n", stream);
    }
}

static void first_step(const struct wm_diff_first *first, struct wm_text *text)
{
    const struct wm_recorded_launch *launch = &first->launch;
    uint64_t row = launch->grid[0], plane = row * launch->grid[1];
    wm_text_format(
        text,
        "The first instructions that differ: launch %" PRIu64 " (kernel %s), block %" PRIu64
        " (%" PRIu64 ",%" PRIu64 ",%" PRIu64 "), warp %" PRIu32 ", instruction %" PRIu64 ":\n",
        launch->number, first->codes[0]->name, first->block, first->block % row,
        first->block % plane / row, first->block / plane, first->warp, first->instruction);
    step_sides(first, "warp", text);
}

static void turn_text(int32_t thread, struct wm_text *text)
{
    if (thread >= 0)
        wm_text_format(text, "thread %" PRId32, thread);
    else
        wm_text_add(text, "none");
}

static void thread_sides(const struct wm_diff_threads *threads, struct wm_text *text)
{
    if (threads->counts[0] != threads->counts[1])
        wm_text_format(text, "CPU threads: A has %" PRIu32 ", B has %" PRIu32 "\n",
                       threads->counts[0], threads->counts[1]);
    if (threads->turn_differs) {
        wm_text_format(text, "The first turns of CPU threads that differ: turn %" PRIu64 "\n  A  ",
                       threads->turn);
        turn_text(threads->turns[0], text);
        wm_text_add(text, "\n  B  ");
        turn_text(threads->turns[1], text);
        wm_text_add(text, "\n");
    }
    if (!threads->first.differs)
        return;
    wm_text_format(text,
                   "The first instructions of CPU threads that differ: thread %" PRIu64
                   ", instruction %" PRIu64 ":\n",
                   threads->first.block, threads->first.instruction);
    step_sides(&threads->first, "thread", text);
}

static void kernel_rows(const struct wm_recording_diff *diff, struct wm_text *text)
{
    for (uint32_t i = 0; i < diff->kernel_count; i++) {
        const struct wm_diff_kernel *kernel = &diff->kernels[i];
        wm_text_format(text, "kernel %s:", kernel->name);
        if (kernel->launches != 0)
            wm_text_format(text,
                           " %" PRIu64 " of %" PRIu64 " warps differ in %" PRIu64 " launch%s%s",
                           kernel->differing, kernel->warps, kernel->launches,
                           kernel->launches == 1 ? "" : "es", kernel->unlike != 0 ? "," : "");
        if (kernel->unlike != 0)
            wm_text_format(text, " %" PRIu64 " launch%s not compared", kernel->unlike,
                           kernel->unlike == 1 ? "" : "es");
        wm_text_add(text, "\n");
    }
}

static int deliver(const struct wm_invocation *invocation, const struct wm_recording_diff *diff)
{
    struct wm_text text;
    wm_text_init(&text);
    if (diff->event_differs)
        event_sides(diff, &text);
    if (diff->launch_differs)
        launch_sides(diff, &text);
    if (diff->first.differs)
        first_step(&diff->first, &text);
    thread_sides(&diff->threads, &text);
    if (wm_recording_diff_any(diff))
        kernel_rows(diff, &text);
    if (wm_recording_diff_any(diff) && diff->threads.compared != 0)
        wm_text_format(&text, "CPU threads: %" PRIu32 " of %" PRIu32 " differ\n",
                       diff->threads.differing, diff->threads.compared);
    bool printed = wm_command_print(invocation, &text) == WM_EXIT_OK;
    if (!printed)
        return TROUBLE;
    return wm_recording_diff_any(diff) ? DIFFERENT : WM_EXIT_OK;
}

static int compare(const struct wm_invocation *invocation, struct wm_recording recordings[2])
{
    struct wm_recording_diff *diff = calloc(1, sizeof *diff);
    struct wm_error error;
    int status = TROUBLE;
    wm_error_clear(&error);
    if (diff == NULL)
        wm_fail_no_memory(&error, "the comparison");
    else if (wm_recording_diff(&recordings[0], &recordings[1], diff, &error) == WM_OK)
        status = deliver(invocation, diff);
    if (error.status != WM_OK)
        wm_command_fail(invocation, &error);
    if (diff != NULL)
        wm_recording_diff_release(diff);
    free(diff);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    struct wm_recording recordings[2];
    struct wm_error error;
    int status = TROUBLE;
    for (int i = 0; i < 2; i++)
        if (wm_recording_open(&recordings[i], invocation->operands[i], &error) != WM_OK) {
            wm_command_fail(invocation, &error);
            if (i == 1)
                wm_recording_close(&recordings[0]);
            return TROUBLE;
        }
    status = compare(invocation, recordings);
    for (int i = 0; i < 2; i++)
        wm_recording_close(&recordings[i]);
    return status;
}

static const struct wm_usage usage = {
    .synopsis = "[options] A B",
    .description =
        "Says where two recordings of a program part: the first event, launch, and executed "
        "instruction (kernel, block, warp) that is not the same, as both have it, and how many "
        "warps of each kernel differ; and the same of the program's CPU threads, by number, and of "
        "their turns, where the recordings have them (warpmem record --host-threads). Prints "
        "nothing when they are the same. How a file is divided into "
        "frames does not count. Where a kernel's code differs, or the threads' places of code, "
        "instructions are compared by their text.\n"
        "The exit status is 0 when they are the same, 1 when they differ, 2 when one of them "
        "cannot "
        "be read.",
    .examples = "warpmem trace diff before.wmt after.wmt",
    .min_operands = 2,
    .max_operands = 2,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_trace_diff = {
    .name = "diff",
    .summary = "say where two recordings part",
    .usage = &usage,
    .run = run,
};
