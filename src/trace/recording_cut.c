#include "trace/recording_cut.h"

#include "base/containers/array.h"
#include "trace/launch_order.h"
#include "trace/launch_scan.h"
#include "trace/recording_names.h"
#include "trace/recording_writer.h"

#include <inttypes.h>
#include <stdlib.h>

struct cutting {
    struct wm_recording *recording; // borrowed, as is all below that is not said to be owned
    const struct wm_ranges *launches, *blocks;
    struct wm_recording_writer *writer; // owned
    bool *kept;                         // owned; by launch
    uint32_t *code;                     // owned; by code: its new number plus 1, 0 while unused
    uint64_t last;                      // launch kept
    struct wm_launch_order *order;      // owned; its ids are the recording's launches, plus 1
    uint64_t *ids;                      // owned; for one call
    size_t ids_room;
    uint64_t most_blocks; // of a launch that was chosen
    struct wm_cut_result *result;
};

// --- What is kept ---

// How many of `blocks` blocks are chosen, or come before `block` and are.
static uint64_t chosen_before(const struct wm_ranges *ranges, uint64_t block)
{
    uint64_t count = 0;
    if (ranges->count == 0)
        return block;
    for (uint32_t i = 0; i < ranges->count && ranges->items[i].first < block; i++) {
        uint64_t end = ranges->items[i].last < block ? ranges->items[i].last + 1 : block;
        count += end - ranges->items[i].first;
    }
    return count;
}

static bool all_there(const struct cutting *it, const struct wm_recorded_streams *streams,
                      uint64_t chosen)
{
    uint64_t whole = 0;
    if (it->blocks->count == 0)
        return streams->whole;
    for (uint64_t i = 0; i < streams->place_count; i++)
        whole += streams->places[i].last && wm_ranges_have(it->blocks, streams->places[i].block);
    return whole == chosen;
}

// Blocks are numbered anew, and one would wait for another that is not there.
static enum wm_status check_order(const struct cutting *it, const struct wm_recorded_launch *launch,
                                  struct wm_error *error)
{
    if (it->blocks->count == 0 || it->recording->header.lanes != 1 ||
        !wm_recorded_code_has_order(&it->recording->codes[launch->code]))
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "its cores wait for each other: none can be cut out");
    wm_error_place(error, "%s", it->recording->file.path);
    return wm_error_hint(error, "import the trace without its order: warpmem import --unordered");
}

static enum wm_status choose_launch(struct cutting *it, struct wm_error *error)
{
    const struct wm_recorded_launch *launch = &it->recording->launch;
    if (!wm_ranges_have(it->launches, launch->number))
        return WM_OK;
    WM_TRY(check_order(it, launch, error));
    struct wm_recorded_streams streams;
    WM_TRY(wm_recorded_streams_open(it->recording, &streams, error));
    uint64_t chosen = chosen_before(it->blocks, wm_recorded_blocks(launch));
    bool there = all_there(it, &streams, chosen);
    wm_recorded_streams_close(&streams);
    if (wm_recorded_blocks(launch) > it->most_blocks)
        it->most_blocks = wm_recorded_blocks(launch);
    it->result->without_block += chosen == 0;
    it->result->not_whole += chosen != 0 && !there;
    // A grid has at most 2^31 - 1 blocks in x.
    if (chosen == 0 || !there || (it->blocks->count != 0 && chosen > INT32_MAX))
        return WM_OK;
    it->kept[launch->number] = true;
    it->code[launch->code] = 1;
    it->last = launch->number;
    it->result->launches++;
    return WM_OK;
}

// Why there is nothing to write, by what the chosen launches lack.
static enum wm_status nothing_left(const struct cutting *it, struct wm_error *error)
{
    uint64_t launches = it->recording->launch_count;
    if (it->result->not_whole != 0) {
        wm_fail(error, WM_NOT_FOUND, "nothing is left: %" PRIu64 " launch%s chosen and not whole",
                it->result->not_whole, it->result->not_whole == 1 ? " is" : "es are");
    } else if (it->result->without_block != 0) {
        wm_fail(error, WM_NOT_FOUND,
                "no launch that was chosen has such a block: the largest has %" PRIu64
                ", numbered from 0",
                it->most_blocks);
        wm_error_hint(error, "\"warpmem trace info\" lists their grids");
    } else if (launches == 0) {
        wm_fail(error, WM_NOT_FOUND,
                it->recording->file.complete
                    ? "the recording has no launch"
                    : "nothing is left: the recording is cut off before its first launch");
    } else {
        wm_fail(error, WM_NOT_FOUND,
                "no launch was chosen: the recording has %" PRIu64 ", numbered from 0", launches);
        wm_error_hint(error, "\"warpmem trace info\" lists them");
    }
    return wm_error_place(error, "%s", it->recording->file.path);
}

static enum wm_status choose(struct cutting *it, struct wm_error *error)
{
    struct wm_recorded_event event;
    bool more = true;
    wm_recording_rewind(it->recording);
    while (more) {
        WM_TRY(wm_recording_next(it->recording, &event, &more, error));
        if (more && event.kind == WM_RECORDED_LAUNCH)
            WM_TRY(choose_launch(it, error));
    }
    wm_recording_rewind(it->recording);
    if (it->result->launches != 0)
        return WM_OK;
    return nothing_left(it, error);
}

// --- Writing ---

static void write_ptx(void *context, uint64_t hash, const char *text, size_t length)
{
    const struct cutting *it = context;
    wm_recording_write_ptx(it->writer, hash, text, length);
}

// With the codes go all texts before the last of them: those of the modules whose functions they
// call are among these, and no code says which they are.
static enum wm_status write_codes(struct cutting *it, struct wm_error *error)
{
    const struct wm_recording *recording = it->recording;
    uint32_t last = 0;
    for (uint32_t c = 0; c < recording->code_count; c++)
        last = it->code[c] != 0 ? c : last;
    WM_TRY(wm_recording_each_ptx(recording, last, write_ptx, it, error));
    for (uint32_t c = 0; c < recording->code_count; c++)
        if (it->code[c] != 0)
            it->code[c] = wm_recording_write_code(it->writer, &recording->codes[c]) + 1;
    return WM_OK;
}

static enum wm_status write_chunk(struct cutting *it, struct wm_recorded_streams *streams,
                                  const struct wm_recorded_place *place,
                                  struct wm_warp_encoder *warps, struct wm_error *error)
{
    struct wm_recorded_chunk chunk;
    WM_TRY(wm_recorded_chunk_get(streams, place->block, place->sequence, &chunk, error));
    const struct wm_frame *frame = &chunk.frame->frame;
    const struct wm_frame_warp *last = &chunk.warps[streams->warps - 1];
    uint64_t first = chunk.warps->first, first_count = last->first + last->first_count - first;
    struct wm_trace_first_access *firsts = calloc(first_count + 1, sizeof *firsts);
    if (firsts == NULL) {
        wm_recorded_chunk_drop(streams, &chunk);
        return wm_fail_no_memory(error, "a part of a block");
    }
    for (uint64_t i = 0; i < first_count; i++)
        firsts[i] = wm_frame_first(frame, first + i);
    for (uint32_t w = 0; w < streams->warps; w++) {
        const struct wm_frame_warp *warp = &chunk.warps[w];
        const struct wm_cursor *control = &frame->strings[warp->control];
        const struct wm_cursor *data = &frame->strings[warp->data];
        warps[w] = (struct wm_warp_encoder){
            .control = {.data = (uint8_t *)control->at, .length = wm_cursor_left(control)},
            .data = {.data = (uint8_t *)data->at, .length = wm_cursor_left(data)},
            .firsts = firsts + (warp->first - first),
            .first_count = warp->first_count,
            .steps = warp->steps};
    }
    wm_recording_write_chunk(it->writer, chosen_before(it->blocks, place->block), place->sequence,
                             place->last, warps);
    free(firsts);
    wm_recorded_chunk_drop(streams, &chunk);
    return WM_OK;
}

static enum wm_status write_streams(struct cutting *it, struct wm_launch_reader *reader,
                                    struct wm_error *error)
{
    struct wm_recorded_streams *streams = &reader->streams;
    struct wm_recorded_place *places = wm_launch_places(reader);
    struct wm_warp_encoder *warps = calloc(streams->warps + 1, sizeof *warps);
    enum wm_status status = WM_OK;
    if (places == NULL || warps == NULL)
        status = wm_fail_no_memory(error, "a launch's blocks");
    for (uint64_t i = 0; i < streams->place_count && status == WM_OK; i++)
        if (wm_ranges_have(it->blocks, places[i].block))
            status = write_chunk(it, streams, &places[i], warps, error);
    free(warps);
    free(places);
    return status;
}

// Ids of launches that the recording names.
static bool put_ids(struct cutting *it, const struct wm_recorded_order *order,
                    struct wm_order_command *command)
{
    size_t count = (size_t)order->behind.count + order->ended.count;
    if (!WM_ARRAY_RESERVE(it->ids, 0, it->ids_room, count))
        return false;
    uint64_t *id = it->ids;
    for (uint32_t i = 0; i < order->behind.count; i++)
        *id++ = order->behind.items[i] + 1;
    for (uint32_t i = 0; i < order->ended.count; i++)
        *id++ = order->ended.items[i] + 1;
    command->behind = it->ids;
    command->behind_count = order->behind.count;
    command->ended_up_to = order->ended_below;
    command->ended = it->ids + order->behind.count;
    command->ended_count = order->ended.count;
    return true;
}

// What is left of what a launch or a command is behind: instead of a launch that is left out, what
// that was behind. `written` NULL: it is not written. `order` NULL: it was behind all.
static enum wm_status order_command(struct cutting *it, uint64_t id,
                                    const struct wm_recorded_order *order,
                                    struct wm_recorded_order *written, struct wm_error *error)
{
    static const struct wm_recorded_order behind_all = {0};
    order = order != NULL ? order : &behind_all;
    struct wm_order_command command = {.id = id, .behind_all = !order->concurrent};
    if (!put_ids(it, order, &command) || !wm_launch_order_command(it->order, &command) ||
        (written != NULL && !wm_launch_order_write(it->order, written)))
        return wm_fail_no_memory(error, "the order of launches");
    if (written != NULL) {
        written->alone = order->alone;
        written->priority = order->priority;
        written->gpu = order->gpu;
    }
    return WM_OK;
}

static enum wm_status write_launch(struct cutting *it, struct wm_error *error)
{
    struct wm_launch_reader reader;
    WM_TRY(wm_launch_reader_open(it->recording, &reader, error));
    struct wm_recorded_launch launch = reader.streams.launch;
    if (it->blocks->count != 0) {
        launch.grid[0] = (uint32_t)chosen_before(it->blocks, wm_recorded_blocks(&launch));
        launch.grid[1] = launch.grid[2] = 1;
    }
    launch.code = it->code[launch.code] - 1;
    struct wm_recorded_order order = launch.order;
    enum wm_status status = order_command(it, launch.number + 1, &order, &launch.order, error);
    if (status == WM_OK) {
        wm_recording_launch_begin(it->writer, &launch, reader.streams.slots);
        status = write_streams(it, &reader, error);
        wm_recording_launch_end(it->writer, true);
    }
    if (status == WM_OK && !wm_launch_order_launched(it->order))
        status = wm_fail_no_memory(error, "the order of launches");
    wm_launch_reader_close(&reader);
    return status;
}

static enum wm_status write_event(struct cutting *it, struct wm_recorded_event *event,
                                  struct wm_error *error)
{
    struct wm_recorded_order written;
    if (event->begins) {
        WM_TRY(order_command(it, 0, event->order, &written, error));
        event->order = &written;
    }
    wm_recording_write_event(it->writer, event);
    return WM_OK;
}

static enum wm_status write_events(struct cutting *it, struct wm_error *error)
{
    struct wm_recorded_event event;
    bool more = true;
    for (;;) {
        WM_TRY(wm_recording_next(it->recording, &event, &more, error));
        if (!more)
            return WM_OK;
        if (event.kind != WM_RECORDED_LAUNCH)
            WM_TRY(write_event(it, &event, error));
        else if (it->kept[event.launch])
            WM_TRY(write_launch(it, error));
        else if (event.launch > it->last)
            return WM_OK;
        else
            WM_TRY(order_command(it, event.launch + 1, &it->recording->launch.order, NULL, error));
    }
}

// Of all memory: a launch may come to any.
static enum wm_status write_names(struct cutting *it, struct wm_error *error)
{
    struct wm_memory_names names;
    wm_memory_names_init(&names);
    enum wm_status status = wm_recording_names(it->recording, &names, error);
    if (status == WM_OK)
        wm_recording_write_names(it->writer, &names);
    wm_memory_names_release(&names);
    return status;
}

static enum wm_status write_all(struct cutting *it, const char *path, struct wm_error *error)
{
    WM_TRY(wm_recording_writer_new(path, &it->recording->header, &it->writer, error));
    WM_TRY(write_codes(it, error));
    if (it->recording->order_section != 0)
        wm_recording_begin_orders(it->writer);
    WM_TRY(write_events(it, error));
    WM_TRY(write_names(it, error));
    struct wm_recording_writer *writer = it->writer;
    it->writer = NULL;
    return wm_recording_writer_finish(writer, error);
}

enum wm_status wm_recording_cut(struct wm_recording *recording, const char *path,
                                const struct wm_ranges *launches, const struct wm_ranges *blocks,
                                struct wm_cut_result *result, struct wm_error *error)
{
    *result = (struct wm_cut_result){.without_threads = recording->cores_section != 0};
    struct cutting it = {
        .recording = recording,
        .launches = launches,
        .blocks = blocks,
        .kept = calloc(recording->launch_count + 1, sizeof *it.kept),
        .code = calloc(recording->code_count + UINT64_C(1), sizeof *it.code),
        .order = wm_launch_order_new(0),
        .result = result,
    };
    enum wm_status status = WM_OK;
    if (it.kept == NULL || it.code == NULL || it.order == NULL)
        status = wm_fail_no_memory(error, "a recording's launches");
    if (status == WM_OK)
        status = choose(&it, error);
    if (status == WM_OK)
        status = write_all(&it, path, error);
    wm_recording_writer_free(it.writer);
    wm_launch_order_free(it.order);
    free(it.ids);
    free(it.kept);
    free(it.code);
    return status;
}
