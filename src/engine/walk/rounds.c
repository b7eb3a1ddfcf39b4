// The order of the walk engine (docs/engine-walk.md): rounds over the SMs, in each of which every
// SM has a turn (walk/turns.c). Blocks that finished make room for the next ones between two
// rounds.
#include "base/containers/array.h"
#include "engine/walk/request_batch.h"
#include "engine/walk/turns.h"
#include "engine/walk/walk_team.h"

#include <stdlib.h>

// Without a memory system an SM has several turns in a row as long as no warp of it can be waiting
// for another SM's.
enum { TURNS_ALONE = 64 };

// Nothing ran in a whole round and blocks are unfinished: every live warp waits.
static enum wm_status report_deadlock(struct wm_launch_state *run, struct wm_error *error)
{
    uint32_t count = 0, most = run->sm->count * run->blocks_per_sm;
    struct wm_block **blocks;
    WM_TRY(WM_ARRAY_NEW(blocks, most, error, "the blocks that wait"));
    for (uint32_t sm = 0; sm < run->sm->count; sm++)
        for (uint32_t i = 0; i < run->blocks_per_sm; i++)
            if (run->residency->sm_residency[sm].places[i].block != NULL)
                blocks[count++] = run->residency->sm_residency[sm].places[i].block;
    enum wm_status status = run->work->ops->deadlock(run->work, blocks, count, error);
    free(blocks);
    return status;
}

static enum wm_status check_limit(struct wm_run_limit *limit, uint64_t executed,
                                  struct wm_error *error)
{
    limit->instructions += executed;
    return wm_run_limit_check(limit, limit->turns++ % WM_RUN_LIMIT_TURNS == 0, error);
}

static void add_sums(struct wm_launch_state *run, const struct wm_turn_sums *sums)
{
    run->finished_blocks += sums->finished_blocks;
    run->taken_places -= sums->finished_blocks;
}

// After a turn.
static enum wm_status check_turn(struct wm_session *session, const struct wm_launch_state *run,
                                 const struct wm_turn_sums *sums, struct wm_error *error)
{
    const struct wm_session_options *options = &session->options;
    WM_TRY(run->work->ops->fault(run->work, error));
    if (wm_run_limit_is_set(&session->limit))
        WM_TRY(check_limit(&session->limit, sums->executed, error));
    if (options->at_safe_point != NULL) {
        wm_request_queue_serve(&session->queue);
        options->at_safe_point(options->context);
    }
    return WM_OK;
}

// The SMs one after the other.
static enum wm_status take_turns(struct wm_session *session, struct wm_launch_state *run,
                                 struct wm_turn_sums *all, struct wm_error *error)
{
    for (uint32_t sm = 0; sm < run->sm->count; sm++) {
        if (!wm_walk_has_blocks(run, sm))
            continue;
        WM_TRY(wm_walk_start_blocks(session, run, sm, error));
        bool again = true;
        for (int turns = 0; again && turns < TURNS_ALONE; turns++) {
            struct wm_turn_sums sums = {0};
            again = wm_walk_take_turn(session, run, &session->front_end, sm, &sums);
            add_sums(run, &sums);
            all->executed += sums.executed;
            all->finished_blocks += sums.finished_blocks;
            WM_TRY(check_turn(session, run, &sums, error));
        }
    }
    return WM_OK;
}

static enum wm_status run_round(struct wm_session *session, struct wm_launch_state *run,
                                struct wm_error *error)
{
    struct wm_turn_sums sums = {0};
    if (run->use == NULL)
        wm_walk_dispatch(session, run);
    if (run->work->ops->begin_round != NULL)
        run->work->ops->begin_round(run->work);
    bool any =
        run->taken_places != run->suspended_count; // what waits for others' end will continue
    if (session->team != NULL) {
        WM_TRY(wm_walk_team_round(session->team, run, &sums, error));
        add_sums(run, &sums);
    } else {
        WM_TRY(take_turns(session, run, &sums, error));
    }
    // One whose blocks wait for room that others' occupy has none yet.
    return any && sums.executed == 0 && sums.finished_blocks == 0 ? report_deadlock(run, error)
                                                                  : WM_OK;
}

static enum wm_status run_rounds(struct wm_session *session, struct wm_launch_state *run,
                                 struct wm_progress *progress, struct wm_error *error)
{
    while (run->finished_blocks < run->block_count) {
        WM_TRY(run_round(session, run, error));
        if (progress != NULL)
            wm_progress_update(progress, run->finished_blocks);
    }
    return WM_OK;
}

// Around rounds: what serves requests.
static enum wm_status begin_rounds(struct wm_session *session, struct wm_launch_state *run,
                                   struct wm_error *error)
{
    if (session->team != NULL)
        return wm_walk_team_begin(session->team, run, error);
    wm_request_queue_begin(&session->queue);
    return WM_OK;
}

static enum wm_status end_rounds(struct wm_session *session, enum wm_status status,
                                 struct wm_error *error)
{
    if (session->team != NULL)
        return wm_walk_team_end(session->team, status, error);
    wm_request_queue_end(&session->queue);
    return status;
}

enum wm_status wm_walk_run_round(struct wm_session *session, struct wm_launch_state *run,
                                 struct wm_error *error)
{
    WM_TRY(begin_rounds(session, run, error));
    return end_rounds(session, run_round(session, run, error), error);
}

enum wm_status wm_walk_run_work(struct wm_session *session, struct wm_launch_state *run,
                                struct wm_progress *progress, struct wm_error *error)
{
    WM_TRY(begin_rounds(session, run, error));
    return end_rounds(session, run_rounds(session, run, progress, error), error);
}
