// What SHiP (ship.c) keeps, for its hooks and its step.
#ifndef WM_MEM_REPLACEMENT_SHIP_H
#define WM_MEM_REPLACEMENT_SHIP_H

#include "mem/replacement/rrip.h"

enum {
    WM_SHIP_MOST_SIGNATURE_BITS = 14,
    WM_SHIP_WRITE_BACK = 1 << WM_SHIP_MOST_SIGNATURE_BITS, // the signature of victims from above
    WM_SHIP_OUTCOME = 0x8000, // in a line's state, beside its signature
};

struct wm_ship {
    struct wm_rrip rrip;
    uint32_t signature_bits, signature_mask;
    uint8_t counter_max;
    uint8_t counters[WM_SHIP_WRITE_BACK + 1];
};

typedef uint16_t wm_ship_line; // signature and outcome

static inline wm_ship_line wm_ship_signature(const struct wm_ship *ship, uint32_t pc,
                                             bool write_back)
{
    uint32_t folded = pc;
    for (uint32_t rest = pc; (rest >>= ship->signature_bits) != 0;)
        folded ^= rest;
    return write_back ? WM_SHIP_WRITE_BACK : (wm_ship_line)(folded & ship->signature_mask);
}

// The line was hit, or it leaves, or neither: its signature learns. Without branches, for the step.
static inline void wm_ship_learn(struct wm_ship *ship, wm_ship_line *line, bool hit, bool leaves)
{
    uint8_t *counter = &ship->counters[*line & ~WM_SHIP_OUTCOME];
    bool unused = (*line & WM_SHIP_OUTCOME) == 0;
    *counter = (uint8_t)(*counter + (hit & (*counter < ship->counter_max)) -
                         (leaves & unused & (*counter > 0)));
    *line = (wm_ship_line)(*line | (WM_SHIP_OUTCOME & wm_mask(hit)));
}

#endif
