// Launches side by side (docs/streams.md). They take turns: in a step each launch that is under way
// has one round of its own over the SMs, those of the greatest priority first, then in order of
// start. A block is given to an SM where it fits beside the blocks of all.
//
// Components count for all; what they have counted when another launch has its round is the one's
// before it.
#include "engine/walk_parts.h"

#include "engine/check/check.h"
#include "engine/clock.h"
#include "engine/host_meetings.h"
#include "engine/live_work.h"

#include <stdlib.h>

enum { WHOLE_CARVEOUT = 101 }; // percent, plus one

enum side_state { SIDE_WAITS, SIDE_UNDER_WAY, SIDE_ENDED };

// Places of launches that have ended are the next ones'.
struct side_seating {
    struct side_seating *next;
    struct wm_walk_seating seating; // in the walk's arena
};

struct wm_running {
    struct wm_running *next; // in the order of their rounds
    int priority;
    const struct wm_running *parent; // whose block launched it and may wait for it; NULL: the host
    bool waits;                      // its blocks may wait for what they launch
    enum side_state state;
    bool alone; // its blocks wait for each other, and all are to be resident
    bool is_live;
    struct wm_live_work live; // if it is
    struct wm_work *work;     // what is driven
    // Its local memory, in bytes from where local memory lies; equal where it has none.
    uint64_t local_begin, local_end;
    struct wm_block_needs needs;
    struct wm_occupancy occupancy; // when it is alone
    struct side_seating *seating;  // while under way, as the next
    struct wm_walk_record *record;
    struct wm_walk_launch launch;
    struct wm_walk_run run;
    struct wm_clock_lane lane; // in time
    struct wm_progress progress;
    enum wm_status status; // of its end
    struct wm_error error;
};

struct wm_walk_sides {
    struct wm_running *first;  // borrowed: their owners take them
    struct wm_running *counts; // what components count is its; NULL: it is nobody's yet
    struct wm_sm_use *use;     // in the walk's arena, by SM
    struct side_seating *spare;
    uint32_t under_way;
    bool several; // in time: more than one is, or was since the first began
    bool stopped; // in time: one has failed, and none goes on before all have been taken
};

static struct wm_walk_sides *sides_of(struct wm_walk *walk)
{
    if (walk->sides != NULL)
        return walk->sides;
    struct wm_walk_sides *sides = calloc(1, sizeof *sides);
    struct wm_sm_use *use = WM_ARENA_ARRAY(&walk->arena, struct wm_sm_use, walk->machine.sm.count);
    if (sides == NULL || use == NULL) {
        free(sides);
        return NULL;
    }
    sides->use = use;
    return walk->sides = sides;
}

void wm_walk_sides_free(struct wm_walk *walk)
{
    free(walk->sides);
    walk->sides = NULL;
}

// ---- Whose the counters are --------------------------------------------------------------------

// In time components count for several at once: what is not of a chosen launch is taken off when
// it is given to its kernel (clock_charge.c).
static bool counts_apart(const struct wm_walk *walk)
{
    return walk->clock != NULL && walk->sides->several;
}

void wm_walk_sides_settle(struct wm_walk *walk)
{
    struct wm_walk_sides *sides = walk->sides;
    if (sides == NULL || sides->counts == NULL)
        return;
    if (counts_apart(walk))
        wm_clock_settle(walk->clock);
    else
        wm_walk_record_end(walk, sides->counts->record);
    wm_walk_launch_forget(walk);
    sides->counts = NULL;
}

static void count_for(struct wm_walk *walk, struct wm_running *side)
{
    if (walk->sides->counts == side)
        return;
    wm_walk_sides_settle(walk);
    walk->launch = &side->launch;
    walk->in_chosen = side->launch.chosen || counts_apart(walk);
    wm_walk_recount(walk);
    wm_walk_record_begin(walk);
    walk->sides->counts = side;
    wm_walk_trace_into(walk, side->work, side->record, side->run.first_block);
    // Which looks for stray accesses alone here, and needs to know whose they are.
    if (walk->options.checker != NULL)
        (void)wm_checker_launch_begin(walk->options.checker, &side->live.work,
                                      walk->machine.sm.count);
    if (walk->memory != NULL) {
        wm_memory_explain_grid(walk->memory, side->run.first_block, side->work->grid);
        wm_memory_prioritise(walk->memory, side->record->priorities.l1,
                             side->record->priorities.l2);
    }
    if (walk->sides->under_way > 1 && walk->meetings != NULL)
        wm_host_meetings_forget(walk->meetings);
}

// ---- Beginning ---------------------------------------------------------------------------------

static bool fits(const struct wm_walk *walk, const struct wm_running *side)
{
    const struct wm_sm_use none = {0};
    return wm_occupancy_room(&walk->machine.sm, &side->needs, walk->shared_bytes, &none) != 0;
}

// One that has blocks away holds nothing up: else those that they wait for might never begin.
static uint32_t count_under_way(const struct wm_walk_sides *sides)
{
    uint32_t count = 0;
    for (const struct wm_running *at = sides->first; at != NULL; at = at->next)
        count += at->state == SIDE_UNDER_WAY && at->run.away_count == 0;
    return count;
}

// As many as the machine runs side by side, with the carve-out of shared memory that is in force:
// it does not change while a kernel runs. What blocks wait for runs beside them in any case, and a
// launch that may wait has the largest carve-out: so it fits.
static bool may_begin(const struct wm_walk *walk, const struct wm_running *side)
{
    const struct wm_walk_sides *sides = walk->sides;
    if (sides->under_way == 0)
        return true;
    bool alone = side->alone && side->parent == NULL;
    for (const struct wm_running *at = sides->first; at != NULL && side->parent == NULL;
         at = at->next)
        alone = alone || (at->state == SIDE_UNDER_WAY && at->alone);
    if (alone || (walk->clock != NULL && !wm_clock_takes_launches(walk->clock)) ||
        (side->waits && side->parent == NULL && walk->shared_bytes < side->occupancy.shared_bytes))
        return false;
    return count_under_way(sides) < walk->machine.device.concurrent_kernels && fits(walk, side);
}

// Nothing is under way: of those that may begin now, side by side, the largest carve-out.
static uint64_t carveout_of(const struct wm_walk *walk, const struct wm_running *first)
{
    if (walk->machine.sm.unified_bytes == 0)
        return walk->machine.sm.shared_bytes;
    uint64_t most = first->occupancy.shared_bytes;
    uint32_t count = 1;
    for (const struct wm_running *at = first->next; at != NULL && !first->alone; at = at->next) {
        bool one = at->state == SIDE_WAITS && !at->alone;
        if (!one || count++ >= walk->machine.device.concurrent_kernels)
            continue;
        most = at->occupancy.shared_bytes > most ? at->occupancy.shared_bytes : most;
    }
    return most;
}

static struct side_seating *take_seating(struct wm_walk *walk)
{
    struct side_seating *seating = walk->sides->spare;
    if (seating != NULL) {
        walk->sides->spare = seating->next;
        return seating;
    }
    seating = WM_ARENA_ARRAY(&walk->arena, struct side_seating, 1);
    bool good = seating != NULL && wm_walk_seating_init(walk, &walk->arena, &seating->seating);
    return good ? seating : NULL;
}

// Of the next one under way.
static struct wm_clock_lane *lane_behind(const struct wm_running *side)
{
    struct wm_running *at = side->next;
    while (at != NULL && at->state != SIDE_UNDER_WAY)
        at = at->next;
    return at != NULL ? &at->lane : NULL;
}

static enum wm_status begin(struct wm_walk *walk, struct wm_running *side, struct wm_error *error)
{
    struct wm_walk_sides *sides = walk->sides;
    const struct wm_sm_use none = {0};
    bool first = sides->under_way == 0;
    wm_walk_sides_settle(walk);
    if (first)
        walk->shared_bytes = carveout_of(walk, side);
    struct wm_occupancy occupancy = side->occupancy;
    uint32_t warps = occupancy.warps / occupancy.blocks;
    occupancy.shared_bytes = walk->shared_bytes;
    occupancy.blocks =
        wm_occupancy_room(&walk->machine.sm, &side->needs, walk->shared_bytes, &none);
    occupancy.warps = occupancy.blocks * warps;
    side->seating = take_seating(walk);
    if (side->seating == NULL)
        return wm_fail(error, WM_NO_MEMORY, "out of memory");
    struct wm_walk_run waits = {.blocks_per_sm = occupancy.blocks};
    if (side->waits)
        WM_TRY(wm_walk_waits_begin(walk, &waits, error));
    side->run = waits;
    uint64_t first_block = walk->blocks;
    enum wm_status status = wm_walk_record_launch(walk, side->work, &side->needs, &occupancy, first,
                                                  &side->launch, &side->record, error);
    if (status != WM_OK) { // its place goes with it
        wm_walk_launch_forget(walk);
        return status;
    }
    sides->counts = side;
    sides->several = !first;
    sides->stopped = false;
    walk->in_chosen = side->launch.chosen || counts_apart(walk);
    wm_walk_recount(walk);
    sides->under_way++;
    wm_walk_run_begin(walk, &side->seating->seating, side->work, &occupancy, &side->run);
    side->run.first_block = first_block;
    side->run.needs = side->needs;
    side->run.use = sides->use;
    side->run.begun = waits.begun;
    side->run.away = waits.away;
    side->state = SIDE_UNDER_WAY;
    wm_walk_begin_progress(side->work, side->run.block_count, &side->progress);
    return walk->clock != NULL ? wm_clock_join(walk->clock, &side->lane, &side->run, side->record,
                                               &side->launch, lane_behind(side), error)
                               : WM_OK;
}

static void give_back_room(struct wm_walk *walk, struct wm_running *side)
{
    for (uint32_t sm = 0; sm < walk->machine.sm.count; sm++)
        for (uint32_t i = 0; i < side->run.blocks_per_sm; i++) {
            const struct wm_walk_place *place = &side->seating->seating.seats[sm].places[i];
            if (place->taken && !place->away)
                wm_walk_leave_room(walk, &side->run, sm);
        }
}

static void end(struct wm_walk *walk, struct wm_running *side, enum wm_status status)
{
    struct wm_walk_sides *sides = walk->sides;
    if (side->state == SIDE_UNDER_WAY) {
        if (walk->clock != NULL) {
            wm_clock_leave(walk->clock, &side->lane);
            side->launch.cycles_before = side->record->cycles;
            side->record->cycles += side->lane.cycles;
        }
        if (!counts_apart(walk))
            count_for(walk, side);
        if (walk->memory != NULL) {
            wm_memory_kernel_end(walk->memory);
            wm_memory_prioritise(walk->memory, NULL, NULL);
        }
        wm_walk_sides_settle(walk);
        wm_walk_launch_close(walk, side->record, &side->launch);
        give_back_room(walk, side);
        sides->under_way--;
        wm_progress_finish(&side->progress);
    }
    wm_walk_waits_end(&side->run);
    if (side->seating != NULL) {
        side->seating->next = sides->spare;
        sides->spare = side->seating;
        side->seating = NULL;
    }
    side->state = SIDE_ENDED;
    side->status = wm_walk_at_kernel(status, side->work->kernel, &side->error);
}

// In order: one that cannot begin holds up those behind it, or it might never. What kernels under
// way launched is held up by no other, which may be waiting for these kernels' end.
static void begin_waiting(struct wm_walk *walk, bool children)
{
    for (struct wm_running *side = walk->sides->first; side != NULL; side = side->next) {
        if (side->state != SIDE_WAITS || (side->parent != NULL) != children)
            continue;
        if (!may_begin(walk, side)) {
            if (children)
                continue;
            return;
        }
        enum wm_status status = begin(walk, side, &side->error);
        if (status != WM_OK)
            end(walk, side, status);
    }
}

// ---- Steps -------------------------------------------------------------------------------------

static void run_one(struct wm_walk *walk, struct wm_running *side)
{
    struct wm_walk_run *run = &side->run;
    enum wm_status status = WM_OK;
    count_for(walk, side);
    if (run->finished_blocks < run->block_count)
        status = wm_walk_run_round(walk, run, &side->error);
    wm_walk_waits_leave(walk, run);
    if (status != WM_OK || run->finished_blocks == run->block_count)
        end(walk, side, status);
    else if (walk->options.progress && side == walk->sides->first)
        wm_progress_update(&side->progress, run->finished_blocks);
}

static struct wm_running *first_under_way(const struct wm_walk_sides *sides)
{
    struct wm_running *side = sides->first;
    while (side->state != SIDE_UNDER_WAY)
        side = side->next;
    return side;
}

// Counters go on where something else has counted: for the one launch that is under way, or for
// several, whose kernels the clock engine tells apart itself.
static void count_again(struct wm_walk *walk, struct wm_running *side)
{
    if (!counts_apart(walk)) {
        count_for(walk, side);
        return;
    }
    walk->in_chosen = true;
    wm_walk_recount(walk);
    wm_walk_record_begin(walk);
    walk->sides->counts = side;
}

// All together; one that has ended leaves, and so does one that failed: what its warps have asked
// for is still on its way and serves nobody, so that no other may go on (an error of one kernel
// ends all).
static void step_in_time(struct wm_walk *walk)
{
    struct wm_clock_lane *failed;
    struct wm_error error;
    wm_error_clear(&error);
    if (walk->sides->counts == NULL) // since something else has counted
        count_again(walk, first_under_way(walk->sides));
    enum wm_status status = wm_clock_step(walk->clock, &failed, &error);
    walk->sides->stopped = status != WM_OK;
    for (struct wm_running *side = walk->sides->first; side != NULL; side = side->next) {
        if (side->state != SIDE_UNDER_WAY)
            continue;
        bool fails = status != WM_OK && (failed == &side->lane || failed == NULL);
        if (fails)
            side->error = error;
        if (fails || side->lane.has_ended)
            end(walk, side, fails ? status : WM_OK);
    }
}

bool wm_walk_step(struct wm_walk *walk)
{
    if (walk->sides == NULL)
        return false;
    if (walk->sides->stopped && walk->sides->under_way != 0)
        return true;
    begin_waiting(walk, true);
    begin_waiting(walk, false);
    if (walk->sides->under_way == 0)
        return false;
    struct wm_running *first = walk->sides->first;
    if (walk->clock != NULL) {
        step_in_time(walk);
        return true;
    }
    for (struct wm_running *side = first; side != NULL; side = side->next)
        if (side->state == SIDE_UNDER_WAY)
            wm_walk_waits_return(walk, &side->run);
    for (struct wm_running *side = first; side != NULL; side = side->next)
        if (side->state == SIDE_UNDER_WAY)
            wm_walk_dispatch(walk, &side->run);
    for (struct wm_running *side = first; side != NULL; side = side->next)
        if (side->state == SIDE_UNDER_WAY)
            run_one(walk, side);
    return true;
}

// ---- Starting and taking -----------------------------------------------------------------------

static bool descends_from(const struct wm_running *side, const struct wm_running *ancestor)
{
    while (side != NULL && side != ancestor)
        side = side->parent;
    return side != NULL;
}

// What a kernel launches stands behind it, and behind what it launched before with all of that.
static void insert(struct wm_walk_sides *sides, struct wm_running *side)
{
    struct wm_running **link = &sides->first;
    while (*link != NULL && side->parent != NULL && *link != side->parent)
        link = &(*link)->next;
    while (*link != NULL && (side->parent != NULL ? descends_from(*link, side->parent)
                                                  : (*link)->priority <= side->priority))
        link = &(*link)->next;
    side->next = *link;
    *link = side;
}

// Local memories of launches that have not ended lie beside each other, each in the first place
// where it fits, so that those of later launches are where those of earlier ones were, as on a GPU,
// and find their lines in the caches (Knuth, The Art of Computer Programming 1, 2.5, "first fit").
static uint64_t local_offset(const struct wm_walk_sides *sides, uint64_t bytes)
{
    uint64_t begin = 0;
    for (const struct wm_running *at = sides->first; at != NULL;) {
        bool meets =
            at->state != SIDE_ENDED && at->local_begin < begin + bytes && begin < at->local_end;
        begin = meets ? at->local_end : begin;
        at = meets ? sides->first : at->next;
    }
    return begin;
}

static struct wm_running *new_side(struct wm_walk *walk, int priority, bool alone)
{
    struct wm_running *side = sides_of(walk) != NULL ? calloc(1, sizeof *side) : NULL;
    if (side == NULL)
        return NULL;
    side->priority = priority;
    side->alone = alone;
    wm_error_clear(&side->error);
    return side;
}

// Finds what the work needs, and a place for its local memory.
static enum wm_status prepare(struct wm_walk *walk, struct wm_running *side,
                              const struct wm_work *work, struct wm_error *error)
{
    const struct wm_sm_spec *spec = &walk->machine.sm;
    uint64_t bytes = (uint64_t)spec->count * spec->max_blocks * work->local_bytes_per_block;
    side->local_begin = bytes != 0 ? local_offset(walk->sides, bytes) : 0;
    side->local_end = side->local_begin + bytes;
    return wm_walk_find_occupancy(walk, work, &side->needs, &side->occupancy, error);
}

static enum wm_status prepare_live(struct wm_walk *walk, const struct wm_launch *launch,
                                   struct wm_running *side, struct wm_error *error)
{
    struct wm_launch placed = *launch;
    placed.sm_count = walk->machine.sm.count;
    placed.stray = walk->options.checker != NULL ? wm_checker_stray : NULL;
    placed.stray_context = walk->options.checker;
    placed.time = walk->clock != NULL ? wm_clock_time(walk->clock) : NULL;
    if (side->waits) // whatever it launches is to fit beside it
        placed.preferred_carveout = WHOLE_CARVEOUT;
    WM_TRY(wm_walk_check_dimensions(launch->grid, launch->block, error));
    WM_TRY(wm_live_work_init(&side->live, &placed, walk->device_memory, error));
    WM_TRY(prepare(walk, side, &side->live.work, error));
    wm_grid_place_local(side->live.grid, side->local_begin);
    return WM_OK;
}

static enum wm_status start(struct wm_walk *walk, const struct wm_launch *launch, int priority,
                            const struct wm_running *parent, struct wm_running **running,
                            struct wm_error *error)
{
    *running = NULL;
    struct wm_running *side = new_side(walk, priority, launch->workspace != 0);
    if (side == NULL)
        return wm_fail(error, WM_NO_MEMORY, "out of memory");
    side->parent = parent;
    side->waits = launch->kernel->synchronises;
    enum wm_status status = prepare_live(walk, launch, side, error);
    if (status != WM_OK) {
        wm_live_work_release(&side->live);
        free(side);
        return wm_walk_at_kernel(status, launch->kernel->name, error);
    }
    side->is_live = true;
    side->work = wm_host_meetings_begin(walk->meetings, &side->live.work);
    insert(walk->sides, side);
    *running = side;
    return WM_OK;
}

enum wm_status wm_walk_start_work(struct wm_walk *walk, struct wm_work *work, int priority,
                                  bool alone, struct wm_running **running, struct wm_error *error)
{
    *running = NULL;
    struct wm_running *side = new_side(walk, priority, alone);
    if (side == NULL)
        return wm_fail(error, WM_NO_MEMORY, "out of memory");
    side->work = work;
    enum wm_status status = wm_walk_check_dimensions(work->grid, work->block, error);
    if (status == WM_OK)
        status = prepare(walk, side, work, error);
    work->local_offset = side->local_begin;
    if (status != WM_OK) {
        free(side);
        return wm_walk_at_kernel(status, work->kernel, error);
    }
    insert(walk->sides, side);
    *running = side;
    return WM_OK;
}

enum wm_status wm_walk_start(struct wm_walk *walk, const struct wm_launch *launch, int priority,
                             struct wm_running **running, struct wm_error *error)
{
    return start(walk, launch, priority, NULL, running, error);
}

enum wm_status wm_walk_start_child(struct wm_walk *walk, const struct wm_launch *launch,
                                   const struct wm_running *parent, struct wm_running **running,
                                   struct wm_error *error)
{
    return start(walk, launch, parent->priority, parent, running, error);
}

void wm_walk_children_ended(struct wm_walk *walk, struct wm_running *running, uint64_t block)
{
    wm_grid_children_ended(running->live.grid, block);
    if (walk->clock != NULL && running->state == SIDE_UNDER_WAY)
        wm_clock_children_ended(walk->clock, &running->run, block);
}

void wm_walk_end_step(struct wm_walk *walk)
{
    walk->step_ends = true;
}

bool wm_running_is_away(const struct wm_running *running)
{
    return running->state == SIDE_UNDER_WAY && running->run.away_count != 0;
}

bool wm_running_has_ended(const struct wm_running *running)
{
    return running->state == SIDE_ENDED;
}

enum wm_status wm_walk_take(struct wm_walk *walk, struct wm_running *side,
                            struct wm_finding *finding, struct wm_error *error)
{
    if (side->state != SIDE_ENDED)
        end(walk, side, WM_OK);
    struct wm_running **link = &walk->sides->first;
    while (*link != side)
        link = &(*link)->next;
    *link = side->next;
    for (struct wm_running *at = walk->sides->first; at != NULL; at = at->next)
        if (at->parent == side)
            at->parent = side->parent;
    const struct wm_finding *found = side->is_live ? wm_grid_finding(side->live.grid) : NULL;
    if (found != NULL && finding != NULL)
        *finding = *found;
    enum wm_status status = side->status;
    if (status != WM_OK)
        *error = side->error;
    if (side->is_live) {
        wm_host_meetings_end(walk->meetings, side->work);
        wm_live_work_release(&side->live);
    }
    free(side);
    return status;
}
