#include "trace/warp/encoder.h"
#include "base/containers/array.h"
#include "trace/warp/shape_fields.h"

#include <stdlib.h>

void wm_warp_encoder_begin(struct wm_warp_encoder *encoder, uint32_t slots)
{
    encoder->control.length = encoder->data.length = 0;
    encoder->control_run = encoder->data_run = encoder->steps = 0;
    encoder->matches = wm_address_pattern_best();
    encoder->successors.known = 0;
    encoder->successors.last = (struct wm_trace_previous_item){0};
    if (slots != encoder->slot_count || encoder->slots == NULL) {
        free(encoder->slots);
        encoder->slots = calloc(slots + 1, sizeof *encoder->slots);
        encoder->slot_count = encoder->slots != NULL ? slots : 0;
        encoder->failed |= encoder->slots == NULL;
    } else {
        // Those that the chunk before met: programs of CPUs have many thousands.
        for (uint32_t i = 0; i < encoder->first_count; i++)
            encoder->slots[encoder->firsts[i].slot] = (struct wm_encoder_slot){0};
    }
    encoder->first_count = 0;
    encoder->shapes = 1;
}

void wm_warp_encoder_release(struct wm_warp_encoder *encoder)
{
    wm_bytes_release(&encoder->control);
    wm_bytes_release(&encoder->data);
    free(encoder->firsts);
    free(encoder->slots);
    *encoder = (struct wm_warp_encoder){0};
}

// --- Addresses ---

// Where lane 0 is, were it in a shape that has lane `lane` at `address`.
static inline uint64_t base_from(const struct wm_trace_shape *shape, uint32_t lane,
                                 uint64_t address)
{
    if (shape->row_shift == 0)
        return address - lane * shape->stride;
    uint32_t in_row = lane & ((1u << shape->row_shift) - 1);
    return address - in_row * shape->stride - (lane >> shape->row_shift) * shape->row_stride;
}

// Whether the lanes of the shape's mask lie as it says from `base` on.
static bool all_match(wm_address_pattern_function *matches, const void *registers,
                      size_t register_bytes, uint64_t offset, uint64_t base,
                      const struct wm_trace_shape *shape)
{
    uint32_t low = (uint32_t)shape->mask, high = (uint32_t)(shape->mask >> 32);
    if (high == 0)
        return matches(registers, offset, low, base, shape);
    if (low != 0 && !matches(registers, offset, low, base, shape))
        return false;
    base += shape->row_shift == 0 ? 32 * shape->stride
                                  : (UINT64_C(32) >> shape->row_shift) * shape->row_stride;
    return matches((const char *)registers + 32 * register_bytes, offset, high, base, shape);
}

static bool lies_so(const struct wm_warp_encoder *encoder, const uint64_t *addresses, uint64_t base,
                    const struct wm_trace_shape *shape)
{
    return all_match(encoder->matches->wide, addresses, sizeof *addresses, 0, base, shape);
}

// The stride between lanes of `mask`, which has two at least; false when the first two have none.
static bool stride_of(const uint64_t *addresses, uint64_t mask, uint64_t *stride)
{
    uint32_t first = (uint32_t)__builtin_ctzll(mask);
    uint32_t second = (uint32_t)__builtin_ctzll(mask & (mask - 1));
    int64_t apart = (int64_t)(addresses[second] - addresses[first]);
    int64_t lanes = (int64_t)second - (int64_t)first;
    *stride = (uint64_t)(apart / lanes);
    return apart % lanes == 0;
}

static bool same_but_lanes(const struct wm_trace_shape *shape, const struct wm_warp_access *access)
{
    return shape->space == (uint8_t)access->space && shape->kind == (uint8_t)access->kind &&
           shape->hint == (uint8_t)access->hint && shape->continues == access->continues &&
           shape->bytes_per_lane == access->bytes_per_lane;
}

// Rows of the lanes of a whole warp; false when there are none.
static bool find_rows(const struct wm_warp_encoder *encoder, const struct wm_warp_access *access,
                      struct wm_trace_shape *shape)
{
    const uint64_t *addresses = access->addresses;
    if (shape->mask != wm_all_lanes(access->lanes) || access->lanes < 4)
        return false;
    uint64_t stride = addresses[1] - addresses[0];
    uint32_t row = 2;
    while (row < access->lanes && addresses[row] == addresses[0] + row * stride)
        row++;
    if ((row & (row - 1)) != 0 || row == access->lanes)
        return false;
    shape->stride = stride;
    shape->row_shift = (uint8_t)__builtin_ctz(row);
    shape->row_stride = addresses[row] - addresses[0];
    if (lies_so(encoder, addresses, addresses[0], shape))
        return true;
    shape->row_shift = 0;
    shape->row_stride = 0;
    return false;
}

// The shape of an access and its base. A lone lane may lie in any stride: `expected` is taken.
static uint64_t shape_of(const struct wm_warp_encoder *encoder, const struct wm_warp_access *access,
                         uint64_t subtract, uint64_t expected, struct wm_trace_shape *shape)
{
    uint64_t mask = access->active;
    *shape = (struct wm_trace_shape){.mask = mask,
                                     .stride = expected,
                                     .space = (uint8_t)access->space,
                                     .kind = (uint8_t)access->kind,
                                     .hint = (uint8_t)access->hint,
                                     .continues = access->continues,
                                     .bytes_per_lane = (uint16_t)access->bytes_per_lane};
    uint32_t first = (uint32_t)__builtin_ctzll(mask);
    uint64_t address = access->addresses[first];
    if ((mask & (mask - 1)) != 0) {
        if (stride_of(access->addresses, mask, &shape->stride) &&
            lies_so(encoder, access->addresses, address - first * shape->stride, shape))
            return address - first * shape->stride - subtract;
        if (!find_rows(encoder, access, shape)) {
            shape->stride = expected;
            shape->irregular = true;
            return address - subtract;
        }
    }
    return address - first * shape->stride - subtract;
}

// --- The data string ---

static void flush_data(struct wm_warp_encoder *encoder)
{
    if (encoder->data_run != 0)
        wm_bytes_put_number(&encoder->data, encoder->data_run << 2);
    encoder->data_run = 0;
}

static void put_lanes(struct wm_warp_encoder *encoder, const struct wm_warp_access *access)
{
    struct wm_bytes *data = &encoder->data;
    if (!wm_bytes_reserve(data, WM_MAX_LANES * WM_MOST_VARINT_BYTES))
        return;
    uint8_t *at = data->data + data->length;
    uint64_t rest = access->active, before = access->addresses[__builtin_ctzll(rest)];
    for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
        uint64_t address = access->addresses[__builtin_ctzll(rest)];
        at = wm_varint_write(at, wm_zigzag(address - before));
        before = address;
    }
    data->length = (size_t)(at - data->data);
}

static void put_first(struct wm_warp_encoder *encoder, uint32_t slot, uint64_t base,
                      const struct wm_trace_shape *shape)
{
    if (!WM_ARRAY_ADD(encoder->firsts, encoder->first_count, encoder->first_capacity,
                      {.slot = slot, .base = base, .shape = *shape})) {
        encoder->failed = true;
        return;
    }
    wm_bytes_put_number(&encoder->data, WM_TRACE_FIRST);
}

static void put_shape(struct wm_bytes *data, const struct wm_trace_shape *old,
                      const struct wm_trace_shape *new)
{
    bool mask = new->mask != old->mask, stride = new->stride != old->stride;
    bool words = new->space != old->space || new->kind != old->kind || new->hint != old->hint ||
                 new->continues != old->continues || new->bytes_per_lane != old->bytes_per_lane;
    bool rows = new->row_shift != 0;
    wm_bytes_put_number(data, (uint64_t) new->irregular | (uint64_t)mask << 1 |
                                  (uint64_t)stride << 2 | (uint64_t)words << 3 |
                                  (uint64_t)rows << 4);
    if (mask)
        wm_bytes_put_number(data, new->mask ^ old->mask);
    if (stride)
        wm_bytes_put_signed(data, new->stride - old->stride);
    wm_trace_rows_put(data, new);
    if (words)
        wm_trace_words_put(data, new);
}

void wm_warp_encoder_step(struct wm_warp_encoder *encoder, struct wm_encoder_slot *slot,
                          uint64_t base)
{
    flush_data(encoder);
    slot->step = base - slot->base;
    slot->base = base;
    if (!wm_bytes_reserve(&encoder->data, 1 + WM_MOST_VARINT_BYTES))
        return;
    uint8_t *at = encoder->data.data + encoder->data.length;
    *at++ = 1;
    at = wm_varint_write(at, wm_zigzag(slot->step));
    encoder->data.length = (size_t)(at - encoder->data.data);
}

static __attribute__((noinline)) void put_access(struct wm_warp_encoder *encoder,
                                                 uint32_t slot_index,
                                                 const struct wm_warp_access *access,
                                                 uint64_t subtract)
{
    struct wm_encoder_slot *slot = &encoder->slots[slot_index];
    struct wm_trace_shape shape;
    uint64_t base = shape_of(encoder, access, subtract, slot->shape.stride, &shape);
    flush_data(encoder);
    slot->instruction = NULL;
    if (!slot->seen) {
        put_first(encoder, slot_index, base, &shape);
        slot->step = 0;
        slot->seen = 1;
        encoder->shapes++;
    } else {
        bool same = wm_trace_shape_equal(&shape, &slot->shape);
        encoder->shapes += !same;
        wm_bytes_put_number(&encoder->data, same ? 1 : 2);
        if (!same)
            put_shape(&encoder->data, &slot->shape, &shape);
        slot->step = base - slot->base;
        wm_bytes_put_signed(&encoder->data, slot->step);
    }
    if (shape.irregular)
        put_lanes(encoder, access);
    slot->base = base;
    slot->shape = shape;
}

void wm_warp_encoder_access(struct wm_warp_encoder *encoder, uint32_t slot_index,
                            const struct wm_warp_access *access, uint64_t subtract)
{
    if (encoder->failed)
        return;
    struct wm_encoder_slot *slot = &encoder->slots[slot_index];
    const struct wm_trace_shape *shape = &slot->shape;
    if (slot->seen && shape->mask == access->active && !shape->irregular &&
        same_but_lanes(shape, access)) {
        uint32_t first = (uint32_t)__builtin_ctzll(access->active);
        uint64_t base = base_from(shape, first, access->addresses[first]);
        if (lies_so(encoder, access->addresses, base, shape)) {
            wm_warp_encoder_base(encoder, slot, base - subtract);
            return;
        }
    }
    put_access(encoder, slot_index, access, subtract);
}

void wm_warp_encoder_by_addresses(struct wm_warp_encoder *encoder, struct wm_encoder_slot *slot,
                                  const struct wm_memory_instruction *instruction,
                                  const void *registers, uint64_t active)
{
    uint64_t addresses[WM_MAX_LANES];
    struct wm_warp_access access =
        wm_access_of_instruction(instruction, registers, active, addresses);
    wm_warp_encoder_access(encoder, (uint32_t)(slot - encoder->slots), &access, 0);
    slot->alike_since = 0;
    if (!slot->shape.irregular)
        slot->instruction = instruction;
}

void wm_warp_encoder_by_registers(struct wm_warp_encoder *encoder, uint32_t slot_index,
                                  uint32_t like, const struct wm_memory_instruction *instruction,
                                  const void *registers, uint64_t active)
{
    if (encoder->failed)
        return;
    struct wm_encoder_slot *slot = &encoder->slots[slot_index];
    slot->like = like & INT32_MAX;
    if (wm_warp_encoder_knows(slot, instruction, active))
        wm_warp_encoder_known(encoder, slot, instruction, registers, WM_HALF_WARPS_UNKNOWN);
    else
        wm_warp_encoder_by_addresses(encoder, slot, instruction, registers, active);
}

static bool is_alike(const struct wm_encoder_slot *slot, const struct wm_encoder_slot *like)
{
    const struct wm_trace_shape *shape = &slot->shape, *other = &like->shape;
    return like != slot && like->seen && !other->irregular && other->mask == shape->mask &&
           other->space == shape->space && other->stride == shape->stride &&
           other->row_shift == shape->row_shift && other->row_stride == shape->row_stride;
}

void wm_warp_encoder_lanes(struct wm_warp_encoder *encoder, struct wm_encoder_slot *slot,
                           const struct wm_encoder_slot *like,
                           const struct wm_memory_instruction *instruction, const void *registers)
{
    const struct wm_trace_shape *shape = &slot->shape;
    if (is_alike(slot, like)) {
        slot->alike_since = encoder->shapes;
        wm_warp_encoder_base(encoder, slot, like->base + instruction->apart);
        return;
    }
    uint32_t first = (uint32_t)__builtin_ctzll(shape->mask);
    const uint32_t *words = registers;
    const uint64_t *addresses = registers;
    uint64_t address = instruction->narrow
                           ? (uint32_t)(words[first] + (uint32_t)instruction->offset)
                           : addresses[first] + instruction->offset;
    uint64_t base = base_from(shape, first, address);
    if (all_match(instruction->narrow ? encoder->matches->narrow : encoder->matches->wide,
                  registers, instruction->narrow ? sizeof *words : sizeof *addresses,
                  instruction->offset, base, shape))
        wm_warp_encoder_base(encoder, slot, base);
    else
        wm_warp_encoder_by_addresses(encoder, slot, instruction, registers, shape->mask);
}

// --- The control string ---

static void flush_control(struct wm_warp_encoder *encoder)
{
    if (encoder->control_run != 0)
        wm_bytes_put_number(&encoder->control, encoder->control_run << 1);
    encoder->control_run = 0;
}

static void put_item(struct wm_bytes *control, const struct wm_trace_previous_item *last,
                     const struct wm_trace_item *item)
{
    enum { MOST_NUMBERS = 10 };
    bool unusual = item->accesses != WM_TRACE_ONE_EACH, skips = item->skipped != 0;
    if (!wm_bytes_reserve(control, (size_t)MOST_NUMBERS * WM_MOST_VARINT_BYTES))
        return;
    uint8_t *at = control->data + control->length;
    at = wm_varint_write(at, 1 | (uint64_t)item->event << 1 | (uint64_t)unusual << 3 |
                                 (uint64_t)skips << 4);
    at = wm_varint_write(at,
                         wm_zigzag((uint64_t)((int64_t)item->first_pc -
                                              ((int64_t)last->first_pc + (int64_t)last->count))));
    at = wm_varint_write(at, item->count);
    at = wm_varint_write(at, item->active ^ last->active);
    if (unusual)
        at = wm_varint_write(at, item->accesses ^ WM_TRACE_ONE_EACH);
    if (skips) {
        at = wm_varint_write(at, item->skipped);
        at = wm_varint_write(at, item->skipped_lanes);
    }
    if (item->event == WM_TRACE_ARRIVAL) {
        at = wm_varint_write(at, item->barrier | (uint64_t)item->waits << 4 |
                                     (uint64_t)item->others << 5);
        at = wm_varint_write(at, item->threads);
    }
    if (item->event == WM_TRACE_PHASE) {
        at = wm_varint_write(at, item->barrier);
        at = wm_varint_write(at, item->threads);
    }
    if (item->event != WM_TRACE_NO_EVENT)
        at = wm_varint_write(at, item->lanes ^ item->active);
    control->length = (size_t)(at - control->data);
}

static __attribute__((noinline)) void put_unexpected(struct wm_warp_encoder *encoder, uint32_t key,
                                                     const struct wm_trace_item *item)
{
    struct wm_trace_successors *successors = &encoder->successors;
    flush_control(encoder);
    put_item(&encoder->control, &successors->last, item);
    successors->items[key] = *item;
    successors->known |= UINT32_C(1) << key;
}

void wm_warp_encoder_item(struct wm_warp_encoder *encoder, const struct wm_trace_item *item)
{
    struct wm_trace_successors *successors = &encoder->successors;
    uint32_t key = wm_trace_key(&successors->last);
    if ((successors->known >> key & 1) != 0 && wm_trace_item_equal(&successors->items[key], item))
        encoder->control_run++;
    else
        put_unexpected(encoder, key, item);
    encoder->steps += wm_trace_steps(item);
    successors->last = wm_trace_previous_item_of(item);
}

void wm_warp_encoder_items(struct wm_warp_encoder *encoder, const struct wm_trace_item *item,
                           uint64_t times)
{
    wm_warp_encoder_item(encoder, item);
    if (times == 1)
        return;
    // The second one has what follows such an item, if that was not known.
    wm_warp_encoder_item(encoder, item);
    encoder->control_run += times - 2;
    encoder->steps += (times - 2) * wm_trace_steps(item);
}

void wm_warp_encoder_end(struct wm_warp_encoder *encoder)
{
    flush_control(encoder);
    flush_data(encoder);
    encoder->failed |= encoder->control.failed || encoder->data.failed;
}
