// The C library's own malloc() and its like, behind those of the plain names that this library puts
// in front of them (heap_calls.c). Private to host_trace/.
#ifndef WM_HOST_TRACE_LIBC_HEAP_H
#define WM_HOST_TRACE_LIBC_HEAP_H

#include <stddef.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

#endif
