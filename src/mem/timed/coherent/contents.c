// Which lines a slice's cache has a way for, and what it counts of accesses to them.
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/explain/coherent_misses.h"
#include "mem/system/instruction_counters.h"
#include "mem/timed/coherent/caches_parts.h"

#include <assert.h>

uint64_t wm_coherent_slot_of(const struct wm_coherent_slice *slice, uint64_t line,
                             uint64_t index_line)
{
    const struct wm_cache *cache = slice->cache;
    if (cache == NULL)
        return WM_NO_SLOT;
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    return way < 0 ? WM_NO_SLOT : (uint64_t)set * cache->stride + (uint32_t)way;
}

void wm_coherent_host_prefetch(const struct wm_coherent_slice *slice, uint64_t index_line)
{
    const struct wm_cache *cache = slice->cache;
    if (cache == NULL)
        return;
    uint64_t first = (uint64_t)wm_cache_set_of(cache, index_line) * cache->stride;
    __builtin_prefetch(&cache->tags[first]);
    __builtin_prefetch(&slice->beside->lines[first], 1);
}

struct wm_instruction_counters *wm_coherent_charged(struct wm_coherent_caches *caches,
                                                    const struct wm_coherent_event *event)
{
    const struct wm_coherent_caches_spec *spec = &caches->spec;
    return spec->charged != NULL
               ? spec->charged(spec->context, event->uncharged ? NULL : &event->requester)
               : &caches->uncharged;
}

// What an event is counted as: a child's GetS and GetM are loads, as fetches of a level above are.
static enum wm_cache_client client_of(const struct wm_coherent_event *event)
{
    if (event->kind == WM_COHERENCE_STORE)
        return event->writes_back ? WM_CACHE_WRITEBACK : WM_CACHE_STORE;
    return event->kind == WM_COHERENCE_RMW_BEGIN ? WM_CACHE_ATOMIC : WM_CACHE_LOAD;
}

// Bytes that a unit's access moves; those of a child's do with its messages.
static void count_bytes(struct wm_cache_counters *counters, const struct wm_coherent_event *event)
{
    uint64_t bytes = wm_sector_bytes(event->sectors);
    enum wm_cache_client client = client_of(event);
    if (wm_coherence_network_of(event->kind) != WM_COHERENCE_ACCESS)
        return;
    counters->bytes_from_above += client != WM_CACHE_LOAD ? bytes : 0;
    bool returns = client == WM_CACHE_LOAD ||
                   (client == WM_CACHE_ATOMIC && event->requester.kind == WM_ACCESS_ATOMIC);
    counters->bytes_to_above += returns ? bytes : 0;
}

static void count(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                  const struct wm_coherent_event *event, uint32_t missing)
{
    struct wm_level_counters *charged =
        &wm_coherent_charged(caches, event)->levels[caches->nodes[slice->node].spec.level];
    wm_cache_count(&slice->cache->counters, client_of(event), event->sectors, missing);
    count_bytes(&slice->cache->counters, event);
    if (!event->writes_back) {
        charged->hits += wm_count_sectors(event->sectors & ~missing);
        charged->misses += wm_count_sectors(missing);
    }
    slice->beside->counters.locked_operations += event->kind == WM_COHERENCE_RMW_BEGIN;
}

// What a prefetcher brings, without sectors, is a fill and no access.
static void explain(const struct wm_coherent_caches *caches, const struct wm_coherent_slice *slice,
                    const struct wm_coherent_event *event, bool missed, bool passes,
                    uint64_t victim)
{
    const struct wm_coherent_lookup lookup = {.cache = slice->cache,
                                              .client = event->sectors != 0 ? client_of(event)
                                                                            : WM_CACHE_WRITEBACK,
                                              .line = event->line,
                                              .sectors = event->sectors,
                                              .missed = missed,
                                              .passes = passes,
                                              .victim = victim};
    wm_coherent_explain_lookup(caches, event, &lookup);
}

void wm_coherent_count_passing(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                               const struct wm_coherent_event *event)
{
    struct wm_cache_counters *counters = &slice->cache->counters;
    if (!event->bypasses || event->looked_up) {
        count(caches, slice, event, event->sectors);
        if (wm_coherent_is_explained(caches))
            explain(caches, slice, event, true, true, WM_CACHE_EMPTY);
        return;
    }
    counters->accesses++;
    counters->load_accesses++;
    counters->load_accesses_bypassed++;
    counters->bypasses += wm_count_sectors(event->sectors);
    count_bytes(counters, event);
    if (wm_coherent_is_explained(caches))
        wm_coherent_explain_passed(caches, slice, event);
}

void wm_coherent_hit(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                     uint64_t slot, const struct wm_coherent_event *event)
{
    struct wm_cache *cache = slice->cache;
    const struct wm_coherence_line *line = &slice->beside->lines[slot];
    uint32_t set = (uint32_t)(slot / cache->stride), way = (uint32_t)(slot % cache->stride);
    // An upgrade wants no data.
    bool upgrades = event->kind == WM_COHERENCE_GETM && (line->holders >> event->from & 1) != 0;
    wm_cache_update_hit(cache, false, set, way, event->line,
                        wm_cache_line_at(cache, (uint32_t)slot), false, &event->requester);
    if (!upgrades)
        count(caches, slice, event, 0);
    if (wm_coherent_is_explained(caches) && !upgrades)
        explain(caches, slice, event, false, false, WM_CACHE_EMPTY);
    if (!upgrades)
        wm_coherent_prefetch_used(caches, slice, slot, event);
}

enum wm_coherent_room wm_coherent_find_way(const struct wm_coherent_caches *caches,
                                           const struct wm_coherent_slice *slice,
                                           uint64_t index_line,
                                           const struct wm_coherent_event *event)
{
    const struct wm_cache *cache = slice->cache;
    uint32_t set = wm_cache_set_of(cache, index_line);
    if (wm_cache_has_no_victim(cache, set, event->line, &event->requester))
        return WM_ROOM_NO_WAY;
    bool displaces = cache->free_ways[set].lines == cache->ways;
    if (displaces && slice->evicting >= caches->nodes[slice->node].spec.evictions)
        return WM_ROOM_NO_EVICTION;
    return WM_ROOM_IS_THERE;
}

uint64_t wm_coherent_take_way(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                              uint64_t index_line, const struct wm_coherent_event *event,
                              struct wm_coherent_record **victim)
{
    struct wm_cache *cache = slice->cache;
    struct wm_cache_victim left;
    uint32_t set = wm_cache_set_of(cache, index_line);
    bool taken = wm_cache_allocate(cache, false, set, event->line,
                                   (struct wm_cache_line){.valid = cache->all_sectors}, false,
                                   &event->requester, &left);
    assert(taken);
    (void)taken;
    bool is_access = event->sectors != 0;
    if (is_access)
        count(caches, slice, event, event->sectors);
    uint64_t slot = wm_coherent_slot_of(slice, event->line, index_line);
    bool was_taken_here = wm_coherent_was_taken(slice->beside, (uint64_t)set * cache->stride,
                                                cache->ways, event->line) &&
                          is_access;
    slice->beside->counters.coherence_misses += was_taken_here;
    wm_coherent_charged(caches, event)->coherence_misses += was_taken_here;
    wm_coherent_set_taken(slice->beside, slot, WM_CACHE_EMPTY);
    *victim = NULL;
    if (wm_coherent_is_explained(caches))
        explain(caches, slice, event, true, false, left.evicted ? left.line : WM_CACHE_EMPTY);
    if (left.evicted)
        wm_coherent_prefetch_left(caches, slice, slot, left.line);
    if (is_access)
        wm_coherent_prefetch_missed(caches, slice, event);
    if (left.evicted) {
        *victim = wm_coherent_records_add(&slice->records, left.line);
        if (*victim == NULL) {
            caches->failed = true;
            return WM_NO_SLOT;
        }
        (*victim)->state = slice->beside->lines[slot];
        (*victim)->data = slice->data != NULL ? slice->data[slot] : 0;
        (*victim)->is_evicting = true;
        slice->evicting++;
    }
    slice->beside->lines[slot] = (struct wm_coherence_line){0};
    return slot;
}

void wm_coherent_leave_way(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                           uint64_t slot, uint64_t line, uint64_t index_line)
{
    assert(slice->beside->lines[slot].holders == 0);
    wm_coherent_prefetch_left(caches, slice, slot, line);
    slice->beside->lines[slot] = (struct wm_coherence_line){0};
    wm_cache_invalidate(slice->cache, line, index_line, slice->cache->all_sectors);
}

bool wm_coherent_pin(struct wm_coherent_slice *slice, uint64_t slot, bool pinned)
{
    struct wm_cache *cache = slice->cache;
    uint32_t set = (uint32_t)(slot / cache->stride), way = (uint32_t)(slot % cache->stride);
    if (pinned) {
        wm_cache_pin(cache, set, way);
        return false;
    }
    bool was_pinned = wm_cache_is_pinned(cache, set, way);
    wm_cache_unpin(cache, set, way);
    return was_pinned;
}

// Of a line that is being evicted here nothing is looked up: it has left already.
void wm_coherent_count_write_back(const struct wm_coherent_caches *caches,
                                  struct wm_coherent_slice *slice, uint64_t index_line,
                                  const struct wm_coherent_event *event)
{
    const struct wm_coherent_lookup lookup = {.cache = slice->cache,
                                              .client = WM_CACHE_WRITEBACK,
                                              .line = event->line,
                                              .sectors = slice->cache->all_sectors,
                                              .victim = WM_CACHE_EMPTY};
    wm_cache_count(&slice->cache->counters, WM_CACHE_WRITEBACK, slice->cache->all_sectors, 0);
    if (wm_coherent_is_explained(caches) &&
        wm_coherent_slot_of(slice, event->line, index_line) != WM_NO_SLOT)
        wm_coherent_explain_lookup(caches, event, &lookup);
}
