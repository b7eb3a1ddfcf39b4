// Launches side by side (docs/streams.md). They take turns: in a step each launch that is under way
// has one round of its own over the SMs, those of the greatest priority first, then in order of
// start. A block is given to an SM that has room for it next to the blocks of all launches.
//
// Components count for all; what they have counted when another launch has its round is the one's
// before it.
#include "engine/session/session_state.h"

#include "base/numbers/hash.h"
#include "engine/check/check.h"
#include "engine/clock/clock.h"
#include "engine/record/recorder.h"
#include "engine/session/host_device_races.h"
#include "engine/session/live_work.h"

#include <stdlib.h>

enum { WHOLE_CARVEOUT = 101 }; // percent, plus one

enum side_state { SIDE_WAITS, SIDE_UNDER_WAY, SIDE_ENDED };

struct wm_concurrent_launch {
    struct wm_concurrent_launch *next; // in the order of their rounds
    uint32_t gpu;                      // that it runs on
    int priority;
    const struct wm_concurrent_launch
        *parent; // whose block launched it and may wait for it; NULL: the host
    bool waits;  // its blocks may wait for what they launch
    enum side_state state;
    bool alone; // its blocks wait for each other, and all are to be resident
    bool is_live;
    struct wm_live_work live;          // if it is
    struct wm_checked_launch *checked; // owned; NULL: no checker observes it
    struct wm_work *work;              // what is driven
    // Its local memory, in bytes from where local memory lies; equal where it has none.
    uint64_t local_begin, local_end;
    struct wm_block_resources needs;
    struct wm_occupancy occupancy;        // when it is alone
    struct wm_spare_residency *residency; // while under way, as the next
    struct wm_kernel_record *record;
    struct wm_launch_accounting launch;
    struct wm_launch_state run;
    struct wm_clock_launch clock_launch; // in time
    struct wm_progress progress;
    enum wm_status status; // of its end
    struct wm_error error;
};

struct wm_concurrent_launches {
    struct wm_concurrent_launch *first;  // borrowed: their owners take them
    struct wm_concurrent_launch *counts; // what components count is its; NULL: no launch's yet
    struct wm_sm_use *use;               // in the session's arena, by SM of all GPUs
    uint32_t under_way, under_way_on[WM_PLACES_TO_RUN];
    bool several; // in time: more than one is, or was since the first began
    bool stopped; // in time: one has failed, and none continues before all have been taken
};

static struct wm_concurrent_launches *sides_of(struct wm_session *session)
{
    if (session->sides != NULL)
        return session->sides;
    struct wm_concurrent_launches *sides = calloc(1, sizeof *sides);
    struct wm_sm_use *use =
        WM_ARENA_ARRAY(&session->arena, struct wm_sm_use, wm_session_units(session));
    if (sides == NULL || use == NULL) {
        free(sides);
        return NULL;
    }
    sides->use = use;
    return session->sides = sides;
}

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
        if (at->state != SIDE_UNDER_WAY || !at->is_live)
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
        count += at->state == SIDE_UNDER_WAY && at->gpu == gpu && at->run.suspended_count == 0;
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
        alone = alone || (at->state == SIDE_UNDER_WAY && at->gpu == side->gpu && at->alone);
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
        bool one = at->state == SIDE_WAITS && at->gpu == first->gpu && !at->alone;
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
    while (at != NULL && at->state != SIDE_UNDER_WAY)
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
    side->state = SIDE_UNDER_WAY;
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

static void end(struct wm_session *session, struct wm_concurrent_launch *side,
                enum wm_status status)
{
    struct wm_concurrent_launches *sides = session->sides;
    if (side->state == SIDE_UNDER_WAY) {
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
    side->state = SIDE_ENDED;
    side->status = wm_session_name_kernel(status, side->work->kernel, &side->error);
}

// In order: one that cannot begin holds up those behind it on its GPU, or it might never. What
// kernels under way launched is held up by no other, which may be waiting for these kernels' end.
static void begin_waiting(struct wm_session *session, bool children)
{
    uint32_t held = 0; // GPUs, bit by number
    for (struct wm_concurrent_launch *side = session->sides->first; side != NULL;
         side = side->next) {
        if (side->state != SIDE_WAITS || (side->parent != NULL) != children ||
            (held >> side->gpu & 1) != 0)
            continue;
        if (!may_begin(session, side)) {
            held |= children ? 0 : UINT32_C(1) << side->gpu;
            continue;
        }
        enum wm_status status = begin(session, side, &side->error);
        if (status != WM_OK)
            end(session, side, status);
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
        end(session, side, status);
    else if (session->options.progress && side == session->sides->first)
        wm_progress_update(&side->progress, run->finished_blocks);
}

static struct wm_concurrent_launch *first_under_way(const struct wm_concurrent_launches *sides)
{
    struct wm_concurrent_launch *side = sides->first;
    while (side->state != SIDE_UNDER_WAY)
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
        if (side->state != SIDE_UNDER_WAY)
            continue;
        bool fails = status != WM_OK && (failed == &side->clock_launch || failed == NULL);
        if (fails)
            side->error = error;
        if (fails || side->clock_launch.has_ended)
            end(session, side, fails ? status : WM_OK);
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
        if (side->state == SIDE_UNDER_WAY)
            wm_walk_resume_blocks(session, &side->run);
    for (struct wm_concurrent_launch *side = first; side != NULL; side = side->next)
        if (side->state == SIDE_UNDER_WAY)
            wm_walk_dispatch(session, &side->run);
    for (struct wm_concurrent_launch *side = first; side != NULL; side = side->next)
        if (side->state == SIDE_UNDER_WAY)
            run_one(session, side);
    return true;
}

// ---- Starting and taking -----------------------------------------------------------------------

static bool descends_from(const struct wm_concurrent_launch *side,
                          const struct wm_concurrent_launch *ancestor)
{
    while (side != NULL && side != ancestor)
        side = side->parent;
    return side != NULL;
}

// What a kernel launches stands behind it, and behind what it launched before with all of that.
static void insert(struct wm_concurrent_launches *sides, struct wm_concurrent_launch *side)
{
    struct wm_concurrent_launch **link = &sides->first;
    while (*link != NULL && side->parent != NULL && *link != side->parent)
        link = &(*link)->next;
    while (*link != NULL && (side->parent != NULL ? descends_from(*link, side->parent)
                                                  : (*link)->priority <= side->priority))
        link = &(*link)->next;
    side->next = *link;
    *link = side;
}

// Local memories of launches that have not ended do not overlap: each is in the first place where
// it fits, so that those of later launches are where those of earlier ones were, as on a GPU, and
// find their lines in the caches (Knuth, The Art of Computer Programming 1, 2.5, "first fit").
static uint64_t local_offset(const struct wm_concurrent_launches *sides, uint32_t gpu,
                             uint64_t bytes)
{
    uint64_t begin = wm_work_first_local(gpu);
    for (const struct wm_concurrent_launch *at = sides->first; at != NULL;) {
        bool overlaps =
            at->state != SIDE_ENDED && at->local_begin < begin + bytes && begin < at->local_end;
        begin = overlaps ? at->local_end : begin;
        at = overlaps ? sides->first : at->next;
    }
    return begin;
}

static struct wm_concurrent_launch *new_side(struct wm_session *session, int priority, bool alone)
{
    struct wm_concurrent_launch *side = sides_of(session) != NULL ? calloc(1, sizeof *side) : NULL;
    if (side == NULL)
        return NULL;
    side->priority = priority;
    side->alone = alone;
    wm_error_clear(&side->error);
    return side;
}

// Finds what the work needs, and a place for its local memory.
static enum wm_status prepare(struct wm_session *session, struct wm_concurrent_launch *side,
                              const struct wm_work *work, struct wm_error *error)
{
    const struct wm_sm_spec *spec = wm_session_sm(session, work->gpu);
    uint64_t bytes = (uint64_t)spec->count * spec->max_blocks * work->local_bytes_per_block;
    side->gpu = work->gpu;
    WM_TRY(wm_session_check_gpu(&session->machine, work->gpu, error));
    side->local_begin = bytes != 0 ? local_offset(session->sides, work->gpu, bytes)
                                   : wm_work_first_local(work->gpu);
    side->local_end = side->local_begin + bytes;
    return wm_session_find_occupancy(session, work, &side->needs, &side->occupancy, error);
}

static enum wm_status prepare_live(struct wm_session *session, const struct wm_launch *launch,
                                   struct wm_concurrent_launch *side, struct wm_error *error)
{
    struct wm_launch placed = *launch;
    if (session->options.checker != NULL) {
        side->checked = wm_checked_launch_new(session->options.checker);
        if (side->checked == NULL)
            return wm_fail_no_memory(error, "checking a launch");
    }
    placed.sm_count = session->machine.sm.count;
    placed.stray = side->checked != NULL ? wm_checked_launch_stray : NULL;
    placed.stray_context = side->checked;
    placed.time = session->clock != NULL ? wm_clock_time(session->clock) : NULL;
    if (side->waits) // its launches are to fit next to it
        placed.preferred_carveout = WHOLE_CARVEOUT;
    WM_TRY(wm_session_check_dimensions(launch->grid, launch->block, error));
    WM_TRY(wm_live_work_init(&side->live, &placed, session->device_memory, error));
    WM_TRY(prepare(session, side, &side->live.work, error));
    wm_grid_place_local(side->live.grid, side->local_begin);
    side->work =
        wm_checked_launch_begin(side->checked, &side->live.work, session->machine.sm.count);
    return side->work != NULL ? WM_OK : wm_fail_no_memory(error, "checking a launch");
}

static void free_side(struct wm_session *session, struct wm_concurrent_launch *side)
{
    if (side->is_live) {
        wm_host_device_races_end(session->races, side->work);
        wm_live_work_release(&side->live);
    }
    wm_checked_launch_free(side->checked);
    free(side);
}

static enum wm_status start(struct wm_session *session, const struct wm_launch *launch,
                            int priority, const struct wm_concurrent_launch *parent,
                            struct wm_concurrent_launch **running, struct wm_error *error)
{
    *running = NULL;
    struct wm_concurrent_launch *side = new_side(session, priority, launch->workspace != 0);
    if (side == NULL)
        return wm_fail_no_memory(error, "launches side by side");
    side->is_live = true;
    side->parent = parent;
    side->waits = launch->kernel->synchronises;
    enum wm_status status = prepare_live(session, launch, side, error);
    if (status != WM_OK) {
        free_side(session, side);
        return wm_session_name_kernel(status, launch->kernel->name, error);
    }
    side->work = wm_host_device_races_begin(session->races, side->work);
    insert(session->sides, side);
    *running = side;
    return WM_OK;
}

enum wm_status wm_session_start_work(struct wm_session *session, struct wm_work *work, int priority,
                                     bool alone, struct wm_concurrent_launch **running,
                                     struct wm_error *error)
{
    *running = NULL;
    struct wm_concurrent_launch *side = new_side(session, priority, alone);
    if (side == NULL)
        return wm_fail_no_memory(error, "launches side by side");
    side->work = work;
    enum wm_status status = wm_session_check_dimensions(work->grid, work->block, error);
    if (status == WM_OK)
        status = prepare(session, side, work, error);
    work->local_offset = side->local_begin;
    if (status != WM_OK) {
        free(side);
        return wm_session_name_kernel(status, work->kernel, error);
    }
    insert(session->sides, side);
    *running = side;
    return WM_OK;
}

enum wm_status wm_session_start_launch(struct wm_session *session, const struct wm_launch *launch,
                                       int priority, struct wm_concurrent_launch **running,
                                       struct wm_error *error)
{
    return start(session, launch, priority, NULL, running, error);
}

enum wm_status wm_session_start_child(struct wm_session *session, const struct wm_launch *launch,
                                      const struct wm_concurrent_launch *parent,
                                      struct wm_concurrent_launch **running, struct wm_error *error)
{
    return start(session, launch, parent->priority, parent, running, error);
}

void wm_session_children_ended(struct wm_session *session, struct wm_concurrent_launch *running,
                               uint64_t block)
{
    wm_grid_children_ended(running->live.grid, block);
    if (session->clock != NULL && running->state == SIDE_UNDER_WAY)
        wm_clock_children_ended(session->clock, &running->run, block);
}

void wm_session_end_step(struct wm_session *session)
{
    session->step_ends = true;
}

bool wm_concurrent_launch_is_suspended(const struct wm_concurrent_launch *running)
{
    return running->state == SIDE_UNDER_WAY && running->run.suspended_count != 0;
}

bool wm_concurrent_launch_has_ended(const struct wm_concurrent_launch *running)
{
    return running->state == SIDE_ENDED;
}

enum wm_status wm_session_collect(struct wm_session *session, struct wm_concurrent_launch *side,
                                  struct wm_finding *finding, struct wm_error *error)
{
    if (side->state != SIDE_ENDED)
        end(session, side, WM_OK);
    struct wm_concurrent_launch **link = &session->sides->first;
    while (*link != side)
        link = &(*link)->next;
    *link = side->next;
    for (struct wm_concurrent_launch *at = session->sides->first; at != NULL; at = at->next)
        if (at->parent == side)
            at->parent = side->parent;
    const struct wm_finding *found = side->is_live ? wm_grid_fault(side->live.grid) : NULL;
    if (found != NULL && finding != NULL)
        *finding = *found;
    enum wm_status status = side->status;
    if (status != WM_OK)
        *error = side->error;
    free_side(session, side);
    return status;
}
