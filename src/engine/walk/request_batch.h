// The requests of a session in their order, to be served later: when many are known before the
// first is served, the host can prefetch what they will read, and each slice of L2 serves many
// together; and what decodes, takes turns and coalesces may do it for several machines, or for a
// profile. A session with one machine and thread feeds itself, some turns at a time
// (wm_request_queue).
//
// Thread rules: a batch is written by one thread, then read by any number. Private to engine/.
#ifndef WM_ENGINE_WALK_REQUEST_BATCH_H
#define WM_ENGINE_WALK_REQUEST_BATCH_H

#include "engine/access/sm_counters.h"
#include "mem/system/memory.h"
#include "sm/coalescer/coalescer.h"

struct wm_front_end;
struct wm_session;
struct wm_work;

// What a head in a batch is (wm_request_head.item): requests of one instruction.
enum wm_batch_item {
    WM_BATCH_L1,                // to L1 and beyond
    WM_BATCH_SIDE_CACHE,        // to the side cache of kind `side_cache`
    WM_BATCH_SELF_INVALIDATION, // none: its SM's first level drops its lines
};

struct wm_request_batch {
    uint32_t head_count, line_count;
    uint32_t head_room, line_room;
    struct wm_request_head *heads;
    struct wm_line_request *lines; // of one head behind those of another
};

struct wm_request_batcher {
    struct wm_request_batch *batch; // being filled
    // The batch is full: makes room in it.
    void (*pass_on)(struct wm_request_batcher *batcher);
    // Of a replay, NULL or both: a launch begins, and has been run (its kernel is
    // front->launched). Errors end the replay.
    enum wm_status (*launch_begins)(struct wm_request_batcher *batcher, const struct wm_work *work,
                                    struct wm_error *error);
    enum wm_status (*launch_ends)(struct wm_request_batcher *batcher, const struct wm_work *work,
                                  const struct wm_session *front, struct wm_error *error);
};

// NULL when out of memory. `lines` is more than an instruction makes.
struct wm_request_batch *wm_request_batch_new(uint32_t heads, uint32_t lines);
// NULL is allowed.
void wm_request_batch_free(struct wm_request_batch *batch);
// Twice as much room for both; false when out of memory.
bool wm_request_batch_grow(struct wm_request_batch *batch);
static inline void wm_request_batch_clear(struct wm_request_batch *batch)
{
    batch->head_count = batch->line_count = 0;
}

// Room for the most lines that an instruction makes.
static inline struct wm_line_request *wm_request_batcher_room(struct wm_request_batcher *batcher)
{
    if (batcher->batch->head_count == batcher->batch->head_room ||
        batcher->batch->line_count > batcher->batch->line_room - WM_MAX_LINE_REQUESTS)
        batcher->pass_on(batcher);
    return batcher->batch->lines + batcher->batch->line_count;
}

// Behind wm_request_batcher_room: `head->count` lines were written there.
static inline void wm_request_batcher_add(struct wm_request_batcher *batcher,
                                          struct wm_request_head head)
{
    struct wm_request_batch *batch = batcher->batch;
    batch->heads[batch->head_count++] = head;
    batch->line_count += head.count;
}

// How far a memory system has served a batch.
struct wm_batch_position {
    uint32_t head, line;
    bool undrained; // requests of before may wait in the memory system
};
// Serves what the batch has from there on, by the front end's memory system of `sm_count` SMs.
void wm_request_batch_serve(const struct wm_request_batch *batch, struct wm_front_end *front_end,
                            uint32_t sm_count, struct wm_batch_position *position);

// What turns of the session's own machine request, until it is served. Only where nothing of the
// turns depends on it.
struct wm_request_queue {
    struct wm_request_batcher batcher; // first: the batcher's pass_on finds the queue
    struct wm_session *session;
    struct wm_batch_position position;
};

// WM_NO_MEMORY.
enum wm_status wm_request_queue_init(struct wm_request_queue *queue, struct wm_session *session,
                                     struct wm_error *error);
void wm_request_queue_release(struct wm_request_queue *queue);
// Around turns: after them all that they requested has been served, and between them up to
// wm_request_queue_serve. Nothing happens in a front end.
void wm_request_queue_begin(struct wm_request_queue *queue);
void wm_request_queue_serve(struct wm_request_queue *queue);
void wm_request_queue_end(struct wm_request_queue *queue);

#endif
