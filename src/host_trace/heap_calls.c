// malloc() and its like, in front of the C library's. They lead to its own at once but in a run
// with `--check memory`, where blocks have guards (heap_blocks.h). Only programs compiled with
// `warpmem cc --trace-host` have this library.
#include "host_trace/exported_calls.h"
#include "host_trace/heap_blocks.h"
#include "host_trace/libc_heap.h"
#include "host_trace/real_calls.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The names are the C library's and the C++ runtime's.
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { ALIGNMENT = 16 }; // of malloc(): max_align_t's
static const size_t page_bytes = 4096;

static void *made(void *block)
{
    if (block == NULL)
        errno = ENOMEM;
    return block;
}

EXPORTED void *malloc(size_t bytes)
{
    if (__builtin_expect(!wm_host_heap_is_checked, true))
        return __libc_malloc(bytes);
    return made(wm_host_heap_make(bytes, ALIGNMENT, CALLER));
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_expect(!wm_host_heap_is_checked, true))
        return __libc_calloc(count, bytes);
    if (__builtin_mul_overflow(count, bytes, &all))
        return made(NULL);
    void *block = made(wm_host_heap_make(all, ALIGNMENT, CALLER));
    return block != NULL ? memset(block, 0, all) : NULL;
}

static void release(void *block, const void *code)
{
    int reason = errno; // POSIX.1-2024: free() leaves it alone
    if (block != NULL && !(wm_host_heap_is_checked && wm_host_heap_free(block, code)))
        __libc_free(block);
    errno = reason;
}

EXPORTED void free(void *block)
{
    release(block, CALLER);
}

// A block is always another than before, so that uses of the old one are found.
static void *resize(void *block, size_t bytes, const void *code)
{
    if (block == NULL)
        return made(wm_host_heap_make(bytes, ALIGNMENT, code));
    size_t before = wm_host_heap_size(block);
    if (before == WM_HOST_NO_BLOCK)
        return __libc_realloc(block, bytes);
    void *moved = bytes != 0 ? made(wm_host_heap_make(bytes, ALIGNMENT, code)) : NULL;
    if (moved == NULL && bytes != 0)
        return NULL;
    if (moved != NULL)
        memcpy(moved, block, before < bytes ? before : bytes);
    release(block, code);
    return moved;
}

EXPORTED void *realloc(void *block, size_t bytes)
{
    if (__builtin_expect(!wm_host_heap_is_checked, true))
        return __libc_realloc(block, bytes);
    return resize(block, bytes, CALLER);
}

EXPORTED void *reallocarray(void *block, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all))
        return made(NULL);
    if (__builtin_expect(!wm_host_heap_is_checked, true))
        return __libc_realloc(block, all);
    return resize(block, all, CALLER);
}

static void *aligned(size_t alignment, size_t bytes, const void *code)
{
    if (!wm_host_heap_is_checked)
        return __libc_memalign(alignment, bytes);
    size_t power = ALIGNMENT;
    while (power < alignment && power <= SIZE_MAX / 4)
        power *= 2;
    return made(wm_host_heap_make(bytes, power, code));
}

EXPORTED void *memalign(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, CALLER);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes, CALLER);
}

EXPORTED void *valloc(size_t bytes)
{
    return aligned(page_bytes, bytes, CALLER);
}

EXPORTED void *pvalloc(size_t bytes)
{
    return aligned(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes, CALLER);
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    int reason = errno;
    if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    void *result = aligned(alignment, bytes, CALLER);
    errno = reason;
    if (result == NULL)
        return ENOMEM;
    *block = result;
    return 0;
}

EXPORTED size_t malloc_usable_size(void *block)
{
    size_t bytes =
        wm_host_heap_is_checked && block != NULL ? wm_host_heap_size(block) : WM_HOST_NO_BLOCK;
    return bytes != WM_HOST_NO_BLOCK ? bytes : REAL(malloc_usable_size)(block);
}

// --- new: a block's place is the program's, not the C++ runtime's ---

// Without memory the runtime's own throws.
#define NEW(name)                                                                         \
    EXPORTED void *name(size_t bytes)                                                     \
    {                                                                                     \
        static void *(*real)(size_t bytes);                                               \
        void *block =                                                                     \
            wm_host_heap_is_checked ? wm_host_heap_make(bytes, ALIGNMENT, CALLER) : NULL; \
        if (block != NULL)                                                                \
            return block;                                                                 \
        if (real == NULL)                                                                 \
            real = (__typeof__(real))wm_host_real(#name, NULL);                           \
        return real(bytes);                                                               \
    }

NEW(_Znwm) // operator new(unsigned long)
NEW(_Znam) // operator new[](unsigned long)
