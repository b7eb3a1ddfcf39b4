#include "mem/cache/cache.h"
#include "base/numbers/hash.h"
#include "mem/cache/byte_masks.h"
#include "mem/cache/dirty_limit.h"
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/replacement/entries.h"
#include "mem/replacement/fractional_priority.h"

#include <assert.h>
#include <stdlib.h>

static const struct wm_counter_declaration declarations[] = {
    WM_CACHE_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_declaration l1_declarations[] = {
    WM_CACHE_COUNTERS(WM_COUNTER_DECLARATION) WM_LOAD_MISS_COUNTERS(WM_COUNTER_DECLARATION)};

#define CACHE_COUNTER_SET(key, name)                              \
    {                                                             \
        .kind = key, .title = name, .declarations = declarations, \
        .count = sizeof declarations / sizeof declarations[0]     \
    }

const struct wm_counter_set wm_l1_counter_set = {
    .kind = "l1",
    .title = "L1 data cache",
    .declarations = l1_declarations,
    .count = sizeof l1_declarations / sizeof l1_declarations[0],
};
const struct wm_counter_set wm_victim_counter_set = CACHE_COUNTER_SET("victim", "victim cache");
const struct wm_counter_set wm_l2_counter_set = CACHE_COUNTER_SET("l2", "L2 slice");
const struct wm_counter_set wm_side_cache_counter_sets[WM_SIDE_CACHE_KINDS] = {
    [WM_SIDE_CACHE_CONSTANT] = CACHE_COUNTER_SET("constant", "constant cache"),
    [WM_SIDE_CACHE_TEXTURE] = CACHE_COUNTER_SET("texture", "texture cache"),
    [WM_SIDE_CACHE_SCALAR] = CACHE_COUNTER_SET("scalar", "scalar data cache"),
    [WM_SIDE_CACHE_INSTRUCTION] = CACHE_COUNTER_SET("instruction_cache", "instruction cache"),
};
const char *const wm_side_cache_names[WM_SIDE_CACHE_KINDS] = {
    [WM_SIDE_CACHE_CONSTANT] = "constant",
    [WM_SIDE_CACHE_TEXTURE] = "texture",
    [WM_SIDE_CACHE_SCALAR] = "scalar",
    [WM_SIDE_CACHE_INSTRUCTION] = "instruction",
};

// --- Building ---

_Static_assert((int)WM_CACHE_MAX_WAYS <= (int)WM_REPLACEMENT_MAX_WAYS,
               "entries keep bits for all ways");

// Masks widened to units of 1, 2, 4 and 8 sectors, by mask.
#define ANY(mask, bits, unit) ((mask) & (bits) ? (unit) : 0)
#define UNITS_1(mask) (mask)
#define UNITS_2(mask) \
    (ANY(mask, 0x03, 0x03) | ANY(mask, 0x0c, 0x0c) | ANY(mask, 0x30, 0x30) | ANY(mask, 0xc0, 0xc0))
#define UNITS_4(mask) (ANY(mask, 0x0f, 0x0f) | ANY(mask, 0xf0, 0xf0))
#define UNITS_8(mask) ANY(mask, 0xff, 0xff)
#define FOUR(of, mask) of(mask), of((mask) + 1), of((mask) + 2), of((mask) + 3)
#define SIXTEEN(of, mask) \
    FOUR(of, mask), FOUR(of, (mask) + 4), FOUR(of, (mask) + 8), FOUR(of, (mask) + 12)
#define QUARTER(of, mask) \
    SIXTEEN(of, mask), SIXTEEN(of, (mask) + 16), SIXTEEN(of, (mask) + 32), SIXTEEN(of, (mask) + 48)
#define ALL(of) QUARTER(of, 0), QUARTER(of, 64), QUARTER(of, 128), QUARTER(of, 192)
static const uint8_t units[4][256] = {
    {ALL(UNITS_1)}, {ALL(UNITS_2)}, {ALL(UNITS_4)}, {ALL(UNITS_8)}};

static bool inserts_at_front(const struct wm_replacement_ops *ops)
{
    return ops->uses_chain && ops->insert_at == 0 && ops->protect == 0 &&
           ops->chain_insert == NULL && ops->chain_protect == NULL && ops->insert == NULL &&
           ops->evict == NULL;
}

// Whether the chain's order is all there is to know about a set, so that its lines may stand in
// that order and change their ways: the entry has no hook that gets a way, or says that it ignores
// ways.
static bool is_order_enough(const struct wm_replacement_ops *ops)
{
    bool gets_way = ops->chain_promote != NULL || ops->hit != NULL || ops->insert != NULL;
    return ops->uses_chain && ops->protect == 0 && ops->chain_protect == NULL &&
           ops->evict == NULL && ops->line_state_bytes == 0 && ops->set_state_bytes == 0 &&
           ops->word_state_bytes == 0 && (!gets_way || ops->ignores_ways);
}

// Whether a hit means the same for every line: `promote` positions, and no hook to call.
static bool hit_promotes_by(const struct wm_replacement_ops *ops, uint32_t promote)
{
    return ops->uses_chain && ops->promote_by == promote && ops->chain_promote == NULL &&
           ops->hit == NULL;
}

static bool is_opt(const struct wm_cache *cache)
{
    return cache->replacement == &wm_replacement_opt;
}

static bool has_index(const struct wm_cache *cache)
{
    return cache->stride > WM_CACHE_VECTOR_WAYS;
}

static bool uses_recency(const struct wm_cache *cache)
{
    return !cache->is_ordered && !is_opt(cache);
}

static size_t index_words(const struct wm_line_index *index)
{
    return ((size_t)index->row_mask + 1) * WM_INDEX_WORDS;
}

// Aligned to a cache line of the host, so that a set of 8 tags is one.
static void *allocate_array(uint64_t count, size_t size)
{
    uint64_t bytes = (count * size + 63) & ~UINT64_C(63);
    return aligned_alloc(64, bytes == 0 ? 64 : bytes);
}

static bool allocate(struct wm_cache *cache, const struct wm_cache_spec *spec)
{
    uint64_t slots = (uint64_t)cache->sets * cache->stride;
    cache->tags = allocate_array(slots, sizeof *cache->tags);
    if (cache->line_sectors <= WM_CACHE_NARROW_SECTORS)
        cache->narrow_lines = allocate_array(slots, sizeof *cache->narrow_lines);
    else
        cache->wide_lines = allocate_array(slots, sizeof *cache->wide_lines);
    bool ok = cache->tags != NULL && (cache->narrow_lines != NULL || cache->wide_lines != NULL);
    if (uses_recency(cache))
        ok = ok && wm_recency_init(&cache->recency, cache->sets, cache->ways);
    if (is_opt(cache)) {
        cache->opt = wm_opt_new(cache->sets, cache->ways);
        ok = ok && cache->opt != NULL;
    }
    if (has_index(cache)) {
        cache->index = wm_line_index_of(slots);
        cache->index.rows = allocate_array(index_words(&cache->index), sizeof *cache->index.rows);
        ok = ok && cache->index.rows != NULL;
    }
    const struct wm_replacement_ops *ops = cache->replacement;
    cache->array_state = allocate_array(1, ops->array_state_bytes);
    cache->set_state_bytes = wm_replacement_set_bytes(ops, cache->ways);
    cache->set_states = allocate_array(cache->sets, cache->set_state_bytes);
    cache->line_states = allocate_array((uint64_t)cache->sets * cache->ways, ops->line_state_bytes);
    if (cache->write_fetch == WM_FETCH_NEVER) {
        cache->bytes = wm_byte_masks_new(cache);
        ok = ok && cache->bytes != NULL;
    }
    if (spec->dirty_limit_bytes != 0) {
        cache->dirty_limit = wm_dirty_limit_new(cache, spec->dirty_limit_bytes / WM_SECTOR_BYTES);
        ok = ok && cache->dirty_limit != NULL;
    }
    return ok && cache->array_state != NULL && cache->set_states != NULL &&
           cache->line_states != NULL;
}

enum wm_status wm_cache_init(struct wm_cache *cache, const struct wm_cache_spec *spec,
                             const char *component, struct wm_error *error)
{
    uint32_t sectors = spec->line_bytes / WM_SECTOR_BYTES;
    *cache = (struct wm_cache){
        .sets = (uint32_t)(spec->size_bytes / ((uint64_t)spec->ways * spec->line_bytes)),
        .ways = spec->ways,
        .stride = (spec->ways + WM_CACHE_TAG_LANES - 1) / WM_CACHE_TAG_LANES * WM_CACHE_TAG_LANES,
        .line_bytes = spec->line_bytes,
        .line_shift = (uint32_t)__builtin_ctz(spec->line_bytes),
        .line_sectors = sectors,
        .all_sectors = sectors == 32 ? UINT32_MAX : (UINT32_C(1) << sectors) - 1,
        .unit_sectors = spec->sector_bytes / WM_SECTOR_BYTES,
        .units = sectors <= WM_CACHE_NARROW_SECTORS
                     ? units[__builtin_ctz(spec->sector_bytes / WM_SECTOR_BYTES)]
                     : NULL,
        .write_policy = spec->write_policy,
        .write_allocate = spec->write_allocate,
        .write_fetch = spec->write_fetch,
        .covers = spec->write_fetch == WM_FETCH_ALWAYS ? 0 : UINT32_MAX,
        .inserts_at_front = inserts_at_front(spec->replacement),
        .hit_moves_to_front = hit_promotes_by(spec->replacement, WM_CHAIN_LAST),
        .hit_keeps_order = hit_promotes_by(spec->replacement, 0),
        .replacement = spec->replacement,
        .set_index = spec->set_index,
        .seed = wm_hash_bytes(component, strlen(component)),
    };
    wm_entry_values_resolve(spec->replacement->parameters, spec->replacement->parameter_count,
                            &spec->replacement_values, cache->parameters);
    cache->is_lru = cache->inserts_at_front && cache->hit_moves_to_front;
    cache->is_ordered = is_order_enough(spec->replacement) && !has_index(cache) &&
                        cache->write_fetch != WM_FETCH_NEVER;
    cache->set_divider = wm_divider_of(cache->sets);
    cache->masks_sets = cache->set_index->is_modulo && cache->set_divider.power_of_two;
    if (spec->set_index->is_linear)
        cache->set_hash = wm_set_hash_of(spec->set_index, spec->line_bytes, cache->sets);
    if (!allocate(cache, spec)) {
        wm_cache_release(cache);
        return wm_fail_no_memory(error, "the tags of cache '%s'", component);
    }
    wm_cache_reset(cache);
    return WM_OK;
}

enum wm_status wm_cache_keep_ways(struct wm_cache *cache, struct wm_error *error)
{
    assert(cache->opt == NULL && wm_cache_is_empty(cache));
    if (!cache->is_ordered)
        return WM_OK;
    if (!wm_recency_init(&cache->recency, cache->sets, cache->ways))
        return wm_fail_no_memory(error, "the recency of a cache's lines");
    cache->is_ordered = false;
    wm_recency_reset(&cache->recency);
    return WM_OK;
}

void wm_cache_release(struct wm_cache *cache)
{
    free(cache->tags);
    free(cache->narrow_lines);
    free(cache->wide_lines);
    free(cache->index.rows);
    free(cache->array_state);
    free(cache->set_states);
    free(cache->line_states);
    free(cache->pins);
    free(cache->pin_counts);
    free(cache->free_ways);
    wm_opt_free(cache->opt);
    wm_byte_masks_free(cache->bytes);
    free(cache->dirty_limit);
    wm_recency_release(&cache->recency);
    *cache = (struct wm_cache){0};
}

// No line, and nothing known of any; what the entry learned in its array state stays.
static void clear_lines(struct wm_cache *cache)
{
    uint64_t slots = (uint64_t)cache->sets * cache->stride;
    for (uint64_t set = 0; set < slots; set += cache->stride)
        for (uint32_t way = 0; way < cache->stride; way++)
            cache->tags[set + way] = way < cache->ways ? WM_CACHE_EMPTY : WM_CACHE_PADDING;
    if (cache->narrow_lines != NULL)
        memset(cache->narrow_lines, 0, slots * sizeof *cache->narrow_lines);
    else
        memset(cache->wide_lines, 0, slots * sizeof *cache->wide_lines);
    if (cache->index.rows != NULL)
        memset(cache->index.rows, 0, index_words(&cache->index) * sizeof *cache->index.rows);
    if (cache->bytes != NULL)
        wm_byte_masks_clear(cache);
    cache->occupied_lines = 0;
    if (cache->free_ways != NULL)
        memset(cache->free_ways, 0, cache->sets * sizeof *cache->free_ways);
    if (cache->opt != NULL)
        wm_opt_clear(cache->opt);
    if (uses_recency(cache))
        wm_recency_reset(&cache->recency);

    size_t ways = (size_t)cache->sets * cache->ways;
    memset(cache->set_states, 0, cache->sets * cache->set_state_bytes);
    memset(cache->line_states, 0, ways * cache->replacement->line_state_bytes);
}

void wm_cache_reset(struct wm_cache *cache)
{
    clear_lines(cache);
    cache->counters = (struct wm_cache_counters){0};
    if (cache->dirty_limit != NULL)
        cache->dirty_limit->counters = (struct wm_dirty_limit_counters){0};
    cache->emptied_at = 0;
    const struct wm_replacement_ops *ops = cache->replacement;
    memset(cache->array_state, 0, ops->array_state_bytes);
    struct wm_replacement_geometry geometry = {.sets = cache->sets,
                                               .ways = cache->ways,
                                               .seed = cache->seed,
                                               .parameters = cache->parameters};
    if (ops->reset != NULL)
        ops->reset(cache->array_state, &geometry);
}

// --- Replacement entries other than plain LRU ---

static struct wm_replacement_set view_of(const struct wm_cache *cache, uint32_t set)
{
    const struct wm_replacement_ops *ops = cache->replacement;
    return (struct wm_replacement_set){
        .array = cache->array_state,
        .set = (char *)cache->set_states + set * cache->set_state_bytes,
        .lines = (char *)cache->line_states + (size_t)set * cache->ways * ops->line_state_bytes,
        .recency = (struct wm_recency *)&cache->recency, // the entry's to move
        .index = set,
        .sets = cache->sets,
        .ways = cache->ways,
    };
}

static struct wm_replacement_event event_of(const struct wm_cache *cache, uint64_t line,
                                            bool write_back, const struct wm_requester *requester)
{
    bool says = cache->priorities != NULL && !write_back;
    return (struct wm_replacement_event){
        .line = line,
        .pc = requester->pc,
        .warp = requester->warp,
        .sm = requester->sm,
        .kind = requester->kind,
        .hint = requester->hint,
        .write_back = write_back,
        .pending = requester->pending,
        .lines = requester->lines,
        .rank = requester->rank,
        .priority = says ? wm_fractional_priority_of(cache->priorities[requester->pc], line)
                         : WM_EVICT_NORMAL,
    };
}

static void notify_eviction(struct wm_cache *cache, uint32_t set, uint32_t way, bool write_back,
                            const struct wm_requester *requester)
{
    if (cache->replacement->evict == NULL)
        return;
    struct wm_replacement_set view = view_of(cache, set);
    uint64_t line = cache->tags[set * cache->stride + way];
    struct wm_replacement_event event = event_of(cache, line, write_back, requester);
    cache->replacement->evict(&view, way, &event);
}

// In hardware a flush clears valid bits and no counter of a predictor; lines leave as when dropped.
void wm_cache_flush(struct wm_cache *cache)
{
    // One that has lost all its lines since still knows something of its sets.
    if (wm_cache_is_empty(cache) && cache->counters.allocations == cache->emptied_at)
        return;
    struct wm_requester unattributed = {0};
    for (uint32_t set = 0; cache->replacement->evict != NULL && set < cache->sets; set++)
        for (uint32_t way = 0; way < cache->ways; way++)
            if (cache->tags[set * cache->stride + way] != WM_CACHE_EMPTY)
                notify_eviction(cache, set, way, false, &unattributed);
    cache->counters.invalidations += cache->occupied_lines;
    cache->emptied_at = cache->counters.allocations;
    clear_lines(cache);
}

// The lowest empty way, and how many lines the set holds.
static int32_t empty_way(const struct wm_cache *cache, uint32_t set, uint32_t *lines)
{
    const uint64_t *tags = cache->tags + (uint64_t)set * cache->stride;
    int32_t lowest = WM_NO_WAY;
    if (cache->free_ways != NULL)
        return wm_free_ways_lowest(cache, set, lines);
    *lines = cache->ways;
    for (uint32_t way = 0; way < cache->stride; way += WM_CACHE_TAG_LANES) {
        uint32_t empty = wm_cache_compare(tags + way, WM_CACHE_TAG_LANES, WM_CACHE_EMPTY);
        if (empty != 0 && lowest < 0)
            lowest = (int32_t)(way + (uint32_t)__builtin_ctz(empty));
        *lines -= wm_count_sectors(empty);
    }
    return lowest;
}

int32_t wm_cache_replace(struct wm_cache *cache, uint32_t set, uint64_t line, bool write_back,
                         const struct wm_requester *requester)
{
    const struct wm_replacement_ops *ops = cache->replacement;
    struct wm_replacement_set view = view_of(cache, set);
    struct wm_replacement_event event = event_of(cache, line, write_back, requester);
    int32_t way = WM_NO_WAY;
    uint32_t others = cache->ways - 1;
    if (cache->occupied_lines < (uint64_t)cache->sets * cache->ways)
        way = empty_way(cache, set, &others);
    if (way >= 0 && cache->free_ways != NULL)
        wm_free_ways_taken(cache, set, (uint32_t)way);
    if (way < 0) {
        uint64_t room[WM_CACHE_MAX_WAYS / 64];
        const uint64_t *allowed =
            cache->pins != NULL ? wm_cache_unpinned_ways(cache, set, room) : NULL;
        way = wm_replacement_victim(ops, &view, &event, allowed);
        assert(way >= WM_NO_WAY && way < (int32_t)cache->ways);
        if (way < 0)
            return WM_NO_WAY;
        others = cache->ways - 1;
        if (ops->evict != NULL) {
            event.line = cache->tags[set * cache->stride + (uint32_t)way];
            ops->evict(&view, (uint32_t)way, &event);
            event.line = line;
        }
    }
    wm_replacement_inserted(ops, &view, (uint32_t)way, others, &event);
    return way;
}

bool wm_cache_has_no_victim(const struct wm_cache *cache, uint32_t set, uint64_t line,
                            const struct wm_requester *requester)
{
    const struct wm_replacement_ops *ops = cache->replacement;
    uint64_t room[WM_CACHE_MAX_WAYS / 64];
    uint32_t others;
    if (wm_cache_set_is_pinned(cache, set))
        return true;
    if (ops->chain_protect == NULL || empty_way(cache, set, &others) >= 0)
        return false;
    struct wm_replacement_set view = view_of(cache, set);
    struct wm_replacement_event event = event_of(cache, line, false, requester);
    return wm_replacement_victim(ops, &view, &event, wm_cache_unpinned_ways(cache, set, room)) < 0;
}

void wm_cache_promote(struct wm_cache *cache, uint32_t set, uint32_t way, uint64_t line,
                      bool write_back, const struct wm_requester *requester)
{
    struct wm_replacement_set view = view_of(cache, set);
    struct wm_replacement_event event = event_of(cache, line, write_back, requester);
    wm_replacement_touched(cache->replacement, &view, way, &event);
}

uint32_t wm_cache_insert_position(struct wm_cache *cache, uint32_t set, uint32_t others,
                                  uint64_t line, bool write_back,
                                  const struct wm_requester *requester)
{
    struct wm_replacement_set view = view_of(cache, set);
    struct wm_replacement_event event = event_of(cache, line, write_back, requester);
    return wm_replacement_insert_position(cache->replacement, &view, others, &event);
}

uint32_t wm_cache_hit_position(struct wm_cache *cache, uint32_t set, uint32_t position,
                               uint64_t line, bool write_back, const struct wm_requester *requester)
{
    struct wm_replacement_set view = view_of(cache, set);
    struct wm_replacement_event event = event_of(cache, line, write_back, requester);
    return wm_replacement_hit_position(cache->replacement, &view, position, &event);
}

// --- Out of line ---

struct wm_cache_result wm_cache_read(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                                     uint32_t sectors, bool may_allocate,
                                     const struct wm_requester *requester)
{
    if (cache->bytes != NULL)
        return wm_byte_masks_read(cache, line, index_line, sectors, may_allocate, requester);
    return wm_cache_access_in(cache, WM_CACHE_LOAD, wm_cache_set_of(cache, index_line), line,
                              index_line, sectors, 0, may_allocate, requester);
}

struct wm_cache_result wm_cache_write(struct wm_cache *cache, enum wm_cache_client client,
                                      uint64_t line, uint64_t index_line, uint32_t sectors,
                                      uint32_t full_sectors, bool may_allocate,
                                      const struct wm_requester *requester)
{
    struct wm_write_mask unknown = {0};
    if (cache->bytes != NULL)
        return wm_byte_masks_write(cache, client, line, index_line, sectors, full_sectors,
                                   may_allocate, &unknown, requester);
    return wm_cache_access_in(cache, client, wm_cache_set_of(cache, index_line), line, index_line,
                              sectors, full_sectors, may_allocate, requester);
}

int32_t wm_cache_find(const struct wm_cache *cache, uint64_t line, uint64_t index_line)
{
    if (cache->opt != NULL)
        return wm_opt_find(cache->opt, line) != NULL ? 0 : -1;
    return wm_cache_find_in_set(cache, wm_cache_set_of(cache, index_line), line);
}

bool wm_cache_holds(const struct wm_cache *cache, uint64_t line, uint64_t index_line)
{
    if (cache->opt != NULL) {
        const struct wm_opt_line *held = wm_opt_find(cache->opt, line);
        return held != NULL && held->last_use != 0;
    }
    return wm_cache_find(cache, line, index_line) >= 0;
}

uint64_t *wm_cache_list(struct wm_cache *cache, uint64_t first, uint64_t last, uint64_t *room,
                        uint64_t *count)
{
    if (cache->opt != NULL)
        return wm_opt_list(cache->opt, first, last, count);
    uint64_t found = 0, slots = (uint64_t)cache->sets * cache->stride;
    for (uint64_t slot = 0; slot < slots; slot++)
        if (cache->tags[slot] >= first && cache->tags[slot] <= last)
            room[found++] = cache->tags[slot];
    *count = found;
    return room;
}

bool wm_cache_is_empty(const struct wm_cache *cache)
{
    return cache->occupied_lines == 0 && (cache->opt == NULL || wm_opt_line_count(cache->opt) == 0);
}

uint32_t wm_cache_invalidate(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                             uint32_t sectors)
{
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t found = wm_cache_find_in_set(cache, set, line);
    if (found < 0)
        return cache->opt != NULL ? wm_cache_opt_invalidate(cache, line, sectors) : 0;
    uint32_t way = (uint32_t)found, slot = set * cache->stride + way;
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    uint32_t dropped = wm_cache_fetch_units(cache, sectors), dirty = held.dirty & dropped;
    held.valid &= ~dropped;
    held.dirty &= ~dropped;
    wm_cache_set_line(cache, slot, held);
    if (cache->bytes != NULL)
        cache->bytes->partly[slot] &= ~dropped;
    if (held.valid != 0 || (cache->bytes != NULL && cache->bytes->partly[slot] != 0))
        return dirty;
    struct wm_requester unattributed = {0};
    notify_eviction(cache, set, way, false, &unattributed);
    if (cache->pins != NULL) {
        wm_cache_unpin(cache, set, way);
        wm_free_ways_freed(cache, set, way);
    }
    if (cache->index.rows != NULL)
        wm_index_remove(&cache->index, slot, line);
    cache->occupied_lines--;
    cache->counters.invalidations++;
    if (cache->is_ordered) {
        uint32_t base = set * cache->stride;
        static const uint64_t empty = WM_CACHE_EMPTY;
        static const struct wm_cache_line nothing = {0};
        wm_ordered_to_back(cache->tags + base, sizeof empty, cache->ways, way, &empty);
        if (cache->narrow_lines != NULL)
            wm_ordered_to_back(cache->narrow_lines + base, sizeof *cache->narrow_lines, cache->ways,
                               way, &nothing);
        else
            wm_ordered_to_back(cache->wide_lines + base, sizeof nothing, cache->ways, way,
                               &nothing);
    } else {
        cache->tags[slot] = WM_CACHE_EMPTY;
        wm_recency_move(&cache->recency, set, way, cache->ways - 1);
    }
    return dirty;
}

uint32_t wm_cache_clean(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                        uint32_t sectors)
{
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    if (way < 0)
        return cache->opt != NULL ? wm_cache_opt_clean(cache, line, sectors) : 0;
    uint32_t slot = set * cache->stride + (uint32_t)way;
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    uint32_t dirty = held.dirty & wm_cache_fetch_units(cache, sectors);
    held.dirty &= ~dirty;
    wm_cache_set_line(cache, slot, held);
    if (cache->bytes != NULL)
        wm_byte_masks_leave(cache, slot, dirty);
    cache->counters.write_backs += dirty != 0;
    return dirty;
}
