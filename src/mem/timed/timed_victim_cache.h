// The victim cache of an L1 in time (docs/memory-system.md, R7): what
// mem/access_path/victim_cache.h does at once. Lines on their way keep their ways in L1, and do not
// pass to it. Private to mem/timed/.
#ifndef WM_MEM_TIMED_TIMED_VICTIM_CACHE_H
#define WM_MEM_TIMED_TIMED_VICTIM_CACHE_H

#include "mem/cache/cache.h"

// `line`, which the victim cache has and L1 has not, goes into L1, and what that displaces takes
// its place. False where L1 refuses it: then it leaves both, and `*left` is what to write back.
bool wm_victim_cache_swap(struct wm_cache *victims, struct wm_cache *l1, uint64_t line,
                          const struct wm_requester *requester, struct wm_cache_victim *left);
// L1 displaced `*victim`, which enters; after it `*victim` is what leaves in turn.
void wm_victim_cache_insert(struct wm_cache *victims, struct wm_cache *l1,
                            struct wm_cache_victim *victim, const struct wm_requester *requester);
// Counts an access for which L1 had no line: `found` with its sectors `valid`, or not.
void wm_victim_cache_count(struct wm_cache *victims, enum wm_cache_client client, uint32_t sectors,
                           bool found, uint32_t valid);
// The sectors of `line` there; `*found` whether it is.
uint32_t wm_victim_cache_valid(const struct wm_cache *victims, uint64_t line, bool *found);

#endif
