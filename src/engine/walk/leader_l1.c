#include "engine/walk/leader_l1.h"

#include "base/containers/array.h"
#include "engine/session/session_state.h"

#include <stdlib.h>

void wm_leader_l1_clear(struct wm_leader_l1 *shared)
{
    shared->below.count = shared->rows.count = shared->rows.entry_count = 0;
    shared->end_count = shared->counter_count = shared->outcome_count = 0;
}

void wm_leader_l1_release(struct wm_leader_l1 *shared)
{
    wm_below_requests_release(&shared->below);
    wm_slice_batches_release(&shared->rows);
    free(shared->ends);
    free(shared->counters);
    free(shared->outcomes);
    *shared = (struct wm_leader_l1){0};
}

static bool has_failed(const struct wm_leader_l1 *shared)
{
    return shared->below.failed || shared->rows.failed;
}

enum wm_status wm_leader_l1_end_stretch(struct wm_leader_l1 *shared, struct wm_error *error)
{
    struct wm_leader_l1_position end = {.below = shared->below.count, .rows = shared->rows.count};
    if (has_failed(shared) || !WM_ARRAY_ADD(shared->ends, shared->end_count, shared->end_room, end))
        return wm_fail_no_memory(error, "what machines of a replay share");
    return WM_OK;
}

enum wm_status wm_leader_l1_save(struct wm_leader_l1 *shared, const struct wm_session *session,
                                 struct wm_error *error)
{
    uint32_t count = wm_memory_l1_count(session->memory);
    if (has_failed(shared) ||
        !WM_ARRAY_RESERVE(shared->counters, shared->counter_count, shared->counter_room, count))
        return wm_fail_no_memory(error, "what machines of a replay share");
    wm_memory_save_l1_counters(session->memory, shared->counters + shared->counter_count);
    shared->counter_count += count;
    return WM_OK;
}

enum wm_status wm_leader_l1_save_outcomes(struct wm_leader_l1 *shared,
                                          const struct wm_kernel_record *record,
                                          struct wm_error *error)
{
    uint32_t count = record->instruction_count;
    // One more, so that there is a table where a kernel has no instructions.
    if (!WM_ARRAY_RESERVE(shared->outcomes, shared->outcome_count, shared->outcome_room,
                          count + UINT64_C(1)))
        return wm_fail_no_memory(error, "what machines of a replay share");
    for (uint32_t pc = 0; pc < count; pc++)
        shared->outcomes[shared->outcome_count++] =
            (struct wm_l1_outcome){.hits = record->counters_by_pc[pc].levels[WM_LEVEL_L1].hits,
                                   .misses = record->counters_by_pc[pc].levels[WM_LEVEL_L1].misses};
    return WM_OK;
}

void wm_leader_l1_load(struct wm_leader_l1_reader *reader, struct wm_session *session)
{
    wm_memory_load_l1_counters(session->memory, reader->shared->counters + reader->counter);
    reader->counter += wm_memory_l1_count(session->memory);
}

void wm_leader_l1_load_outcomes(struct wm_leader_l1_reader *reader, struct wm_kernel_record *record)
{
    for (uint32_t pc = 0; pc < record->instruction_count; pc++) {
        const struct wm_l1_outcome *outcome = &reader->shared->outcomes[reader->outcome++];
        record->counters_by_pc[pc].levels[WM_LEVEL_L1].hits = outcome->hits;
        record->counters_by_pc[pc].levels[WM_LEVEL_L1].misses = outcome->misses;
    }
}

void wm_leader_l1_serve(struct wm_leader_l1_reader *reader, struct wm_session *session)
{
    const struct wm_leader_l1 *shared = reader->shared;
    struct wm_leader_l1_position from = reader->at;
    reader->at = shared->ends[reader->stretch++];
    if (reader->takes_rows)
        wm_memory_serve_slice_batches(session->memory, &shared->rows, from.rows, reader->at.rows,
                                      session->front_end.counters_by_pc);
    else
        wm_memory_serve_below_requests(session->memory, shared->below.requests + from.below,
                                       reader->at.below - from.below,
                                       session->front_end.counters_by_pc);
}
