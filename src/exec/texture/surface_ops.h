// Handlers of surface instructions (private to exec/).
#ifndef WM_EXEC_SURFACE_OPS_H
#define WM_EXEC_SURFACE_OPS_H

#include "exec/texture/texture_ops.h"

// What becomes of lanes outside of the surface (PTX ISA 9.7.11, ".clamp").
enum wm_surface_outside { WM_OUTSIDE_TRAP, WM_OUTSIDE_CLAMP, WM_OUTSIDE_ZERO };

struct wm_surface_form {
    struct wm_texture_geometry geometry;
    enum wm_surface_outside outside;
    bool formatted; // sust.p: x counts texels, and values are converted to the surface's format
    uint32_t object, layer, coordinates[3];
    uint32_t range;
    // Kind, bytes and registers of the access, and of reductions the operation.
    struct wm_memory_form memory;
};

wm_op_handler wm_run_surface; // op->surface

// txq and suq: the result's place, and what is queried.
enum wm_image_query_kind {
    WM_QUERY_WIDTH,
    WM_QUERY_HEIGHT,
    WM_QUERY_DEPTH,
    WM_QUERY_LAYERS,
    WM_QUERY_LEVELS,
    WM_QUERY_TYPE,
    WM_QUERY_ORDER,
    WM_QUERY_NORMALIZED,
};

struct wm_image_query_form {
    enum wm_image_query_kind question;
    bool surface;
    uint32_t object, value;
};

wm_op_handler wm_run_image_query; // op->image_query

// istypep: the numbers of the program's references of the type that is tested.
struct wm_reference_query_form {
    uint32_t object; // place of the numbers looked at
    uint32_t count;
    uint64_t numbers[];
};

wm_op_handler wm_run_reference_query; // op->reference_query, op->d a predicate

#endif
