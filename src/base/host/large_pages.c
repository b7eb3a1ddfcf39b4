#include "base/host/large_pages.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

// A piece is smaller than the largest size that the allocator can be made to take from its heap
// instead of mapping it (mallopt(3), M_MMAP_THRESHOLD: 32 MiB on 64-bit hosts).
enum { PIECES = 4 };
static const size_t piece_bytes = (size_t)31 << 20, page_bytes = (size_t)2 << 20;
static const int threshold_bytes = 32 << 20, never_trim = INT32_MAX;

// A host that refuses the advice costs time alone, so the result is not checked.
static void advise(char *begin, size_t bytes)
{
    uintptr_t first = ((uintptr_t)begin + page_bytes - 1) & ~(page_bytes - 1);
    uintptr_t end = ((uintptr_t)begin + bytes) & ~(page_bytes - 1);
    if (first < end)
        madvise((void *)first, end - first, MADV_HUGEPAGE); // NOLINT(performance-no-int-to-ptr)
}

// Grows the heap by these pieces, advises each, and frees them: later allocations come from them,
// lowest address first, and what is left of them is never touched.
static void prefer(void)
{
    char *pieces[PIECES];
    mallopt(M_ARENA_MAX, 1); // else other threads have heaps of their own
    mallopt(M_MMAP_THRESHOLD, threshold_bytes);
    mallopt(M_TRIM_THRESHOLD, never_trim);
    for (int i = 0; i < PIECES; i++) {
        pieces[i] = malloc(piece_bytes);
        if (pieces[i] != NULL)
            advise(pieces[i], piece_bytes);
    }
    for (int i = 0; i < PIECES; i++)
        free(pieces[i]);
}

void wm_prefer_large_pages(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prefer);
}
