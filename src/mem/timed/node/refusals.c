// Caches that refuse requests for what a miss has locked, as Multi2Sim 4.2's do: a request from
// above does not wait at a locked entry of the directory, it is sent back, and its sender tries
// again. The study of GCN's caches calls this contention (docs/studies/choo.md).
#include "mem/timed/node/node_parts.h"

static const struct wm_counter_declaration declarations[] = {
    WM_REFUSAL_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_refusal_counter_set = {
    .kind = "locked_lines",
    .title = "requests for lines that misses have locked",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

// A header goes back, before replies whose data is still being read.
static void refuse(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    struct wm_packet refusal = *packet;
    refusal.client = (uint8_t)(WM_PACKET_REFUSAL + packet->client);
    refusal.when = cycle + 1;
    refusal.flits = wm_packet_flits(node->out.flit_bytes, 0);
    node->island->failed |= !wm_packet_queue_insert(&node->replies, &refusal);
}

bool wm_node_refuses_line(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t line,
                          uint64_t cycle)
{
    if (wm_mshr_find(&node->level.timed.mshr, line) == NULL)
        return false;
    node->refusals->attempts++;
    node->refusals->refused_line++;
    refuse(node, packet, cycle);
    return true;
}

void wm_node_refuse_set(struct wm_timed_node *node, const struct wm_packet *packet, uint64_t cycle)
{
    node->refusals->attempts++;
    node->refusals->refused_set++;
    refuse(node, packet, cycle);
}
