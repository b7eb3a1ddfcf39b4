// Handlers that move data between registers: see data_ops.h.
#include "exec/operations/data_ops.h"

#include "exec/memory/spaces.h"

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

// Loops over all lanes, which the compiler makes vectors of; lanes that take no part keep what they
// have when the result is written.
static void add_part(uint64_t *results, const void *values, bool wide, uint64_t ones,
                     unsigned shift, unsigned width)
{
    const uint64_t *wide_values = values;
    const uint32_t *narrow_values = values;
    if (wide)
        for (unsigned lane = 0; lane < width; lane++)
            results[lane] |= (wide_values[lane] & ones) << shift;
    else
        for (unsigned lane = 0; lane < width; lane++)
            results[lane] |= (narrow_values[lane] & ones) << shift;
}

// Writes `results`, shifted down and cut to `ones`, to the lanes of the warp's path.
static void write_values(const struct wm_warp *warp, void *values, bool wide,
                         const uint64_t *results, unsigned shift, uint64_t ones)
{
    unsigned width = wm_width(warp);
    uint64_t *wide_values = values;
    uint32_t *narrow_values = values;
    bool all = warp->mask == wm_all_lanes(width);
    if (all && wide)
        for (unsigned lane = 0; lane < width; lane++)
            wide_values[lane] = results[lane] >> shift & ones;
    else if (all)
        for (unsigned lane = 0; lane < width; lane++)
            narrow_values[lane] = (uint32_t)(results[lane] >> shift & ones);
    else
        for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            uint64_t value = results[lane] >> shift & ones;
            if (wide)
                wide_values[lane] = value;
            else
                narrow_values[lane] = (uint32_t)value;
        }
}

// Two parts of half a register each, for all lanes: how 32 bits come of 64, and two halves of a
// pair.
static bool unpack_pairs(const struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_pack_form *form = op->pack;
    unsigned width = wm_width(warp);
    if (form->count != 2 || form->wide_part || warp->mask != wm_all_lanes(width) ||
        form->part_bytes != (form->wide_whole ? 4 : 2) || form->parts[0] == WM_NO_OP ||
        form->parts[1] == WM_NO_OP)
        return false;
    const uint64_t *wide = wm_at(warp, op->a);
    const uint32_t *narrow = wm_at(warp, op->a);
    uint32_t low[WM_MAX_LANES] __attribute__((aligned(64)));
    uint32_t high[WM_MAX_LANES] __attribute__((aligned(64)));
    for (unsigned lane = 0; form->wide_whole && lane < width; lane++) {
        low[lane] = (uint32_t)wide[lane];
        high[lane] = (uint32_t)(wide[lane] >> 32);
    }
    for (unsigned lane = 0; !form->wide_whole && lane < width; lane++) {
        low[lane] = narrow[lane] & 0xFFFF;
        high[lane] = narrow[lane] >> 16;
    }
    memcpy(wm_at(warp, form->parts[0]), low, width * sizeof(*low));
    memcpy(wm_at(warp, form->parts[1]), high, width * sizeof(*high));
    return true;
}

// Parts are gathered before the result is written: it may be the register of one of them.
const struct wm_op *wm_run_pack(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_pack_form *form = op->pack;
    unsigned bits = 8 * (unsigned)form->part_bytes, width = wm_width(warp);
    uint64_t ones = UINT64_MAX >> (64 - bits);
    uint64_t results[WM_MAX_LANES] __attribute__((aligned(64)));
    memset(results, 0, width * sizeof(*results));
    for (unsigned i = 0; i < form->count; i++)
        add_part(results, wm_at(warp, form->parts[i]), form->wide_part, ones, i * bits, width);
    write_values(warp, wm_at(warp, op->d), form->wide_whole, results, 0, UINT64_MAX);
    return op + 1;
}

const struct wm_op *wm_run_unpack(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_pack_form *form = op->pack;
    if (unpack_pairs(warp, op))
        return op + 1;
    unsigned bits = 8 * (unsigned)form->part_bytes, width = wm_width(warp);
    uint64_t ones = UINT64_MAX >> (64 - bits);
    uint64_t whole[WM_MAX_LANES] __attribute__((aligned(64)));
    memset(whole, 0, width * sizeof(*whole));
    add_part(whole, wm_at(warp, op->a), form->wide_whole, UINT64_MAX, 0, width);
    for (unsigned i = 0; i < form->count; i++)
        if (form->parts[i] != WM_NO_OP)
            write_values(warp, wm_at(warp, form->parts[i]), form->wide_part, whole, i * bits, ones);
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
static bool is_constant(const struct wm_warp *warp, uint64_t address)
{
    const struct wm_allocation *allocation = wm_device_memory_find(warp->grid->memory, address);
    return allocation && allocation->kind == WM_ALLOCATION_CONSTANT;
}

const struct wm_op *wm_run_is_constant(struct wm_warp *warp, const struct wm_op *op)
{
    const uint64_t *a = wm_at(warp, op->a);
    uint64_t holds = 0;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (is_constant(warp, a[lane]))
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

// Without an engine's time each round of a spin comes an eighth of its length so far behind the
// round before, once that is worth while, and at most by so much: to wait for a billion takes some
// 200 rounds. Of warps that wait together the first moves the time on for all.
enum { SPIN_PART = 8, LEAST_AHEAD = 64, MOST_AHEAD = 1 << 26 };

static uint64_t executed_in_run(const struct wm_warp *warp)
{
    return warp->warp_instructions + (warp->mark - warp->left - warp->uncounted);
}

static uint64_t time_of(const struct wm_warp *warp, bool nanoseconds)
{
    const struct wm_device_time *time = warp->grid->time;
    if (time == NULL)
        return warp->grid->clock + executed_in_run(warp);
    return (nanoseconds ? time->nanoseconds : time->cycle)(time->context, warp->block->public.sm);
}

// The spin goes round again if the warp has executed no more in between than a round has. Then
// rounds that would come before this one are left out.
static void follow_spin(struct wm_warp *warp, const struct wm_op *op)
{
    struct wm_grid *grid = warp->grid;
    uint64_t executed = warp->executed + executed_in_run(warp), now = time_of(warp, false);
    if (op->extra == WM_SPIN_CONTINUES)
        return;
    bool again =
        op->extra != 0 && warp->spin == op && executed - warp->spin_seen <= op->extra + UINT64_C(1);
    warp->spin = op->extra != 0 ? op : NULL;
    warp->spin_seen = executed;
    if (!again) {
        warp->spin_began = now;
        return;
    }
    uint64_t spun = now - warp->spin_began;
    if (grid->time != NULL)
        grid->time->spins(grid->time->context, warp->block->public.sm, spun);
    else if (spun / SPIN_PART > LEAST_AHEAD) {
        uint64_t ahead = spun / SPIN_PART < MOST_AHEAD ? spun / SPIN_PART : MOST_AHEAD;
        if (warp->spin_read + ahead > now)
            grid->clock += warp->spin_read + ahead - now;
    }
}

// Time is the engine's, or the number of warp instructions that the grid has executed: the same on
// every run.
const struct wm_op *wm_run_clock(struct wm_warp *warp, const struct wm_op *op)
{
    bool nanoseconds = (op->flags & WM_CLOCK_NANOSECONDS) != 0;
    follow_spin(warp, op);
    if (warp->grid->time == NULL)
        warp->spin_read = time_of(warp, false);
    uint64_t now = time_of(warp, nanoseconds) >> op->immediate;
    void *d = wm_at(warp, op->d);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if ((op->flags & WM_CLOCK_WIDE) != 0)
            ((uint64_t *)d)[lane] = now;
        else
            ((uint32_t *)d)[lane] = (uint32_t)now;
    }
    warp->spins++; // a loop that waits for time to pass
    return op + 1;
}
