// Textures and surfaces as kernels see them: where their texels lie, and how they are read (CUDA
// C++ Programming Guide, "Texture and Surface Memory" and the appendix on texture fetching). What
// NVIDIA does not publish is decided here and documented in docs/textures.md.
//
// An object is a 64-bit number that a kernel hands to tex, suld and their kin (PTX ISA 5.3, unified
// mode). A reference is a variable whose address is such a number: what it stands for changes.
// Thread rules: as device memory's, by whose owner objects are made and destroyed.
#ifndef WM_EXEC_TEXTURE_H
#define WM_EXEC_TEXTURE_H

#include "base/access/access.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_texel_kind { WM_TEXEL_SIGNED, WM_TEXEL_UNSIGNED, WM_TEXEL_FLOAT };

struct wm_texel_format {
    enum wm_texel_kind kind;
    uint8_t channels;      // 1, 2 or 4
    uint8_t channel_bytes; // 1, 2 or 4; floats 2 or 4
};

static inline uint32_t wm_texel_bytes(const struct wm_texel_format *format)
{
    return (uint32_t)format->channels * format->channel_bytes;
}

// Where the texels of one mipmap level lie. Rows follow each other (linear); or tiles of 64 bytes
// and 8 rows do, a column of 2^block_shift of them at a time (src/exec/texture/texture_layout.c).
struct wm_texel_layout {
    uint64_t address;     // in device memory
    uint64_t row_bytes;   // linear: from row to row; tiled: of a row of tiles, in its width
    uint64_t slice_bytes; // from slice to slice
    uint32_t width, height, slices; // in texels, at least 1; slices: depth, layers, or faces
    bool tiled;
    uint8_t block_shift;
};

enum { WM_TILE_BYTES = 512, WM_TILE_WIDTH = 64, WM_TILE_ROWS = 8, WM_TILE_RUN = 16 };

// The layout of a level of an array; `rows`: it has more than one dimension, and is tiled. Its
// address is 0.
struct wm_texel_layout wm_texel_layout_of(uint32_t texel_bytes, uint32_t width, uint32_t height,
                                          uint32_t slices, bool rows);
uint64_t wm_texel_layout_bytes(const struct wm_texel_layout *layout);
// The address of byte `x` of row `y` of a slice, all within the layout. In tiles, bytes up to the
// next multiple of WM_TILE_RUN of x follow it.
uint64_t wm_texel_layout_address(const struct wm_texel_layout *layout, uint64_t x, uint32_t y,
                                 uint32_t slice);

enum wm_texture_memory {
    WM_TEXTURE_LINEAR, // texels one after the other, fetched by number
    WM_TEXTURE_PITCH,  // rows of them
    WM_TEXTURE_ARRAY,  // levels in layouts of their own
};

enum wm_texture_address { // as cudaTextureAddressMode numbers them
    WM_ADDRESS_WRAP,
    WM_ADDRESS_CLAMP,
    WM_ADDRESS_MIRROR,
    WM_ADDRESS_BORDER,
};

enum { WM_TEXTURE_LEVELS = 18 }; // of a width of 131,072 texels: more than any has

struct wm_texture {
    enum wm_texture_memory memory;
    bool surface; // the object is a surface: nothing of the sampler counts
    struct wm_texel_format format;
    uint8_t dimensions; // 1 to 3; a cubemap has 2
    bool layered, cubemap;
    uint32_t level_count;
    struct wm_texel_layout levels[WM_TEXTURE_LEVELS];
    // The sampler.
    enum wm_texture_address address[3];
    bool linear;     // filter
    bool normalized; // coordinates go from 0 to 1
    bool to_float;   // integers of 8 and 16 bits become floats from 0 or -1 to 1
    bool srgb;
    float border[4];
    bool mipmap_linear;
    float mipmap_bias, mipmap_least, mipmap_most;
};

// What fetches give: floats, or integers as they are.
static inline bool wm_texture_gives_float(const struct wm_texture *texture)
{
    return texture->format.kind == WM_TEXEL_FLOAT || texture->to_float || texture->srgb;
}

// The objects of a device. All zero: none. Numbers are not used again.
struct wm_texture_objects {
    struct wm_texture **items; // owned, by number less one; NULL: destroyed
    uint64_t count, capacity;
};

// The object's number; 0 when out of memory. The texture is copied.
uint64_t wm_texture_objects_add(struct wm_texture_objects *objects,
                                const struct wm_texture *texture);
// A number that nothing stands under yet, for a reference (.texref, .surfref) that the program
// binds later; 0 when out of memory.
uint64_t wm_texture_objects_reserve(struct wm_texture_objects *objects);
// What a reserved number stands for from now on, instead of what was bound before: `texture`, which
// is taken over (from malloc), or nothing when NULL. Of a table that was released since: no effect.
void wm_texture_objects_bind(struct wm_texture_objects *objects, uint64_t number,
                             struct wm_texture *texture);
// NULL when there is none of that number, or nothing bound.
const struct wm_texture *wm_texture_objects_find(const struct wm_texture_objects *objects,
                                                 uint64_t number);
// False when there is none of that number.
bool wm_texture_objects_remove(struct wm_texture_objects *objects, uint64_t number);
void wm_texture_objects_release(struct wm_texture_objects *objects);

#endif
