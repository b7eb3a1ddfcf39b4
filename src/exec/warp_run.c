// The loop that runs a warp.
#include "exec/grid.h"
#include "exec/operations/control_ops.h"
#include "exec/sync/reconvergence.h"

// Ops of a path between two checks whether another path of the warp should have its turn: so many
// since the path had its own, however many the engine lets the warp run at once.
enum { CHUNK = 512 };

// What was executed since the last count, when the loop has left an op behind it.
static void count_rest(struct wm_warp *warp)
{
    uint64_t executed = warp->mark - warp->left - warp->uncounted;
    warp->warp_instructions += executed;
    warp->thread_instructions += executed * (uint64_t)__builtin_popcountll(warp->mask);
    warp->uncounted = 0;
    warp->mark = warp->left;
}

static void report(const struct wm_warp *warp, uint32_t first_pc, uint32_t count, uint64_t active)
{
    struct wm_warp_stretch stretch = {.first_pc = first_pc, .count = count, .active = active};
    if (count != 0)
        warp->sink->stretch(warp->sink->context, &stretch);
}

// The same where pcs do not follow each other: a jump over code that is never reached, or the
// return of a function that ends without one, which has the pc of its last instruction.
static __attribute__((noinline)) void report_pieces(const struct wm_warp *warp,
                                                    const struct wm_op *first,
                                                    const struct wm_op *last, uint64_t active)
{
    const uint32_t *counted = warp->grid->decoded->counted;
    uint32_t first_pc = 0, count = 0;
    for (const struct wm_op *op = first; op <= last; op++) {
        if (counted[op - warp->ops] == counted[op - warp->ops + 1])
            continue;
        if (count == 0 || op->pc != first_pc + count) {
            report(warp, first_pc, count, active);
            first_pc = op->pc;
            count = 0;
        }
        count++;
    }
    report(warp, first_pc, count, active);
}

// What was reported last in a chunk, if it was in one piece: loops report it again and again.
struct reported_before {
    const struct wm_op *first, *last;
    struct wm_warp_stretch stretch;
};

// As report_stretch, of one that is not the one before again.
static __attribute__((noinline)) void report_anew(const struct wm_warp *warp,
                                                  const struct wm_op *first,
                                                  const struct wm_op *last, uint64_t active,
                                                  struct reported_before *before)
{
    const uint32_t *from = warp->grid->decoded->counted + (first - warp->ops);
    const uint32_t *end = warp->grid->decoded->counted + (last - warp->ops) + 1;
    const struct wm_op *head = first, *tail = last;
    uint32_t count = *end - *from;
    if (count == 0)
        return;
    for (; from[1] == from[0]; from++)
        head++;
    for (; end[-1] == end[0]; end--)
        tail--;
    if (tail->pc - head->pc + 1 != count) {
        report_pieces(warp, head, tail, active);
        return;
    }
    *before = (struct reported_before){
        .first = first,
        .last = last,
        .stretch = {.first_pc = head->pc, .count = count, .active = active}};
    warp->sink->stretch(warp->sink->context, &before->stretch);
}

// Reports the PTX instructions among the ops from `first` to `last`.
static inline __attribute__((always_inline)) void report_stretch(const struct wm_warp *warp,
                                                                 const struct wm_op *first,
                                                                 const struct wm_op *last,
                                                                 uint64_t active,
                                                                 struct reported_before *before)
{
    if (first == before->first && last == before->last) {
        before->stretch.active = active;
        warp->sink->stretch(warp->sink->context, &before->stretch);
    } else {
        report_anew(warp, first, last, active, before);
    }
}

// The two loops are functions of their own: inlined, they share registers with what is around them,
// and each op costs four instructions of the host more.
static __attribute__((noinline)) const struct wm_op *run_ops(struct wm_warp *warp,
                                                             const struct wm_op *op)
{
    do {
        op = op->run(warp, op);
    } while (--warp->left && op);
    return op;
}

// As run_ops, reporting to the sink each stretch of ops between two jumps or changes of lanes.
static __attribute__((noinline)) const struct wm_op *run_ops_traced(struct wm_warp *warp,
                                                                    const struct wm_op *op)
{
    const struct wm_op *first = op;
    uint64_t active = warp->mask;
    struct reported_before before = {0};
    do {
        const struct wm_op *next = op->run(warp, op);
        if (next != op + 1 || warp->mask != active) {
            report_stretch(warp, first, op, active, &before);
            first = next;
            active = warp->mask;
        }
        op = next;
    } while (--warp->left && op);
    if (op && op != first)
        report_stretch(warp, first, op - 1, active, &before);
    return op;
}

// Runs up to `limit` ops; returns how many PTX instructions they were. `stopped`: an op has stopped
// the warp.
static uint64_t run_chunk(struct wm_warp *warp, uint64_t limit, bool *stopped)
{
    const struct wm_op *op = warp->next;
    uint64_t before = warp->warp_instructions;
    warp->left = warp->mark = warp->steps_from = limit;
    warp->uncounted = 0;
    op = warp->sink && warp->sink->stretch ? run_ops_traced(warp, op) : run_ops(warp, op);
    if (op)
        warp->next = op;
    *stopped = !op;
    count_rest(warp);
    warp->path_steps += warp->steps_from - warp->left;
    return warp->warp_instructions - before;
}

void wm_warp_run(struct wm_block *block, uint32_t index, uint64_t budget, enum wm_run_until until,
                 const struct wm_access_sink *sink, struct wm_run_result *result)
{
    struct wm_block_state *state = (struct wm_block_state *)block;
    struct wm_warp *warp = &state->warps[index];
    struct wm_grid *grid = warp->grid;
    if (grid->faulted || !(block->ready >> index & 1))
        return;
    wm_grid_refresh(grid);
    warp->sink = sink && sink->access ? sink : NULL;
    warp->stop_at_memory = until == WM_RUN_MEMORY;
    warp->warp_instructions = warp->thread_instructions = 0;
    warp->spins_before = 0;
    uint32_t spins = warp->spins;
    if (warp->path == WM_NO_PATH)
        wm_paths_next(warp);
    while (budget > 0 && warp->next) {
        uint64_t limit = CHUNK - warp->path_steps % CHUNK;
        limit = budget < limit ? budget : limit;
        bool stopped;
        budget -= run_chunk(warp, limit, &stopped);
        if (grid->faulted)
            break;
        if (warp->path_steps % CHUNK == 0)
            wm_paths_yield(warp);
        if (stopped)
            break;
    }
    grid->clock += warp->warp_instructions;
    warp->executed += warp->warp_instructions;
    result->warp_instructions += warp->warp_instructions;
    result->thread_instructions += warp->thread_instructions;
    result->spins += warp->spins_before + warp->spins - spins;
}

// Steps between instructions that decide which comes next: where lanes reconverge, and which of
// them jump over an instruction that their guard holds back. They are not reported, and none is
// counted.
static void pass_steps(struct wm_warp *warp)
{
    bool stopped = false;
    warp->sink = NULL;
    warp->stop_at_memory = false;
    while (!stopped && warp->next &&
           (warp->next->run == wm_run_reconverge || warp->next->run == wm_run_branch_around)) {
        run_chunk(warp, 1, &stopped);
        if (warp->path_steps % CHUNK == 0)
            wm_paths_yield(warp);
    }
}

bool wm_warp_next_pc(struct wm_block *block, uint32_t index, uint32_t *pc)
{
    struct wm_block_state *state = (struct wm_block_state *)block;
    struct wm_warp *warp = &state->warps[index];
    if (warp->grid->faulted || !(block->ready >> index & 1))
        return false;
    if (warp->path == WM_NO_PATH)
        wm_paths_next(warp);
    pass_steps(warp);
    if (warp->next == NULL)
        return false;
    *pc = warp->next->pc;
    return true;
}
