#include "engine/recorder_items.h"

#include <assert.h>
#include <string.h>

// Encoded bytes and steps of a warp that make it worth asking whether its block has a chunk.
enum { TRIM_WARP_BYTES = 1024, TRIM_WARP_STEPS = 1 << 20 };

// --- What is told ---

static void forget_events(struct wm_recorder *recorder)
{
    recorder->event_count = recorder->told_count = 0;
    recorder->one_each = true;
}

// The interpreter tells of a stretch long before there is no room.
static __attribute__((noinline)) void lose_events(struct wm_recorder *recorder)
{
    recorder->failed = true;
    forget_events(recorder);
}

static inline void add_access(struct wm_recorder *recorder, uint32_t pc, uint32_t slot)
{
    if (recorder->event_count == WM_RECORDER_EVENTS)
        lose_events(recorder);
    uint32_t count = recorder->event_count++;
    if (count == 0)
        recorder->first_slot = slot;
    else
        recorder->one_each &= slot == recorder->next_slot && recorder->told_count == 0;
    recorder->next_slot = slot + 1;
    recorder->events[count] = (struct wm_recorder_event){.pc = pc};
}

static struct wm_recorder_told *next_told(struct wm_recorder *recorder, uint32_t pc)
{
    if (recorder->event_count == WM_RECORDER_EVENTS || recorder->told_count == WM_RECORDER_EVENTS)
        lose_events(recorder);
    struct wm_recorder_told *told = &recorder->told[recorder->told_count++];
    recorder->events[recorder->event_count++] =
        (struct wm_recorder_event){.pc = pc, .told = recorder->told_count};
    return told;
}

static void hear_access(void *context, const struct wm_warp_access *access)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    uint32_t slot = recorder->code->slots.before[access->pc];
    uint64_t base = access->space == WM_SPACE_LOCAL ? recorder->block->local_base : 0;
    wm_warp_encoder_access(recorder->encoder, slot, access, base);
    add_access(recorder, access->pc, slot);
}

static void hear_planned(void *context, const struct wm_access_plan *plan, const void *registers,
                         uint64_t active)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    const uint32_t *slots = recorder->code->slots.before;
    uint32_t slot = slots[plan->pc];
    wm_warp_encoder_planned(recorder->encoder, slot, slots[plan->like_pc], plan, registers, active);
    add_access(recorder, plan->pc, slot);
}

static void hear_arrival(void *context, const struct wm_warp_arrival *arrival)
{
    struct wm_recorder *recorder = context;
    struct wm_recorder_told *told = next_told(recorder, arrival->pc);
    told->event = WM_TRACE_ARRIVAL;
    told->arrival = *arrival;
}

static void hear_exit(void *context, uint32_t pc, uint64_t lanes)
{
    struct wm_recorder *recorder = context;
    struct wm_recorder_told *told = next_told(recorder, pc);
    told->event = WM_TRACE_EXIT;
    told->lanes = lanes;
}

// --- Items ---

static void close_item(struct wm_recorder_open *open, struct wm_warp_encoder *encoder)
{
    if (open->item.count != 0)
        wm_warp_encoder_items(encoder, &open->item, open->repeats + 1);
    open->item.count = 0;
    open->repeats = 0;
}

// What comes next may be one with the open item, but not with those like it before.
static inline void close_repeats(struct wm_recorder_open *open, struct wm_warp_encoder *encoder)
{
    if (open->repeats == 0)
        return;
    wm_warp_encoder_items(encoder, &open->item, open->repeats);
    open->repeats = 0;
}

static uint32_t slots_between(const struct wm_recorder_code *code, uint32_t from, uint32_t to)
{
    return code->slots.before[to] - code->slots.before[from];
}

// Whether an item of these instructions is one with the warp's open one.
static inline bool goes_on(const struct wm_recorder_code *code, const struct wm_trace_item *open,
                           uint32_t first_pc, uint32_t count, uint64_t active)
{
    return open->count != 0 && open->event == WM_TRACE_NO_EVENT &&
           open->first_pc + open->count == first_pc && open->active == active &&
           slots_between(code, open->first_pc, first_pc + count) <= WM_TRACE_ITEM_ACCESSES;
}

// Puts `item` behind the open one, or begins another.
static void add_item(struct wm_recorder *recorder, const struct wm_trace_item *item)
{
    const struct wm_recorder_code *code = recorder->code;
    struct wm_recorder_open *open = &recorder->block->open[recorder->warp];
    struct wm_trace_item *last = &open->item;
    if (!goes_on(code, last, item->first_pc, item->count, item->active)) {
        close_item(open, recorder->encoder);
        *last = *item;
        return;
    }
    close_repeats(open, recorder->encoder);
    uint32_t before = 2 * slots_between(code, last->first_pc, item->first_pc);
    if (item->accesses != WM_TRACE_ONE_EACH)
        last->accesses ^= (item->accesses ^ WM_TRACE_ONE_EACH) << before;
    last->count += item->count;
    last->event = item->event;
    last->lanes = item->lanes;
    last->barrier = item->barrier;
    last->threads = item->threads;
    last->waits = item->waits;
    last->others = item->others;
}

// The same of a stretch without an event whose memory instructions made one access each: written
// field by field, as a copy would wait for its narrow stores.
static inline void add_stretch(struct wm_recorder *recorder, const struct wm_warp_stretch *stretch)
{
    struct wm_recorder_open *open = &recorder->block->open[recorder->warp];
    struct wm_trace_item *last = &open->item;
    if (last->first_pc == stretch->first_pc && last->count == stretch->count &&
        last->active == stretch->active && last->accesses == WM_TRACE_ONE_EACH &&
        last->event == WM_TRACE_NO_EVENT) {
        open->repeats++; // a loop
        return;
    }
    if (goes_on(recorder->code, last, stretch->first_pc, stretch->count, stretch->active)) {
        close_repeats(open, recorder->encoder);
        last->count += stretch->count;
        return;
    }
    close_item(open, recorder->encoder);
    last->first_pc = stretch->first_pc;
    last->count = stretch->count;
    last->active = stretch->active;
    last->accesses = WM_TRACE_ONE_EACH;
    last->skipped = last->skipped_lanes = last->lanes = 0;
    last->barrier = last->threads = 0;
    last->event = WM_TRACE_NO_EVENT;
    last->waits = last->others = false;
}

// As add_item, of memory instructions and events alone: what lies before them is counted.
static void add_sparse_item(struct wm_recorder *recorder, const struct wm_trace_item *item)
{
    const struct wm_recorder_code *code = recorder->code;
    struct wm_recorder_open *open = &recorder->block->open[recorder->warp];
    uint64_t lanes = (uint64_t)__builtin_popcountll(item->active);
    uint32_t slot = code->slots.before[item->first_pc], end = item->first_pc + item->count;
    uint32_t pc = item->first_pc;
    for (uint32_t i = 0; pc < end; i++) {
        uint32_t at = slot + i < code->slots.count ? code->slots.pcs[slot + i] : end;
        bool told = at < end;
        if (!told && item->event != WM_TRACE_NO_EVENT)
            at = end - 1;
        uint32_t skipped = (told || at < end ? at : end) - pc;
        open->skipped += skipped;
        open->skipped_lanes += skipped * lanes;
        if (at >= end)
            break;
        struct wm_trace_item one = *item;
        one.first_pc = at;
        one.count = 1;
        one.accesses =
            WM_TRACE_ONE_EACH ^ (told ? ((item->accesses ^ WM_TRACE_ONE_EACH) >> 2 * i & 3) : 0);
        recorder->skips_too_many |= open->skipped > WM_TRACE_MOST_SKIPPED;
        one.skipped = open->skipped;
        one.skipped_lanes = open->skipped_lanes;
        if (at != end - 1)
            one.event = WM_TRACE_NO_EVENT;
        open->skipped = open->skipped_lanes = 0;
        wm_warp_encoder_item(recorder->encoder, &one);
        pc = at + 1;
    }
}

// How many accesses each memory instruction of [from, to) made, as two bits each; takes them off
// the list from `*next` on.
static uint64_t count_accesses(const struct wm_recorder *recorder, uint32_t from, uint32_t to,
                               uint32_t *next)
{
    const struct wm_recorder_code *code = recorder->code;
    uint64_t accesses = WM_TRACE_ONE_EACH;
    uint32_t first = code->slots.before[from], end = code->slots.before[to];
    for (uint32_t slot = first; slot < end; slot++) {
        uint64_t count = 0;
        while (*next < recorder->event_count && recorder->events[*next].told == 0 &&
               recorder->events[*next].pc == code->slots.pcs[slot]) {
            ++*next;
            count++;
        }
        assert(count <= 3);
        accesses ^= (count ^ 1) << 2 * (slot - first);
    }
    return accesses;
}

// The pc behind the first arrival or exit from `next` on, within the stretch; else its end.
static uint32_t end_of_item(const struct wm_recorder *recorder, uint32_t next, uint32_t from,
                            uint32_t end, const struct wm_recorder_told **event)
{
    *event = NULL;
    for (uint32_t i = next; i < recorder->event_count; i++) {
        const struct wm_recorder_event *it = &recorder->events[i];
        if (it->pc < from || it->pc >= end)
            break;
        if (it->told != 0) {
            *event = &recorder->told[it->told - 1];
            end = it->pc + 1;
            break;
        }
    }
    const struct wm_recorder_code *code = recorder->code;
    if (slots_between(code, from, end) > WM_TRACE_ITEM_ACCESSES) {
        end = code->slots.pcs[code->slots.before[from] + WM_TRACE_ITEM_ACCESSES];
        *event = NULL;
    }
    return end;
}

static void set_event(struct wm_trace_item *item, const struct wm_recorder_told *event)
{
    item->event = event->event;
    if (event->event == WM_TRACE_EXIT) {
        item->lanes = event->lanes;
        return;
    }
    item->lanes = event->arrival.lanes;
    item->barrier = event->arrival.barrier;
    item->threads = event->arrival.threads;
    item->waits = event->arrival.waits;
    item->others = event->arrival.others;
}

// Most often all that was told is one access of each of the stretch's memory instructions, and
// perhaps an event of its last instruction.
static inline bool is_one_each(const struct wm_recorder *recorder,
                               const struct wm_warp_stretch *stretch)
{
    const struct wm_recorder_code *code = recorder->code;
    uint32_t end = stretch->first_pc + stretch->count;
    uint32_t first = code->slots.before[stretch->first_pc], count = code->slots.before[end] - first;
    if (!recorder->one_each || recorder->told_count > 1 ||
        recorder->event_count - recorder->told_count != count || count > WM_TRACE_ITEM_ACCESSES)
        return false;
    if (recorder->told_count != 0 && recorder->events[count].pc != end - 1)
        return false;
    return count == 0 || recorder->first_slot == first;
}

static __attribute__((noinline)) void add_items(struct wm_recorder *recorder,
                                                const struct wm_warp_stretch *stretch)
{
    uint32_t next = 0, end = stretch->first_pc + stretch->count;
    // The return of a kernel that ends without one has the pc of its last instruction.
    for (uint32_t from = stretch->first_pc; from < end;) {
        const struct wm_recorder_told *event;
        uint32_t to = end_of_item(recorder, next, from, end, &event);
        struct wm_trace_item item = {
            .first_pc = from, .count = to - from, .active = stretch->active};
        item.accesses = count_accesses(recorder, from, to, &next);
        if (event != NULL) {
            set_event(&item, event);
            next++;
        }
        if (recorder->memory_only)
            add_sparse_item(recorder, &item);
        else
            add_item(recorder, &item);
        from = to;
    }
    if (next == recorder->event_count) {
        forget_events(recorder);
        return;
    }
    recorder->one_each = false;
    recorder->event_count -= next;
    memmove(recorder->events, recorder->events + next,
            recorder->event_count * sizeof *recorder->events);
}

static void hear_stretch(void *context, const struct wm_warp_stretch *stretch)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    if (recorder->memory_only || !is_one_each(recorder, stretch)) {
        add_items(recorder, stretch);
        return;
    }
    if (recorder->told_count == 0) {
        add_stretch(recorder, stretch);
    } else {
        struct wm_trace_item item = {.first_pc = stretch->first_pc,
                                     .count = stretch->count,
                                     .active = stretch->active,
                                     .accesses = WM_TRACE_ONE_EACH};
        set_event(&item, &recorder->told[0]);
        add_item(recorder, &item);
    }
    forget_events(recorder);
}

const struct wm_access_sink wm_recorder_listens = {
    .access = hear_access,
    .planned = hear_planned,
    .arrival = hear_arrival,
    .exit = hear_exit,
    .stretch = hear_stretch,
};

// --- Warps ---

void wm_recorder_warp_begin(struct wm_recorder *recorder, struct wm_recorder_block *block,
                            uint32_t warp)
{
    recorder->block = block;
    recorder->warp = warp;
    recorder->encoder = block != NULL ? &block->block->warps[warp] : NULL;
    forget_events(recorder);
}

void wm_recorder_items_flush(struct wm_recorder *recorder, struct wm_recorder_block *block)
{
    for (uint32_t warp = 0; warp < recorder->warps; warp++)
        close_item(&block->open[warp], &block->block->warps[warp]);
}

void wm_recorder_warp_end(struct wm_recorder *recorder)
{
    if (recorder->encoder == NULL)
        return;
    struct wm_recorder_open *open = &recorder->block->open[recorder->warp];
    if (open->repeats >= TRIM_WARP_STEPS)
        close_repeats(open, recorder->encoder);
    if (wm_warp_encoder_bytes(recorder->encoder) < TRIM_WARP_BYTES &&
        recorder->encoder->steps < TRIM_WARP_STEPS)
        return;
    if (wm_recording_block_is_chunk(recorder->writer, recorder->block->block)) {
        wm_recorder_items_flush(recorder, recorder->block);
        wm_recording_block_trim(recorder->writer, recorder->block->block);
    }
}
