// The heap of a run with `--check memory`: each block of malloc() and of `new` with a guard on
// either side, kept for a while when it is freed, so that accesses of instrumented code to what was
// freed and beyond a block are found. Private to host_trace/.
//
// Thread rules: any thread, at any time; a lock of its own. `code` is where the call, or the
// access, goes on.
#ifndef WM_HOST_TRACE_HEAP_BLOCKS_H
#define WM_HOST_TRACE_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Blocks have guards from wm_host_heap_begin() on.
extern bool wm_host_heap_is_checked;
void wm_host_heap_begin(void);

#define WM_HOST_NO_BLOCK SIZE_MAX

// A block of `bytes` at a multiple of `alignment`, a power of two. NULL without memory.
void *wm_host_heap_make(size_t bytes, size_t alignment, const void *code);
// False: this is none of the blocks that are kept here.
bool wm_host_heap_free(void *block, const void *code);
// Of a block that is kept here, freed or not; else WM_HOST_NO_BLOCK.
size_t wm_host_heap_size(const void *block);
void wm_host_heap_check(const volatile void *address, size_t bytes, bool write, const void *code);

#endif
