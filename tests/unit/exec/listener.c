#include "listener.h"

static void note(struct listener *listener, uint32_t pc)
{
    if (listener->pending_count < LISTENER_PENDING)
        listener->pending[listener->pending_count++] = pc;
    else
        listener->lost++; // one that no stretch took stops the queue
}

static void access_event(void *context, const struct wm_warp_access *access)
{
    struct listener *listener = context;
    listener->accesses++;
    note(listener, access->pc);
}

static void arrival_event(void *context, const struct wm_warp_arrival *arrival)
{
    struct listener *listener = context;
    listener->arrivals++;
    note(listener, arrival->pc);
}

static void exit_event(void *context, uint32_t pc, uint64_t lanes)
{
    struct listener *listener = context;
    listener->exits++;
    listener->exited_lanes += (uint64_t)__builtin_popcountll(lanes);
    note(listener, pc);
}

// Takes the events of this stretch off the list, which come in order of their pcs.
static void stretch_event(void *context, const struct wm_warp_stretch *stretch)
{
    struct listener *listener = context;
    listener->warp_instructions += stretch->count;
    listener->thread_instructions +=
        stretch->count * (uint64_t)__builtin_popcountll(stretch->active);
    uint32_t taken = 0, last = stretch->first_pc;
    while (taken < listener->pending_count && listener->pending[taken] >= last &&
           listener->pending[taken] < stretch->first_pc + stretch->count)
        last = listener->pending[taken++];
    listener->pending_count -= taken;
    for (uint32_t i = 0; i < listener->pending_count; i++)
        listener->pending[i] = listener->pending[i + taken];
}

struct wm_access_sink listener_sink(struct listener *listener)
{
    return (struct wm_access_sink){.access = access_event,
                                   .arrival = arrival_event,
                                   .exit = exit_event,
                                   .stretch = stretch_event,
                                   .context = listener};
}
