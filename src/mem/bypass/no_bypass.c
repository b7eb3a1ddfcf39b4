// Every load and store uses L1, whatever its operator advises: the machine before operators, and
// the other end of the scale when they are to be judged.
#include "mem/bypass/entries.h"

static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    (void)event;
    return WM_BYPASS_NO;
}

const struct wm_bypass_ops wm_bypass_none = {
    .name = "none",
    .title = "no bypass",
    .source = "PTX ISA, 9.7.9.1: cache operators are performance hints only",
    .sentence = "every load and store uses the cache, whatever its operator",
    .decide = decide,
};
