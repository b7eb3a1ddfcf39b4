#include "bypass/load_hint.h"

static const struct {
    const char *name;
    enum wm_ptx_modifier modifier;
} words[WM_LOAD_WORDS] = {
    [WM_LOAD_CA] = {"ca", WM_PTX_ca},
    [WM_LOAD_CG] = {"cg", WM_PTX_cg},
    [WM_LOAD_L1_NO_ALLOCATE] = {"L1::no_allocate", WM_PTX_L1_no_allocate},
    [WM_LOAD_L1_EVICT_FIRST] = {"L1::evict_first", WM_PTX_L1_evict_first},
    [WM_LOAD_L1_EVICT_LAST] = {"L1::evict_last", WM_PTX_L1_evict_last},
    [WM_LOAD_L2_NORMAL] = {"L2::evict_normal", WM_PTX_none},
    [WM_LOAD_L2_EVICT_FIRST] = {"L2::evict_first", WM_PTX_L2_evict_first},
    [WM_LOAD_L2_EVICT_LAST] = {"L2::evict_last", WM_PTX_L2_evict_last},
};

const char *wm_load_word_name(enum wm_load_word word)
{
    return words[word].name;
}

enum wm_ptx_modifier wm_load_word_modifier(enum wm_load_word word)
{
    return words[word].modifier;
}
