#include "engine/walk/request_batch.h"

#include "base/containers/array.h"
#include "engine/replay/replay.h"
#include "engine/replay/replay_parts.h"
#include "engine/session/session_state.h"
#include "engine/walk/leader_l1.h"

#include <stdlib.h>

static void free_launch(struct wm_batch_launch *launch)
{
    free(launch->sms);
    free(launch->counters_by_pc);
    free(launch->spaces);
    free(launch);
}

struct wm_request_batch *wm_request_batch_new(uint32_t heads, uint32_t lines)
{
    struct wm_request_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return NULL;
    batch->heads = malloc(heads * sizeof *batch->heads);
    batch->lines = malloc(lines * sizeof *batch->lines);
    batch->events = malloc(WM_BATCH_EVENTS * sizeof *batch->events);
    batch->head_room = heads;
    batch->line_room = lines;
    if (batch->heads != NULL && batch->lines != NULL && batch->events != NULL)
        return batch;
    wm_request_batch_free(batch);
    return NULL;
}

void wm_request_batch_free(struct wm_request_batch *batch)
{
    if (batch == NULL)
        return;
    wm_request_batch_clear(batch);
    free(batch->heads);
    free(batch->lines);
    free(batch->events);
    free(batch);
}

void wm_request_batch_clear(struct wm_request_batch *batch)
{
    for (uint32_t i = 0; i < batch->head_count; i++)
        if (batch->heads[i].item == WM_BATCH_LAUNCH_END)
            free_launch(batch->events[batch->heads[i].pc].launch);
    batch->head_count = batch->line_count = batch->event_count = 0;
}

static void add_event(struct wm_request_batcher *batcher, enum wm_batch_item item,
                      union wm_batch_event event)
{
    if (batcher->batch->event_count == WM_BATCH_EVENTS ||
        batcher->batch->head_count == batcher->batch->head_room)
        batcher->pass_on(batcher);
    struct wm_request_batch *batch = batcher->batch;
    batch->events[batch->event_count] = event;
    wm_request_batcher_add(
        batcher, (struct wm_request_head){.item = (uint8_t)item, .pc = batch->event_count++});
}

void wm_request_batcher_event(struct wm_request_batcher *batcher,
                              const struct wm_recorded_event *event)
{
    add_event(batcher, WM_BATCH_EVENT, (union wm_batch_event){.event = *event});
}

enum wm_status wm_request_batcher_launch_begin(struct wm_request_batcher *batcher,
                                               const struct wm_session *front,
                                               const struct wm_recorded_work *work,
                                               struct wm_batch_launch **result,
                                               struct wm_error *error)
{
    struct wm_batch_launch *launch;
    WM_TRY(WM_ARRAY_NEW(launch, 1, error, "a launch"));
    uint32_t count = work->work.instruction_count;
    wm_recorded_work_describe_only(work, &launch->work);
    launch->sms = calloc(front->machine.sm.count, sizeof *launch->sms);
    launch->counters_by_pc = calloc(count + UINT64_C(1), sizeof *launch->counters_by_pc);
    launch->spaces = calloc(count + UINT64_C(1), sizeof *launch->spaces);
    if (launch->sms == NULL || launch->counters_by_pc == NULL || launch->spaces == NULL) {
        free_launch(launch);
        return wm_fail_no_memory(error, "a launch");
    }
    *result = launch;
    add_event(batcher, WM_BATCH_LAUNCH_BEGIN, (union wm_batch_event){.launch = launch});
    return WM_OK;
}

void wm_request_batcher_launch_end(struct wm_request_batcher *batcher, struct wm_session *front,
                                   struct wm_batch_launch *launch)
{
    const struct wm_kernel_record *record = front->launched;
    for (uint32_t i = 0; i < front->machine.sm.count; i++)
        launch->sms[i] = front->sms[i].counters;
    if (record != NULL) {
        uint32_t count = record->instruction_count;
        if (count > 0) {
            memcpy(launch->counters_by_pc, record->counters_by_pc,
                   count * sizeof *launch->counters_by_pc);
            memcpy(launch->spaces, record->spaces, count);
        }
        launch->counters_by_pc[count] = record->fetches;
    }
    add_event(batcher, WM_BATCH_LAUNCH_END, (union wm_batch_event){.launch = launch});
}

// --- Machines that follow ---

// What a session does with its L1s: it keeps the requests that they send, or takes those of
// another's; or neither.
struct follower {
    struct wm_leader_l1 *keeps;
    struct wm_leader_l1_reader *takes;
};

// What the front end counts; the rest is the memory system's.
static void take_cause(struct wm_instruction_counters *to,
                       const struct wm_instruction_counters *from)
{
    to->executions = from->executions;
    to->lanes = from->lanes;
    to->bytes_requested = from->bytes_requested;
    to->requests = from->requests;
    to->sectors = from->sectors;
    to->atomic_conflicts = from->atomic_conflicts;
}

static enum wm_status end_launch(struct wm_session *session, const struct wm_batch_launch *launch,
                                 const struct follower *follower, struct wm_error *error)
{
    struct wm_kernel_record *record = wm_kernel_record_of(session, &launch->work.work, error);
    if (record == NULL)
        return error != NULL ? error->status : WM_NO_MEMORY;
    for (uint32_t i = 0; i < session->machine.sm.count; i++)
        session->sms[i].counters = launch->sms[i];
    for (uint32_t pc = 0; pc < record->instruction_count; pc++)
        take_cause(&record->counters_by_pc[pc], &launch->counters_by_pc[pc]);
    take_cause(&record->fetches, &launch->counters_by_pc[record->instruction_count]);
    if (record->instruction_count > 0)
        memcpy(record->spaces, launch->spaces, record->instruction_count);
    if (follower->keeps != NULL) {
        WM_TRY(wm_leader_l1_save(follower->keeps, session, error));
        WM_TRY(wm_leader_l1_save_outcomes(follower->keeps, record, error));
    } else if (follower->takes != NULL) {
        wm_leader_l1_load(follower->takes, session);
        wm_leader_l1_load_outcomes(follower->takes, record);
    }
    wm_session_launch_end(session, record);
    return WM_OK;
}

// What L1s have counted is taken over first: a launch begins to count from there.
static enum wm_status begin_launch(struct wm_session *session, struct wm_batch_launch *launch,
                                   const struct follower *follower, struct wm_error *error)
{
    struct wm_kernel_record *record;
    struct wm_occupancy occupancy;
    if (follower->takes != NULL)
        wm_leader_l1_load(follower->takes, session);
    WM_TRY(wm_session_launch_begin(session, &launch->work.work, &occupancy, &record, error));
    return follower->keeps != NULL ? wm_leader_l1_save(follower->keeps, session, error) : WM_OK;
}

// Where a profiler's range begins or ends, all counters are read: those of L1s, too.
static enum wm_status host_event(struct wm_session *session, const struct wm_recorded_event *event,
                                 const struct follower *follower, struct wm_error *error)
{
    bool marks = wm_recorded_marks_range(event->kind);
    if (marks && follower->takes != NULL)
        wm_leader_l1_load(follower->takes, session);
    wm_replay_host_event(session, event);
    return marks && follower->keeps != NULL ? wm_leader_l1_save(follower->keeps, session, error)
                                            : WM_OK;
}

static enum wm_status follow_event(struct wm_session *session, const struct wm_request_head *head,
                                   const union wm_batch_event *event,
                                   const struct follower *follower, struct wm_error *error)
{
    switch ((enum wm_batch_item)head->item) {
    case WM_BATCH_EVENT: return host_event(session, &event->event, follower, error);
    case WM_BATCH_LAUNCH_BEGIN: return begin_launch(session, event->launch, follower, error);
    case WM_BATCH_LAUNCH_END: return end_launch(session, event->launch, follower, error);
    case WM_BATCH_L1:
    case WM_BATCH_SIDE_CACHE: break;
    }
    return WM_OK;
}

// How many heads from `first` on are requests to L1 of one SM; their lines.
static uint32_t find_run(const struct wm_request_batch *batch, uint32_t first, uint32_t *line_count)
{
    uint32_t sm = batch->heads[first].sm, end = first;
    *line_count = 0;
    while (end < batch->head_count && batch->heads[end].item == WM_BATCH_L1 &&
           batch->heads[end].sm == sm)
        *line_count += batch->heads[end++].count;
    return end - first;
}

// The SM whose requests to L1 most likely come behind those: rounds go from SM to SM.
static uint32_t next_sm(const struct wm_session *session, const struct wm_request_batch *batch,
                        uint32_t last)
{
    const struct wm_request_head *head = &batch->heads[last];
    if (last + 1 < batch->head_count && head[1].item == WM_BATCH_L1)
        return head[1].sm;
    return head->sm + 1 < session->machine.sm.count ? head->sm + 1 : 0;
}

// Requests to L1: `count` heads from `first` on. Where another L1 makes them, the requests that it
// sent come when they are drained.
static void follow_run(struct wm_session *session, const struct wm_request_batch *batch,
                       uint32_t first, uint32_t count, const struct wm_line_request *lines,
                       uint32_t line_count, const struct follower *follower)
{
    struct wm_leader_l1 *keeps = follower->keeps;
    if (follower->takes != NULL)
        return;
    if (keeps != NULL && keeps->keeps_below_requests)
        wm_memory_record_below_requests(session->memory, &keeps->below);
    if (keeps != NULL && keeps->keeps_rows)
        wm_memory_record_slice_batches(session->memory, &keeps->rows,
                                       session->front_end.counters_by_pc);
    uint32_t next = next_sm(session, batch, first + count - 1);
    wm_front_end_serve(&session->front_end, batch->heads + first, count, lines, line_count, next);
}

// Runs have been followed: does all of them before something else comes.
static enum wm_status drain(struct wm_session *session, const struct follower *follower,
                            struct wm_error *error)
{
    if (follower->takes != NULL)
        wm_leader_l1_serve(follower->takes, session);
    wm_front_end_drain(&session->front_end);
    if (follower->keeps == NULL)
        return WM_OK;
    wm_memory_record_below_requests(session->memory, NULL);
    wm_memory_record_slice_batches(session->memory, NULL, NULL);
    return wm_leader_l1_end_stretch(follower->keeps, error);
}

// `undrained`: so may be what came before the batch, and so is left what it ends with.
static enum wm_status follow(struct wm_session *session, const struct wm_request_batch *batch,
                             const struct follower *follower, bool *undrained,
                             struct wm_error *error)
{
    const struct wm_line_request *lines = batch->lines;
    for (uint32_t i = 0; i < batch->head_count;) {
        const struct wm_request_head *head = &batch->heads[i];
        if (head->item == WM_BATCH_L1) {
            uint32_t line_count, heads = find_run(batch, i, &line_count);
            follow_run(session, batch, i, heads, lines, line_count, follower);
            *undrained = true;
            lines += line_count;
            i += heads;
            continue;
        }
        if (*undrained)
            WM_TRY(drain(session, follower, error));
        *undrained = false;
        if (head->item == WM_BATCH_SIDE_CACHE)
            wm_front_end_serve_side_cache(&session->front_end, head, lines);
        else
            WM_TRY(follow_event(session, head, &batch->events[head->pc], follower, error));
        lines += head->count;
        i++;
    }
    return WM_OK;
}

static enum wm_status follow_all(struct wm_session *session, const struct wm_request_batch *batch,
                                 const struct follower *follower, struct wm_error *error)
{
    bool undrained = false;
    WM_TRY(follow(session, batch, follower, &undrained, error));
    return undrained ? drain(session, follower, error) : WM_OK;
}

enum wm_status wm_walk_serve_batch(struct wm_session *session, const struct wm_request_batch *batch,
                                   struct wm_error *error)
{
    const struct follower alone = {0};
    return follow_all(session, batch, &alone, error);
}

enum wm_status wm_walk_serve_batch_as_leader(struct wm_session *session,
                                             const struct wm_request_batch *batch,
                                             struct wm_leader_l1 *keeps, struct wm_error *error)
{
    const struct follower leader = {.keeps = keeps};
    wm_leader_l1_clear(keeps);
    WM_TRY(follow_all(session, batch, &leader, error));
    return wm_leader_l1_save(keeps, session, error);
}

enum wm_status wm_walk_serve_batch_of_leader(struct wm_session *session,
                                             const struct wm_request_batch *batch,
                                             const struct wm_leader_l1 *takes, bool takes_rows,
                                             struct wm_error *error)
{
    struct wm_leader_l1_reader reader = {.shared = takes, .takes_rows = takes_rows};
    const struct follower follower = {.takes = &reader};
    WM_TRY(follow_all(session, batch, &follower, error));
    wm_leader_l1_load(&reader, session);
    return WM_OK;
}

// --- A walk that feeds itself ---

// About two turns' requests, so that the host's caches keep them until they are served. Where a
// batch ends within a turn, the run of its SM is served in two.
enum { QUEUE_HEADS = 1024, QUEUE_LINES = 2048 };

static void pass_queue_on(struct wm_request_batcher *batcher)
{
    struct wm_request_queue *queue = (struct wm_request_queue *)batcher;
    const struct follower alone = {0};
    follow(queue->session, batcher->batch, &alone, &queue->undrained,
           NULL); // without events none fails
    batcher->batch->head_count = batcher->batch->line_count = 0;
}

enum wm_status wm_request_queue_init(struct wm_request_queue *queue, struct wm_session *session,
                                     struct wm_error *error)
{
    *queue = (struct wm_request_queue){.batcher.pass_on = pass_queue_on, .session = session};
    if (session->memory == NULL || session->options.explain ||
        !wm_replay_can_share_front_end(&session->machine))
        return WM_OK;
    queue->batcher.batch = wm_request_batch_new(QUEUE_HEADS, QUEUE_LINES);
    return queue->batcher.batch != NULL ? WM_OK
                                        : wm_fail_no_memory(error, "the requests of a turn");
}

void wm_request_queue_release(struct wm_request_queue *queue)
{
    wm_request_batch_free(queue->batcher.batch);
    queue->batcher.batch = NULL;
}

void wm_request_queue_begin(struct wm_request_queue *queue)
{
    if (queue->batcher.batch != NULL && queue->session->front_end.batcher == NULL)
        queue->session->front_end.batcher = &queue->batcher;
}

void wm_request_queue_serve(struct wm_request_queue *queue)
{
    if (queue->session->front_end.batcher != &queue->batcher)
        return;
    pass_queue_on(&queue->batcher);
    if (queue->undrained)
        wm_front_end_drain(&queue->session->front_end);
    queue->undrained = false;
}

void wm_request_queue_end(struct wm_request_queue *queue)
{
    if (queue->session->front_end.batcher != &queue->batcher)
        return;
    wm_request_queue_serve(queue);
    queue->session->front_end.batcher = NULL;
}
