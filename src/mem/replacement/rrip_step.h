// The steps of srrip.c, brrip.c, drrip.c and ship.c, for predictions of WM_RRPV_BITS. All return
// the bit of the way that the line is in afterwards.
#ifndef WM_MEM_REPLACEMENT_RRIP_STEP_H
#define WM_MEM_REPLACEMENT_RRIP_STEP_H

#include "mem/replacement/rrip_bimodal.h"
#include "mem/replacement/ship.h"
#include "mem/replacement/step.h"

// Ages the set where the access displaces a line.
WM_STEP_INLINE uint32_t wm_rrip_step_choose(const struct wm_step_state *state,
                                            const struct wm_step_access *access, uint64_t *planes)
{
    uint64_t aged[WM_RRPV_MOST_BITS];
    uint32_t victim = (uint32_t)wm_rrip_oldest(planes, WM_RRPV_BITS, state->exist, aged);
    uint64_t displaces = wm_mask((access->equal | access->empty) == 0);
    for (uint32_t plane = 0; plane < WM_RRPV_BITS; plane++)
        planes[plane] = wm_select(displaces, aged[plane], planes[plane]);
    return wm_step_choose(access, victim);
}

// A hit is near-immediate, a line that comes in distant or long.
WM_STEP_INLINE void wm_rrip_step_predict(uint64_t *planes, const struct wm_step_access *access,
                                         uint32_t chosen, bool distant)
{
    uint64_t others = ~(uint64_t)chosen, come = chosen & access->if_miss;
    planes[0] = (planes[0] & others) | (come & wm_mask(distant));
    for (uint32_t plane = 1; plane < WM_RRPV_BITS; plane++)
        planes[plane] = (planes[plane] & others) | come;
}

WM_STEP_INLINE uint64_t *wm_rrip_step_planes(const struct wm_step_state *state, uint32_t set)
{
    return ((struct wm_rrip_word *)state->sets)[set].planes;
}

WM_STEP_INLINE uint32_t wm_rrip_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, bool bimodal)
{
    uint64_t *planes = wm_rrip_step_planes(state, access->set);
    uint32_t chosen = wm_rrip_step_choose(state, access, planes);
    bool distant = false;
    if (bimodal)
        distant = wm_bimodal_soon(&state->bimodal, access->set, access->miss, access->demand);
    wm_rrip_step_predict(planes, access, chosen, distant);
    return chosen;
}

// Streams have no instructions: all of what they ask for came by instruction 0.
WM_STEP_INLINE uint32_t wm_ship_step(struct wm_step_state *state,
                                     const struct wm_step_access *access)
{
    struct wm_ship *ship = state->array;
    uint64_t *planes = wm_rrip_step_planes(state, access->set);
    uint32_t chosen = wm_rrip_step_choose(state, access, planes);
    wm_ship_line *line =
        (wm_ship_line *)state->lines + access->set * state->ways + (uint32_t)__builtin_ctz(chosen);
    wm_ship_learn(ship, line, !access->miss, access->miss & (access->empty == 0));
    wm_ship_line signature =
        (wm_ship_line)wm_select(wm_mask(access->demand), 0, WM_SHIP_WRITE_BACK);
    *line = (wm_ship_line)wm_select(access->if_miss, signature, *line);
    wm_rrip_step_predict(planes, access, chosen, ship->counters[signature] == 0);
    return chosen;
}

#endif
