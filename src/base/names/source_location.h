// A place in a program's source, and whether its file is the program's own.
#ifndef WM_BASE_SOURCE_LOCATION_H
#define WM_BASE_SOURCE_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

struct wm_source_location {
    const char *file;
    uint32_t line;
};

// Places that an instruction of inlined functions has, from its own outwards to the call in the
// function that was not inlined. No more than these are followed.
enum { WM_MOST_INLINED = 32 };

// Whether the path is one of a toolkit's or compiler's headers, rather than of the program: below
// /usr/include or /usr/lib; in an "include" of CUDA's ("…/cuda-13.0/include/…",
// "…/targets/x86_64-linux/include/…", "…/nvidia/cuda_runtime/include/…"); or warpmem's own.
bool wm_is_toolkit_file(const char *path);

#endif
