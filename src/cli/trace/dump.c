// warpmem trace dump: a recording as text.
#include "cli/trace/step_text.h"
#include "cli/trace/trace_commands.h"
#include "trace/recording_state.h"

#include <inttypes.h>

struct dump_values {
    const char *launches, *blocks, *warps, *limit, *threads;
    bool events, code;
};

struct dumping {
    const struct dump_values *values;
    const char *path;
    struct wm_ranges launches, blocks, warps, threads;
    uint64_t limit, printed; // instructions
    bool limited, found;     // a stream, or an event, that was to be printed
    FILE *out;
    struct wm_text text;
};

// What was gathered goes out; false when it cannot.
static enum wm_status flush(struct dumping *it, struct wm_error *error)
{
    bool failed = it->text.failed;
    if (!failed && it->text.length != 0)
        fwrite(it->text.data, 1, it->text.length, it->out);
    it->text.length = 0;
    if (failed)
        return wm_fail_no_memory(error, "the text");
    return ferror(it->out) ? wm_fail(error, WM_IO, "cannot write the text") : WM_OK;
}

static bool at_limit(const struct dumping *it)
{
    return it->limited && it->printed >= it->limit;
}

static enum wm_status dump_warp(struct dumping *it, struct wm_warp_reader *reader, uint64_t block,
                                uint32_t warp, struct wm_error *error)
{
    struct wm_warp_step step;
    bool more = true;
    it->found = true;
    if (reader->launch->streams.recording->of_cores)
        wm_text_format(&it->text, "thread %" PRIu64 "\n", block);
    else
        wm_text_format(&it->text, "block %" PRIu64 ", warp %" PRIu32 "\n", block, warp);
    wm_warp_reader_begin(reader, block, warp);
    while (!at_limit(it)) {
        WM_TRY(wm_warp_reader_step(reader, &step, &more, error));
        if (!more)
            break;
        wm_trace_step_text(reader->launch->code, &step, "", &it->text);
        it->printed++;
        if (it->text.length > 1 << 16)
            WM_TRY(flush(it, error));
    }
    if (reader->cut)
        wm_text_add(&it->text, "      (the recording is cut off)\n");
    return flush(it, error);
}

static enum wm_status dump_blocks(struct dumping *it, struct wm_launch_reader *launch,
                                  struct wm_warp_reader *reader, struct wm_error *error)
{
    const struct wm_recorded_streams *streams = &launch->streams;
    for (uint64_t p = 0; p < streams->place_count && !at_limit(it); p++) {
        const struct wm_recorded_place *place = &streams->places[p];
        const struct wm_ranges *chosen = streams->recording->of_cores ? &it->threads : &it->blocks;
        if (place->sequence != 0 || !wm_ranges_have(chosen, place->block))
            continue;
        for (uint32_t w = 0; w < streams->warps && !at_limit(it); w++)
            if (wm_ranges_have(&it->warps, w))
                WM_TRY(dump_warp(it, reader, place->block, w, error));
    }
    if (streams->stopped)
        wm_text_add(&it->text, "(was stopped before its end)\n");
    else if (!streams->whole)
        wm_text_format(&it->text, "(%" PRIu64 " of %" PRIu64 " blocks are whole)\n",
                       streams->whole_blocks, wm_recorded_blocks(&streams->launch));
    return flush(it, error);
}

static enum wm_status dump_streams(struct dumping *it, struct wm_recording *recording,
                                   struct wm_error *error)
{
    struct wm_launch_reader reader;
    struct wm_warp_reader warps;
    WM_TRY(wm_launch_reader_open(recording, &reader, error));
    enum wm_status status = wm_warp_reader_init(&warps, &reader, error);
    if (status == WM_OK) {
        status = dump_blocks(it, &reader, &warps, error);
        wm_warp_reader_release(&warps);
    }
    wm_launch_reader_close(&reader);
    return status;
}

static enum wm_status dump_launch(struct dumping *it, struct wm_recording *recording,
                                  struct wm_error *error)
{
    const struct wm_recorded_launch *launch = &recording->launch;
    wm_text_format(&it->text, "launch %" PRIu64 ": ", launch->number);
    wm_trace_launch_text(launch, &recording->codes[launch->code], &it->text);
    wm_trace_order_text(&launch->order, &it->text);
    wm_text_add(&it->text, "\n");
    it->found |= it->values->events;
    return it->values->events ? flush(it, error) : dump_streams(it, recording, error);
}

// The program's threads, behind all launches.
static enum wm_status dump_threads(struct dumping *it, const struct wm_recording *recording,
                                   struct wm_error *error)
{
    struct wm_recording cores;
    struct wm_recorded_event event;
    bool more = true;
    WM_TRY(wm_recording_open_cores(&cores, recording, error));
    enum wm_status status = wm_recording_next(&cores, &event, &more, error);
    if (status == WM_OK) {
        wm_text_format(&it->text, "threads: %" PRIu64 ", %" PRIu64 " turns\n",
                       wm_recorded_blocks(&cores.launch), cores.turn_count);
        status = it->values->events ? flush(it, error) : dump_streams(it, &cores, error);
    }
    wm_recording_close(&cores);
    return status;
}

static void dump_code(struct dumping *it, const struct wm_recording *recording)
{
    for (uint32_t c = 0; c < recording->code_count; c++) {
        const struct wm_recorded_code *code = &recording->codes[c];
        wm_text_format(&it->text, "code %" PRIu32 ": kernel %s of %s\n", c, code->name,
                       code->module);
        for (uint32_t pc = 0; pc < code->instruction_count; pc++) {
            const struct wm_recorded_instruction *at = &code->instructions[pc];
            if (!at->exists)
                continue;
            wm_text_format(&it->text, "%5" PRIu32 "  %s", pc, wm_trace_instruction(code, pc));
            if (at->source_line != 0)
                wm_text_format(&it->text, "  // %s:%" PRIu32,
                               at->source_file != NULL ? at->source_file : "line", at->source_line);
            wm_text_add(&it->text, "\n");
        }
    }
}

// Part of the recording was chosen, and it has none of that.
static enum wm_status check_found(const struct dumping *it, const struct wm_recording *recording,
                                  struct wm_error *error)
{
    bool chosen =
        (it->launches.count | it->blocks.count | it->warps.count | it->threads.count) != 0;
    if (it->found || !chosen || at_limit(it) || !recording->file.complete)
        return WM_OK;
    wm_fail(error, WM_INVALID, "the recording has nothing of what was chosen");
    wm_error_place(error, "%s", it->path);
    return wm_error_hint(error, "warpmem trace info lists its launches and threads");
}

static enum wm_status dump(struct dumping *it, struct wm_recording *recording,
                           struct wm_error *error)
{
    struct wm_recorded_event event;
    bool more = true;
    if (it->values->code) {
        dump_code(it, recording);
        return flush(it, error);
    }
    // Events are printed where no part of the launches is selected.
    bool apart = false; // the event before is not behind all
    bool part = it->launches.count + it->blocks.count + it->warps.count != 0;
    bool of_threads = it->threads.count != 0;
    while (!at_limit(it)) {
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (!more)
            break;
        if (event.kind == WM_RECORDED_LAUNCH) {
            apart = false;
            if (wm_ranges_have(&it->launches, event.launch) && !of_threads)
                WM_TRY(dump_launch(it, recording, error));
        } else if (!part && !of_threads) {
            wm_trace_event_text(&event, &it->text);
            if (event.begins && event.order != NULL)
                wm_trace_order_text(event.order, &it->text);
            else if (event.begins && apart)
                wm_text_add(&it->text, "; behind all");
            apart = event.order != NULL;
            wm_text_add(&it->text, "\n");
        }
    }
    if (!at_limit(it) && recording->cores_section != 0 && (of_threads || !part))
        WM_TRY(dump_threads(it, recording, error));
    if (at_limit(it) && more)
        wm_text_format(&it->text, "(%" PRIu64 " instructions shown; --limit)\n", it->printed);
    else if (!recording->file.complete)
        wm_text_format(&it->text, "(the recording is cut off at byte %" PRIu64 ")\n",
                       recording->file.readable_bytes);
    WM_TRY(flush(it, error));
    return check_found(it, recording, error);
}

static enum wm_status read_limit(struct dumping *it, struct wm_arena *arena, struct wm_error *error)
{
    const char *text = it->values->limit;
    struct wm_ranges number;
    if (text == NULL)
        return WM_OK;
    WM_TRY(wm_ranges_read(text, "--limit", arena, &number, error));
    if (number.count != 1 || number.items[0].first != number.items[0].last) {
        wm_fail(error, WM_INVALID, "--limit: \"%s\" is no number", text);
        return wm_error_hint(error, "how many instructions are shown");
    }
    it->limited = true;
    it->limit = number.items[0].first;
    return WM_OK;
}

static enum wm_status dump_file(struct dumping *it, const char *path, struct wm_arena *arena,
                                struct wm_error *error)
{
    const struct dump_values *values = it->values;
    struct wm_recording recording;
    WM_TRY(wm_ranges_read(values->launches, "--launch", arena, &it->launches, error));
    WM_TRY(wm_ranges_read(values->blocks, "--block", arena, &it->blocks, error));
    WM_TRY(wm_ranges_read(values->warps, "--warp", arena, &it->warps, error));
    WM_TRY(wm_ranges_read(values->threads, "--thread", arena, &it->threads, error));
    WM_TRY(read_limit(it, arena, error));
    it->path = path;
    WM_TRY(wm_recording_open(&recording, path, error));
    enum wm_status status = dump(it, &recording, error);
    wm_recording_close(&recording);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    struct dumping it = {.values = invocation->values, .out = invocation->out};
    struct wm_arena arena;
    struct wm_error error;
    if (it.values->code && it.values->events)
        return wm_command_misuse(invocation, "--code and --events contradict each other");
    wm_error_clear(&error);
    wm_text_init(&it.text);
    wm_arena_init(&arena);
    enum wm_status status = dump_file(&it, invocation->operands[0], &arena, &error);
    wm_arena_release(&arena);
    wm_text_release(&it.text);
    if (ferror(invocation->out)) // said at the command's end
        return WM_EXIT_FAILURE;
    return status == WM_OK ? WM_EXIT_OK : wm_command_fail(invocation, &error);
}

#define VALUE(name) offsetof(struct dump_values, name)
static const struct wm_option options[] = {
    {0, "launch", WM_OPTION_ARGUMENT, "LIST", VALUE(launches),
     "these launches alone, as 0-7 or 1,4,10-12", WM_COMPLETES_NOTHING},
    {0, "block", WM_OPTION_ARGUMENT, "LIST", VALUE(blocks),
     "these blocks alone, numbered with x fastest", WM_COMPLETES_NOTHING},
    {0, "warp", WM_OPTION_ARGUMENT, "LIST", VALUE(warps), "these warps of each block alone",
     WM_COMPLETES_NOTHING},
    {0, "thread", WM_OPTION_ARGUMENT, "LIST", VALUE(threads),
     "these of the program's own threads alone (warpmem record --host-threads)",
     WM_COMPLETES_NOTHING},
    {'n', "limit", WM_OPTION_ARGUMENT, "N", VALUE(limit), "end after N instructions",
     WM_COMPLETES_NOTHING},
    {0, "events", WM_OPTION_FLAG, NULL, VALUE(events),
     "print what happened between launches, and the launches, without their instructions",
     WM_COMPLETES_NOTHING},
    {0, "code", WM_OPTION_FLAG, NULL, VALUE(code), "print the kernels' instructions",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "[options] RECORDING",
    .description =
        "Prints a recording: events and launches in order, and of each warp every executed "
        "instruction with its pc and lanes (hexadecimal), below it its accesses. Addresses of "
        "local "
        "and shared memory count from the block's own.",
    .examples = "warpmem trace dump app.wmt --events\n"
                "warpmem trace dump app.wmt --launch 2 --block 0 --warp 1 --limit 100",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct dump_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_trace_dump = {
    .name = "dump",
    .summary = "print what a recording has, instruction by instruction",
    .usage = &usage,
    .run = run,
};
