#include "mem/timed/byte_mask_pool.h"

#include "base/containers/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 16 }; // of the first chunk; chunk i has rows FIRST_ROWS << i

void wm_byte_mask_pool_init(struct wm_byte_mask_pool *pool, uint32_t row_words)
{
    *pool = (struct wm_byte_mask_pool){.row_words = row_words};
}

void wm_byte_mask_pool_release(struct wm_byte_mask_pool *pool)
{
    for (uint32_t i = 0; i < pool->chunk_count; i++)
        free(pool->chunks[i]);
    free(pool->free_rows);
    *pool = (struct wm_byte_mask_pool){0};
}

static uint32_t *row_of(const struct wm_byte_mask_pool *pool, uint32_t row)
{
    assert(row != 0); // counts may change while another thread reads
    // Chunks before chunk i have FIRST_ROWS * (2^i - 1) rows.
    uint32_t at = row - 1, chunk = 31 - (uint32_t)__builtin_clz(at / FIRST_ROWS + 1);
    at -= FIRST_ROWS * ((UINT32_C(1) << chunk) - 1);
    return pool->chunks[chunk] + (size_t)at * pool->row_words;
}

static int grow(struct wm_byte_mask_pool *pool)
{
    uint32_t rows = (uint32_t)FIRST_ROWS << pool->chunk_count, all = pool->row_count + rows;
    if (pool->chunk_count == WM_BYTE_MASK_CHUNKS)
        return 0;
    uint32_t *chunk = malloc((size_t)rows * pool->row_words * sizeof *chunk);
    if (chunk == NULL || !WM_ARRAY_RESIZE(pool->free_rows, all)) {
        free(chunk);
        return 0;
    }
    pool->chunks[pool->chunk_count++] = chunk;
    for (uint32_t i = 0; i < rows; i++)
        pool->free_rows[pool->free_count++] = all - i;
    pool->row_count = all;
    return 1;
}

uint32_t wm_byte_mask_pool_put(struct wm_byte_mask_pool *pool, const uint32_t *words,
                               uint32_t count)
{
    if (pool->free_count == 0 && !grow(pool))
        return 0;
    uint32_t row = pool->free_rows[--pool->free_count];
    memcpy(row_of(pool, row), words, count * sizeof *words);
    return row;
}

const uint32_t *wm_byte_mask_pool_at(const struct wm_byte_mask_pool *pool, uint32_t row)
{
    return row_of(pool, row);
}

void wm_byte_mask_pool_give_back(struct wm_byte_mask_pool *pool, uint32_t row)
{
    assert(row != 0 && pool->free_count < pool->row_count);
    pool->free_rows[pool->free_count++] = row;
}
