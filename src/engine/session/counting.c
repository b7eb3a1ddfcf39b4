// What is counted, where that is not everything: a profiler's ranges (cudaProfilerStart to
// cudaProfilerStop), chosen launches, or chosen launches within ranges. What happens else is
// executed and moves the memory system's state, and is counted to nothing. Components count on;
// what they counted meanwhile is kept here and taken off at the end.
#include "engine/record/recorder.h"
#include "engine/session/session_state.h"

// Adds what all components have counted by now, or takes that off.
static void add_now(const struct wm_session *session, uint64_t *values, bool minus)
{
    for (uint32_t i = 0; i < session->component_count; i++) {
        const struct wm_component_counters *component = &session->components[i];
        for (size_t c = 0; c < component->set->count; c++)
            *values++ += minus ? -component->values[c] : component->values[c];
    }
}

void wm_session_update_counting(struct wm_session *session)
{
    bool counts = wm_session_is_counting(session);
    if (counts == session->counting)
        return;
    session->counting = counts;
    add_now(session, session->values_not_counted, !counts);
}

void wm_session_profiler_range(struct wm_session *session, bool inside)
{
    if (session->options.recorder != NULL)
        wm_recorder_event(session->options.recorder,
                          inside ? WM_RECORDED_RANGE_BEGIN : WM_RECORDED_RANGE_END, 0, 0, 0);
    if (inside == session->in_range)
        return;
    session->in_range = inside;
    session->ranges += inside;
    wm_session_update_counting(session);
}

void wm_session_apply_filter(struct wm_session *session, const struct wm_work *work)
{
    const struct wm_launch_filter *filter = session->options.filter;
    session->in_chosen =
        filter != NULL && wm_launch_filter_takes(filter, &session->choice, work->kernel,
                                                 session->launches, &session->arena);
}

void wm_session_count_for_no_launch(struct wm_session *session)
{
    session->launch = NULL;
    session->in_chosen = false;
    wm_session_update_counting(session);
}

void wm_session_counted_values(const struct wm_session *session, uint64_t *values)
{
    memset(values, 0, session->value_count * sizeof *values);
    if (wm_session_is_counting(session))
        add_now(session, values, false);
    for (size_t i = 0; i < session->value_count; i++)
        values[i] -= session->values_not_counted[i];
}
