#include "engine/walk/walk_team_state.h"

#include <stdlib.h>

enum {
    ENOUGH_LINES = 1 << 14, // that one thread alone serves together
    SHORT_ROUND = 4096,     // warp instructions: what waiting for each other costs is a part of it
};

// --- Which machines, and how many threads ---

uint32_t wm_walk_team_threads(const struct wm_machine *machine,
                              const struct wm_session_options *options, uint32_t threads)
{
    const struct wm_sm_spec *sm = &machine->sm;
    bool divides = wm_memory_can_have_views(&machine->memory) || wm_front_end_stands_alone(machine);
    bool waits = sm->turn_ends_at_memory || sm->count * sm->turn_instructions < SHORT_ROUND;
    return options->memory && !options->explain && !options->clock && divides && !waits ? threads
                                                                                        : 1;
}

// Whether turns put requests into batches; else they are served at once, by the thread's view.
static bool has_batches(const struct wm_walk_team *team)
{
    return wm_front_end_stands_alone(&team->members[0].session->machine);
}

// --- Items of a round ---

// What the L1s of each machine do with what turns have requested.
static void serve_l1s(struct wm_walk_thread *thread)
{
    struct wm_walk_team *team = thread->team;
    struct wm_batch_position end = thread->served;
    const struct wm_request_batch *batch = thread->batcher.batch;
    for (uint32_t i = 0; i < team->member_count; i++) {
        end = thread->served;
        const struct wm_walk_member *member = &team->members[i];
        if (wm_walk_member_leads(team, i) && member->status == WM_OK)
            wm_request_batch_serve(batch, &thread->front_ends[i], member->session->machine.sm.count,
                                   &end);
    }
    thread->waiting += batch->line_count - thread->served.line;
    thread->served =
        (struct wm_batch_position){.head = batch->head_count, .line = batch->line_count};
}

static void fail(struct wm_walk_thread *thread, uint32_t sm, enum wm_status status,
                 const struct wm_error *error)
{
    if (thread->status != WM_OK && thread->failed_sm <= sm)
        return;
    thread->status = status;
    thread->failed_sm = sm;
    thread->error = *error;
}

void wm_walk_team_pass_on(struct wm_request_batcher *batcher)
{
    struct wm_walk_thread *thread = (struct wm_walk_thread *)batcher;
    struct wm_error error;
    serve_l1s(thread);
    if (thread->team->any_whole && wm_request_batch_grow(batcher->batch))
        return;
    if (thread->team->any_whole)
        fail(thread, thread->front_ends[0].sm, wm_fail_no_memory(&error, "the requests of a round"),
             &error);
    wm_request_batch_clear(batcher->batch);
    thread->served = (struct wm_batch_position){0};
}

static void begin_part(struct wm_walk_thread *thread, struct wm_walk_part *part)
{
    struct wm_walk_team *team = thread->team;
    thread->batcher.batch = team->any_whole ? part->of_round[team->now].batch : thread->batch;
    // One thread serves when enough has come together.
    bool anew = team->thread_count > 1 || thread->waiting == 0;
    for (uint32_t i = 0; i < team->member_count; i++) {
        if (!wm_walk_member_leads(team, i))
            continue;
        struct wm_slice_queues *queues = &part->of_round[team->now].queues[i];
        if (anew)
            wm_slice_queues_clear(queues);
        wm_memory_view_fill(thread->front_ends[i].memory, queues);
    }
    if (anew)
        wm_request_batch_clear(thread->batcher.batch);
    thread->served = (struct wm_batch_position){.head = thread->batcher.batch->head_count,
                                                .line = thread->batcher.batch->line_count};
}

static void take_turns(struct wm_walk_thread *thread, struct wm_walk_part *part)
{
    struct wm_walk_team *team = thread->team;
    struct wm_session *session = team->members[0].session;
    begin_part(thread, part);
    for (uint32_t sm = part->first_sm; sm < part->end_sm; sm++) {
        struct wm_error error;
        if (!wm_walk_has_blocks(team->run, sm))
            continue;
        enum wm_status status = wm_walk_start_blocks(session, team->run, sm, &error);
        if (status != WM_OK) {
            fail(thread, sm, status, &error);
            return;
        }
        wm_walk_take_turn(session, team->run, &thread->front_ends[0], sm, &thread->sums);
        serve_l1s(thread);
        if (team->any_whole)
            continue;
        wm_request_batch_clear(thread->batcher.batch);
        thread->served = (struct wm_batch_position){0};
    }
}

// What was filled last time.
static uint32_t filled(const struct wm_walk_team *team)
{
    return team->thread_count > 1 ? team->now ^ 1 : team->now;
}

static void serve_whole(struct wm_walk_team *team, const struct wm_walk_member *member)
{
    struct wm_session *session = member->session;
    struct wm_batch_position position = {0};
    for (uint32_t i = 0; i < team->part_count; i++) {
        position.head = position.line = 0;
        wm_request_batch_serve(team->parts[i].of_round[filled(team)].batch, &session->front_end,
                               session->machine.sm.count, &position);
    }
    wm_front_end_drain(&session->front_end);
}

static void serve_slices(struct wm_walk_team *team, struct wm_walk_thread *thread, uint32_t number,
                         uint32_t chunk)
{
    const struct wm_walk_member *member = &team->members[number];
    struct wm_memory *view = thread->front_ends[number].memory;
    uint32_t slices = team->parts->of_round[0].queues[member->leads].slices;
    uint32_t first = slices * chunk / member->chunks, end = slices * (chunk + 1) / member->chunks;
    for (uint32_t slice = first; slice < end; slice++)
        wm_memory_view_serve(view, slice,
                             &team->parts->of_round[filled(team)].queues[member->leads]);
}

// Items of a round, those that take longest first: what is read ahead, machines that are served as
// a whole, the parts, and slices.
void wm_walk_team_run_item(void *context, uint32_t item, uint32_t number)
{
    struct wm_walk_team *team = context;
    struct wm_walk_thread *thread = team->threads[number];
    if (item == 0) {
        if (team->turns && team->shared && team->run->work->ops->read_ahead != NULL)
            team->run->work->ops->read_ahead(team->run->work);
        return;
    }
    item--;
    for (uint32_t i = 0; i < team->member_count; i++)
        if (team->members[i].whole && item-- == 0) {
            if (team->serving && team->members[i].status == WM_OK)
                serve_whole(team, &team->members[i]);
            return;
        }
    if (item < team->part_count) {
        if (team->turns)
            take_turns(thread, &team->parts[item]);
        return;
    }
    item -= team->part_count;
    uint32_t i = 0;
    while (item >= team->members[i].chunks)
        item -= team->members[i++].chunks;
    if (team->serving && team->members[i].status == WM_OK)
        serve_slices(team, thread, i, item);
}

// --- Rounds ---

static void run_items(struct wm_walk_team *team, bool turns, bool serving)
{
    team->turns = turns;
    team->serving = serving;
    if (team->shared) {
        wm_thread_team_run(team->pool, 0);
        return;
    }
    for (uint32_t item = 0; item < team->steps[0].count; item++)
        wm_walk_team_run_item(team, item, 0);
}

static enum wm_status gather_round(struct wm_walk_team *team, struct wm_turn_sums *sums,
                                   struct wm_error *error)
{
    const struct wm_walk_thread *failed = NULL;
    for (uint32_t i = 0; i < team->thread_count; i++) {
        struct wm_walk_thread *thread = team->threads[i];
        sums->executed += thread->sums.executed;
        sums->finished_blocks += thread->sums.finished_blocks;
        thread->sums = (struct wm_turn_sums){0};
        if (thread->status != WM_OK && (failed == NULL || thread->failed_sm < failed->failed_sm))
            failed = thread;
    }
    WM_TRY(team->run->work->ops->fault(team->run->work, error));
    if (failed != NULL && error != NULL)
        *error = failed->error;
    return failed != NULL ? failed->status : WM_OK;
}

// One thread serves what its round has left, when there is enough of it.
static void serve_alone(struct wm_walk_team *team, uint64_t enough)
{
    if (team->threads[0]->waiting < enough)
        return;
    run_items(team, false, true);
    team->threads[0]->waiting = 0;
}

enum wm_status wm_walk_team_round(struct wm_walk_team *team, struct wm_launch_state *run,
                                  struct wm_turn_sums *sums, struct wm_error *error)
{
    team->run = run;
    team->round++;
    team->shared = team->thread_count > 1 && run->taken_places > 1;
    if (team->thread_count == 1) {
        run_items(team, true, false);
        serve_alone(team, ENOUGH_LINES);
    } else {
        team->now ^= 1;
        run_items(team, true, true);
    }
    return gather_round(team, sums, error);
}

// --- Around rounds ---

static enum wm_status begin_thread(struct wm_walk_team *team, uint32_t number,
                                   struct wm_error *error)
{
    struct wm_walk_thread *thread = team->threads[number];
    for (uint32_t i = 0; i < team->member_count; i++) {
        const struct wm_walk_member *member = &team->members[i];
        if (member->status != WM_OK || (member->whole && i != 0))
            continue;
        struct wm_kernel_record *record = member->session->counts_into;
        struct wm_memory *view = thread->front_ends[i].memory;
        struct wm_kernel_counts *counts;
        WM_TRY(wm_kernel_record_counts(record, team->thread_count, number, &counts, error));
        struct wm_front_end *front_end = &thread->front_ends[i];
        *front_end = member->session->front_end;
        front_end->memory = view;
        front_end->counters_by_pc = counts->by_pc;
        front_end->fetches = &counts->by_pc[record->instruction_count];
        front_end->spaces = counts->spaces;
        front_end->footprint = &thread->footprint;
        front_end->batcher = has_batches(team) ? &thread->batcher : NULL;
        if (!member->whole)
            wm_memory_view_begin(view, member->session->memory, counts->by_pc);
    }
    thread->status = WM_OK;
    thread->waiting = 0;
    return WM_OK;
}

enum wm_status wm_walk_team_begin(struct wm_walk_team *team, struct wm_launch_state *run,
                                  struct wm_error *error)
{
    for (uint32_t i = 0; i < team->thread_count; i++)
        WM_TRY(begin_thread(team, i, error));
    // What is served in the first round is what is filled in none.
    for (uint32_t i = 0; i < team->part_count; i++)
        for (uint32_t p = 0; p < 2; p++) {
            if (team->any_whole)
                wm_request_batch_clear(team->parts[i].of_round[p].batch);
            for (uint32_t m = 0; m < team->member_count; m++)
                wm_slice_queues_clear(&team->parts[i].of_round[p].queues[m]);
        }
    team->run = run;
    team->shared = false;
    run->work->moment = &team->round;
    run->work->threaded = team->thread_count > 1;
    return WM_OK;
}

// What the views and, of a machine that others lead, the leader's SMs have counted.
static void end_member(struct wm_walk_team *team, uint32_t number)
{
    struct wm_walk_member *member = &team->members[number];
    const struct wm_session *first = team->members[0].session;
    for (uint32_t i = 0; i < team->thread_count && !member->whole; i++) {
        enum wm_status status = wm_memory_view_end(team->threads[i]->front_ends[number].memory,
                                                   member->session->memory, &member->error);
        member->status = member->status != WM_OK ? member->status : status;
    }
    for (uint32_t sm = 0; sm < wm_session_units(first) && number != 0; sm++)
        member->session->sms[sm].counters = first->sms[sm].counters;
}

enum wm_status wm_walk_team_end(struct wm_walk_team *team, enum wm_status status,
                                struct wm_error *error)
{
    team->run->work->moment = NULL;
    if (status == WM_OK && team->thread_count == 1)
        serve_alone(team, 1);
    if (status == WM_OK && team->thread_count > 1) {
        team->now ^= 1;
        run_items(team, false, true);
    }
    for (uint32_t i = 0; i < team->member_count; i++)
        if (team->members[i].status == WM_OK)
            end_member(team, i);
    return status == WM_OK ? wm_walk_team_status(team, 0, error) : status;
}
