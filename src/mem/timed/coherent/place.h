// Where a slice has a line, and what it knows of it there. Private to mem/timed/coherent/.
#ifndef WM_MEM_TIMED_COHERENT_PLACE_H
#define WM_MEM_TIMED_COHERENT_PLACE_H

#include "mem/timed/coherent/caches_parts.h"

// Where a line is: in a way, with a record, with both, or neither.
struct place {
    struct wm_coherent_caches *caches;
    struct wm_coherent_slice *slice;
    const struct wm_coherent_tree_node *node;
    uint64_t line, index_line, slot;
    struct wm_coherent_record *record;
    uint32_t origin; // of the data here: the node itself, but of those that have just come
    uint32_t server; // of accesses here: likewise, and a child that has just written back
};

static inline struct place place_of(struct wm_coherent_caches *caches, uint32_t node, uint64_t line)
{
    struct place place = {.caches = caches,
                          .node = &caches->nodes[node],
                          .line = line,
                          .origin = node,
                          .server = node};
    place.slice = wm_coherent_slice_at(caches, node, line, &place.index_line);
    place.slot = wm_coherent_slot_of(place.slice, line, place.index_line);
    place.record = wm_coherent_records_find(&place.slice->records, line);
    return place;
}

static inline bool make_record(struct place *place)
{
    if (place->record == NULL)
        place->record = wm_coherent_records_add(&place->slice->records, place->line);
    if (place->record == NULL) {
        place->caches->failed = true;
        return false;
    }
    return true;
}

static const struct wm_coherence_line no_copy = {0};
// The directory owns what is in memory.
static const struct wm_coherence_line in_memory = {.cache = WM_COHERENCE_CACHE_M};

static inline const struct wm_coherence_line *line_at(const struct place *place)
{
    if (place->slot != WM_NO_SLOT)
        return &place->slice->beside->lines[place->slot];
    if (place->slice->cache == NULL) {
        const struct wm_coherence_line *line =
            wm_directory_find(place->caches->spec.directory, place->line);
        return line != NULL ? line : &in_memory;
    }
    return place->record != NULL ? &place->record->state : &no_copy;
}

// The same, to be changed: there is a record where the line has no way.
static inline struct wm_coherence_line *take_line(const struct place *place)
{
    if (place->slot != WM_NO_SLOT)
        return &place->slice->beside->lines[place->slot];
    if (place->slice->cache == NULL)
        return wm_directory_take(place->caches->spec.directory, place->line);
    return &place->record->state;
}

static inline uint64_t *data_at(const struct place *place)
{
    if (place->slice->cache == NULL)
        return &place->caches->no_data;
    if (place->slot == WM_NO_SLOT)
        return &place->record->data;
    return place->slice->data != NULL ? &place->slice->data[place->slot] : &place->caches->no_data;
}

static inline bool is_same(const struct wm_coherence_line *a, const struct wm_coherence_line *b)
{
    return a->holders == b->holders && a->cache == b->cache && a->home == b->home &&
           a->requester == b->requester;
}

static inline bool is_fetching(uint8_t cache)
{
    return cache == WM_COHERENCE_CACHE_IS || cache == WM_COHERENCE_CACHE_IM ||
           cache == WM_COHERENCE_CACHE_SM;
}

static inline bool is_stable(uint8_t cache)
{
    return cache == WM_COHERENCE_CACHE_S || cache == WM_COHERENCE_CACHE_E ||
           cache == WM_COHERENCE_CACHE_M;
}

static inline bool is_readable(uint8_t cache)
{
    return cache == WM_COHERENCE_CACHE_S || cache == WM_COHERENCE_CACHE_E ||
           cache == WM_COHERENCE_CACHE_M || cache == WM_COHERENCE_CACHE_ML ||
           cache == WM_COHERENCE_CACHE_SM;
}

#endif
