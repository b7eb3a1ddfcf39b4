// An obvious, slow check of what a DRAM channel told the devices: every pair of commands against
// every constraint of the standard, the rows that are open, the buses, the refreshes; and every
// request against the command that served it. Written from docs/dram.md, without a look at the
// channel.
#ifndef WM_TIMING_DRAM_CHECKER_H
#define WM_TIMING_DRAM_CHECKER_H

#include "mem/dram/channel.h"

enum { WM_CHECKER_MOST_COMMANDS = 1 << 16 };

struct wm_dram_history {
    size_t count;
    struct wm_dram_issue issues[WM_CHECKER_MOST_COMMANDS];
};

// A wm_dram_log_callback; `history` is a struct wm_dram_history.
void wm_dram_history_note(void *history, const struct wm_dram_issue *issue);

// Writes what is wrong to `what` and returns false. `until` is the last cycle advanced through.
bool wm_dram_history_check(const struct wm_dram_history *history,
                           const struct wm_dram_channel_spec *spec, uint64_t until, char *what,
                           size_t size);

#endif
