#include "mem/tracker/sharing_tracker.h"

#include "mem/system/memory_components.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct wm_counter_declaration declarations[] = {
    WM_TRACKER_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_tracker_counter_set = {
    .kind = "tracker",
    .title = "sharing tracker",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

enum wm_status wm_tracker_init(struct wm_sharing_tracker *tracker,
                               const struct wm_tracker_spec *spec, uint32_t holders,
                               struct wm_error *error)
{
    size_t entries = (size_t)spec->sets * spec->ways;
    *tracker = (struct wm_sharing_tracker){
        .sets = spec->sets,
        .ways = spec->ways,
        .banks = spec->banks,
        .sharers = spec->sharers < holders ? spec->sharers : holders,
        .keeps_first = spec->keep == WM_TRACKER_KEEPS_FIRST,
    };
    tracker->entries = malloc(entries * sizeof *tracker->entries);
    tracker->holders = calloc(entries * tracker->sharers, sizeof *tracker->holders);
    tracker->counters = calloc(tracker->banks, sizeof *tracker->counters);
    if (tracker->entries == NULL || tracker->holders == NULL || tracker->counters == NULL) {
        wm_tracker_release(tracker);
        return wm_fail_no_memory(error, "a tracker of %zu entries", entries);
    }
    for (size_t i = 0; i < entries; i++)
        tracker->entries[i] = (struct wm_tracker_entry){.line = WM_TRACKER_EMPTY};
    return WM_OK;
}

void wm_tracker_release(struct wm_sharing_tracker *tracker)
{
    free(tracker->entries);
    free(tracker->holders);
    free(tracker->counters);
    *tracker = (struct wm_sharing_tracker){0};
}

struct wm_tracker_counters *wm_tracker_counters_of(struct wm_sharing_tracker *tracker,
                                                   uint64_t line)
{
    return &tracker->counters[line % tracker->banks];
}

// --- Entries ---

// The ways of the line's set: banks take turns line by line, so this is also its bank's set.
static struct wm_tracker_entry *set_of(const struct wm_sharing_tracker *tracker, uint64_t line)
{
    return &tracker->entries[line % tracker->sets * tracker->ways];
}

static struct wm_tracker_entry *find(const struct wm_sharing_tracker *tracker, uint64_t line)
{
    struct wm_tracker_entry *set = set_of(tracker, line);
    for (uint32_t way = 0; way < tracker->ways; way++)
        if (set[way].line == line)
            return &set[way];
    return NULL;
}

static uint16_t *holders_of(const struct wm_sharing_tracker *tracker,
                            const struct wm_tracker_entry *entry)
{
    return tracker->holders + (size_t)(entry - tracker->entries) * tracker->sharers;
}

// An entry for the line, which has none: an empty one, else the least recently used, whose line is
// dropped silently. Its L1s keep their copies, which no tracker knows of then.
static struct wm_tracker_entry *allocate(struct wm_sharing_tracker *tracker, uint64_t line)
{
    struct wm_tracker_entry *set = set_of(tracker, line), *victim = set;
    for (uint32_t way = 0; way < tracker->ways && victim->line != WM_TRACKER_EMPTY; way++)
        if (set[way].line == WM_TRACKER_EMPTY || set[way].used < victim->used)
            victim = &set[way];
    struct wm_tracker_counters *counters = wm_tracker_counters_of(tracker, line);
    counters->allocations++;
    counters->evictions += victim->line != WM_TRACKER_EMPTY;
    *victim = (struct wm_tracker_entry){.line = line};
    return victim;
}

static void forget(struct wm_sharing_tracker *tracker, struct wm_tracker_entry *entry, uint32_t at)
{
    uint16_t *holders = holders_of(tracker, entry);
    entry->count--;
    memmove(holders + at, holders + at + 1, (entry->count - at) * sizeof *holders);
    entry->next -= entry->next > at;
}

static uint32_t place_of(const struct wm_sharing_tracker *tracker,
                         const struct wm_tracker_entry *entry, uint32_t who)
{
    const uint16_t *holders = holders_of(tracker, entry);
    uint32_t at = 0;
    while (at < entry->count && holders[at] != who)
        at++;
    return at;
}

// --- What L1s do ---

int32_t wm_tracker_look_up(struct wm_sharing_tracker *tracker, uint64_t line, uint32_t who)
{
    struct wm_tracker_counters *counters = wm_tracker_counters_of(tracker, line);
    struct wm_tracker_entry *entry = find(tracker, line);
    counters->lookups++;
    for (uint32_t tried = 0; entry != NULL && tried < entry->count; tried++) {
        uint32_t at = (entry->next + tried) % entry->count;
        uint32_t holder = holders_of(tracker, entry)[at];
        if (holder == who)
            continue;
        entry->next = at + 1;
        entry->used = ++tracker->clock;
        counters->hits++;
        return (int32_t)holder;
    }
    counters->misses++;
    return WM_TRACKER_NONE;
}

void wm_tracker_add(struct wm_sharing_tracker *tracker, uint64_t line, uint32_t who)
{
    struct wm_tracker_counters *counters = wm_tracker_counters_of(tracker, line);
    struct wm_tracker_entry *entry = find(tracker, line);
    if (entry == NULL)
        entry = allocate(tracker, line);
    entry->used = ++tracker->clock;
    if (place_of(tracker, entry, who) < entry->count)
        return;
    if (entry->count == tracker->sharers) {
        counters->sharers_refused += tracker->keeps_first;
        if (tracker->keeps_first)
            return;
        counters->sharers_replaced++;
        forget(tracker, entry, 0);
    }
    holders_of(tracker, entry)[entry->count++] = (uint16_t)who;
    counters->sharers_added++;
}

void wm_tracker_remove(struct wm_sharing_tracker *tracker, uint64_t line, uint32_t who)
{
    struct wm_tracker_entry *entry = find(tracker, line);
    uint32_t at = entry != NULL ? place_of(tracker, entry, who) : 0;
    if (entry == NULL || at == entry->count)
        return;
    forget(tracker, entry, at);
    wm_tracker_counters_of(tracker, line)->sharers_removed++;
    if (entry->count == 0)
        *entry = (struct wm_tracker_entry){.line = WM_TRACKER_EMPTY};
}

void wm_tracker_clear(struct wm_sharing_tracker *tracker, uint64_t line)
{
    struct wm_tracker_entry *entry = find(tracker, line);
    if (entry == NULL)
        return;
    wm_tracker_counters_of(tracker, line)->cleared++;
    *entry = (struct wm_tracker_entry){.line = WM_TRACKER_EMPTY};
}

void wm_tracker_flush(struct wm_sharing_tracker *tracker)
{
    for (size_t i = 0; i < (size_t)tracker->sets * tracker->ways; i++) {
        uint64_t line = tracker->entries[i].line;
        if (line == WM_TRACKER_EMPTY)
            continue;
        wm_tracker_counters_of(tracker, line)->flushed++;
        tracker->entries[i] = (struct wm_tracker_entry){.line = WM_TRACKER_EMPTY};
    }
}

const uint16_t *wm_tracker_holders(const struct wm_sharing_tracker *tracker, uint64_t line,
                                   uint32_t *count)
{
    const struct wm_tracker_entry *entry = find(tracker, line);
    *count = entry != NULL ? entry->count : 0;
    return entry != NULL ? holders_of(tracker, entry) : NULL;
}
