// What a channel holds, for the files of mem/dram/ alone. Private to mem/dram/.
#ifndef WM_MEM_DRAM_CHANNEL_STATE_H
#define WM_MEM_DRAM_CHANNEL_STATE_H

#include "mem/dram/address_map.h"
#include "mem/dram/channel.h"
#include "mem/dram_scheduler/dram_scheduler.h"

enum { WM_DRAM_NONE = UINT16_MAX, WM_DRAM_MASK_WORDS = WM_DRAM_MAX_BANKS / 64 };
enum { WM_DRAM_READS, WM_DRAM_WRITES, WM_DRAM_DIRECTIONS };
#define WM_DRAM_NEVER UINT64_MAX

// What a request had done for it so far.
enum wm_dram_progress { WM_DRAM_ARRIVED, WM_DRAM_OPENED, WM_DRAM_CLOSED_AND_OPENED };

// A request that waits, in one list of its bank.
struct wm_dram_entry {
    uint64_t token, arrived, sequence;
    uint32_t row, column;
    uint16_t bank;
    uint16_t next, previous; // in its list, oldest first; of a free entry: next free
    bool write, is_activated;
    uint8_t progress; // enum wm_dram_progress
};

// Requests of one bank and direction, oldest first.
struct wm_dram_list {
    uint16_t head, tail;
    uint16_t hit;  // the oldest for the open row
    uint16_t miss; // the oldest for another; of a closed bank: the oldest
};

// Times are the earliest cycles that the bank's own past allows.
struct wm_dram_bank {
    uint64_t activate, precharge, column[WM_DRAM_DIRECTIONS];
    uint64_t last_used;                              // cycle of the last read, write or activation
    struct wm_dram_list queue[WM_DRAM_DIRECTIONS];   // what commands are chosen from
    struct wm_dram_list waiting[WM_DRAM_DIRECTIONS]; // before it, WM_DRAM_QUEUES_PER_BANK
    uint32_t row;
    uint32_t hits;      // reads and writes since the row was opened
    uint32_t queued;    // entries in `queue`
    uint16_t group;     // bank group of the channel
    uint16_t activated; // entry for which the row was opened, until it is served
    uint8_t rank;
    bool open;
    bool closed_for; // a precharge was issued for the bank's next activation
};

// The same of a bank group and a rank, as their banks' pasts allow.
struct wm_dram_group {
    uint64_t activate, column[WM_DRAM_DIRECTIONS];
};

struct wm_dram_rank {
    uint64_t activate, precharge, column[WM_DRAM_DIRECTIONS];
    uint64_t four[4], thirty_two[32]; // when the last activations were
    uint32_t activations;
    uint64_t refresh_due;
    uint32_t refreshes_owed;
    uint32_t next_bank; // per-bank refresh: of the rank
};

// The next command of a bank's requests (next_command.h). Times are the bank's own, without its
// group's and rank's; orders are the scheduler's.
struct wm_dram_next_command {
    uint64_t column_ready, row_ready;
    uint64_t column_order, row_order;
    uint16_t column_entry, row_entry;
    uint16_t group;
    bool write; // of the column command
};

// The command to issue next, if nothing comes in before.
struct wm_dram_choice {
    uint64_t cycle; // WM_DRAM_NEVER: none
    uint64_t order;
    enum wm_dram_command command;
    uint16_t bank;  // or any of the rank's
    uint16_t entry; // WM_DRAM_NONE: none's
};

enum { WM_DRAM_ROW_BUS, WM_DRAM_COLUMN_BUS, WM_DRAM_BUSES };

struct wm_dram_channel_form {
    bool (*has_room)(const struct wm_dram_channel *channel, bool write);
    void (*add)(struct wm_dram_channel *channel, uint64_t cycle,
                const struct wm_dram_request *request);
    uint64_t (*next)(struct wm_dram_channel *channel);
    void (*advance)(struct wm_dram_channel *channel, uint64_t until_cycle);
    void (*reset)(struct wm_dram_channel *channel);
};

// A request whose end is known and not reported yet: every one of the simple forms, and of the
// timed form reads that found a waiting write of their burst.
struct wm_dram_transfer {
    uint64_t token, start, end; // on the data bus; end: latency included
    bool write;
};

// In the order of their starts.
struct wm_dram_ring {
    struct wm_dram_transfer *transfers; // owned
    uint32_t first, count;
};

struct wm_dram_channel {
    // Its description.
    struct wm_dram_channel_spec spec;
    const struct wm_dram_channel_form *form;
    const struct wm_dram_scheduler_ops *scheduler;
    struct wm_dram_map map;
    int column_bus; // of reads and writes
    uint32_t span;  // banks of one rank that lie in one word of a mask
    uint32_t banks, banks_a_rank, groups, mask_words;
    // Cycles from a read or write [0] to one [1] of [2]: the same group, another of the rank,
    // another rank.
    uint32_t column_gap[WM_DRAM_DIRECTIONS][WM_DRAM_DIRECTIONS][3];
    uint32_t column_to_precharge[WM_DRAM_DIRECTIONS];
    uint32_t data_end[WM_DRAM_DIRECTIONS]; // from the command on
    uint32_t burst_cycles;
    uint64_t burst_time; // of WM_DRAM_BANDWIDTH, in 2^-20 cycles
    uint32_t ring_entries;
    // What it holds.
    uint64_t now; // the first cycle it was not advanced through
    uint64_t sequence;
    struct wm_dram_entry *entries; // owned
    uint16_t free_entry;
    uint32_t held[WM_DRAM_DIRECTIONS]; // entries that count against the queues
    uint32_t waiting;                  // all entries
    uint32_t in_waiting[WM_DRAM_DIRECTIONS], in_queue[WM_DRAM_DIRECTIONS]; // in the banks' lists
    bool is_draining;
    uint64_t has_queue[WM_DRAM_DIRECTIONS][WM_DRAM_MASK_WORDS]; // banks, by `queue`
    uint64_t has_waiting[WM_DRAM_DIRECTIONS][WM_DRAM_MASK_WORDS];
    uint64_t has_room_mask[WM_DRAM_MASK_WORDS]; // banks whose queue takes one more
    uint64_t activated_mask[WM_DRAM_MASK_WORDS];
    uint64_t open_mask[WM_DRAM_MASK_WORDS];
    uint64_t stale[WM_DRAM_MASK_WORDS]; // banks whose `next_commands` is of the past
    uint64_t wants_column[WM_DRAM_MASK_WORDS];
    uint64_t wants_precharge[WM_DRAM_MASK_WORDS], wants_activate[WM_DRAM_MASK_WORDS];
    struct wm_dram_next_command *next_commands; // owned; by bank
    struct wm_dram_bank *banks_state;           // owned; rank by rank, group by group
    struct wm_dram_group *groups_state;
    struct wm_dram_rank *ranks_state;
    uint64_t refresh_due;          // the least of the ranks'
    uint64_t owed_ranks;           // those with refreshes_owed, a mask
    uint32_t last_bank;            // served last
    int last_direction;            // of the data bus; -1: none yet
    bool is_chosen[WM_DRAM_BUSES]; // that bus's `choice` is still true
    struct wm_dram_choice choice[WM_DRAM_BUSES];
    uint64_t bus_ready[WM_DRAM_BUSES]; // first cycle in which that command bus is free
    struct wm_dram_ring ring;
    uint64_t bus_free; // of WM_DRAM_BANDWIDTH, in 2^-20 cycles
    struct wm_dram_channel_counters counters;
    // What it is wired to.
    wm_dram_completion_callback *done; // during an advance
    void *done_context;
    wm_dram_log_callback *log;
    void *log_context;
};

extern const struct wm_dram_channel_form wm_dram_timed_form, wm_dram_fixed_form,
    wm_dram_bandwidth_form;

static inline bool wm_dram_mask_has(const uint64_t *mask, uint32_t bank)
{
    return mask[bank / 64] >> bank % 64 & 1;
}

static inline void wm_dram_mask_set(uint64_t *mask, uint32_t bank, bool value)
{
    uint64_t bit = UINT64_C(1) << bank % 64;
    mask[bank / 64] = value ? mask[bank / 64] | bit : mask[bank / 64] & ~bit;
}

// What was chosen is no longer known to be the best.
static inline void wm_dram_choose_again(struct wm_dram_channel *channel)
{
    channel->is_chosen[WM_DRAM_ROW_BUS] = channel->is_chosen[WM_DRAM_COLUMN_BUS] = false;
}

static inline void wm_dram_all_stale(struct wm_dram_channel *channel)
{
    for (uint32_t word = 0; word < channel->mask_words; word++) {
        uint32_t left = channel->banks - word * 64;
        channel->stale[word] = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
    }
}

static inline uint64_t wm_dram_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
