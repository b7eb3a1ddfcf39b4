// Texture fetches of a warp: see texture_ops.h.
//
// All lanes' texels are found and read before a result is written: results may take the places of
// coordinates. They are reported to the sink as the accesses that the footprint is made of: the
// first texel of every lane, then the second, and so on.
#include "exec/texture/texture_ops.h"

#include "exec/faults.h"
#include "exec/memory/spaces.h"
#include "exec/texture/texel.h"
#include "exec/texture/texture_sample.h"

const struct wm_texture *wm_texture_of(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                       uint64_t number, bool surface,
                                       const struct wm_texture_geometry *geometry)
{
    const char *kind = surface ? "surface" : "texture";
    const struct wm_texture *texture = wm_texture_objects_find(warp->grid->textures, number);
    if (texture == NULL || texture->surface != surface) {
        wm_fault_texture(warp, op, WM_FAULT_OUT_OF_BOUNDS, lane, number,
                         "0x%llx is no %s object: it was not made, or it was destroyed; or it is "
                         "a reference, and nothing is bound to it",
                         (unsigned long long)number, kind);
        return NULL;
    }
    // Surfaces see the faces of a cubemap as layers.
    bool layered = texture->layered || (surface && texture->cubemap);
    bool cubemap = texture->cubemap && !surface;
    if (texture->dimensions == geometry->dimensions && layered == geometry->layered &&
        cubemap == geometry->cubemap)
        return texture;
    wm_fault_texture(warp, op, WM_FAULT_OUT_OF_BOUNDS, lane, number,
                     "%s object 0x%llx is %s%s of %u dimensions, which this instruction is not "
                     "for",
                     kind, (unsigned long long)number, texture->layered ? "a layered " : "a ",
                     texture->cubemap ? "cubemap" : kind, texture->dimensions);
    return NULL;
}

bool wm_texture_readable(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                         uint32_t range, uint64_t address, uint32_t bytes)
{
    struct wm_move_range *known = &warp->grid->ranges[range];
    if (known->size_bytes >= bytes && address - known->low <= known->size_bytes - bytes)
        return true;
    const struct wm_allocation *found =
        wm_device_memory_find_range(warp->grid->memory, address, bytes, false);
    if (found == NULL) {
        wm_fault_texture(warp, op, WM_FAULT_OUT_OF_BOUNDS, lane, address,
                         "the object's memory at 0x%llx is not allocated, or was freed",
                         (unsigned long long)address);
        return false;
    }
    const struct wm_grid *grid = warp->grid;
    if (!wm_device_memory_reaches(grid->memory, grid->gpu, grid->peers, found)) {
        wm_fault_texture(warp, op, WM_FAULT_PEER, lane, address,
                         "the object's memory at 0x%llx is that of device %u, to which device %u "
                         "has no access",
                         (unsigned long long)address, wm_device_memory_gpu_of(grid->memory, found),
                         grid->gpu);
        return false;
    }
    *known = (struct wm_move_range){.low = found->address, .size_bytes = found->size_bytes};
    return true;
}

const struct wm_op *wm_texture_after(struct wm_warp *warp, const struct wm_op *op)
{
    if (!warp->stop_at_memory)
        return op + 1;
    warp->next = op + 1;
    return NULL;
}

// --- Queries ---

static uint32_t word_at(const struct wm_warp *warp, uint32_t place, unsigned lane)
{
    return ((const uint32_t *)wm_at(warp, place))[lane];
}

static float float_at(const struct wm_warp *warp, uint32_t place, unsigned lane)
{
    return ((const float *)wm_at(warp, place))[lane];
}

// In place, since a processor is held up when it copies what it has just written in other pieces.
static void fill_query(const struct wm_warp *warp, const struct wm_texture_form *form,
                       unsigned lane, struct wm_texture_query *query)
{
    memset(query, 0, sizeof(*query));
    query->integer = form->integer;
    query->has_level = form->detail == WM_LOD_LEVEL;
    query->has_gradients = form->detail == WM_LOD_GRADIENTS;
    query->gather = form->gather;
    unsigned count = form->geometry.cubemap ? 3 : form->geometry.dimensions;
    for (unsigned d = 0; d < count; d++) {
        if (form->integer)
            query->texel[d] = (int32_t)word_at(warp, form->coordinates[d], lane);
        else
            query->coordinates[d] = float_at(warp, form->coordinates[d], lane);
    }
    if (form->geometry.layered)
        query->layer = (int32_t)word_at(warp, form->layer, lane);
    if (query->has_level)
        query->level = float_at(warp, form->details[0][0], lane);
    for (unsigned along = 0; along < 2 && query->has_gradients; along++)
        for (unsigned d = 0; d < count; d++)
            query->gradients[along][d] = float_at(warp, form->details[along][d], lane);
}

// --- Results ---

static uint32_t half_of(const struct wm_texture *texture, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return wm_texture_gives_float(texture) ? wm_half_of_float(value) : bits & 0xffff;
}

// The registers' values, in place.
static void convert(const struct wm_texture_form *form, const struct wm_texture *texture,
                    uint32_t values[4])
{
    if (form->type != WM_PTX_f16 && form->type != WM_PTX_f16x2)
        return;
    for (unsigned i = 0; i < 4; i++)
        values[i] = half_of(texture, values[i]);
    if (form->type == WM_PTX_f16)
        return;
    values[0] |= values[1] << 16;
    values[1] = values[2] | values[3] << 16;
}

struct fetches {
    uint32_t values[WM_MAX_LANES][4];
    struct wm_footprint footprints[WM_MAX_LANES];
    uint32_t texel_bytes; // the largest of the lanes' textures
};

static bool fetch_lane(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                       const struct wm_texture *texture, struct fetches *fetches)
{
    const struct wm_texture_form *form = op->texture;
    struct wm_footprint *footprint = &fetches->footprints[lane];
    struct wm_texture_query query;
    uint32_t bytes = wm_texel_bytes(&texture->format);
    fill_query(warp, form, lane, &query);
    wm_texture_footprint(texture, &query, footprint);
    for (uint32_t i = 0; i < footprint->count; i++) {
        uint64_t address = footprint->texels[i].address;
        if (address != 0 && !wm_texture_readable(warp, op, lane, form->range, address, bytes))
            return false;
    }
    wm_texture_result(texture, &query, footprint, fetches->values[lane]);
    convert(form, texture, fetches->values[lane]);
    fetches->texel_bytes = fetches->texel_bytes > bytes ? fetches->texel_bytes : bytes;
    return true;
}

static void write_results(const struct wm_warp *warp, const struct wm_texture_form *form,
                          const struct fetches *fetches)
{
    for (unsigned i = 0; i < 4; i++) {
        if (form->values[i] == WM_NO_OP)
            continue;
        uint32_t *to = wm_at(warp, form->values[i]);
        for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            to[lane] = fetches->values[lane][i];
        }
    }
    if (form->resident != WM_NO_OP)
        *wm_predicate_at(warp, form->resident) |= warp->mask;
}

// --- The report ---

// The lanes that read a texel number `part`, the border left out, and its addresses.
static uint64_t part_of(struct wm_warp *warp, struct fetches *fetches, uint32_t part)
{
    uint64_t lanes = 0;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        const struct wm_footprint *footprint = &fetches->footprints[lane];
        if (part >= footprint->count)
            continue;
        // Lanes with textures of smaller texels: in the same sector.
        warp->addresses[lane] =
            footprint->texels[part].address & ~(uint64_t)(fetches->texel_bytes - 1);
        lanes |= UINT64_C(1) << lane;
    }
    return lanes;
}

// Leaves those that are read, in their order.
static void drop_border(struct wm_footprint *footprint)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < footprint->count; i++)
        if (footprint->texels[i].address != 0)
            footprint->texels[count++] = footprint->texels[i];
    footprint->count = count;
}

static void report(struct wm_warp *warp, const struct wm_op *op, struct fetches *fetches)
{
    uint32_t parts = 0;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        struct wm_footprint *footprint = &fetches->footprints[__builtin_ctzll(rest)];
        drop_border(footprint);
        parts = footprint->count > parts ? footprint->count : parts;
    }
    for (uint32_t part = 0; part < parts; part++) {
        struct wm_warp_access access = {.kind = WM_ACCESS_LOAD,
                                        .space = WM_SPACE_TEXTURE,
                                        .pc = op->pc,
                                        .bytes_per_lane = fetches->texel_bytes,
                                        .lanes = wm_width(warp),
                                        .active = part_of(warp, fetches, part),
                                        .addresses = warp->addresses,
                                        .continues = part + 1 < parts};
        warp->sink->access(warp->sink->context, &access);
    }
}

const struct wm_op *wm_run_texture(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_texture_form *form = op->texture;
    const uint64_t *objects = wm_at(warp, form->object);
    const struct wm_texture *texture = NULL;
    uint64_t number = 0;
    struct fetches fetches; // of the current lanes
    fetches.texel_bytes = 0;
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (texture == NULL || objects[lane] != number) {
            number = objects[lane];
            texture = wm_texture_of(warp, op, lane, number, false, &form->geometry);
            if (texture == NULL)
                return NULL;
        }
        if (!fetch_lane(warp, op, lane, texture, &fetches))
            return NULL;
    }
    write_results(warp, form, &fetches);
    if (warp->sink)
        report(warp, op, &fetches);
    return wm_texture_after(warp, op);
}
