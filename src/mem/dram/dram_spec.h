// The description of a DRAM channel: how its devices are organised, their timings, and its
// controller. Plain data; mem/dram/dram_spec.c checks it, docs/dram.md has the rules.
//
// All times are whole cycles of the channel's command clock (the JEDEC tables' nCK), but clock_ps.
#ifndef WM_MEM_DRAM_SPEC_H
#define WM_MEM_DRAM_SPEC_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_dram_scheduler_ops;

enum {
    WM_DRAM_MAX_RANKS = 16,
    WM_DRAM_MAX_BANKS = 256, // of a channel, all ranks together
    WM_DRAM_MAX_QUEUE = 1024,
    WM_DRAM_NAME_BYTES = 48,
    WM_DRAM_MAPPING_BYTES = 64,
};

enum wm_dram_form {
    WM_DRAM_FIXED,     // every request takes the same time, any number at once
    WM_DRAM_BANDWIDTH, // and the data bus moves one after another
    WM_DRAM_TIMED,     // devices with banks, rows, a command bus and their timings
};

struct wm_dram_organisation {
    uint32_t channel_bits;      // width of the data bus; a pseudo channel's where there are such
    uint32_t ranks;             // or stack identities of HBM
    uint32_t bank_groups;       // of a rank
    uint32_t banks;             // of a bank group
    uint32_t rows;              // of a bank
    uint32_t columns;           // of a row, each channel_bits wide
    uint32_t burst_length;      // transfers of one read or write
    uint32_t transfers_a_cycle; // of the data bus in a cycle of the command clock: 2, 4, 8
};

// JEDEC's parameters by their names without the "t": rcd is tRCD. What a standard does not have is
// 0 and binds nothing. _s: between different bank groups, _l: within one.
struct wm_dram_timing {
    uint32_t clock_ps; // of the command clock
    uint32_t cl, cwl;  // read and write latency
    uint32_t rcd_read, rcd_write;
    uint32_t rp, ras, rc;
    uint32_t rrd_s, rrd_l;
    uint32_t ccd_s, ccd_l, ccd_r; // _r: between ranks (stack identities); 0: the burst and rtrs
    uint32_t faw;                 // window of four activations of a rank
    uint32_t aw32;                // of 32 (GDDR5, t32AW)
    uint32_t wr;                  // end of a write's data to precharge
    uint32_t wtr_s, wtr_l;        // end of a write's data to a read
    uint32_t rtw;                 // read to write command; 0: cl + burst + 2 - cwl
    uint32_t rtp;                 // read to precharge
    uint32_t rtrs;                // turnaround of the data bus between ranks
    uint32_t ppd;                 // precharge to precharge of a rank
    uint32_t rfc, refi;           // all-bank refresh, and how often a rank needs one
    uint32_t rfc_bank, refi_bank; // per-bank refresh, and how often a rank needs one
    uint32_t rrefd;               // per-bank refresh to another bank's refresh or activation
};

// How requests wait.
enum wm_dram_queues {
    WM_DRAM_QUEUES_SHARED,   // read_queue and write_queue entries, of all banks
    WM_DRAM_QUEUES_PER_BANK, // the same before bank_queue commands of each bank; one moves a cycle
};

enum wm_dram_page {
    WM_DRAM_PAGE_OPEN,    // a row stays open until another of its bank is needed
    WM_DRAM_PAGE_CLOSED,  // it closes with the last request to it that waits (auto-precharge)
    WM_DRAM_PAGE_TIMEOUT, // it closes page_timeout cycles after its last read or write
};

enum wm_dram_refresh {
    WM_DRAM_REFRESH_NONE,
    WM_DRAM_REFRESH_ALL_BANK, // rank by rank, evenly spread over refi
    WM_DRAM_REFRESH_PER_BANK, // bank by bank, one of each rank every refi_bank
};

struct wm_dram_controller {
    enum wm_dram_queues queues;
    uint32_t read_queue, write_queue; // entries
    uint32_t bank_queue;              // entries of each bank, WM_DRAM_QUEUES_PER_BANK
    // Writes go out from the time that drain_high of them wait, or nothing else does, until
    // drain_low are left.
    uint32_t drain_high, drain_low;
    const struct wm_dram_scheduler_ops *scheduler; // NULL: fr-fcfs
    uint32_t hit_cap; // reads and writes of one row while an older request waits; 0: no limit
    enum wm_dram_page page;
    uint32_t page_timeout; // cycles
    enum wm_dram_refresh refresh;
    // When a refresh is due: precharge bank after bank, not all at once; let no other rank's
    // requests go either; first serve those whose row was opened for them.
    bool refresh_precharges_singly, refresh_stops_channel, refresh_after_activated;
    // A request whose row was opened for it no longer takes an entry of the shared queue.
    bool activated_leave_queue;
    // Row commands (activate, precharge, refresh) and column commands (read, write) have a bus
    // each: HBM (JESD235, section 3).
    bool two_command_buses;
    uint32_t latency; // added to every completion: what lies before and behind the queues
    // Which address bits are what: pieces from the top bit down with a dash between them: ro row,
    // ra rank, bg bank group, ba bank, co column, each with a width in bits after it when a field
    // is cut ("ro-ba-co4-bg-co3"); "xor" as the last piece: bank and bank group are hashed with the
    // row's low bits. Empty: "ro-ba-ra-co-bg".
    char mapping[WM_DRAM_MAPPING_BYTES];
};

struct wm_dram_channel_spec {
    char name[WM_DRAM_NAME_BYTES];
    enum wm_dram_form form;
    struct wm_dram_organisation organisation; // of the other forms: what makes a burst's bytes
    struct wm_dram_timing timing;             // of the other forms: clock_ps alone
    struct wm_dram_controller controller;     // of the other forms: latency and read_queue
    uint64_t bytes_per_second;                // WM_DRAM_BANDWIDTH: of this channel
};

// WM_INVALID with the field, its value and a hint.
enum wm_status wm_dram_spec_check(const struct wm_dram_channel_spec *spec, struct wm_error *error);

// Bytes of one read or write: what every request moves.
uint32_t wm_dram_burst_bytes(const struct wm_dram_organisation *organisation);
// Cycles that it holds the data bus.
uint32_t wm_dram_burst_cycles(const struct wm_dram_organisation *organisation);
// Bytes a second that the channel's data bus moves at most; 0 for WM_DRAM_FIXED, which has no
// limit.
double wm_dram_channel_peak(const struct wm_dram_channel_spec *spec);
// Bytes that the channel's devices hold.
uint64_t wm_dram_channel_bytes(const struct wm_dram_organisation *organisation);

#endif
