// Every entry of the kind "replacement", in the order of lists and documentation: its file defines
// wm_replacement_NAME, and this line is all that registers it. Apart from replacement.h, which much
// includes, so that an entry more compiles in seconds.
#ifndef WM_MEM_REPLACEMENT_ENTRIES_H
#define WM_MEM_REPLACEMENT_ENTRIES_H

#include "mem/replacement/replacement.h"

// clang-format off
#define WM_REPLACEMENTS(X) \
    X(lru) \
    X(fifo) \
    X(random) \
    X(plru) \
    X(nru) \
    X(lip) \
    X(bip) \
    X(dip) \
    X(srrip) \
    X(brrip) \
    X(drrip) \
    X(ship) \
    X(pipp) \
    X(priority) \
    X(opt)
// clang-format on

#define WM_DECLARE_REPLACEMENT(entry) extern const struct wm_replacement_ops wm_replacement_##entry;
WM_REPLACEMENTS(WM_DECLARE_REPLACEMENT)
#undef WM_DECLARE_REPLACEMENT

#endif
