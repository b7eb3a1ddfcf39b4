// The requests of a walk in their order, for memory systems that serve them later and elsewhere:
// one front end (decoding, turns, coalescing) feeds every machine that it is the same for. It fills
// batches; each machine's walk follows them (wm_walk_follow). A walk of its own machine alone feeds
// itself, some turns at a time (wm_walk_queue): when many requests are known before the first is
// served, the host can be asked for what they will read, and each slice of L2 serves many together.
//
// Thread rules: a batch is written by one thread, then read by any number. Private to engine/.
#ifndef WM_ENGINE_WALK_FEED_H
#define WM_ENGINE_WALK_FEED_H

#include "engine/recorded_work.h"
#include "engine/sm_counters.h"
#include "mem/memory.h"
#include "sm/coalescer.h"

struct wm_walk;
struct wm_shared_l1; // engine/shared_l1.h

// What a head in a batch is (wm_request_head.item), and which lines are its. Of events and launches
// `pc` is the index in the batch's events; of those to a cache beside L1, `beside` is its kind.
enum wm_feed_item {
    WM_FEED_LINES,        // requests of one instruction to L1 and beyond
    WM_FEED_BESIDE,       // the same to a cache beside L1
    WM_FEED_EVENT,        // between launches
    WM_FEED_LAUNCH_BEGIN, //
    WM_FEED_LAUNCH_END,   // after it the batch owns the launch
};

// A launch as those who follow need it, and what the front end counted up to its end.
struct wm_feed_launch {
    struct wm_recorded_work work; // only to be described
    struct wm_sm_counters *sms;   // owned, like the next two: by SM, over all launches
    struct wm_cause_counters
        *causes;     // by pc, over all launches of the kernel; the last: its fetches
    uint8_t *spaces; // by pc
};

union wm_feed_event {
    struct wm_recorded_event event;
    struct wm_feed_launch *launch;
};

enum { WM_FEED_EVENTS = 64 };

struct wm_feed_batch {
    uint32_t head_count, line_count, event_count;
    uint32_t head_room, line_room;
    struct wm_request_head *heads;
    struct wm_coalesced *lines;
    union wm_feed_event *events; // WM_FEED_EVENTS of them; NULL where nobody adds any
};

struct wm_walk_feed {
    struct wm_feed_batch *batch; // being filled
    // The batch is full: puts an empty one in its place.
    void (*pass_on)(struct wm_walk_feed *feed);
    bool stopped; // nobody follows any more
};

// NULL when out of memory. `lines` is more than an instruction makes.
struct wm_feed_batch *wm_feed_batch_new(uint32_t heads, uint32_t lines);
// NULL is allowed.
void wm_feed_batch_free(struct wm_feed_batch *batch);
// Makes a batch empty, and frees the launches that it owns.
void wm_feed_batch_clear(struct wm_feed_batch *batch);

// Room for the most lines that an instruction makes.
static inline struct wm_coalesced *wm_feed_room(struct wm_walk_feed *feed)
{
    if (feed->batch->head_count == feed->batch->head_room ||
        feed->batch->line_count > feed->batch->line_room - WM_MAX_COALESCED)
        feed->pass_on(feed);
    return feed->batch->lines + feed->batch->line_count;
}

// Behind wm_feed_room: `head->count` lines were written there.
static inline void wm_feed_add(struct wm_walk_feed *feed, struct wm_request_head head)
{
    struct wm_feed_batch *batch = feed->batch;
    batch->heads[batch->head_count++] = head;
    batch->line_count += head.count;
}

void wm_feed_event(struct wm_walk_feed *feed, const struct wm_recorded_event *event);
// `*launch` is for wm_feed_launch_end, which is called in any case. WM_NO_MEMORY.
enum wm_status wm_feed_launch_begin(struct wm_walk_feed *feed, const struct wm_walk *front,
                                    const struct wm_recorded_work *work,
                                    struct wm_feed_launch **launch, struct wm_error *error);
// `front` has run it, or failed to.
void wm_feed_launch_end(struct wm_walk_feed *feed, struct wm_walk *front,
                        struct wm_feed_launch *launch);

// Does what the batch says. Errors of wm_walk_run but those of a launch's instructions.
enum wm_status wm_walk_follow(struct wm_walk *walk, const struct wm_feed_batch *batch,
                              struct wm_error *error);
// The same, keeping what other machines with such L1s need of it; and what those then do.
enum wm_status wm_walk_lead(struct wm_walk *walk, const struct wm_feed_batch *batch,
                            struct wm_shared_l1 *keeps, struct wm_error *error);
enum wm_status wm_walk_follow_leader(struct wm_walk *walk, const struct wm_feed_batch *batch,
                                     const struct wm_shared_l1 *takes, bool takes_rows,
                                     struct wm_error *error);

// What turns of the walk's own machine ask for, until it is served. Only where nothing of the turns
// depends on it.
struct wm_walk_queue {
    struct wm_walk_feed feed; // first: the feed's pass_on finds the queue
    struct wm_walk *walk;
    bool unsettled; // requests of batches before this one may wait in the memory system
};

// WM_NO_MEMORY.
enum wm_status wm_walk_queue_init(struct wm_walk_queue *queue, struct wm_walk *walk,
                                  struct wm_error *error);
void wm_walk_queue_release(struct wm_walk_queue *queue);
// Around turns: after them all that they asked for has been served, and between them up to
// wm_walk_queue_serve. Nothing happens in a front end.
void wm_walk_queue_begin(struct wm_walk_queue *queue);
void wm_walk_queue_serve(struct wm_walk_queue *queue);
void wm_walk_queue_end(struct wm_walk_queue *queue);

#endif
