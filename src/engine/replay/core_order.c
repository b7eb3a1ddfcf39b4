// The order of CPU cores' accesses that a recording has (docs/formats/cores.md): a core goes on
// when another has made so many accesses. What counts is what others had made before the round of
// turns that runs, so that nothing depends on which of the host's threads runs which core, or when.
// A core that waits gives its turn away, and tries again in the next round. In time what counts is
// what is done, as the engine says it.
#include "engine/replay/recorded_block.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool wm_recorded_make_progress(struct wm_recorded_work *recorded)
{
    if (recorded->lanes != 1 || !recorded->streams.whole)
        return true;
    size_t bytes = wm_recorded_blocks(&recorded->streams.launch) * sizeof *recorded->progress;
    recorded->progress = aligned_alloc(_Alignof(struct wm_recorded_progress), bytes);
    if (recorded->progress != NULL)
        memset(recorded->progress, 0, bytes);
    return recorded->progress != NULL;
}

void wm_recorded_begin_round(void *work)
{
    struct wm_recorded_work *recorded = work;
    if (recorded->progress == NULL)
        return;
    recorded->keeps_order = true;
    uint64_t blocks = wm_recorded_blocks(&recorded->streams.launch);
    for (uint64_t block = 0; block < blocks; block++)
        recorded->progress[block].shown = recorded->progress[block].made;
}

void wm_recorded_accesses_done(void *work, uint64_t block, uint64_t accesses)
{
    struct wm_recorded_work *recorded = work;
    if (recorded->progress == NULL)
        return;
    recorded->keeps_order = true;
    recorded->progress[block].shown = accesses;
}

static bool is_core_event(const struct wm_trace_item *item)
{
    return item->event == WM_TRACE_PHASE && item->count == 0 &&
           wm_trace_phase_of_core(wm_trace_phase_operation(item->barrier));
}

// Threads that have the turns that they had keep the order with these.
static bool has_to_follow(const struct wm_recorded_work *recorded, const struct wm_trace_item *item)
{
    return recorded->keeps_order && !recorded->turn.given &&
           wm_trace_phase_operation(item->barrier) == WM_PHASE_FOLLOWS &&
           recorded->progress[wm_trace_phase_object(item->barrier)].shown < item->threads;
}

static bool has_to_wait(const struct wm_recorded_work *recorded, const struct wm_trace_item *item)
{
    const struct wm_recorded_device *device = recorded->device;
    if (wm_trace_phase_operation(item->barrier) != WM_PHASE_AWAITS)
        return has_to_follow(recorded, item);
    return device != NULL && !device->has_completed(device->context, item->threads);
}

static bool pass_event(struct wm_recorded_work *recorded, struct wm_recorded_block *block)
{
    struct wm_recorded_warp *warp = &block->warps[0];
    const struct wm_trace_item *item = warp->item;
    if (!recorded->code->instructions[item->first_pc].keeps_waits ||
        wm_trace_phase_object(item->barrier) >= wm_recorded_blocks(&recorded->streams.launch)) {
        wm_recorded_stop(recorded, block, 0, "what the core waits for breaks the format");
        return false;
    }
    if (!wm_recorded_has_turn(recorded, block) || has_to_wait(recorded, item))
        return false;
    if (wm_trace_phase_operation(item->barrier) == WM_PHASE_ISSUES && recorded->device != NULL)
        recorded->device->issued(recorded->device->context, item->threads);
    warp->done = 0;
    return true;
}

bool wm_recorded_core_event(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                            const struct wm_access_sink *sink, bool *stopped)
{
    const struct wm_trace_item *item = block->warps[0].item;
    const struct wm_warp_phase phase = {.operation = wm_trace_phase_operation(item->barrier),
                                        .pc = item->first_pc,
                                        .lanes = item->lanes};
    if (!pass_event(recorded, block))
        return false;
    if (phase.operation == WM_PHASE_TURN_END && recorded->turn.given)
        *stopped = recorded->turn.over = true;
    if (phase.operation != WM_PHASE_FENCE || sink == NULL || sink->phase == NULL)
        return true;
    sink->phase(sink->context, &phase);
    *stopped = true;
    return true;
}

// --- Orders that cannot be kept ---

static const char *state_of(const struct wm_recorded_progress *progress)
{
    return progress->ended   ? "and has ended"
           : progress->begun ? "and waits, too"
                             : "on no core yet";
}

static void stop_at(struct wm_recorded_work *recorded, struct wm_recorded_block *block)
{
    const struct wm_trace_item *item = block->warps[0].item;
    uint32_t awaited = wm_trace_phase_object(item->barrier);
    const struct wm_recorded_progress *progress = &recorded->progress[awaited];
    struct wm_error error;
    wm_fail(&error, WM_INVALID,
            "core %" PRIu64 ", after %" PRIu64 " of its accesses, waits until core %" PRIu32
            " has made %" PRIu32 ", which has made %" PRIu64 " %s",
            block->public.index, recorded->progress[block->public.index].made, awaited,
            item->threads, progress->made, state_of(progress));
    wm_error_place(&error, "%s", recorded->streams.recording->file.path);
    wm_error_hint(&error,
                  "the trace was cut or edited: trace the program again, or leave the order "
                  "out: warpmem import --unordered");
    wm_recorded_stop_with(recorded, block, &error);
}

bool wm_recorded_stop_order(struct wm_recorded_work *recorded, struct wm_block *const *blocks,
                            uint32_t count)
{
    for (uint32_t i = 0; recorded->progress != NULL && i < count; i++) {
        struct wm_recorded_block *block = (struct wm_recorded_block *)blocks[i];
        const struct wm_recorded_warp *warp = &block->warps[0];
        if (!is_core_event(warp->item) || warp->done == 0 || !has_to_follow(recorded, warp->item))
            continue;
        stop_at(recorded, block);
        return true;
    }
    return false;
}

bool wm_recorded_awaits_device(const struct wm_recorded_work *recorded,
                               struct wm_block *const *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_recorded_warp *warp =
            &((const struct wm_recorded_block *)blocks[i])->warps[0];
        if (recorded->device != NULL && is_core_event(warp->item) && warp->done != 0 &&
            wm_trace_phase_operation(warp->item->barrier) == WM_PHASE_AWAITS)
            return true;
    }
    return false;
}
