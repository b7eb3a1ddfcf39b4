// Estimated machine code as ptxas schedules it: within a basic block it moves a load in front of
// the instructions that wait for earlier loads (list scheduling; S. Muchnick, "Advanced Compiler
// Design and Implementation", 1997, chapter 17). Here the text's order is kept, and what waits for
// a load issues nevertheless: it takes its slot and its unit, its result is there when what it
// reads is, and its warp goes on to what does not need it. So the same instructions take the same
// slots, and the loads of a basic block are under way at once.
//
// A store to shared memory waits as well: ptxas moves loads of global memory in front of it, as the
// spaces do not overlap, and nothing else that may be of shared memory. So tiles are filled by
// loads that are under way at once. A register that is written again is another one of the
// machine's: what waits for the first value has that. And rounds of a loop that ptxas unrolls are
// one basic block (wm_issue_facts.unrolled).
//
// A warp stops at any other memory instruction that reads what is waited for, which ptxas could not
// move either, at a branch or a barrier while anything waits, which ends the basic block, and
// behind WM_MOST_WAITING instructions or WM_MOST_PLACES with the loads, which stand for the
// registers that ptxas has for them. Private to sm/issue/.
#ifndef WM_SM_ISSUE_SCHEDULED_AHEAD_H
#define WM_SM_ISSUE_SCHEDULED_AHEAD_H

#include "sm/issue/issue_core.h"

enum { WM_MOST_WAITING = 32, WM_MOST_PLACES = 64 };

// An instruction that has issued and whose results are not there: a load, or what reads one.
struct wm_waiting_instruction {
    uint64_t known;  // the cycle in which all that it reads is there, as far as that is known
    uint64_t behind; // bit by place: those whose results it reads
    uint32_t pc;
    uint8_t overwritten; // bit by result: a later instruction has written the register
    bool is_load;
};

// Of one warp.
struct wm_waiting_instructions {
    struct wm_waiting_instruction places[WM_MOST_PLACES];
    uint8_t order[WM_MOST_PLACES]; // their places, the first in the text first
    uint32_t count, loads;         // in all, and those that are loads
    uint32_t rounds;               // of a loop that end while something waits
    uint64_t taken;                // bit by place
    uint64_t shared_stores;        // bit by place: these are stores to shared memory
};

static inline void wm_issue_wait_for_nothing(struct wm_waiting_instructions *waiting)
{
    waiting->count = waiting->loads = waiting->rounds = 0;
    waiting->taken = waiting->shared_stores = 0;
}

// When the warp can issue the instruction at `pc`, counted from core->written_from, as far as
// registers go; WM_ISSUE_UNKNOWN: memory decides. `ready`: when its registers are there.
uint32_t wm_issue_ready_ahead(const struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                              uint32_t ready);
// The warp issues the instruction at `pc` in `cycle`: from when its results may be read, counted
// from core->written_from; WM_ISSUE_UNKNOWN: it waits from then on. `pending`: memory brings them.
uint32_t wm_issue_result_ahead(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                               uint64_t cycle, bool pending);
// Memory has done the access at `pc`, the first of them that is under way, whose results are there
// if it `writes` any: what waited for nothing else has its results.
void wm_issue_end_access_ahead(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                               uint64_t cycle, bool writes);

#endif
