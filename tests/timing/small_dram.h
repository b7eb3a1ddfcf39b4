// A small channel whose timings bind nothing until a test makes one of them long, and what it told
// its devices.
#ifndef WM_TIMING_SMALL_DRAM_H
#define WM_TIMING_SMALL_DRAM_H

#include "dram_checker.h"

// Two ranks of two bank groups of four banks; bursts of one cycle; all timings 1 but cl 4 and
// cwl 3. One queue of reads and writes each, fr-fcfs, open page, no refresh.
struct wm_dram_channel_spec small_dram_spec(void);

// The address of a place.
struct small_place {
    uint32_t rank, group, bank, row, column;
};
uint64_t small_address(const struct small_place *place);

struct small_dram {
    struct wm_dram_channel *channel;
    struct wm_dram_history history;
    uint64_t done[256]; // by token; 0: not yet
    uint32_t done_count;
};

// Fails the test on an error. `dram` is filled.
void small_dram_start(struct small_dram *dram, const struct wm_dram_channel_spec *spec);
void small_dram_end(struct small_dram *dram);
void small_dram_advance(struct small_dram *dram, uint64_t until);
// The token is `token`; fails the test when it is refused.
void small_dram_add(struct small_dram *dram, uint64_t cycle, const struct small_place *place,
                    bool write, uint64_t token);
// How many commands of that kind were issued.
size_t small_dram_count(const struct small_dram *dram, enum wm_dram_command command);
// The cycle of its `index`-th; UINT64_MAX: none yet.
uint64_t small_dram_cycle(const struct small_dram *dram, enum wm_dram_command command,
                          size_t index);

#endif
