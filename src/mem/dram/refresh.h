// Refreshes: when a rank owes one, and which command that takes next. Private to mem/dram/.
#ifndef WM_MEM_DRAM_REFRESH_H
#define WM_MEM_DRAM_REFRESH_H

#include "mem/dram/channel_state.h"

void wm_dram_refresh_reset(struct wm_dram_channel *channel);
// `cycle` is reached: ranks whose refresh is due owe one more.
void wm_dram_refresh_note_due(struct wm_dram_channel *channel, uint64_t cycle);
// Offers the next command of every refresh that is owed to `best`, at `from` at the earliest.
void wm_dram_refresh_consider(const struct wm_dram_channel *channel, uint64_t from,
                              struct wm_dram_choice *best);
// Issues what was considered. False when the choice is none of a refresh's.
void wm_dram_refresh_issue(struct wm_dram_channel *channel, const struct wm_dram_choice *choice,
                           uint64_t cycle);
// Whether the bank's requests stay where they are because of a refresh that is owed.
bool wm_dram_refresh_holds(const struct wm_dram_channel *channel, const struct wm_dram_bank *bank,
                           uint32_t index);
// Nothing waits and no row is open: counts the refreshes due before `cycle` at once, all but the
// last of each rank.
void wm_dram_refresh_skip(struct wm_dram_channel *channel, uint64_t cycle);

#endif
