// What the instructions of a kernel say of how long caches should keep their lines, read off their
// text: live and recorded work have the same. Private to engine/session/.
#ifndef WM_ENGINE_SESSION_EVICTION_PRIORITIES_H
#define WM_ENGINE_SESSION_EVICTION_PRIORITIES_H

#include "engine/session/work.h"

// By pc, and one more for what no instruction asks for: bytes of
// mem/replacement/fractional_priority.h. NULL, both of them, where all is normal.
struct wm_eviction_priorities {
    uint8_t *l1, *l2; // owned
};

// False when the host is out of memory.
bool wm_eviction_priorities_init(struct wm_eviction_priorities *priorities,
                                 const struct wm_work *work);
void wm_eviction_priorities_release(struct wm_eviction_priorities *priorities);

#endif
