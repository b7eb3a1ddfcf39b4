// What a node holds: whether that is anything, and for people.
#include "mem/timed/level/prefetch.h"
#include "mem/timed/level/relations.h"
#include "mem/timed/node/copies.h"
#include "mem/timed/node/node_parts.h"

#include <inttypes.h>

// Lines that bytes are on their way to.
static uint32_t lines_on_way(const struct wm_timed_node *node)
{
    const struct wm_timed_prefetcher *prefetcher = node->level.prefetcher;
    return node->level.timed.mshr.used +
           (prefetcher != NULL ? (uint32_t)__builtin_popcount(prefetcher->used) : 0);
}

// Lines in its eviction buffer.
static uint32_t evicted(const struct wm_timed_node *node)
{
    return node->level.evictions != NULL ? node->level.evictions->used : 0;
}

bool wm_timed_node_is_idle(const struct wm_timed_node *node)
{
    return wm_packet_queue_count(&node->input.packets) + wm_packet_queue_count(&node->replies) +
               wm_packet_queue_count(&node->operating) + wm_packet_queue_count(&node->out.packets) +
               evicted(node) + lines_on_way(node) + wm_node_crossing_count(node) ==
           0;
}

void wm_timed_node_describe(const struct wm_timed_node *node, struct wm_text *text)
{
    const struct wm_memory_spec *spec = &node->island->memory->spec;
    const char *name =
        node->level.number == WM_TO_MEMORY ? "memory" : wm_level_name(spec, node->level.number);
    if (!wm_timed_node_is_idle(node))
        wm_text_format(text,
                       "%s[%" PRIu32 "]: %" PRIu32 " requests wait (%s), %" PRIu32
                       " lines wait for bytes, %" PRIu32 " for copies to be dropped, %" PRIu32
                       " packets to leave, %" PRIu32 " replies wait\n",
                       name, node->index, wm_packet_queue_count(&node->input.packets),
                       wm_stall_names[node->input.stall], lines_on_way(node), evicted(node),
                       wm_packet_queue_count(&node->out.packets),
                       wm_packet_queue_count(&node->replies));
    uint32_t crossing = wm_node_crossing_count(node);
    if (crossing != 0)
        wm_text_format(
            text, "%s[%" PRIu32 "]: %" PRIu32 " requests and lines of the other partition wait\n",
            name, node->index, crossing);
}
