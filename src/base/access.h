// The vocabulary of a memory access, shared by the rooms that make accesses (exec, source), group
// them (sm) and serve them (mem), which may not include each other.
#ifndef WM_BASE_ACCESS_H
#define WM_BASE_ACCESS_H

#include "warpmem/access.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_MAX_LANES = 64, WM_SECTOR_BYTES = 32 };

// Where the address lies. Generic accesses are resolved by the interpreter, lane by lane, before
// anyone sees them; a warp instruction that touches several spaces is reported once per space.
enum wm_address_space {
    WM_SPACE_GLOBAL,
    WM_SPACE_LOCAL,  // addresses already interleaved by lane, as the hardware lays them out
    WM_SPACE_SHARED, // offsets in the block's shared memory
    WM_SPACE_CONSTANT,
    WM_SPACE_PARAMETER,
    WM_SPACE_TEXTURE,
};

// One executed memory instruction of one warp.
struct wm_warp_access {
    enum wm_access_kind kind;
    enum wm_address_space space;
    enum wm_cache_hint hint;
    uint32_t pc;               // index of the instruction in its kernel's instruction table
    uint32_t bytes_per_lane;   // element size times vector length
    uint32_t lanes;            // warp width, 32 or 64
    uint64_t active;           // lanes that take part
    const uint64_t *addresses; // by lane; undefined for inactive lanes. Borrowed for the call
};

// Who listens to the interpreter. `access` is called for each memory instruction after it has
// executed, in execution order; NULL when nobody asks. Shared-memory accesses are reported too.
struct wm_access_sink {
    void (*access)(void *context, const struct wm_warp_access *access);
    void *context;
};

#endif
