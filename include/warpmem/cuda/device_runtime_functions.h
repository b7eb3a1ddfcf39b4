// printf, assert, malloc and free of CUDA C in device code (CUDA C++ Programming Guide, "Formatted
// Output", "Assertion", "Dynamic Global Memory Allocation and Operations"), and what sets a
// condition of a graph ("Conditional Graph Nodes"). The C library's headers declare them for the
// host; clang takes the one of the side that is compiled.
#ifndef WARPMEM_CUDA_DEVICE_RUNTIME_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_RUNTIME_FUNCTIONS_H

#include "host_defines.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

#include <stddef.h>

extern "C" {
__attribute__((device)) int vprintf(const char *format, const char *arguments);
__attribute__((device)) int printf(const char *format, ...);
__attribute__((device)) void *malloc(size_t bytes) __attribute__((malloc));
__attribute__((device)) void free(void *block) __attribute__((nothrow));
__attribute__((device)) void __assertfail(const char *message, const char *file, unsigned int line,
                                          const char *function, size_t character_bytes)
    __attribute__((noreturn));
__attribute__((device)) void cudaGraphSetConditional(unsigned long long handle, unsigned int value);
}

// What glibc's assert() calls.
WARPMEM_DEVICE_ void __assert_fail(const char *message, const char *file, unsigned int line,
                                   const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}

#endif

#endif
