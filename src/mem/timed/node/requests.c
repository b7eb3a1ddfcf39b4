// What a packet is to the level that looks it up: whose it is, what it may take, what it charges.
#include "mem/timed/node/node_parts.h"

struct wm_instruction_counters *wm_node_charged_for(struct wm_timed_node *node,
                                                    const struct wm_packet *packet)
{
    return packet->uncharged ? &node->island->unattributed
                             : &node->island->counters_by_pc[packet->pc];
}

// The kind of access that the replacement entry sees.
static enum wm_access_kind kind_of(const struct wm_packet *packet)
{
    if (packet->client == WM_CACHE_ATOMIC)
        return packet->reduces ? WM_ACCESS_REDUCTION : WM_ACCESS_ATOMIC;
    bool stores = packet->client == WM_CACHE_STORE || packet->client == WM_CACHE_WRITEBACK;
    return stores ? WM_ACCESS_STORE : (enum wm_access_kind)packet->cause;
}

const struct wm_request *wm_node_cause_of(struct wm_timed_node *node,
                                          const struct wm_packet *packet)
{
    struct wm_node_island *island = node->island;
    if (__builtin_expect(island->explained == NULL, true))
        return NULL;
    node->out.block = packet->block;
    island->cause =
        (struct wm_request){.sm = packet->sm, .warp = packet->warp, .block = packet->block};
    for (uint32_t i = 0; !packet->uncharged && i < island->segments; i++) {
        const struct wm_explained_segment *segment = &island->explained[i];
        if (packet->pc - segment->base < segment->count)
            island->cause.explained = segment->counters + (size_t)island->copy * segment->count +
                                      (packet->pc - segment->base);
    }
    return &island->cause;
}

struct wm_level_request wm_node_request_for(struct wm_timed_node *node,
                                            const struct wm_packet *packet, uint64_t address,
                                            uint32_t sectors)
{
    const struct wm_cache *cache = node->level.timed.cache;
    uint64_t within = address & (cache->line_bytes - 1), index_line;
    uint64_t line = address >> cache->line_shift;
    uint32_t shift = (uint32_t)(within / WM_SECTOR_BYTES);
    wm_level_slice(node->level.described, line, &index_line);
    bool load = packet->client == WM_CACHE_LOAD;
    return (struct wm_level_request){
        .access =
            {
                .line = line,
                .index_line = index_line,
                .token = node->free_count != 0 ? node->free_waiting[node->free_count - 1] : 0,
                .sectors = sectors << shift,
                .full_sectors = packet->full_sectors << shift,
                .client = (enum wm_cache_client)packet->client,
                .allocate = (load || cache->write_allocate) && !packet->no_allocate,
                .requester = {.sm = packet->sm,
                              .warp = packet->warp,
                              .pc = packet->pc,
                              .kind = kind_of(packet),
                              .hint = (enum wm_cache_hint)packet->hint},
            },
        .charged = wm_node_charged_for(node, packet),
        .out = &node->out,
        .uncharged = packet->uncharged,
        .takes_over = packet->takes_over,
        .explained = wm_node_cause_of(node, packet),
    };
}
