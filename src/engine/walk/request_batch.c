#include "engine/walk/request_batch.h"

#include "base/containers/array.h"
#include "engine/session/session_state.h"

#include <stdlib.h>

struct wm_request_batch *wm_request_batch_new(uint32_t heads, uint32_t lines)
{
    struct wm_request_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return NULL;
    batch->heads = malloc(heads * sizeof *batch->heads);
    batch->lines = malloc(lines * sizeof *batch->lines);
    batch->head_room = heads;
    batch->line_room = lines;
    if (batch->heads != NULL && batch->lines != NULL)
        return batch;
    wm_request_batch_free(batch);
    return NULL;
}

void wm_request_batch_free(struct wm_request_batch *batch)
{
    if (batch == NULL)
        return;
    free(batch->heads);
    free(batch->lines);
    free(batch);
}

bool wm_request_batch_grow(struct wm_request_batch *batch)
{
    return WM_ARRAY_RESERVE(batch->heads, batch->head_room, batch->head_room, batch->head_room) &&
           WM_ARRAY_RESERVE(batch->lines, batch->line_room, batch->line_room, batch->line_room);
}

// --- Serving ---

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
static uint32_t next_sm(const struct wm_request_batch *batch, uint32_t last, uint32_t sm_count)
{
    const struct wm_request_head *head = &batch->heads[last];
    if (last + 1 < batch->head_count && head[1].item == WM_BATCH_L1)
        return head[1].sm;
    return head->sm + 1 < sm_count ? head->sm + 1 : 0;
}

void wm_request_batch_serve(const struct wm_request_batch *batch, struct wm_front_end *front_end,
                            uint32_t sm_count, struct wm_batch_position *position)
{
    while (position->head < batch->head_count) {
        const struct wm_request_head *head = &batch->heads[position->head];
        const struct wm_line_request *lines = batch->lines + position->line;
        uint32_t heads = 1, line_count = head->count;
        if (head->item == WM_BATCH_L1) {
            heads = find_run(batch, position->head, &line_count);
            uint32_t next = next_sm(batch, position->head + heads - 1, sm_count);
            wm_front_end_serve(front_end, head, heads, lines, line_count, next);
            position->undrained = true;
        } else {
            if (position->undrained)
                wm_front_end_drain(front_end);
            position->undrained = false;
            if (head->item == WM_BATCH_SIDE_CACHE)
                wm_front_end_serve_side_cache(front_end, head, lines);
            else
                wm_front_end_self_invalidate(front_end, head->sm);
        }
        position->head += heads;
        position->line += line_count;
    }
}

// --- A walk that feeds itself ---

// About two turns' requests, so that the host's caches keep them until they are served. Where a
// batch ends within a turn, the run of its SM is served in two.
enum { QUEUE_HEADS = 1024, QUEUE_LINES = 2048 };

static void pass_queue_on(struct wm_request_batcher *batcher)
{
    struct wm_request_queue *queue = (struct wm_request_queue *)batcher;
    struct wm_session *session = queue->session;
    wm_request_batch_serve(batcher->batch, &session->front_end, session->machine.sm.count,
                           &queue->position);
    queue->position.head = queue->position.line = 0;
    wm_request_batch_clear(batcher->batch);
}

enum wm_status wm_request_queue_init(struct wm_request_queue *queue, struct wm_session *session,
                                     struct wm_error *error)
{
    *queue = (struct wm_request_queue){.batcher.pass_on = pass_queue_on, .session = session};
    if (session->memory == NULL || session->options.explain ||
        !wm_front_end_stands_alone(&session->machine))
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
    if (queue->position.undrained)
        wm_front_end_drain(&queue->session->front_end);
    queue->position.undrained = false;
}

void wm_request_queue_end(struct wm_request_queue *queue)
{
    if (queue->session->front_end.batcher != &queue->batcher)
        return;
    wm_request_queue_serve(queue);
    queue->session->front_end.batcher = NULL;
}
