// warpmem trace info: what a recording is of, its kernels and launches, and its size.
#include "base/containers/array.h"
#include "base/text/units.h"
#include "cli/parts/machine_text.h"
#include "cli/trace/info_threads.h"
#include "cli/trace/trace_commands.h"
#include "study/format/json_text.h"
#include "trace/launch_scan.h"
#include "trace/recording_names.h"
#include "trace/recording_state.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

struct info_values {
    bool json;
};

struct launch_row {
    struct wm_recorded_launch launch;
    struct wm_launch_counts counts;
    uint64_t whole_blocks;
    bool whole, stopped;
};

struct info {
    const struct wm_recording *recording; // borrowed
    struct wm_recording_state state;
    struct launch_row *rows; // owned
    uint64_t row_count;
    struct wm_launch_counts sums;
    uint64_t events; // that are no launches
    struct wm_info_threads threads;
    uint64_t names; // of parts of memory
};

// --- Gathering ---

static void add_counts(struct wm_launch_counts *sums, const struct wm_launch_counts *more)
{
    sums->warp_instructions += more->warp_instructions;
    sums->thread_instructions += more->thread_instructions;
    sums->memory_instructions += more->memory_instructions;
    sums->accesses += more->accesses;
    sums->irregular += more->irregular;
    sums->barriers += more->barriers;
    sums->stored_bytes += more->stored_bytes;
    sums->bytes += more->bytes;
}

static enum wm_status add_launch(struct info *info, struct wm_recording *recording,
                                 struct wm_error *error)
{
    struct wm_launch_reader reader;
    struct launch_row *row = &info->rows[info->row_count++];
    row->launch = recording->launch;
    WM_TRY(wm_launch_reader_open(recording, &reader, error));
    row->whole = reader.streams.whole;
    row->stopped = reader.streams.stopped;
    row->whole_blocks = reader.streams.whole_blocks;
    enum wm_status status = wm_launch_count(&reader, &row->counts, error);
    wm_launch_reader_close(&reader);
    add_counts(&info->sums, &row->counts);
    return status;
}

static enum wm_status count_names(struct info *info, const struct wm_recording *recording,
                                  struct wm_error *error)
{
    struct wm_memory_names names;
    wm_memory_names_init(&names);
    enum wm_status status = wm_recording_names(recording, &names, error);
    info->names = names.count;
    wm_memory_names_release(&names);
    return status;
}

static enum wm_status gather(struct info *info, struct wm_recording *recording,
                             struct wm_error *error)
{
    struct wm_recorded_event event;
    WM_TRY(wm_recording_state(recording, &info->state, error));
    info->recording = recording;
    WM_TRY(wm_info_threads_gather(recording, &info->threads, error));
    WM_TRY(count_names(info, recording, error));
    WM_TRY(WM_ARRAY_NEW(info->rows, recording->launch_count + 1, error, "the launches"));
    for (bool more = true;;) {
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (!more)
            return WM_OK;
        if (event.kind == WM_RECORDED_LAUNCH)
            WM_TRY(add_launch(info, recording, error));
        else
            info->events++;
    }
}

static double per_memory_instruction(const struct info *info)
{
    uint64_t count = info->sums.memory_instructions;
    return count != 0 ? (double)info->recording->file.file_bytes / (double)count : 0;
}

// --- Text ---

static void count_line(struct wm_text *text, const char *label, uint64_t count)
{
    wm_text_format(text, "%-21s %" PRIu64 "\n", label, count);
}

static void head_text(const struct info *info, struct wm_text *text)
{
    const struct wm_recording_header *header = &info->recording->header;
    char state[640];
    wm_text_format(text, "%-21s", "command");
    for (uint32_t i = 0; header->command[i] != NULL; i++)
        wm_text_format(text, " %s", header->command[i]);
    wm_text_format(text, "\n%-21s %s, from a %s\n", "written by", header->writer, header->source);
    if (header->machine[0] != '\0')
        wm_text_format(text, "%-21s %s\n", "in the order of", header->machine);
    wm_text_format(text, "%-21s %" PRIu32 " lanes, %s\n", "warps", header->lanes,
                   header->memory_only ? "memory instructions alone" : "every instruction");
    if (wm_recording_is_whole(&info->state)) {
        wm_text_format(text, "%-21s complete\n", "state");
        return;
    }
    wm_recording_state_text(&info->state, state, sizeof state);
    if (info->state.complete)
        wm_text_format(text, "%-21s not whole: %s\n", "state", state);
    else
        wm_text_format(text, "%-21s cut off at byte %" PRIu64 ": %s\n", "state",
                       info->state.lost_from, state);
}

static void sums_text(const struct info *info, struct wm_text *text)
{
    const struct wm_launch_counts *sums = &info->sums;
    count_line(text, "launches", info->row_count);
    count_line(text, "other events", info->events);
    count_line(text, "warp instructions", sums->warp_instructions);
    count_line(text, "thread instructions", sums->thread_instructions);
    count_line(text, "memory instructions", sums->memory_instructions);
    count_line(text, "accesses", sums->accesses);
    count_line(text, "  irregular", sums->irregular);
    count_line(text, "barrier arrivals", sums->barriers);
    if (info->names != 0)
        count_line(text, "names of memory", info->names);
    count_line(text, "file bytes", info->recording->file.file_bytes);
    wm_text_format(text, "%-21s %.3f\n", "  a memory instruction", per_memory_instruction(info));
    count_line(text, "frames decompressed", sums->bytes);
}

static void kernels_text(const struct info *info, struct wm_text *text)
{
    const struct wm_recording *recording = info->recording;
    wm_text_format(text, "\n%-6s %12s %9s %10s  %s\n", "kernel", "instructions", "registers",
                   "shared", "name");
    for (uint32_t c = 0; c < recording->code_count; c++) {
        const struct wm_recorded_code *code = &recording->codes[c];
        wm_text_format(text, "%-6" PRIu32 " %12" PRIu32 " %9" PRIu32 " %8" PRIu32 " B  %s\n", c,
                       code->instruction_count, code->registers_per_thread,
                       code->static_shared_bytes, code->name);
    }
}

static void launches_text(const struct info *info, struct wm_text *text)
{
    wm_text_format(text, "\n%-6s %6s %16s %12s %13s %12s %12s\n", "launch", "kernel", "grid",
                   "block", "instructions", "accesses", "bytes");
    for (uint64_t i = 0; i < info->row_count; i++) {
        const struct launch_row *row = &info->rows[i];
        const uint32_t *grid = row->launch.grid, *block = row->launch.block;
        char grid_text[48], block_text[48];
        snprintf(grid_text, sizeof grid_text, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, grid[0], grid[1],
                 grid[2]);
        snprintf(block_text, sizeof block_text, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, block[0],
                 block[1], block[2]);
        wm_text_format(
            text,
            "%-6" PRIu64 " %6" PRIu32 " %16s %12s %13" PRIu64 " %12" PRIu64 " %12" PRIu64 "%s\n",
            row->launch.number, row->launch.code, grid_text, block_text,
            row->counts.warp_instructions, row->counts.accesses, row->counts.stored_bytes,
            row->whole     ? ""
            : row->stopped ? "  stopped"
                           : "  not whole");
    }
}

static int print_text(const struct wm_invocation *invocation, const struct info *info)
{
    struct wm_text text;
    wm_text_init(&text);
    head_text(info, &text);
    sums_text(info, &text);
    kernels_text(info, &text);
    launches_text(info, &text);
    wm_info_threads_text(&info->threads, &text);
    return wm_command_print(invocation, &text);
}

// --- JSON ---

static json_t *counts_value(const struct wm_launch_counts *counts)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "warp_instructions",
                     (json_int_t)counts->warp_instructions, "thread_instructions",
                     (json_int_t)counts->thread_instructions, "memory_instructions",
                     (json_int_t)counts->memory_instructions, "accesses",
                     (json_int_t)counts->accesses, "irregular_accesses",
                     (json_int_t)counts->irregular, "barrier_arrivals",
                     (json_int_t)counts->barriers, "stored_bytes", (json_int_t)counts->stored_bytes,
                     "bytes", (json_int_t)counts->bytes);
}

static json_t *launch_value(const struct launch_row *row)
{
    const struct wm_recorded_launch *launch = &row->launch;
    return json_pack(
        "{s:I,s:i,s:i,s:[iii],s:[iii],s:I,s:I,s:b,s:b,s:I,s:I,s:o}", "number",
        (json_int_t)launch->number, "kernel", (int)launch->code, "stream", (int)launch->stream,
        "grid", (int)launch->grid[0], (int)launch->grid[1], (int)launch->grid[2], "block",
        (int)launch->block[0], (int)launch->block[1], (int)launch->block[2], "dynamic_shared_bytes",
        (json_int_t)launch->dynamic_shared_bytes, "local_bytes_per_block",
        (json_int_t)launch->local_bytes_per_block, "whole", (int)row->whole, "stopped",
        (int)row->stopped, "blocks", (json_int_t)wm_recorded_blocks(launch), "whole_blocks",
        (json_int_t)row->whole_blocks, "counts", counts_value(&row->counts));
}

static json_t *kernel_value(const struct wm_recorded_code *code)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, code->ptx_hash);
    return json_pack("{s:o,s:o,s:s,s:I,s:I,s:I}", "name", wm_json_text(code->name), "module",
                     wm_json_text(code->module), "ptx_hash", hash, "instructions",
                     (json_int_t)code->instruction_count, "registers_per_thread",
                     (json_int_t)code->registers_per_thread, "static_shared_bytes",
                     (json_int_t)code->static_shared_bytes);
}

static json_t *info_value(const struct info *info)
{
    const struct wm_recording *recording = info->recording;
    const struct wm_recording_header *header = &recording->header;
    json_t *command = json_array(), *kernels = json_array(), *launches = json_array();
    for (uint32_t i = 0; header->command[i] != NULL; i++)
        json_array_append_new(command, wm_json_text(header->command[i]));
    for (uint32_t c = 0; c < recording->code_count; c++)
        json_array_append_new(kernels, kernel_value(&recording->codes[c]));
    for (uint64_t i = 0; i < info->row_count; i++)
        json_array_append_new(launches, launch_value(&info->rows[i]));
    return json_pack("{s:i,s:o,s:o,s:o,s:o,s:i,s:b,s:b,s:b,s:I,s:I,s:f,s:I,s:o,s:o,s:o,s:o,s:I}",
                     "format_version", (int)WM_RECORDING_VERSION, "command", command, "writer",
                     wm_json_text(header->writer), "source", wm_json_text(header->source),
                     "machine", wm_json_text(header->machine), "lanes", (int)header->lanes,
                     "memory_only", (int)header->memory_only, "complete", (int)info->state.complete,
                     "whole", (int)wm_recording_is_whole(&info->state), "file_bytes",
                     (json_int_t)recording->file.file_bytes, "readable_bytes",
                     (json_int_t)recording->file.readable_bytes, "bytes_per_memory_instruction",
                     per_memory_instruction(info), "other_events", (json_int_t)info->events,
                     "counts", counts_value(&info->sums), "kernels", kernels, "launches", launches,
                     "threads", wm_info_threads_value(&info->threads), "names_of_memory",
                     (json_int_t)info->names);
}

static int print_json(const struct wm_invocation *invocation, const struct info *info)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_json_print(info_value(info), 6, &text);
    return wm_command_print(invocation, &text);
}

static int run(const struct wm_invocation *invocation)
{
    const struct info_values *values = invocation->values;
    struct wm_recording recording;
    struct wm_error error;
    struct info info = {0};
    int status = WM_EXIT_OK;
    if (wm_recording_open(&recording, invocation->operands[0], &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    if (gather(&info, &recording, &error) != WM_OK)
        status = wm_command_fail(invocation, &error);
    else
        status = values->json ? print_json(invocation, &info) : print_text(invocation, &info);
    free(info.rows);
    wm_info_threads_release(&info.threads);
    wm_recording_close(&recording);
    return status;
}

static const struct wm_option options[] = {
    {0, "json", WM_OPTION_FLAG, NULL, offsetof(struct info_values, json), "print it as JSON",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "[options] RECORDING",
    .description =
        "Says what a recording is of: the command, the kernels, each launch with its grid, block, "
        "warp instructions, accesses (one for each address space an instruction goes to) and bytes "
        "of the file, and how many bytes of the file a memory instruction of a warp has. "
        "Everything "
        "is decoded to count it.",
    .examples = "warpmem trace info app.wmt\n"
                "warpmem trace info app.wmt --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct info_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_trace_info = {
    .name = "info",
    .summary = "say what a recording is of, and how large it is",
    .usage = &usage,
    .run = run,
};
