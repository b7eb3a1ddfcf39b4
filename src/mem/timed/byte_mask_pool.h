// Which bytes of their sectors stores write, for packets on their way from an SM to a cache that
// keeps byte masks: a packet carries the number of a row here.
//
// Thread rules: rows are put in and given back by one thread at a time; meanwhile another may read
// rows that were put in before an earlier hand-over (docs/engine-clock.md): they stay where they
// are. Private to mem/timed/.
#ifndef WM_MEM_TIMED_BYTE_MASK_POOL_H
#define WM_MEM_TIMED_BYTE_MASK_POOL_H

#include <stdint.h>

enum { WM_BYTE_MASK_CHUNKS = 24 }; // each has twice the rows of the one before

struct wm_byte_mask_pool {
    uint32_t row_words;                    // a word a sector of a request's line
    uint32_t *chunks[WM_BYTE_MASK_CHUNKS]; // owned
    uint32_t *free_rows;                   // owned
    uint32_t chunk_count, row_count, free_count;
};

// Empty; owns nothing yet.
void wm_byte_mask_pool_init(struct wm_byte_mask_pool *pool, uint32_t row_words);
// Harmless on a zeroed one.
void wm_byte_mask_pool_release(struct wm_byte_mask_pool *pool);

// Copies a row's first `count` words in, at most row_words, and returns its number; 0 when out of
// memory.
uint32_t wm_byte_mask_pool_put(struct wm_byte_mask_pool *pool, const uint32_t *words,
                               uint32_t count);
// The row of that number, which is not 0 and in use.
const uint32_t *wm_byte_mask_pool_at(const struct wm_byte_mask_pool *pool, uint32_t row);
void wm_byte_mask_pool_give_back(struct wm_byte_mask_pool *pool, uint32_t row);

#endif
