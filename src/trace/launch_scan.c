#include "trace/launch_scan.h"

#include <stdlib.h>

static int by_frame(const void *a, const void *b)
{
    const struct wm_recorded_place *left = a, *right = b;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return (left->chunk > right->chunk) - (left->chunk < right->chunk);
}

struct wm_recorded_place *wm_launch_places(const struct wm_launch_reader *launch)
{
    uint64_t count = launch->streams.place_count;
    struct wm_recorded_place *places = calloc(count + 1, sizeof *places);
    if (places == NULL)
        return NULL;
    if (count != 0)
        memcpy(places, launch->streams.places, count * sizeof *places);
    if (count != 0)
        qsort(places, count, sizeof *places, by_frame);
    return places;
}

static enum wm_status walk_chunk(struct wm_warp_reader *reader,
                                 const struct wm_recorded_place *place, wm_launch_visitor *visit,
                                 void *context, struct wm_error *error)
{
    struct wm_warp_step step;
    for (uint32_t warp = 0; warp < reader->launch->streams.warps; warp++) {
        bool more = true;
        wm_warp_reader_begin_chunk(reader, place->block, place->sequence, warp);
        for (;;) {
            WM_TRY(wm_warp_reader_step(reader, &step, &more, error));
            if (!more)
                break;
            visit(context, place->block, warp, &step);
        }
    }
    return WM_OK;
}

enum wm_status wm_launch_scan(struct wm_launch_reader *launch, wm_launch_visitor *visit,
                              void *context, struct wm_error *error)
{
    struct wm_warp_reader reader;
    struct wm_recorded_place *places = wm_launch_places(launch);
    if (places == NULL)
        return wm_fail_no_memory(error, "a launch's blocks");
    enum wm_status status = wm_warp_reader_init(&reader, launch, error);
    for (uint64_t i = 0; i < launch->streams.place_count && status == WM_OK; i++)
        status = walk_chunk(&reader, &places[i], visit, context, error);
    wm_warp_reader_release(&reader);
    free(places);
    return status;
}

// --- Counts ---

// Whether lanes lie at a base and a stride; else, how many from lane 0 on do.
static bool has_stride(const struct wm_warp_access *access, uint32_t *row)
{
    uint64_t rest = access->active & (access->active - 1);
    if (rest == 0)
        return true;
    uint32_t first = (uint32_t)__builtin_ctzll(access->active);
    uint32_t second = (uint32_t)__builtin_ctzll(rest);
    uint64_t apart = access->addresses[second] - access->addresses[first];
    // Compared without dividing: lane l is as far from the first as apart × (l - first) / lanes.
    for (; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        *row = lane;
        if ((access->addresses[lane] - access->addresses[first]) * (second - first) !=
            apart * (lane - first))
            return false;
    }
    return true;
}

// Whether a recording has the access lane by lane: no stride, and no rows with one (warp/stream.h).
static bool is_irregular(const struct wm_warp_access *access)
{
    const uint64_t *addresses = access->addresses;
    uint32_t row;
    if (has_stride(access, &row))
        return false;
    if (access->active != wm_all_lanes(access->lanes) || (row & (row - 1)) != 0)
        return true;
    uint64_t stride = addresses[1] - addresses[0], apart = addresses[row] - addresses[0];
    for (uint32_t lane = row; lane < access->lanes; lane++)
        if (addresses[lane] != addresses[0] + lane % row * stride + lane / row * apart)
            return true;
    return false;
}

static void count_step(void *context, uint64_t block, uint32_t warp,
                       const struct wm_warp_step *step)
{
    struct wm_launch_counts *counts = context;
    (void)block;
    (void)warp;
    uint64_t lanes = step->executed ? (uint64_t)__builtin_popcountll(step->active) : 0;
    counts->warp_instructions += step->executed + step->skipped;
    counts->thread_instructions += lanes + step->skipped_lanes;
    counts->memory_instructions += step->access_count != 0;
    counts->accesses += step->access_count;
    counts->barriers += step->event == WM_TRACE_ARRIVAL;
    for (uint32_t i = 0; i < step->access_count; i++)
        counts->irregular += is_irregular(&step->accesses[i]);
}

enum wm_status wm_launch_count(struct wm_launch_reader *launch, struct wm_launch_counts *counts,
                               struct wm_error *error)
{
    *counts = (struct wm_launch_counts){0};
    const struct wm_recorded_streams *streams = &launch->streams;
    const struct wm_section_list *list = &streams->recording->file.list;
    // The launch's section, its frames, and its end.
    uint64_t first = streams->recording->next_section - 1;
    for (uint64_t i = first; i < list->count; i++) {
        enum wm_section_type type = list->sections[i].type;
        if (i != first && type != WM_SECTION_FRAME && type != WM_SECTION_LAUNCH_END)
            break;
        counts->stored_bytes += WM_SECTION_HEADER_BYTES + list->sections[i].stored_bytes;
        counts->bytes += list->sections[i].bytes;
        if (type == WM_SECTION_LAUNCH_END)
            break;
    }
    return wm_launch_scan(launch, count_step, counts, error);
}
