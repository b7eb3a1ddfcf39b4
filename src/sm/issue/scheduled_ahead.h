// Loads of estimated machine code that ptxas schedules ahead: within a basic block it moves a load
// in front of the instructions that wait for earlier loads (list scheduling; S. Muchnick, "Advanced
// Compiler Design and Implementation", 1997, chapter 17). Here the text's order is kept, and what
// waits for a load issues nevertheless: it takes its slot and its unit, its result is there when
// what it reads is, and its warp goes on to what does not need it. So the same instructions take
// the same slots, and the loads of a basic block are under way at once.
//
// A warp stops at a memory instruction whose registers are waited for, which ptxas could not move
// either, at a branch or a barrier while anything waits, which ends the basic block, and behind
// WM_MOST_WAITING instructions, which stand for the registers that ptxas has for it. Private to
// sm/issue/.
#ifndef WM_SM_ISSUE_SCHEDULED_AHEAD_H
#define WM_SM_ISSUE_SCHEDULED_AHEAD_H

#include "sm/issue/issue_core.h"

enum { WM_MOST_WAITING = 32 };

// An instruction that has issued, and waits for registers.
struct wm_waiting_instruction {
    uint64_t known; // the cycle in which all that it reads is there, as far as that is known
    uint32_t pc;
    uint32_t behind; // bit by place: the waiting instructions whose results it reads
    uint16_t loaded[WM_ISSUE_NEEDED]; // registers that loads bring
    uint8_t loaded_count;
    uint8_t overwritten; // bit by result: a later instruction has written the register
};

// Of one warp.
struct wm_waiting_instructions {
    struct wm_waiting_instruction places[WM_MOST_WAITING];
    uint8_t order[WM_MOST_WAITING]; // their places, the first in the text first
    uint32_t count, taken;          // `taken`: bit by place
};

// When the warp can issue the instruction at `pc`, counted from core->written_from, as far as
// registers go; WM_ISSUE_UNKNOWN: memory decides. `ready`: when its registers are there.
uint32_t wm_issue_ready_ahead(const struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                              uint32_t ready);
// The warp issues the instruction at `pc` in `cycle`: from when its results may be read, counted
// from core->written_from; WM_ISSUE_UNKNOWN: it waits from then on.
uint32_t wm_issue_result_ahead(struct wm_issue_core *core, uint32_t slot, uint32_t pc,
                               uint64_t cycle);
// A load has written registers of the warp: what waited for nothing else has its results.
void wm_issue_end_waits(struct wm_issue_core *core, uint32_t slot);

#endif
