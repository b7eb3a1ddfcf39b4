// First come, first served: the oldest request has the commands that it needs, and no other has any
// until that one's read or write is issued. The baseline of Rixner, Dally, Kapasi, Mattson and
// Owens, "Memory access scheduling", ISCA 2000, section 3.
#include "mem/dram_scheduler/entries.h"

static uint64_t order(const struct wm_dram_candidate *candidate)
{
    return candidate->sequence;
}

const struct wm_dram_scheduler_ops wm_dram_scheduler_fcfs = {
    .name = "fcfs",
    .title = "first come, first served",
    .source = "Rixner and others, Memory access scheduling, ISCA 2000, section 3",
    .sentence = "serves the oldest request, and no other before it",
    .in_order = true,
    .order = order,
};
