// A number of what a grid's threads hold, for those who look whether it goes on.
#include "base/numbers/hash.h"
#include "exec/exec.h"
#include "exec/interpreter.h"

static uint64_t add_path(uint64_t state, const struct wm_path *path)
{
    state = wm_hash_u64(state ^ path->mask);
    state = wm_hash_u64(state ^ (uintptr_t)path->next);
    return wm_hash_u64(state ^ (uint64_t)path->state);
}

static uint64_t add_warp(uint64_t state, const struct wm_warp *warp, const void *registers,
                         size_t bytes)
{
    const uint64_t words[] = {(uintptr_t)warp->next, warp->mask, warp->live, warp->waiting,
                              warp->free_paths,      warp->path, warp->node};
    state = wm_hash_u64(state ^ wm_hash_bytes(words, sizeof words));
    state = wm_hash_u64(state ^ wm_hash_bytes(registers, bytes));
    for (uint64_t used = warp->existing & ~warp->free_paths; used != 0; used &= used - 1)
        state = add_path(state, &warp->paths[__builtin_ctzll(used)]);
    return state;
}

bool wm_grid_state(const struct wm_grid *grid, uint64_t *state)
{
    const struct wm_decoded_kernel *decoded = grid->decoded;
    size_t bytes = decoded->functions[0].frame_bytes;
    *state = 0;
    if (decoded->function_count > 1)
        return false;
    for (const struct wm_block_state *block = grid->resident_blocks; block != NULL;
         block = block->next_resident) {
        for (uint32_t w = 0; w < grid->warps_per_block; w++)
            *state = add_warp(*state, &block->warps[w], block->registers + w * bytes, bytes);
        if (block->shared != NULL)
            *state = wm_hash_u64(*state ^ wm_hash_bytes(block->shared, grid->shared_bytes));
    }
    return true;
}
