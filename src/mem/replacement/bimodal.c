#include "mem/replacement/bimodal.h"

uint64_t wm_bimodal_draw(struct wm_bimodal_events *events)
{
    uint64_t open = UINT64_MAX, rare = 0; // open: as the limit so far
    for (uint64_t bit = UINT64_C(1) << 63; bit != 0 && open != 0; bit >>= 1) {
        uint64_t word = wm_random_u64(&events->random);
        bool limit = (events->rare_through & bit) != 0;
        rare |= limit ? open & ~word : 0; // below it
        open &= limit ? word : ~word;
    }
    return ((rare | open) & INT64_MAX) | UINT64_C(1) << WM_BIMODAL_WORD_EVENTS;
}
