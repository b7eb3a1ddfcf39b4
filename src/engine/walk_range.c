// What is counted, where that is not everything: a profiler's ranges (cudaProfilerStart to
// cudaProfilerStop), chosen launches, or chosen launches within ranges. What happens else is
// executed and moves the memory system's state, and is counted to nothing. Components count on;
// what they counted meanwhile is kept here and taken off at the end.
#include "engine/recorder.h"
#include "engine/walk_parts.h"

// Adds what all components have counted by now, or takes that off.
static void add_now(const struct wm_walk *walk, uint64_t *values, bool minus)
{
    for (uint32_t i = 0; i < walk->component_count; i++) {
        const struct wm_component_counters *component = &walk->components[i];
        for (size_t c = 0; c < component->set->count; c++)
            *values++ += minus ? -component->values[c] : component->values[c];
    }
}

void wm_walk_recount(struct wm_walk *walk)
{
    bool counts = wm_walk_counts(walk);
    if (counts == walk->counting)
        return;
    walk->counting = counts;
    add_now(walk, walk->values_beside, !counts);
}

void wm_walk_range(struct wm_walk *walk, bool inside)
{
    if (walk->options.recorder != NULL)
        wm_recorder_event(walk->options.recorder,
                          inside ? WM_RECORDED_RANGE_BEGIN : WM_RECORDED_RANGE_END, 0, 0, 0);
    if (inside == walk->in_range)
        return;
    walk->in_range = inside;
    walk->ranges += inside;
    wm_walk_recount(walk);
}

void wm_walk_choose(struct wm_walk *walk, const struct wm_work *work)
{
    const struct wm_launch_filter *filter = walk->options.filter;
    walk->in_chosen = filter != NULL && wm_launch_filter_takes(filter, &walk->choice, work->kernel,
                                                               walk->launches, &walk->arena);
}

void wm_walk_launch_forget(struct wm_walk *walk)
{
    walk->launch = NULL;
    walk->in_chosen = false;
    wm_walk_recount(walk);
}

void wm_walk_counted(const struct wm_walk *walk, uint64_t *values)
{
    memset(values, 0, walk->value_count * sizeof *values);
    if (wm_walk_counts(walk))
        add_now(walk, values, false);
    for (size_t i = 0; i < walk->value_count; i++)
        values[i] -= walk->values_beside[i];
}
