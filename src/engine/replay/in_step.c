// Warps of a block in step: under an order that goes from warp to warp after each access, warps
// that run the same code make the same access one after the other. Run one by one, most of the
// host's time would go into coming and going. Here they run in one loop up to that access, and it
// is reported once for all of them. What does not come all the time (events, instructions that were
// only counted, guards that held for no lane) is left to recorded_warps.c.
#include "engine/replay/recorded_block.h"

// What several warps did, until it is reported.
struct in_step {
    struct wm_recorded_work *recorded;
    struct wm_recorded_block *block;
    const struct wm_access_sink *sink;
    uint64_t warp_instructions, thread_instructions;
    uint64_t left;                        // of the warp that runs, before another has its turn
    uint32_t slot;                        // of the memory instruction in `gathered`
    struct wm_trace_shape shape;          // but its mask
    struct wm_multi_warp_access gathered; // count 0: nothing
};

static void report(struct in_step *step)
{
    if (step->gathered.count == 0)
        return;
    step->sink->access_of_warps(step->sink->context, &step->gathered);
    step->gathered.count = 0;
}

// Begins with an access of the memory instruction `slot`.
static void gather_anew(struct in_step *step, uint32_t slot, const struct wm_trace_shape *shape)
{
    report(step);
    step->slot = slot;
    step->shape = *shape;
    step->gathered.access = (struct wm_warp_access){.kind = (enum wm_access_kind)shape->kind,
                                                    .space = (enum wm_address_space)shape->space,
                                                    .hint = (enum wm_cache_hint)shape->hint,
                                                    .pc = step->recorded->slots.pcs[slot],
                                                    .bytes_per_lane = shape->bytes_per_lane,
                                                    .lanes = step->recorded->lanes,
                                                    .stride = shape->stride,
                                                    .row_stride = shape->row_stride,
                                                    .row_shift = shape->row_shift};
}

static inline void gather(struct in_step *step, uint32_t warp, uint32_t slot,
                          const struct wm_trace_shape *shape, uint64_t base)
{
    uint32_t count = step->gathered.count;
    if (count == 0 || count == WM_MAX_MULTI_WARP || step->slot != slot ||
        wm_trace_shape_difference(&step->shape, shape) != 0) {
        gather_anew(step, slot, shape);
        count = 0;
    }
    bool local = shape->space == WM_SPACE_LOCAL;
    step->gathered.warps[count] = (uint8_t)warp;
    step->gathered.bases[count] = base + (local ? step->block->local_base : 0);
    step->gathered.active[count] = shape->mask;
    step->gathered.count = count + 1;
}

static inline void gather_slot(struct in_step *step, uint32_t warp, uint32_t slot,
                               const struct wm_decoder_slot *access)
{
    gather(step, warp, slot, &access->shape, access->base);
}

// An access whose lanes each have an address of their own.
static void tell_scattered(struct in_step *step, uint32_t warp, uint32_t slot,
                           const struct wm_warp_access *access, uint64_t *addresses)
{
    report(step);
    if (access->space == WM_SPACE_LOCAL)
        for (uint64_t rest = access->active; rest != 0; rest &= rest - 1)
            addresses[__builtin_ctzll(rest)] += step->block->local_base;
    step->gathered.access = *access;
    step->gathered.access.pc = step->recorded->slots.pcs[slot];
    step->gathered.warps[0] = (uint8_t)warp;
    step->gathered.bases[0] = access->base;
    step->gathered.count = 1;
    report(step);
}

// An access that is not as predicted; false when it cannot be read.
static __attribute__((noinline)) bool read_access(struct in_step *step, uint32_t index,
                                                  uint32_t slot)
{
    struct wm_recorded_warp *warp = &step->block->warps[index];
    struct wm_warp_access access;
    uint64_t addresses[WM_MAX_LANES];
    warp->decoder.skips_shared = true;
    if (!wm_warp_decoder_regular(&warp->decoder, slot, &access, addresses) ||
        access.bytes_per_lane > WM_MAX_ACCESS_BYTES) {
        wm_recorded_stop(step->recorded, step->block, index, "its accesses break the format");
        return false;
    }
    if (access.addresses != NULL)
        tell_scattered(step, index, slot, &access, addresses);
    else
        gather_slot(step, index, slot, &warp->decoder.slots[slot]);
    return true;
}

// The next access, of the memory instruction `slot`, and the space it goes to; false when it cannot
// be read.
static inline bool take_access(struct in_step *step, uint32_t index, uint32_t slot,
                               enum wm_address_space *space)
{
    struct wm_warp_decoder *decoder = &step->block->warps[index].decoder;
    const struct wm_decoder_slot *read = &decoder->slots[slot];
    const struct wm_trace_shape *shape;
    uint64_t base;
    if (wm_warp_decoder_predicted(decoder, slot)) {
        gather_slot(step, index, slot, read);
    } else if ((shape = wm_warp_decoder_take_first(decoder, slot, &base)) != NULL) {
        gather(step, index, slot, shape, base);
        *space = (enum wm_address_space)shape->space;
        return true;
    } else if (!read_access(step, index, slot)) {
        return false;
    }
    *space = (enum wm_address_space)read->shape.space;
    return true;
}

static inline void count(struct in_step *step, struct wm_recorded_warp *warp, uint32_t done)
{
    uint32_t now = done - warp->done;
    warp->done = done;
    step->left -= now;
    step->warp_instructions += now;
    step->thread_instructions += (uint64_t)now * warp->active_lanes;
}

// wm_recorded_next_item, most often of a plan.
static inline bool next_item(struct in_step *step, uint32_t index)
{
    struct wm_recorded_warp *warp = &step->block->warps[index];
    struct wm_warp_decoder *decoder = &warp->decoder;
    if (decoder->planned_left == 0)
        return wm_recorded_next_item(step->recorded, step->block, index);
    const struct wm_trace_item *item = wm_warp_decoder_next(decoder);
    return wm_recorded_start_item(step->recorded, warp, item) <= WM_TRACE_ITEM_ACCESSES ||
           wm_recorded_refuse_item(step->recorded, step->block, index);
}

// Instructions up to an access that leaves the SM, and that access. False where something else
// comes before, or the budget ends.
static inline bool run_to_memory(struct in_step *step, uint32_t index)
{
    struct wm_recorded_warp *warp = &step->block->warps[index];
    for (;;) {
        if (warp->done == warp->count && !next_item(step, index))
            return false;
        if (warp->skipped != 0)
            return false;
        if (warp->slot == warp->end_slot) {
            if (warp->item->event != WM_TRACE_NO_EVENT || warp->count - warp->done >= step->left)
                return false;
            count(step, warp, warp->count);
            continue;
        }
        uint32_t slot = warp->slot, done = step->recorded->slots.pcs[slot] + 1 - warp->first_pc;
        if (done > warp->quiet || done - warp->done >= step->left || (warp->accesses & 3) != 1)
            return false;
        warp->slot++;
        warp->accesses >>= 2;
        count(step, warp, done);
        enum wm_address_space space;
        if (!take_access(step, index, slot, &space))
            return false;
        if (wm_recorded_reaches_beyond_sm(space))
            return true;
    }
}

static inline void expect_warp(const struct wm_recorded_warp *warp)
{
    __builtin_prefetch(warp, 1);
    __builtin_prefetch(&warp->decoder, 1);
    __builtin_prefetch(&warp->decoder.control, 1);
    __builtin_prefetch(&warp->decoder.last, 1);
}

void wm_recorded_expect_in_step(const struct wm_block *public)
{
    const struct wm_recorded_block *block = (const struct wm_recorded_block *)public;
    __builtin_prefetch(block);
    expect_warp(&block->warps[0]);
    expect_warp(&block->warps[1]); // which may be none: nothing is read
}

// Prefetches, on the host, what the warps behind this one will read: of the next all that an access
// needs, of the one after that what says where that is.
static inline void expect_others(const struct wm_recorded_work *recorded,
                                 const struct wm_recorded_block *block, uint32_t index)
{
    if (index + 2 >= block->public.warp_count)
        return;
    const struct wm_recorded_warp *next = &block->warps[index + 1], *after = next + 1;
    const struct wm_warp_decoder *decoder = &next->decoder;
    // Behind an item most often comes one like it.
    bool again = next->slot == next->end_slot;
    uint32_t slot = again ? recorded->slots.before[next->first_pc] : next->slot;
    __builtin_prefetch(&decoder->slots[slot], 1);
    __builtin_prefetch(decoder->data.at);
    __builtin_prefetch(decoder->firsts);
    if (again && decoder->planned_left == 0) {
        __builtin_prefetch(decoder->control.at);
        if (decoder->successors != NULL)
            __builtin_prefetch(&decoder->successors[wm_trace_key(&decoder->last)], 1);
    }
    expect_warp(after);
}

uint64_t wm_recorded_run_in_step(void *work, struct wm_block *public, uint32_t first,
                                 const struct wm_step_budget *budget,
                                 const struct wm_access_sink *sink, struct wm_run_result *result,
                                 uint64_t *begun)
{
    struct in_step step; // what was gathered is written before it is read
    step.recorded = work;
    step.block = (struct wm_recorded_block *)public;
    step.sink = sink;
    step.left = budget->each;
    step.warp_instructions = step.thread_instructions = 0;
    step.gathered.count = 0;
    uint64_t ran = 0, rest = public->ready >> first << first;
    *begun = 0;
    if (step.block->stopped || step.recorded->progress != NULL) // accesses of cores are counted
        return 0;
    for (; rest != 0 && step.warp_instructions < budget->turn; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(rest);
        expect_others(step.recorded, step.block, index);
        if (!run_to_memory(&step, index))
            break;
        ran |= rest & -rest;
        step.left = budget->each;
    }
    *begun = budget->each - step.left;
    report(&step);
    result->warp_instructions += step.warp_instructions;
    result->thread_instructions += step.thread_instructions;
    return ran;
}
