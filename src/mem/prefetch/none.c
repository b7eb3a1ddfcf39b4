// No prefetching. Owners do not call it.
#include "mem/prefetch/entries.h"

static void missed(void *state, const struct wm_prefetch_event *event,
                   struct wm_prefetch_answer *answer)
{
    (void)state;
    (void)event;
    (void)answer;
}

static bool dropped(void *state, uint64_t line)
{
    (void)state;
    (void)line;
    return false;
}

const struct wm_prefetch_ops wm_prefetch_none = {
    .name = "none",
    .title = "nothing",
    .source = "demand fetching",
    .sentence = "no line is requested before it is looked for",
    .missed = missed,
    .dropped = dropped,
};
