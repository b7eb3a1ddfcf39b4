// A cache under `opt`: no way holds a line, and the structure of mem/replacement/opt_online.h says
// what hits. Policies of sectors and stores are the array's own (inline_access.h); what differs is
// when things are known. A hit or a miss is known at once. Which line left is known later: a line
// that can no longer hit and has dirty sectors is the `victim` of the next miss that takes a line,
// or of its own miss; clean ones are never named. Evictions are counted when room is taken.
#include "mem/cache/inline_access.h"

// The use of a missing line: what it takes, and what is written back by the way.
static void count_miss(struct wm_cache *cache, const struct wm_opt_use *use, uint64_t line,
                       struct wm_cache_result *result)
{
    struct wm_cache_victim *victim = &result->victim;
    *victim = (struct wm_cache_victim){.line = line, .dirty = use->dirty_lost};
    if (use->held != NULL) {
        cache->counters.allocations++;
        cache->counters.evictions += use->displaces;
        cache->occupied_lines += !use->displaces;
        if (victim->dirty == 0)
            wm_opt_take_lost(cache->opt, &victim->line, &victim->dirty);
    }
    cache->counters.write_backs += victim->dirty != 0;
}

static struct wm_cache_line state_of(const struct wm_opt_line *line)
{
    return (struct wm_cache_line){.valid = line->valid, .dirty = line->dirty};
}

static void set_state(struct wm_opt_line *line, struct wm_cache_line state)
{
    line->valid = state.valid;
    line->dirty = state.dirty;
}

// A store that is sent on below whether it hits or not, and takes no line, gains nothing by a hit:
// MIN keeps no line for it, so that loads find as much as they can. It hits where the line may
// still be held.
static struct wm_opt_use use_for(struct wm_cache *cache, enum wm_cache_client client, uint32_t set,
                                 uint64_t line, bool allocate)
{
    bool gains = client == WM_CACHE_LOAD || client == WM_CACHE_ATOMIC;
    if (gains || allocate || cache->write_policy == WM_WRITE_BACK)
        return wm_opt_use(cache->opt, set, line, allocate);
    struct wm_opt_line *held = wm_opt_find(cache->opt, line);
    return (struct wm_opt_use){.held = held, .hit = held != NULL};
}

struct wm_cache_result wm_cache_opt_access(struct wm_cache *cache, enum wm_cache_client client,
                                           uint32_t set, uint64_t line, uint32_t sectors,
                                           uint32_t full_sectors, bool allocate)
{
    struct wm_cache_result result = {0};
    struct wm_opt_use use = use_for(cache, client, set, line, allocate);
    if (use.hit) {
        set_state(use.held, wm_cache_hit(cache, client, state_of(use.held), sectors, full_sectors,
                                         allocate, &result));
        if (wm_cache_drops(cache, client)) {
            bool went = wm_opt_changed(cache->opt, use.held);
            cache->occupied_lines -= went;
            cache->counters.invalidations += went;
        }
    } else {
        struct wm_cache_line held = wm_cache_line_after(cache, client, (struct wm_cache_line){0},
                                                        sectors, full_sectors, true, &result);
        if (use.held != NULL) {
            set_state(use.held, held);
            cache->counters.fills += wm_count_sectors(result.fetch);
        } else {
            wm_cache_not_taken(client, sectors, &result);
        }
        count_miss(cache, &use, line, &result);
    }
    wm_cache_count(&cache->counters, client, sectors, result.missing);
    return result;
}

uint32_t wm_cache_opt_invalidate(struct wm_cache *cache, uint64_t line, uint32_t sectors)
{
    struct wm_opt_line *held = wm_opt_find(cache->opt, line);
    if (held == NULL)
        return 0;
    uint32_t dropped = wm_cache_fetch_units(cache, sectors), dirty = held->dirty & dropped;
    held->valid &= ~dropped;
    held->dirty &= ~dropped;
    bool went = wm_opt_changed(cache->opt, held);
    cache->occupied_lines -= went;
    cache->counters.invalidations += went;
    return dirty;
}

uint32_t wm_cache_opt_clean(struct wm_cache *cache, uint64_t line, uint32_t sectors)
{
    struct wm_opt_line *held = wm_opt_find(cache->opt, line);
    if (held == NULL)
        return 0;
    uint32_t dirty = held->dirty & wm_cache_fetch_units(cache, sectors);
    held->dirty &= ~dirty;
    cache->counters.write_backs += dirty != 0;
    wm_opt_changed(cache->opt, held);
    return dirty;
}

bool wm_cache_opt_failed(const struct wm_cache *cache)
{
    return cache->opt != NULL && wm_opt_failed(cache->opt);
}
