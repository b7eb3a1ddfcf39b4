// Surface loads, stores and reductions of a warp, and questions about objects: see surface_ops.h.
#include "exec/texture/surface_ops.h"

#include "exec/faults.h"
#include "exec/operations/atomics.h"
#include "exec/texture/texel.h"

// --- Where lanes go ---

static int64_t coordinate_at(const struct wm_warp *warp, uint32_t place, unsigned lane)
{
    return ((const int32_t *)wm_at(warp, place))[lane];
}

static int64_t clamped(int64_t at, int64_t last)
{
    return at < 0 ? 0 : at > last ? last : at;
}

// The bytes that a lane of this surface accesses.
static uint32_t bytes_of(const struct wm_surface_form *form, const struct wm_texture *texture)
{
    return form->formatted ? wm_texel_bytes(&texture->format) : form->memory.bytes;
}

enum placed { PLACED, OUTSIDE, FAULTED };

// The lane's address, where it is inside or clamped to be.
static enum placed place_lane(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                              const struct wm_texture *texture)
{
    const struct wm_surface_form *form = op->surface;
    const struct wm_texel_layout *level = &texture->levels[0];
    int64_t texel = wm_texel_bytes(&texture->format), bytes = bytes_of(form, texture);
    int64_t at[3] = {0, 0, 0};
    for (unsigned d = 0; d < form->geometry.dimensions; d++)
        at[d] = coordinate_at(warp, form->coordinates[d], lane);
    at[0] *= form->formatted ? texel : 1;
    if (form->geometry.layered)
        at[2] = coordinate_at(warp, form->layer, lane);
    const int64_t last[3] = {level->width * texel - bytes, (int64_t)level->height - 1,
                             (int64_t)level->slices - 1};
    for (unsigned d = 0; d < 3; d++) {
        if (at[d] >= 0 && at[d] <= last[d])
            continue;
        if (form->outside == WM_OUTSIDE_ZERO)
            return OUTSIDE;
        if (form->outside == WM_OUTSIDE_TRAP || last[d] < 0) {
            wm_fault_texture(warp, op, WM_FAULT_TRAP, lane, 0,
                             "(%lld, %lld, %lld) lies outside of the surface of %u x %u x %u "
                             "texels of %lld bytes (x in bytes, z or layer last)",
                             (long long)at[0], (long long)at[1], (long long)at[2], level->width,
                             level->height, level->slices, (long long)texel);
            return FAULTED;
        }
        at[d] = clamped(at[d], last[d]);
    }
    if (at[0] % bytes != 0) {
        wm_fault_texture(warp, op, WM_FAULT_MISALIGNED, lane, 0,
                         "byte %lld of a row is no multiple of the %lld that are accessed",
                         (long long)at[0], (long long)bytes);
        return FAULTED;
    }
    warp->addresses[lane] =
        wm_texel_layout_address(level, (uint64_t)at[0], (uint32_t)at[1], (uint32_t)at[2]);
    return wm_texture_readable(warp, op, lane, form->range, warp->addresses[lane], (uint32_t)bytes)
               ? PLACED
               : FAULTED;
}

// --- What they do there ---

static uint64_t value_at(const struct wm_warp *warp, const struct wm_memory_form *form,
                         unsigned element, unsigned lane)
{
    const void *from = wm_at(warp, form->values[element]);
    return form->wide_value ? ((const uint64_t *)from)[lane] : ((const uint32_t *)from)[lane];
}

// `inside`: of the other lanes 0 is loaded.
static void load(const struct wm_warp *warp, const struct wm_memory_form *form, uint64_t inside)
{
    for (unsigned e = 0; e < form->element_count; e++) {
        if (form->values[e] == WM_NO_OP)
            continue;
        void *to = wm_at(warp, form->values[e]);
        for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            uint64_t value = 0;
            if (inside >> lane & 1)
                memcpy(&value,
                       (const char *)(uintptr_t)warp->addresses[lane] + e * form->element_bytes,
                       form->element_bytes);
            if (form->wide_value)
                ((uint64_t *)to)[lane] = value;
            else
                ((uint32_t *)to)[lane] = (uint32_t)value;
        }
    }
}

static void store(const struct wm_warp *warp, const struct wm_memory_form *form, uint64_t inside)
{
    for (uint64_t rest = inside; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        char *to = (char *)(uintptr_t)warp->addresses[lane];
        for (unsigned e = 0; e < form->element_count; e++) {
            uint64_t value = value_at(warp, form, e, lane);
            memcpy(to + e * form->element_bytes, &value, form->element_bytes);
        }
    }
}

// The channels of one texel from registers of 32 bits: floats to the width of the format's,
// integers cut off. Channels without a register are 0.
static void store_texel(const struct wm_warp *warp, const struct wm_memory_form *form,
                        const struct wm_texel_format *format, unsigned lane)
{
    char *to = (char *)(uintptr_t)warp->addresses[lane];
    for (unsigned c = 0; c < format->channels; c++) {
        uint32_t bits = c < form->element_count ? (uint32_t)value_at(warp, form, c, lane) : 0;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (format->kind == WM_TEXEL_FLOAT && format->channel_bytes == 2)
            bits = wm_half_of_float(value);
        memcpy(to + c * format->channel_bytes, &bits, format->channel_bytes);
    }
}

static void act(struct wm_warp *warp, const struct wm_surface_form *form,
                const struct wm_texture *const *textures, uint64_t inside)
{
    char *host[WM_MAX_LANES];
    if (form->memory.kind == WM_ACCESS_LOAD) {
        load(warp, &form->memory, inside);
    } else if (form->formatted) {
        for (uint64_t rest = inside; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            store_texel(warp, &form->memory, &textures[lane]->format, lane);
        }
    } else if (form->memory.kind == WM_ACCESS_STORE) {
        store(warp, &form->memory, inside);
    } else {
        for (uint64_t rest = inside; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            host[lane] = (char *)(uintptr_t)warp->addresses[lane];
        }
        wm_atomics_execute(warp, &form->memory, inside, host, true);
    }
}

// Loads go the way of textures; stores and reductions that of other stores to device memory.
static void report(const struct wm_warp *warp, const struct wm_op *op, uint64_t inside,
                   uint32_t bytes)
{
    enum wm_access_kind kind = op->surface->memory.kind;
    struct wm_warp_access access = {.kind = kind,
                                    .space =
                                        kind == WM_ACCESS_LOAD ? WM_SPACE_TEXTURE : WM_SPACE_GLOBAL,
                                    .pc = op->pc,
                                    .bytes_per_lane = bytes,
                                    .lanes = wm_width(warp),
                                    .active = inside,
                                    .addresses = warp->addresses};
    if (warp->sink && inside)
        warp->sink->access(warp->sink->context, &access);
}

const struct wm_op *wm_run_surface(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_surface_form *form = op->surface;
    const uint64_t *objects = wm_at(warp, form->object);
    const struct wm_texture *textures[WM_MAX_LANES], *texture = NULL;
    uint64_t inside = 0, number = 0;
    uint32_t bytes = 0;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (texture == NULL || objects[lane] != number) {
            number = objects[lane];
            texture = wm_texture_of(warp, op, lane, number, true, &form->geometry);
            if (texture == NULL)
                return NULL;
        }
        enum placed placed = place_lane(warp, op, lane, texture);
        if (placed == FAULTED)
            return NULL;
        textures[lane] = texture;
        inside |= (uint64_t)(placed == PLACED) << lane;
        uint32_t of_lane = bytes_of(form, texture);
        bytes = of_lane > bytes ? of_lane : bytes;
    }
    act(warp, form, textures, inside);
    report(warp, op, inside, bytes);
    return wm_texture_after(warp, op);
}

// --- Questions ---

// The numbers of PTX ISA 5.3.2, which are OpenCL's.
static uint32_t type_of(const struct wm_texture *texture)
{
    static const uint32_t integers[2][3] = {{0x10d7, 0x10d8, 0x10d9}, {0x10da, 0x10db, 0x10dc}};
    static const uint32_t normalized[2][2] = {{0x10d0, 0x10d1}, {0x10d2, 0x10d3}};
    const struct wm_texel_format *format = &texture->format;
    unsigned size = format->channel_bytes / 2u; // 1, 2 and 4 bytes: 0, 1 and 2
    bool is_unsigned = format->kind == WM_TEXEL_UNSIGNED;
    if (format->kind == WM_TEXEL_FLOAT)
        return format->channel_bytes == 2 ? 0x10dd : 0x10de;
    return texture->to_float && size < 2 ? normalized[is_unsigned][size]
                                         : integers[is_unsigned][size];
}

static uint32_t answer(const struct wm_texture *texture, enum wm_image_query_kind question)
{
    const struct wm_texel_layout *level = &texture->levels[0];
    bool volume = texture->dimensions == 3;
    switch (question) {
    case WM_QUERY_WIDTH: return level->width;
    case WM_QUERY_HEIGHT: return texture->dimensions > 1 ? level->height : 0;
    case WM_QUERY_DEPTH: return volume ? level->slices : 0;
    case WM_QUERY_LAYERS: return texture->layered ? level->slices / (texture->cubemap ? 6 : 1) : 0;
    case WM_QUERY_LEVELS: return texture->level_count;
    case WM_QUERY_TYPE: return type_of(texture);
    case WM_QUERY_ORDER:
        return texture->format.channels == 1   ? 0x10b0
               : texture->format.channels == 2 ? 0x10b2
                                               : 0x10b5;
    case WM_QUERY_NORMALIZED: return texture->normalized;
    }
    return 0;
}

const struct wm_op *wm_run_image_query(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_image_query_form *form = op->image_query;
    const uint64_t *objects = wm_at(warp, form->object);
    uint32_t answers[WM_MAX_LANES], *to = wm_at(warp, form->value);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        const struct wm_texture *texture =
            wm_texture_objects_find(warp->grid->textures, objects[lane]);
        if (texture == NULL || texture->surface != form->surface)
            return wm_fault_texture(warp, op, WM_FAULT_OUT_OF_BOUNDS, lane, objects[lane],
                                    "0x%llx is no %s object", (unsigned long long)objects[lane],
                                    form->surface ? "surface" : "texture");
        answers[lane] = answer(texture, form->question);
    }
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1)
        to[__builtin_ctzll(rest)] = answers[__builtin_ctzll(rest)];
    return op + 1;
}

static bool is_among(const struct wm_reference_query_form *form, uint64_t number)
{
    for (uint32_t i = 0; i < form->count; i++)
        if (form->numbers[i] == number)
            return true;
    return false;
}

const struct wm_op *wm_run_reference_query(struct wm_warp *warp, const struct wm_op *op)
{
    const uint64_t *objects = wm_at(warp, op->reference_query->object);
    uint64_t holds = 0, *d = wm_predicate_at(warp, op->d);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1)
        if (is_among(op->reference_query, objects[__builtin_ctzll(rest)]))
            holds |= rest & -rest;
    *d = (*d & ~warp->mask) | holds;
    return op + 1;
}
