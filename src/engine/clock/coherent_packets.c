// SMs whose first caches are not coherent, above a coherent level of all SMs: what they, or the
// last of several such levels below L1, send to that level are packets, which come to ports of its
// slices (mem/timed/coherent/packet_port.h), over the interconnect or, from a level that all SMs
// share, by wires. The ends of the interconnect, and levels without coherence below it, are those
// of partitions of memory; caches of coherent levels there, and channels, are the tree's, and do
// nothing.
#include "engine/clock/coherent_parts.h"

#include "base/containers/array.h"

#include <stdlib.h>

// A port's token: its slice's number, and the port's own.
#define OF_PORT (UINT64_C(1) << 62)

// --- Building ---

static bool sends_packets(const struct wm_memory_spec *memory)
{
    return memory->sm_count != 0 && !wm_level_is_coherent(memory, WM_LEVEL_L1);
}

// The first coherent level on the way of what SMs miss, WM_BELOW_MEMORY: there is none.
static uint32_t first_coherent(const struct wm_memory_spec *memory)
{
    uint32_t level = wm_level_below(memory, WM_LEVEL_L1);
    while (level != WM_BELOW_MEMORY && !wm_level_is_coherent(memory, level))
        level = wm_level_below(memory, level);
    return level;
}

// Whether what SMs miss comes to the level before it comes to a coherent one.
static bool is_on_the_way(const struct wm_memory_spec *memory, uint32_t level)
{
    uint32_t at = WM_LEVEL_L1;
    while (at != WM_BELOW_MEMORY && at != level && !wm_level_is_coherent(memory, at))
        at = wm_level_below(memory, at);
    return at == level;
}

// What a level without coherence cannot have.
static const char *level_lacks(const struct wm_memory_spec *memory, uint32_t number,
                               const char **hint)
{
    const struct wm_level_spec *level = &memory->levels[number];
    *hint = "set the coherence of CPU cores' levels to mesi";
    if (level->place == WM_PLACE_CPU)
        return "levels of CPU cores without coherence";
    *hint = "set its coherence to mesi";
    if (!sends_packets(memory) || !is_on_the_way(memory, number))
        return "levels without coherence, but those from SMs' accesses on,";
    *hint = "set tracker.present to false";
    if (level->tracker.present)
        return "sharing trackers";
    *hint = "set write_fetch to partial or always";
    return level->cache.write_fetch == WM_FETCH_NEVER ? "write_fetch never" : NULL;
}

const char *wm_clock_packets_lack(const struct wm_memory_spec *memory, const char **hint)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        bool incoherent = memory->levels[i].cache.present && !wm_level_is_coherent(memory, i);
        const char *lacks = incoherent ? level_lacks(memory, i, hint) : NULL;
        if (lacks != NULL)
            return lacks;
    }
    uint32_t first = first_coherent(memory);
    *hint = "have all SMs share the level below their L1s, or set gpu.l1.coherence to mesi";
    if (sends_packets(memory) && (first == WM_BELOW_MEMORY || !wm_timed_is_below(memory, first)))
        return "L1s of SMs without coherence above a level that some of the SMs alone have,";
    return NULL;
}

static enum wm_status init_port(struct wm_clock *clock, uint32_t partition,
                                struct wm_partition_slice *slice, struct wm_error *error)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    const struct wm_memory_spec *memory = &clock->machine->memory;
    const struct wm_level_spec *level = &memory->levels[coherent->port_level];
    struct wm_clock_port *port = &coherent->ports[slice->node.index];
    const struct wm_coherent_packet_port_spec spec = {
        .caches = coherent->tree.caches,
        .token = OF_PORT | (uint64_t)slice->node.index << 32,
        .node = coherent->tree.levels->first_node[coherent->port_level],
        .line_shift = coherent->line_shift,
        .room = level->timing.queue,
        .atomic_interval = level->atomic_interval,
        .flit_bytes = memory->interconnect.flit_bytes,
        .level = (uint8_t)coherent->port_level};
    port->partition = partition;
    slice->port = &port->port;
    return wm_coherent_packet_port_init(&port->port, &spec, error);
}

static enum wm_status init_ports(struct wm_clock *clock, uint32_t index, struct wm_error *error)
{
    struct wm_partition *partition = clock->partitions[index];
    uint32_t port_level = clock->coherent->port_level;
    wm_partition_use_network_clock(partition, clock->network_hz);
    for (uint32_t i = 0; i < partition->slice_count; i++)
        if (partition->slices[i].node.level.number == port_level)
            WM_TRY(init_port(clock, index, &partition->slices[i], error));
    return WM_OK;
}

// The interconnect has a latency in cycles of its own clock, and all else those of the tree's.
static void set_latencies(struct wm_clock *clock)
{
    const struct wm_interconnect_spec *interconnect = &clock->machine->memory.interconnect;
    uint64_t sm_hz = clock->machine->device.clock_hz;
    uint32_t latency =
        wm_coherent_cycles_of(&clock->coherent->tree, interconnect->latency,
                              interconnect->clock_hz != 0 ? interconnect->clock_hz : sm_hz);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        clock->sms[i].output.latency = clock->sms[i].input.latency = latency;
    for (uint32_t i = 0; i < clock->topology.receivers; i++) {
        struct wm_partition_slice *slice = clock->receivers[i].slice;
        slice->output.latency = slice->input.latency = latency;
    }
}

enum wm_status wm_clock_packets_init(struct wm_clock *clock, struct wm_error *error)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    const struct wm_memory_spec *memory = &clock->machine->memory;
    if (!sends_packets(memory))
        return WM_OK;
    coherent->port_level = first_coherent(memory);
    coherent->has_levels = coherent->port_level != wm_level_below(memory, WM_LEVEL_L1);
    coherent->port_count = wm_timed_slices(memory, coherent->port_level);
    WM_TRY(WM_ARRAY_NEW(coherent->ports, coherent->port_count, error, "coherent caches in time"));
    for (uint32_t i = 0; i < clock->partition_count; i++)
        WM_TRY(init_ports(clock, i, error));
    set_latencies(clock);
    return WM_OK;
}

void wm_clock_packets_release(struct wm_clock_coherent *coherent)
{
    for (uint32_t i = 0; coherent->ports != NULL && i < coherent->port_count; i++)
        wm_coherent_packet_port_release(&coherent->ports[i].port);
    free(coherent->ports);
}

bool wm_clock_coherent_has_packets(const struct wm_clock *clock)
{
    return clock->coherent != NULL && clock->coherent->ports != NULL;
}

// --- What the tree does ---

bool wm_clock_packets_have(uint64_t token)
{
    return (token & OF_PORT) != 0;
}

void wm_clock_packet_done(struct wm_clock *clock, uint64_t token, uint64_t cycle, uint32_t level)
{
    struct wm_clock_port *port = &clock->coherent->ports[(uint32_t)((token & ~OF_PORT) >> 32)];
    wm_coherent_packet_port_done(&port->port, token, cycle,
                                 (uint8_t)(level == WM_MOST_LEVELS ? WM_TO_MEMORY : level));
    wm_clock_partition_expect(clock, port->partition, cycle);
}

void wm_clock_packets_changed(struct wm_clock *clock, uint32_t node, uint32_t slice)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    if (coherent->ports == NULL ||
        wm_coherent_level_of(&coherent->tree, node) != coherent->port_level)
        return;
    struct wm_clock_port *port = &coherent->ports[slice];
    if (!port->port.is_blocked)
        return;
    wm_coherent_packet_port_may_retry(&port->port);
    wm_clock_partition_expect(clock, port->partition, clock->now);
}

void wm_clock_packets_describe(const struct wm_clock *clock, struct wm_text *text)
{
    const struct wm_clock_coherent *coherent = clock->coherent;
    for (uint32_t i = 0; coherent->ports != NULL && i < coherent->port_count; i++)
        wm_coherent_packet_port_describe(
            &coherent->ports[i].port, wm_level_name(&clock->machine->memory, coherent->port_level),
            i, text);
}

// --- A window, which is a cycle ---

static void take_in(struct wm_coherent_packet_port *port, struct wm_partition_slice *slice,
                    uint64_t now)
{
    struct wm_packet packet;
    while (!wm_coherent_packet_port_is_full(port) &&
           wm_crossbar_input_ready(&slice->input, now) <= now) {
        port->failed |= !wm_crossbar_take(&slice->input, now, now, &packet);
        wm_coherent_packet_port_put(port, &packet);
    }
}

static void look_up(struct wm_coherent_packet_port *port, const struct wm_partition *partition,
                    uint64_t now)
{
    const struct wm_packet *first = wm_coherent_packet_port_first(port, now);
    if (first == NULL)
        return;
    if (partition->on_lookup != NULL)
        partition->on_lookup(partition->listener, partition->index, first->pc);
    wm_coherent_packet_port_look_up(port, now);
}

static uint64_t ready_to_leave(const struct wm_partition_slice *slice,
                               const struct wm_packet *reply)
{
    uint32_t way = wm_crossbar_way(&slice->output, reply->sm);
    uint64_t ready = wm_crossbar_output_ready(&slice->output, way, 0);
    return reply->when > ready ? reply->when : ready;
}

static void send_out(struct wm_coherent_packet_port *port, const struct wm_partition *partition,
                     struct wm_partition_slice *slice, uint64_t now)
{
    const struct wm_packet *reply;
    while ((reply = wm_packet_queue_head(&port->replies)) != NULL &&
           !wm_partition_goes_up(partition, reply) && ready_to_leave(slice, reply) <= now) {
        uint32_t way = wm_crossbar_way(&slice->output, reply->sm);
        wm_crossbar_count_stall(&slice->output, way, reply->when);
        port->failed |= !wm_crossbar_send(&slice->output, reply, way, now);
        wm_packet_queue_pop(&port->replies);
    }
}

// Does what it can in cycle `now`, before levels above it in the partition.
static void run_port(struct wm_partition *partition, struct wm_partition_slice *slice, uint64_t now)
{
    struct wm_coherent_packet_port *port = slice->port;
    if (slice->has_ends)
        take_in(port, slice, now);
    bool was_full = wm_coherent_packet_port_is_full(port);
    look_up(port, partition, now);
    if (was_full && !wm_coherent_packet_port_is_full(port))
        wm_partition_may_send(partition, now);
    send_out(port, partition, slice, now);
}

// Behind them: replies for these go up. The next cycle in which it can do something.
static uint64_t reply_above(struct wm_partition *partition, struct wm_partition_slice *slice,
                            uint64_t now)
{
    struct wm_coherent_packet_port *port = slice->port;
    const struct wm_packet *reply;
    while ((reply = wm_packet_queue_head(&port->replies)) != NULL &&
           wm_partition_goes_up(partition, reply) && reply->when <= now) {
        wm_partition_reply(partition, reply, now);
        wm_packet_queue_pop(&port->replies);
    }
    uint64_t next = wm_coherent_packet_port_next(port);
    next = next > now ? next : now + 1; // of what has come since
    if (slice->has_ends && !wm_coherent_packet_port_is_full(port))
        next = wm_earlier(next, wm_crossbar_input_ready(&slice->input, now + 1));
    if (reply == NULL)
        return next;
    return wm_earlier(next, wm_partition_goes_up(partition, reply) ? reply->when
                                                                   : ready_to_leave(slice, reply));
}

bool wm_clock_coherent_run_packets(struct wm_clock *clock, uint32_t index, uint64_t now,
                                   uint64_t *next)
{
    struct wm_partition *partition = clock->partitions[index];
    struct wm_clock_coherent *coherent = clock->coherent;
    bool failed = false;
    *next = WM_NEVER;
    if (coherent->ports == NULL)
        return true;
    coherent->acted = wm_clock_convert(&clock->from_network, now + 1);
    for (uint32_t n = 0; n < partition->slice_count; n++)
        if (partition->slices[n].port != NULL)
            run_port(partition, &partition->slices[n], now);
    if (coherent->has_levels)
        failed = !wm_partition_run(partition, now + 1);
    for (uint32_t n = 0; n < partition->slice_count; n++) {
        struct wm_partition_slice *slice = &partition->slices[n];
        if (slice->port == NULL)
            continue;
        *next = wm_earlier(*next, reply_above(partition, slice, now));
        slice->input.added = slice->output.credited = false;
        failed |= slice->port->failed;
    }
    if (coherent->has_levels)
        *next = wm_earlier(*next, wm_partition_next(partition));
    return !failed;
}
