#include "obvious_tracker.h"

#include <string.h>

void obvious_tracker_init(struct obvious_tracker *tracker, const struct wm_tracker_spec *spec,
                          uint32_t holders)
{
    memset(tracker, 0, sizeof *tracker);
    tracker->spec = *spec;
    tracker->sharers = spec->sharers < holders ? spec->sharers : holders;
}

static struct wm_tracker_counters *bank_of(struct obvious_tracker *tracker, uint64_t line)
{
    return &tracker->counters[line % tracker->spec.banks];
}

static int place(const struct obvious_tracker *tracker, uint64_t line)
{
    for (uint32_t i = 0; i < tracker->count; i++)
        if (tracker->entries[i].line == line)
            return (int)i;
    return -1;
}

const struct obvious_entry *obvious_tracker_find(const struct obvious_tracker *tracker,
                                                 uint64_t line)
{
    int at = place(tracker, line);
    return at >= 0 ? &tracker->entries[at] : NULL;
}

static void drop(struct obvious_tracker *tracker, uint32_t at)
{
    memmove(&tracker->entries[at], &tracker->entries[at + 1],
            (--tracker->count - at) * sizeof tracker->entries[0]);
}

static struct obvious_entry *use(struct obvious_tracker *tracker, uint32_t at)
{
    struct obvious_entry moved = tracker->entries[at];
    drop(tracker, at);
    tracker->entries[tracker->count++] = moved;
    return &tracker->entries[tracker->count - 1];
}

int32_t obvious_tracker_look_up(struct obvious_tracker *tracker, uint64_t line, uint32_t who)
{
    int at = place(tracker, line);
    struct obvious_entry *entry = at >= 0 ? &tracker->entries[at] : NULL;
    bank_of(tracker, line)->lookups++;
    for (uint32_t tried = 0; entry != NULL && tried < entry->count; tried++) {
        uint32_t turn = (entry->turn + tried) % entry->count, holder = entry->holders[turn];
        if (holder == who)
            continue;
        entry->turn = turn + 1;
        use(tracker, (uint32_t)at);
        bank_of(tracker, line)->hits++;
        return (int32_t)holder;
    }
    bank_of(tracker, line)->misses++;
    return -1;
}

static void forget(struct obvious_entry *entry, uint32_t at)
{
    for (uint32_t i = at; i + 1 < entry->count; i++)
        entry->holders[i] = entry->holders[i + 1];
    entry->count--;
    entry->turn -= entry->turn > at;
}

static uint32_t place_in(const struct obvious_entry *entry, uint32_t who)
{
    uint32_t at = 0;
    while (at < entry->count && entry->holders[at] != who)
        at++;
    return at;
}

// A set that is full loses what was used least recently.
static uint32_t new_entry(struct obvious_tracker *tracker, uint64_t line)
{
    uint32_t in_set = 0, oldest = 0;
    for (uint32_t i = tracker->count; i-- > 0;)
        if (tracker->entries[i].line % tracker->spec.sets == line % tracker->spec.sets) {
            in_set++;
            oldest = i;
        }
    bool full = in_set == tracker->spec.ways;
    bank_of(tracker, line)->allocations++;
    bank_of(tracker, line)->evictions += full;
    if (full)
        drop(tracker, oldest);
    tracker->entries[tracker->count] = (struct obvious_entry){.line = line};
    return tracker->count++;
}

void obvious_tracker_add(struct obvious_tracker *tracker, uint64_t line, uint32_t who)
{
    int at = place(tracker, line);
    struct obvious_entry *entry = use(tracker, at >= 0 ? (uint32_t)at : new_entry(tracker, line));
    if (place_in(entry, who) < entry->count)
        return;
    struct wm_tracker_counters *counters = bank_of(tracker, line);
    if (entry->count == tracker->sharers) {
        bool first = tracker->spec.keep == WM_TRACKER_KEEPS_FIRST;
        *(first ? &counters->sharers_refused : &counters->sharers_replaced) += 1;
        if (first)
            return;
        forget(entry, 0);
    }
    counters->sharers_added++;
    entry->holders[entry->count++] = who;
}

void obvious_tracker_remove(struct obvious_tracker *tracker, uint64_t line, uint32_t who)
{
    int at = place(tracker, line);
    uint32_t holder = at >= 0 ? place_in(&tracker->entries[at], who) : 0;
    if (at < 0 || holder == tracker->entries[at].count)
        return;
    forget(&tracker->entries[at], holder);
    bank_of(tracker, line)->sharers_removed++;
    if (tracker->entries[at].count == 0)
        drop(tracker, (uint32_t)at);
}

void obvious_tracker_clear(struct obvious_tracker *tracker, uint64_t line)
{
    int at = place(tracker, line);
    if (at < 0)
        return;
    bank_of(tracker, line)->cleared++;
    drop(tracker, (uint32_t)at);
}

void obvious_tracker_flush(struct obvious_tracker *tracker)
{
    for (uint32_t i = 0; i < tracker->count; i++)
        bank_of(tracker, tracker->entries[i].line)->flushed++;
    tracker->count = 0;
}
