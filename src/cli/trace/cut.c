// warpmem trace cut: some launches of a recording, or some blocks, as a recording of its own.
#include "cli/options/output_option.h"
#include "cli/trace/recording_text.h"
#include "cli/trace/trace_commands.h"
#include "engine/session/launch_filter.h"

#include <inttypes.h>
#include <string.h>

struct cut_values {
    struct wm_option_list kernels;
    const char *output, *launches, *blocks;
};

static void say(const struct wm_invocation *invocation, const struct wm_cut_result *result)
{
    if (result->without_threads)
        fprintf(invocation->err, "warpmem: left out the program's threads: they wait for all of "
                                 "its launches\n");
    if (result->not_whole != 0)
        fprintf(invocation->err, "warpmem: left out %" PRIu64 " launch%s that %s not whole\n",
                result->not_whole, result->not_whole == 1 ? "" : "es",
                result->not_whole == 1 ? "is" : "are");
    if (result->without_block != 0)
        fprintf(invocation->err, "warpmem: left out %" PRIu64 " launch%s without such a block\n",
                result->without_block, result->without_block == 1 ? "" : "es");
}

// The numbers of the launches that the filter takes, in the arena.
static enum wm_status find_launches(struct wm_recording *recording,
                                    const struct wm_launch_filter *filter, struct wm_arena *arena,
                                    struct wm_ranges *launches, struct wm_error *error)
{
    struct wm_launch_choice choice = {0};
    struct wm_recorded_event event;
    bool more = true;
    uint32_t count = 0;
    struct wm_range *items = WM_ARENA_ARRAY(arena, struct wm_range, recording->launch_count);
    enum wm_status status =
        items == NULL ? wm_fail_no_memory(error, "the launches to be cut out") : WM_OK;
    wm_recording_rewind(recording);
    while (status == WM_OK && more) {
        status = wm_recording_next(recording, &event, &more, error);
        if (status != WM_OK || !more || event.kind != WM_RECORDED_LAUNCH)
            continue;
        uint64_t number = event.launch;
        const char *kernel = recording->codes[recording->launch.code].name;
        if (wm_launch_filter_takes(filter, &choice, kernel, number, arena))
            items[count++] = (struct wm_range){number, number};
    }
    wm_string_map_release(&choice.kernels);
    wm_recording_rewind(recording);
    *launches = (struct wm_ranges){items, count};
    if (status == WM_OK && count == 0) {
        wm_fail(error, WM_NOT_FOUND, "no launch is one of %s", filter->text);
        wm_error_place(error, "%s", recording->file.path);
        status = wm_error_hint(error, "\"warpmem trace info\" lists them");
    }
    return status;
}

// --launches as they are or, with --kernel, those of them that are launches of such a kernel.
static enum wm_status choose(const struct cut_values *values, struct wm_recording *recording,
                             struct wm_arena *arena, struct wm_ranges *launches,
                             struct wm_error *error)
{
    struct wm_launch_filter filter;
    const struct wm_launch_filter_words words = {
        .kernels = (const char *const *)values->kernels.items,
        .kernel_count = values->kernels.count,
        .launches = values->launches,
    };
    if (words.kernel_count == 0)
        return wm_ranges_read(values->launches, "--launches", arena, launches, error);
    enum wm_status status = wm_launch_filter_init(&filter, &words, error);
    if (status == WM_OK)
        status = find_launches(recording, &filter, arena, launches, error);
    wm_launch_filter_release(&filter);
    return status;
}

static enum wm_status cut(const struct wm_invocation *invocation, struct wm_arena *arena,
                          struct wm_error *error)
{
    const struct cut_values *values = invocation->values;
    struct wm_ranges launches, blocks;
    struct wm_recording recording;
    struct wm_cut_result result;
    WM_TRY(wm_ranges_read(values->blocks, "--blocks", arena, &blocks, error));
    WM_TRY(wm_recording_open(&recording, invocation->operands[0], error));
    enum wm_status status = choose(values, &recording, arena, &launches, error);
    if (status == WM_OK)
        status = wm_recording_cut(&recording, values->output, &launches, &blocks, &result, error);
    wm_recording_close(&recording);
    if (status == WM_OK)
        say(invocation, &result);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    const struct cut_values *values = invocation->values;
    struct wm_arena arena;
    struct wm_error error;
    if (values->output == NULL)
        return wm_command_misuse(invocation, "-o FILE says where the recording goes");
    wm_error_clear(&error);
    if (wm_output_option_check(values->output, invocation->operands, invocation->operand_count,
                               &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    wm_arena_init(&arena);
    enum wm_status status = cut(invocation, &arena, &error);
    wm_arena_release(&arena);
    if (status != WM_OK)
        return wm_command_fail(invocation, &error);
    wm_recording_print_summary(values->output, invocation->err);
    return WM_EXIT_OK;
}

#define VALUE(name) offsetof(struct cut_values, name)
static const struct wm_option options[] = {
    {'o', "output", WM_OPTION_ARGUMENT, "FILE", VALUE(output), "where the recording goes",
     WM_COMPLETES_FILES},
    {'k', "kernel", WM_OPTION_LIST, "PATTERN", VALUE(kernels),
     "launches of kernels of this name alone, as warpmem run has it; may be given again",
     WM_COMPLETES_NOTHING},
    {0, "launches", WM_OPTION_ARGUMENT, "LIST", VALUE(launches),
     "these launches, as 0-7 or 1,4,10-12 (default: all that are whole)", WM_COMPLETES_NOTHING},
    {0, "blocks", WM_OPTION_ARGUMENT, "LIST", VALUE(blocks),
     "these blocks of each launch, numbered with x fastest; the launch then has a grid of that "
     "many",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "-o FILE [options] RECORDING",
    .description =
        "Writes a part of a recording as a recording of its own: launches with their kernels, what "
        "was allocated and copied before and between them, and all that follows up to the next "
        "launch that is left out. Of a recording that was cut off, the launches that are whole.",
    .examples = "warpmem trace cut app.wmt -o first.wmt --launches 0-3\n"
                "warpmem trace cut app.wmt -o few.wmt --launches 2 --blocks 0-79",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct cut_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_trace_cut = {
    .name = "cut",
    .summary = "take launches or blocks out of a recording",
    .usage = &usage,
    .run = run,
};
