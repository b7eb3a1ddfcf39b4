// A reference prediction table (T.-F. Chen, J.-L. Baer, "Effective hardware-based data prefetching
// for high-performance processors", IEEE Transactions on Computers 44(5), 1995, section 3.1): the
// last address and the stride of each load, by its pc, with a state that says how far the stride is
// to be trusted. Here it is trained by lines, with what a cache misses and the first uses of what
// was prefetched, as a table behind a cache would be; on a GPU each warp has entries of its own, as
// addresses of one instruction follow each other within a warp.
#include "mem/prefetch/held_lines.h"

enum { MOST_ENTRIES = 256, MOST_LINES = 8 };

// The paper's states, in its figure 4.
enum trust { INITIAL, TRANSIENT, STEADY, NO_PREDICTION };

struct entry {
    uint32_t pc, warp;
    bool is_there;
    uint8_t trust;
    uint64_t last;
    int64_t stride;
};

struct state {
    uint32_t entries, lines;
    struct wm_held_lines held;
    struct entry table[MOST_ENTRIES]; // direct-mapped
};

static void reset(void *state, const struct wm_prefetch_geometry *geometry)
{
    struct state *own = state;
    own->entries = (uint32_t)geometry->parameters[0];
    own->lines = (uint32_t)geometry->parameters[1];
    own->held.room = (uint32_t)geometry->parameters[2];
}

// The entry's state after a line of its load. A stride that was steady is kept for once.
static void train(struct entry *entry, uint64_t line)
{
    static const uint8_t right[] = {STEADY, STEADY, STEADY, TRANSIENT};
    static const uint8_t wrong[] = {TRANSIENT, NO_PREDICTION, INITIAL, NO_PREDICTION};
    int64_t stride = (int64_t)(line - entry->last);
    bool was_steady = entry->trust == STEADY;
    if (stride == entry->stride) {
        entry->trust = right[entry->trust];
    } else {
        entry->trust = wrong[entry->trust];
        entry->stride = was_steady ? entry->stride : stride;
    }
    entry->last = line;
}

static void missed(void *state, const struct wm_prefetch_event *event,
                   struct wm_prefetch_answer *answer)
{
    struct state *own = state;
    struct entry *entry = &own->table[(event->pc ^ event->warp) % own->entries];
    answer->supplies = wm_held_lines_take(&own->held, event->line);
    if (!entry->is_there || entry->pc != event->pc || entry->warp != event->warp) {
        *entry = (struct entry){
            .pc = event->pc, .warp = event->warp, .is_there = true, .last = event->line};
        return;
    }
    train(entry, event->line);
    if (entry->trust == NO_PREDICTION || entry->stride == 0)
        return;
    uint64_t line = event->line;
    for (uint32_t i = 0; i < own->lines; i++) {
        if (entry->stride < 0 && line < (uint64_t)-entry->stride)
            return; // before address 0
        line += (uint64_t)entry->stride;
        wm_held_lines_request(&own->held, line, answer);
    }
}

static bool dropped(void *state, uint64_t line)
{
    return wm_held_lines_take(&((struct state *)state)->held, line);
}

static const struct wm_parameter parameters[] = {
    {"entries", "instructions whose strides are remembered", 1, MOST_ENTRIES, 64},
    {"lines", "lines ahead that are requested, a stride apart", 1, MOST_LINES, 2},
    {"held", "lines that wait for their first use at most", MOST_LINES, WM_MOST_HELD_LINES, 32},
};

const struct wm_prefetch_ops wm_prefetch_stride = {
    .name = "stride",
    .title = "strides by instruction",
    .source = "Chen and Baer, Effective hardware-based data prefetching for high-performance "
              "processors, IEEE Transactions on Computers 44(5), 1995, section 3.1",
    .sentence = "lines a stride ahead, by a table of each instruction's last line and stride",
    .details = "The table is trained with lines that the cache misses and with first uses of lines "
               "that were prefetched, not with all addresses. On a GPU each warp of an instruction "
               "has entries of its own.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .state_bytes = sizeof(struct state),
    .missed = missed,
    .dropped = dropped,
    .reset = reset,
};
