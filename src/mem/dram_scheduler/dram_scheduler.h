// The kind "dram scheduler": which of the commands that a DRAM channel could issue goes first.
//
// The channel (mem/dram/) keeps a queue for each bank and finds, for each bank, the next command of
// its requests: a read or write of the open row, a precharge, an activation. An entry says which of
// these may be issued, and which of those that are ready in the same cycle wins. An entry is a pure
// function and a few constants; the channel keeps all state.
#ifndef WM_MEM_DRAM_SCHEDULER_H
#define WM_MEM_DRAM_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A command that is ready, on behalf of one request.
struct wm_dram_candidate {
    uint64_t sequence; // of the request: lower is older
    bool is_column;    // a read or write; false: a precharge or an activation
    bool is_activated; // the row was opened on this request's behalf
};

struct wm_dram_scheduler_ops {
    const char *name;     // key in machine files: "fr-fcfs"
    const char *title;    // for people
    const char *source;   // where it is described
    const char *sentence; // what it does
    const char *details;  // more about it, for people: whole sentences; NULL for none
    bool in_order;        // the oldest request of all alone has commands issued
    // A row is not closed while a request to it waits, until the controller's hit_cap of reads and
    // writes were made in a row (0: never) and an older request needs another row.
    bool hits_hold_row;
    bool cap_withholds;   // then, requests to the open row wait until it is closed
    bool activated_first; // a request whose row was opened for it is served before others of its
                          // bank
    bool in_turns;        // of those that are ready, the next bank's after that served last goes
    // Of those that are ready in the same cycle (of one bank, in_turns), the lowest goes. Below
    // 2^62, in_turns below 2^48.
    uint64_t (*order)(const struct wm_dram_candidate *candidate);
};

// Every entry, in the order of lists and documentation; `*count` of them.
const struct wm_dram_scheduler_ops *const *wm_dram_scheduler_table(size_t *count);
// NULL when there is none of that name.
const struct wm_dram_scheduler_ops *wm_dram_scheduler_find(const char *name);

#endif
