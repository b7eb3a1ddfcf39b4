// The requests of a session in their order, for memory systems that serve them later and elsewhere:
// one front end (decoding, turns, coalescing) feeds every machine that it is the same for. It fills
// batches; each machine's session follows them (wm_walk_serve_batch). A session with one machine
// feeds itself, some turns at a time (wm_request_queue): when many requests are known before the
// first is served, the host can prefetch what they will read, and each slice of L2 serves many
// together.
//
// Thread rules: a batch is written by one thread, then read by any number. Private to engine/.
#ifndef WM_ENGINE_WALK_REQUEST_BATCH_H
#define WM_ENGINE_WALK_REQUEST_BATCH_H

#include "engine/access/sm_counters.h"
#include "engine/replay/recorded_work.h"
#include "mem/system/memory.h"
#include "sm/coalescer/coalescer.h"

struct wm_session;
struct wm_leader_l1; // engine/walk/leader_l1.h

// What a head in a batch is (wm_request_head.item), and which lines are its. Of events and launches
// `pc` is the index in the batch's events; of those to a side cache, `side_cache` is its kind.
enum wm_batch_item {
    WM_BATCH_L1,           // requests of one instruction to L1 and beyond
    WM_BATCH_SIDE_CACHE,   // the same to a side cache
    WM_BATCH_EVENT,        // between launches
    WM_BATCH_LAUNCH_BEGIN, //
    WM_BATCH_LAUNCH_END,   // after it the batch owns the launch
};

// A launch as the machines that follow need it, and what the front end counted up to its end.
struct wm_batch_launch {
    struct wm_recorded_work work; // only to be described
    struct wm_sm_counters *sms;   // owned, like the next two: by SM, over all launches
    struct wm_instruction_counters
        *counters_by_pc; // by pc, over all launches of the kernel; the last: its fetches
    uint8_t *spaces;     // by pc
};

union wm_batch_event {
    struct wm_recorded_event event;
    struct wm_batch_launch *launch;
};

enum { WM_BATCH_EVENTS = 64 };

struct wm_request_batch {
    uint32_t head_count, line_count, event_count;
    uint32_t head_room, line_room;
    struct wm_request_head *heads;
    struct wm_line_request *lines;
    union wm_batch_event *events; // WM_BATCH_EVENTS of them; NULL where none are added
};

struct wm_request_batcher {
    struct wm_request_batch *batch; // being filled
    // The batch is full: puts an empty one in its place.
    void (*pass_on)(struct wm_request_batcher *batcher);
    bool stopped; // it is not followed any more
};

// NULL when out of memory. `lines` is more than an instruction makes.
struct wm_request_batch *wm_request_batch_new(uint32_t heads, uint32_t lines);
// NULL is allowed.
void wm_request_batch_free(struct wm_request_batch *batch);
// Makes a batch empty, and frees the launches that it owns.
void wm_request_batch_clear(struct wm_request_batch *batch);

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

void wm_request_batcher_event(struct wm_request_batcher *batcher,
                              const struct wm_recorded_event *event);
// `*launch` is for wm_request_batcher_launch_end, which is called in any case. WM_NO_MEMORY.
enum wm_status wm_request_batcher_launch_begin(struct wm_request_batcher *batcher,
                                               const struct wm_session *front,
                                               const struct wm_recorded_work *work,
                                               struct wm_batch_launch **launch,
                                               struct wm_error *error);
// `front` has run it, or failed to.
void wm_request_batcher_launch_end(struct wm_request_batcher *batcher, struct wm_session *front,
                                   struct wm_batch_launch *launch);

// Does what the batch says. Errors of wm_session_run_work but those of a launch's instructions.
enum wm_status wm_walk_serve_batch(struct wm_session *session, const struct wm_request_batch *batch,
                                   struct wm_error *error);
// The same, keeping what other machines with such L1s need of it; and what those then do.
enum wm_status wm_walk_serve_batch_as_leader(struct wm_session *session,
                                             const struct wm_request_batch *batch,
                                             struct wm_leader_l1 *keeps, struct wm_error *error);
enum wm_status wm_walk_serve_batch_of_leader(struct wm_session *session,
                                             const struct wm_request_batch *batch,
                                             const struct wm_leader_l1 *takes, bool takes_rows,
                                             struct wm_error *error);

// What turns of the session's own machine request, until it is served. Only where nothing of the
// turns depends on it.
struct wm_request_queue {
    struct wm_request_batcher batcher; // first: the batcher's pass_on finds the queue
    struct wm_session *session;
    bool undrained; // requests of batches before this one may wait in the memory system
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
