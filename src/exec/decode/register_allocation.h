// Places of a function's registers in its frame (private to exec/). PTX has as many registers as
// it likes; two that are never live at once share a place, so that a warp's registers stay in the
// host's nearest caches. Lanes never read each other's registers but at the same instruction, and
// writes are masked, so liveness of one thread is enough even where lanes have parted.
#ifndef WM_EXEC_DECODE_REGISTER_ALLOCATION_H
#define WM_EXEC_DECODE_REGISTER_ALLOCATION_H

#include "exec/interpreter.h"

enum wm_register_class {
    WM_CLASS_4,         // 32-bit lanes: types of up to 32 bits
    WM_CLASS_8,         // 64-bit lanes
    WM_CLASS_16,        // .b128: the low 64 bits of all lanes, then the high ones
    WM_CLASS_PREDICATE, // one bit a lane, in 64 bits
    WM_CLASSES,
    WM_CLASS_NONE = WM_CLASSES, // a type that cannot be held
};

struct wm_register_allocation {
    uint32_t *offsets;    // by register: bytes in the frame
    uint32_t frame_bytes; // of registers alone, a multiple of 64
    uint32_t live_units;  // the most 32-bit registers live at once (predicates not counted)
};

enum wm_register_class wm_register_class_of(wm_ptx_type type);
// Bytes of one register of that class for a warp.
uint32_t wm_register_bytes(enum wm_register_class class, unsigned width);

// `share` false gives every register a place of its own (for tests). Allocates in `arena`;
// false when out of memory.
bool wm_registers_allocate(const struct wm_ptx_control_flow *flow, unsigned width, bool share,
                           struct wm_arena *arena, struct wm_register_allocation *places);

#endif
