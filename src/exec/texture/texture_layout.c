// Layouts of arrays, and the table of objects: see texture.h.
//
// How arrays lie in memory is not published for discrete GPUs. What is chosen is the block-linear
// layout as NVIDIA documents it for its integrated ones (Tegra X1 Technical Reference Manual,
// "Block Linear"): tiles of 64 bytes and 8 rows, in them sectors of 16 bytes and 2 rows, and
// columns of up to 16 tiles. A sector of 32 bytes then holds neighbours in both directions.
#include "base/containers/array.h"
#include "exec/texture/texture.h"

#include <stdlib.h>

enum { MOST_BLOCK_SHIFT = 4 };

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

struct wm_texel_layout wm_texel_layout_of(uint32_t texel_bytes, uint32_t width, uint32_t height,
                                          uint32_t slices, bool rows)
{
    uint64_t row_bytes = (uint64_t)width * texel_bytes;
    struct wm_texel_layout layout = {
        .width = width, .height = height, .slices = slices, .tiled = rows};
    if (!rows) {
        layout.row_bytes = layout.slice_bytes = round_up(row_bytes, WM_TILE_BYTES);
        return layout;
    }
    uint64_t tiles_high = round_up(height, WM_TILE_ROWS) / WM_TILE_ROWS;
    while (layout.block_shift < MOST_BLOCK_SHIFT && UINT64_C(1) << layout.block_shift < tiles_high)
        layout.block_shift++;
    layout.row_bytes = round_up(row_bytes, WM_TILE_WIDTH);
    layout.slice_bytes =
        layout.row_bytes * round_up(tiles_high, UINT64_C(1) << layout.block_shift) * WM_TILE_ROWS;
    return layout;
}

uint64_t wm_texel_layout_bytes(const struct wm_texel_layout *layout)
{
    return layout->slice_bytes * layout->slices;
}

uint64_t wm_texel_layout_address(const struct wm_texel_layout *layout, uint64_t x, uint32_t y,
                                 uint32_t slice)
{
    uint64_t begin = layout->address + slice * layout->slice_bytes;
    if (!layout->tiled)
        return begin + y * layout->row_bytes + x;
    uint64_t tiles_wide = layout->row_bytes / WM_TILE_WIDTH;
    uint64_t column = x / WM_TILE_WIDTH, row = y / WM_TILE_ROWS;
    uint64_t block = (row >> layout->block_shift) * tiles_wide + column;
    uint64_t in_block = row & ((UINT64_C(1) << layout->block_shift) - 1);
    uint64_t tile = (block << layout->block_shift) + in_block;
    uint64_t in_tile = x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
    return begin + tile * WM_TILE_BYTES + in_tile;
}

// --- Objects ---

uint64_t wm_texture_objects_reserve(struct wm_texture_objects *objects)
{
    if (!WM_ARRAY_ADD(objects->items, objects->count, objects->capacity, NULL))
        return 0;
    return objects->count;
}

void wm_texture_objects_bind(struct wm_texture_objects *objects, uint64_t number,
                             struct wm_texture *texture)
{
    if (number - 1 >= objects->count) {
        free(texture);
        return;
    }
    free(objects->items[number - 1]);
    objects->items[number - 1] = texture;
}

uint64_t wm_texture_objects_add(struct wm_texture_objects *objects,
                                const struct wm_texture *texture)
{
    struct wm_texture *copy = malloc(sizeof *copy);
    uint64_t number = copy != NULL ? wm_texture_objects_reserve(objects) : 0;
    if (number == 0) {
        free(copy);
        return 0;
    }
    *copy = *texture;
    wm_texture_objects_bind(objects, number, copy);
    return number;
}

const struct wm_texture *wm_texture_objects_find(const struct wm_texture_objects *objects,
                                                 uint64_t number)
{
    return objects != NULL && number - 1 < objects->count ? objects->items[number - 1] : NULL;
}

bool wm_texture_objects_remove(struct wm_texture_objects *objects, uint64_t number)
{
    if (wm_texture_objects_find(objects, number) == NULL)
        return false;
    free(objects->items[number - 1]);
    objects->items[number - 1] = NULL;
    return true;
}

void wm_texture_objects_release(struct wm_texture_objects *objects)
{
    for (uint64_t i = 0; i < objects->count; i++)
        free(objects->items[i]);
    free(objects->items);
    *objects = (struct wm_texture_objects){0};
}
