// How far the bytes behind a pointer go: a registered wrapper is a bare pointer, and nothing of it
// is read that is not in a mapping of this process.
#ifndef WM_CUDA_LOADED_IMAGE_H
#define WM_CUDA_LOADED_IMAGE_H

#include <stdint.h>

// Readable bytes from `address` to the end of the mapping that holds it (a segment of a loaded
// object, else what the kernel lists); 0 when it lies in none.
uint64_t wm_cuda_readable_bytes(const void *address);

#endif
