// The requests of a channel: a pool of entries, and each bank's lists of them.
// Private to mem/dram/.
#ifndef WM_MEM_DRAM_QUEUE_H
#define WM_MEM_DRAM_QUEUE_H

#include "mem/dram/channel_state.h"

// Entries that a channel of this spec can hold at most.
uint32_t wm_dram_queue_entries(const struct wm_dram_channel_spec *spec);
// All entries free, all lists empty.
void wm_dram_queue_reset(struct wm_dram_channel *channel);

// A new entry at its bank's end: in `queue`, or in `waiting` with queues of banks. There is room.
void wm_dram_queue_append(struct wm_dram_channel *channel, const struct wm_dram_entry *entry);
// Takes an entry of a bank's `queue` out, and frees it.
void wm_dram_queue_remove(struct wm_dram_channel *channel, uint16_t entry);
// A write of the same burst that waits; WM_DRAM_NONE: none.
uint16_t wm_dram_queue_find_write(const struct wm_dram_channel *channel, uint32_t bank,
                                  uint32_t row, uint32_t column);

// The bank's row was opened or closed: who hits has changed.
void wm_dram_queue_row_changed(struct wm_dram_channel *channel, uint32_t bank);

// Queues of banks: whether a request can move from `waiting` to its bank's queue, and moving the
// oldest that can, of which there is one: its bank.
bool wm_dram_queue_can_move(const struct wm_dram_channel *channel);
uint32_t wm_dram_queue_move(struct wm_dram_channel *channel);

// Whether writes, reads or both are chosen from, after requests came or went.
void wm_dram_queue_update_drain(struct wm_dram_channel *channel);

#endif
