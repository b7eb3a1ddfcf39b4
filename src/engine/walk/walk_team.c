#include "engine/walk/walk_team.h"

#include "base/containers/array.h"
#include "base/run/thread_team.h"
#include "engine/walk/request_batch.h"
#include "mem/system/memory_view.h"

#include <stdlib.h>

enum {
    PARTS_A_THREAD = 4,  // of the SMs: one that is late then leaves the others little to wait for
    CHUNKS_A_THREAD = 2, // of a machine's slices
    BATCH_HEADS = 1024,  // as walk/request_batch.c's, so that the host's caches keep them
    BATCH_LINES = 2048,
    ENOUGH_LINES = 1 << 14, // that one thread alone serves together
    SHORT_ROUND = 4096,     // warp instructions: what waiting for each other costs is a part of it
    FALSE_SHARING_BYTES = 128,
};

// A machine.
struct member {
    struct wm_session *session;
    bool whole;      // one thread serves it, all that the SMs request
    uint32_t leads;  // whose queues its slices serve: its own number, or that of one before it
    uint32_t chunks; // of its slices, which are items of a round
    enum wm_status status;
    struct wm_error error;
};

// SMs that one thread drives in a round, and what they have requested in this one and the one
// before.
struct part {
    uint32_t first_sm, end_sm;
    struct {
        struct wm_request_batch *batch; // owned; NULL where no machine is served as a whole
        struct wm_slice_queues *queues; // owned; by member, of those that lead
    } of_round[2];
};

struct thread {
    struct wm_request_batcher batcher; // first: the batcher's pass_on finds the thread
    struct wm_walk_team *team;
    // By member. The first is the one that takes turns, too. Those of members that are not served
    // as a whole have a view as their memory, which the thread owns.
    struct wm_front_end *front_ends;
    struct wm_request_batch *batch; // owned
    struct wm_batch_position served;
    struct wm_instruction_footprint footprint;
    struct wm_turn_sums sums; // of the round
    uint64_t waiting;         // lines whose requests may wait for slices
    enum wm_status status;
    uint32_t failed_sm;
    struct wm_error error;
};

struct wm_walk_team {
    struct wm_thread_team *pool;
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS]; // the first is used
    struct member *members;
    struct part *parts;
    struct thread **threads;
    uint32_t member_count, part_count, thread_count, whole_count;
    bool any_whole;
    struct wm_launch_state *run;
    uint64_t round;
    uint32_t now;        // of `of_round`, what turns fill
    bool turns, serving; // what the items of a round do
    bool shared;         // by the threads: in the round, more than one block is there
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

bool wm_walk_same_queues(const struct wm_machine *leads, const struct wm_machine *follows)
{
    return wm_memory_same_queues(&leads->memory, &follows->memory) &&
           strcmp(leads->bypass_list, follows->bypass_list) == 0;
}

static bool leads(const struct wm_walk_team *team, uint32_t number)
{
    return !team->members[number].whole && team->members[number].leads == number;
}

// Whether turns put requests into batches; else they are served at once, by the thread's view.
static bool has_batches(const struct wm_walk_team *team)
{
    return wm_front_end_stands_alone(&team->members[0].session->machine);
}

// --- Items of a round ---

// What the L1s of each machine do with what turns have requested.
static void serve_l1s(struct thread *thread)
{
    struct wm_walk_team *team = thread->team;
    struct wm_batch_position end = thread->served;
    const struct wm_request_batch *batch = thread->batcher.batch;
    for (uint32_t i = 0; i < team->member_count; i++) {
        end = thread->served;
        const struct member *member = &team->members[i];
        if (leads(team, i) && member->status == WM_OK)
            wm_request_batch_serve(batch, &thread->front_ends[i], member->session->machine.sm.count,
                                   &end);
    }
    thread->waiting += batch->line_count - thread->served.line;
    thread->served =
        (struct wm_batch_position){.head = batch->head_count, .line = batch->line_count};
}

static void fail(struct thread *thread, uint32_t sm, enum wm_status status,
                 const struct wm_error *error)
{
    if (thread->status != WM_OK && thread->failed_sm <= sm)
        return;
    thread->status = status;
    thread->failed_sm = sm;
    thread->error = *error;
}

static void pass_on(struct wm_request_batcher *batcher)
{
    struct thread *thread = (struct thread *)batcher;
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

static void begin_part(struct thread *thread, struct part *part)
{
    struct wm_walk_team *team = thread->team;
    thread->batcher.batch = team->any_whole ? part->of_round[team->now].batch : thread->batch;
    // One thread serves when enough has come together.
    bool anew = team->thread_count > 1 || thread->waiting == 0;
    for (uint32_t i = 0; i < team->member_count; i++) {
        if (!leads(team, i))
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

static void take_turns(struct thread *thread, struct part *part)
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

static void serve_whole(struct wm_walk_team *team, const struct member *member)
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

static void serve_slices(struct wm_walk_team *team, struct thread *thread, uint32_t number,
                         uint32_t chunk)
{
    const struct member *member = &team->members[number];
    struct wm_memory *view = thread->front_ends[number].memory;
    uint32_t slices = team->parts->of_round[0].queues[member->leads].slices;
    uint32_t first = slices * chunk / member->chunks, end = slices * (chunk + 1) / member->chunks;
    for (uint32_t slice = first; slice < end; slice++)
        wm_memory_view_serve(view, slice,
                             &team->parts->of_round[filled(team)].queues[member->leads]);
}

// Items of a round, those that take longest first: what is read ahead, machines that are served as
// a whole, the parts, and slices.
static void run_item(void *context, uint32_t item, uint32_t number)
{
    struct wm_walk_team *team = context;
    struct thread *thread = team->threads[number];
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
        run_item(team, item, 0);
}

static enum wm_status gather_round(struct wm_walk_team *team, struct wm_turn_sums *sums,
                                   struct wm_error *error)
{
    const struct thread *failed = NULL;
    for (uint32_t i = 0; i < team->thread_count; i++) {
        struct thread *thread = team->threads[i];
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
    struct thread *thread = team->threads[number];
    for (uint32_t i = 0; i < team->member_count; i++) {
        const struct member *member = &team->members[i];
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
    struct member *member = &team->members[number];
    const struct wm_session *first = team->members[0].session;
    for (uint32_t i = 0; i < team->thread_count && !member->whole; i++) {
        enum wm_status status = wm_memory_view_end(team->threads[i]->front_ends[number].memory,
                                                   member->session->memory, &member->error);
        member->status = member->status != WM_OK ? member->status : status;
    }
    for (uint32_t sm = 0; sm < first->machine.sm.count && number != 0; sm++)
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

// --- Launches, and what is between them ---

uint32_t wm_walk_team_sessions(const struct wm_walk_team *team)
{
    return team->member_count;
}

struct wm_session *wm_walk_team_follower(struct wm_walk_team *team, uint32_t number)
{
    struct member *member = &team->members[number];
    const struct member *leader = &team->members[member->leads];
    if (member->status == WM_OK && leader->status != WM_OK) {
        member->status = leader->status;
        member->error = leader->error;
    }
    if (member->status != WM_OK)
        return NULL;
    if (member->leads != number)
        wm_memory_copy_sm_caches_counters(member->session->memory,
                                          team->members[member->leads].session->memory);
    return member->session;
}

void wm_walk_team_launch_begin(struct wm_walk_team *team, const struct wm_work *work)
{
    for (uint32_t i = 1; i < team->member_count; i++) {
        struct wm_session *session = wm_walk_team_follower(team, i);
        struct member *member = &team->members[i];
        struct wm_occupancy occupancy;
        struct wm_kernel_record *record;
        if (session != NULL)
            member->status =
                wm_session_launch_begin(session, work, &occupancy, &record, &member->error);
    }
}

void wm_walk_team_launch_end(struct wm_walk_team *team)
{
    for (uint32_t i = 1; i < team->member_count; i++) {
        struct wm_session *session = wm_walk_team_follower(team, i);
        if (session != NULL)
            wm_session_launch_end(session, session->launched);
    }
}

enum wm_status wm_walk_team_status(const struct wm_walk_team *team, uint32_t number,
                                   struct wm_error *error)
{
    const struct member *member = &team->members[number];
    if (member->status != WM_OK && error != NULL)
        *error = member->error;
    return member->status;
}

// What the first counted of an instruction before any cache and, `leader`, what SMs' caches did.
static void take_counters(struct wm_instruction_counters *to,
                          const struct wm_instruction_counters *first,
                          const struct wm_instruction_counters *leader)
{
    to->executions = first->executions;
    to->lanes = first->lanes;
    to->bytes_requested = first->bytes_requested;
    to->requests = first->requests;
    to->sectors = first->sectors;
    to->atomic_conflicts = first->atomic_conflicts;
    if (leader == to)
        return;
    for (uint32_t i = 0; i < WM_LEVEL_L2; i++)
        to->levels[i] = leader->levels[i];
    to->levels[WM_LEVEL_L2].bytes = leader->levels[WM_LEVEL_L2].bytes;
}

// Sessions that saw the same launches have the same kernels, in one order.
static void finish_follower(const struct wm_walk_team *team, const struct member *member)
{
    const struct wm_session *first = team->members[0].session;
    const struct wm_session *leader = team->members[member->leads].session;
    for (uint32_t i = 0; i < member->session->record_count; i++) {
        struct wm_kernel_record *record = member->session->records[i];
        const struct wm_kernel_record *cause = first->records[i], *led = leader->records[i];
        for (uint32_t pc = 0; pc < record->instruction_count; pc++) {
            take_counters(&record->counters_by_pc[pc], &cause->counters_by_pc[pc],
                          &led->counters_by_pc[pc]);
            record->spaces[pc] = cause->spaces[pc];
        }
        take_counters(&record->fetches, &cause->fetches, &led->fetches);
    }
}

void wm_walk_team_finish(struct wm_walk_team *team)
{
    for (uint32_t i = 0; i < team->member_count; i++) {
        struct wm_session *session = wm_walk_team_follower(team, i);
        for (uint32_t r = 0; session != NULL && r < session->record_count; r++)
            wm_kernel_record_gather(session->records[r]);
        if (session != NULL && i != 0)
            finish_follower(team, &team->members[i]);
    }
}

// --- Building ---

static void find_leader(struct wm_walk_team *team, uint32_t number)
{
    struct member *member = &team->members[number];
    const struct wm_machine *machine = &member->session->machine;
    member->leads = number;
    for (uint32_t i = 0; i < number; i++) {
        if (leads(team, i) && wm_walk_same_queues(&team->members[i].session->machine, machine)) {
            member->leads = i;
            return;
        }
    }
}

static void make_members(struct wm_walk_team *team, struct wm_session *const *sessions)
{
    for (uint32_t i = 0; i < team->member_count; i++) {
        struct member *member = &team->members[i];
        const struct wm_memory_spec *spec = &sessions[i]->machine.memory;
        *member = (struct member){
            .session = sessions[i], .whole = !wm_memory_can_have_views(spec), .leads = i};
        team->any_whole |= member->whole;
        team->whole_count += member->whole;
        if (!member->whole)
            find_leader(team, i);
        uint32_t slices = spec->levels[WM_LEVEL_L2].cache.present && !member->whole
                              ? spec->levels[WM_LEVEL_L2].slices
                              : 0;
        uint32_t most = team->thread_count > 1 ? CHUNKS_A_THREAD * team->thread_count : 1;
        member->chunks = slices < most ? slices : most;
        team->steps[0].count += member->chunks;
    }
    team->steps[0].count += team->whole_count + 1;
}

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
    uint32_t multiple = a;
    while (multiple % b != 0)
        multiple += a;
    return multiple;
}

static enum wm_status make_part(struct wm_walk_team *team, struct part *part,
                                struct wm_error *error)
{
    for (uint32_t p = 0; p < 2; p++) {
        WM_TRY(WM_ARRAY_NEW(part->of_round[p].queues, team->member_count, error,
                            "the requests of a round"));
        for (uint32_t i = 0; i < team->member_count; i++)
            if (leads(team, i))
                WM_TRY(wm_slice_queues_init(&part->of_round[p].queues[i],
                                            team->members[i].session->memory, error));
        if (!team->any_whole)
            continue;
        part->of_round[p].batch = wm_request_batch_new(BATCH_HEADS, BATCH_LINES);
        if (part->of_round[p].batch == NULL)
            return wm_fail_no_memory(error, "the requests of a round");
    }
    return WM_OK;
}

// SMs that share a cache, of any of the machines, are in one part.
static enum wm_status make_parts(struct wm_walk_team *team, struct wm_error *error)
{
    uint32_t sms = team->members[0].session->machine.sm.count, together = 1;
    for (uint32_t i = 0; i < team->member_count && together < sms; i++)
        if (!team->members[i].whole)
            together = common_multiple(
                together, wm_memory_sms_together(&team->members[i].session->machine.memory));
    uint32_t units = (sms + together - 1) / together;
    uint32_t most = team->thread_count > 1 ? PARTS_A_THREAD * team->thread_count : 1;
    team->part_count = units < most ? units : most;
    WM_TRY(WM_ARRAY_NEW(team->parts, team->part_count, error, "the SMs' parts"));
    for (uint32_t i = 0; i < team->part_count; i++) {
        struct part *part = &team->parts[i];
        uint64_t end = (uint64_t)units * (i + 1) / team->part_count * together;
        part->first_sm = i != 0 ? part[-1].end_sm : 0;
        part->end_sm = end < sms ? (uint32_t)end : sms;
        WM_TRY(make_part(team, part, error));
        for (uint32_t p = 0; p < 2 && i != 0; p++)
            for (uint32_t m = 0; m < team->member_count; m++)
                wm_slice_queues_link(&part[-1].of_round[p].queues[m], &part->of_round[p].queues[m]);
    }
    team->steps[0].count += team->part_count;
    return WM_OK;
}

static enum wm_status make_thread(struct wm_walk_team *team, struct thread **result,
                                  struct wm_error *error)
{
    size_t bytes = (sizeof **result + FALSE_SHARING_BYTES - 1) / FALSE_SHARING_BYTES;
    struct thread *thread = aligned_alloc(FALSE_SHARING_BYTES, bytes * FALSE_SHARING_BYTES);
    if (thread == NULL)
        return wm_fail_no_memory(error, "threads");
    *thread = (struct thread){.batcher.pass_on = pass_on, .team = team};
    *result = thread;
    WM_TRY(WM_ARRAY_NEW(thread->front_ends, team->member_count, error, "threads"));
    thread->batch = wm_request_batch_new(BATCH_HEADS, BATCH_LINES);
    if (thread->batch == NULL)
        return wm_fail_no_memory(error, "threads");
    for (uint32_t i = 0; i < team->member_count; i++)
        if (!team->members[i].whole)
            WM_TRY(wm_memory_view_new(team->members[i].session->memory,
                                      &thread->front_ends[i].memory, error));
    return WM_OK;
}

static enum wm_status build(struct wm_walk_team *team, struct wm_session *const *sessions,
                            struct wm_error *error)
{
    WM_TRY(WM_ARRAY_NEW(team->members, team->member_count, error, "machines"));
    team->steps[0] = (struct wm_thread_team_step){.run = run_item, .chunk = 1};
    WM_TRY(wm_thread_team_new(team->thread_count, team->steps, team, &team->pool, error));
    team->thread_count = wm_thread_team_threads(team->pool);
    make_members(team, sessions);
    WM_TRY(make_parts(team, error));
    WM_TRY(WM_ARRAY_NEW(team->threads, team->thread_count, error, "threads"));
    for (uint32_t i = 0; i < team->thread_count; i++)
        WM_TRY(make_thread(team, &team->threads[i], error));
    return WM_OK;
}

enum wm_status wm_walk_team_new(struct wm_session *const *sessions, uint32_t count,
                                uint32_t threads, struct wm_walk_team **team,
                                struct wm_error *error)
{
    struct wm_walk_team *made;
    *team = NULL;
    WM_TRY(WM_ARRAY_NEW(made, 1, error, "threads"));
    made->member_count = count;
    made->thread_count = threads;
    enum wm_status status = build(made, sessions, error);
    if (status != WM_OK) {
        wm_walk_team_free(made);
        return status;
    }
    sessions[0]->team = made;
    *team = made;
    return WM_OK;
}

static void free_part(const struct wm_walk_team *team, struct part *part)
{
    for (uint32_t p = 0; p < 2; p++) {
        wm_request_batch_free(part->of_round[p].batch);
        for (uint32_t i = 0; i < team->member_count && part->of_round[p].queues != NULL; i++)
            wm_slice_queues_release(&part->of_round[p].queues[i]);
        free(part->of_round[p].queues);
    }
}

static void free_thread(const struct wm_walk_team *team, struct thread *thread)
{
    if (thread == NULL)
        return;
    for (uint32_t i = 0; i < team->member_count && thread->front_ends != NULL; i++)
        if (!team->members[i].whole)
            wm_memory_view_free(thread->front_ends[i].memory);
    free(thread->front_ends);
    wm_request_batch_free(thread->batch);
    free(thread);
}

void wm_walk_team_free(struct wm_walk_team *team)
{
    if (team == NULL)
        return;
    wm_thread_team_free(team->pool);
    for (uint32_t i = 0; i < team->thread_count && team->threads != NULL; i++)
        free_thread(team, team->threads[i]);
    for (uint32_t i = 0; i < team->part_count && team->parts != NULL; i++)
        free_part(team, &team->parts[i]);
    if (team->members != NULL && team->members[0].session != NULL)
        team->members[0].session->team = NULL;
    free(team->threads);
    free(team->parts);
    free(team->members);
    free(team);
}
