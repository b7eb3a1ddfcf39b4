// The kind "prefetch": which lines a cache of any level requests before they are looked for. The
// contract is warpmem/plugin.h. An entry is one file, listed in entries.h.
#ifndef WM_MEM_PREFETCH_PREFETCH_H
#define WM_MEM_PREFETCH_PREFETCH_H

#include "warpmem/plugin.h"

// Every entry, in the order of lists and documentation; `*count` of them.
const struct wm_prefetch_ops *const *wm_prefetch_table(size_t *count);
// NULL when there is none of that name.
const struct wm_prefetch_ops *wm_prefetch_find(const char *name);

#endif
