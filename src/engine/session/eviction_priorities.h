// What the instructions of a kernel say of how long caches should keep their lines, read off their
// text: live and recorded work have the same; and what the machine's bypass list says in its place.
#ifndef WM_ENGINE_SESSION_EVICTION_PRIORITIES_H
#define WM_ENGINE_SESSION_EVICTION_PRIORITIES_H

#include "engine/session/work.h"

// By pc, and one more for requests of no instruction: bytes of
// mem/replacement/fractional_priority.h. NULL, both of them, where all is normal.
struct wm_eviction_priorities {
    uint8_t *l1, *l2; // owned
};

// False when the host is out of memory.
bool wm_eviction_priorities_init(struct wm_eviction_priorities *priorities,
                                 const struct wm_work *work);
// One instruction of `count` gets another priority at L1, or at L2. False when the host is out of
// memory.
bool wm_walk_priorities_set(struct wm_eviction_priorities *priorities, uint32_t count, uint32_t pc,
                            bool l2, enum wm_eviction_priority priority);
void wm_eviction_priorities_release(struct wm_eviction_priorities *priorities);

#endif
