// By instruction: the loads and stores of a list bypass, or do as if they were marked with another
// operator or eviction priority; the others do as their own say. Priorities are not this entry's
// matter: the replacement obeys them (engine/session/eviction_priorities.h).
// Which ones pay is found out beforehand: X. Xie, Y. Liang, G. Sun and D. Chen, "An efficient
// compiler framework for cache bypassing on GPUs", ICCAD 2013, decides for each global load of a
// kernel and lets the compiler mark it.
#include "mem/bypass/entries.h"

static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    switch (event->listed) {
    case WM_BYPASS_LISTED_BYPASS: return WM_BYPASS_YES;
    case WM_BYPASS_LISTED_CACHE: return WM_BYPASS_NO;
    case WM_BYPASS_LISTED_L2: return WM_BYPASS_LOOKUP;
    case WM_BYPASS_LISTED_NO_ALLOCATE: return WM_BYPASS_ALLOCATION;
    case WM_BYPASS_LISTED_NOT: break;
    }
    return wm_bypass_by_operator(event->hint);
}

const struct wm_bypass_ops wm_bypass_per_pc = {
    .name = "per-pc",
    .title = "by instruction",
    .source = "Xie, Liang, Sun and Chen, An efficient compiler framework for cache bypassing on "
              "GPUs, ICCAD 2013",
    .sentence =
        "the instructions of gpu.l1.bypass_list bypass, the others do as their operators say",
    .decide = decide,
};
