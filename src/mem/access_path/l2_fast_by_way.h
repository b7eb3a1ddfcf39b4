// Requests that wait for a slice of L2 whose lines keep their ways, under an entry that has a step
// of its own and whose step needs no beginning and no end (mem/replacement/step.h): most of them
// are served here, as in l2_fast_ordered.h, without calling the entry's hooks.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_FAST_BY_WAY_H
#define WM_MEM_ACCESS_PATH_L2_FAST_BY_WAY_H

#include "mem/access_path/l2_fast_ordered.h"
#include "mem/cache/branchless_step.h"

// Of these three nothing is copied while steps run: others may come in between.
static inline enum wm_step_family by_way_family(const struct wm_cache *l2)
{
    bool steps = l2->step_family == WM_STEP_SRRIP || l2->step_family == WM_STEP_PLRU ||
                 l2->step_family == WM_STEP_NRU;
    bool plain = l2->write_policy == WM_WRITE_BACK && l2->write_allocate && l2->pins == NULL &&
                 l2->index.rows == NULL;
    return !WM_PATHS_FULL && steps && plain ? (enum wm_step_family)l2->step_family : WM_STEP_NONE;
}

// False when nothing was done, of a write-back.
WM_CACHE_INLINE bool serve_entry_by_way(struct wm_memory *memory, struct wm_cache *l2,
                                        struct wm_cache_steps *steps, enum wm_step_family family,
                                        const struct wm_l2_queue_entry *entry,
                                        struct ordered_tally *tally)
{
    uint64_t line = entry->line_address >> memory->l2_line_shift;
    uint32_t base = entry->set * l2->stride, sectors = entry->sectors;
    struct wm_step_access access = {
        .line = line,
        .set = entry->set,
        .equal = wm_cache_compare(l2->tags + base, l2->stride, line),
    };
    access.miss = access.equal == 0;
    access.if_miss = wm_select_mask(access.miss);
    if (__builtin_expect(entry->client == WM_CACHE_WRITEBACK, 0))
        return false;
    if (!access.miss) {
        uint32_t slot = base + (uint32_t)__builtin_ctz(access.equal);
        struct wm_cache_line held = wm_cache_line_at(l2, slot);
        wm_cache_step_move(steps, family, &access, l2->tags + base, l2->stride);
        if ((sectors & ~held.valid) != 0) {
            wm_cache_set_line(l2, slot, fill_held(memory, l2, entry, held, tally));
            return true;
        }
        held.dirty |= entry->client != WM_CACHE_LOAD ? wm_cache_fetch_units(l2, sectors) : 0;
        wm_cache_set_line(l2, slot, held);
        uint64_t count = wm_count_sectors(sectors);
        tally->hits[entry->client + entry->returns] += count << 32 | 1;
        charged_by(memory, entry)->l2_hits += count;
        return true;
    }
    struct wm_cache_move moved =
        wm_cache_step_move(steps, family, &access, l2->tags + base, l2->stride);
    uint32_t slot = base + (uint32_t)__builtin_ctz(moved.to), fetch;
    uint64_t old = l2->tags[slot];
    struct wm_cache_line left = wm_cache_line_at(l2, slot);
    wm_cache_set_line(l2, slot, held_of_miss(l2, entry, &fetch));
    l2->tags[slot] = line;
    finish_ordered_miss(memory, l2, entry, fetch, old, left, tally);
    return true;
}

#endif
