// Every entry of the kind "prefetch", in the order of lists and documentation: its file defines
// wm_prefetch_NAME, and this line is all that registers it. Private to mem/.
#ifndef WM_MEM_PREFETCH_ENTRIES_H
#define WM_MEM_PREFETCH_ENTRIES_H

#include "mem/prefetch/prefetch.h"

// clang-format off
#define WM_PREFETCHES(X) \
    X(none) \
    X(stream_buffer) \
    X(next_line) \
    X(stride)
// clang-format on

#define WM_DECLARE_PREFETCH(entry) extern const struct wm_prefetch_ops wm_prefetch_##entry;
WM_PREFETCHES(WM_DECLARE_PREFETCH)
#undef WM_DECLARE_PREFETCH

#endif
