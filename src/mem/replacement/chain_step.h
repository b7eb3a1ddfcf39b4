// The steps of the entries whose lines come in at either end of the chain: fifo.c, lip.c, bip.c and
// dip.c. A set stands in the chain's order (mem/ordered_set.h); the word at `from` moves.
#ifndef WM_MEM_REPLACEMENT_CHAIN_STEP_H
#define WM_MEM_REPLACEMENT_CHAIN_STEP_H

#include "mem/replacement/step.h"

WM_STEP_INLINE void wm_chain_step_begin(struct wm_step_state *state,
                                        const struct wm_replacement_ops *ops)
{
    state->hit_stays = ops->promote_by == 0 ? UINT32_MAX : 0;
    state->insert_stays = ops->insert_at != 0 ? UINT32_MAX : 0;
}

// All return the bit of the position that the line comes to. A line that is inserted last takes the
// place it has displaced: the first empty one, or the last.
WM_STEP_INLINE uint32_t wm_chain_step(const struct wm_step_state *state,
                                      const struct wm_step_access *access, uint32_t from)
{
    uint32_t stays = (uint32_t)wm_select(access->if_miss, state->insert_stays, state->hit_stays);
    return (from & stays) | (1 & ~stays);
}

WM_STEP_INLINE uint32_t wm_bimodal_step(struct wm_step_state *state,
                                        const struct wm_step_access *access, uint32_t from,
                                        bool duels)
{
    struct wm_bimodal *bimodal = &state->bimodal;
    bool soon = duels ? wm_bimodal_duel_soon(bimodal, access->set, access->miss, access->demand)
                      : wm_bimodal_soon(&bimodal->events, access->miss);
    return (uint32_t)wm_select(wm_mask(soon), from, 1);
}

#endif
