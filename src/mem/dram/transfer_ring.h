// Requests whose completion is known before it is reported, first in, first out.
// Private to mem/dram/.
#ifndef WM_MEM_DRAM_TRANSFER_RING_H
#define WM_MEM_DRAM_TRANSFER_RING_H

#include "mem/dram/channel_state.h"

// There is room: ring.count is below ring_entries.
static inline void wm_dram_ring_push(struct wm_dram_channel *channel,
                                     const struct wm_dram_transfer *transfer)
{
    struct wm_dram_ring *ring = &channel->ring;
    uint32_t at = ring->first + ring->count++;
    ring->transfers[at < channel->ring_entries ? at : at - channel->ring_entries] = *transfer;
    if (!transfer->write)
        channel->counters.read_cycles += transfer->end - transfer->start;
}

static inline const struct wm_dram_transfer *wm_dram_ring_first(
    const struct wm_dram_channel *channel)
{
    return &channel->ring.transfers[channel->ring.first];
}

// Reports the first and takes it out.
static inline void wm_dram_ring_complete(struct wm_dram_channel *channel)
{
    struct wm_dram_transfer first = *wm_dram_ring_first(channel);
    struct wm_dram_completion done = {
        .token = first.token, .cycle = first.end, .write = first.write};
    channel->ring.first =
        channel->ring.first + 1 < channel->ring_entries ? channel->ring.first + 1 : 0;
    channel->ring.count--;
    if (channel->done)
        channel->done(channel->done_context, &done);
}

#endif
