// SMs whose L1s are not coherent, above a coherent level of all SMs: their packets cross the
// interconnect as to any level, and come to ports of that level's slices
// (mem/timed/coherent/packet_port.h). The ends of the interconnect are those that partitions of
// memory have; their caches and channels are the tree's, and do nothing.
#include "engine/clock/coherent_parts.h"

#include "base/containers/array.h"

#include <stdlib.h>

// A port's token: its receiver's number, and the port's own.
#define OF_PORT (UINT64_C(1) << 62)

// --- Building ---

static bool sends_packets(const struct wm_memory_spec *memory)
{
    return memory->sm_count != 0 && !wm_level_is_coherent(memory, WM_LEVEL_L1);
}

const char *wm_clock_packets_lack(const struct wm_memory_spec *memory, const char **hint)
{
    *hint = "set the coherence of all levels below L1 to mesi";
    const struct wm_level_spec *l1 = &memory->levels[WM_LEVEL_L1];
    uint32_t below = wm_level_below(memory, WM_LEVEL_L1);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (i != WM_LEVEL_L1 && memory->levels[i].cache.present && !wm_level_is_coherent(memory, i))
            return "levels without coherence, but L1s of SMs,";
    if (!sends_packets(memory))
        return NULL;
    *hint = "give SMs a coherent level of their own";
    if (below != WM_BELOW_MEMORY && wm_level_is_coherent(memory, below) &&
        !wm_level_is_coherent_leaf(memory, below))
        return "SMs' accesses at a level with coherent levels above it,";
    *hint = "have all SMs share the level below their L1s, or set gpu.l1.coherence to mesi";
    if (below == WM_BELOW_MEMORY || !wm_timed_is_below(memory, below))
        return "L1s of SMs without coherence above a level that some of the SMs alone have,";
    if (!l1->cache.present)
        return NULL;
    *hint = "set gpu.tracker.present to false";
    if (l1->tracker.present)
        return "sharing trackers";
    *hint = "set gpu.l1.write_fetch to partial or always";
    return l1->cache.write_fetch == WM_FETCH_NEVER ? "L1s of SMs with write_fetch never" : NULL;
}

static enum wm_status init_port(struct wm_clock *clock, const struct wm_partition_slice *slice,
                                struct wm_error *error)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    const struct wm_memory_spec *memory = &clock->machine->memory;
    const struct wm_level_spec *level = &memory->levels[coherent->port_level];
    const struct wm_coherent_packet_port_spec spec = {
        .caches = coherent->tree.caches,
        .token = OF_PORT | (uint64_t)slice->receiver << 32,
        .node = coherent->tree.levels->first_node[coherent->port_level],
        .line_shift = coherent->line_shift,
        .room = level->timing.queue,
        .atomic_interval = level->atomic_interval,
        .flit_bytes = memory->interconnect.flit_bytes,
        .level = (uint8_t)coherent->port_level};
    return wm_coherent_packet_port_init(&coherent->ports[slice->receiver], &spec, error);
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
    for (uint32_t i = 0; i < clock->coherent->port_count; i++) {
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
    coherent->port_level = wm_level_below(memory, WM_LEVEL_L1);
    coherent->port_count = clock->topology.receivers;
    WM_TRY(WM_ARRAY_NEW(coherent->ports, coherent->port_count, error, "coherent caches in time"));
    for (uint32_t i = 0; i < coherent->port_count; i++) {
        const struct wm_partition_slice *slice = clock->receivers[i].slice;
        if (slice->node.level.number == coherent->port_level)
            WM_TRY(init_port(clock, slice, error));
    }
    set_latencies(clock);
    return WM_OK;
}

void wm_clock_packets_release(struct wm_clock_coherent *coherent)
{
    for (uint32_t i = 0; coherent->ports != NULL && i < coherent->port_count; i++)
        wm_coherent_packet_port_release(&coherent->ports[i]);
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

static void expect(struct wm_clock *clock, uint32_t receiver, uint64_t cycle)
{
    wm_clock_partition_expect(clock, clock->receivers[receiver].partition, cycle);
}

void wm_clock_packet_done(struct wm_clock *clock, uint64_t token, uint64_t cycle, uint32_t level)
{
    uint32_t receiver = (uint32_t)((token & ~OF_PORT) >> 32);
    wm_coherent_packet_port_done(&clock->coherent->ports[receiver], token, cycle,
                                 (uint8_t)(level == WM_MOST_LEVELS ? WM_TO_MEMORY : level));
    expect(clock, receiver, cycle);
}

void wm_clock_packets_changed(struct wm_clock *clock, uint32_t node, uint32_t slice)
{
    struct wm_clock_coherent *coherent = clock->coherent;
    if (coherent->ports == NULL ||
        wm_coherent_level_of(&coherent->tree, node) != coherent->port_level)
        return;
    uint32_t receiver = clock->topology.receiver[coherent->port_level] + slice;
    if (!coherent->ports[receiver].is_blocked)
        return;
    wm_coherent_packet_port_may_retry(&coherent->ports[receiver]);
    expect(clock, receiver, clock->now);
}

void wm_clock_packets_describe(const struct wm_clock *clock, struct wm_text *text)
{
    const struct wm_clock_coherent *coherent = clock->coherent;
    for (uint32_t i = 0; coherent->ports != NULL && i < coherent->port_count; i++)
        if (coherent->ports[i].spec.caches != NULL)
            wm_coherent_packet_port_describe(
                &coherent->ports[i], wm_level_name(&clock->machine->memory, coherent->port_level),
                clock->receivers[i].slice->node.index, text);
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

static void send_out(struct wm_coherent_packet_port *port, struct wm_partition_slice *slice,
                     uint64_t now)
{
    const struct wm_packet *reply;
    while ((reply = wm_packet_queue_head(&port->replies)) != NULL &&
           ready_to_leave(slice, reply) <= now) {
        uint32_t way = wm_crossbar_way(&slice->output, reply->sm);
        wm_crossbar_count_stall(&slice->output, way, reply->when);
        port->failed |= !wm_crossbar_send(&slice->output, reply, way, now);
        wm_packet_queue_pop(&port->replies);
    }
}

// Does what it can in cycle `now`. The next in which it can do something.
static uint64_t run_port(struct wm_clock *clock, const struct wm_partition *partition,
                         struct wm_partition_slice *slice, uint64_t now)
{
    struct wm_coherent_packet_port *port = &clock->coherent->ports[slice->receiver];
    take_in(port, slice, now);
    look_up(port, partition, now);
    send_out(port, slice, now);
    uint64_t next = wm_coherent_packet_port_next(port);
    const struct wm_packet *reply = wm_packet_queue_head(&port->replies);
    if (!wm_coherent_packet_port_is_full(port))
        next = wm_earlier(next, wm_crossbar_input_ready(&slice->input, now + 1));
    if (reply != NULL)
        next = wm_earlier(next, ready_to_leave(slice, reply));
    return next;
}

bool wm_clock_coherent_run_packets(struct wm_clock *clock, uint32_t index, uint64_t now,
                                   uint64_t *next)
{
    struct wm_partition *partition = clock->partitions[index];
    struct wm_clock_coherent *coherent = clock->coherent;
    bool failed = false;
    *next = WM_NEVER;
    coherent->acted = wm_clock_convert(&clock->from_network, now + 1);
    for (uint32_t n = 0; n < partition->slice_count; n++) {
        struct wm_partition_slice *slice = &partition->slices[n];
        if (!slice->has_ends || coherent->ports[slice->receiver].spec.caches == NULL)
            continue;
        *next = wm_earlier(*next, run_port(clock, partition, slice, now));
        slice->input.added = slice->output.credited = false;
        failed |= coherent->ports[slice->receiver].failed;
    }
    return !failed;
}
