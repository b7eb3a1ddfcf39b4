// The step of pipp.c. A set stands in the chain's order (mem/ordered_set.h).
#ifndef WM_MEM_REPLACEMENT_PIPP_STEP_H
#define WM_MEM_REPLACEMENT_PIPP_STEP_H

#include "mem/replacement/pipp.h"
#include "mem/replacement/step.h"

// Returns the bit of the position that the word at `from` comes to.
WM_STEP_INLINE uint32_t wm_pipp_step(struct wm_step_state *state,
                                     const struct wm_step_access *access, uint32_t from)
{
    struct wm_pipp *pipp = state->array;
    uint32_t party = wm_pipp_party(state->sm);
    bool promotes = wm_pipp_promotes(pipp, party, !access->miss);
    uint32_t to = from >> wm_select(access->if_miss, pipp->targets[party] - 1, promotes);
    wm_pipp_listen(pipp, access->set, party, access->line, access->demand);
    return to | (to == 0);
}

#endif
