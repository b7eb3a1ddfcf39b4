// Sets of loads, each with L1s of its own that only its loads use: the bank of a load profile
// (load_profile.h). A launch has sets of the caller's choice, or the profile's 2 + N + N (N - 1) /
// 2 sets of its N loads, in this order: none, each load alone, each pair (of load `high` and each
// before it, from the second load on), all.
//
// Private to engine/. Thread rules: one thread at a time.
#ifndef WM_ENGINE_PROFILE_LOAD_SETS_H
#define WM_ENGINE_PROFILE_LOAD_SETS_H

#include "engine/profile/load_profile.h"
#include "engine/walk/request_batch.h"
#include "mem/system/memory.h"
#include "sm/occupancy.h"

// What a request is to the sets: of a load that is decided, its number; or served in all of them.
enum { WM_LOAD_OF_ALL_SETS = -1 };

struct wm_load_sets;

// `machine` is copied: its L1s are the sets'. `may_be_lanes`: false where sets will be chosen,
// which lanes (load_lanes.h) do not have, or where even L1s that could be are not to be lanes: the
// profile's sets count the same, and take longer. WM_NO_MEMORY; errors of wm_memory_new.
enum wm_status wm_load_sets_new(const struct wm_machine *machine, bool may_be_lanes,
                                struct wm_load_sets **sets, struct wm_error *error);
void wm_load_sets_free(struct wm_load_sets *sets);

// The launches from now on have these sets, borrowed, instead of the profile's. Not of lanes.
void wm_load_sets_choose(struct wm_load_sets *sets, const struct wm_load_set *chosen,
                         uint32_t count);
// A launch begins: all L1s are empty. `load_of`, borrowed to the launch's end, says of each pc
// which load it is, of `load_count`. WM_NO_MEMORY; errors of a carve-out that leaves no L1.
enum wm_status wm_load_sets_begin(struct wm_load_sets *sets, const int32_t *load_of,
                                  uint32_t instruction_count, uint32_t load_count,
                                  const struct wm_occupancy *occupancy, uint64_t *l1_bytes,
                                  struct wm_error *error);
// Requests of the launch: `count` heads from `first` on, of which all that are WM_BATCH_L1 are
// served in order; their lines begin at `lines`.
void wm_load_sets_serve(struct wm_load_sets *sets, const struct wm_request_head *heads,
                        uint32_t count, const struct wm_line_request *lines);
// The launch has ended: what was counted since its begin is added to the kernel's. WM_NO_MEMORY
// when memory ran out on the way.
enum wm_status wm_load_sets_end(struct wm_load_sets *sets, struct wm_profiled_kernel *kernel,
                                struct wm_error *error);

// The same of chosen sets. What was counted is added to `bytes`, by set: between L1 and L2, of all
// accesses but those of the kernel's loads that are not in the set.
enum wm_status wm_load_sets_end_chosen(struct wm_load_sets *sets, uint64_t *bytes,
                                       struct wm_error *error);

// How many sets so many loads have, of the profile's.
static inline uint32_t wm_load_sets_count(uint32_t loads)
{
    return 2 + loads + loads * (loads - (loads != 0)) / 2;
}

#endif
