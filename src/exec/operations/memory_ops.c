// Loads, stores and their reports: see memory_ops.h.
#include "exec/operations/memory_ops.h"

#include "exec/frames.h"
#include "exec/memory/spaces.h"
#include "exec/operations/atomics.h"
#include "exec/operations/local_ops.h"

static enum wm_address_space reported_space(wm_ptx_space space)
{
    switch ((int)space) {
    case WM_PTX_shared: return WM_SPACE_SHARED;
    case WM_PTX_local: return WM_SPACE_LOCAL;
    case WM_PTX_const: return WM_SPACE_CONSTANT;
    default: return WM_SPACE_GLOBAL;
    }
}

bool wm_memory_report(struct wm_warp *warp, const struct wm_op *op, wm_ptx_space space,
                      uint64_t lanes)
{
    const struct wm_memory_form *form = op->memory;
    // A kernel's parameters sit in a constant bank of their own: no traffic worth a report.
    if (space == WM_PTX_param)
        return false;
    if (warp->sink) {
        struct wm_warp_access access = {.kind = form->kind,
                                        .space = reported_space(space),
                                        .hint = form->hint,
                                        .pc = op->pc,
                                        .bytes_per_lane = form->bytes,
                                        .lanes = wm_width(warp),
                                        .active = lanes,
                                        .addresses = warp->addresses};
        warp->sink->access(warp->sink->context, &access);
    }
    return warp->stop_at_memory && space != WM_PTX_shared && space != WM_PTX_const;
}

static uint64_t extend(const struct wm_memory_form *form, uint64_t value)
{
    if (!form->sign_extend)
        return value;
    unsigned shift = 64 - 8 * (unsigned)form->element_bytes;
    uint64_t extended = (uint64_t)((int64_t)(value << shift) >> shift);
    return extended & form->value_mask;
}

static void write_lane(const struct wm_warp *warp, const struct wm_memory_form *form, uint32_t to,
                       unsigned lane, uint64_t value)
{
    if (form->wide_value)
        ((uint64_t *)wm_at(warp, to))[lane] = value;
    else
        ((uint32_t *)wm_at(warp, to))[lane] = (uint32_t)value;
}

static uint64_t read_lane(const struct wm_warp *warp, const struct wm_memory_form *form,
                          uint32_t from, unsigned lane)
{
    return form->wide_value ? ((const uint64_t *)wm_at(warp, from))[lane]
                            : ((const uint32_t *)wm_at(warp, from))[lane];
}

static inline __attribute__((always_inline)) void load_elements(const struct wm_warp *warp,
                                                                const struct wm_memory_form *form,
                                                                uint64_t lanes, char *const *host,
                                                                unsigned bytes)
{
    for (unsigned e = 0; e < form->element_count; e++) {
        if (form->values[e] == WM_NO_OP)
            continue;
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            uint64_t value = 0;
            memcpy(&value, host[lane] + (size_t)e * bytes, bytes);
            write_lane(warp, form, form->values[e], lane, extend(form, value));
        }
    }
}

static inline __attribute__((always_inline)) void store_elements(const struct wm_warp *warp,
                                                                 const struct wm_memory_form *form,
                                                                 uint64_t lanes, char *const *host,
                                                                 unsigned bytes)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        for (unsigned e = 0; e < form->element_count; e++) {
            uint64_t value = read_lane(warp, form, form->values[e], lane);
            memcpy(host[lane] + (size_t)e * bytes, &value, bytes);
        }
    }
}

static void access_elements(const struct wm_warp *warp, const struct wm_memory_form *form,
                            uint64_t lanes, char *const *host)
{
    bool store = form->kind == WM_ACCESS_STORE;
    switch (form->element_bytes) {
    case 1:
        store ? store_elements(warp, form, lanes, host, 1)
              : load_elements(warp, form, lanes, host, 1);
        break;
    case 2:
        store ? store_elements(warp, form, lanes, host, 2)
              : load_elements(warp, form, lanes, host, 2);
        break;
    case 4:
        store ? store_elements(warp, form, lanes, host, 4)
              : load_elements(warp, form, lanes, host, 4);
        break;
    default:
        store ? store_elements(warp, form, lanes, host, 8)
              : load_elements(warp, form, lanes, host, 8);
        break;
    }
}

// One space's lanes of an instruction. False after a fault.
static bool access_space(struct wm_warp *warp, const struct wm_op *op, wm_ptx_space space,
                         uint64_t lanes, bool *stop)
{
    const struct wm_memory_form *form = op->memory;
    char *host[WM_MAX_LANES];
    if (!lanes)
        return true;
    if (space == WM_PTX_local) {
        if (!wm_spaces_check_local(warp, op, lanes))
            return false;
        if (form->kind != WM_ACCESS_LOAD && form->kind != WM_ACCESS_STORE)
            wm_atomics_local(warp, op, lanes);
        else
            wm_local_access(warp, op, lanes);
    } else {
        if (!wm_spaces_resolve(warp, op, space, lanes, host))
            return false;
        if (form->kind == WM_ACCESS_LOAD || form->kind == WM_ACCESS_STORE)
            access_elements(warp, form, lanes, host);
        else
            wm_atomics_execute(warp, form, lanes, host, space == WM_PTX_global);
    }
    *stop |= wm_memory_report(warp, op, space, lanes);
    return true;
}

static const struct wm_op *after(struct wm_warp *warp, const struct wm_op *op, bool stop)
{
    if (!stop)
        return op + 1;
    warp->next = op + 1;
    return NULL;
}

const struct wm_op *wm_run_memory(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    bool stop = false;
    warp->spins += form->spins;
    wm_spaces_addresses(warp, form);
    if (form->space != WM_PTX_none) {
        if (!access_space(warp, op, form->space, warp->mask, &stop))
            return NULL;
        return after(warp, op, stop);
    }
    struct wm_lanes_by_space spaces = wm_spaces_of_generic(warp);
    if (!access_space(warp, op, WM_PTX_global, spaces.global, &stop) ||
        !access_space(warp, op, WM_PTX_shared, spaces.shared, &stop) ||
        !access_space(warp, op, WM_PTX_local, spaces.local, &stop) ||
        !access_space(warp, op, WM_PTX_param, spaces.parameter, &stop))
        return NULL;
    return after(warp, op, stop);
}

// What a move takes for its data: the register, or of a vector pointers to them, in `rows`.
static inline __attribute__((always_inline)) void *move_data(const struct wm_warp *warp,
                                                             const struct wm_op *op, unsigned half,
                                                             void **rows)
{
    const struct wm_memory_form *form = op->memory;
    if (form->element_count == 1)
        return (char *)wm_at(warp, op->d) + (size_t)half * op->step_d;
    for (unsigned e = 0; e < form->element_count; e++)
        rows[e] = (char *)wm_at(warp, form->values[e]) + (size_t)half * op->step_d;
    return rows;
}

// Both halves of a warp of 64 lanes, or the one of 32. What the fast move refuses, all lanes of
// that half do again in full.
static inline __attribute__((always_inline)) bool move_halves(struct wm_warp *warp,
                                                              const struct wm_op *op,
                                                              const struct wm_move_range *range,
                                                              uint64_t *rest)
{
    uint32_t low = (uint32_t)warp->mask, high = (uint32_t)(warp->mask >> 32);
    void *rows[WM_MAX_VECTOR];
    *rest = 0;
    if (low && !op->move(move_data(warp, op, 0, rows), wm_at(warp, op->a), op->offset, low, range))
        *rest |= low;
    if (high && !op->move(move_data(warp, op, 1, rows), (char *)wm_at(warp, op->a) + op->step_a,
                          op->offset, high, range))
        *rest |= (uint64_t)high << 32;
    return *rest == 0;
}

static __attribute__((noinline)) const struct wm_op *move_slowly(struct wm_warp *warp,
                                                                 const struct wm_op *op,
                                                                 uint64_t lanes)
{
    uint64_t all = warp->mask;
    // Addresses of the lanes already done may be gone: a load may overwrite its own address.
    const struct wm_access_sink *sink = warp->sink;
    uint64_t kept[WM_MAX_LANES];
    bool report = sink && lanes != all;
    if (report) {
        memcpy(kept, warp->addresses, sizeof(kept));
        warp->sink = NULL;
    }
    warp->mask = lanes;
    const struct wm_op *next = wm_run_memory(warp, op);
    warp->mask = all;
    warp->sink = sink;
    if (report && !warp->grid->faulted) {
        memcpy(warp->addresses, kept, sizeof(kept));
        wm_memory_report(warp, op, op->memory->space, all);
    }
    return next;
}

// A fast move whose listener reads the registers. False when it is not to be done so.
static inline __attribute__((always_inline)) bool move_by_registers(
    struct wm_warp *warp, const struct wm_op *op, const struct wm_move_range *range,
    const struct wm_op **next)
{
    const struct wm_memory_form *form = op->memory;
    if (!form->keeps_address || !warp->sink->access_by_registers)
        return false;
    uint64_t rest;
    if (move_halves(warp, op, range, &rest)) {
        warp->sink->access_by_registers(warp->sink->context, &form->instruction, wm_at(warp, op->a),
                                        warp->mask, WM_HALF_WARPS_UNKNOWN);
        *next = after(warp, op, warp->stop_at_memory && form->instruction.space == WM_SPACE_GLOBAL);
        return true;
    }
    wm_spaces_addresses(warp, form);
    *next = move_slowly(warp, op, rest);
    return true;
}

static inline const struct wm_move_range *range_of(const struct wm_warp *warp,
                                                   const struct wm_memory_form *form)
{
    return form->space == WM_PTX_shared ? &warp->shared : &warp->grid->ranges[form->range];
}

// With a listener, a stop at each access, or lanes beyond the first 32.
static __attribute__((noinline)) const struct wm_op *move_reported(struct wm_warp *warp,
                                                                   const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    const struct wm_move_range *range = range_of(warp, form);
    const struct wm_op *next;
    if (warp->sink) {
        if (move_by_registers(warp, op, range, &next))
            return next;
        wm_spaces_addresses(warp, form);
    }
    uint64_t rest;
    if (!move_halves(warp, op, range, &rest))
        return move_slowly(warp, op, rest);
    if (!warp->sink && !warp->stop_at_memory)
        return op + 1;
    wm_ptx_space space = form->space == WM_PTX_none ? WM_PTX_global : form->space;
    return after(warp, op, wm_memory_report(warp, op, space, warp->mask));
}

// The frequent case with a sink, apart from the rest so that few registers are saved.
static __attribute__((noinline)) const struct wm_op *move_with_sink(
    struct wm_warp *warp, const struct wm_op *op, const struct wm_move_range *range)
{
    const struct wm_access_sink *sink = warp->sink;
    if (!sink->access_by_registers || !op->memory->keeps_address || warp->stop_at_memory ||
        warp->mask > UINT32_MAX)
        return move_reported(warp, op);
    uint32_t moved =
        op->move(wm_at(warp, op->d), wm_at(warp, op->a), op->offset, (uint32_t)warp->mask, range);
    if (moved == 0)
        return move_reported(warp, op);
    sink = warp->sink; // again, which costs less than to keep it
    sink->access_by_registers(sink->context, &op->memory->instruction, wm_at(warp, op->a),
                              warp->mask, (enum wm_half_warp_pattern)(moved - 1));
    return op + 1;
}

// The rest, a call away from the loop.
static inline __attribute__((always_inline)) const struct wm_op *move(
    struct wm_warp *warp, const struct wm_op *op, const struct wm_move_range *range)
{
    if (warp->sink)
        return move_with_sink(warp, op, range);
    if (warp->stop_at_memory || warp->mask > UINT32_MAX)
        return move_reported(warp, op);
    if (!op->move(wm_at(warp, op->d), wm_at(warp, op->a), op->offset, (uint32_t)warp->mask, range))
        return move_slowly(warp, op, warp->mask);
    return op + 1;
}

const struct wm_op *wm_run_move_global(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    warp->spins += form->spins;
    return move(warp, op, &warp->grid->ranges[form->range]);
}

const struct wm_op *wm_run_move_shared(struct wm_warp *warp, const struct wm_op *op)
{
    warp->spins += op->memory->spins;
    return move(warp, op, &warp->shared);
}

const struct wm_op *wm_run_move_vector(struct wm_warp *warp, const struct wm_op *op)
{
    void *rows[WM_MAX_VECTOR];
    warp->spins += op->memory->spins;
    if (warp->sink || warp->stop_at_memory || warp->mask > UINT32_MAX)
        return move_reported(warp, op);
    if (!op->move(move_data(warp, op, 0, rows), wm_at(warp, op->a), op->offset,
                  (uint32_t)warp->mask, range_of(warp, op->memory)))
        return move_slowly(warp, op, warp->mask);
    return op + 1;
}

const struct wm_op *wm_run_function_param(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    const struct wm_decoded_function *function = &warp->grid->decoded->functions[form->function];
    char *host[WM_MAX_LANES];
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        host[lane] = wm_frame_params(function, warp->bases[WM_BASE_FRAME], lane) + form->offset;
    }
    access_elements(warp, form, warp->mask, host);
    return op + 1;
}

const struct wm_op *wm_run_kernel_param(struct wm_warp *warp, const struct wm_op *op)
{
    const char *from = warp->grid->parameters + op->offset;
    unsigned width = wm_width(warp);
    bool all = warp->mask == wm_all_lanes(width);
    if (op->flags == 8) {
        uint64_t value, *d = wm_at(warp, op->d);
        memcpy(&value, from, sizeof(value));
        for (unsigned lane = 0; lane < width; lane++)
            d[lane] = all || (warp->mask >> lane & 1) ? value : d[lane];
    } else {
        uint32_t value, *d = wm_at(warp, op->d);
        memcpy(&value, from, sizeof(value));
        for (unsigned lane = 0; lane < width; lane++)
            d[lane] = all || (warp->mask >> lane & 1) ? value : d[lane];
    }
    return op + 1;
}

const struct wm_op *wm_run_kernel_params(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_memory_form *form = op->memory;
    const char *from = warp->grid->parameters + op->offset;
    unsigned width = wm_width(warp);
    for (unsigned e = 0; e < form->element_count; e++) {
        if (form->values[e] == WM_NO_OP)
            continue;
        uint64_t value = 0, *wide = wm_at(warp, form->values[e]);
        uint32_t *narrow = wm_at(warp, form->values[e]);
        memcpy(&value, from + (size_t)e * form->element_bytes, form->element_bytes);
        value = extend(form, value);
        if (warp->mask != wm_all_lanes(width))
            for (uint64_t rest = warp->mask; rest; rest &= rest - 1)
                write_lane(warp, form, form->values[e], (unsigned)__builtin_ctzll(rest), value);
        else if (form->wide_value)
            for (unsigned lane = 0; lane < width; lane++)
                wide[lane] = value;
        else
            for (unsigned lane = 0; lane < width; lane++)
                narrow[lane] = (uint32_t)value;
    }
    return op + 1;
}

const struct wm_op *wm_run_nothing(struct wm_warp *warp, const struct wm_op *op)
{
    (void)warp;
    return op + 1;
}

const struct wm_op *wm_run_fence(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_access_sink *sink = warp->sink;
    if (sink && sink->fence && sink->fences[op->pc] != 0)
        sink->fence(sink->context, op->pc);
    return op + 1;
}
