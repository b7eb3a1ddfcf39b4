// Traces of Accel-Sim as a recording (docs/formats/accelsim.md). The traces are read twice: first
// for the kernels' instructions, then for what warps did, because a recording has a kernel's code
// before its launches. Memory in use depends on the kernels' instructions and on the largest block,
// not on the length of the traces.
#ifndef WM_SOURCE_ACCELSIM_ACCELSIM_IMPORT_H
#define WM_SOURCE_ACCELSIM_ACCELSIM_IMPORT_H

#include "base/error.h"

#include <stdint.h>

struct wm_accelsim_import {
    const char *path;     // of kernelslist.g, or of one kernel's trace
    const char *output;   // of the recording, which is written whole or not at all
    const char *writer;   // "warpmem 0.1.0"
    uint64_t most_blocks; // of a grid; 0: WM_ACCELSIM_MOST_BLOCKS
    // What was found; set by the import.
    uint64_t launches, kernels;
    uint64_t warp_instructions, thread_instructions;
    uint64_t missing_blocks;   // of a grid, that its trace does not have: they do nothing
    uint64_t skipped_accesses; // warp instructions of textures, surfaces and TMA: left out
    char skipped_opcode[32];   // the first of them
};

#define WM_ACCELSIM_MOST_BLOCKS (UINT64_C(1) << 26)

// WM_NOT_FOUND, WM_INVALID (with file and line), WM_IO, WM_NO_MEMORY.
enum wm_status wm_accelsim_import(struct wm_accelsim_import *import, struct wm_error *error);

#endif
