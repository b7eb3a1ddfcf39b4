// The partitions of an SM's array into L1 and shared memory that a machine offers (its carve-outs),
// and what a recorded program makes of each: how many warps are resident, and how often its loads
// hit L1 when all of them use it. Liang et al., section V-D; which one is best is predicted
// (partition_model.h), and decided for the whole program, as the paper does.
//
// A program's occupancy is the mean over its launches, weighted with the warp instructions that
// they execute: what there is to be overlapped. Its hit rate is of the sectors of all its loads.
#ifndef WM_BYPASS_L1_PARTITION_H
#define WM_BYPASS_L1_PARTITION_H

#include "base/containers/arena.h"
#include "bypass/partition_model.h"
#include "engine/session/launch_filter.h"
#include "machine/machine.h"
#include "machine/plugins.h"
#include "trace/recording_reader.h"

struct wm_l1_partition {
    uint64_t shared_bytes, l1_bytes; // of an SM
    // The symbol of a kernel whose block does not fit that shared memory, owned by the arena: a GPU
    // would give it more than that, so this partition is no candidate, and the rest is not known.
    const char *too_small_for;
    double occupancy; // 0 to 1: warps resident, of the most
    double hit_rate;  // 0 to 1; 0 without loads
    double predicted; // of a model
    uint64_t cycles;  // of the SMs' clock, all launches; 0 unless measured in time
};

struct wm_partitions {
    struct wm_arena arena;
    struct wm_l1_partition *items; // the most shared memory first
    uint32_t count;
    bool modelled;
    uint32_t chosen;
    // A kernel that says itself how much it prefers (cudaFuncSetAttribute): no partition of the
    // machine changes its own. Its symbol; NULL: there is none.
    const char *prefers;
};

struct wm_partition_options {
    const struct wm_partition_model *model; // borrowed; NULL: nothing is predicted
    const struct wm_launch_filter *filter;  // borrowed, may be NULL: the launches that count
    bool clock;                             // measure in time too
    bool progress;
    uint32_t threads; // 0: one a processor
};

// WM_UNSUPPORTED for a machine whose L1 and shared memory are no one array, or that has one
// partition alone.
enum wm_status wm_partitions_check(const struct wm_machine *machine, struct wm_error *error);

// Drives the recording through the machine with each partition, by the walk. Released in any case.
// With a model, `chosen` is the candidate of which most is predicted; of equals the one with the
// most shared memory, which is what a GPU starts from. Without, it is the first candidate.
//
// Errors of wm_partitions_check and wm_variants_measure; WM_LIMIT for a block that fits none;
// WM_INVALID for a recording of memory instructions alone, when it is to be measured in time;
// WM_NOT_FOUND when no launch counts.
enum wm_status wm_partitions_explore(struct wm_recording *recording,
                                     const struct wm_machine *machine,
                                     const struct wm_plugins *plugins,
                                     const struct wm_partition_options *options,
                                     struct wm_partitions *partitions, struct wm_error *error);
void wm_partitions_release(struct wm_partitions *partitions);

// Chooses the one with that much shared memory, whatever is predicted. WM_NOT_FOUND with those that
// there are, WM_LIMIT when a kernel does not fit it.
enum wm_status wm_partitions_choose(struct wm_partitions *partitions, uint64_t shared_bytes,
                                    struct wm_error *error);

#endif
