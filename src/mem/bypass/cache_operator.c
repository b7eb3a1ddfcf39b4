// The cache operators of PTX ISA 9.7.9.1 and the eviction priority L1::no_allocate of 9.7.9.2: .cg
// caches in L2 only, L1::no_allocate looks in L1 and takes no line there. .cs and L1::evict_first
// are about which line goes first, not about whether one is taken.
#include "mem/bypass/entries.h"

static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    return wm_bypass_by_operator(event->hint);
}

const struct wm_bypass_ops wm_bypass_cache_operator = {
    .name = "cache-operator",
    .title = "by cache operator",
    .source = "PTX ISA, 9.7.9.1 and 9.7.9.2",
    .sentence = "does what the instruction says: .cg goes around, L1::no_allocate takes no line",
    .decide = decide,
};
