// The oldest request whose next command is ready, whatever that command is: the FRFCFS of Ramulator
// 2 (Luo and others, "Ramulator 2.0: a modern, modular, and extensible DRAM simulator", IEEE
// Computer Architecture Letters, 2023). A request whose row was opened for it comes first, and
// keeps the row open; requests to that row which came later do not.
#include "mem/dram_scheduler/entries.h"

static uint64_t order(const struct wm_dram_candidate *candidate)
{
    return candidate->sequence | (candidate->is_activated ? 0 : UINT64_C(1) << 61);
}

const struct wm_dram_scheduler_ops wm_dram_scheduler_first_ready = {
    .name = "first-ready",
    .title = "oldest ready command",
    .source = "Luo and others, Ramulator 2.0, IEEE Computer Architecture Letters, 2023",
    .sentence = "serves the oldest request whose next command is ready",
    .details = "Rows are closed under younger requests that wait for them; a request whose row "
               "was opened for it comes before all others.",
    .activated_first = true,
    .order = order,
};
