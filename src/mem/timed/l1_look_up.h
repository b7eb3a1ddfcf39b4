// A look-up of an L1 in time, in its own array alone, and what its other files share. Private to
// mem/timed/.
#ifndef WM_MEM_TIMED_L1_LOOK_UP_H
#define WM_MEM_TIMED_L1_LOOK_UP_H

#include "mem/cache/inline_access.h"
#include "mem/timed/l1_send.h"

// Whether misses are explained.
static inline bool wm_l1_is_explained(const struct wm_timed_l1 *l1)
{
    return __builtin_expect(l1->blocks != NULL, false);
}

// Whether what L1 displaced goes anywhere.
static inline bool wm_l1_leaves(const struct wm_timed_l1 *l1, const struct wm_cache_victim *victim)
{
    return victim->dirty != 0 || (l1->victims != NULL && victim->valid != 0);
}

// The look-up of a request. Its `written` is what a store writes, or NULL.
static inline struct wm_timed_access wm_l1_access_for(struct wm_timed_l1 *l1, uint64_t cycle,
                                                      const struct wm_request *request,
                                                      bool allocate,
                                                      const struct wm_write_mask *written)
{
    uint64_t line = request->address >> wm_l1_cache_of(l1)->line_shift;
    return (struct wm_timed_access){
        .line = line,
        .index_line = line,
        .sectors = request->sectors,
        .full_sectors = request->full_sectors,
        .allocate = allocate,
        .written = written,
        .queue_has_room = wm_l1_has_room(l1, cycle),
        .requester = {.sm = request->sm,
                      .warp = request->warp,
                      .pc = request->pc,
                      .kind = request->kind,
                      .hint = request->hint,
                      .lines = request->lines,
                      .rank = request->rank},
    };
}

// Charges the instruction with a request of which L1 lacks `missing`.
static inline void wm_l1_charge(const struct wm_request *request, uint32_t missing)
{
    uint64_t misses = wm_count_sectors(missing);
    request->instruction_counters->levels[WM_LEVEL_L1].misses += misses;
    request->instruction_counters->levels[WM_LEVEL_L1].hits +=
        wm_count_sectors(request->sectors) - misses;
}

// L1 displaced `*victim`, and it leaves, on behalf of `request`: to the victim cache, and what that
// displaces in turn, or what is dirty, to L2.
void wm_l1_settle_victim(struct wm_timed_l1 *l1, uint64_t cycle, const struct wm_request *request,
                         const struct wm_requester *requester, struct wm_cache_victim *victim);
// A load's request was served, `looked_up` in L1 or around it, and `missed` bytes there.
void wm_l1_note_load(struct wm_timed_l1 *l1, const struct wm_request *request, bool looked_up,
                     bool missed);
// Looks a load or a store up in L1, whose victim cache, where there is one, does not have the line.
// `allocate`: false for one that takes no line. Unless it has to come again, `*waits` is as
// wm_timed_l1_access has it and `*missing` the sectors that L1 lacked.
enum wm_stall wm_l1_look_up(struct wm_timed_l1 *l1, uint64_t cycle,
                            const struct wm_request *request, uint64_t token, bool allocate,
                            uint32_t *waits, uint32_t *missing);

#endif
