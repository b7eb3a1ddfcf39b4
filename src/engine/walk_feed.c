#include "engine/walk_feed.h"

#include "engine/replay.h"
#include "engine/replay_parts.h"
#include "engine/shared_l1.h"
#include "engine/walk_parts.h"

#include <stdlib.h>

static void free_launch(struct wm_feed_launch *launch)
{
    free(launch->sms);
    free(launch->causes);
    free(launch->spaces);
    free(launch);
}

struct wm_feed_batch *wm_feed_batch_new(uint32_t heads, uint32_t lines)
{
    struct wm_feed_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return NULL;
    batch->heads = malloc(heads * sizeof *batch->heads);
    batch->lines = malloc(lines * sizeof *batch->lines);
    batch->events = malloc(WM_FEED_EVENTS * sizeof *batch->events);
    batch->head_room = heads;
    batch->line_room = lines;
    if (batch->heads != NULL && batch->lines != NULL && batch->events != NULL)
        return batch;
    wm_feed_batch_free(batch);
    return NULL;
}

void wm_feed_batch_free(struct wm_feed_batch *batch)
{
    if (batch == NULL)
        return;
    wm_feed_batch_clear(batch);
    free(batch->heads);
    free(batch->lines);
    free(batch->events);
    free(batch);
}

void wm_feed_batch_clear(struct wm_feed_batch *batch)
{
    for (uint32_t i = 0; i < batch->head_count; i++)
        if (batch->heads[i].item == WM_FEED_LAUNCH_END)
            free_launch(batch->events[batch->heads[i].pc].launch);
    batch->head_count = batch->line_count = batch->event_count = 0;
}

static void add_event(struct wm_walk_feed *feed, enum wm_feed_item item, union wm_feed_event event)
{
    if (feed->batch->event_count == WM_FEED_EVENTS ||
        feed->batch->head_count == feed->batch->head_room)
        feed->pass_on(feed);
    struct wm_feed_batch *batch = feed->batch;
    batch->events[batch->event_count] = event;
    wm_feed_add(feed, (struct wm_request_head){.item = (uint8_t)item, .pc = batch->event_count++});
}

void wm_feed_event(struct wm_walk_feed *feed, const struct wm_recorded_event *event)
{
    add_event(feed, WM_FEED_EVENT, (union wm_feed_event){.event = *event});
}

enum wm_status wm_feed_launch_begin(struct wm_walk_feed *feed, const struct wm_walk *front,
                                    const struct wm_recorded_work *work,
                                    struct wm_feed_launch **result, struct wm_error *error)
{
    struct wm_feed_launch *launch = calloc(1, sizeof *launch);
    if (launch == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory for a launch");
    uint32_t count = work->work.instruction_count;
    wm_recorded_work_describe_only(work, &launch->work);
    launch->sms = calloc(front->machine.sm.count, sizeof *launch->sms);
    launch->causes = calloc(count + UINT64_C(1), sizeof *launch->causes);
    launch->spaces = calloc(count + UINT64_C(1), sizeof *launch->spaces);
    if (launch->sms == NULL || launch->causes == NULL || launch->spaces == NULL) {
        free_launch(launch);
        return wm_fail(error, WM_NO_MEMORY, "no memory for a launch");
    }
    *result = launch;
    add_event(feed, WM_FEED_LAUNCH_BEGIN, (union wm_feed_event){.launch = launch});
    return WM_OK;
}

void wm_feed_launch_end(struct wm_walk_feed *feed, struct wm_walk *front,
                        struct wm_feed_launch *launch)
{
    const struct wm_walk_record *record = front->launched;
    for (uint32_t i = 0; i < front->machine.sm.count; i++)
        launch->sms[i] = front->sms[i].counters;
    if (record != NULL) {
        uint32_t count = record->instruction_count;
        if (count > 0) {
            memcpy(launch->causes, record->causes, count * sizeof *launch->causes);
            memcpy(launch->spaces, record->spaces, count);
        }
        launch->causes[count] = record->fetches;
    }
    add_event(feed, WM_FEED_LAUNCH_END, (union wm_feed_event){.launch = launch});
}

// --- Those who follow ---

// What a walk does with its L1s: it keeps what they ask, or takes that from another; or neither.
struct follower {
    struct wm_shared_l1 *keeps;
    struct wm_shared_l1_reader *takes;
};

// What the front end counts; the rest is the memory system's.
static void take_cause(struct wm_cause_counters *to, const struct wm_cause_counters *from)
{
    to->executions = from->executions;
    to->lanes = from->lanes;
    to->bytes_requested = from->bytes_requested;
    to->requests = from->requests;
    to->sectors = from->sectors;
    to->atomic_conflicts = from->atomic_conflicts;
}

static enum wm_status end_launch(struct wm_walk *walk, const struct wm_feed_launch *launch,
                                 const struct follower *follower, struct wm_error *error)
{
    struct wm_walk_record *record = wm_walk_record_of(walk, &launch->work.work, error);
    if (record == NULL)
        return error != NULL ? error->status : WM_NO_MEMORY;
    for (uint32_t i = 0; i < walk->machine.sm.count; i++)
        walk->sms[i].counters = launch->sms[i];
    for (uint32_t pc = 0; pc < record->instruction_count; pc++)
        take_cause(&record->causes[pc], &launch->causes[pc]);
    take_cause(&record->fetches, &launch->causes[record->instruction_count]);
    if (record->instruction_count > 0)
        memcpy(record->spaces, launch->spaces, record->instruction_count);
    if (follower->keeps != NULL) {
        WM_TRY(wm_shared_l1_save(follower->keeps, walk, error));
        WM_TRY(wm_shared_l1_save_outcomes(follower->keeps, record, error));
    } else if (follower->takes != NULL) {
        wm_shared_l1_load(follower->takes, walk);
        wm_shared_l1_load_outcomes(follower->takes, record);
    }
    wm_walk_launch_end(walk, record);
    return WM_OK;
}

// What L1s have counted is taken over first: a launch begins to count from there.
static enum wm_status begin_launch(struct wm_walk *walk, struct wm_feed_launch *launch,
                                   const struct follower *follower, struct wm_error *error)
{
    struct wm_walk_record *record;
    struct wm_occupancy occupancy;
    if (follower->takes != NULL)
        wm_shared_l1_load(follower->takes, walk);
    WM_TRY(wm_walk_launch_begin(walk, &launch->work.work, &occupancy, &record, error));
    return follower->keeps != NULL ? wm_shared_l1_save(follower->keeps, walk, error) : WM_OK;
}

// Where a profiler's range begins or ends, all counters are looked at: those of L1s, too.
static enum wm_status host_event(struct wm_walk *walk, const struct wm_recorded_event *event,
                                 const struct follower *follower, struct wm_error *error)
{
    bool marks = wm_recorded_marks_range(event->kind);
    if (marks && follower->takes != NULL)
        wm_shared_l1_load(follower->takes, walk);
    wm_replay_host_event(walk, event);
    return marks && follower->keeps != NULL ? wm_shared_l1_save(follower->keeps, walk, error)
                                            : WM_OK;
}

static enum wm_status follow_event(struct wm_walk *walk, const struct wm_request_head *head,
                                   const union wm_feed_event *event,
                                   const struct follower *follower, struct wm_error *error)
{
    switch ((enum wm_feed_item)head->item) {
    case WM_FEED_EVENT: return host_event(walk, &event->event, follower, error);
    case WM_FEED_LAUNCH_BEGIN: return begin_launch(walk, event->launch, follower, error);
    case WM_FEED_LAUNCH_END: return end_launch(walk, event->launch, follower, error);
    case WM_FEED_LINES:
    case WM_FEED_BESIDE: break;
    }
    return WM_OK;
}

// How many heads from `first` on are requests to L1 of one SM; their lines.
static uint32_t find_run(const struct wm_feed_batch *batch, uint32_t first, uint32_t *line_count)
{
    uint32_t sm = batch->heads[first].sm, end = first;
    *line_count = 0;
    while (end < batch->head_count && batch->heads[end].item == WM_FEED_LINES &&
           batch->heads[end].sm == sm)
        *line_count += batch->heads[end++].count;
    return end - first;
}

// The SM whose requests to L1 most likely come behind those: rounds go from SM to SM.
static uint32_t next_sm(const struct wm_walk *walk, const struct wm_feed_batch *batch,
                        uint32_t last)
{
    const struct wm_request_head *head = &batch->heads[last];
    if (last + 1 < batch->head_count && head[1].item == WM_FEED_LINES)
        return head[1].sm;
    return head->sm + 1 < walk->machine.sm.count ? head->sm + 1 : 0;
}

// Requests to L1: `count` heads from `first` on. Where another L1 makes them, what it asked comes
// when they are settled.
static void follow_run(struct wm_walk *walk, const struct wm_feed_batch *batch, uint32_t first,
                       uint32_t count, const struct wm_coalesced *lines, uint32_t line_count,
                       const struct follower *follower)
{
    struct wm_shared_l1 *keeps = follower->keeps;
    if (follower->takes != NULL)
        return;
    if (keeps != NULL && keeps->keeps_asks)
        wm_memory_keep_asks(walk->memory, &keeps->asks);
    if (keeps != NULL && keeps->keeps_rows)
        wm_memory_keep_rows(walk->memory, &keeps->rows, walk->tracer.causes);
    uint32_t next = next_sm(walk, batch, first + count - 1);
    wm_walk_serve(&walk->tracer, batch->heads + first, count, lines, line_count, next);
}

// Runs have been followed: does all of them before something else comes.
static enum wm_status settle(struct wm_walk *walk, const struct follower *follower,
                             struct wm_error *error)
{
    if (follower->takes != NULL)
        wm_shared_l1_serve(follower->takes, walk);
    wm_walk_settle(&walk->tracer);
    if (follower->keeps == NULL)
        return WM_OK;
    wm_memory_keep_asks(walk->memory, NULL);
    wm_memory_keep_rows(walk->memory, NULL, NULL);
    return wm_shared_l1_end_stretch(follower->keeps, error);
}

// `unsettled`: so may be what came before the batch, and so is left what it ends with.
static enum wm_status follow(struct wm_walk *walk, const struct wm_feed_batch *batch,
                             const struct follower *follower, bool *unsettled,
                             struct wm_error *error)
{
    const struct wm_coalesced *lines = batch->lines;
    for (uint32_t i = 0; i < batch->head_count;) {
        const struct wm_request_head *head = &batch->heads[i];
        if (head->item == WM_FEED_LINES) {
            uint32_t line_count, heads = find_run(batch, i, &line_count);
            follow_run(walk, batch, i, heads, lines, line_count, follower);
            *unsettled = true;
            lines += line_count;
            i += heads;
            continue;
        }
        if (*unsettled)
            WM_TRY(settle(walk, follower, error));
        *unsettled = false;
        if (head->item == WM_FEED_BESIDE)
            wm_walk_serve_beside(&walk->tracer, head, lines);
        else
            WM_TRY(follow_event(walk, head, &batch->events[head->pc], follower, error));
        lines += head->count;
        i++;
    }
    return WM_OK;
}

static enum wm_status follow_all(struct wm_walk *walk, const struct wm_feed_batch *batch,
                                 const struct follower *follower, struct wm_error *error)
{
    bool unsettled = false;
    WM_TRY(follow(walk, batch, follower, &unsettled, error));
    return unsettled ? settle(walk, follower, error) : WM_OK;
}

enum wm_status wm_walk_follow(struct wm_walk *walk, const struct wm_feed_batch *batch,
                              struct wm_error *error)
{
    const struct follower alone = {0};
    return follow_all(walk, batch, &alone, error);
}

enum wm_status wm_walk_lead(struct wm_walk *walk, const struct wm_feed_batch *batch,
                            struct wm_shared_l1 *keeps, struct wm_error *error)
{
    const struct follower leader = {.keeps = keeps};
    wm_shared_l1_clear(keeps);
    WM_TRY(follow_all(walk, batch, &leader, error));
    return wm_shared_l1_save(keeps, walk, error);
}

enum wm_status wm_walk_follow_leader(struct wm_walk *walk, const struct wm_feed_batch *batch,
                                     const struct wm_shared_l1 *takes, bool takes_rows,
                                     struct wm_error *error)
{
    struct wm_shared_l1_reader reader = {.shared = takes, .takes_rows = takes_rows};
    const struct follower follower = {.takes = &reader};
    WM_TRY(follow_all(walk, batch, &follower, error));
    wm_shared_l1_load(&reader, walk);
    return WM_OK;
}

// --- A walk that feeds itself ---

// About two turns' requests, so that the host's caches keep them until they are served. Where a
// batch ends within a turn, the run of its SM is served in two.
enum { QUEUE_HEADS = 1024, QUEUE_LINES = 2048 };

static void pass_queue_on(struct wm_walk_feed *feed)
{
    struct wm_walk_queue *queue = (struct wm_walk_queue *)feed;
    const struct follower alone = {0};
    follow(queue->walk, feed->batch, &alone, &queue->unsettled, NULL); // without events none fails
    feed->batch->head_count = feed->batch->line_count = 0;
}

enum wm_status wm_walk_queue_init(struct wm_walk_queue *queue, struct wm_walk *walk,
                                  struct wm_error *error)
{
    *queue = (struct wm_walk_queue){.feed.pass_on = pass_queue_on, .walk = walk};
    if (walk->memory == NULL || walk->options.explain || !wm_replay_can_follow(&walk->machine))
        return WM_OK;
    queue->feed.batch = wm_feed_batch_new(QUEUE_HEADS, QUEUE_LINES);
    return queue->feed.batch != NULL
               ? WM_OK
               : wm_fail(error, WM_NO_MEMORY, "no memory for the requests of a turn");
}

void wm_walk_queue_release(struct wm_walk_queue *queue)
{
    wm_feed_batch_free(queue->feed.batch);
    queue->feed.batch = NULL;
}

void wm_walk_queue_begin(struct wm_walk_queue *queue)
{
    if (queue->feed.batch != NULL && queue->walk->tracer.feed == NULL)
        queue->walk->tracer.feed = &queue->feed;
}

void wm_walk_queue_serve(struct wm_walk_queue *queue)
{
    if (queue->walk->tracer.feed != &queue->feed)
        return;
    pass_queue_on(&queue->feed);
    if (queue->unsettled)
        wm_walk_settle(&queue->walk->tracer);
    queue->unsettled = false;
}

void wm_walk_queue_end(struct wm_walk_queue *queue)
{
    if (queue->walk->tracer.feed != &queue->feed)
        return;
    wm_walk_queue_serve(queue);
    queue->walk->tracer.feed = NULL;
}
