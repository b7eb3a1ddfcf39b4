// The model: what the levels know of each other (R9).
#include "obvious_memory.h"

static bool is_inclusive(const struct obvious_level *level)
{
    return level->spec->inclusion == WM_INCLUSIVE;
}

bool obvious_excludes_below(const struct obvious_level *level)
{
    return level->below != NULL && level->below->spec->inclusion == WM_EXCLUSIVE &&
           !obvious_loads_only(level);
}

bool obvious_keeps(struct obvious_node *node, uint64_t number)
{
    return obvious_excludes_below(node->level) && obvious_find(&node->array, number) != NULL;
}

// --- Inclusive ---

// Drops what `above` holds of the line of `node` at `line_address`. Returns what was dirty of it,
// as sectors of that line.
static uint32_t back_invalidate_in(const struct obvious_node *node, struct obvious_cache *above,
                                   uint64_t line_address)
{
    uint64_t own = above->spec.line_bytes, end = line_address + node->array.spec.line_bytes;
    uint32_t left = 0;
    for (uint64_t at = line_address / own * own; at < end; at += own) {
        struct obvious_line *line = obvious_find(above, at / own);
        uint32_t part = 0, dirty = 0;
        for (uint32_t i = 0; line != NULL && i < own / OBVIOUS_SECTOR; i++) {
            uint64_t sector = at + (uint64_t)i * OBVIOUS_SECTOR;
            if (sector < line_address || sector >= end || line->held[i] == 0)
                continue;
            part |= UINT32_C(1) << i;
            if (line->dirty[i]) {
                dirty |= UINT32_C(1) << i;
                left |= UINT32_C(1) << (sector - line_address) / OBVIOUS_SECTOR;
            }
        }
        if (part == 0)
            continue;
        above->counters.inclusion_victims++;
        above->counters.bytes_to_below += obvious_bytes_of(dirty);
        obvious_count_write_back(above, line, dirty);
        obvious_drop(above, line, part);
    }
    return left;
}

// Whether misses of `above` at an address end at `node`, sooner or later.
static bool leads_to(const struct obvious_node *above, const struct obvious_node *node,
                     uint64_t address)
{
    const struct obvious_level *level = above->level->below;
    while (level != NULL && level != node->level)
        level = level->below;
    return level != NULL && obvious_node_of(level, above->first_unit, address) == node;
}

// Drops a line of an inclusive cache from all above; returns what was dirty there.
static uint32_t drop_above(struct obvious_memory *memory, struct obvious_node *node,
                           uint64_t line_address)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < memory->level_count; i++) {
        const struct obvious_level *level = memory->top_down[i];
        for (uint32_t n = 0; n < level->node_count; n++) {
            struct obvious_node *above = &level->nodes[n];
            if (!leads_to(above, node, line_address))
                continue;
            uint64_t end = line_address + node->array.spec.line_bytes,
                     own = above->array.spec.line_bytes;
            for (uint64_t at = line_address / own; above->prefetcher != NULL && at * own < end;
                 at++)
                obvious_prefetch_dropped(above->prefetcher, at);
            uint32_t dirty = back_invalidate_in(node, &above->array, line_address);
            if (above->victims != NULL)
                dirty |= back_invalidate_in(node, above->victims, line_address);
            node->array.counters.bytes_from_above += obvious_bytes_of(dirty);
            all |= dirty;
        }
    }
    return all;
}

bool obvious_leaves(struct obvious_memory *memory, struct obvious_node *node,
                    struct obvious_line *line)
{
    bool was_dirty = obvious_dirty(line) != 0;
    if (!line->present || !is_inclusive(node->level))
        return false;
    uint32_t dirty = drop_above(memory, node, line->number * node->array.spec.line_bytes);
    for (int i = 0; i < OBVIOUS_SECTORS; i++)
        if (dirty >> i & 1) {
            line->dirty[i] = true;
            line->held[i] = UINT32_MAX;
        }
    return dirty != 0 && !was_dirty;
}

uint32_t obvious_refuses(struct obvious_memory *memory, struct obvious_node *node, uint64_t address)
{
    uint32_t dirty = is_inclusive(node->level) ? drop_above(memory, node, address) : 0;
    node->array.counters.write_backs += dirty != 0;
    return dirty;
}

void obvious_lost(struct obvious_memory *memory, struct obvious_node *node, uint64_t address,
                  const struct wm_requester *who)
{
    const struct obvious_request write_back = {
        .client = WM_CACHE_WRITEBACK,
        .address = address,
        .sectors = obvious_refuses(memory, node, address),
        .who = *who,
    };
    node->array.counters.bytes_to_below += obvious_bytes_of(write_back.sectors);
    obvious_go_below(memory, node, &write_back);
}

// One level takes, with no sector, the lines of which `held` sectors from `address` on are above.
static void hold_at(struct obvious_memory *memory, const struct obvious_level *level, uint32_t unit,
                    uint64_t address, uint32_t held, const struct wm_requester *who)
{
    struct obvious_request rest = {.address = address, .sectors = held};
    struct obvious_part part;
    while (obvious_next_part(&rest, level->spec->cache.line_bytes, &part)) {
        struct obvious_node *node = obvious_node_of(level, unit, part.request.address);
        struct obvious_access access = {
            .number = part.request.address / level->spec->cache.line_bytes, .who = *who};
        struct obvious_line victim;
        if (obvious_find(&node->array, access.number) != NULL)
            continue;
        if (obvious_take(&node->array, &access, &victim) == NULL) {
            obvious_lost(memory, node, part.request.address, who);
        } else if (victim.present) {
            node->array.counters.write_backs += obvious_leaves(memory, node, &victim);
            obvious_send_down(memory, node, &node->array, &victim, who);
        }
    }
}

void obvious_hold_below(struct obvious_memory *memory, struct obvious_node *node, uint64_t address,
                        const struct wm_requester *who)
{
    for (struct obvious_level *level = node->level->below; level != NULL; level = level->below) {
        struct obvious_line *line =
            obvious_find(&node->array, address / node->array.spec.line_bytes);
        if (line != NULL && is_inclusive(level))
            hold_at(memory, level, node->first_unit, address, obvious_some(line), who);
    }
}

// --- Exclusive: both levels have lines alike ---

void obvious_take_from_below(struct obvious_memory *memory, struct obvious_node *node,
                             uint64_t address, uint32_t sectors, const struct wm_requester *who)
{
    struct obvious_node *below = obvious_node_of(node->level->below, node->first_unit, address);
    struct obvious_cache *cache = &below->array;
    struct obvious_access access = {.client = WM_CACHE_LOAD,
                                    .number = address / cache->spec.line_bytes,
                                    .sectors = sectors,
                                    .who = *who};
    uint32_t missing = obvious_access(cache, &access).missing, found = sectors & ~missing;
    cache->counters.bytes_to_above += obvious_bytes_of(sectors);
    struct obvious_line *line = obvious_find(cache, access.number);
    uint32_t dirty = found != 0 ? obvious_dirty(line) & found : 0;
    if (found != 0)
        obvious_drop(cache, line, found);
    struct obvious_line *above = obvious_find(&node->array, access.number);
    bool keeps_dirt = node->array.spec.write_policy == WM_WRITE_BACK;
    for (int i = 0; i < OBVIOUS_SECTORS && keeps_dirt; i++)
        above->dirty[i] = above->dirty[i] || (dirty >> i & 1);
    struct obvious_request on = {.client = WM_CACHE_WRITEBACK,
                                 .address = address,
                                 .sectors = keeps_dirt ? 0 : dirty,
                                 .who = *who};
    cache->counters.write_backs += on.sectors != 0;
    cache->counters.bytes_to_below += obvious_bytes_of(on.sectors);
    obvious_go_below(memory, below, &on);
    on.client = WM_CACHE_LOAD;
    on.sectors = missing;
    cache->counters.bytes_from_below += obvious_bytes_of(missing);
    obvious_go_below(memory, below, &on);
}

void obvious_forget_below(struct obvious_node *node, uint64_t address, uint32_t sectors)
{
    if (!obvious_excludes_below(node->level) || sectors == 0)
        return;
    struct obvious_cache *cache =
        &obvious_node_of(node->level->below, node->first_unit, address)->array;
    struct obvious_line *line = obvious_find(cache, address / cache->spec.line_bytes);
    if (line != NULL)
        obvious_drop(cache, line, sectors);
}

void obvious_enter_below(struct obvious_memory *memory, struct obvious_node *node,
                         struct obvious_cache *from, const struct obvious_line *arriving,
                         const struct wm_requester *who)
{
    uint64_t address = arriving->number * from->spec.line_bytes;
    struct obvious_node *below = obvious_node_of(node->level->below, node->first_unit, address);
    struct obvious_cache *cache = &below->array;
    struct obvious_access access = {.client = WM_CACHE_WRITEBACK,
                                    .number = arriving->number,
                                    .sectors = obvious_whole(arriving),
                                    .who = *who};
    struct obvious_line *line = obvious_find(cache, access.number), victim = {0};
    uint32_t held = line != NULL ? obvious_whole(line) : 0;
    from->counters.bytes_to_below += obvious_bytes_of(access.sectors);
    cache->counters.bytes_from_above += obvious_bytes_of(access.sectors);
    obvious_count_access(cache, &access, access.sectors & ~held, line != NULL);
    if (line != NULL)
        obvious_use(cache, line, &access);
    else
        line = obvious_take(cache, &access, &victim);
    bool keeps_dirt = line != NULL && cache->spec.write_policy == WM_WRITE_BACK;
    for (int i = 0; line != NULL && i < OBVIOUS_SECTORS; i++) {
        line->held[i] |= arriving->held[i];
        line->dirty[i] = line->dirty[i] || (keeps_dirt && arriving->dirty[i]);
    }
    struct obvious_cache *displacer = obvious_hand_on(below, &victim, who);
    obvious_send_down(memory, below, displacer, &victim, who);
    const struct obvious_request on = {.client = WM_CACHE_WRITEBACK,
                                       .address = address,
                                       .sectors = keeps_dirt ? 0 : obvious_dirty(arriving),
                                       .who = *who,
                                       .takes_no_line = obvious_keeps(below, arriving->number)};
    cache->counters.bytes_to_below += obvious_bytes_of(on.sectors);
    obvious_go_below(memory, below, &on);
    obvious_hold_below(memory, below, address, who);
}
