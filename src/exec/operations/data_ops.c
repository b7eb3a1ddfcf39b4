// Handlers that move data between registers: see data_ops.h.
#include "exec/operations/data_ops.h"

#include "exec/spaces.h"

const struct wm_op *wm_run_lanes_32(struct wm_warp *warp, const struct wm_op *op)
{
    op->lane(wm_at(warp, op->d), wm_at(warp, op->a), wm_at(warp, op->b), wm_at(warp, op->c),
             (uint32_t)warp->mask);
    return op + 1;
}

const struct wm_op *wm_run_lanes_64(struct wm_warp *warp, const struct wm_op *op)
{
    char *d = wm_at(warp, op->d), *a = wm_at(warp, op->a), *b = wm_at(warp, op->b),
         *c = wm_at(warp, op->c);
    uint32_t low = (uint32_t)warp->mask, high = (uint32_t)(warp->mask >> 32);
    if (low)
        op->lane(d, a, b, c, low);
    if (high)
        op->lane(d + op->step_d, a + op->step_a, b + op->step_b, c + op->step_c, high);
    return op + 1;
}

// bfi and lop3: rare enough for one handler of both widths.
const struct wm_op *wm_run_lanes_pair(struct wm_warp *warp, const struct wm_op *op)
{
    char *d = wm_at(warp, op->d), *a = wm_at(warp, op->a), *b = wm_at(warp, op->b),
         *c = wm_at(warp, op->c), *e = wm_at(warp, op->extra);
    uint32_t low = (uint32_t)warp->mask, high = (uint32_t)(warp->mask >> 32);
    if (low)
        op->lane(d, a, b, &(struct wm_lane_pair){c, e}, low);
    if (high)
        op->lane(d + op->step_d, a + op->step_a, b + op->step_b,
                 &(struct wm_lane_pair){c + op->step_c, e + op->step_c}, high);
    return op + 1;
}

const struct wm_op *wm_run_copy_predicate(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t *d = wm_predicate_at(warp, op->d);
    *d = (*d & ~warp->mask) | (*wm_predicate_at(warp, op->a) & warp->mask);
    return op + 1;
}

const struct wm_op *wm_run_negate_predicate(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t *d = wm_predicate_at(warp, op->d);
    *d = (*d & ~warp->mask) | (~*wm_predicate_at(warp, op->a) & warp->mask);
    return op + 1;
}

static uint64_t read_value(const void *values, unsigned lane, bool wide)
{
    return wide ? ((const uint64_t *)values)[lane] : ((const uint32_t *)values)[lane];
}

// Parts are gathered before the result is written: it may be the register of one of them.
const struct wm_op *wm_run_pack(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_pack_form *form = op->pack;
    unsigned bits = 8 * (unsigned)form->part_bytes;
    uint64_t ones = UINT64_MAX >> (64 - bits);
    uint64_t results[WM_MAX_LANES];
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        results[lane] = 0;
        for (unsigned i = 0; i < form->count; i++) {
            uint64_t part = read_value(wm_at(warp, form->parts[i]), lane, form->wide_part);
            results[lane] |= (part & ones) << (i * bits);
        }
    }
    void *d = wm_at(warp, op->d);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (form->wide_whole)
            ((uint64_t *)d)[lane] = results[lane];
        else
            ((uint32_t *)d)[lane] = (uint32_t)results[lane];
    }
    return op + 1;
}

const struct wm_op *wm_run_unpack(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_pack_form *form = op->pack;
    unsigned bits = 8 * (unsigned)form->part_bytes;
    uint64_t ones = UINT64_MAX >> (64 - bits);
    const void *a = wm_at(warp, op->a);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t whole = read_value(a, lane, form->wide_whole);
        for (unsigned i = 0; i < form->count; i++) {
            if (form->parts[i] == WM_NO_OP)
                continue;
            uint64_t part = whole >> (i * bits) & ones;
            void *d = wm_at(warp, form->parts[i]);
            if (form->wide_part)
                ((uint64_t *)d)[lane] = part;
            else
                ((uint32_t *)d)[lane] = (uint32_t)part;
        }
    }
    return op + 1;
}

const struct wm_op *wm_run_add_8(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t *d = wm_at(warp, op->d);
    const uint64_t *a = wm_at(warp, op->a);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1)
        d[__builtin_ctzll(rest)] = a[__builtin_ctzll(rest)] + op->immediate;
    return op + 1;
}

const struct wm_op *wm_run_add_local_base(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t address = op->immediate + warp->local_base;
    void *d = wm_at(warp, op->d);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (op->flags == 8)
            ((uint64_t *)d)[lane] = address;
        else
            ((uint32_t *)d)[lane] = (uint32_t)address;
    }
    return op + 1;
}

// Constant variables lie among the global ones, in allocations of their own.
static bool is_in_space(const struct wm_warp *warp, uint64_t address, wm_ptx_space space)
{
    if (space != WM_PTX_const)
        return wm_space_of_address(address) == space;
    const struct wm_allocation *allocation = wm_device_memory_find(warp->grid->memory, address);
    return allocation && allocation->kind == WM_ALLOCATION_CONSTANT;
}

const struct wm_op *wm_run_isspacep(struct wm_warp *warp, const struct wm_op *op)
{
    const uint64_t *a = wm_at(warp, op->a);
    uint64_t holds = 0;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (is_in_space(warp, a[lane], (wm_ptx_space)op->flags))
            holds |= UINT64_C(1) << lane;
    }
    uint64_t *d = wm_predicate_at(warp, op->d);
    *d = (*d & ~warp->mask) | holds;
    return op + 1;
}

const struct wm_op *wm_run_activemask(struct wm_warp *warp, const struct wm_op *op)
{
    uint32_t *d = wm_at(warp, op->d);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1)
        d[__builtin_ctzll(rest)] = (uint32_t)warp->mask;
    return op + 1;
}

// Time is the number of warp instructions that the grid has executed: the same on every run.
const struct wm_op *wm_run_clock(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t now =
        (warp->grid->clock + warp->warp_instructions + (warp->mark - warp->left)) >> op->immediate;
    void *d = wm_at(warp, op->d);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (op->flags == 8)
            ((uint64_t *)d)[lane] = now;
        else
            ((uint32_t *)d)[lane] = (uint32_t)now;
    }
    warp->spins++; // a loop that waits for time to pass
    return op + 1;
}
