// The step of pipp.c. A set stands in the chain's order (mem/ordered_set.h).
#ifndef WM_MEM_REPLACEMENT_PIPP_STEP_H
#define WM_MEM_REPLACEMENT_PIPP_STEP_H

#include "mem/replacement/pipp.h"
#include "mem/replacement/step.h"

// For at most WM_PIPP_AHEAD steps.
WM_STEP_INLINE void wm_pipp_step_begin(struct wm_step_state *state)
{
    struct wm_pipp *pipp = state->array;
    wm_pipp_draw(pipp, WM_PIPP_AHEAD);
    state->pipp_next = pipp->next;
    state->pipp_left = pipp->interval - pipp->accesses;
}

WM_STEP_INLINE void wm_pipp_step_end(const struct wm_step_state *state)
{
    struct wm_pipp *pipp = state->array;
    uint32_t accesses = pipp->interval - state->pipp_left;
    pipp->next = state->pipp_next;
    pipp->active[wm_pipp_party(state->sm)] += accesses - pipp->accesses;
    pipp->accesses = accesses;
}

// Returns the bit of the position that the word at `from` comes to.
WM_STEP_INLINE uint32_t wm_pipp_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t from)
{
    struct wm_pipp *pipp = state->array;
    uint32_t party = wm_pipp_party(state->sm);
    bool promotes = wm_pipp_promotes(pipp, party, state->pipp_next);
    state->pipp_next += !access->miss;
    uint32_t to = from >> wm_select(access->if_miss, pipp->targets[party] - 1, promotes);
    state->pipp_left -= access->demand;
    if (__builtin_expect(wm_pipp_may_monitor(pipp, access->set) & access->demand, 0))
        wm_pipp_monitor_set(pipp, access->set, party, access->line);
    if (__builtin_expect(state->pipp_left == 0, 0)) {
        wm_pipp_step_end(state);
        wm_pipp_partition(pipp);
        state->pipp_left = pipp->interval;
    }
    return to | (to == 0);
}

#endif
