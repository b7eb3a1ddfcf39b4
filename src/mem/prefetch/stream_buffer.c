// Stream buffers (N. P. Jouppi, "Improving direct-mapped cache performance by the addition of a
// small fully-associative cache and prefetch buffers", ISCA 1990, section 4): first-in-first-out
// queues of consecutive lines. A miss looks at the head of each. A line there moves to the cache,
// the others move up, and the next one is requested (section 4.1); a miss that no head has empties
// the buffer that was used longest ago and begins it anew with the lines behind the missed one
// (section 4.2, multi-way stream buffers).
//
// Lines behind the head are not compared, as in the paper: a miss on one of them is a miss.
#include "mem/prefetch/entries.h"

#include <string.h>

enum { MOST_BUFFERS = 16, MOST_LINES = WM_MOST_PREFETCHES };

// Consecutive lines, from `head` on; those of `stale` may not be supplied.
struct buffer {
    uint64_t head;
    uint32_t count; // 0: it is empty
    uint32_t stale; // bit i: line head + i
};

// Buffers in the order of use, the last one first.
struct state {
    uint32_t buffers, lines;
    struct buffer buffer[MOST_BUFFERS];
};

static void reset(void *state, const struct wm_prefetch_geometry *geometry)
{
    struct state *own = state;
    own->buffers = (uint32_t)geometry->parameters[0];
    own->lines = (uint32_t)geometry->parameters[1];
}

static struct buffer *use_first(struct state *own, uint32_t index)
{
    struct buffer used = own->buffer[index];
    memmove(&own->buffer[1], &own->buffer[0], index * sizeof used);
    own->buffer[0] = used;
    return &own->buffer[0];
}

static void missed(void *state, const struct wm_prefetch_event *event,
                   struct wm_prefetch_answer *answer)
{
    struct state *own = state;
    for (uint32_t i = 0; i < own->buffers; i++) {
        if (own->buffer[i].count == 0 || own->buffer[i].head != event->line)
            continue;
        struct buffer *buffer = use_first(own, i);
        answer->supplies = (buffer->stale & 1) == 0;
        answer->lines[answer->count++] = buffer->head + buffer->count;
        buffer->head++;
        buffer->stale >>= 1;
        return;
    }
    struct buffer *buffer = use_first(own, own->buffers - 1);
    *buffer = (struct buffer){.head = event->line + 1, .count = own->lines};
    for (uint32_t i = 0; i < own->lines; i++)
        answer->lines[answer->count++] = buffer->head + i;
}

static bool dropped(void *state, uint64_t line)
{
    struct state *own = state;
    bool held = false;
    for (uint32_t i = 0; i < own->buffers; i++) {
        uint64_t at = line - own->buffer[i].head;
        if (at >= own->buffer[i].count)
            continue;
        held |= (own->buffer[i].stale >> at & 1) == 0;
        own->buffer[i].stale |= UINT32_C(1) << at;
    }
    return held;
}

static const struct wm_parameter parameters[] = {
    {"buffers", "buffers of each cache, each for a stream of its own", 1, MOST_BUFFERS, 4},
    {"lines", "lines that each buffer holds", 1, MOST_LINES - 1, 4},
};

const struct wm_prefetch_ops wm_prefetch_stream_buffer = {
    .name = "stream-buffer",
    .title = "stream buffers",
    .source = "Jouppi, Improving direct-mapped cache performance by the addition of a small "
              "fully-associative cache and prefetch buffers, ISCA 1990, section 4",
    .sentence = "the lines behind a miss, which wait in queues next to the cache",
    .details = "A miss takes its line from the head of a queue, whose next line is requested then; "
               "a miss that no head has begins the queue anew that was used longest ago. The "
               "paper has one or four buffers of four lines, beside a first-level cache.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .state_bytes = sizeof(struct state),
    .missed = missed,
    .dropped = dropped,
    .reset = reset,
};
