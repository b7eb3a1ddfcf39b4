// An L1 in time with a victim cache: which of the two an access finds its line in, and how the two
// exchange lines. Private to mem/timed/.
#ifndef WM_MEM_TIMED_L1_VICTIMS_H
#define WM_MEM_TIMED_L1_VICTIMS_H

#include "mem/timed/timed_l1.h"

// L1, or its victim cache where only that has the line.
struct wm_cache *wm_l1_holder_of(const struct wm_timed_l1 *l1, uint64_t line);
// wm_l1_look_up of an L1 with a victim cache: a line that only that has goes to L1 first.
enum wm_stall wm_l1_look_up_with_victims(struct wm_timed_l1 *l1, uint64_t cycle,
                                         const struct wm_request *request, uint64_t token,
                                         bool allocate, uint32_t *waits, uint32_t *missing);
// Of an L1 with a victim cache, more sectors come of a line that L1 displaced meanwhile: it goes
// back first. What it displaces leaves on behalf of `request`.
void wm_l1_bring_back(struct wm_timed_l1 *l1, uint64_t cycle, uint64_t line,
                      const struct wm_request *request, const struct wm_requester *requester);

#endif
