// What the L1s of one machine made of a batch of requests, for machines whose L1s are the same: one
// leads, whose session serves the batch and keeps what its L1s counted and which requests they sent
// to L2; the others serve those requests and take over the counts. Private to engine/.
//
// Thread rules: written by the leader's thread, then read by any number.
#ifndef WM_ENGINE_WALK_LEADER_L1_H
#define WM_ENGINE_WALK_LEADER_L1_H

#include "base/error.h"
#include "mem/system/below_requests.h"

struct wm_session;
struct wm_kernel_record;

// Of an instruction, over all launches of its kernel so far.
struct wm_l1_outcome {
    uint64_t hits, misses;
};

// How many requests L1s had sent.
struct wm_leader_l1_position {
    uint32_t below, rows;
};

struct wm_leader_l1 {
    // Which of the next two the others need: rows do for those that are fed by them.
    bool keeps_below_requests, keeps_rows;
    struct wm_below_requests below;
    struct wm_slice_batches rows;
    // Of each stretch of runs of requests to L1, up to something else.
    struct wm_leader_l1_position *ends;
    uint32_t end_count, end_room;
    // Where launches begin and end and at the end of the batch: all L1s' counters.
    struct wm_cache_counters *counters;
    uint32_t counter_count, counter_room;
    // Where launches end: by pc.
    struct wm_l1_outcome *outcomes;
    uint32_t outcome_count, outcome_room;
};

// How far a session is in it.
struct wm_leader_l1_reader {
    const struct wm_leader_l1 *shared;
    bool takes_rows;
    struct wm_leader_l1_position at;
    uint32_t stretch, counter, outcome;
};

// Makes it empty, for the next batch.
void wm_leader_l1_clear(struct wm_leader_l1 *shared);
void wm_leader_l1_release(struct wm_leader_l1 *shared);

// The leader's. WM_NO_MEMORY.
enum wm_status wm_leader_l1_end_stretch(struct wm_leader_l1 *shared, struct wm_error *error);
enum wm_status wm_leader_l1_save(struct wm_leader_l1 *shared, const struct wm_session *session,
                                 struct wm_error *error);
enum wm_status wm_leader_l1_save_outcomes(struct wm_leader_l1 *shared,
                                          const struct wm_kernel_record *record,
                                          struct wm_error *error);

// The others', in the same order.
void wm_leader_l1_load(struct wm_leader_l1_reader *reader, struct wm_session *session);
void wm_leader_l1_load_outcomes(struct wm_leader_l1_reader *reader,
                                struct wm_kernel_record *record);
// Serves what L1s requested in the next stretch.
void wm_leader_l1_serve(struct wm_leader_l1_reader *reader, struct wm_session *session);

#endif
