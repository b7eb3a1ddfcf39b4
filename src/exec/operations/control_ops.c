// Handlers of control flow: see control_ops.h.
#include "exec/operations/control_ops.h"

#include "exec/faults.h"
#include "exec/sync/barriers.h"
#include "exec/sync/reconvergence.h"
#include "exec/sync/warp_sync.h"

static inline uint64_t guarded_lanes(const struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t holds = wm_predicate_read(warp, op->guard);
    return (op->guard_negated ? ~holds : holds) & warp->mask;
}

const struct wm_op *wm_run_branch(struct wm_warp *warp, const struct wm_op *op)
{
    return &warp->ops[op->target];
}

const struct wm_op *wm_run_branch_if(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t taken = guarded_lanes(warp, op);
    if (taken == warp->mask)
        return &warp->ops[op->target];
    if (!taken)
        return op + 1;
    return wm_paths_split(warp, op, taken, &warp->ops[op->target], op + 1);
}

const struct wm_op *wm_run_branch_around(struct wm_warp *warp, const struct wm_op *op)
{
    warp->uncounted++;
    return wm_run_branch_if(warp, op);
}

const struct wm_op *wm_run_branch_index(struct wm_warp *warp, const struct wm_op *op)
{
    const uint32_t *index = wm_at(warp, op->a);
    uint32_t chosen = index[__builtin_ctzll(warp->mask)];
    uint64_t taken = 0;
    if (chosen >= op->target_count)
        return wm_fault_branch(warp, op, chosen, op->target_count);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (index[lane] == chosen)
            taken |= UINT64_C(1) << lane;
    }
    const struct wm_op *there = &warp->ops[op->targets[chosen]];
    if (taken == warp->mask)
        return there;
    // The other lanes come here again.
    return wm_paths_split(warp, op, taken, there, op);
}

const struct wm_op *wm_run_reconverge(struct wm_warp *warp, const struct wm_op *op)
{
    warp->uncounted++;
    return warp->reconverge == op ? wm_paths_arrive(warp, op) : op + 1;
}

static const struct wm_op *exit_lanes(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes)
{
    wm_paths_exit(warp, op, lanes);
    // Others may have waited for these lanes alone.
    wm_warp_sync_check(warp);
    wm_barriers_check(warp->block);
    if (warp->mask)
        return op + 1;
    if (!warp->live)
        warp->block->public.finished |= UINT64_C(1) << warp->index;
    return wm_paths_next(warp);
}

const struct wm_op *wm_run_exit(struct wm_warp *warp, const struct wm_op *op)
{
    return exit_lanes(warp, op, warp->mask);
}

const struct wm_op *wm_run_exit_if(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t lanes = guarded_lanes(warp, op);
    return lanes ? exit_lanes(warp, op, lanes) : op + 1;
}

const struct wm_op *wm_run_call(struct wm_warp *warp, const struct wm_op *op)
{
    return wm_paths_call(warp, op, op->call);
}

static uint64_t address_of(const struct wm_warp *warp, const struct wm_op *op, unsigned lane)
{
    const void *addresses = wm_at(warp, op->a);
    return op->indirect->wide ? ((const uint64_t *)addresses)[lane]
                              : ((const uint32_t *)addresses)[lane];
}

static const struct wm_call_form *target_at(const struct wm_indirect_form *form, uint64_t address)
{
    uint32_t low = 0, high = form->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (form->targets[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < form->count && form->targets[low].address == address;
    return found ? &form->targets[low].call : NULL;
}

// The lanes that call what the first one calls do so; the others come here again.
const struct wm_op *wm_run_call_indirect(struct wm_warp *warp, const struct wm_op *op)
{
    unsigned first = (unsigned)__builtin_ctzll(warp->mask);
    uint64_t address = address_of(warp, op, first), others = 0;
    const struct wm_call_form *call = target_at(op->indirect, address);
    if (!call)
        return wm_fault_call(warp, op, address);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (address_of(warp, op, lane) != address)
            others |= UINT64_C(1) << lane;
    }
    if (others)
        wm_paths_split(warp, op, others, op, op);
    return wm_paths_call(warp, op, call);
}

const struct wm_op *wm_run_refused(struct wm_warp *warp, const struct wm_op *op)
{
    return wm_fault_refused(warp, op);
}

const struct wm_op *wm_run_return(struct wm_warp *warp, const struct wm_op *op)
{
    return wm_paths_return(warp, op, warp->mask);
}

const struct wm_op *wm_run_return_if(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t lanes = guarded_lanes(warp, op);
    return lanes ? wm_paths_return(warp, op, lanes) : op + 1;
}

const struct wm_op *wm_run_trap(struct wm_warp *warp, const struct wm_op *op)
{
    return wm_fault_trap(warp, op);
}

const struct wm_op *wm_run_pause(struct wm_warp *warp, const struct wm_op *op)
{
    warp->spins++;
    return op + 1;
}

const struct wm_op *wm_run_guarded(struct wm_warp *warp, const struct wm_op *op)
{
    uint64_t all = warp->mask, lanes = guarded_lanes(warp, op);
    if (!lanes)
        return op + 1;
    warp->mask = lanes;
    const struct wm_op *next = op->body(warp, op);
    warp->mask = all;
    return next;
}

const struct wm_op *wm_run_extra(struct wm_warp *warp, const struct wm_op *op)
{
    warp->uncounted++;
    return op->body(warp, op);
}
