// How lines move between an L1 and an L2 of which only one keeps them, and how an inclusive L2
// takes the lines that L1 allocated without a request to it (docs/memory-system.md, R9). Of the
// full build. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_EXCLUSION_H
#define WM_MEM_ACCESS_PATH_EXCLUSION_H

#include "mem/access_path/l2_access.h"

static struct wm_cache *slice_of(struct wm_memory *memory, uint64_t address, uint64_t *line,
                                 uint64_t *index_line)
{
    *line = address >> memory->l2_line_shift;
    return &memory->l2.caches[wm_memory_slice(memory, *line, index_line)];
}

// L1 holds the line and fetches sectors of it: what L2 holds of them moves up, the rest comes from
// DRAM past it.
static void move_from_l2(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                         uint32_t sectors, struct access_context *context)
{
    uint64_t line, index_line;
    struct wm_cache *l2 = slice_of(memory, address, &line, &index_line);
    struct wm_cache_result result =
        cache_read(l2, wm_cache_set_of(l2, index_line), line, index_line, sectors, false, context);
    if (is_explained(memory)) // its shadows would keep the line
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = true},
                &result, context);
    l2->counters.bytes_to_above += bytes_of(sectors);
    context->instruction_counters->bytes_l1_l2 += bytes_of(sectors);
    charge_l2(context, sectors, result.missing);
    uint32_t held = sectors & ~result.missing, dirty = 0;
    if (held != 0)
        dirty = wm_cache_invalidate(l2, line, index_line, held);
    if (dirty != 0 && l1->write_policy == WM_WRITE_BACK) {
        wm_cache_mark_dirty(l1, address >> l1->line_shift, address >> l1->line_shift, dirty);
    } else if (dirty != 0) {
        l2->counters.write_backs++;
        l2->counters.bytes_to_below += bytes_of(dirty);
        dram_access(memory, address, dirty, true, context);
    }
    if (result.missing == 0)
        return;
    l2->counters.bytes_from_below += bytes_of(result.missing);
    dram_access(memory, address, result.missing, false, context);
}

// L1 has written sectors whole that it did not hold: L2's are stale.
static void invalidate_in_l2(struct wm_memory *memory, uint64_t address, uint32_t sectors)
{
    uint64_t line, index_line;
    struct wm_cache *l2 = slice_of(memory, address, &line, &index_line);
    if (sectors != 0)
        wm_cache_invalidate(l2, line, index_line, sectors);
}

// A line that `from`, an L1 or its victim cache, lost arrives with all that it held.
static void move_to_l2(struct wm_memory *memory, struct wm_cache *from,
                       const struct wm_cache_victim *victim, struct access_context *context)
{
    uint64_t address = victim->line << from->line_shift, line, index_line;
    struct wm_cache *l2 = slice_of(memory, address, &line, &index_line);
    uint64_t bytes = bytes_of(victim->valid);
    struct wm_cache_line held = {.valid = victim->valid, .dirty = victim->dirty};
    struct wm_cache_result result =
        wm_cache_insert_from_above(l2, line, index_line, held, &context->requester);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = WM_CACHE_WRITEBACK,
                                          .line = line,
                                          .sectors = victim->valid,
                                          .allocate = true},
                &result, context);
    from->counters.bytes_to_below += bytes;
    l2->counters.bytes_from_above += bytes;
    context->instruction_counters->bytes_l1_l2 += bytes;
    finish_l2_access(memory, l2, address, &result, context);
}

// An access around L1 is about to be made: L1's copy moves down.
static void move_copy_down(struct wm_memory *memory, struct wm_cache *holder, uint64_t line,
                           struct access_context *context)
{
    struct wm_cache_line held;
    if (!wm_cache_extract_line(holder, line, line, &held))
        return;
    holder->counters.invalidations++;
    holder->counters.write_backs += held.dirty != 0;
    struct wm_cache_victim victim = {.line = line, .dirty = held.dirty, .valid = held.valid};
    move_to_l2(memory, holder, &victim, context);
}

// A store is done, and L1 may have allocated its line without a request to L2: then L2 takes the
// line too, with no sector.
static void allocate_in_inclusive_l2(struct wm_memory *memory, struct wm_cache *l1,
                                     uint64_t l1_line, struct access_context *context)
{
    int32_t way = wm_cache_find(l1, l1_line, l1_line);
    if (way < 0)
        return;
    uint64_t slot = (uint64_t)wm_cache_set_of(l1, l1_line) * l1->stride + (uint32_t)way;
    uint32_t valid = wm_cache_line_at(l1, slot).valid;
    uint64_t begin = l1_line << l1->line_shift, end = begin + l1->line_bytes;
    uint32_t part = UINT32_MAX >> (32 - memory->l2_line_sectors);
    for (uint64_t at = begin & ~(uint64_t)(memory->l2_line_bytes - 1); at < end;
         at += memory->l2_line_bytes) {
        uint32_t wanted = at < begin ? valid : valid >> ((at - begin) / WM_SECTOR_BYTES) & part;
        uint64_t line, index_line;
        struct wm_cache *l2 = slice_of(memory, at, &line, &index_line);
        if (wanted == 0 || wm_cache_find(l2, line, index_line) >= 0)
            continue;
        struct wm_cache_result result = {0};
        wm_cache_insert_line(l2, line, index_line, (struct wm_cache_line){0}, false,
                             &context->requester, &result.victim);
        if (is_explained(memory) && result.victim.evicted)
            wm_explain_evicted(memory, l2, result.victim.line, context->request);
        enforce_inclusion(memory, l2, at, false, &result, context);
        finish_l2_access(memory, l2, at, &result, context);
    }
}

#endif
