// A launch has finished, and L1s that write back hold some of what it stored: each writes its dirty
// lines back, a line a cycle, in order of address, then its victim cache's (docs/engine-clock.md).
#include "engine/clock/clock_state.h"

#include "mem/system/memory_components.h"

#include <stdlib.h>

// What it writes back has no way to go while SMs do nothing else; nor has what an inclusive level
// below wants to know of one between.
static bool is_above_group_level(const struct wm_memory_spec *memory)
{
    uint32_t below = wm_level_below(memory, WM_LEVEL_L1);
    bool any = below != WM_BELOW_MEMORY && wm_timed_is_between(memory, below), inclusive = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        inclusive |= wm_timed_is_inclusive(memory, i);
    for (uint32_t i = 0; inclusive && i < WM_MOST_LEVELS; i++)
        any |= wm_timed_is_between(memory, i);
    return any;
}

bool wm_clock_flushes(const struct wm_machine *machine)
{
    const struct wm_memory_spec *memory = &machine->memory;
    return memory->levels[WM_LEVEL_L1].cache.present &&
           memory->levels[WM_LEVEL_L1].cache.write_policy == WM_WRITE_BACK &&
           !is_above_group_level(memory) && memory->levels[WM_LEVEL_L1].flush_at_kernel;
}

static int by_number(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void list_dirty(struct wm_clock_flush *flush, const struct wm_cache *cache)
{
    uint32_t before = flush->count;
    uint64_t slots = (uint64_t)cache->sets * cache->stride;
    for (uint64_t slot = 0; slot < slots; slot++)
        if (cache->tags[slot] < WM_CACHE_PADDING && wm_cache_line_at(cache, slot).dirty != 0)
            flush->lines[flush->count++] = cache->tags[slot];
    qsort(flush->lines + before, flush->count - before, sizeof *flush->lines, by_number);
}

bool wm_clock_flush_begin(struct wm_clock *clock)
{
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        struct wm_clock_sm *sm = &clock->sms[i];
        const struct wm_timed_level *l1 = sm->timed.l1;
        if (i != 0 && l1 == clock->sms[i - 1].timed.l1) // that SM's
            continue;
        if ((clock->gpus_used >> i / clock->machine->sm.count & 1) == 0) // its launch is to come
            continue;
        sm->flush.lines = malloc(wm_memory_l1_lines(clock->memory) * sizeof *sm->flush.lines);
        if (sm->flush.lines == NULL)
            return false;
        list_dirty(&sm->flush, l1->timed.cache);
        if (l1->victims != NULL)
            list_dirty(&sm->flush, l1->victims);
        sm->cycle = wm_clock_convert(&clock->from_network, clock->now);
        if (sm->flush.count != 0)
            wm_clock_sm_expect(sm, clock->now);
    }
    return true;
}

void wm_clock_flush_end(struct wm_clock *clock)
{
    for (uint32_t i = 0; i < clock->sm_count; i++) {
        free(clock->sms[i].flush.lines);
        clock->sms[i].flush = (struct wm_clock_flush){0};
    }
}
