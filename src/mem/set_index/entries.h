// Every entry of the kind "set index", in the order of lists and documentation: its file defines
// wm_set_index_NAME, and this line is all that registers it. Apart from set_index.h, which much
// includes, so that an entry more compiles in seconds. Private to mem/.
#ifndef WM_MEM_SET_INDEX_ENTRIES_H
#define WM_MEM_SET_INDEX_ENTRIES_H

#include "mem/set_index/set_index.h"

// clang-format off
#define WM_SET_INDICES(X) \
    X(modulo) \
    X(xor) \
    X(fermi_hash) \
    X(ipoly)
// clang-format on

#define WM_DECLARE_SET_INDEX(entry) extern const struct wm_set_index_ops wm_set_index_##entry;
WM_SET_INDICES(WM_DECLARE_SET_INDEX)
#undef WM_DECLARE_SET_INDEX

#endif
