// The model: what the levels know of each other (R9).
#include "obvious_memory.h"

static uint64_t bytes_of(uint32_t sectors)
{
    return (uint64_t)obvious_count(sectors) * OBVIOUS_SECTOR;
}

struct obvious_cache *obvious_slice(struct obvious_memory *memory, uint64_t address)
{
    return &memory->l2[address / memory->spec.levels[WM_LEVEL_L2].interleave_bytes %
                       memory->spec.levels[WM_LEVEL_L2].slices];
}

// --- Inclusive ---

// Drops what `above` holds of the L2 line at `line_address`. Returns what was dirty of it, as
// sectors of that line.
static uint32_t back_invalidate_in(struct obvious_memory *memory, struct obvious_cache *above,
                                   uint64_t line_address)
{
    uint64_t own = above->spec.line_bytes,
             end = line_address + memory->spec.levels[WM_LEVEL_L2].cache.line_bytes;
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
        above->counters.bytes_to_below += bytes_of(dirty);
        obvious_count_write_back(above, line, dirty);
        obvious_drop(above, line, part);
    }
    return left;
}

uint32_t obvious_drop_above(struct obvious_memory *memory, uint64_t line_address)
{
    struct obvious_cache *l2 = obvious_slice(memory, line_address);
    uint32_t all = 0;
    for (uint32_t i = 0; i < memory->l1_count; i++) {
        uint32_t dirty = back_invalidate_in(memory, &memory->l1[i], line_address);
        if (memory->victims != NULL)
            dirty |= back_invalidate_in(memory, &memory->victims[i], line_address);
        l2->counters.bytes_from_above += bytes_of(dirty);
        all |= dirty;
    }
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        for (uint32_t i = 0; i < memory->side_cache_counts[kind]; i++)
            back_invalidate_in(memory, &memory->side_caches[kind][i], line_address);
    return all;
}

void obvious_leaves_l2(struct obvious_memory *memory, uint64_t line_address)
{
    struct obvious_cache *l2 = obvious_slice(memory, line_address);
    uint32_t dirty = obvious_drop_above(memory, line_address);
    l2->counters.write_backs += dirty != 0;
    l2->counters.bytes_to_below += bytes_of(dirty);
    obvious_to_dram(memory, line_address, dirty, true);
}

// The victim of an access to L2 goes to DRAM, with what was dirty above where L2 is inclusive.
void obvious_displaced_from_l2(struct obvious_memory *memory, struct obvious_cache *l2,
                               const struct obvious_line *victim)
{
    if (!victim->present)
        return;
    uint64_t address = victim->number * l2->spec.line_bytes;
    uint32_t own = obvious_dirty(victim), dirty = own;
    if (memory->spec.levels[WM_LEVEL_L2].inclusion == WM_INCLUSIVE)
        dirty |= obvious_drop_above(memory, address);
    l2->counters.write_backs += own == 0 && dirty != 0;
    l2->counters.bytes_to_below += bytes_of(dirty);
    obvious_to_dram(memory, address, dirty, true);
}

void obvious_hold_below(struct obvious_memory *memory, struct obvious_cache *l1, uint64_t address,
                        const struct wm_requester *who)
{
    struct obvious_line *line = obvious_find(l1, address / l1->spec.line_bytes);
    if (memory->spec.levels[WM_LEVEL_L2].inclusion != WM_INCLUSIVE || line == NULL)
        return;
    uint32_t held = obvious_some(line);
    uint64_t l2_bytes = memory->spec.levels[WM_LEVEL_L2].cache.line_bytes, last = UINT64_MAX;
    for (uint32_t i = 0; i < OBVIOUS_SECTORS; i++) {
        uint64_t at = (address + (uint64_t)i * OBVIOUS_SECTOR) / l2_bytes;
        if (!(held >> i & 1) || at == last)
            continue;
        last = at;
        struct obvious_cache *l2 = obvious_slice(memory, at * l2_bytes);
        if (obvious_find(l2, at) != NULL)
            continue;
        struct obvious_access access = {.number = at, .who = *who};
        struct obvious_line victim;
        if (obvious_take(l2, &access, &victim) == NULL)
            obvious_leaves_l2(memory, at * l2_bytes);
        else
            obvious_displaced_from_l2(memory, l2, &victim);
    }
}

// --- Exclusive ---

void obvious_take_from_l2(struct obvious_memory *memory, struct obvious_cache *l1, uint64_t address,
                          uint32_t sectors, const struct wm_requester *who)
{
    struct obvious_cache *l2 = obvious_slice(memory, address);
    struct obvious_access access = {.client = WM_CACHE_LOAD,
                                    .number = address / l2->spec.line_bytes,
                                    .sectors = sectors,
                                    .who = *who};
    uint32_t missing = obvious_access(l2, &access).missing, found = sectors & ~missing;
    l2->counters.bytes_to_above += bytes_of(sectors);
    l2->counters.bytes_from_below += bytes_of(missing);
    obvious_to_dram(memory, address, missing, false);
    struct obvious_line *line = obvious_find(l2, access.number);
    if (found == 0)
        return;
    uint32_t dirty = obvious_dirty(line) & found;
    obvious_drop(l2, line, found);
    struct obvious_line *above = obvious_find(l1, access.number);
    for (int i = 0; i < OBVIOUS_SECTORS && l1->spec.write_policy == WM_WRITE_BACK; i++)
        above->dirty[i] = above->dirty[i] || (dirty >> i & 1);
    if (l1->spec.write_policy == WM_WRITE_BACK)
        return;
    l2->counters.write_backs += dirty != 0;
    l2->counters.bytes_to_below += bytes_of(dirty);
    obvious_to_dram(memory, address, dirty, true);
}

void obvious_forget_in_l2(struct obvious_memory *memory, uint64_t address, uint32_t sectors)
{
    struct obvious_cache *l2 = obvious_slice(memory, address);
    struct obvious_line *line = obvious_find(l2, address / l2->spec.line_bytes);
    if (line != NULL && sectors != 0)
        obvious_drop(l2, line, sectors);
}

void obvious_enter_l2(struct obvious_memory *memory, struct obvious_cache *from,
                      const struct obvious_line *arriving, const struct wm_requester *who)
{
    uint64_t address = arriving->number * from->spec.line_bytes;
    struct obvious_cache *l2 = obvious_slice(memory, address);
    struct obvious_access access = {.client = WM_CACHE_WRITEBACK,
                                    .number = arriving->number,
                                    .sectors = obvious_whole(arriving),
                                    .who = *who};
    struct obvious_line *line = obvious_find(l2, access.number), victim = {0};
    uint32_t held = line != NULL ? obvious_whole(line) : 0, dirty = obvious_dirty(arriving);
    from->counters.bytes_to_below += bytes_of(access.sectors);
    l2->counters.bytes_from_above += bytes_of(access.sectors);
    obvious_count_access(l2, &access, access.sectors & ~held, line != NULL);
    if (line != NULL)
        obvious_use(l2, line, &access);
    else
        line = obvious_take(l2, &access, &victim);
    bool keeps_dirt = line != NULL && l2->spec.write_policy == WM_WRITE_BACK;
    for (int i = 0; line != NULL && i < OBVIOUS_SECTORS; i++) {
        line->held[i] |= arriving->held[i];
        line->dirty[i] = line->dirty[i] || (keeps_dirt && arriving->dirty[i]);
    }
    obvious_displaced_from_l2(memory, l2, &victim);
    if (keeps_dirt)
        return;
    l2->counters.bytes_to_below += bytes_of(dirty);
    obvious_to_dram(memory, address, dirty, true);
}
