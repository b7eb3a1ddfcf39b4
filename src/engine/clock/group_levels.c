// Levels between those where SMs' accesses begin and the network: an L2 of a cluster, as a private
// one of each SM. Their caches are of the island of the SMs whose accesses they serve, to which,
// and to each other, they have wires; what they send beyond leaves by the port of the SM on whose
// behalf it is, and comes back there. Those of CPU cores likewise: all are of the cores' island.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_components.h"

#include <stdlib.h>

struct wm_clock_group_node {
    struct wm_timed_node node;
    uint64_t due; // the SMs' cycle in which it acts next
};

struct wm_clock_group_levels {
    struct wm_clock_group_node *nodes[WM_MOST_LEVELS]; // owned; NULL: no such level
    uint32_t levels[WM_MOST_LEVELS], level_count;      // from the units down
    bool is_of_cores[WM_MOST_LEVELS];                  // of CPU cores; else of SMs
    struct wm_node_island *islands;                    // owned, by group
    bool are_coherent; // all of them are the tree's (coherent_levels.c), and none acts here
};

// --- Which is which ---

// One of SM `sm`, for a line.
static struct wm_clock_group_node *node_of(const struct wm_clock *clock, uint32_t level,
                                           uint32_t sm, uint64_t address)
{
    return &clock->group_levels
                ->nodes[level][wm_memory_cache_of(clock->memory, level, sm, address)];
}

// The first of a level that are a group's, and how many: all of cores are one group's.
static struct wm_clock_group_node *nodes_of(const struct wm_clock *clock, uint32_t level,
                                            uint32_t group, uint32_t *count)
{
    struct wm_clock_group_levels *levels = clock->group_levels;
    bool of_cores = levels->is_of_cores[level];
    if (of_cores != (group == wm_clock_core_group(clock))) {
        *count = 0;
        return levels->nodes[level];
    }
    if (of_cores) {
        *count = wm_memory_caches(clock->memory, level);
        return levels->nodes[level];
    }
    uint32_t first = group * clock->group_sms, end = first + clock->group_sms;
    end = end < clock->sm_count ? end : clock->sm_count;
    struct wm_clock_group_node *nodes = node_of(clock, level, first, 0);
    *count = (uint32_t)(node_of(clock, level, end - 1, 0) - nodes) +
             wm_timed_slices(&clock->machine->memory, level);
    return nodes;
}

// --- Building ---

static enum wm_status build_level(struct wm_clock *clock, uint32_t level, struct wm_error *error)
{
    struct wm_clock_group_levels *levels = clock->group_levels;
    uint32_t count = wm_memory_caches(clock->memory, level);
    WM_TRY(WM_ARRAY_NEW(levels->nodes[level], count, error, "the clock engine"));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = wm_clock_group_of(clock, wm_memory_first_unit(clock->memory, level, i));
        levels->nodes[level][i].due = WM_NEVER;
        WM_TRY(wm_timed_node_init(&levels->nodes[level][i].node, &levels->islands[group], level, i,
                                  error));
    }
    return WM_OK;
}

enum wm_status wm_clock_group_levels_init(struct wm_clock *clock, struct wm_error *error)
{
    uint8_t ranks[WM_MOST_LEVELS] = {0};
    WM_TRY(WM_ARRAY_NEW(clock->group_levels, 1, error, "the clock engine"));
    struct wm_clock_group_levels *levels = clock->group_levels;
    WM_TRY(WM_ARRAY_NEW(levels->islands, clock->group_count + 1, error, "the clock engine"));
    for (uint32_t i = 0; i < clock->group_count; i++)
        levels->islands[i] =
            (struct wm_node_island){.memory = clock->memory,
                                    .topology = &clock->topology,
                                    .gpu = i * clock->group_sms / clock->machine->sm.count};
    levels->islands[wm_clock_core_group(clock)] =
        (struct wm_node_island){.memory = clock->memory, .topology = &clock->topology};
    levels->are_coherent = true;
    wm_memory_level_ranks(clock->memory, ranks);
    for (uint32_t rank = 1; rank <= WM_MOST_LEVELS; rank++)
        for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
            if (ranks[level] != rank || !clock->is_between[level])
                continue;
            levels->levels[levels->level_count++] = level;
            levels->are_coherent &= wm_level_is_coherent(&clock->machine->memory, level);
            levels->is_of_cores[level] = wm_timed_is_of_cores(&clock->machine->memory, level);
            WM_TRY(build_level(clock, level, error));
        }
    return WM_OK;
}

void wm_clock_group_levels_release(struct wm_clock *clock)
{
    struct wm_clock_group_levels *levels = clock->group_levels;
    for (uint32_t i = 0; levels != NULL && i < levels->level_count; i++) {
        uint32_t level = levels->levels[i];
        for (uint32_t n = 0;
             levels->nodes[level] != NULL && n < wm_memory_caches(clock->memory, level); n++)
            wm_timed_node_release(&levels->nodes[level][n].node);
        free(levels->nodes[level]);
    }
    if (levels != NULL)
        free(levels->islands);
    free(levels);
}

struct wm_node_island *wm_clock_group_island(const struct wm_clock *clock, uint32_t group)
{
    return &clock->group_levels->islands[group];
}

const struct wm_timed_level *wm_clock_group_cache(const struct wm_clock *clock, uint32_t level,
                                                  uint32_t cache)
{
    return &clock->group_levels->nodes[level][cache].node.level;
}

// --- Wires ---

uint64_t wm_clock_group_node_ready(const struct wm_clock *clock, const struct wm_packet *packet,
                                   uint64_t cycle)
{
    const struct wm_clock_group_node *to = node_of(clock, packet->to, packet->sm, packet->address);
    return wm_timed_node_is_full(&to->node) ? cycle + 1 : cycle;
}

void wm_clock_send_to_group_node(struct wm_clock *clock, const struct wm_packet *packet,
                                 uint64_t cycle)
{
    struct wm_clock_group_node *to = node_of(clock, packet->to, packet->sm, packet->address);
    struct wm_packet *place = wm_packet_queue_place(&to->node.input.packets);
    to->node.island->failed |= place == NULL;
    if (place == NULL)
        return;
    *place = *packet;
    place->when = cycle + (to->node.latency > 1 ? to->node.latency : 1);
    to->due = wm_earlier(to->due, place->when);
}

void wm_clock_group_node_reply(struct wm_clock *clock, const struct wm_packet *packet,
                               uint64_t cycle)
{
    struct wm_clock_group_node *to = node_of(clock, packet->from, packet->sm, packet->address);
    wm_timed_node_reply(&to->node, cycle, packet);
    to->due = wm_earlier(to->due, cycle);
}

static void pass_up(struct wm_clock *clock, const struct wm_packet *reply, uint64_t cycle)
{
    if (wm_clock_is_between(clock, reply->from))
        wm_clock_group_node_reply(clock, reply, cycle + 1);
    else if (!wm_clock_send_up(&clock->sms[reply->sm], reply, cycle + 1))
        clock->sms[reply->sm].failed = true;
}

// False when it has to wait.
static bool pass_down(struct wm_clock *clock, const struct wm_packet *packet, uint64_t cycle)
{
    if (!wm_clock_is_between(clock, packet->to))
        return wm_clock_sm_send(&clock->sms[packet->sm], packet, cycle);
    if (wm_clock_group_node_ready(clock, packet, cycle) > cycle)
        return false;
    wm_clock_send_to_group_node(clock, packet, cycle);
    return true;
}

bool wm_clock_send_response(struct wm_clock *clock, const struct wm_packet *packet, uint64_t cycle)
{
    if (!wm_clock_is_between(clock, packet->to))
        return wm_clock_sm_respond(&clock->sms[packet->sm], packet, cycle);
    struct wm_clock_group_node *to = node_of(clock, packet->to, packet->sm, packet->address);
    wm_timed_node_acknowledge(&to->node, cycle, packet);
    to->due = wm_earlier(to->due, cycle + 1);
    return true;
}

// --- Time ---

// What waits for room is looked at in each cycle.
static uint64_t due_of(const struct wm_timed_node *node, uint64_t cycle)
{
    uint64_t due = wm_timed_node_next(node);
    const struct wm_packet *packet = wm_packet_queue_head(&node->out.packets);
    due = packet != NULL ? wm_earlier(due, packet->when) : due;
    packet = wm_packet_queue_head(&node->replies);
    due = packet != NULL ? wm_earlier(due, packet->when) : due;
    packet = wm_packet_queue_head(&node->out.responses);
    due = packet != NULL ? wm_earlier(due, packet->when) : due;
    return due > cycle ? due : cycle;
}

static void run_node(struct wm_clock *clock, struct wm_clock_group_node *of, uint64_t cycle)
{
    struct wm_timed_node *node = &of->node;
    const struct wm_packet *packet;
    wm_timed_node_end_operations(node, cycle);
    if (wm_timed_node_first(node, cycle) != NULL)
        wm_timed_node_look_up(node, cycle);
    while ((packet = wm_packet_queue_head(&node->replies)) != NULL && packet->when <= cycle) {
        pass_up(clock, packet, cycle);
        wm_packet_queue_pop(&node->replies);
        node->input.retries = true;
    }
    while ((packet = wm_packet_queue_head(&node->out.packets)) != NULL && packet->when <= cycle &&
           pass_down(clock, packet, cycle)) {
        wm_outbox_pop(&node->out);
        node->input.retries = true;
    }
    while ((packet = wm_packet_queue_head(&node->out.responses)) != NULL && packet->when <= cycle &&
           wm_clock_send_response(clock, packet, cycle))
        wm_packet_queue_pop(&node->out.responses);
    of->due = due_of(node, cycle + 1);
}

uint64_t wm_clock_group_nodes_due(const struct wm_clock *clock, uint32_t group)
{
    const struct wm_clock_group_levels *levels = clock->group_levels;
    uint64_t due = WM_NEVER;
    if (levels == NULL || levels->are_coherent)
        return WM_NEVER;
    for (uint32_t i = 0; i < levels->level_count; i++) {
        uint32_t count;
        const struct wm_clock_group_node *nodes = nodes_of(clock, levels->levels[i], group, &count);
        for (uint32_t n = 0; n < count; n++)
            due = wm_earlier(due, nodes[n].due);
    }
    return due;
}

void wm_clock_run_group_nodes(struct wm_clock *clock, uint32_t group, uint64_t cycle)
{
    struct wm_clock_group_levels *levels = clock->group_levels;
    uint32_t sms;
    struct wm_clock_sm *first = wm_sm_group_sms(clock, group, &sms);
    if (levels == NULL)
        return;
    levels->islands[group].counters_by_pc = first->tally->counters_by_pc;
    for (uint32_t i = 0; i < levels->level_count; i++) {
        uint32_t count;
        struct wm_clock_group_node *nodes = nodes_of(clock, levels->levels[i], group, &count);
        for (uint32_t n = 0; n < count; n++)
            if (nodes[n].due <= cycle)
                run_node(clock, &nodes[n], cycle);
    }
    first->acted = first->acted > cycle ? first->acted : cycle + 1;
}

void wm_clock_group_nodes_end_window(struct wm_clock *clock, uint32_t group)
{
    const struct wm_clock_group_levels *levels = clock->group_levels;
    uint32_t sms;
    const struct wm_clock_sm *first = wm_sm_group_sms(clock, group, &sms);
    struct wm_island_status *status = &clock->islands[first->index];
    if (levels == NULL)
        return;
    uint64_t due = wm_clock_group_nodes_due(clock, group);
    if (due != WM_NEVER)
        status->next = wm_earlier(status->next, wm_clock_floor(&first->to_network, due));
    status->failed |= levels->islands[group].failed;
    for (uint32_t i = 0; i < levels->level_count; i++) {
        uint32_t count;
        const struct wm_clock_group_node *nodes = nodes_of(clock, levels->levels[i], group, &count);
        for (uint32_t n = 0; n < count; n++)
            status->failed |= nodes[n].node.out.failed || nodes[n].node.level.timed.mshr.failed;
    }
}

void wm_clock_describe_group_nodes(const struct wm_clock *clock, struct wm_text *text)
{
    const struct wm_clock_group_levels *levels = clock->group_levels;
    for (uint32_t i = 0; levels != NULL && i < levels->level_count; i++)
        for (uint32_t n = 0; n < wm_memory_caches(clock->memory, levels->levels[i]); n++)
            wm_timed_node_describe(&levels->nodes[levels->levels[i]][n].node, text);
}
