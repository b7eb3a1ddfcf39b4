// Every entry of the kind "bypass", in the order of lists and documentation: its file defines
// wm_bypass_NAME, and this line is all that registers it. Apart from bypass.h, which much includes,
// so that an entry more compiles in seconds.
#ifndef WM_MEM_BYPASS_ENTRIES_H
#define WM_MEM_BYPASS_ENTRIES_H

#include "mem/bypass/bypass.h"

// clang-format off
#define WM_BYPASSES(X) \
    X(none) \
    X(cache_operator) \
    X(per_pc) \
    X(contention)
// clang-format on

#define WM_DECLARE_BYPASS(entry) extern const struct wm_bypass_ops wm_bypass_##entry;
WM_BYPASSES(WM_DECLARE_BYPASS)
#undef WM_DECLARE_BYPASS

#endif
