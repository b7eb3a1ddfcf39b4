// The devices' timings: when a command may go, and what it holds up. Private to mem/dram/.
#ifndef WM_MEM_DRAM_TIMING_H
#define WM_MEM_DRAM_TIMING_H

#include "mem/dram/queue.h"

// Works out the gaps between reads and writes of the channel's spec.
void wm_dram_timing_derive(struct wm_dram_channel *channel);

// What one command changes of the banks' states and times, at `cycle`; counted and logged.
void wm_dram_activate(struct wm_dram_channel *channel, uint64_t cycle, uint32_t bank, uint32_t row);
void wm_dram_precharge(struct wm_dram_channel *channel, uint64_t cycle, uint32_t bank);
void wm_dram_precharge_rank(struct wm_dram_channel *channel, uint64_t cycle, uint32_t rank);
// A read or write; with automatic precharge when `closes`.
void wm_dram_column(struct wm_dram_channel *channel, uint64_t cycle,
                    const struct wm_dram_entry *entry, bool closes);
void wm_dram_refresh_rank(struct wm_dram_channel *channel, uint64_t cycle, uint32_t rank);
void wm_dram_refresh_one(struct wm_dram_channel *channel, uint64_t cycle, uint32_t bank);

// The earliest cycle of each, as the bank's, its group's and its rank's pasts allow.
static inline uint64_t wm_dram_activate_ready(const struct wm_dram_channel *channel,
                                              const struct wm_dram_bank *bank)
{
    uint64_t ready = wm_dram_later(bank->activate, channel->groups_state[bank->group].activate);
    return wm_dram_later(ready, channel->ranks_state[bank->rank].activate);
}

static inline uint64_t wm_dram_precharge_ready(const struct wm_dram_channel *channel,
                                               const struct wm_dram_bank *bank)
{
    return wm_dram_later(bank->precharge, channel->ranks_state[bank->rank].precharge);
}

#endif
