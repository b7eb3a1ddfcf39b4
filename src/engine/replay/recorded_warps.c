// The warps of a launch that a recording has do again what they did, one at a time: whole turns of
// instructions for the walk, single steps for an engine that keeps time.
#include "engine/replay/recorded_block.h"

bool wm_recorded_refuse_item(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                             uint32_t index)
{
    wm_recorded_stop(recorded, block, index, "an item has too many memory instructions");
    return false;
}

bool wm_recorded_next_item(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                           uint32_t index)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    for (;;) {
        // Planned accesses are so within a chunk, which need not be read.
        bool within = warp->decoder.planned_left != 0 || warp->chunk.frame != NULL;
        const struct wm_trace_item *item = within ? wm_warp_decoder_next(&warp->decoder) : NULL;
        if (item != NULL) {
            return wm_recorded_start_item(recorded, warp, item) <= WM_TRACE_ITEM_ACCESSES ||
                   wm_recorded_refuse_item(recorded, block, index);
        }
        wm_recorded_begin_item(warp, &wm_recorded_no_item);
        if (warp->chunk.frame != NULL && warp->decoder.control.bad) {
            wm_recorded_stop(recorded, block, index, "its stream breaks the format");
            return false;
        }
        if (!wm_recorded_next_chunk(recorded, block, index))
            return false;
    }
}

static void place_in_local(struct wm_warp_access *access, uint64_t *addresses, uint64_t local_base)
{
    access->base += local_base;
    if (access->addresses == NULL)
        return;
    for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
        addresses[__builtin_ctzll(rest)] += local_base;
}

// The accesses of the next memory instruction, `slot`; false when they cannot be read. `beyond`:
// one of them leaves the SM.
static bool report_accesses(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                            uint32_t index, uint32_t slot, const struct wm_access_sink *sink,
                            bool *beyond)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    warp->decoder.skips_shared = sink == NULL || sink->access == NULL || sink->accepts_strided;
    uint64_t count = warp->accesses & 3;
    warp->accesses >>= 2;
    uint64_t addresses[WM_MAX_LANES];
    struct wm_warp_access access = {.continues = false};
    uint64_t made = 0;
    for (; wm_trace_has_more_accesses(count, made, access.continues); made++) {
        if (made == WM_MOST_ACCESSES ||
            !wm_warp_decoder_regular(&warp->decoder, slot, &access, addresses) ||
            access.bytes_per_lane > WM_MAX_ACCESS_BYTES) {
            wm_recorded_stop(recorded, block, index, "its accesses break the format");
            return false;
        }
        access.pc = recorded->slots.pcs[slot];
        if (access.space == WM_SPACE_LOCAL)
            place_in_local(&access, addresses, block->local_base);
        *beyond |= wm_recorded_reaches_beyond_sm(access.space);
        if (sink == NULL || sink->access == NULL)
            continue;
        if (access.addresses == NULL && !sink->accepts_strided) {
            wm_access_expand(&access, addresses);
            access.addresses = addresses;
        }
        sink->access(sink->context, &access);
    }
    if (recorded->progress != NULL)
        recorded->progress[block->public.index].made += made;
    return true;
}

static void report_event(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                         uint32_t index, const struct wm_access_sink *sink, bool *stopped)
{
    const struct wm_trace_item *item = block->warps[index].item;
    uint32_t pc = item->first_pc + (item->count != 0 ? item->count - 1 : 0);
    if (item->event == WM_TRACE_ARRIVAL) {
        struct wm_warp_arrival arrival = {.pc = pc,
                                          .barrier = item->barrier,
                                          .threads = item->threads,
                                          .lanes = item->lanes,
                                          .waits = item->waits,
                                          .others = item->others};
        if (sink != NULL && sink->arrival != NULL)
            sink->arrival(sink->context, &arrival);
        *stopped = !wm_recorded_make_warp_barriers(recorded, block) ||
                   wm_recorded_arrive(block, index, item);
        return;
    }
    if (item->event == WM_TRACE_PHASE) {
        bool waits = false;
        *stopped = !wm_recorded_phase(recorded, block, index, &waits) || waits;
        return;
    }
    if (sink != NULL && sink->exit != NULL)
        sink->exit(sink->context, pc, item->lanes);
    wm_recorded_exit(block, index, item->lanes);
    *stopped = (block->public.finished >> index & 1) != 0;
}

static void report_stretch(const struct wm_access_sink *sink, uint32_t first, uint32_t end,
                           uint64_t active)
{
    struct wm_warp_stretch stretch = {.first_pc = first, .count = end - first, .active = active};
    if (sink != NULL && sink->stretch != NULL && stretch.count > 0)
        sink->stretch(sink->context, &stretch);
}

// The instructions from `first` up to `end` that are fences of the sink's.
static void report_fences(const struct wm_access_sink *sink, uint32_t first, uint32_t end)
{
    for (uint32_t pc = first; pc < end; pc++)
        if (sink->fences[pc] != 0)
            sink->fence(sink->context, pc);
}

// Prefetches, on the host, what the warps behind this one will read, whose turn it most often is
// next: all that an instruction needs of one, and what says where that is of another.
static void expect_others(const struct wm_recorded_block *block, uint32_t index, uint32_t slot)
{
    if (index + 2 >= block->public.warp_count)
        return;
    const struct wm_recorded_warp *next = &block->warps[index + 1], *after = next + 1;
    __builtin_prefetch(next->item);
    __builtin_prefetch(&next->decoder.slots[slot], 1);
    __builtin_prefetch(after, 1);
    __builtin_prefetch(&after->decoder, 1);
    __builtin_prefetch(&after->decoder.control, 1);
}

// Instructions of the item up to the budget, or up to the first memory instruction that stops the
// warp. Returns how many; 0 when the stream cannot be read.
static uint64_t run_item(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                         uint32_t index, uint64_t budget, enum wm_run_until until,
                         const struct wm_access_sink *sink, bool *stopped)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    const struct wm_trace_item *item = warp->item;
    uint32_t first = item->first_pc + warp->done, reported = first;
    // An instruction that may have to wait runs alone.
    bool apart = item->event == WM_TRACE_PHASE && warp->done < warp->quiet;
    uint64_t most = (apart ? warp->quiet : item->count) - warp->done;
    uint32_t end = first + (uint32_t)(budget < most ? budget : most);
    uint32_t end_slot = budget < most || apart ? recorded->slots.before[end] : warp->end_slot;
    bool beyond = false, fences = sink != NULL && sink->fence != NULL;
    uint32_t fenced = first;
    while (warp->slot < end_slot) {
        uint32_t slot = warp->slot++;
        if (__builtin_expect(fences, false)) {
            report_fences(sink, fenced, recorded->slots.pcs[slot]);
            fenced = recorded->slots.pcs[slot];
        }
        if (recorded->code_places != NULL) {
            report_stretch(sink, reported, recorded->slots.pcs[slot] + 1, item->active);
            reported = recorded->slots.pcs[slot] + 1;
        }
        if (!report_accesses(recorded, block, index, slot, sink, &beyond))
            return 0;
        if (beyond && until == WM_RUN_MEMORY) {
            expect_others(block, index, slot);
            end = recorded->slots.pcs[slot] + 1;
            break;
        }
    }
    if (__builtin_expect(fences, false))
        report_fences(sink, fenced, end);
    *stopped = beyond && until == WM_RUN_MEMORY;
    warp->done = end - item->first_pc;
    if (warp->done == item->count && item->event != WM_TRACE_NO_EVENT) {
        bool waits = false;
        report_event(recorded, block, index, sink, &waits);
        *stopped |= waits;
    }
    report_stretch(sink, reported, end, item->active);
    return end - first;
}

// Whether the warp goes on to its next memory instruction, and the sink sees accesses alone, as is
// most often so.
static inline bool goes_to_access(const struct wm_recorded_work *recorded,
                                  const struct wm_recorded_warp *warp, uint64_t budget,
                                  enum wm_run_until until, const struct wm_access_sink *sink)
{
    return until == WM_RUN_MEMORY && warp->slot < warp->end_slot &&
           warp->item->event == WM_TRACE_NO_EVENT && sink != NULL && sink->fence == NULL &&
           sink->stretch == NULL &&
           recorded->slots.pcs[warp->slot] - warp->first_pc - warp->done < budget;
}

// As run_item then.
static uint64_t run_to_access(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                              uint32_t index, const struct wm_access_sink *sink, bool *stopped)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    uint32_t before = warp->done, slot = warp->slot++;
    *stopped = false;
    if (!report_accesses(recorded, block, index, slot, sink, stopped))
        return 0;
    if (*stopped)
        expect_others(block, index, slot);
    warp->done = recorded->slots.pcs[slot] + 1 - warp->first_pc;
    return warp->done - before;
}

// Instructions before the item that the recording only counts.
static uint64_t run_skipped(struct wm_recorded_warp *warp, uint64_t budget,
                            struct wm_run_result *result)
{
    const struct wm_trace_item *item = warp->item;
    uint64_t now = budget < warp->skipped ? budget : warp->skipped;
    // Their lanes are known together: what rounding leaves is counted with the last.
    uint64_t each = item->skipped_lanes / item->skipped;
    warp->skipped -= now;
    result->warp_instructions += now;
    result->thread_instructions += now * each;
    if (warp->skipped == 0)
        result->thread_instructions += item->skipped_lanes - each * item->skipped;
    return now;
}

// The event alone that is the warp's item. False: the warp waits at it, or the launch has stopped.
static bool run_event(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                      uint32_t index, const struct wm_access_sink *sink, bool *stopped)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    if (warp->item->event == WM_TRACE_EXIT && (warp->item->lanes & warp->live) == 0) {
        wm_recorded_stop(recorded, block, index, "threads end that have ended");
        return false;
    }
    if (warp->item->event == WM_TRACE_PHASE &&
        wm_trace_phase_of_core(wm_trace_phase_operation(warp->item->barrier)))
        return wm_recorded_core_event(recorded, block, sink, stopped);
    while (warp->item->event == WM_TRACE_PHASE && wm_recorded_waits_for_phase(block, index))
        if ((block->public.ready >> index & 1) == 0)
            return false;
    report_event(recorded, block, index, sink, stopped);
    warp->done = 0;
    return !block->stopped;
}

// Whether the warp's next instruction waits for a phase: it has looked, and will look again.
static inline bool looks_in_vain(struct wm_recorded_block *block, uint32_t index,
                                 const struct wm_access_sink *sink, struct wm_run_result *result)
{
    const struct wm_recorded_warp *warp = &block->warps[index];
    if (warp->item->event != WM_TRACE_PHASE || warp->done != warp->quiet ||
        !wm_recorded_waits_for_phase(block, index))
        return false;
    uint32_t pc = warp->first_pc + warp->done;
    report_stretch(sink, pc, pc + 1, warp->item->active);
    result->warp_instructions++;
    result->thread_instructions += warp->active_lanes;
    return true;
}

void wm_recorded_run(void *work, struct wm_block *public, uint32_t index, uint64_t budget,
                     enum wm_run_until until, const struct wm_access_sink *sink,
                     struct wm_run_result *result)
{
    struct wm_recorded_work *recorded = work;
    struct wm_recorded_block *block = (struct wm_recorded_block *)public;
    struct wm_recorded_warp *warp = &block->warps[index];
    if (block->stopped || (public->ready >> index & 1) == 0 ||
        !wm_recorded_has_turn(recorded, block))
        return;
    for (bool stopped = false; budget > 0 && !stopped;) {
        if (warp->done == warp->item->count && !wm_recorded_next_item(recorded, block, index))
            return;
        if (warp->skipped != 0) {
            budget -= run_skipped(warp, budget, result);
            continue;
        }
        if (warp->item->count == 0) {
            if (!run_event(recorded, block, index, sink, &stopped))
                return;
            continue;
        }
        if (looks_in_vain(block, index, sink, result))
            return;
        uint64_t lanes = warp->active_lanes;
        uint64_t ran = goes_to_access(recorded, warp, budget, until, sink)
                           ? run_to_access(recorded, block, index, sink, &stopped)
                           : run_item(recorded, block, index, budget, until, sink, &stopped);
        if (ran == 0)
            return;
        budget -= ran;
        result->warp_instructions += ran;
        result->thread_instructions += ran * lanes;
    }
}

bool wm_recorded_next_pc(void *work, struct wm_block *public, uint32_t index, uint32_t *pc)
{
    struct wm_recorded_work *recorded = work;
    struct wm_recorded_block *block = (struct wm_recorded_block *)public;
    struct wm_recorded_warp *warp = &block->warps[index];
    while (!block->stopped && (public->ready >> index & 1) != 0) {
        if (warp->done == warp->item->count && !wm_recorded_next_item(recorded, block, index))
            return false;
        if (warp->skipped != 0) {
            *pc = recorded->work.instruction_count;
            return true;
        }
        if (warp->item->count != 0) {
            *pc = warp->item->first_pc + warp->done;
            return true;
        }
        bool stopped;
        if (!run_event(recorded, block, index, NULL, &stopped))
            return false;
    }
    return false;
}

// The instructions of the warp's item that come before its next memory instruction, and before its
// last, are done at once.
static inline void pass_plain(struct wm_recorded_work *recorded, struct wm_recorded_warp *warp,
                              struct wm_next_step *next)
{
    uint32_t end = warp->count - 1;
    if (warp->slot != warp->end_slot) {
        uint32_t memory = recorded->slots.pcs[warp->slot] - warp->first_pc;
        end = memory < end ? memory : end;
    }
    uint32_t plain = end - warp->done;
    plain = plain < UINT8_MAX ? plain : UINT8_MAX;
    next->plain = (uint8_t)plain;
    next->lanes = (uint8_t)warp->active_lanes;
    warp->done += plain;
}

// Most often the warp is within an item.
bool wm_recorded_step(void *work, struct wm_block *public, uint32_t index,
                      const struct wm_access_sink *sink, struct wm_run_result *result,
                      struct wm_next_step *next)
{
    struct wm_recorded_work *recorded = work;
    struct wm_recorded_block *block = (struct wm_recorded_block *)public;
    struct wm_recorded_warp *warp = &block->warps[index];
    uint32_t done = warp->done + 1;
    next->plain = 0;
    if (warp->skipped != 0 || done >= warp->count || block->stopped || sink->stretch != NULL ||
        (public->ready >> index & 1) == 0) {
        wm_recorded_run(work, public, index, 1, WM_RUN_INSTRUCTIONS, sink, result);
        if (!wm_recorded_next_pc(work, public, index, &next->pc))
            return false;
        if (warp->skipped == 0 && sink->stretch == NULL)
            pass_plain(recorded, warp, next);
        return true;
    }
    next->pc = warp->first_pc + done;
    if (warp->slot != recorded->slots.before[next->pc]) {
        bool beyond = false;
        if (!report_accesses(recorded, block, index, warp->slot++, sink, &beyond))
            return false;
    }
    warp->done = done;
    result->warp_instructions++;
    result->thread_instructions += warp->active_lanes;
    pass_plain(recorded, warp, next);
    // What is not passed is a memory instruction, most often: others have their turns before.
    if (warp->slot != warp->end_slot) {
        __builtin_prefetch(&warp->decoder.slots[warp->slot], 1);
        __builtin_prefetch(warp->decoder.firsts);
    }
    return true;
}

void wm_recorded_expect(const struct wm_block *public, uint32_t index, bool access)
{
    const struct wm_recorded_block *block = (const struct wm_recorded_block *)public;
    const struct wm_recorded_warp *warp = &block->warps[index];
    if (!access) {
        __builtin_prefetch(block);
        __builtin_prefetch(warp, 1);
        __builtin_prefetch(&warp->decoder, 1);
        return;
    }
    __builtin_prefetch(&warp->decoder.slots[warp->slot], 1);
    __builtin_prefetch(warp->decoder.firsts);
    __builtin_prefetch(&warp->decoder.lanes, 1);
}
