// Local memory: see local_ops.h. It is interleaved in words of 4 bytes, a word of each lane after
// the other; an element of 8 bytes is two of them, a row apart.
#include "exec/operations/local_ops.h"

#include "exec/memory/spaces.h"
#include "exec/operations/memory_ops.h"

struct element {
    unsigned bytes, shift; // shift: of a narrow one in its word
    uint32_t ones;         // its bits, from the lowest
    bool sign_extend;
    uint32_t kept; // bits of the register that a load fills
};

static inline uint32_t taken(uint32_t word, const struct element *element)
{
    uint32_t value = word >> element->shift & element->ones;
    if (element->sign_extend) {
        unsigned unused = 32 - 8 * element->bytes;
        value = (uint32_t)((int32_t)(value << unused) >> unused);
    }
    return value & element->kept;
}

static inline uint32_t put(uint32_t word, uint32_t value, const struct element *element)
{
    uint32_t bits = element->ones << element->shift;
    return (word & ~bits) | (value << element->shift & bits);
}

// The words of all lanes at one offset, as in the spills that most local accesses are.
static void move_row(uint32_t *row, uint32_t *values, const struct element *element, bool store,
                     uint64_t lanes, unsigned width)
{
    bool all = lanes == wm_all_lanes(width);
    if (all && element->bytes == 4) {
        memcpy(store ? row : values, store ? values : row, width * sizeof(*row));
    } else if (store) {
        for (unsigned lane = 0; lane < width; lane++)
            row[lane] = lanes >> lane & 1 ? put(row[lane], values[lane], element) : row[lane];
    } else {
        for (unsigned lane = 0; lane < width; lane++)
            values[lane] = lanes >> lane & 1 ? taken(row[lane], element) : values[lane];
    }
}

static void move_wide_row(uint32_t *row, uint64_t *values, bool store, uint64_t lanes,
                          unsigned width)
{
    uint32_t *high = row + width;
    for (unsigned lane = 0; lane < width; lane++) {
        bool active = lanes >> lane & 1;
        uint64_t old = row[lane] | (uint64_t)high[lane] << 32;
        if (store) {
            row[lane] = active ? (uint32_t)values[lane] : row[lane];
            high[lane] = active ? (uint32_t)(values[lane] >> 32) : high[lane];
        } else {
            values[lane] = active ? old : values[lane];
        }
    }
}

// Lanes at offsets of their own.
static void move_lanes(struct wm_warp *warp, char *first, void *values, unsigned part,
                       const struct wm_memory_form *form, struct element *element, uint64_t lanes)
{
    unsigned width = wm_width(warp);
    bool store = form->kind == WM_ACCESS_STORE;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t offset = warp->addresses[lane] + part;
        uint32_t *word = (uint32_t *)(void *)(first + (offset >> 2) * 4 * width) + lane;
        uint64_t *wide = (uint64_t *)values + lane;
        uint32_t *narrow = (uint32_t *)values + lane;
        element->shift = 8 * (unsigned)(offset & 3);
        if (element->bytes == 8 && store) {
            word[0] = (uint32_t)*wide;
            word[width] = (uint32_t)(*wide >> 32);
        } else if (element->bytes == 8) {
            *wide = word[0] | (uint64_t)word[width] << 32;
        } else if (store) {
            *word = put(*word, form->wide_value ? (uint32_t)*wide : *narrow, element);
        } else if (form->wide_value) {
            uint32_t value = taken(*word, element);
            *wide = element->sign_extend ? (uint64_t)(int64_t)(int32_t)value : value;
        } else {
            *narrow = taken(*word, element);
        }
    }
}

static bool same_offset(const struct wm_warp *warp, uint64_t lanes)
{
    uint64_t first = warp->addresses[__builtin_ctzll(lanes)], differ = 0;
    for (unsigned lane = 0; lane < wm_width(warp); lane++)
        differ |= (warp->addresses[lane] ^ first) & -(lanes >> lane & 1);
    return differ == 0;
}

// wm_local_reported of all lanes, in loops of vectors.
struct local_rows {
    unsigned width;
    uint64_t base, apart, within; // of lane 0's first byte; from lane to lane; bits within a word
};

static struct local_rows rows_of(const struct wm_warp *warp, uint32_t bytes)
{
    return (struct local_rows){.width = wm_width(warp),
                               .base = wm_local_reported(warp, 0, 0, bytes),
                               .apart = bytes <= 4 ? 4 : bytes,
                               .within = bytes <= 4 ? 3 : 0};
}

static inline uint64_t reported(const struct local_rows *rows, unsigned lane, uint64_t offset)
{
    return rows->base + (offset >> 2) * 4 * rows->width + lane * rows->apart +
           (offset & rows->within);
}

static void report_addresses(struct wm_warp *warp, uint32_t bytes)
{
    struct local_rows rows = rows_of(warp, bytes);
    for (unsigned lane = 0; lane < rows.width; lane++)
        warp->addresses[lane] = reported(&rows, lane, warp->addresses[lane]);
}

void wm_local_access(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes)
{
    const struct wm_memory_form *form = op->memory;
    unsigned width = wm_width(warp), bytes = form->element_bytes;
    bool store = form->kind == WM_ACCESS_STORE, row = same_offset(warp, lanes);
    uint64_t offset = warp->addresses[__builtin_ctzll(lanes)];
    char *first = wm_local_word(warp, 0, 0);
    struct element element = {.bytes = bytes,
                              .ones = bytes >= 4 ? UINT32_MAX : (UINT32_C(1) << 8 * bytes) - 1,
                              .sign_extend = form->sign_extend,
                              .kept = (uint32_t)form->value_mask};
    for (unsigned e = 0; e < form->element_count; e++) {
        if (form->values[e] == WM_NO_OP)
            continue;
        void *values = wm_at(warp, form->values[e]);
        uint64_t at = offset + (uint64_t)e * bytes;
        uint32_t *words = (uint32_t *)(void *)(first + (at >> 2) * 4 * width);
        element.shift = 8 * (unsigned)(at & 3);
        if (row && bytes == 8)
            move_wide_row(words, values, store, lanes, width);
        else if (row && !form->wide_value)
            move_row(words, values, &element, store, lanes, width);
        else
            move_lanes(warp, first, values, e * bytes, form, &element, lanes);
    }
    if (warp->sink)
        report_addresses(warp, form->bytes);
}

static uint64_t offset_of(const struct wm_warp *warp, const struct wm_memory_form *form)
{
    return (uint64_t)form->offset + (form->frame_relative ? warp->local_base : 0);
}

static uint64_t first_offset(const struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    const void *registers = wm_at(warp, op->a);
    unsigned first = (unsigned)__builtin_ctzll(warp->mask);
    uint64_t offset = offset_of(warp, form);
    return form->wide_address ? ((const uint64_t *)registers)[first] + offset
                              : (uint32_t)(((const uint32_t *)registers)[first] + (uint32_t)offset);
}

// wm_spaces_addresses and report_addresses in one.
static void report_registers(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    const uint64_t *wide = wm_at(warp, op->a);
    const uint32_t *narrow = wm_at(warp, op->a);
    uint64_t offset = offset_of(warp, form);
    struct local_rows rows = rows_of(warp, form->bytes);
    for (unsigned lane = 0; form->wide_address && lane < rows.width; lane++)
        warp->addresses[lane] = reported(&rows, lane, wide[lane] + offset);
    for (unsigned lane = 0; !form->wide_address && lane < rows.width; lane++)
        warp->addresses[lane] = reported(&rows, lane, (uint32_t)(narrow[lane] + (uint32_t)offset));
}

// Reports a fast move to the sink, with its address registers as they were. Lanes at one place are
// reported one behind the other.
static __attribute__((noinline)) const struct wm_op *report_move(struct wm_warp *warp,
                                                                 const struct wm_op *op, bool same)
{
    const struct wm_memory_form *form = op->memory;
    struct wm_warp_access access = {.kind = form->kind,
                                    .space = WM_SPACE_LOCAL,
                                    .hint = form->hint,
                                    .pc = op->pc,
                                    .bytes_per_lane = form->bytes,
                                    .lanes = wm_width(warp),
                                    .active = warp->mask};
    if (same && warp->sink->accepts_strided) {
        access.base = wm_local_reported(warp, 0, first_offset(warp, op), form->bytes);
        access.stride = form->bytes <= 4 ? 4 : form->bytes;
    } else {
        report_registers(warp, op);
        access.addresses = warp->addresses;
    }
    warp->sink->access(warp->sink->context, &access);
    if (!warp->stop_at_memory)
        return op + 1;
    warp->next = op + 1;
    return NULL;
}

const struct wm_op *wm_run_move_local(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    if (warp->sink ? !form->keeps_address : warp->stop_at_memory)
        return wm_run_memory(warp, op);
    struct wm_move_range range = {.size_bytes = warp->grid->local_bytes_per_thread,
                                  .host = wm_local_word(warp, 0, 0)};
    int64_t offset = op->offset + (form->frame_relative ? warp->local_base : 0);
    void *rows[WM_MAX_VECTOR], *data = wm_at(warp, op->d);
    for (unsigned e = 0; e < form->element_count; e++)
        rows[e] = wm_at(warp, form->values[e]);
    if (form->element_count > 1)
        data = rows;
    uint32_t moved = op->move(data, wm_at(warp, op->a), offset, (uint32_t)warp->mask, &range);
    if (moved == 0)
        return wm_run_memory(warp, op);
    warp->spins += form->spins;
    return warp->sink ? report_move(warp, op, moved == 1 + WM_HALF_WARPS_UNIFORM) : op + 1;
}
