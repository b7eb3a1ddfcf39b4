// Banks take turns, from the one after that served last; of a bank, the oldest request whose next
// command is ready. The command queues of DRAMsim3 (Li, Yang, Reddy, Srivastava and Jacob,
// "DRAMsim3: a cycle-accurate, thermal-capable DRAM simulator", IEEE Computer Architecture Letters,
// 2020).
#include "mem/dram_scheduler/entries.h"

static uint64_t order(const struct wm_dram_candidate *candidate)
{
    return candidate->sequence & ((UINT64_C(1) << 48) - 1);
}

const struct wm_dram_scheduler_ops wm_dram_scheduler_bank_round_robin = {
    .name = "bank-round-robin",
    .title = "banks in turn",
    .source = "Li and others, DRAMsim3, IEEE Computer Architecture Letters, 2020",
    .sentence = "serves bank after bank, of each the oldest request whose next command is ready",
    .details =
        "A row is not closed while requests to it wait, fewer than gpu.dram.hit_cap of them.",
    .hits_hold_row = true,
    .in_turns = true,
    .order = order,
};
