#include "dram_configurations.h"

#include "mem/dram_scheduler/entries.h"

#include <string.h>

// DRAMsim3's queues: transactions, then commands of each bank, which have their turns.
#define DRAMSIM3_CONTROLLER                                                                      \
    {                                                                                            \
        .queues = WM_DRAM_QUEUES_PER_BANK, .read_queue = 32, .write_queue = 32, .bank_queue = 8, \
        .drain_high = 32, .scheduler = &wm_dram_scheduler_bank_round_robin, .hit_cap = 4,        \
        .refresh = WM_DRAM_REFRESH_ALL_BANK, .refresh_precharges_singly = true,                  \
        .mapping = "ro-ra-ba-bg-co",                                                             \
    }

// Ramulator's: one buffer; a request whose row is being opened has left it.
#define RAMULATOR_CONTROLLER                                                              \
    {                                                                                     \
        .read_queue = 32, .write_queue = 32, .drain_high = 26, .drain_low = 6,            \
        .scheduler = &wm_dram_scheduler_first_ready, .refresh = WM_DRAM_REFRESH_ALL_BANK, \
        .refresh_stops_channel = true, .refresh_after_activated = true,                   \
        .activated_leave_queue = true, .mapping = "ro-ba-bg-ra-co",                       \
    }

static const struct wm_dram_channel_spec specs[] = {
    {
        .name = "dramsim3-ddr4",
        .form = WM_DRAM_TIMED,
        .organisation = {.channel_bits = 64,
                         .ranks = 2,
                         .bank_groups = 4,
                         .banks = 4,
                         .rows = 65536,
                         .columns = 1024,
                         .burst_length = 8,
                         .transfers_a_cycle = 2},
        .timing = {.clock_ps = 830,
                   .cl = 17,
                   .cwl = 12,
                   .rcd_read = 17,
                   .rcd_write = 17,
                   .rp = 17,
                   .ras = 39,
                   .rc = 56,
                   .rrd_s = 4,
                   .rrd_l = 6,
                   .ccd_s = 4,
                   .ccd_l = 6,
                   .faw = 26,
                   .wr = 18,
                   .wtr_s = 3,
                   .wtr_l = 9,
                   .rtp = 9,
                   .rtrs = 1,
                   .rfc = 420,
                   .refi = 9360},
        .controller = DRAMSIM3_CONTROLLER,
    },
    {
        .name = "dramsim3-gddr5",
        .form = WM_DRAM_TIMED,
        // Its columns are bursts; bank groups are off.
        .organisation = {.channel_bits = 128,
                         .ranks = 1,
                         .bank_groups = 1,
                         .banks = 16,
                         .rows = 16384,
                         .columns = 1024,
                         .burst_length = 8,
                         .transfers_a_cycle = 4},
        .timing = {.clock_ps = 667,
                   .cl = 24,
                   .cwl = 7,
                   .rcd_read = 24,
                   .rcd_write = 20,
                   .rp = 24,
                   .ras = 56,
                   .rc = 80,
                   .rrd_s = 10,
                   .rrd_l = 10,
                   .ccd_s = 2,
                   .ccd_l = 2,
                   .faw = 40,
                   .aw32 = 360,
                   .wr = 24,
                   .wtr_s = 10,
                   .wtr_l = 10,
                   .rtp = 2,
                   .rtrs = 1,
                   .ppd = 5,
                   .rfc = 74,
                   .refi = 3800},
        .controller = DRAMSIM3_CONTROLLER,
    },
    {
        .name = "ramulator-ddr4",
        .form = WM_DRAM_TIMED,
        .organisation = {.channel_bits = 64,
                         .ranks = 1,
                         .bank_groups = 4,
                         .banks = 4,
                         .rows = 65536,
                         .columns = 1024,
                         .burst_length = 8,
                         .transfers_a_cycle = 2},
        .timing = {.clock_ps = 833,
                   .cl = 17,
                   .cwl = 12,
                   .rcd_read = 17,
                   .rcd_write = 17,
                   .rp = 17,
                   .ras = 39,
                   .rc = 56,
                   .rrd_s = 4,
                   .rrd_l = 6,
                   .ccd_s = 4,
                   .ccd_l = 6,
                   .faw = 26,
                   .wr = 18,
                   .wtr_s = 3,
                   .wtr_l = 9,
                   .rtp = 9,
                   .rtrs = 2,
                   .rfc = 433,
                   .refi = 9364},
        .controller = RAMULATOR_CONTROLLER,
    },
    {
        .name = "ramulator-gddr6",
        .form = WM_DRAM_TIMED,
        .organisation = {.channel_bits = 16,
                         .ranks = 1,
                         .bank_groups = 4,
                         .banks = 4,
                         .rows = 16384,
                         .columns = 1024,
                         .burst_length = 16,
                         .transfers_a_cycle = 8},
        .timing = {.clock_ps = 570,
                   .cl = 24,
                   .cwl = 6,
                   .rcd_read = 30,
                   .rcd_write = 20,
                   .rp = 30,
                   .ras = 60,
                   .rc = 90,
                   .rrd_s = 11,
                   .rrd_l = 11,
                   .ccd_s = 2,
                   .ccd_l = 4,
                   .faw = 43,
                   .wr = 30,
                   .wtr_s = 9,
                   .wtr_l = 11,
                   .rtw = 25,
                   .rtp = 4,
                   .ppd = 2,
                   .rfc = 211,
                   .refi = 3333},
        .controller = RAMULATOR_CONTROLLER,
    },
};

const struct wm_dram_channel_spec *wm_oracle_dram_spec(const char *name)
{
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        if (strcmp(specs[i].name, name) == 0)
            return &specs[i];
    return NULL;
}
