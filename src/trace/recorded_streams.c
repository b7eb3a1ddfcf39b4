// The streams of one launch: which chunk lies in which frame, and the frames in use.
#include "base/containers/array.h"
#include "trace/recording_reader.h"

#include "trace/recorded_slots.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    KEPT_FRAMES = 4,  // loaded without a user, for the blocks that come next: at least
    AHEAD_FRAMES = 4, // behind the last that was used, and kept besides
    // Items of a control string that is read once for all warps that have it, and all such items of
    // a frame. A frame of many longer strings is not searched for them in vain.
    PLAN_ITEMS = 1024,
    SHORT_PLAN_ITEMS = 24,
    LONG_STRINGS = 16,
    FRAME_PLAN_ITEMS = 1 << 13
};

static enum wm_status broken(const struct wm_recorded_streams *streams, uint64_t section,
                             const char *what, struct wm_error *error)
{
    const struct wm_section_file *file = &streams->recording->file;
    wm_fail(error, WM_INVALID, "the %s at byte %" PRIu64 " breaks the format", what,
            file->list.sections[section].offset);
    wm_error_place(error, "%s", file->path);
    return wm_error_hint(error, "record the program again");
}

static bool add_place(struct wm_recorded_streams *streams, uint64_t *capacity,
                      const struct wm_recorded_place *place)
{
    return WM_ARRAY_ADD(streams->places, streams->place_count, *capacity, *place);
}

static int by_block(const void *a, const void *b)
{
    const struct wm_recorded_place *left = a, *right = b;
    if (left->block != right->block)
        return left->block < right->block ? -1 : 1;
    return (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

// --- The frames ---

static void refuse_frame(const struct wm_recorded_streams *streams,
                         const struct wm_section *section, const struct wm_error *why,
                         struct wm_error *error)
{
    wm_fail(error, why->status, "the frame at byte %" PRIu64 " %s%s", section->offset,
            why->status == WM_INVALID ? "breaks the format: " : "is not read: ", why->message);
    wm_error_place(error, "%s", streams->recording->file.path);
    if (why->status == WM_INVALID)
        wm_error_hint(error, "record the program again");
}

// Without the mutex: `frame->loading` keeps others away.
static enum wm_status load(const struct wm_recorded_streams *streams,
                           struct wm_recorded_frame *frame, struct wm_bytes *content,
                           struct wm_error *error)
{
    const struct wm_recording *recording = streams->recording;
    const struct wm_section *section = &recording->file.list.sections[frame->section];
    struct wm_error why;
    WM_TRY(wm_section_read(&recording->file, section, content, error));
    enum wm_status status = wm_frame_unpack(content, streams->slots, streams->warps,
                                            recording->header.lanes, &frame->frame, &why);
    if (status == WM_OK && frame->frame.launch != streams->launch.number) {
        wm_frame_release(&frame->frame);
        status = wm_fail(&why, WM_INVALID, "it is of another launch");
    }
    if (status != WM_OK)
        refuse_frame(streams, section, &why, error);
    return status;
}

// With the mutex, which it gives up meanwhile.
static enum wm_status load_unlocked(struct wm_recorded_streams *streams,
                                    struct wm_recorded_frame *frame, struct wm_error *error)
{
    struct wm_bytes content = streams->spare;
    streams->spare = (struct wm_bytes){0};
    frame->loading = true;
    pthread_mutex_unlock(&streams->mutex);
    enum wm_status status = load(streams, frame, &content, error);
    wm_bytes_release(&content);
    pthread_mutex_lock(&streams->mutex);
    frame->loading = false;
    frame->loaded = status == WM_OK;
    pthread_cond_broadcast(&streams->has_ended);
    return status;
}

static void drop_frame(struct wm_recorded_streams *streams, struct wm_recorded_frame *frame)
{
    wm_bytes_release(&streams->spare);
    streams->spare = frame->frame.content;
    frame->frame.content = (struct wm_bytes){0};
    wm_frame_release(&frame->frame);
    frame->loaded = false;
    frame->begun = 0;
}

// Frees the frame that has been without a user longest.
static void drop_oldest(struct wm_recorded_streams *streams)
{
    struct wm_recorded_frame *oldest = NULL;
    for (uint32_t i = 0; i < streams->frame_count; i++) {
        struct wm_recorded_frame *frame = &streams->frames[i];
        if (frame->loaded && frame->users == 0 &&
            (oldest == NULL || frame->used_at < oldest->used_at))
            oldest = frame;
    }
    drop_frame(streams, oldest);
    streams->kept--;
}

static enum wm_status use_frame(struct wm_recorded_streams *streams,
                                struct wm_recorded_frame *frame, struct wm_error *error)
{
    enum wm_status status = WM_OK;
    pthread_mutex_lock(&streams->mutex);
    while (frame->loading)
        pthread_cond_wait(&streams->has_ended, &streams->mutex);
    if (!frame->loaded)
        status = load_unlocked(streams, frame, error);
    else if (frame->users == 0)
        streams->kept--;
    frame->users += status == WM_OK;
    uint32_t number = (uint32_t)(frame - streams->frames);
    streams->last = number > streams->last ? number : streams->last;
    pthread_mutex_unlock(&streams->mutex);
    return status;
}

void wm_recorded_streams_keep(struct wm_recorded_streams *streams, uint32_t frames)
{
    streams->most_kept = frames > KEPT_FRAMES ? frames : KEPT_FRAMES;
}

void wm_recorded_streams_read_ahead(struct wm_recorded_streams *streams)
{
    pthread_mutex_lock(&streams->mutex);
    if (streams->ahead <= streams->last)
        streams->ahead = streams->last + 1;
    if (streams->ahead < streams->frame_count && streams->ahead <= streams->last + AHEAD_FRAMES) {
        struct wm_recorded_frame *frame = &streams->frames[streams->ahead++];
        struct wm_error error;
        if (!frame->loading && !frame->loaded && load_unlocked(streams, frame, &error) == WM_OK) {
            frame->used_at = ++streams->clock;
            streams->kept++;
        }
    }
    pthread_mutex_unlock(&streams->mutex);
}

// `begun`: chunks of it that warps have begun meanwhile.
static void leave_frame(struct wm_recorded_streams *streams, struct wm_recorded_frame *frame,
                        uint32_t begun)
{
    pthread_mutex_lock(&streams->mutex);
    frame->begun += begun;
    if (--frame->users == 0 && frame->begun >= frame->frame.chunk_count * frame->frame.warps) {
        drop_frame(streams, frame);
    } else if (frame->users == 0) {
        frame->used_at = ++streams->clock;
        if (++streams->kept > streams->most_kept + AHEAD_FRAMES)
            drop_oldest(streams);
    }
    pthread_mutex_unlock(&streams->mutex);
}

// --- Where the chunks are ---

// As the end of the launch has it, for all frames at once.
static enum wm_status read_directory(struct wm_recorded_streams *streams, uint64_t section,
                                     const struct wm_bytes *content, struct wm_error *error)
{
    struct wm_cursor cursor = wm_cursor_of(content->data, content->length);
    uint64_t launch = wm_cursor_number(&cursor), capacity = 0;
    streams->whole = wm_cursor_number_to(&cursor, 1) != 0;
    streams->stopped = !streams->whole;
    uint64_t frames = wm_cursor_number(&cursor);
    bool good = !cursor.bad && launch == streams->launch.number && frames == streams->frame_count;
    for (uint32_t i = 0; i < frames && good; i++) {
        uint64_t chunks = wm_cursor_number(&cursor), block = 0;
        good = chunks <= wm_cursor_left(&cursor);
        for (uint64_t c = 0; c < chunks && good; c++) {
            block += wm_cursor_signed(&cursor);
            uint64_t word = wm_cursor_number(&cursor);
            struct wm_recorded_place place = {.block = block,
                                              .sequence = word >> 1,
                                              .frame = i,
                                              .chunk = (uint32_t)c,
                                              .last = (word & 1) != 0};
            good = !cursor.bad;
            if (good && !add_place(streams, &capacity, &place))
                return wm_fail_no_memory(error, "a launch's blocks");
        }
    }
    return good && wm_cursor_left(&cursor) == 0
               ? WM_OK
               : broken(streams, section, "end of a launch", error);
}

// The recording stops within the launch: its chunks are found frame by frame.
static enum wm_status scan_frames(struct wm_recorded_streams *streams, struct wm_error *error)
{
    uint64_t capacity = 0;
    streams->whole = streams->stopped = false;
    for (uint32_t i = 0; i < streams->frame_count; i++) {
        struct wm_recorded_frame *frame = &streams->frames[i];
        WM_TRY(use_frame(streams, frame, error));
        bool good = true;
        for (uint64_t c = 0; c < frame->frame.chunk_count && good; c++) {
            const struct wm_frame_chunk *chunk = &frame->frame.chunks[c];
            good = add_place(streams, &capacity,
                             &(struct wm_recorded_place){.block = chunk->block,
                                                         .sequence = chunk->sequence,
                                                         .frame = i,
                                                         .chunk = (uint32_t)c,
                                                         .last = chunk->last});
        }
        leave_frame(streams, frame, 0);
        if (!good)
            return wm_fail_no_memory(error, "a launch's blocks");
    }
    return WM_OK;
}

// Each block at most once, its chunks without a gap; counts those that are whole.
static enum wm_status check_places(struct wm_recorded_streams *streams, uint64_t section,
                                   struct wm_error *error)
{
    uint64_t blocks = wm_recorded_blocks(&streams->launch), expected = 0;
    if (streams->place_count != 0)
        qsort(streams->places, streams->place_count, sizeof *streams->places, by_block);
    for (uint64_t i = 0; i < streams->place_count; i++) {
        const struct wm_recorded_place *place = &streams->places[i];
        bool goes_on = i > 0 && place[-1].block == place->block;
        expected = goes_on ? expected + 1 : 0;
        if (place->block >= blocks || place->sequence != expected || (goes_on && place[-1].last))
            return broken(streams, section, "launch", error);
        streams->whole_blocks += place->last;
    }
    if (streams->whole && streams->whole_blocks != blocks)
        return broken(streams, section, "launch", error);
    return WM_OK;
}

static enum wm_status find_frames(struct wm_recorded_streams *streams, uint64_t first,
                                  uint64_t *end, struct wm_error *error)
{
    const struct wm_section_list *list = &streams->recording->file.list;
    uint64_t at = first;
    while (at < list->count && list->sections[at].type == WM_SECTION_FRAME)
        at++;
    *end = at;
    streams->frame_count = (uint32_t)(at - first);
    WM_TRY(WM_ARRAY_NEW(streams->frames, at - first + 1, error, "a launch's frames"));
    for (uint64_t i = first; i < at; i++)
        streams->frames[i - first].section = i;
    return WM_OK;
}

static enum wm_status find_places(struct wm_recorded_streams *streams, struct wm_error *error)
{
    struct wm_recording *recording = streams->recording;
    const struct wm_section_list *list = &recording->file.list;
    uint64_t first = recording->next_section, end;
    WM_TRY(find_frames(streams, first, &end, error));
    if (end == list->count || list->sections[end].type != WM_SECTION_LAUNCH_END) {
        WM_TRY(scan_frames(streams, error));
    } else {
        struct wm_bytes content = {0};
        enum wm_status status =
            wm_section_read(&recording->file, &list->sections[end], &content, error);
        if (status == WM_OK)
            status = read_directory(streams, end, &content, error);
        wm_bytes_release(&content);
        WM_TRY(status);
    }
    return check_places(streams, first - 1, error);
}

enum wm_status wm_recorded_streams_open(struct wm_recording *recording,
                                        struct wm_recorded_streams *streams, struct wm_error *error)
{
    const struct wm_recorded_launch *launch = &recording->launch;
    *streams = (struct wm_recorded_streams){
        .recording = recording,
        .launch = *launch,
        .slots = wm_recorded_slot_count(&recording->codes[launch->code]),
        .warps = wm_recorded_warps(launch, recording->header.lanes),
        .most_kept = KEPT_FRAMES,
    };
    pthread_mutex_init(&streams->mutex, NULL);
    pthread_cond_init(&streams->has_ended, NULL);
    enum wm_status status = find_places(streams, error);
    if (status != WM_OK)
        wm_recorded_streams_close(streams);
    return status;
}

void wm_recorded_streams_close(struct wm_recorded_streams *streams)
{
    for (uint32_t i = 0; i < streams->frame_count && streams->frames != NULL; i++)
        if (streams->frames[i].loaded)
            wm_frame_release(&streams->frames[i].frame);
    wm_bytes_release(&streams->spare);
    if (streams->recording != NULL) {
        pthread_mutex_destroy(&streams->mutex);
        pthread_cond_destroy(&streams->has_ended);
    }
    free(streams->frames);
    free(streams->places);
    *streams = (struct wm_recorded_streams){0};
}

// --- Chunks ---

static const struct wm_recorded_place *find_place(const struct wm_recorded_streams *streams,
                                                  uint64_t block, uint64_t sequence)
{
    struct wm_recorded_place wanted = {.block = block, .sequence = sequence};
    // Most often each block has one chunk.
    const struct wm_recorded_place *guess = &streams->places[block];
    if (block < streams->place_count && by_block(&wanted, guess) == 0)
        return guess;
    return bsearch(&wanted, streams->places, streams->place_count, sizeof *streams->places,
                   by_block);
}

bool wm_recorded_chunk_is_there(const struct wm_recorded_streams *streams, uint64_t block,
                                uint64_t sequence)
{
    return streams->place_count != 0 && find_place(streams, block, sequence) != NULL;
}

enum wm_status wm_recorded_chunk_get(struct wm_recorded_streams *streams, uint64_t block,
                                     uint64_t sequence, struct wm_recorded_chunk *chunk,
                                     struct wm_error *error)
{
    const struct wm_recorded_place *place =
        streams->place_count != 0 ? find_place(streams, block, sequence) : NULL;
    if (place == NULL) {
        wm_fail(error, WM_INVALID, "launch %" PRIu64 " has no part %" PRIu64 " of block %" PRIu64,
                streams->launch.number, sequence, block);
        wm_error_place(error, "%s", streams->recording->file.path);
        return wm_error_hint(error, "the recording was cut off; record the program again");
    }
    struct wm_recorded_frame *frame = &streams->frames[place->frame];
    WM_TRY(use_frame(streams, frame, error));
    const struct wm_frame_chunk *found =
        place->chunk < frame->frame.chunk_count ? &frame->frame.chunks[place->chunk] : NULL;
    if (found == NULL || found->block != block || found->sequence != sequence ||
        found->last != place->last) {
        leave_frame(streams, frame, 0);
        return broken(streams, frame->section, "frame", error);
    }
    *chunk = (struct wm_recorded_chunk){.frame = frame,
                                        .warps = frame->frame.warp +
                                                 (uint64_t)place->chunk * streams->warps,
                                        .last = place->last};
    return WM_OK;
}

// Prefetches, on the host, what the warps behind this one will read: theirs is most often the next
// turn.
static void expect_warps(const struct wm_frame *frame, const struct wm_recorded_chunk *chunk,
                         uint32_t warp)
{
    enum { LINE = 64 };
    if (warp + 2 >= frame->warps)
        return;
    const struct wm_frame_warp *next = &chunk->warps[warp + 1], *after = next + 1;
    const char *firsts = (const char *)(frame->firsts + next->first);
    for (uint32_t at = 0; at < next->first_count * sizeof *frame->firsts; at += LINE)
        __builtin_prefetch(firsts + at);
    __builtin_prefetch(frame->strings[next->control].at);
    __builtin_prefetch(frame->strings[next->data].at);
    __builtin_prefetch(&frame->strings[after->control]);
    __builtin_prefetch(&frame->strings[after->data]);
}

// The plan of a control string, from its second warp on: where warps differ, none would be used
// again. Other threads may look for it at the same time: who makes one first has made it.
static const struct wm_trace_plan *find_plan(struct wm_frame *frame, uint32_t control,
                                             const struct wm_warp_decoder *decoder,
                                             const struct wm_warp_part *part)
{
    struct wm_trace_plan **place = &frame->plans[control];
    struct wm_trace_plan *plan = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (plan == NULL && __atomic_compare_exchange_n(place, &plan, &wm_frame_unplanned, false,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return NULL;
    if (plan == &wm_frame_unplanned &&
        __atomic_load_n(&frame->items_planned, __ATOMIC_RELAXED) < FRAME_PLAN_ITEMS) {
        uint32_t long_strings = __atomic_load_n(&frame->long_strings, __ATOMIC_RELAXED);
        uint32_t most = long_strings < LONG_STRINGS ? PLAN_ITEMS : SHORT_PLAN_ITEMS;
        struct wm_trace_plan *made = wm_trace_plan_new(decoder, part, most);
        __atomic_fetch_add(&frame->items_planned, made != NULL ? made->count : SHORT_PLAN_ITEMS,
                           __ATOMIC_RELAXED);
        __atomic_fetch_add(&frame->long_strings, made == NULL, __ATOMIC_RELAXED);
        if (made != NULL && !__atomic_compare_exchange_n(place, &plan, made, false,
                                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            free(made);
        else
            plan = made != NULL ? made : plan;
    }
    return plan != &wm_frame_unplanned && plan->steps == part->steps ? plan : NULL;
}

void wm_recorded_chunk_begin(struct wm_recorded_chunk *chunk, uint32_t warp,
                             struct wm_warp_decoder *decoder)
{
    struct wm_frame *frame = &chunk->frame->frame;
    const struct wm_frame_warp *part = &chunk->warps[warp];
    chunk->begun++;
    expect_warps(frame, chunk, warp);
    struct wm_warp_part warp_part = {.control = frame->strings[part->control],
                                     .data = frame->strings[part->data],
                                     .firsts = frame->firsts + part->first,
                                     .shapes = frame->shapes,
                                     .first_count = part->first_count,
                                     .steps = part->steps};
    warp_part.plan = find_plan(frame, part->control, decoder, &warp_part);
    wm_warp_decoder_begin(decoder, &warp_part);
}

void wm_recorded_chunk_drop(struct wm_recorded_streams *streams, struct wm_recorded_chunk *chunk)
{
    leave_frame(streams, chunk->frame, chunk->begun);
    chunk->frame = NULL;
}
