// The two forms without devices: a fixed latency, and that behind a data bus that moves one request
// after another. A request holds a place in the queue until its transfer starts.
#include "mem/dram/transfer_ring.h"

enum { FRACTION_BITS = 20 }; // of a cycle

static bool has_room(const struct wm_dram_channel *channel, bool write)
{
    (void)write;
    return channel->ring.count < channel->ring_entries;
}

static void take(struct wm_dram_channel *channel, uint64_t cycle, uint64_t start, uint64_t end,
                 const struct wm_dram_request *request)
{
    struct wm_dram_channel_counters *counters = &channel->counters;
    uint32_t bytes = wm_dram_burst_bytes(&channel->spec.organisation);
    struct wm_dram_transfer transfer = {
        .token = request->token,
        .start = start,
        .end = end + channel->spec.controller.latency,
        .write = request->write,
    };
    wm_dram_ring_push(channel, &transfer);
    counters->bytes_read += request->write ? 0 : bytes;
    counters->bytes_written += request->write ? bytes : 0;
    // The ring counted from the start of the transfer on.
    counters->read_cycles += request->write ? 0 : start - cycle;
}

static void add_fixed(struct wm_dram_channel *channel, uint64_t cycle,
                      const struct wm_dram_request *request)
{
    take(channel, cycle, cycle, cycle, request);
}

static uint64_t round_up(uint64_t time)
{
    return (time + (UINT64_C(1) << FRACTION_BITS) - 1) >> FRACTION_BITS;
}

static void add_bandwidth(struct wm_dram_channel *channel, uint64_t cycle,
                          const struct wm_dram_request *request)
{
    uint64_t start = wm_dram_later(cycle << FRACTION_BITS, channel->bus_free);
    uint64_t busy_before = round_up(channel->bus_free);
    channel->bus_free = start + channel->burst_time;
    uint64_t from = start >> FRACTION_BITS, until = round_up(channel->bus_free);
    channel->counters.bus_cycles += until - wm_dram_later(from, busy_before);
    take(channel, cycle, from, until, request);
}

static uint64_t next(struct wm_dram_channel *channel)
{
    if (channel->ring.count == 0)
        return WM_DRAM_NEVER;
    return wm_dram_later(channel->now, wm_dram_ring_first(channel)->start);
}

static void advance(struct wm_dram_channel *channel, uint64_t until_cycle)
{
    while (channel->ring.count != 0 && next(channel) <= until_cycle) {
        channel->now = next(channel);
        wm_dram_ring_complete(channel);
    }
    channel->now = wm_dram_later(channel->now, until_cycle + 1);
}

static void reset(struct wm_dram_channel *channel)
{
    // Bytes a burst, by bytes a cycle: bytes_per_second · clock_ps / 10^12.
    if (channel->spec.form == WM_DRAM_BANDWIDTH)
        channel->burst_time =
            (uint64_t)((double)wm_dram_burst_bytes(&channel->spec.organisation) * 1e12 /
                           ((double)channel->spec.bytes_per_second *
                            (double)channel->spec.timing.clock_ps) *
                           (double)(1 << FRACTION_BITS) +
                       0.5);
}

const struct wm_dram_channel_form wm_dram_fixed_form = {
    .has_room = has_room,
    .add = add_fixed,
    .next = next,
    .advance = advance,
    .reset = reset,
};

const struct wm_dram_channel_form wm_dram_bandwidth_form = {
    .has_room = has_room,
    .add = add_bandwidth,
    .next = next,
    .advance = advance,
    .reset = reset,
};
