// Texture fetches of one lane (private to exec/): which texels it reads, and what comes of them.
#ifndef WM_EXEC_TEXTURE_SAMPLE_H
#define WM_EXEC_TEXTURE_SAMPLE_H

#include "exec/texture/texture.h"

// The fetch of one lane.
struct wm_texture_query {
    bool integer;         // coordinates are texels' numbers, not filtered
    int64_t texel[3];     // integer
    float coordinates[3]; // not integer; of a cubemap the direction
    int64_t layer;
    bool has_level, has_gradients;
    float level;
    float gradients[2][3]; // along x and along y, of each coordinate
    int gather;            // tld4: the channel; -1: a fetch
};

struct wm_footprint_texel {
    uint64_t address; // 0: outside of the texture; the border's color
    double weight;
};

// The texels of a fetch, those of weight 0 left out. Of a gather four, in the order of its results.
struct wm_footprint {
    uint32_t count;
    struct wm_footprint_texel texels[WM_MOST_ACCESSES];
};

void wm_texture_footprint(const struct wm_texture *texture, const struct wm_texture_query *query,
                          struct wm_footprint *footprint);
// The four results as registers of 32 bits have them, from texels that can be read.
void wm_texture_result(const struct wm_texture *texture, const struct wm_texture_query *query,
                       const struct wm_footprint *footprint, uint32_t result[4]);

#endif
