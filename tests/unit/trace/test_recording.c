// Whole recordings, written and read back: several launches, many blocks under way at a time,
// chunks ended anywhere, events between.
#include "trace_samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct position {
    uint32_t item, done, access; // next of the sample's
};

static void compare_step(const struct sample_kernel *kernel, const struct sample_warp *warp,
                         struct position *at, const struct wm_warp_step *step)
{
    cr_assert_lt(at->item, warp->item_count);
    const struct wm_trace_item *item = &warp->items[at->item];
    cr_assert_eq(step->pc, item->first_pc + at->done);
    cr_assert_eq(step->active, item->active);
    cr_assert_eq(step->skipped, at->done == 0 ? item->skipped : 0);
    cr_assert_eq(step->skipped_lanes, at->done == 0 ? item->skipped_lanes : 0);
    cr_assert_eq(step->executed, item->count != 0);
    bool memory = step->executed && kernel->instructions[step->pc].is_memory;
    uint32_t within = kernel->slot_before[step->pc] - kernel->slot_before[item->first_pc];
    cr_assert_eq(step->access_count, memory ? item->accesses >> 2 * within & 3 : 0);
    for (uint32_t i = 0; i < step->access_count; i++) {
        cr_assert_eq(step->accesses[i].pc, step->pc);
        sample_access_compare(&step->accesses[i], &warp->accesses[at->access++]);
    }
    at->done += step->executed;
    bool last = at->done == item->count;
    cr_assert_eq(step->event, last ? item->event : WM_TRACE_NO_EVENT);
    if (!last)
        return;
    at->done = 0;
    at->item++;
    cr_assert(step->event == WM_TRACE_NO_EVENT || step->lanes == item->lanes);
    if (step->event == WM_TRACE_ARRIVAL || step->event == WM_TRACE_PHASE)
        cr_assert(step->barrier == item->barrier && step->threads == item->threads &&
                  step->waits == item->waits && step->others == item->others);
}

static void compare_slots(const struct sample_kernel *kernel, const struct wm_recorded_slots *slots)
{
    cr_assert_eq(slots->count, kernel->slot_count);
    cr_assert_arr_eq(slots->before, kernel->slot_before, sizeof kernel->slot_before);
    for (uint32_t slot = 0; slot < slots->count; slot++) {
        cr_assert(kernel->instructions[slots->pcs[slot]].is_memory);
        cr_assert_eq(kernel->slot_before[slots->pcs[slot]], slot);
    }
}

static void compare_launch(const struct sample_recording *sample, struct wm_recording *recording,
                           uint32_t number)
{
    const struct sample_launch *want = &sample->launches[number];
    const struct sample_kernel *kernel = &sample->kernels[want->launch.code];
    struct wm_launch_reader launch;
    struct wm_warp_reader reader;
    struct wm_warp_step step;
    struct wm_error error;
    const struct wm_recorded_launch *got = &recording->launch;
    cr_assert_eq(got->number, number);
    cr_assert_eq(got->code, want->launch.code);
    cr_assert_eq(got->stream, want->launch.stream);
    cr_assert_arr_eq(got->grid, want->launch.grid, sizeof got->grid);
    cr_assert_arr_eq(got->block, want->launch.block, sizeof got->block);
    cr_assert_eq(got->dynamic_shared_bytes, want->launch.dynamic_shared_bytes);
    cr_assert_eq(got->preferred_carveout, want->launch.preferred_carveout);
    cr_assert_eq(got->local_bytes_per_block, want->launch.local_bytes_per_block);
    cr_assert_eq(wm_launch_reader_open(recording, &launch, &error), WM_OK, "%s", error.message);
    compare_slots(kernel, &launch.slots);
    cr_assert(launch.streams.whole);
    cr_assert_eq(launch.streams.whole_blocks, want->blocks);
    cr_assert_eq(wm_warp_reader_init(&reader, &launch, &error), WM_OK);
    for (uint64_t i = 0; i < want->blocks * want->warps; i++) {
        struct position at = {0};
        wm_warp_reader_begin(&reader, i / want->warps, (uint32_t)(i % want->warps));
        for (bool more = true; more;) {
            cr_assert_eq(wm_warp_reader_step(&reader, &step, &more, &error), WM_OK, "%s",
                         error.message);
            if (more)
                compare_step(kernel, &want->streams[i], &at, &step);
        }
        cr_assert(!reader.cut);
        cr_assert_eq(at.item, want->streams[i].item_count);
        cr_assert_eq(at.access, want->streams[i].access_count);
    }
    wm_warp_reader_release(&reader);
    wm_launch_reader_close(&launch);
}

static void compare_tables(const struct sample_recording *sample,
                           const struct wm_recording *recording)
{
    const struct wm_recording_header *got = &recording->header, *want = &sample->header;
    cr_assert_str_eq(got->writer, want->writer);
    cr_assert_str_eq(got->source, want->source);
    cr_assert_str_eq(got->machine, want->machine);
    cr_assert_str_eq(got->machine_yaml, want->machine_yaml);
    cr_assert_eq(got->lanes, want->lanes);
    cr_assert_eq(got->memory_only, want->memory_only);
    for (int i = 0; i < 4; i++)
        cr_assert_str_eq(got->command[i], want->command[i]);
    cr_assert_null(got->command[4]);
    cr_assert_eq(recording->code_count, 2);
    cr_assert_eq(recording->launch_count, SAMPLE_LAUNCHES);
    cr_assert(recording->file.complete);
    for (uint32_t c = 0; c < 2; c++) {
        const struct wm_recorded_code *code = &recording->codes[c], *from = &sample->codes[c];
        cr_assert_str_eq(code->name, from->name);
        cr_assert_str_eq(code->module, from->module);
        cr_assert_eq(code->fingerprint, from->fingerprint);
        cr_assert_eq(code->ptx_hash, from->ptx_hash);
        cr_assert_eq(code->static_shared_bytes, from->static_shared_bytes);
        cr_assert_eq(code->registers_per_thread, from->registers_per_thread);
        cr_assert_eq(code->instruction_count, from->instruction_count);
        for (uint32_t pc = 0; pc < code->instruction_count; pc++) {
            const struct wm_recorded_instruction *a = &code->instructions[pc];
            const struct wm_recorded_instruction *b = &from->instructions[pc];
            cr_assert_str_eq(a->text, b->text);
            cr_assert_eq(a->guard == NULL, b->guard == NULL);
            cr_assert(a->guard == NULL || strcmp(a->guard, b->guard) == 0);
            cr_assert_eq(a->source_file == NULL, b->source_file == NULL);
            cr_assert(a->source_file == NULL || strcmp(a->source_file, b->source_file) == 0);
            cr_assert(a->source_line == b->source_line && a->ptx_line == b->ptx_line);
            cr_assert(a->exists == b->exists && a->is_memory == b->is_memory &&
                      a->generic == b->generic && a->kind == b->kind && a->space == b->space);
            cr_assert(a->address == b->address && a->bytes == b->bytes);
        }
    }
}

static void compare_event(const struct wm_recorded_event *got, const struct wm_recorded_event *want)
{
    cr_assert(got->kind == want->kind && got->stream == want->stream &&
              got->address == want->address && got->from == want->from &&
              got->bytes == want->bytes && got->launch == want->launch);
}

static void comes_back(uint32_t lanes, uint32_t items, uint64_t seed)
{
    struct sample_recording sample;
    struct sample_file file;
    struct wm_recording recording;
    struct wm_recorded_event event;
    struct wm_error error;
    bool more;
    sample_recording_make(&sample, lanes, items, seed);
    sample_file_open(&file);
    sample_recording_write(&sample, file.path, seed);
    cr_assert_eq(wm_recording_open(&recording, file.path, &error), WM_OK, "%s", error.message);
    compare_tables(&sample, &recording);
    char *text;
    cr_assert_eq(wm_recording_ptx(&recording, sample.codes[0].ptx_hash, &text, &error), WM_OK);
    cr_assert_eq(strncmp(text, ".version 7.0\n", 13), 0);
    free(text);
    cr_assert_eq(wm_recording_ptx(&recording, 12345, &text, &error), WM_OK);
    cr_assert_null(text);
    for (int pass = 0; pass < 2; pass++) {
        wm_recording_rewind(&recording);
        for (uint32_t i = 0; i < sample.event_count; i++) {
            cr_assert_eq(wm_recording_next(&recording, &event, &more, &error), WM_OK);
            cr_assert(more);
            compare_event(&event, &sample.events[i]);
            if (event.kind == WM_RECORDED_LAUNCH && pass == 0)
                compare_launch(&sample, &recording, (uint32_t)event.launch);
        }
        cr_assert_eq(wm_recording_next(&recording, &event, &more, &error), WM_OK);
        cr_assert(!more);
    }
    wm_recording_close(&recording);
    sample_file_close(&file);
    sample_recording_release(&sample);
}

Test(recording, comes_back)
{
    for (uint64_t seed = 0; seed < 6; seed++)
        comes_back(seed % 3 == 2 ? 64 : 32, seed == 5 ? 2000 : 150, seed);
}

// How blocks took turns and where chunks ended does not show.
Test(recording, does_not_depend_on_chunks)
{
    struct sample_recording sample;
    struct sample_file file;
    struct wm_error error;
    struct sample_digest first, other;
    sample_recording_make(&sample, 32, 200, 8);
    sample_file_open(&file);
    sample_recording_write(&sample, file.path, 1);
    cr_assert_eq(sample_digest(file.path, &first, &error), WM_OK);
    for (uint64_t seed = 2; seed < 6; seed++) {
        sample_recording_write(&sample, file.path, seed);
        cr_assert_eq(sample_digest(file.path, &other, &error), WM_OK);
        cr_assert_eq(memcmp(&first, &other, sizeof first), 0);
    }
    sample_file_close(&file);
    sample_recording_release(&sample);
}

Test(recording, a_full_disk_is_an_error)
{
    struct wm_recording_header header = {.lanes = 32};
    struct wm_recording_writer *writer;
    struct wm_error error;
    cr_assert_eq(wm_recording_writer_new("/dev/full", &header, &writer, &error), WM_IO);
    cr_assert_str_eq(error.message, "cannot write \"/dev/full\": No space left on device");
    cr_assert_eq(wm_recording_writer_new("no/such/folder", &header, &writer, &error), WM_IO);
}

// Blocks that do `times` times the same, without end or memory; what the writer ends with.
static enum wm_status write_loops(const char *path, uint32_t blocks, uint64_t times,
                                  struct wm_error *error)
{
    struct wm_recorded_instruction add = {.text = "add", .exists = true};
    const struct wm_recorded_code code = {
        .name = "f", .module = "m", .instruction_count = 1, .instructions = &add};
    struct wm_recorded_launch launch = {.grid = {blocks, 1, 1}, .block = {32, 1, 1}};
    const struct wm_recording_header header = {.lanes = 32};
    struct wm_trace_item item = {.count = 1, .active = 1, .accesses = WM_TRACE_ONE_EACH};
    struct wm_recording_writer *writer;
    cr_assert_eq(wm_recording_writer_new(path, &header, &writer, error), WM_OK);
    wm_recording_write_code(writer, &code);
    wm_recording_launch_begin(writer, &launch, 0);
    for (uint64_t b = 0; b < blocks; b++) {
        struct wm_recording_block *block = wm_recording_block_begin(writer, b);
        cr_assert(block != NULL || b > 0);
        if (block == NULL)
            break;
        cr_assert(!wm_recording_block_is_chunk(writer, block));
        wm_warp_encoder_items(&block->warps[0], &item, times);
        cr_assert(wm_recording_block_is_chunk(writer, block));
        wm_recording_block_end(writer, block);
    }
    wm_recording_launch_end(writer, true);
    return wm_recording_writer_finish(writer, error);
}

// Blocks of more steps than two of them may have in a frame, written and opened at the launch.
static void open_loops(uint32_t blocks, struct sample_file *file, struct wm_recording *recording,
                       struct wm_recorded_streams *streams)
{
    struct wm_error error;
    struct wm_recorded_event event;
    bool more;
    sample_file_open(file);
    cr_assert_eq(write_loops(file->path, blocks, UINT64_C(3) << 30, &error), WM_OK);
    cr_assert_eq(wm_recording_open(recording, file->path, &error), WM_OK);
    cr_assert_eq(wm_recording_next(recording, &event, &more, &error), WM_OK);
    cr_assert_eq(wm_recorded_streams_open(recording, streams, &error), WM_OK);
}

// A frame has so many steps: the writer begins another, and refuses what one cannot have.
Test(recording, frames_end_where_their_steps_do)
{
    struct sample_file file;
    struct wm_error error;
    struct wm_recording recording;
    struct wm_recorded_streams streams;
    open_loops(3, &file, &recording, &streams);
    cr_assert(streams.whole);
    for (uint64_t b = 0; b < 3; b++) {
        struct wm_recorded_chunk chunk;
        cr_assert_eq(wm_recorded_chunk_get(&streams, b, 0, &chunk, &error), WM_OK);
        cr_assert_eq(chunk.frame->frame.chunk_count, 1);
        cr_assert_eq(chunk.warps[0].steps, UINT64_C(3) << 30);
        // A frame is kept for readers that have not read it yet, and for no other.
        const struct wm_recorded_frame *frame = chunk.frame;
        wm_recorded_chunk_drop(&streams, &chunk);
        cr_assert(frame->loaded);
        cr_assert_eq(wm_recorded_chunk_get(&streams, b, 0, &chunk, &error), WM_OK);
        struct wm_warp_decoder decoder = {.lanes = 32};
        wm_recorded_chunk_begin(&chunk, 0, &decoder);
        wm_recorded_chunk_drop(&streams, &chunk);
        cr_assert_not(frame->loaded);
        cr_assert_eq(streams.kept, 0);
    }
    wm_recorded_streams_close(&streams);
    wm_recording_close(&recording);
    cr_assert_eq(write_loops(file.path, 3, UINT64_C(5) << 30, &error), WM_UNSUPPORTED);
    cr_assert_not_null(strstr(error.message, "block 0"), "%s", error.message);
    sample_file_close(&file);
}

// Comes to each of 30 frames, and leaves it; how many are still unpacked.
static uint32_t visit_frames(struct wm_recorded_streams *streams)
{
    uint32_t loaded = 0;
    for (uint64_t b = 0; b < streams->frame_count; b++) {
        struct wm_recorded_chunk chunk;
        struct wm_error error;
        cr_assert_eq(wm_recorded_chunk_get(streams, b, 0, &chunk, &error), WM_OK);
        wm_recorded_chunk_drop(streams, &chunk);
    }
    for (uint32_t i = 0; i < streams->frame_count; i++)
        loaded += streams->frames[i].loaded;
    cr_assert_eq(streams->kept, loaded);
    return loaded;
}

// A few frames that nobody uses are kept, and as many more as blocks are read in other places. Here
// each block has a frame of its own.
Test(recording, keeps_a_frame_for_each_place_that_is_read)
{
    struct sample_file file;
    struct wm_recording recording;
    struct wm_recorded_streams streams;
    open_loops(30, &file, &recording, &streams);
    cr_assert_eq(streams.frame_count, 30);
    uint32_t few = visit_frames(&streams);
    cr_assert_leq(few, 8);
    wm_recorded_streams_keep(&streams, 2); // never fewer
    cr_assert_eq(visit_frames(&streams), few);
    wm_recorded_streams_keep(&streams, 20);
    uint32_t most = visit_frames(&streams);
    cr_assert(most >= 20 && most <= 24, "%u", most);
    wm_recorded_streams_close(&streams);
    wm_recording_close(&recording);
    sample_file_close(&file);
}
