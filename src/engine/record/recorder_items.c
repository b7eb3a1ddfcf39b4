#include "engine/record/recorder_items.h"

#include <assert.h>
#include <string.h>

// Encoded bytes and steps of a warp that make it worth checking whether its block has a chunk.
enum { TRIM_WARP_BYTES = 1024, TRIM_WARP_STEPS = 1 << 20 };

// --- What the interpreter reports ---

static inline void forget_events(struct wm_recorder *recorder)
{
    recorder->event_count = recorder->pending_count = 0;
    recorder->next_slot = recorder->expected_slot = recorder->first_slot;
}

static void put_event(struct wm_recorder *recorder, uint32_t pc, uint32_t pending)
{
    // The interpreter reports a stretch long before there is no room.
    if (recorder->event_count == WM_RECORDER_EVENTS) {
        recorder->failed = true;
        forget_events(recorder);
    }
    recorder->events[recorder->event_count++] =
        (struct wm_recorder_event){.pc = pc, .pending = pending};
}

static void spell_out(struct wm_recorder *recorder)
{
    if (recorder->event_count != 0)
        return;
    const uint32_t *pcs = recorder->code->slots.pcs;
    for (const struct wm_encoder_slot *slot = recorder->first_slot; slot != recorder->next_slot;
         slot++)
        put_event(recorder, pcs[slot - recorder->encoder->slots], 0);
    recorder->expected_slot = &recorder->no_slot;
    if (recorder->pending_count != 0)
        put_event(recorder, recorder->pending[0].pc, 1);
}

// False when the access is to be spelt out.
static bool add_access(struct wm_recorder *recorder, uint32_t slot_index)
{
    struct wm_encoder_slot *slot = &recorder->encoder->slots[slot_index];
    if (recorder->pending_count != 0 || recorder->event_count != 0)
        return false;
    if (recorder->next_slot == recorder->first_slot)
        recorder->first_slot = slot;
    else if (recorder->next_slot != slot)
        return false;
    recorder->next_slot = recorder->expected_slot = slot + 1;
    return true;
}

static void spell_access(struct wm_recorder *recorder, uint32_t pc)
{
    spell_out(recorder);
    put_event(recorder, pc, 0);
}

static struct wm_recorder_pending *next_pending(struct wm_recorder *recorder, uint32_t pc)
{
    if (recorder->pending_count == WM_RECORDER_EVENTS) {
        recorder->failed = true;
        forget_events(recorder);
    }
    if (recorder->pending_count != 0 || recorder->event_count != 0) {
        spell_out(recorder);
        put_event(recorder, pc, recorder->pending_count + 1);
    }
    struct wm_recorder_pending *pending = &recorder->pending[recorder->pending_count++];
    recorder->expected_slot = &recorder->no_slot;
    pending->pc = pc;
    return pending;
}

static void on_access(void *context, const struct wm_warp_access *access)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    uint32_t slot = recorder->code->slots.before[access->pc];
    uint64_t base = access->space == WM_SPACE_LOCAL ? recorder->block->local_base : 0;
    wm_warp_encoder_access(recorder->encoder, slot, access, base);
    // Of many texels that an instruction reads three are counted: the format derives the others.
    if (recorder->parts < 3 && !add_access(recorder, slot))
        spell_access(recorder, access->pc);
    recorder->parts = access->continues ? recorder->parts + 1 : 0;
}

static __attribute__((noinline)) void on_unexpected(struct wm_recorder *recorder,
                                                    const struct wm_memory_instruction *instruction,
                                                    const void *registers, uint64_t active)
{
    if (recorder->encoder == NULL)
        return;
    const uint32_t *before = recorder->code->slots.before;
    uint32_t slot = before[instruction->pc], like = before[instruction->reference_pc];
    if (!add_access(recorder, slot))
        spell_access(recorder, instruction->pc);
    wm_warp_encoder_by_registers(recorder->encoder, slot, like, instruction, registers, active);
}

static void on_access_by_registers(void *context, const struct wm_memory_instruction *instruction,
                                   const void *registers, uint64_t active,
                                   enum wm_half_warp_pattern rows)
{
    struct wm_recorder *recorder = context;
    struct wm_encoder_slot *slot = recorder->expected_slot;
    if (wm_warp_encoder_knows(slot, instruction, active)) {
        recorder->next_slot = recorder->expected_slot = slot + 1;
        wm_warp_encoder_known(recorder->encoder, slot, instruction, registers, rows);
    } else {
        on_unexpected(recorder, instruction, registers, active);
    }
}

static void on_arrival(void *context, const struct wm_warp_arrival *arrival)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    struct wm_recorder_pending *pending = next_pending(recorder, arrival->pc);
    pending->event = WM_TRACE_ARRIVAL;
    pending->lanes = arrival->lanes;
    pending->barrier = arrival->barrier;
    pending->threads = arrival->threads;
    pending->waits = arrival->waits;
    pending->others = arrival->others;
}

static void on_lanes_exit(void *context, uint32_t pc, uint64_t lanes)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    struct wm_recorder_pending *pending = next_pending(recorder, pc);
    *pending = (struct wm_recorder_pending){.pc = pc, .event = WM_TRACE_EXIT, .lanes = lanes};
}

// The number of phases that have ended is that of now: warps run one at a time.
static void on_phase(void *context, const struct wm_warp_phase *phase)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    if (phase->operation == WM_PHASE_BLOCKED) {
        recorder->blocked = true;
        recorder->again.next = NULL;
        recorder->blocked_pc = phase->pc;
        return;
    }
    struct wm_mbarrier_phases *object =
        wm_mbarrier_table_get(&recorder->block->phases, phase->object);
    if (object == NULL) {
        recorder->failed = true;
        return;
    }
    uint32_t operand = phase->operand;
    if (phase->operation == WM_PHASE_TEST_PASSED)
        operand = object->ended < UINT32_MAX ? (uint32_t)object->ended : UINT32_MAX;
    else
        wm_mbarrier_phases_operate(object, phase->operation, operand,
                                   (uint32_t)__builtin_popcountll(phase->lanes));
    struct wm_recorder_pending *pending = next_pending(recorder, phase->pc);
    *pending = (struct wm_recorder_pending){
        .pc = phase->pc,
        .event = WM_TRACE_PHASE,
        .lanes = phase->lanes,
        .barrier = wm_trace_phase_word(phase->operation, phase->object),
        .threads = operand};
}

static void on_cluster(void *context, uint32_t pc, uint64_t lanes, bool waits, bool others)
{
    struct wm_recorder *recorder = context;
    if (recorder->encoder == NULL)
        return;
    enum wm_phase_operation operation = !waits   ? WM_PHASE_CLUSTER_ARRIVE
                                        : others ? WM_PHASE_CLUSTER_WAIT_OTHERS
                                                 : WM_PHASE_CLUSTER_WAIT;
    struct wm_recorder_pending *pending = next_pending(recorder, pc);
    *pending = (struct wm_recorder_pending){.pc = pc,
                                            .event = WM_TRACE_PHASE,
                                            .lanes = lanes,
                                            .barrier = wm_trace_phase_word(operation, 0)};
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
                           const struct wm_warp_stretch *part)
{
    return open->count != 0 && open->event == WM_TRACE_NO_EVENT &&
           open->first_pc + open->count == part->first_pc && open->active == part->active &&
           slots_between(code, open->first_pc, part->first_pc + part->count) <=
               WM_TRACE_ITEM_ACCESSES;
}

// Field by field, here and where items begin: a copy would wait for its narrow stores.
static inline void set_event(struct wm_trace_item *item, const struct wm_recorder_pending *pending)
{
    item->event = pending->event;
    item->lanes = pending->lanes;
    item->barrier = pending->barrier;
    item->threads = pending->threads;
    item->waits = pending->waits;
    item->others = pending->others;
}

static inline void begin_item(struct wm_trace_item *item, const struct wm_warp_stretch *stretch,
                              uint64_t accesses)
{
    item->first_pc = stretch->first_pc;
    item->count = stretch->count;
    item->active = stretch->active;
    item->accesses = accesses;
    item->skipped = item->skipped_lanes = item->lanes = 0;
    item->barrier = item->threads = 0;
    item->event = WM_TRACE_NO_EVENT;
    item->waits = item->others = false;
}

// Puts a part of a stretch behind the open item, or begins another; returns whether it did the
// latter. `pending` is NULL without an event.
static __attribute__((noinline)) bool add_item(struct wm_recorder *recorder,
                                               const struct wm_warp_stretch *part,
                                               uint64_t accesses,
                                               const struct wm_recorder_pending *pending)
{
    const struct wm_recorder_code *code = recorder->code;
    struct wm_recorder_open *open = recorder->open;
    struct wm_trace_item *last = &open->item;
    bool begins = !goes_on(code, last, part);
    if (begins) {
        close_item(open, recorder->encoder);
        begin_item(last, part, accesses);
    } else {
        close_repeats(open, recorder->encoder);
        uint32_t before = 2 * slots_between(code, last->first_pc, part->first_pc);
        if (accesses != WM_TRACE_ONE_EACH)
            last->accesses ^= (accesses ^ WM_TRACE_ONE_EACH) << before;
        last->count += part->count;
    }
    if (pending != NULL)
        set_event(last, pending);
    return begins;
}

// As add_item, of memory instructions and events alone: what lies before them is counted.
static void add_sparse_item(struct wm_recorder *recorder, const struct wm_warp_stretch *part,
                            uint64_t accesses, const struct wm_recorder_pending *pending)
{
    const struct wm_recorder_code *code = recorder->code;
    struct wm_recorder_open *open = recorder->open;
    uint64_t lanes = (uint64_t)__builtin_popcountll(part->active);
    uint32_t slot = code->slots.before[part->first_pc], end = part->first_pc + part->count;
    uint32_t pc = part->first_pc;
    for (uint32_t i = 0; pc < end; i++) {
        uint32_t at = slot + i < code->slots.count ? code->slots.pcs[slot + i] : end;
        bool memory = at < end;
        if (!memory && pending != NULL)
            at = end - 1;
        uint32_t skipped = (memory || at < end ? at : end) - pc;
        open->skipped += skipped;
        open->skipped_lanes += skipped * lanes;
        if (at >= end)
            break;
        struct wm_warp_stretch instruction = {.first_pc = at, .count = 1, .active = part->active};
        struct wm_trace_item one;
        begin_item(&one, &instruction,
                   memory ? WM_TRACE_ONE_EACH ^ ((accesses ^ WM_TRACE_ONE_EACH) >> 2 * i & 3)
                          : WM_TRACE_ONE_EACH);
        if (pending != NULL)
            set_event(&one, pending);
        if (at != end - 1)
            one.event = WM_TRACE_NO_EVENT;
        recorder->skips_too_many |= open->skipped > WM_TRACE_MOST_SKIPPED;
        one.skipped = open->skipped;
        one.skipped_lanes = open->skipped_lanes;
        open->skipped = open->skipped_lanes = 0;
        wm_warp_encoder_item(recorder->encoder, &one);
        pc = at + 1;
    }
}

// What other lanes of the last item's last instruction did to another mbarrier.
static void add_alone(struct wm_recorder *recorder, const struct wm_recorder_pending *pending,
                      uint64_t active)
{
    struct wm_warp_stretch nothing = {.first_pc = pending->pc, .active = active};
    struct wm_trace_item item;
    close_item(recorder->open, recorder->encoder);
    begin_item(&item, &nothing, WM_TRACE_ONE_EACH);
    set_event(&item, pending);
    wm_warp_encoder_item(recorder->encoder, &item);
}

// Takes those of the instruction at `pc` off the list from `*next` on.
static void add_groups(struct wm_recorder *recorder, uint32_t pc, uint64_t active, uint32_t *next)
{
    for (; *next < recorder->event_count; ++*next) {
        const struct wm_recorder_event *event = &recorder->events[*next];
        if (event->pc != pc || event->pending == 0 ||
            recorder->pending[event->pending - 1].event != WM_TRACE_PHASE)
            return;
        add_alone(recorder, &recorder->pending[event->pending - 1], active);
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
        while (*next < recorder->event_count && recorder->events[*next].pending == 0 &&
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
                            uint32_t end, const struct wm_recorder_pending **event)
{
    *event = NULL;
    for (uint32_t i = next; i < recorder->event_count; i++) {
        const struct wm_recorder_event *it = &recorder->events[i];
        if (it->pc < from || it->pc >= end)
            break;
        if (it->pending != 0) {
            *event = &recorder->pending[it->pending - 1];
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

// Whether all that was reported is one access of each of the stretch's memory instructions, and
// perhaps an event of its last instruction.
static inline bool is_one_each(const struct wm_recorder *recorder,
                               const struct wm_warp_stretch *stretch)
{
    const uint32_t *before = recorder->code->slots.before + stretch->first_pc;
    uint32_t first = before[0], count = before[stretch->count] - first;
    if (recorder->event_count != 0 || count > WM_TRACE_ITEM_ACCESSES ||
        recorder->next_slot - recorder->first_slot != count ||
        (count != 0 && recorder->first_slot != recorder->encoder->slots + first))
        return false;
    return recorder->pending_count == 0 ||
           recorder->pending[0].pc == stretch->first_pc + stretch->count - 1;
}

static __attribute__((noinline)) void add_items(struct wm_recorder *recorder,
                                                const struct wm_warp_stretch *stretch)
{
    uint32_t next = 0, end = stretch->first_pc + stretch->count;
    spell_out(recorder);
    // The return of a kernel that ends without one has the pc of its last instruction.
    for (uint32_t from = stretch->first_pc; from < end;) {
        const struct wm_recorder_pending *event;
        uint32_t to = end_of_item(recorder, next, from, end, &event);
        struct wm_warp_stretch part = {
            .first_pc = from, .count = to - from, .active = stretch->active};
        uint64_t accesses = count_accesses(recorder, from, to, &next);
        if (event != NULL)
            next++;
        if (recorder->memory_only)
            add_sparse_item(recorder, &part, accesses, event);
        else
            add_item(recorder, &part, accesses, event);
        if (event != NULL && event->event == WM_TRACE_PHASE)
            add_groups(recorder, to - 1, part.active, &next);
        from = to;
    }
    if (next == recorder->event_count) {
        forget_events(recorder);
        return;
    }
    recorder->event_count -= next;
    memmove(recorder->events, recorder->events + next,
            recorder->event_count * sizeof *recorder->events);
}

// The same stretch again, without an event: a loop.
static inline bool repeats(const struct wm_trace_item *last, const struct wm_warp_stretch *stretch)
{
    return last->first_pc == stretch->first_pc && last->count == stretch->count &&
           last->active == stretch->active && last->accesses == WM_TRACE_ONE_EACH &&
           last->event == WM_TRACE_NO_EVENT;
}

static inline bool stretches_equal(const struct wm_warp_stretch *a, const struct wm_warp_stretch *b)
{
    return a->first_pc == b->first_pc && a->count == b->count && a->active == b->active;
}

// Field by field: the item's were written in narrower stores just now.
static inline void remember(struct wm_recorder *recorder, const struct wm_warp_stretch *stretch)
{
    recorder->again.stretch.first_pc = stretch->first_pc;
    recorder->again.stretch.count = stretch->count;
    recorder->again.stretch.active = stretch->active;
    recorder->again.first = recorder->first_slot;
    recorder->again.next = recorder->next_slot;
}

// A stretch of one access each.
static void add_stretch(struct wm_recorder *recorder, const struct wm_warp_stretch *stretch)
{
    const struct wm_recorder_pending *pending =
        recorder->pending_count != 0 ? &recorder->pending[0] : NULL;
    bool alone = pending == NULL && repeats(&recorder->open->item, stretch);
    if (alone)
        recorder->open->repeats++;
    else
        alone = add_item(recorder, stretch, WM_TRACE_ONE_EACH, pending) && pending == NULL;
    if (alone)
        remember(recorder, stretch);
    forget_events(recorder);
}

// A stretch that is not the one before again.
static __attribute__((noinline)) void on_another_stretch(struct wm_recorder *recorder,
                                                         const struct wm_warp_stretch *stretch)
{
    if (recorder->encoder == NULL)
        return;
    recorder->again.next = NULL;
    // How often a test is made in vain depends on the order of warps: a replay has its own.
    struct wm_warp_stretch shorter;
    if (recorder->blocked && stretch->first_pc + stretch->count == recorder->blocked_pc + 1) {
        recorder->blocked = false;
        shorter = *stretch;
        if (--shorter.count == 0)
            return;
        stretch = &shorter;
    }
    if (recorder->memory_only || !is_one_each(recorder, stretch))
        add_items(recorder, stretch);
    else
        add_stretch(recorder, stretch);
}

static void on_stretch(void *context, const struct wm_warp_stretch *stretch)
{
    struct wm_recorder *recorder = context;
    if (recorder->next_slot == recorder->again.next &&
        recorder->expected_slot == recorder->next_slot &&
        recorder->first_slot == recorder->again.first &&
        stretches_equal(stretch, &recorder->again.stretch)) {
        recorder->open->repeats++;
        recorder->next_slot = recorder->expected_slot = recorder->first_slot;
    } else {
        on_another_stretch(recorder, stretch);
    }
}

const struct wm_access_sink wm_recorder_sink = {
    .access = on_access,
    .access_by_registers = on_access_by_registers,
    .arrival = on_arrival,
    .exit = on_lanes_exit,
    .cluster = on_cluster,
    .phase = on_phase,
    .stretch = on_stretch,
};

// --- Warps ---

void wm_recorder_warp_begin(struct wm_recorder *recorder, struct wm_recorder_block *block,
                            uint32_t warp)
{
    recorder->block = block;
    recorder->warp = warp;
    recorder->open = block != NULL ? &block->open[warp] : NULL;
    recorder->encoder = block != NULL ? &block->block->warps[warp] : NULL;
    // Without slots memory ran out: the encoder does not keep what it is given.
    if (recorder->encoder != NULL && recorder->encoder->slots == NULL)
        recorder->encoder = NULL;
    recorder->again.next = NULL;
    recorder->first_slot = &recorder->no_slot;
    if (recorder->encoder != NULL) {
        recorder->first_slot = recorder->encoder->slots;
        recorder->bytes_before = wm_warp_encoder_bytes(recorder->encoder);
        recorder->steps_before = recorder->encoder->steps;
    }
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
    struct wm_recorder_open *open = recorder->open;
    if (open->repeats >= TRIM_WARP_STEPS)
        close_repeats(open, recorder->encoder);
    struct wm_recorder_block *block = recorder->block;
    size_t bytes = wm_warp_encoder_bytes(recorder->encoder);
    uint64_t steps = recorder->encoder->steps;
    block->bytes += bytes - recorder->bytes_before;
    block->steps += steps - recorder->steps_before;
    if ((bytes >= TRIM_WARP_BYTES || steps >= TRIM_WARP_STEPS) &&
        wm_recording_is_chunk(block->bytes, block->steps)) {
        wm_recorder_items_flush(recorder, block);
        wm_recording_block_trim(recorder->writer, block->block);
        block->bytes = block->steps = 0;
    }
}
