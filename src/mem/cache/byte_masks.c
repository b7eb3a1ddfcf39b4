#include "mem/cache/byte_masks.h"
#include "mem/cache/inline_access.h"

#include <stdlib.h>

struct wm_byte_masks *wm_byte_masks_new(const struct wm_cache *cache)
{
    struct wm_byte_masks *bytes = calloc(1, sizeof *bytes);
    if (bytes == NULL)
        return NULL;
    size_t slots = (size_t)cache->sets * cache->stride;
    bytes->partly = calloc(slots, sizeof *bytes->partly);
    bytes->written = calloc(slots * cache->line_sectors, sizeof *bytes->written);
    bytes->left = calloc(cache->line_sectors, sizeof *bytes->left);
    if (bytes->partly != NULL && bytes->written != NULL && bytes->left != NULL)
        return bytes;
    wm_byte_masks_free(bytes);
    return NULL;
}

void wm_byte_masks_free(struct wm_byte_masks *bytes)
{
    if (bytes == NULL)
        return;
    free(bytes->partly);
    free(bytes->written);
    free(bytes->left);
    free(bytes);
}

void wm_byte_masks_clear(struct wm_cache *cache)
{
    size_t slots = (size_t)cache->sets * cache->stride;
    memset(cache->bytes->partly, 0, slots * sizeof *cache->bytes->partly);
}

static uint32_t *words_of(const struct wm_cache *cache, uint64_t slot)
{
    return cache->bytes->written + slot * cache->line_sectors;
}

void wm_byte_masks_leave(struct wm_cache *cache, uint64_t slot, uint32_t dirty)
{
    struct wm_byte_masks *bytes = cache->bytes;
    bytes->left_partly = bytes->partly[slot];
    memcpy(bytes->left, words_of(cache, slot), cache->line_sectors * sizeof *bytes->left);
    cache->counters.partial_write_backs += wm_count_sectors(dirty & bytes->left_partly);
}

// Gives `line` a way, holding nothing yet. Returns its slot, or -1 when nothing may be displaced.
static int64_t take(struct wm_cache *cache, uint32_t set, uint64_t line, bool write_back,
                    const struct wm_requester *requester, struct wm_cache_victim *victim)
{
    struct wm_cache_line nothing = {0};
    if (!wm_cache_allocate(cache, false, set, line, nothing, write_back, requester, victim))
        return -1;
    int64_t slot = (int64_t)set * cache->stride + wm_cache_find_in_set(cache, set, line);
    wm_byte_masks_leave(cache, (uint64_t)slot, victim->dirty);
    bool evicted = victim->evicted;
    *victim = wm_cache_last_write_back(cache, victim->line, victim->dirty);
    victim->evicted = evicted;
    cache->bytes->partly[slot] = 0;
    return slot;
}

// Whole fetch units came from below: what was held of them in part is whole now.
static void fill(struct wm_cache *cache, uint64_t slot, uint32_t units)
{
    wm_cache_add_valid(cache, slot, units);
    cache->bytes->partly[slot] &= ~units;
    cache->counters.fills += wm_count_sectors(units);
}

bool wm_byte_masks_fill(struct wm_cache *cache, uint32_t set, uint64_t line, uint32_t sectors,
                        const struct wm_requester *requester, struct wm_cache_victim *victim)
{
    int32_t way = wm_cache_find_in_set(cache, set, line);
    int64_t slot = way >= 0 ? (int64_t)set * cache->stride + way
                            : take(cache, set, line, false, requester, victim);
    if (slot >= 0)
        fill(cache, (uint64_t)slot, sectors);
    return slot >= 0;
}

struct wm_cache_result wm_byte_masks_read_at(struct wm_cache *cache, uint32_t set, int32_t way,
                                             uint64_t line, uint32_t sectors, bool allocate,
                                             const struct wm_requester *requester)
{
    struct wm_cache_result result = {.missing = sectors, .fetch = sectors};
    int64_t slot = way >= 0 ? (int64_t)set * cache->stride + way : -1;
    if (way >= 0) {
        result.missing = result.fetch = sectors & ~wm_cache_line_at(cache, (uint64_t)slot).valid;
        cache->counters.sector_misses += wm_count_sectors(result.missing);
        wm_cache_update_hit(cache, false, set, (uint32_t)way, line,
                            wm_cache_line_at(cache, (uint64_t)slot), false, requester);
    } else if (allocate) {
        slot = take(cache, set, line, false, requester, &result.victim);
    }
    if (allocate && slot >= 0) {
        result.fetch = wm_cache_fetch_units(cache, result.missing);
        fill(cache, (uint64_t)slot, result.fetch);
    }
    return result;
}

struct wm_cache_result wm_byte_masks_read(struct wm_cache *cache, uint64_t line,
                                          uint64_t index_line, uint32_t sectors, bool allocate,
                                          const struct wm_requester *requester)
{
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    struct wm_cache_result result =
        wm_byte_masks_read_at(cache, set, way, line, sectors, allocate, requester);
    wm_cache_count(&cache->counters, WM_CACHE_LOAD, sectors, result.missing);
    return result;
}

// Writes `sectors` of the line in `slot`, those of `full_sectors` whole.
static void mark_written(struct wm_cache *cache, uint64_t slot, uint64_t line, uint32_t sectors,
                         uint32_t full_sectors, const struct wm_write_mask *written)
{
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    uint32_t *partly = &cache->bytes->partly[slot], *words = words_of(cache, slot);
    held.valid |= sectors & full_sectors;
    *partly &= ~held.valid;
    uint64_t base = line << cache->line_shift;
    for (uint32_t rest = sectors & ~held.valid; rest != 0; rest &= rest - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(rest), bit = UINT32_C(1) << sector;
        uint64_t within = base + sector * WM_SECTOR_BYTES - written->address;
        uint32_t now = written->words != NULL ? written->words[within / WM_SECTOR_BYTES] : 0;
        words[sector] = now | (*partly & bit ? words[sector] : 0);
        if (words[sector] == UINT32_MAX) {
            held.valid |= bit;
            *partly &= ~bit;
        } else {
            *partly |= bit;
        }
    }
    wm_cache_set_line(cache, slot, held);
}

// A write that finds its line in `slot`, or was given it.
static void write_slot(struct wm_cache *cache, enum wm_cache_client client, uint64_t slot,
                       uint64_t line, uint32_t sectors, uint32_t full_sectors, bool allocate,
                       const struct wm_write_mask *written, struct wm_cache_result *result)
{
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    uint32_t here = allocate ? sectors : sectors & (held.valid | cache->bytes->partly[slot]);
    if (client == WM_CACHE_ATOMIC) { // needs the old bytes
        result->fetch = wm_cache_fetch_units(cache, here & ~held.valid);
        fill(cache, slot, result->fetch);
        here |= sectors & result->fetch;
        result->fetch |= sectors & ~here;
    } else {
        mark_written(cache, slot, line, here, full_sectors, written);
    }
    held = wm_cache_line_at(cache, slot);
    result->whole = sectors & held.valid;
    result->forward = sectors;
    if (cache->write_policy == WM_WRITE_BACK) {
        held.dirty |= here;
        wm_cache_set_line(cache, slot, held);
        result->forward = sectors & ~here;
    }
}

struct wm_cache_result wm_byte_masks_write(struct wm_cache *cache, enum wm_cache_client client,
                                           uint64_t line, uint64_t index_line, uint32_t sectors,
                                           uint32_t full_sectors, bool allocate,
                                           const struct wm_write_mask *written,
                                           const struct wm_requester *requester)
{
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    bool write_back = client == WM_CACHE_WRITEBACK, atomic = client == WM_CACHE_ATOMIC;
    int64_t slot = way >= 0 ? (int64_t)set * cache->stride + way : -1;
    struct wm_cache_result result = {.missing = sectors};
    if (way >= 0) {
        result.missing &= ~wm_cache_line_at(cache, (uint64_t)slot).valid &
                          ~(atomic ? 0 : cache->bytes->partly[slot]);
        cache->counters.sector_misses += write_back ? 0 : wm_count_sectors(result.missing);
    }
    wm_cache_count(&cache->counters, client, sectors, result.missing);
    if (cache->write_policy == WM_WRITE_THROUGH_EVICT) {
        wm_cache_invalidate(cache, line, index_line, cache->all_sectors);
        slot = -1;
    } else if (way >= 0) {
        wm_cache_update_hit(cache, false, set, (uint32_t)way, line,
                            wm_cache_line_at(cache, (uint64_t)slot), write_back, requester);
    } else if (allocate) {
        slot = take(cache, set, line, write_back, requester, &result.victim);
    }
    if (slot >= 0) {
        write_slot(cache, client, (uint64_t)slot, line, sectors, full_sectors, allocate, written,
                   &result);
    } else {
        result.forward = sectors;
        result.fetch = atomic ? result.missing : 0;
    }
    return result;
}
