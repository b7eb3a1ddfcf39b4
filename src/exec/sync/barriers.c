// Block barriers: see barriers.h.
#include "exec/sync/barriers.h"

#include "exec/faults.h"
#include "exec/sync/reconvergence.h"

// A bar.red that waited: its result, for the lanes of one path.
static void write_reduction(struct wm_warp *warp, const struct wm_path *path,
                            const struct wm_barrier *barrier, uint32_t threads)
{
    const struct wm_op *op = path->next - 1;
    if (!(op->flags & WM_BARRIER_RED))
        return;
    uintptr_t current = warp->bases[WM_BASE_FRAME];
    warp->bases[WM_BASE_FRAME] = path->frame;
    if (op->flags & WM_BARRIER_RED_POPC) {
        uint32_t *d = wm_at(warp, op->d), count = barrier->reduced_count;
        bool all = path->mask == wm_all_lanes(wm_width(warp)); // a short loop of vectors
        for (unsigned lane = 0; all && lane < wm_width(warp); lane++)
            d[lane] = count;
        for (uint64_t rest = all ? 0 : path->mask; rest; rest &= rest - 1)
            d[__builtin_ctzll(rest)] = count;
    } else {
        bool holds = op->flags & WM_BARRIER_RED_AND ? barrier->reduced_count == threads
                                                    : barrier->reduced_count > 0;
        uint64_t *d = wm_predicate_at(warp, op->d);
        *d = (*d & ~path->mask) | (holds ? path->mask : 0);
    }
    warp->bases[WM_BASE_FRAME] = current;
}

static void open_barrier(struct wm_block_state *block, uint32_t number)
{
    struct wm_barrier *barrier = &block->barriers[number];
    uint32_t threads = barrier->waiting;
    for (uint64_t rest = barrier->warps; rest; rest &= rest - 1) {
        struct wm_warp *warp = &block->warps[__builtin_ctzll(rest)];
        warp->come[number] = 0;
        uint64_t used = wm_all_lanes(wm_width(warp)) & ~(warp->free_paths | warp->ready_paths);
        for (; used; used &= used - 1) {
            struct wm_path *path = &warp->paths[__builtin_ctzll(used)];
            if (path->state != WM_PATH_AT_BARRIER || path->barrier != number)
                continue;
            write_reduction(warp, path, barrier, threads);
            wm_paths_wake(warp, path);
        }
    }
    *barrier = (struct wm_barrier){0};
}

static void check_barrier(struct wm_block_state *block, uint32_t number)
{
    const struct wm_barrier *barrier = &block->barriers[number];
    if (!barrier->waiting)
        return;
    if (!barrier->threads) {
        if (barrier->waiting >= block->live_threads)
            open_barrier(block, number);
        return;
    }
    uint32_t come = 0;
    for (uint64_t rest = barrier->warps; rest; rest &= rest - 1) {
        const struct wm_warp *warp = &block->warps[__builtin_ctzll(rest)];
        uint64_t exited = wm_all_lanes(wm_width(warp)) & ~warp->live;
        come += (uint32_t)__builtin_popcountll(warp->come[number] | exited);
    }
    if (come >= barrier->threads)
        open_barrier(block, number);
}

// Complete when each live thread has arrived; `come` of a warp is then empty, and its threads that
// wait, or come to wait later, continue.
static void check_cluster(struct wm_block_state *block)
{
    struct wm_barrier *barrier = &block->barriers[WM_CLUSTER_BARRIER];
    if (!barrier->warps)
        return;
    for (uint32_t w = 0; w < block->public.warp_count; w++)
        if (block->warps[w].live & ~block->warps[w].come[WM_CLUSTER_BARRIER])
            return;
    open_barrier(block, WM_CLUSTER_BARRIER);
}

static void report_cluster(const struct wm_warp *warp, const struct wm_op *op, bool waits)
{
    if (warp->sink && warp->sink->cluster)
        warp->sink->cluster(warp->sink->context, op->pc, warp->mask, waits,
                            warp->ready_paths || warp->waiting);
}

const struct wm_op *wm_run_cluster_arrive(struct wm_warp *warp, const struct wm_op *op)
{
    report_cluster(warp, op, false);
    warp->come[WM_CLUSTER_BARRIER] |= warp->mask;
    warp->block->barriers[WM_CLUSTER_BARRIER].warps |= UINT64_C(1) << warp->index;
    check_cluster(warp->block);
    return op + 1;
}

const struct wm_op *wm_run_cluster_wait(struct wm_warp *warp, const struct wm_op *op)
{
    report_cluster(warp, op, true);
    if (!(warp->come[WM_CLUSTER_BARRIER] & warp->mask))
        return op + 1;
    wm_paths_block(warp, WM_PATH_AT_BARRIER, op + 1)->barrier = WM_CLUSTER_BARRIER;
    return wm_paths_next(warp);
}

void wm_barriers_check(struct wm_block_state *block)
{
    for (uint32_t b = 0; b < WM_NAMED_BARRIERS; b++)
        check_barrier(block, b);
    check_cluster(block);
}

static void report_arrival(const struct wm_warp *warp, const struct wm_op *op, uint32_t number,
                           uint32_t threads)
{
    struct wm_warp_arrival arrival = {.pc = op->pc,
                                      .barrier = number,
                                      .threads = threads,
                                      .lanes = warp->mask,
                                      .waits = !(op->flags & WM_BARRIER_ARRIVE),
                                      .others = warp->ready_paths || warp->waiting};
    warp->sink->arrival(warp->sink->context, &arrival);
}

const struct wm_op *wm_run_barrier(struct wm_warp *warp, const struct wm_op *op)
{
    unsigned first = (unsigned)__builtin_ctzll(warp->mask);
    uint32_t number = ((const uint32_t *)wm_at(warp, op->a))[first];
    uint32_t threads =
        op->flags & WM_BARRIER_HAS_COUNT ? ((const uint32_t *)wm_at(warp, op->b))[first] : 0;
    if (number >= WM_NAMED_BARRIERS)
        return wm_fault_barrier(warp, op, "barrier number %u is not among 0 to 15", number);
    if ((op->flags & WM_BARRIER_HAS_COUNT) && (threads == 0 || threads % 32 != 0))
        return wm_fault_barrier(warp, op, "thread count %u is not a multiple of the warp size",
                                threads);
    struct wm_block_state *block = warp->block;
    struct wm_barrier *barrier = &block->barriers[number];
    if (warp->sink && warp->sink->arrival)
        report_arrival(warp, op, number, threads);
    if (threads)
        barrier->threads = threads;
    warp->come[number] |= warp->mask;
    barrier->warps |= UINT64_C(1) << warp->index;
    if (op->flags & WM_BARRIER_RED) {
        uint64_t holds = *wm_predicate_at(warp, op->c);
        if (op->flags & WM_BARRIER_NEGATED)
            holds = ~holds;
        barrier->reduced_count += (uint32_t)__builtin_popcountll(holds & warp->mask);
    }
    if (op->flags & WM_BARRIER_ARRIVE) {
        check_barrier(block, number);
        return op + 1;
    }
    barrier->waiting += (uint32_t)__builtin_popcountll(warp->mask);
    wm_paths_block(warp, WM_PATH_AT_BARRIER, op + 1)->barrier = number;
    check_barrier(block, number);
    return wm_paths_next(warp);
}
