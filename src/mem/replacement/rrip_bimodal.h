// What BRRIP and DRRIP keep: which lines come in long is bimodal (mem/replacement/bimodal.h).
#ifndef WM_MEM_REPLACEMENT_RRIP_BIMODAL_H
#define WM_MEM_REPLACEMENT_RRIP_BIMODAL_H

#include "mem/replacement/bimodal.h"
#include "mem/replacement/rrip.h"

struct wm_rrip_bimodal {
    struct wm_rrip rrip;
    struct wm_bimodal bimodal;
};

static inline void wm_rrip_bimodal_insert(const struct wm_replacement_set *set, uint32_t way,
                                          const struct wm_replacement_event *event)
{
    struct wm_rrip_bimodal *state = set->array;
    bool distant = wm_bimodal_soon(&state->bimodal, set->index, true, !event->write_back);
    wm_rrip_insert(set->set, state->rrip.bits, way, distant);
}

#endif
