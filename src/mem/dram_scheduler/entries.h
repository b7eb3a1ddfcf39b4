// Every entry of the kind "dram scheduler", in the order of lists and documentation: its file
// defines wm_dram_scheduler_NAME, and this line is all that registers it. Apart from
// dram_scheduler.h, which much includes, so that an entry more compiles in seconds. Private to
// mem/.
#ifndef WM_MEM_DRAM_SCHEDULER_ENTRIES_H
#define WM_MEM_DRAM_SCHEDULER_ENTRIES_H

#include "mem/dram_scheduler/dram_scheduler.h"

// clang-format off
#define WM_DRAM_SCHEDULERS(X) \
    X(fr_fcfs) \
    X(fcfs) \
    X(first_ready) \
    X(bank_round_robin)
// clang-format on

#define WM_DECLARE_DRAM_SCHEDULER(entry) \
    extern const struct wm_dram_scheduler_ops wm_dram_scheduler_##entry;
WM_DRAM_SCHEDULERS(WM_DECLARE_DRAM_SCHEDULER)
#undef WM_DECLARE_DRAM_SCHEDULER

#endif
