// A DRAM channel that answers after a fixed number of its cycles of 1 ns, for tests of what is
// above it.
#ifndef WM_TESTS_FIXED_DRAM_H
#define WM_TESTS_FIXED_DRAM_H

#include "mem/dram/dram_spec.h"

// `burst_length` transfers of 8 bytes an access, two a cycle.
static inline struct wm_dram_channel_spec fixed_dram(uint32_t latency, uint32_t burst_length)
{
    return (struct wm_dram_channel_spec){
        .name = "fixed",
        .form = WM_DRAM_FIXED,
        .organisation = {.channel_bits = 64,
                         .ranks = 1,
                         .bank_groups = 1,
                         .banks = 1,
                         .rows = 65536,
                         .columns = 128,
                         .burst_length = burst_length,
                         .transfers_a_cycle = 2},
        .timing = {.clock_ps = 1000},
        .controller = {.latency = latency, .read_queue = 64, .write_queue = 64},
    };
}

#endif
