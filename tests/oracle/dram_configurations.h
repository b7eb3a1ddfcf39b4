// The channels that DRAMsim3 and Ramulator 2.1 were asked about, in our own terms.
#ifndef WM_ORACLE_DRAM_CONFIGURATIONS_H
#define WM_ORACLE_DRAM_CONFIGURATIONS_H

#include "mem/dram/channel.h"

// "dramsim3-ddr4", "dramsim3-gddr5", "ramulator-ddr4", "ramulator-gddr6"; NULL: no such.
const struct wm_dram_channel_spec *wm_oracle_dram_spec(const char *name);

#endif
