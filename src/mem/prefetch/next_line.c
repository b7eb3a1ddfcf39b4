// The next lines (A. J. Smith, "Cache Memories", ACM Computing Surveys 14(3), 1982, section 2.1):
// prefetch on misses requests the lines behind a missed one; tagged prefetch does so, too, when a
// line is used for the first time that was prefetched, so that a stream is missed once.
#include "mem/prefetch/held_lines.h"

enum { MOST_LINES = 16 };

struct state {
    uint32_t lines;
    bool tagged;
    struct wm_held_lines held;
};

static void reset(void *state, const struct wm_prefetch_geometry *geometry)
{
    struct state *own = state;
    own->lines = (uint32_t)geometry->parameters[0];
    own->tagged = geometry->parameters[1] != 0;
    own->held.room = (uint32_t)geometry->parameters[2];
}

static void missed(void *state, const struct wm_prefetch_event *event,
                   struct wm_prefetch_answer *answer)
{
    struct state *own = state;
    answer->supplies = wm_held_lines_take(&own->held, event->line);
    if (answer->supplies && !own->tagged)
        return;
    for (uint32_t i = 1; i <= own->lines; i++)
        wm_held_lines_request(&own->held, event->line + i, answer);
}

static bool dropped(void *state, uint64_t line)
{
    return wm_held_lines_take(&((struct state *)state)->held, line);
}

static const struct wm_parameter parameters[] = {
    {"lines", "lines behind a missed one that are requested", 1, MOST_LINES, 1},
    {"tagged", "1: the first use of a line that was prefetched counts as a miss; 0: not", 0, 1, 1},
    {"held", "lines that wait for their first use at most", MOST_LINES, WM_MOST_HELD_LINES, 32},
};

const struct wm_prefetch_ops wm_prefetch_next_line = {
    .name = "next-line",
    .title = "next lines",
    .source = "Smith, Cache Memories, ACM Computing Surveys 14(3), 1982, section 2.1",
    .sentence = "the lines behind a miss, and behind the first use of one that was prefetched",
    .details =
        "With tagged=1 this is the article's tagged prefetch, with 0 its prefetch on misses.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .state_bytes = sizeof(struct state),
    .missed = missed,
    .dropped = dropped,
    .reset = reset,
};
