// What the L1s of one machine made of a batch of requests, for machines whose L1s are the same: one
// leads, whose walk serves the batch and keeps what its L1s asked of L2 and counted; the others
// serve those asks and take over the counts. Private to engine/.
//
// Thread rules: written by the leader's thread, then read by any number.
#ifndef WM_ENGINE_SHARED_L1_H
#define WM_ENGINE_SHARED_L1_H

#include "base/error.h"
#include "mem/memory_asks.h"

struct wm_walk;
struct wm_walk_record;

// Of an instruction, over all launches of its kernel so far.
struct wm_l1_outcome {
    uint64_t hits, misses;
};

struct wm_shared_l1 {
    struct wm_asks asks;
    // Of each run of requests to L1: how many asks there were behind it.
    uint32_t *ends;
    uint32_t end_count, end_room;
    // Where launches begin and end and at the end of the batch: all L1s' counters.
    struct wm_cache_counters *counters;
    uint32_t counter_count, counter_room;
    // Where launches end: by pc.
    struct wm_l1_outcome *outcomes;
    uint32_t outcome_count, outcome_room;
};

// How far a walk is in it.
struct wm_shared_l1_reader {
    const struct wm_shared_l1 *shared;
    uint32_t ask, run, counter, outcome;
};

// Makes it empty, for the next batch.
void wm_shared_l1_clear(struct wm_shared_l1 *shared);
void wm_shared_l1_release(struct wm_shared_l1 *shared);

// The leader's. WM_NO_MEMORY.
enum wm_status wm_shared_l1_end_run(struct wm_shared_l1 *shared, struct wm_error *error);
enum wm_status wm_shared_l1_save(struct wm_shared_l1 *shared, const struct wm_walk *walk,
                                 struct wm_error *error);
enum wm_status wm_shared_l1_save_outcomes(struct wm_shared_l1 *shared,
                                          const struct wm_walk_record *record,
                                          struct wm_error *error);

// The others', in the same order.
void wm_shared_l1_load(struct wm_shared_l1_reader *reader, struct wm_walk *walk);
void wm_shared_l1_load_outcomes(struct wm_shared_l1_reader *reader, struct wm_walk_record *record);
// Serves the asks of the next run.
void wm_shared_l1_serve(struct wm_shared_l1_reader *reader, struct wm_walk *walk);

#endif
