// What a SASS instruction does to memory, from its name: "LDG.E.64.SYS" loads from global memory.
// docs/formats/accelsim.md has the table.
#ifndef WM_SOURCE_SASS_OPCODE_H
#define WM_SOURCE_SASS_OPCODE_H

#include "base/access/access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_sass_class {
    WM_SASS_OTHER,
    WM_SASS_MEMORY,  // the fields below hold
    WM_SASS_BARRIER, // lanes come to a barrier of the block and wait
    WM_SASS_EXIT,    // its lanes end
    WM_SASS_UNTOLD,  // accesses memory at addresses that traces lack: textures, surfaces, TMA
};

struct wm_sass_opcode {
    enum wm_sass_class class;
    enum wm_access_kind kind;
    enum wm_address_space space;
    bool generic; // the address decides the space
    enum wm_cache_hint hint;
    uint32_t bytes; // a lane; 0: the trace's width
    uint32_t lanes; // with an address: all, but of LDSM one for each row that is read
    bool is_tma;    // its line has a format of its own behind the width
    bool is_gmma;   // its line has one more number behind the sources
};

void wm_sass_opcode(const char *name, size_t length, struct wm_sass_opcode *opcode);

#endif
