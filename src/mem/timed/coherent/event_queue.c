#include "mem/timed/coherent/event_queue.h"

#include "base/containers/array.h"

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
    struct wm_coherent_event copy = *event; // which the pool may have
    if (number == events->room && !WM_ARRAY_RESERVE(events->pool, number, events->room, 1))
        return WM_COHERENT_NO_EVENT;
    if (number == events->fresh)
        events->pool[number].next = ++events->fresh;
    events->free = events->pool[number].next;
    events->pool[number] = copy;
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

bool wm_coherent_events_add(struct wm_coherent_events *events,
                            const struct wm_coherent_event *event)
{
    uint32_t number = wm_coherent_events_keep(events, event);
    if (number == WM_COHERENT_NO_EVENT)
        return false;
    if (!WM_ARRAY_ADD(events->heap, events->count, events->heap_room, number)) {
        wm_coherent_events_drop(events, number);
        return false;
    }
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

uint64_t wm_coherent_events_next(const struct wm_coherent_events *events)
{
    return events->count == 0 ? UINT64_MAX : events->pool[events->heap[0]].when;
}

struct wm_coherent_event wm_coherent_events_take(struct wm_coherent_events *events)
{
    uint32_t first = events->heap[0], last = events->heap[--events->count], at = 0;
    struct wm_coherent_event event = events->pool[first];
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
    wm_coherent_events_drop(events, first);
    return event;
}
