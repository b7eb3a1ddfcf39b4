// A load's hints for L1 and L2: the qualifiers of ld (PTX ISA, ld: cache operators, eviction
// priorities, cache policies). A "word" is one of them. Private to bypass/.
#ifndef WM_BYPASS_LOAD_HINT_H
#define WM_BYPASS_LOAD_HINT_H

#include "ptx/ptx.h"

// Of each level in the order in which they are preferred where they save the same: those that more
// GPUs know come first.
enum wm_load_word {
    WM_LOAD_CA,
    WM_LOAD_CG,
    WM_LOAD_L1_NO_ALLOCATE,
    WM_LOAD_L1_EVICT_FIRST,
    WM_LOAD_L1_EVICT_LAST,
    WM_LOAD_L1_WORDS,
    WM_LOAD_L2_NORMAL = WM_LOAD_L1_WORDS, // no word for L2
    WM_LOAD_L2_EVICT_FIRST,
    WM_LOAD_L2_EVICT_LAST,
    WM_LOAD_WORDS
};

struct wm_load_hint {
    enum wm_load_word l1, l2;
};

// As a bypass list and reports have it: "cg", "L1::evict_first"; WM_LOAD_L2_NORMAL:
// "L2::evict_normal".
const char *wm_load_word_name(enum wm_load_word word);
// As ptx/rewrite.h takes it: WM_PTX_cg; WM_PTX_none for WM_LOAD_L2_NORMAL.
enum wm_ptx_modifier wm_load_word_modifier(enum wm_load_word word);

#endif
