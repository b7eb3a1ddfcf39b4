// The kind "replacement": which line of a set makes room for a new one.
//
// The contract itself is warpmem/plugin.h, the header that entries outside this tree are built
// from. Here an entry is one file, listed in entries.h.
#ifndef WM_MEM_REPLACEMENT_REPLACEMENT_H
#define WM_MEM_REPLACEMENT_REPLACEMENT_H

#include "warpmem/plugin.h"

enum { WM_REPLACEMENT_MAX_WAYS = 1024 }; // most ways that any array has

// Bytes of a set's state in an array of `ways`.
static inline size_t wm_replacement_set_bytes(const struct wm_replacement_ops *ops, uint32_t ways)
{
    return ops->set_state_bytes + ops->word_state_bytes * ((ways + 63) / 64);
}

// For owners whose sets stand in the chain's order (mem/cache/ordered_set.h): where the chain's
// answers put a line; the entry's hooks are called. Positions count lines; `others` is how many the
// set holds without the new one, `position` where the line that was hit stands.
uint32_t wm_replacement_insert_position(const struct wm_replacement_ops *ops,
                                        const struct wm_replacement_set *set, uint32_t others,
                                        const struct wm_replacement_event *event);
uint32_t wm_replacement_hit_position(const struct wm_replacement_ops *ops,
                                     const struct wm_replacement_set *set, uint32_t position,
                                     const struct wm_replacement_event *event);

// For owners: the three events, answered by the chain or by the entry's own hooks. The caller keeps
// the promises above (empty ways first, evict before insert).
int32_t wm_replacement_victim(const struct wm_replacement_ops *ops,
                              const struct wm_replacement_set *set,
                              const struct wm_replacement_event *event, const uint64_t *allowed);
// `others` is how many lines the set holds without the new one.
void wm_replacement_inserted(const struct wm_replacement_ops *ops,
                             const struct wm_replacement_set *set, uint32_t way, uint32_t others,
                             const struct wm_replacement_event *event);
void wm_replacement_touched(const struct wm_replacement_ops *ops,
                            const struct wm_replacement_set *set, uint32_t way,
                            const struct wm_replacement_event *event);

// Every entry, in the order of lists and documentation; `*count` of them.
const struct wm_replacement_ops *const *wm_replacement_table(size_t *count);
// Whether anything that the entry does may depend on the requester (pc, warp, sm, kind, hint): true
// of entries that are not known here.
bool wm_replacement_sees_requester(const struct wm_replacement_ops *ops);
// NULL when there is none of that name.
const struct wm_replacement_ops *wm_replacement_find(const char *name);

#endif
