// The rare event of the bimodal entries (BIP, BRRIP and what duels with them): one in 32, the
// epsilon of Qureshi et al., ISCA 2007, and of Jaleel et al., ISCA 2010.
#ifndef WM_MEM_REPLACEMENT_BIMODAL_H
#define WM_MEM_REPLACEMENT_BIMODAL_H

#include "base/random.h"
#include "mem/replacement/replacement.h"

enum { WM_BIMODAL_THROTTLE = 32 };

static inline bool wm_bimodal_rare(struct wm_random *random)
{
    return wm_random_u64(random) < UINT64_MAX / WM_BIMODAL_THROTTLE + 1;
}

#endif
