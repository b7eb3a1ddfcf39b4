// The kind "bypass": which loads and stores go past L1. The contract is warpmem/plugin.h, the
// header that entries outside this tree are built from. Here an entry is one file, listed in
// entries.h.
//
// "To bypass" means different things in the literature: some machines look a request up and only
// keep it from taking a line, others do not look. So an entry may leave it to the machine
// (WM_BYPASS_YES and enum wm_bypass_means), or say which it means, as PTX does of its operators.
#ifndef WM_MEM_BYPASS_BYPASS_H
#define WM_MEM_BYPASS_BYPASS_H

#include "warpmem/plugin.h"

// Every entry, in the order of lists and documentation; `*count` of them.
const struct wm_bypass_ops *const *wm_bypass_table(size_t *count);
// NULL when there is none of that name.
const struct wm_bypass_ops *wm_bypass_find(const char *name);

// What the cache operators of PTX mean: the answer of cache-operator, which owners may give without
// calling it.
static inline enum wm_bypass_decision wm_bypass_by_operator(enum wm_cache_hint hint)
{
    return hint == WM_HINT_L2_ONLY ? WM_BYPASS_LOOKUP
           : hint == WM_HINT_NO_L1 ? WM_BYPASS_ALLOCATION
                                   : WM_BYPASS_NO;
}

#endif
