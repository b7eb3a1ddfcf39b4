// Handlers of texture and surface instructions (private to exec/).
#ifndef WM_EXEC_TEXTURE_OPS_H
#define WM_EXEC_TEXTURE_OPS_H

#include "exec/interpreter.h"
#include "exec/texture/texture.h"

// Which objects an instruction is for.
struct wm_texture_geometry {
    uint8_t dimensions;
    bool layered, cubemap;
};

enum wm_texture_lod { WM_LOD_NONE, WM_LOD_LEVEL, WM_LOD_GRADIENTS };

// A texture fetch. Places are operands (interpreter.h).
struct wm_texture_form {
    struct wm_texture_geometry geometry;
    bool integer; // coordinates are of 32-bit integers
    enum wm_texture_lod detail;
    wm_ptx_type type; // of the results
    int gather;       // the channel; -1: no gather
    uint32_t object, layer, coordinates[3];
    uint32_t details[2][3]; // the level, or both gradients
    uint32_t values[4];     // WM_NO_OP: "_"; of f16x2 two
    uint32_t resident;      // a predicate that becomes true; WM_NO_OP: none
    uint32_t range;         // index of its cached range in the grid
};

wm_op_handler wm_run_texture; // op->texture

// The object with that number, if it is of that geometry; else NULL, after a fault.
const struct wm_texture *wm_texture_of(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                       uint64_t number, bool surface,
                                       const struct wm_texture_geometry *geometry);
// Whether memory from `address` on is allocated; false after a fault.
bool wm_texture_readable(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                         uint32_t range, uint64_t address, uint32_t bytes);
// The op to execute after an instruction that went to memory.
const struct wm_op *wm_texture_after(struct wm_warp *warp, const struct wm_op *op);

#endif
