// First ready, first come, first served: Rixner, Dally, Kapasi, Mattson and Owens, "Memory access
// scheduling", ISCA 2000, section 3: reads and writes of open rows before activations and
// precharges, of these the oldest. A row stays open while a request to it waits, but for the cap of
// Mutlu and Moscibroda, "Stall-time fair memory access scheduling", MICRO 2007, section 4.
#include "mem/dram_scheduler/entries.h"

static uint64_t order(const struct wm_dram_candidate *candidate)
{
    return candidate->sequence | (candidate->is_column ? 0 : UINT64_C(1) << 61);
}

const struct wm_dram_scheduler_ops wm_dram_scheduler_fr_fcfs = {
    .name = "fr-fcfs",
    .title = "first ready, first come, first served",
    .source = "Rixner and others, Memory access scheduling, ISCA 2000, section 3",
    .sentence = "serves requests to open rows first, then the oldest",
    .details = "A row is not closed while requests to it wait. With gpu.dram.hit_cap, no more than "
               "that many go ahead of an older request for another row of the bank.",
    .hits_hold_row = true,
    .cap_withholds = true,
    .order = order,
};
