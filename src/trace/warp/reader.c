#include "trace/warp/reader.h"

#include "base/containers/array.h"

#include <inttypes.h>
#include <stdlib.h>

enum wm_status wm_launch_reader_open(struct wm_recording *recording,
                                     struct wm_launch_reader *launch, struct wm_error *error)
{
    *launch = (struct wm_launch_reader){.code = &recording->codes[recording->launch.code]};
    WM_TRY(wm_recorded_streams_open(recording, &launch->streams, error));
    if (!wm_recorded_slots_init(&launch->slots, launch->code)) {
        wm_launch_reader_close(launch);
        return wm_fail_no_memory(error, "a recorded kernel");
    }
    return WM_OK;
}

void wm_launch_reader_close(struct wm_launch_reader *launch)
{
    wm_recorded_streams_close(&launch->streams);
    wm_recorded_slots_release(&launch->slots);
    *launch = (struct wm_launch_reader){0};
}

enum wm_status wm_warp_reader_init(struct wm_warp_reader *reader, struct wm_launch_reader *launch,
                                   struct wm_error *error)
{
    *reader = (struct wm_warp_reader){.launch = launch};
    struct wm_warp_decoder *decoder = &reader->decoder;
    decoder->slot_count = launch->streams.slots;
    decoder->instruction_count = launch->code->instruction_count;
    decoder->lanes = launch->streams.recording->header.lanes;
    WM_TRY(
        WM_ARRAY_NEW(decoder->slots, decoder->slot_count + UINT64_C(1), error, "a recorded warp"));
    return WM_OK;
}

static void drop_chunk(struct wm_warp_reader *reader)
{
    if (reader->chunk.frame != NULL)
        wm_recorded_chunk_drop(&reader->launch->streams, &reader->chunk);
    reader->chunk.frame = NULL;
}

void wm_warp_reader_release(struct wm_warp_reader *reader)
{
    drop_chunk(reader);
    free(reader->decoder.slots);
    *reader = (struct wm_warp_reader){0};
}

void wm_warp_reader_begin_chunk(struct wm_warp_reader *reader, uint64_t block, uint64_t sequence,
                                uint32_t warp)
{
    drop_chunk(reader);
    reader->block = block;
    reader->warp = warp;
    reader->sequence = sequence;
    reader->alone = true;
    reader->cut = false;
    reader->open = false;
}

void wm_warp_reader_begin(struct wm_warp_reader *reader, uint64_t block, uint32_t warp)
{
    wm_warp_reader_begin_chunk(reader, block, 0, warp);
    reader->alone = false;
}

static enum wm_status broken(const struct wm_warp_reader *reader, const char *what,
                             struct wm_error *error)
{
    const struct wm_recorded_streams *streams = &reader->launch->streams;
    wm_fail(error, WM_INVALID,
            "launch %" PRIu64 ", block %" PRIu64 ", warp %" PRIu32 ", part %" PRIu64 ": %s",
            streams->launch.number, reader->block, reader->warp, reader->sequence, what);
    wm_error_place(error, "%s", streams->recording->file.path);
    return wm_error_hint(error, "record the program again");
}

static enum wm_status check_event(const struct wm_warp_reader *reader,
                                  const struct wm_warp_step *step, struct wm_error *error)
{
    if (step->event == WM_TRACE_PHASE && !reader->launch->code->instructions[step->pc].keeps_waits)
        return broken(reader, "an instruction that keeps no waits has an mbarrier's event", error);
    return WM_OK;
}

static enum wm_status take_chunk(struct wm_warp_reader *reader, struct wm_error *error)
{
    WM_TRY(wm_recorded_chunk_get(&reader->launch->streams, reader->block, reader->sequence,
                                 &reader->chunk, error));
    reader->decoder.successors = reader->successors;
    wm_recorded_chunk_begin(&reader->chunk, reader->warp, &reader->decoder);
    return WM_OK;
}

// Nothing may be left of a chunk behind its last item.
static bool is_used_up(const struct wm_warp_decoder *decoder)
{
    return decoder->control_run == 0 && decoder->data_run == 0 &&
           wm_cursor_left(&decoder->data) == 0 && decoder->firsts_left == 0;
}

static enum wm_status next_item(struct wm_warp_reader *reader, bool *more, struct wm_error *error)
{
    const struct wm_recorded_streams *streams = &reader->launch->streams;
    reader->done = 0;
    for (;;) {
        if (reader->chunk.frame == NULL) {
            reader->cut = !wm_recorded_chunk_is_there(streams, reader->block, reader->sequence);
            *more = !reader->cut;
            if (reader->cut)
                return WM_OK;
            WM_TRY(take_chunk(reader, error));
        }
        reader->open = wm_warp_decoder_item(&reader->decoder, &reader->item);
        if (reader->open)
            return WM_OK;
        if (reader->decoder.control.bad || !is_used_up(&reader->decoder))
            return broken(reader, "its stream breaks the format", error);
        *more = false;
        if (reader->alone || reader->chunk.last)
            return WM_OK;
        drop_chunk(reader);
        reader->sequence++;
    }
}

static enum wm_status read_accesses(struct wm_warp_reader *reader, struct wm_warp_step *step,
                                    struct wm_error *error)
{
    const struct wm_launch_reader *launch = reader->launch;
    const struct wm_trace_item *item = &reader->item;
    uint32_t slot = launch->slots.before[step->pc];
    uint32_t within = slot - launch->slots.before[item->first_pc];
    if (within >= WM_TRACE_ITEM_ACCESSES)
        return broken(reader, "an item has too many memory instructions", error);
    uint32_t count = item->accesses >> 2 * within & 3, done = 0;
    for (bool more = count > 0; more; done++) {
        if (done == WM_MOST_ACCESSES ||
            !wm_warp_decoder_access(&reader->decoder, slot, &step->accesses[done],
                                    reader->addresses[done]))
            return broken(reader, "its accesses break the format", error);
        step->accesses[done].pc = step->pc;
        more = wm_trace_has_more_accesses(count, done + 1, step->accesses[done].continues);
    }
    step->access_count = done;
    return WM_OK;
}

enum wm_status wm_warp_reader_step(struct wm_warp_reader *reader, struct wm_warp_step *step,
                                   bool *more, struct wm_error *error)
{
    const struct wm_trace_item *item = &reader->item;
    *more = true;
    if (!reader->open)
        WM_TRY(next_item(reader, more, error));
    if (!*more)
        return WM_OK;
    step->pc = item->first_pc + reader->done;
    step->executed = item->count != 0;
    step->active = item->active;
    step->skipped = reader->done == 0 ? item->skipped : 0;
    step->skipped_lanes = reader->done == 0 ? item->skipped_lanes : 0;
    step->access_count = 0;
    step->event = WM_TRACE_NO_EVENT;
    if (step->executed && reader->launch->code->instructions[step->pc].is_memory)
        WM_TRY(read_accesses(reader, step, error));
    reader->done += step->executed;
    if (reader->done == item->count) {
        reader->open = false;
        step->event = item->event;
        step->lanes = item->lanes;
        step->barrier = item->barrier;
        step->threads = item->threads;
        step->waits = item->waits;
        step->others = item->others;
    }
    return check_event(reader, step, error);
}
