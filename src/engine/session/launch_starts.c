// Launches side by side come to a session and leave it: started, with what they need and a place
// for their local memory, among those that take turns (concurrent_launches.c), and collected.
#include "engine/session/concurrent_launches_state.h"

#include "engine/check/check.h"
#include "engine/session/host_device_races.h"

#include <stdlib.h>

enum { WHOLE_CARVEOUT = 101 }; // percent, plus one

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
            at->state != WM_SIDE_ENDED && at->local_begin < begin + bytes && begin < at->local_end;
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
    if (session->clock != NULL && running->state == WM_SIDE_UNDER_WAY)
        wm_clock_children_ended(session->clock, &running->run, block);
}

void wm_session_end_step(struct wm_session *session)
{
    session->step_ends = true;
}

bool wm_concurrent_launch_is_suspended(const struct wm_concurrent_launch *running)
{
    return running->state == WM_SIDE_UNDER_WAY && running->run.suspended_count != 0;
}

bool wm_concurrent_launch_has_ended(const struct wm_concurrent_launch *running)
{
    return running->state == WM_SIDE_ENDED;
}

enum wm_status wm_session_collect(struct wm_session *session, struct wm_concurrent_launch *side,
                                  struct wm_finding *finding, struct wm_error *error)
{
    if (side->state != WM_SIDE_ENDED)
        wm_concurrent_launch_end(session, side, WM_OK);
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
