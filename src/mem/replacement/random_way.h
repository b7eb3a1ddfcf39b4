// What the random entry (random_way.c) keeps, for its hook and its step.
// Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_RANDOM_WAY_H
#define WM_MEM_REPLACEMENT_RANDOM_WAY_H

#include "base/numbers/random.h"
#include "mem/replacement/predrawn.h"

enum { WM_RANDOM_WAYS = 1024 }; // drawn ahead, a power of two

struct wm_random_way {
    struct wm_random random;
    struct wm_predrawn drawn;
    uint16_t ways[WM_RANDOM_WAYS]; // of all ways, in the order in which they are displaced
};

// Until `count`, at most WM_RANDOM_WAYS, are ready.
static inline void wm_random_way_draw(struct wm_random_way *state, uint32_t ways, uint32_t count)
{
    while (wm_predrawn_ready(&state->drawn) < count)
        state->ways[state->drawn.end++ % WM_RANDOM_WAYS] =
            (uint16_t)wm_random_below(&state->random, ways);
}

#endif
