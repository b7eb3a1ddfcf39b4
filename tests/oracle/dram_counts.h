// What DRAMsim3 and Ramulator 2.1 answered to streams of reads (dram_oracle.c), configured as
// dram_configurations.c says: of the first 20 000 requests, the sum of the cycles that each took,
// and the cycle in which the last one's data was there.
#ifndef WM_ORACLE_DRAM_COUNTS_H
#define WM_ORACLE_DRAM_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum { WM_ORACLE_DRAM_REQUESTS = 20000 };

struct wm_dram_count_row {
    const char *configuration;
    bool is_random; // or burst after burst
    uint32_t gap;   // one request is offered in every cycle that is a multiple of it
    uint64_t latency_sum, last_done;
};

static const struct wm_dram_count_row wm_dram_count_rows[] = {
    {"dramsim3-ddr4", false, 100, 684266, 1999922},  {"dramsim3-ddr4", false, 20, 758675, 400002},
    {"dramsim3-ddr4", false, 4, 4573967, 102613},    {"dramsim3-ddr4", false, 1, 4867296, 102613},
    {"dramsim3-ddr4", true, 100, 1262910, 1999939},  {"dramsim3-ddr4", true, 20, 1442183, 400036},
    {"dramsim3-ddr4", true, 4, 10075529, 92388},     {"dramsim3-ddr4", true, 1, 10609123, 93435},
    {"dramsim3-gddr5", false, 100, 620800, 1999927}, {"dramsim3-gddr5", false, 20, 599556, 400007},
    {"dramsim3-gddr5", false, 4, 694631, 80109},     {"dramsim3-gddr5", false, 1, 2347845, 42356},
    {"dramsim3-gddr5", true, 100, 1444832, 1999975}, {"dramsim3-gddr5", true, 20, 1936182, 400055},
    {"dramsim3-gddr5", true, 4, 26090418, 236758},   {"dramsim3-gddr5", true, 1, 26287031, 236055},
    {"ramulator-ddr4", false, 100, 667497, 1999921}, {"ramulator-ddr4", false, 20, 743896, 400001},
    {"ramulator-ddr4", false, 4, 3795518, 107138},   {"ramulator-ddr4", false, 1, 3828039, 107137},
    {"ramulator-ddr4", true, 100, 1295148, 1999955}, {"ramulator-ddr4", true, 20, 1531012, 400035},
    {"ramulator-ddr4", true, 4, 5123216, 138292},    {"ramulator-ddr4", true, 1, 5161431, 138418},
    {"ramulator-gddr6", false, 1, 2310493, 56354},   {"ramulator-gddr6", true, 1, 8801231, 241046},
};

#endif
