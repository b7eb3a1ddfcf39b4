// The loop that runs a warp.
#include "exec/grid.h"
#include "exec/paths.h"

// Ops between two looks at whether another path of the warp should have its turn.
enum { CHUNK = 1024 };

// What was executed since the last count, when the loop has left an op behind it.
static void count_rest(struct wm_warp *warp)
{
    uint64_t executed = warp->mark - warp->left - warp->uncounted;
    warp->warp_instructions += executed;
    warp->thread_instructions += executed * (uint64_t)__builtin_popcountll(warp->mask);
    warp->uncounted = 0;
    warp->mark = warp->left;
}

// Runs up to `limit` ops; returns how many. `stopped`: an op has asked the warp to stop.
static uint64_t run_chunk(struct wm_warp *warp, uint64_t limit, bool *stopped)
{
    const struct wm_op *op = warp->next;
    warp->left = warp->mark = limit;
    warp->uncounted = 0;
    do {
        op = op->run(warp, op);
    } while (--warp->left && op);
    if (op)
        warp->next = op;
    *stopped = !op;
    count_rest(warp);
    uint64_t executed = limit - warp->left;
    warp->path_steps += executed;
    return executed;
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
    if (warp->path == WM_NO_PATH)
        wm_paths_next(warp);
    while (budget > 0 && warp->next) {
        uint64_t limit = budget < CHUNK ? budget : CHUNK;
        bool stopped;
        budget -= run_chunk(warp, limit, &stopped);
        if (grid->faulted)
            break;
        wm_paths_yield(warp);
        if (stopped)
            break;
    }
    grid->clock += warp->warp_instructions;
    result->warp_instructions += warp->warp_instructions;
    result->thread_instructions += warp->thread_instructions;
}
