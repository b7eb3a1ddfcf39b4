#include "mem/timed/coherent/event_queue.h"

#include "base/containers/array.h"

#include <assert.h>
#include <stdlib.h>

void wm_coherent_events_release(struct wm_coherent_events *events)
{
    free(events->pool);
    free(events->heap);
}

uint32_t wm_coherent_events_keep(struct wm_coherent_events *events,
                                 const struct wm_coherent_event *event)
{
    uint32_t number = events->free;
    if (number == events->room && !WM_ARRAY_RESERVE(events->pool, number, events->room, 1))
        return WM_COHERENT_NO_EVENT;
    if (number == events->fresh)
        events->pool[number].next = ++events->fresh;
    events->free = events->pool[number].next;
    events->pool[number] = *event;
    return number;
}

void wm_coherent_events_drop(struct wm_coherent_events *events, uint32_t number)
{
    events->pool[number].next = events->free;
    events->free = number;
}

static bool is_before(const struct wm_coherent_event *a, const struct wm_coherent_event *b)
{
    if (a->when != b->when)
        return a->when < b->when;
    if (a->sender != b->sender)
        return a->sender < b->sender;
    return a->sequence < b->sequence;
}

// --- The heap ---

static bool add_to_heap(struct wm_coherent_events *events, uint32_t number)
{
    if (!WM_ARRAY_ADD(events->heap, events->count, events->heap_room, number))
        return false;
    uint32_t at = events->count - 1;
    while (at != 0) {
        uint32_t above = (at - 1) / 2;
        if (!is_before(&events->pool[number], &events->pool[events->heap[above]]))
            break;
        events->heap[at] = events->heap[above];
        at = above;
    }
    events->heap[at] = number;
    return true;
}

static uint32_t take_of_heap(struct wm_coherent_events *events)
{
    uint32_t first = events->heap[0], last = events->heap[--events->count], at = 0;
    for (;;) {
        uint32_t below = 2 * at + 1;
        if (below >= events->count)
            break;
        if (below + 1 < events->count &&
            is_before(&events->pool[events->heap[below + 1]], &events->pool[events->heap[below]]))
            below++;
        if (!is_before(&events->pool[events->heap[below]], &events->pool[last]))
            break;
        events->heap[at] = events->heap[below];
        at = below;
    }
    events->heap[at] = last;
    return first;
}

// --- The calendar ---

// Its place of the day is found by steps.
enum { CROWD = 16, DAYS = WM_COHERENT_DAYS, WORDS = DAYS / 64 };

static void add_to_day(struct wm_coherent_events *events, uint32_t number)
{
    struct wm_coherent_event *pool = events->pool;
    uint32_t day = (uint32_t)(pool[number].when % DAYS), *at = &events->days[day];
    if (events->counts[day]++ == 0) {
        *at = WM_COHERENT_NO_EVENT;
        events->busy[day / 64] |= UINT64_C(1) << day % 64;
    }
    assert(*at == WM_COHERENT_NO_EVENT || pool[*at].when == pool[number].when);
    while (*at != WM_COHERENT_NO_EVENT && is_before(&pool[*at], &pool[number]))
        at = &pool[*at].next;
    pool[number].next = *at;
    *at = number;
    if (events->dated++ == 0 || pool[number].when < events->first_day)
        events->first_day = pool[number].when;
}

// The first day from `from` on that has events; there is one.
static uint64_t next_day(const struct wm_coherent_events *events, uint64_t from)
{
    uint32_t first = (uint32_t)(from % DAYS), word = first / 64;
    uint64_t busy = events->busy[word] & ~UINT64_C(0) << first % 64;
    while (busy == 0) {
        word = (word + 1) % WORDS;
        busy = events->busy[word];
    }
    uint32_t day = 64 * word + (uint32_t)__builtin_ctzll(busy);
    return from + (day - first) % DAYS;
}

static uint32_t take_of_calendar(struct wm_coherent_events *events)
{
    uint32_t day = (uint32_t)(events->first_day % DAYS), number = events->days[day];
    events->days[day] = events->pool[number].next;
    events->dated--;
    if (--events->counts[day] == 0) {
        events->busy[day / 64] &= ~(UINT64_C(1) << day % 64);
        if (events->dated != 0)
            events->first_day = next_day(events, events->first_day);
    }
    return number;
}

// --- Both ---

bool wm_coherent_events_add(struct wm_coherent_events *events,
                            const struct wm_coherent_event *event, uint64_t now)
{
    uint64_t when = event->when;
    uint32_t number = wm_coherent_events_keep(events, event);
    if (number == WM_COHERENT_NO_EVENT)
        return false;
    if (when >= now && when - now < DAYS && events->counts[when % DAYS] < CROWD) {
        add_to_day(events, number);
        return true;
    }
    if (add_to_heap(events, number))
        return true;
    wm_coherent_events_drop(events, number);
    return false;
}

uint64_t wm_coherent_events_next(const struct wm_coherent_events *events)
{
    uint64_t next = events->dated != 0 ? events->first_day : UINT64_MAX;
    if (events->count == 0)
        return next;
    uint64_t first = events->pool[events->heap[0]].when;
    return first < next ? first : next;
}

struct wm_coherent_event wm_coherent_events_take(struct wm_coherent_events *events)
{
    bool of_heap =
        events->count != 0 &&
        (events->dated == 0 || is_before(&events->pool[events->heap[0]],
                                         &events->pool[events->days[events->first_day % DAYS]]));
    uint32_t number = of_heap ? take_of_heap(events) : take_of_calendar(events);
    struct wm_coherent_event event = events->pool[number];
    wm_coherent_events_drop(events, number);
    return event;
}
