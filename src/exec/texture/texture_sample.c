// Texture fetches of one lane: see texture_sample.h. The formulas are those of the CUDA C++
// Programming Guide, appendix "Texture Fetching"; what it leaves open is documented in
// docs/textures.md.
#include "exec/texture/texture_sample.h"

#include "exec/texture/texel.h"

#include <math.h>
#include <string.h>

enum { WEIGHT_STEPS = 256 }; // weights have 8 bits of fraction

// Coordinates beyond it are as far out as it is.
static const double farthest = 1e15;

// One coordinate's part of a footprint: one texel, or two neighbours.
struct axis {
    unsigned count;
    int64_t texels[2]; // -1: outside
    double weights[2];
};

// The texel that stands for number `i` of `size`, or -1.
static int64_t resolve(int64_t i, uint32_t size, enum wm_texture_address mode)
{
    int64_t n = size;
    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case WM_ADDRESS_WRAP: return (i % n + n) % n;
    case WM_ADDRESS_MIRROR: i = (i % (2 * n) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i;
    case WM_ADDRESS_CLAMP: return i < 0 ? 0 : n - 1;
    case WM_ADDRESS_BORDER: break;
    }
    return -1;
}

static double bounded(double at)
{
    if (!(at > -farthest))
        return at < 0 ? -farthest : 0; // not a number: 0
    return at < farthest ? at : farthest;
}

// Axes are filled in place, and of a single texel without its neighbour: to copy what has just been
// written in other pieces holds a processor up.
static void point_axis(struct axis *axis, int64_t texel, uint32_t size,
                       enum wm_texture_address mode)
{
    axis->count = 1;
    axis->texels[0] = resolve(texel, size, mode);
    axis->weights[0] = 1;
}

// `at`: in texels. `both`: neighbours without weight, too, as a gather reads them.
static void linear_axis(struct axis *axis, double at, uint32_t size, enum wm_texture_address mode,
                        bool both)
{
    double from = floor(at - 0.5);
    double share = floor((at - 0.5 - from) * WEIGHT_STEPS + 0.5) / WEIGHT_STEPS;
    int64_t texel = (int64_t)from;
    point_axis(axis, !both && share >= 1 ? texel + 1 : texel, size, mode);
    if (!both && (share <= 0 || share >= 1))
        return;
    axis->count = 2;
    axis->texels[1] = resolve(texel + 1, size, mode);
    axis->weights[0] = 1 - share;
    axis->weights[1] = share;
}

static uint32_t size_of(const struct wm_texel_layout *level, unsigned dimension)
{
    return dimension == 0 ? level->width : dimension == 1 ? level->height : level->slices;
}

// The sides of a cubemap, in the order of its slices (Programming Guide, "Cubemap Textures"). Of
// equal coordinates x goes before y, and y before z.
static uint32_t face_of(const float direction[3], double coordinates[2])
{
    double x = (double)direction[0], y = (double)direction[1], z = (double)direction[2];
    double m, s, t;
    uint32_t face;
    if (fabs(x) >= fabs(y) && fabs(x) >= fabs(z)) {
        face = x >= 0 ? 0 : 1;
        m = fabs(x);
        s = x >= 0 ? -z : z;
        t = -y;
    } else if (fabs(y) >= fabs(z)) {
        face = y >= 0 ? 2 : 3;
        m = fabs(y);
        s = x;
        t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = fabs(z);
        s = z >= 0 ? x : -x;
        t = -y;
    }
    coordinates[0] = (s / m + 1) / 2;
    coordinates[1] = (t / m + 1) / 2;
    return face;
}

static uint32_t clamped_layer(const struct wm_texture *texture, const struct wm_texel_layout *level,
                              int64_t layer)
{
    int64_t layers = level->slices / (texture->cubemap ? 6 : 1);
    if (!texture->layered || layer < 0)
        return 0;
    return (uint32_t)(layer < layers ? layer : layers - 1);
}

static void add_texel(const struct wm_texture *texture, const struct wm_texel_layout *level,
                      const int64_t at[3], double weight, struct wm_footprint *footprint)
{
    struct wm_footprint_texel *texel = &footprint->texels[footprint->count++];
    uint64_t bytes = wm_texel_bytes(&texture->format);
    *texel = (struct wm_footprint_texel){.weight = weight};
    if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0)
        texel->address = wm_texel_layout_address(level, (uint64_t)at[0] * bytes, (uint32_t)at[1],
                                                 (uint32_t)at[2]);
}

// All combinations of the axes, x fastest.
static void add_axes(const struct wm_texture *texture, const struct wm_texel_layout *level,
                     const struct axis axes[3], double weight, struct wm_footprint *footprint)
{
    for (unsigned z = 0; z < axes[2].count; z++)
        for (unsigned y = 0; y < axes[1].count; y++)
            for (unsigned x = 0; x < axes[0].count; x++) {
                const int64_t at[3] = {axes[0].texels[x], axes[1].texels[y], axes[2].texels[z]};
                add_texel(texture, level, at,
                          axes[0].weights[x] * axes[1].weights[y] * axes[2].weights[z] * weight,
                          footprint);
            }
}

// tld4's order: (i, j+1), (i+1, j+1), (i+1, j), (i, j).
static void add_gathered(const struct wm_texture *texture, const struct wm_texel_layout *level,
                         const struct axis axes[3], struct wm_footprint *footprint)
{
    static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (unsigned i = 0; i < 4; i++) {
        const int64_t at[3] = {axes[0].texels[order[i][0]], axes[1].texels[order[i][1]],
                               axes[2].texels[0]};
        add_texel(texture, level, at, 1, footprint);
    }
}

static void add_level(const struct wm_texture *texture, const struct wm_texture_query *query,
                      uint32_t number, double weight, struct wm_footprint *footprint)
{
    const struct wm_texel_layout *level = &texture->levels[number];
    bool linear = (texture->linear || query->gather >= 0) && !query->integer;
    bool normalized = texture->normalized || texture->cubemap;
    double coordinates[3] = {(double)query->coordinates[0], (double)query->coordinates[1],
                             (double)query->coordinates[2]};
    uint32_t slice = clamped_layer(texture, level, query->layer);
    if (texture->cubemap)
        slice = slice * 6 + face_of(query->coordinates, coordinates);
    struct axis axes[3];
    for (unsigned d = 0; d < 3; d++) {
        if (d >= texture->dimensions) {
            point_axis(&axes[d], d == 2 ? (int64_t)slice : 0, level->slices, WM_ADDRESS_CLAMP);
            continue;
        }
        uint32_t size = size_of(level, d);
        enum wm_texture_address mode = texture->address[d];
        double at = bounded(coordinates[d] * (normalized ? (double)size : 1.0));
        if (query->integer)
            point_axis(&axes[d], query->texel[d], size, mode);
        else if (linear)
            linear_axis(&axes[d], at, size, mode, query->gather >= 0);
        else
            point_axis(&axes[d], (int64_t)floor(at), size, mode);
    }
    if (query->gather >= 0)
        add_gathered(texture, level, axes, footprint);
    else
        add_axes(texture, level, axes, weight, footprint);
}

// The level of detail: of gradients the logarithm of the longer one in texels.
static double detail_of(const struct wm_texture *texture, const struct wm_texture_query *query)
{
    double detail = query->has_level ? (double)query->level : 0, longest = 0;
    if (query->has_gradients) {
        for (unsigned along = 0; along < 2; along++) {
            double sum = 0;
            for (unsigned d = 0; d < texture->dimensions; d++) {
                double texels = (double)query->gradients[along][d] *
                                (texture->normalized ? (double)size_of(&texture->levels[0], d) : 1);
                sum += texels * texels;
            }
            longest = fmax(longest, sqrt(sum));
        }
        detail = log2(longest);
    }
    detail = bounded(detail + (double)texture->mipmap_bias);
    detail = fmin(fmax(detail, (double)texture->mipmap_least), (double)texture->mipmap_most);
    return fmin(fmax(detail, 0), (double)(texture->level_count - 1));
}

void wm_texture_footprint(const struct wm_texture *texture, const struct wm_texture_query *query,
                          struct wm_footprint *footprint)
{
    footprint->count = 0;
    if (texture->level_count == 1 || query->gather >= 0) {
        add_level(texture, query, 0, 1, footprint);
        return;
    }
    double detail = detail_of(texture, query);
    if (!texture->mipmap_linear) {
        add_level(texture, query, (uint32_t)floor(detail + 0.5), 1, footprint);
        return;
    }
    uint32_t level = (uint32_t)detail;
    double share = floor((detail - level) * WEIGHT_STEPS + 0.5) / WEIGHT_STEPS;
    if (share < 1)
        add_level(texture, query, level, 1 - share, footprint);
    if (share > 0)
        add_level(texture, query, level + 1, share, footprint);
}

// --- What comes of the texels ---

static void floats_of(const struct wm_texture *texture, uint64_t address, float channels[4])
{
    if (address != 0)
        wm_texel_floats(texture, (const void *)(uintptr_t)address, channels);
    else
        wm_border_floats(texture, channels);
}

static void integers_of(const struct wm_texture *texture, uint64_t address, uint32_t channels[4])
{
    if (address != 0)
        wm_texel_integers(&texture->format, (const void *)(uintptr_t)address, channels);
    else
        wm_border_integers(texture, channels);
}

static void channels_of(const struct wm_texture *texture, uint64_t address, uint32_t channels[4])
{
    float floats[4];
    if (!wm_texture_gives_float(texture)) {
        integers_of(texture, address, channels);
        return;
    }
    floats_of(texture, address, floats);
    memcpy(channels, floats, sizeof floats);
}

void wm_texture_result(const struct wm_texture *texture, const struct wm_texture_query *query,
                       const struct wm_footprint *footprint, uint32_t result[4])
{
    uint32_t channels[4];
    if (query->gather >= 0) {
        for (unsigned i = 0; i < 4; i++) {
            channels_of(texture, footprint->texels[i].address, channels);
            result[i] = channels[query->gather];
        }
        return;
    }
    if (footprint->count == 1) {
        channels_of(texture, footprint->texels[0].address, result);
        return;
    }
    double sums[4] = {0};
    for (uint32_t i = 0; i < footprint->count; i++) {
        float floats[4];
        floats_of(texture, footprint->texels[i].address, floats);
        for (unsigned c = 0; c < 4; c++)
            sums[c] += footprint->texels[i].weight * (double)floats[c];
    }
    for (unsigned c = 0; c < 4; c++) {
        float value = (float)sums[c];
        memcpy(&result[c], &value, sizeof value);
    }
}
