// What BRRIP and DRRIP keep: which lines come in long is bimodal (mem/replacement/bimodal.h).
// Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_RRIP_BIMODAL_H
#define WM_MEM_REPLACEMENT_RRIP_BIMODAL_H

#include "mem/replacement/bimodal.h"
#include "mem/replacement/rrip.h"

struct wm_rrip_bimodal {
    struct wm_rrip rrip;
    struct wm_bimodal bimodal;
};

#endif
