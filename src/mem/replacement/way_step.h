// The steps of random_way.c, plru.c and nru.c. All return the bit of the way that the line is in
// afterwards. Private to mem/.
#ifndef WM_MEM_REPLACEMENT_WAY_STEP_H
#define WM_MEM_REPLACEMENT_WAY_STEP_H

#include "mem/replacement/plru.h"
#include "mem/replacement/random_way.h"
#include "mem/replacement/step.h"

_Static_assert((int)WM_RANDOM_WAYS >= (int)WM_STEPS, "a way for each step");

WM_STEP_INLINE void wm_random_step_begin(struct wm_step_state *state)
{
    struct wm_random_way *random = state->array;
    wm_random_way_draw(random, state->ways, WM_RANDOM_WAYS);
    state->drawn_next = random->drawn.next;
}

WM_STEP_INLINE void wm_random_step_end(const struct wm_step_state *state)
{
    struct wm_random_way *random = state->array;
    random->drawn.next = state->drawn_next;
}

WM_STEP_INLINE uint32_t wm_random_step(struct wm_step_state *state,
                                       const struct wm_step_access *access)
{
    const struct wm_random_way *random = state->array;
    uint32_t way = random->ways[state->drawn_next % WM_RANDOM_WAYS];
    state->drawn_next += (access->equal | access->empty) == 0;
    return wm_step_choose(access, UINT32_C(1) << way);
}

WM_STEP_INLINE uint32_t wm_plru_step_leaf(const struct wm_step_state *state, uint64_t right,
                                          uint32_t stride)
{
    uint32_t node = 1, ways = state->ways;
    if (stride <= WM_PLRU_LOOKUP_WAYS)
        return wm_plru_leaf(state->array, right, ways);
    for (uint32_t reached = 1; 2 * reached <= ways; reached *= 2)
        node = 2 * node + (uint32_t)(right >> node & 1);
    // Leaves may lie on two levels.
    uint32_t child = 2 * node + (uint32_t)(right >> node & 1);
    return (uint32_t)wm_select(wm_select_mask(node < ways), child, node);
}

WM_STEP_INLINE uint32_t wm_plru_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t stride)
{
    uint64_t *right = (uint64_t *)state->sets + access->set;
    uint32_t node = wm_plru_step_leaf(state, *right, stride), ways = state->ways;
    uint32_t chosen = wm_step_choose(access, UINT32_C(1) << (node - ways));
    *right = wm_plru_turned(state->array, *right, (uint32_t)__builtin_ctz(chosen));
    return chosen;
}

WM_STEP_INLINE uint32_t wm_nru_step(struct wm_step_state *state,
                                    const struct wm_step_access *access)
{
    uint64_t *used = (uint64_t *)state->sets + access->set;
    uint32_t were = (uint32_t)*used, unused = ~were & state->ways_mask;
    uint32_t turn = (uint32_t)wm_select_mask((access->equal | access->empty | unused) == 0);
    unused = (uint32_t)wm_select(wm_select_mask(unused != 0), unused, state->ways_mask);
    uint32_t chosen = wm_step_choose(access, unused & (0 - unused));
    *used = (were & ~turn) | chosen;
    return chosen;
}

#endif
