// Chance drawn ahead. Entries that decide by chance do so from a ring of what was drawn before, so
// that a stream's steps (mem/replacement/step.h) neither branch nor call where one access decides
// and the next does not: what is ready for the whole batch is drawn before it, and a step moves
// `next` on. The order is that of drawing one by one. Private to mem/replacement/.
#ifndef WM_MEM_REPLACEMENT_PREDRAWN_H
#define WM_MEM_REPLACEMENT_PREDRAWN_H

#include <stdint.h>

// How many were drawn and used, modulo 2^32.
struct wm_predrawn {
    uint32_t end, next;
};

static inline uint32_t wm_predrawn_ready(const struct wm_predrawn *drawn)
{
    return drawn->end - drawn->next;
}

#endif
