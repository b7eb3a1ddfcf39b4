// Launches side by side (docs/streams.md). They take turns: in a step each launch that is under way
// has one round of its own over the SMs, those of the greatest priority first, then in order of
// start. A block is given to an SM that has room for it next to the blocks of all launches.
//
// Components count for all; what they have counted when another launch has its round is the one's
// before it.
#include "engine/session/concurrent_launches_state.h"

#include "base/numbers/hash.h"
#include "engine/clock/clock.h"
#include "engine/record/recorder.h"
#include "engine/session/host_device_races.h"

#include <stdlib.h>

void wm_concurrent_launches_free(struct wm_session *session)
{
    free(session->sides);
    session->sides = NULL;
}

bool wm_concurrent_launches_state(const struct wm_session *session, uint64_t *state)
{
    uint64_t one;
    *state = 0;
    for (const struct wm_concurrent_launch *at = session->sides->first; at != NULL; at = at->next) {
        if (at->state != WM_SIDE_UNDER_WAY || !at->is_live)
            continue;
        if (!wm_grid_state(at->live.grid, &one))
            return false;
        *state = wm_hash_u64(*state ^ one);
    }
    return true;
}

// ---- Whose the counters are --------------------------------------------------------------------

// In time components count for several at once: what is not of a chosen launch is taken off when
// it is given to its kernel (clock/counter_attribution.c).
static bool counts_apart(const struct wm_session *session)
{
    return session->clock != NULL && session->sides->several;
}

void wm_concurrent_launches_attribute(struct wm_session *session)
{
    struct wm_concurrent_launches *sides = session->sides;
    if (sides == NULL || sides->counts == NULL)
        return;
    if (counts_apart(session))
        wm_clock_attribute_counters(session->clock);
    else
        wm_kernel_record_end(session, sides->counts->record);
    wm_session_count_for_no_launch(session);
    sides->counts = NULL;
}

static void count_for(struct wm_session *session, struct wm_concurrent_launch *side)
{
    if (session->sides->counts == side)
        return;
    wm_concurrent_launches_attribute(session);
    session->launch = &side->launch;
    session->in_chosen = side->launch.chosen || counts_apart(session);
    wm_session_update_counting(session);
    wm_kernel_record_begin(session);
    session->sides->counts = side;
    wm_session_count_into(session, side->work, side->record, side->run.first_block);
    if (session->memory != NULL) {
        wm_memory_explain_grid(session->memory, side->run.first_block, side->work->grid);
        wm_memory_set_eviction_priorities(session->memory, side->record->priorities.l1,
                                          side->record->priorities.l2);
    }
    if (session->sides->under_way > 1 && session->races != NULL)
        wm_host_device_races_forget(session->races);
}

// ---- Beginning ---------------------------------------------------------------------------------

static bool fits(const struct wm_session *session, const struct wm_concurrent_launch *side)
{
    const struct wm_sm_use none = {0};
    return wm_occupancy_free_blocks(wm_session_sm(session, side->gpu), &side->needs,
                                    session->divided[side->gpu].shared_bytes, &none) != 0;
}

// On a GPU. One that has blocks suspended holds nothing up: else those that they wait for might
// never begin.
static uint32_t count_under_way(const struct wm_concurrent_launches *sides, uint32_t gpu)
{
    uint32_t count = 0;
    for (const struct wm_concurrent_launch *at = sides->first; at != NULL; at = at->next)
        count += at->state == WM_SIDE_UNDER_WAY && at->gpu == gpu && at->run.suspended_count == 0;
    return count;
}

// As many as its GPU runs side by side, with the carve-out of shared memory that is in force:
// it does not change while a kernel runs. What blocks wait for runs concurrently in any case, and a
// launch that may wait has the largest carve-out: so it fits.
static bool may_begin(const struct wm_session *session, const struct wm_concurrent_launch *side)
{
    const struct wm_concurrent_launches *sides = session->sides;
    if (sides->under_way_on[side->gpu] == 0)
        return true;
    bool alone = side->alone && side->parent == NULL;
    for (const struct wm_concurrent_launch *at = sides->first; at != NULL && side->parent == NULL;
         at = at->next)
        alone = alone || (at->state == WM_SIDE_UNDER_WAY && at->gpu == side->gpu && at->alone);
    if (alone || (session->clock != NULL && !wm_clock_takes_launches(session->clock)) ||
        (side->waits && side->parent == NULL &&
         session->divided[side->gpu].shared_bytes < side->occupancy.shared_bytes))
        return false;
    return count_under_way(sides, side->gpu) < session->machine.device.concurrent_kernels &&
           fits(session, side);
}

// Nothing is under way on the GPU: of those that may begin there now, side by side, the largest
// carve-out.
static uint64_t carveout_of(const struct wm_session *session,
                            const struct wm_concurrent_launch *first)
{
    const struct wm_sm_spec *sm = wm_session_sm(session, first->gpu);
    if (sm->unified_bytes == 0)
        return sm->shared_bytes;
    uint64_t most = first->occupancy.shared_bytes;
    uint32_t count = 1;
    for (const struct wm_concurrent_launch *at = first->next; at != NULL && !first->alone;
         at = at->next) {
        bool one = at->state == WM_SIDE_WAITS && at->gpu == first->gpu && !at->alone;
        if (!one || count++ >= session->machine.device.concurrent_kernels)
            continue;
        most = at->occupancy.shared_bytes > most ? at->occupancy.shared_bytes : most;
    }
    return most;
}

// Of the next one under way.
static struct wm_clock_launch *clock_launch_behind(const struct wm_concurrent_launch *side)
{
    struct wm_concurrent_launch *at = side->next;
    while (at != NULL && at->state != WM_SIDE_UNDER_WAY)
        at = at->next;
    return at != NULL ? &at->clock_launch : NULL;
}

// A recording has no launches side by side. Those of commands that have numbers in it run one at a
// time.
static bool records(const struct wm_session *session)
{
    return session->options.recorder != NULL &&
           wm_recorder_numbers_commands(session->options.recorder);
}

static enum wm_status begin(struct wm_session *session, struct wm_concurrent_launch *side,
                            struct wm_error *error)
{
    struct wm_concurrent_launches *sides = session->sides;
    const struct wm_sm_use none = {0};
    bool first = sides->under_way_on[side->gpu] == 0;
    uint64_t *shared_bytes = &session->divided[side->gpu].shared_bytes;
    wm_concurrent_launches_attribute(session);
    if (first)
        *shared_bytes = carveout_of(session, side);
    struct wm_occupancy occupancy = side->occupancy;
    uint32_t warps = occupancy.warps / occupancy.blocks;
    occupancy.shared_bytes = *shared_bytes;
    occupancy.blocks = wm_occupancy_free_blocks(wm_session_sm(session, side->gpu), &side->needs,
                                                *shared_bytes, &none);
    occupancy.warps = occupancy.blocks * warps;
    side->residency = wm_residency_take(session, wm_session_sm(session, side->gpu));
    if (side->residency == NULL)
        return wm_fail_no_memory(error, "launches side by side");
    struct wm_launch_state waits = {.blocks_per_sm = occupancy.blocks};
    if (side->waits)
        WM_TRY(wm_suspension_begin(session, &waits, error));
    side->run = waits;
    uint64_t first_block = session->blocks;
    enum wm_status status = wm_kernel_record_launch(session, side->work, &side->needs, &occupancy,
                                                    first, &side->launch, &side->record, error);
    if (status != WM_OK) { // its place goes with it
        wm_session_count_for_no_launch(session);
        return status;
    }
    sides->counts = side;
    sides->several = !first;
    sides->stopped = false;
    session->in_chosen = side->launch.chosen || counts_apart(session);
    wm_session_update_counting(session);
    sides->under_way++;
    sides->under_way_on[side->gpu]++;
    wm_launch_state_begin(session, &side->residency->residency, side->work, &occupancy, &side->run);
    side->run.first_block = first_block;
    side->run.needs = side->needs;
    side->run.use = sides->use + side->run.first_sm;
    side->run.begun = waits.begun;
    side->run.suspended = waits.suspended;
    wm_block_maps_begin(session, &side->run);
    side->state = WM_SIDE_UNDER_WAY;
    if (records(session))
        wm_recorder_launch_begin(session->options.recorder, side->work, session->machine.sm.count);
    if (session->options.progress)
        wm_session_begin_progress(side->work, side->run.block_count, &side->progress);
    return session->clock != NULL
               ? wm_clock_join(session->clock, &side->clock_launch, &side->run, side->record,
                               &side->launch, clock_launch_behind(side), error)
               : WM_OK;
}

static void give_back_room(struct wm_concurrent_launch *side)
{
    for (uint32_t sm = 0; sm < side->run.sm->count; sm++)
        for (uint32_t i = 0; i < side->run.blocks_per_sm; i++) {
            const struct wm_block_slot *place =
                &side->residency->residency.sm_residency[sm].places[i];
            if (place->taken && !place->suspended)
                wm_session_remove_block(&side->run, sm);
        }
}

void wm_concurrent_launch_end(struct wm_session *session, struct wm_concurrent_launch *side,
                              enum wm_status status)
{
    struct wm_concurrent_launches *sides = session->sides;
    if (side->state == WM_SIDE_UNDER_WAY) {
        if (session->clock != NULL) {
            wm_clock_leave(session->clock, &side->clock_launch);
            side->launch.cycles_before = side->record->cycles;
            side->record->cycles += side->clock_launch.cycles;
        }
        if (!counts_apart(session))
            count_for(session, side);
        if (session->memory != NULL) {
            if (side->gpu != WM_ON_CORES)
                wm_memory_kernel_end(session->memory);
            // In time, what is set is of all kernels under way; a walk sets it at every switch.
            if (session->clock == NULL || sides->under_way == 1)
                wm_memory_set_eviction_priorities(session->memory, NULL, NULL);
        }
        if (records(session))
            wm_recorder_launch_end(session->options.recorder, status == WM_OK);
        wm_concurrent_launches_attribute(session);
        wm_launch_accounting_end(session, side->record, &side->launch);
        give_back_room(side);
        sides->under_way--;
        sides->under_way_on[side->gpu]--;
        wm_progress_finish(&side->progress);
    }
    wm_suspension_end(&side->run);
    wm_residency_give_back(session, side->residency);
    side->residency = NULL;
    side->state = WM_SIDE_ENDED;
    side->status = wm_session_name_kernel(status, side->work->kernel, &side->error);
}

// In order: one that cannot begin holds up those behind it on its GPU, or it might never. What
// kernels under way launched is held up by no other, which may be waiting for these kernels' end.
static void begin_waiting(struct wm_session *session, bool children)
{
    uint32_t held = 0; // GPUs, bit by number
    for (struct wm_concurrent_launch *side = session->sides->first; side != NULL;
         side = side->next) {
        if (side->state != WM_SIDE_WAITS || (side->parent != NULL) != children ||
            (held >> side->gpu & 1) != 0)
            continue;
        if (!may_begin(session, side)) {
            held |= children ? 0 : UINT32_C(1) << side->gpu;
            continue;
        }
        enum wm_status status = begin(session, side, &side->error);
        if (status != WM_OK)
            wm_concurrent_launch_end(session, side, status);
    }
}

// ---- Steps -------------------------------------------------------------------------------------

static void run_one(struct wm_session *session, struct wm_concurrent_launch *side)
{
    struct wm_launch_state *run = &side->run;
    enum wm_status status = WM_OK;
    count_for(session, side);
    if (run->finished_blocks < run->block_count)
        status = wm_walk_run_round(session, run, &side->error);
    wm_walk_suspend_blocks(session, run);
    if (status != WM_OK || run->finished_blocks == run->block_count)
        wm_concurrent_launch_end(session, side, status);
    else if (session->options.progress && side == session->sides->first)
        wm_progress_update(&side->progress, run->finished_blocks);
}

static struct wm_concurrent_launch *first_under_way(const struct wm_concurrent_launches *sides)
{
    struct wm_concurrent_launch *side = sides->first;
    while (side->state != WM_SIDE_UNDER_WAY)
        side = side->next;
    return side;
}

// Counters continue where something else has counted: for the one launch that is under way, or for
// several, whose kernels the clock engine distinguishes itself.
static void count_again(struct wm_session *session, struct wm_concurrent_launch *side)
{
    if (!counts_apart(session)) {
        count_for(session, side);
        return;
    }
    session->in_chosen = true;
    wm_session_update_counting(session);
    wm_kernel_record_begin(session);
    session->sides->counts = side;
}

// All together; one that has ended leaves, and so does one that failed: replies to its warps are
// still on their way and are dropped, so that no other may continue (an error of one kernel ends
// all).
static void step_in_time(struct wm_session *session)
{
    struct wm_clock_launch *failed;
    struct wm_error error;
    wm_error_clear(&error);
    if (session->sides->counts == NULL) // since something else has counted
        count_again(session, first_under_way(session->sides));
    enum wm_status status = wm_clock_step(session->clock, &failed, &error);
    session->sides->stopped = status != WM_OK;
    for (struct wm_concurrent_launch *side = session->sides->first; side != NULL;
         side = side->next) {
        if (side->state != WM_SIDE_UNDER_WAY)
            continue;
        bool fails = status != WM_OK && (failed == &side->clock_launch || failed == NULL);
        if (fails)
            side->error = error;
        if (fails || side->clock_launch.has_ended)
            wm_concurrent_launch_end(session, side, fails ? status : WM_OK);
    }
}

bool wm_session_has_launches(const struct wm_session *session)
{
    return session->sides != NULL && session->sides->first != NULL;
}

bool wm_session_has_stopped(const struct wm_session *session)
{
    return session->sides != NULL && session->sides->stopped && session->sides->under_way != 0;
}

bool wm_session_step(struct wm_session *session)
{
    if (session->sides == NULL)
        return false;
    if (wm_session_has_stopped(session))
        return true;
    begin_waiting(session, true);
    begin_waiting(session, false);
    if (session->sides->under_way == 0)
        return false;
    struct wm_concurrent_launch *first = session->sides->first;
    if (session->clock != NULL) {
        step_in_time(session);
        return true;
    }
    for (struct wm_concurrent_launch *side = first; side != NULL; side = side->next)
        if (side->state == WM_SIDE_UNDER_WAY)
            wm_walk_resume_blocks(session, &side->run);
    for (struct wm_concurrent_launch *side = first; side != NULL; side = side->next)
        if (side->state == WM_SIDE_UNDER_WAY)
            wm_walk_dispatch(session, &side->run);
    for (struct wm_concurrent_launch *side = first; side != NULL; side = side->next)
        if (side->state == WM_SIDE_UNDER_WAY)
            run_one(session, side);
    return true;
}
