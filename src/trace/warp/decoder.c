#include "trace/warp/decoder.h"

#include "base/containers/array.h"
#include "trace/warp/lane_numbers.h"
#include "trace/warp/shape_fields.h"

#include <assert.h>
#include <stdlib.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void begin_items(struct wm_warp_decoder *decoder, const struct wm_warp_part *part)
{
    decoder->control = part->control;
    if (part->plan != NULL) {
        decoder->planned = part->plan->items;
        decoder->planned_left = part->plan->count;
        decoder->control.at = decoder->control.end; // nothing is left of it
        decoder->steps_left = 0;
        return;
    }
    decoder->planned_left = 0;
    decoder->steps_left = part->steps;
    decoder->known = 0;
    decoder->last = (struct wm_trace_previous_item){0};
}

void wm_warp_decoder_begin(struct wm_warp_decoder *decoder, const struct wm_warp_part *part)
{
    decoder->data = part->data;
    decoder->firsts = part->firsts;
    decoder->shapes = part->shapes;
    decoder->firsts_left = part->first_count;
    decoder->control_run = decoder->data_run = 0;
    decoder->once = part->plan != NULL && part->plan->once;
    begin_items(decoder, part);
    if (++decoder->chunk != 0)
        return;
    for (uint32_t i = 0; i < decoder->slot_count; i++)
        decoder->slots[i].seen_in = 0;
    decoder->chunk = 1;
}

// --- Items ---

static void read_phase(struct wm_cursor *control, uint32_t lanes, struct wm_trace_item *item)
{
    uint32_t most = wm_trace_phase_word(WM_PHASE_RECORDED - 1, WM_MOST_MBARRIERS - 1);
    item->barrier = (uint32_t)wm_cursor_number_to(control, most);
    item->threads = (uint32_t)wm_cursor_number_to(control, UINT32_MAX);
    enum wm_phase_operation operation = wm_trace_phase_operation(item->barrier);
    bool of_core = wm_trace_phase_of_core(operation);
    if (of_core)
        control->bad |= item->count != 0 || lanes != 1;
    if (wm_trace_phase_of_cluster(operation) || (of_core && operation != WM_PHASE_FOLLOWS))
        control->bad |= wm_trace_phase_object(item->barrier) != 0;
    bool of_command = operation == WM_PHASE_ISSUES || operation == WM_PHASE_AWAITS;
    if (wm_trace_phase_of_cluster(operation) || operation == WM_PHASE_FENCE ||
        operation == WM_PHASE_TURN_END)
        control->bad |= item->threads != 0;
    else if (of_command)
        control->bad |= item->threads == 0;
}

static void read_event(struct wm_cursor *control, uint32_t lanes, struct wm_trace_item *item)
{
    if (item->event == WM_TRACE_NO_EVENT)
        return;
    if (item->event == WM_TRACE_ARRIVAL) {
        uint64_t word = wm_cursor_number_to(control, 63);
        item->barrier = word & 15;
        item->waits = (word >> 4 & 1) != 0;
        item->others = (word >> 5 & 1) != 0;
        item->threads = (uint32_t)wm_cursor_number_to(control, UINT32_MAX);
    } else if (item->event == WM_TRACE_PHASE) {
        read_phase(control, lanes, item);
    }
    item->lanes = wm_cursor_number(control) ^ item->active;
}

// Returns what the item after it is encoded relative to: not read from `item` again, where loads
// would wait for the stores.
static struct wm_trace_previous_item read_item(struct wm_warp_decoder *decoder, uint64_t token,
                                               struct wm_trace_item *item)
{
    struct wm_cursor *control = &decoder->control;
    const struct wm_trace_previous_item *last = &decoder->last;
    *item = (struct wm_trace_item){.accesses = WM_TRACE_ONE_EACH,
                                   .event = (enum wm_trace_event)(token >> 1 & 3)};
    uint64_t pc = last->first_pc + (uint64_t)last->count + wm_cursor_signed(control);
    uint64_t count = wm_cursor_number(control), most = decoder->instruction_count;
    bool nothing = count == 0 && item->event < WM_TRACE_EXIT;
    control->bad |= token > 31 || pc >= most || nothing || count > most - pc;
    uint64_t active = wm_cursor_number(control) ^ last->active;
    item->first_pc = (uint32_t)pc;
    item->count = (uint32_t)count;
    item->active = active;
    if ((token >> 3 & 1) != 0)
        item->accesses ^= wm_cursor_number(control);
    if ((token >> 4 & 1) != 0) {
        item->skipped = wm_cursor_number(control);
        item->skipped_lanes = wm_cursor_number(control);
        control->bad |= item->skipped == 0 || item->skipped > WM_TRACE_MOST_SKIPPED ||
                        item->skipped_lanes > item->skipped * decoder->lanes;
    }
    read_event(control, decoder->lanes, item);
    control->bad |= ((active | item->lanes) & ~wm_all_lanes(decoder->lanes)) != 0;
    return (struct wm_trace_previous_item){
        .first_pc = (uint32_t)pc, .count = (uint32_t)count, .active = active};
}

// Takes the item's steps off those that are left; NULL when there are too few.
static const struct wm_trace_item *take_steps(struct wm_warp_decoder *decoder,
                                              const struct wm_trace_item *item)
{
    uint64_t steps = wm_trace_steps(item);
    decoder->control.bad |= steps > decoder->steps_left;
    decoder->steps_left -= steps;
    return decoder->control.bad ? NULL : item;
}

const struct wm_trace_item *wm_warp_decoder_read_item(struct wm_warp_decoder *decoder)
{
    struct wm_cursor *control = &decoder->control;
    if (decoder->control_run == 0 && (control->at == control->end || control->bad)) {
        control->bad |= decoder->steps_left != 0;
        return NULL;
    }
    uint32_t key = wm_trace_key(&decoder->last);
    struct wm_trace_item *item = &decoder->successors[key];
    if (decoder->control_run == 0) {
        uint64_t token = wm_cursor_number(control);
        if ((token & 1) != 0) {
            struct wm_trace_previous_item last = read_item(decoder, token, item);
            if (control->bad)
                return NULL;
            decoder->known |= (uint16_t)(1u << key);
            decoder->last = last;
            return take_steps(decoder, item);
        }
        decoder->control_run = token >> 1;
        control->bad |= decoder->control_run == 0;
    }
    control->bad |= (decoder->known >> key & 1) == 0;
    if (control->bad)
        return NULL;
    decoder->control_run--;
    decoder->last = wm_trace_previous_item_of(item);
    return take_steps(decoder, item);
}

bool wm_warp_decoder_item(struct wm_warp_decoder *decoder, struct wm_trace_item *item)
{
    const struct wm_trace_item *next = wm_warp_decoder_next(decoder);
    if (next != NULL)
        *item = *next;
    return next != NULL;
}

// Whether an item that begins at `end` or behind it makes at most one access an instruction.
static bool is_once(const struct wm_trace_item *item, uint64_t end)
{
    return item->first_pc >= end && (item->accesses & ~WM_TRACE_ONE_EACH) == 0;
}

struct wm_trace_plan *wm_trace_plan_new(const struct wm_warp_decoder *decoder,
                                        const struct wm_warp_part *part, uint32_t most)
{
    struct wm_trace_plan *plan = malloc(sizeof *plan + most * sizeof *plan->items);
    struct wm_trace_item successors[WM_TRACE_KEYS];
    struct wm_warp_decoder reads = {.successors = successors,
                                    .instruction_count = decoder->instruction_count,
                                    .lanes = decoder->lanes};
    const struct wm_trace_item *item;
    if (plan == NULL)
        return NULL;
    begin_items(&reads, part);
    plan->count = 0;
    plan->steps = part->steps;
    plan->once = true;
    for (uint64_t end = 0; (item = wm_warp_decoder_next(&reads)) != NULL && plan->count < most;) {
        plan->items[plan->count++] = *item;
        plan->once &= is_once(item, end);
        end = item->first_pc + (uint64_t)item->count;
    }
    if (item != NULL || reads.control.bad) {
        free(plan);
        return NULL;
    }
    struct wm_trace_plan *fitting =
        wm_array_resize(plan, 1, sizeof *plan + plan->count * sizeof *plan->items);
    return fitting != NULL ? fitting : plan;
}

// --- Accesses ---

static void read_shape(struct wm_cursor *data, struct wm_trace_shape *shape)
{
    uint64_t flags = wm_cursor_number_to(data, 31);
    shape->irregular = (flags & 1) != 0;
    if ((flags & 2) != 0)
        shape->mask ^= wm_cursor_number(data);
    if ((flags & 4) != 0)
        shape->stride += wm_cursor_signed(data);
    bool rows = (flags & 16) != 0;
    wm_trace_rows_read(data, rows, shape);
    data->bad |= rows && shape->irregular;
    if ((flags & 8) != 0)
        wm_trace_words_read(data, shape);
}

static void read_first(struct wm_warp_decoder *decoder, uint32_t index,
                       struct wm_decoder_slot *slot)
{
    const struct wm_decoded_first *first = decoder->firsts;
    if (decoder->firsts_left == 0 || first->slot != index || slot->seen_in == decoder->chunk) {
        decoder->data.bad = true;
        return;
    }
    decoder->firsts++;
    decoder->firsts_left--;
    slot->base = first->base;
    slot->step = 0;
    slot->shape = decoder->shapes[first->shape];
    slot->seen_in = decoder->once ? 0 : decoder->chunk; // no chunk is 0
}

static void read_access(struct wm_warp_decoder *decoder, uint32_t index, uint64_t token,
                        struct wm_decoder_slot *slot)
{
    struct wm_cursor *data = &decoder->data;
    if (token == WM_TRACE_FIRST) {
        read_first(decoder, index, slot);
        return;
    }
    data->bad |= token > WM_TRACE_FIRST || slot->seen_in != decoder->chunk;
    if (token == 2)
        read_shape(data, &slot->shape);
    slot->step = wm_cursor_signed(data);
    slot->base += slot->step;
}

static uint64_t next_ends(const struct wm_cursor *data)
{
    uint64_t bytes;
    memcpy(&bytes, data->at, sizeof bytes);
    return ~bytes & WM_NUMBER_ENDS;
}

enum { WINDOW = 32 }; // bytes of which all numbers' ends are found at once

// Bit i: a number ends with byte i of the window.
static inline uint32_t ends_in_window(const uint8_t *window)
{
#if defined(__SSE2__)
    const __m128i *at = (const __m128i *)(const void *)window;
    return ~((uint32_t)_mm_movemask_epi8(_mm_loadu_si128(at)) |
             (uint32_t)_mm_movemask_epi8(_mm_loadu_si128(at + 1)) << 16);
#else
    uint32_t found = 0;
    for (uint32_t at = 0; at < WINDOW; at += 8) {
        uint64_t bytes;
        memcpy(&bytes, window + at, sizeof bytes);
        found |= wm_number_ends(bytes) << at;
    }
    return found;
#endif
}

// Where the lanes' addresses are read to.
struct lanes {
    uint64_t rest, address; // those without one yet; the address of the one before
    uint64_t *addresses;
};

static inline void put_lane(struct lanes *lanes, uint64_t number)
{
    lanes->address += wm_unzigzag(number);
    lanes->addresses[__builtin_ctzll(lanes->rest)] = lanes->address;
    lanes->rest &= lanes->rest - 1;
}

// The numbers of at most 8 bytes that end in the window, where 8 bytes more may be read. What is
// next is found from the ends alone: it does not wait for the number before.
static void read_window(struct wm_cursor *data, struct lanes *lanes)
{
    uint32_t ends = ends_in_window(data->at), from = 0;
    for (; ends != 0 && lanes->rest != 0; ends &= ends - 1) {
        uint32_t end = (uint32_t)__builtin_ctz(ends) + 1;
        uint64_t bytes;
        if (__builtin_expect(end - from > sizeof bytes, 0))
            break;
        memcpy(&bytes, data->at + from, sizeof bytes);
        put_lane(lanes, wm_number_in(bytes, UINT64_C(0x80) << 8 * (end - from - 1)));
        from = end;
    }
    data->at += from;
    if (from == 0)
        put_lane(lanes, wm_cursor_number(data));
}

static void read_lanes(struct wm_cursor *data, const struct wm_decoder_slot *slot,
                       uint64_t *addresses)
{
    wm_lane_numbers_function *all = wm_lane_numbers_best();
    if (all != NULL && all(data, slot->shape.mask, slot->base, addresses))
        return;
    struct lanes lanes = {.rest = slot->shape.mask, .address = slot->base, .addresses = addresses};
    put_lane(&lanes, 0);
    while (lanes.rest != 0) {
        // Neighbours are near each other: often the next 8 numbers are of one byte each.
        if (wm_cursor_left(data) >= 8 && __builtin_popcountll(lanes.rest) >= 8 &&
            next_ends(data) == WM_NUMBER_ENDS) {
            for (int i = 0; i < 8; i++)
                put_lane(&lanes, data->at[i]);
            data->at += 8;
        } else if (wm_cursor_left(data) >= WINDOW + sizeof(uint64_t)) {
            read_window(data, &lanes);
        } else {
            put_lane(&lanes, wm_cursor_any_number(data));
        }
    }
}

// As many numbers as the lanes after the first have.
static void skip_lanes(struct wm_cursor *data, uint64_t mask)
{
    uint32_t left = (uint32_t)__builtin_popcountll(mask) - 1;
    for (; left >= 8 && wm_cursor_left(data) >= 8; data->at += 8)
        left -= (uint32_t)((next_ends(data) >> 7) * UINT64_C(0x0101010101010101) >> 56);
    for (; left > 0 && !data->bad; left--)
        wm_cursor_number(data);
}

bool wm_warp_decoder_regular(struct wm_warp_decoder *decoder, uint32_t index,
                             struct wm_warp_access *access, uint64_t *addresses)
{
    struct wm_cursor *data = &decoder->data;
    struct wm_decoder_slot *slot = &decoder->slots[index];
    bool has_token = false;
    if (decoder->data_run == 0) {
        uint64_t token = wm_cursor_number(data);
        has_token = (token & 3) != 0;
        if (has_token)
            read_access(decoder, index, token, slot);
        else
            decoder->data_run = token >> 2;
        data->bad |= !has_token && decoder->data_run == 0;
    }
    if (!has_token) {
        data->bad |= slot->seen_in != decoder->chunk || slot->shape.irregular;
        decoder->data_run--;
        slot->base += slot->step;
    }
    const struct wm_trace_shape *shape = &slot->shape;
    data->bad |= shape->mask == 0 || (shape->mask & ~wm_all_lanes(decoder->lanes)) != 0 ||
                 shape->bytes_per_lane == 0;
    if (data->bad)
        return false;
    bool atomic = shape->kind == WM_ACCESS_ATOMIC || shape->kind == WM_ACCESS_REDUCTION;
    bool skips = shape->space == WM_SPACE_SHARED && !atomic && decoder->skips_shared;
    if (shape->irregular && skips)
        skip_lanes(data, shape->mask);
    else if (shape->irregular)
        read_lanes(data, slot, addresses);
    access->kind = (enum wm_access_kind)shape->kind;
    access->space = (enum wm_address_space)shape->space;
    access->hint = (enum wm_cache_hint)shape->hint;
    access->bytes_per_lane = shape->bytes_per_lane;
    access->continues = shape->continues;
    access->lanes = decoder->lanes;
    access->active = shape->mask;
    access->addresses = shape->irregular ? addresses : NULL;
    access->base = slot->base;
    access->stride = shape->stride;
    access->row_stride = shape->row_stride;
    access->row_shift = shape->row_shift;
    return !data->bad;
}

bool wm_warp_decoder_access(struct wm_warp_decoder *decoder, uint32_t index,
                            struct wm_warp_access *access, uint64_t *addresses)
{
    assert(!decoder->skips_shared);
    if (!wm_warp_decoder_regular(decoder, index, access, addresses))
        return false;
    if (access->addresses == NULL)
        wm_access_expand(access, addresses);
    access->addresses = addresses;
    return true;
}
