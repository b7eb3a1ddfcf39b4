// The thread's stack: see stack_ops.h.
#include "exec/operations/stack_ops.h"

#include "exec/faults.h"

static uint64_t read_lane(const struct wm_warp *warp, const struct wm_op *op, uint32_t from,
                          unsigned lane)
{
    return op->flags & WM_STACK_WIDE ? ((const uint64_t *)wm_at(warp, from))[lane]
                                     : ((const uint32_t *)wm_at(warp, from))[lane];
}

static void write_lane(const struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                       uint32_t value)
{
    if (op->flags & WM_STACK_WIDE)
        ((uint64_t *)wm_at(warp, op->d))[lane] = value;
    else
        ((uint32_t *)wm_at(warp, op->d))[lane] = value;
}

// Where the variables of the function being executed end.
static uint32_t variables_end(const struct wm_warp *warp, const struct wm_op *op)
{
    return warp->local_base + (uint32_t)op->immediate;
}

const struct wm_op *wm_run_alloca(struct wm_warp *warp, const struct wm_op *op)
{
    uint32_t lowest = variables_end(warp, op), alignment = op->b;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t bytes = read_lane(warp, op, op->a, lane);
        uint32_t top = warp->stack_tops[lane];
        uint32_t at = bytes <= top ? (top - (uint32_t)bytes) & ~(alignment - 1) : 0;
        if (bytes > top || at < lowest)
            return wm_fault_alloca(warp, op, lane, bytes);
        warp->stack_tops[lane] = at;
        write_lane(warp, op, lane, at);
    }
    return op + 1;
}

const struct wm_op *wm_run_stack_save(struct wm_warp *warp, const struct wm_op *op)
{
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        write_lane(warp, op, lane, warp->stack_tops[lane]);
    }
    return op + 1;
}

const struct wm_op *wm_run_stack_restore(struct wm_warp *warp, const struct wm_op *op)
{
    uint32_t lowest = variables_end(warp, op), size = warp->grid->local_bytes_per_thread;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t top = read_lane(warp, op, op->a, lane);
        if (top < lowest || top > size)
            return wm_fault_runtime(warp, op, lane, top,
                                    "stackrestore to 0x%llx, which no stacksave has given");
        warp->stack_tops[lane] = (uint32_t)top;
    }
    return op + 1;
}

const struct wm_op *wm_run_stack_leave(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t lanes = warp->mask;
    if (op->flags & WM_STACK_GUARDED) {
        uint64_t holds = *wm_predicate_at(warp, op->guard);
        lanes &= op->guard_negated ? ~holds : holds;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        warp->stack_tops[lane] = (uint32_t)read_lane(warp, op, op->a, lane);
    }
    return op + 1;
}

void wm_stack_start(struct wm_warp *warp)
{
    for (unsigned lane = 0; lane < wm_width(warp); lane++)
        warp->stack_tops[lane] = warp->grid->local_bytes_per_thread;
}

uint32_t wm_stack_room(const struct wm_warp *warp)
{
    uint32_t room = warp->grid->local_bytes_per_thread;
    for (uint64_t rest = warp->grid->decoded->allocates ? warp->mask : 0; rest; rest &= rest - 1) {
        uint32_t top = warp->stack_tops[__builtin_ctzll(rest)];
        room = top < room ? top : room;
    }
    return room;
}
