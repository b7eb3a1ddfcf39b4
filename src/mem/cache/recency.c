#include "mem/cache/recency.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

bool wm_recency_init(struct wm_recency *recency, uint32_t sets, uint32_t ways)
{
    *recency = (struct wm_recency){.sets = sets, .ways = ways};
    if (ways <= WM_RECENCY_PACKED_WAYS) {
        recency->packed_mask = ways == 16 ? ~UINT64_C(0) : (UINT64_C(1) << (4 * ways)) - 1;
        recency->packed = calloc(sets, sizeof *recency->packed);
    } else {
        recency->nodes = calloc((size_t)sets * (ways + 1), sizeof *recency->nodes);
    }
    if (recency->packed == NULL && recency->nodes == NULL)
        return false;
    wm_recency_reset(recency);
    return true;
}

void wm_recency_release(struct wm_recency *recency)
{
    free(recency->packed);
    free(recency->nodes);
    *recency = (struct wm_recency){0};
}

static void reset_nodes(struct wm_recency_node *nodes, uint32_t ways)
{
    for (uint32_t way = 0; way < ways; way++)
        nodes[way] =
            (struct wm_recency_node){.next = (uint16_t)(way - 1), .previous = (uint16_t)(way + 1)};
    nodes[0].next = (uint16_t)(ways - 1);
    nodes[ways - 1].previous = 0;
    nodes[ways].next = (uint16_t)(ways - 1);
}

void wm_recency_reset(struct wm_recency *recency)
{
    uint64_t fresh = 0;
    if (recency->packed != NULL)
        for (uint64_t way = 0; way < recency->ways; way++)
            fresh = (fresh << 4) | way;
    for (uint32_t set = 0; set < recency->sets; set++) {
        if (recency->packed != NULL)
            recency->packed[set] = fresh;
        else
            reset_nodes(wm_recency_nodes(recency, set), recency->ways);
    }
}

static uint32_t packed_position(uint64_t chain, uint32_t way)
{
    return (63 - (uint32_t)__builtin_clzll(wm_recency_packed_through(chain, way))) / 4;
}

uint32_t wm_recency_position(const struct wm_recency *recency, uint32_t set, uint32_t way)
{
    assert(way < recency->ways);
    if (recency->packed != NULL)
        return packed_position(recency->packed[set], way);
    const struct wm_recency_node *nodes = wm_recency_nodes(recency, set);
    uint32_t position = 0;
    for (uint32_t at = nodes[recency->ways].next; at != way; at = nodes[at].next)
        position++;
    return position;
}

// The way at `position` of a ring of `length` ways, walking from its first the shorter way round.
static uint32_t node_at(const struct wm_recency_node *nodes, uint32_t first, uint32_t length,
                        uint32_t position)
{
    uint32_t at = first;
    if (position < length / 2) {
        for (uint32_t step = 0; step < position; step++)
            at = nodes[at].next;
    } else {
        for (uint32_t step = position; step < length; step++)
            at = nodes[at].previous;
    }
    return at;
}

uint32_t wm_recency_way_at(const struct wm_recency *recency, uint32_t set, uint32_t position)
{
    assert(position < recency->ways);
    if (recency->packed != NULL)
        return (uint32_t)(recency->packed[set] >> (4 * position)) & 15;
    const struct wm_recency_node *nodes = wm_recency_nodes(recency, set);
    return node_at(nodes, nodes[recency->ways].next, recency->ways, position);
}

static uint64_t packed_move(uint64_t chain, uint32_t way, uint32_t position)
{
    uint64_t from = ~UINT64_C(0) << (4 * packed_position(chain, way));
    uint64_t without = (chain & ~from) | ((chain >> 4) & from);
    uint64_t to = ~UINT64_C(0) << (4 * position);
    return (without & ~to) | ((without & to) << 4) | ((uint64_t)way << (4 * position));
}

void wm_recency_move(struct wm_recency *recency, uint32_t set, uint32_t way, uint32_t position)
{
    assert(way < recency->ways && position < recency->ways);
    if (recency->packed != NULL) {
        recency->packed[set] = packed_move(recency->packed[set], way, position);
        return;
    }
    struct wm_recency_node *nodes = wm_recency_nodes(recency, set);
    uint32_t first = nodes[recency->ways].next;
    if (way == first)
        first = nodes[way].next;
    wm_recency_unlink(nodes, way);
    // Behind the last is before the first.
    wm_recency_link(nodes, way, node_at(nodes, first, recency->ways - 1, position));
    nodes[recency->ways].next = (uint16_t)(position == 0 ? way : first);
}

void wm_recency_promote(struct wm_recency *recency, uint32_t set, uint32_t way, uint32_t by)
{
    assert(way < recency->ways);
    if (recency->packed != NULL) {
        uint64_t chain = recency->packed[set];
        uint32_t position = packed_position(chain, way), to = position > by ? position - by : 0;
        // The nibbles from `to` up to before `position` move back by one.
        uint64_t moving = (UINT64_C(1) << (4 * position)) - (UINT64_C(1) << (4 * to));
        uint64_t hole = UINT64_C(15) << (4 * position) | moving;
        recency->packed[set] = (chain & ~hole) | (chain & moving) << 4 | (uint64_t)way << (4 * to);
        return;
    }
    struct wm_recency_node *nodes = wm_recency_nodes(recency, set);
    uint32_t first = nodes[recency->ways].next, before = way;
    for (uint32_t step = 0; step < by && before != first; step++)
        before = nodes[before].previous;
    if (before == way)
        return;
    wm_recency_unlink(nodes, way);
    wm_recency_link(nodes, way, before);
    if (before == first)
        nodes[recency->ways].next = (uint16_t)way;
}

static bool is_allowed(const uint64_t *allowed, uint32_t way)
{
    return allowed == NULL || (allowed[way / 64] >> (way % 64) & 1) != 0;
}

int32_t wm_recency_last_allowed(const struct wm_recency *recency, uint32_t set, uint32_t first,
                                const uint64_t *allowed)
{
    const struct wm_recency_node *nodes =
        recency->nodes != NULL ? wm_recency_nodes(recency, set) : NULL;
    uint32_t node = nodes != NULL ? nodes[recency->ways].next : 0;
    for (uint32_t position = recency->ways; position-- > first;) {
        uint32_t way;
        if (nodes != NULL)
            way = node = nodes[node].previous;
        else
            way = (uint32_t)(recency->packed[set] >> (4 * position)) & 15;
        if (is_allowed(allowed, way))
            return (int32_t)way;
    }
    return -1;
}
