// What cuLinkComplete makes of several inputs: their PTX, one text after the other behind a header
// of ours, in one piece of memory that a program may copy, write to a file, or load as it would
// load machine code. The texts are linked when it is loaded.
#ifndef WM_CUDA_LINKED_IMAGE_H
#define WM_CUDA_LINKED_IMAGE_H

#include "base/error.h"
#include "cuda/cuda_types.h"
#include "ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_link_input { // CUjitInputType
    WM_LINK_CUBIN,   // machine code: only what this linker made
    WM_LINK_PTX,
    WM_LINK_FATBINARY,
    WM_LINK_OBJECT,  // an ELF file of the host with fat binaries in it
    WM_LINK_LIBRARY, // an archive of these
};

struct wm_linked_text {
    struct wm_ptx_module *parsed;
    char *text; // owned, NUL-terminated
    uint64_t bytes;
};

struct wm_link {
    uint32_t capability;          // of the device: 70 for 7.0
    struct wm_linked_text *texts; // owned
    uint32_t count, capacity;
    uint8_t *image; // owned; NULL until it is finished
};

void wm_link_release(struct wm_link *link);
// Adds what is at `data`, which may go afterwards; `name` is for messages. 1, 2, 200, 209 (machine
// code without PTX), 218, 222 or 801, with the reason in *error.
wm_cuda_status wm_link_add(struct wm_link *link, int input, const void *data, uint64_t bytes,
                           const char *name, struct wm_error *error);
// 218 with both modules' names when definitions contradict each other. The image is the link's.
wm_cuda_status wm_link_finish(struct wm_link *link, const void **image, size_t *bytes,
                              struct wm_error *error);

// How many texts such an image has, of which `available` bytes may be read: 0 when it is none, or
// is not whole.
uint32_t wm_linked_image_count(const void *image, uint64_t available);
// One of them, inside the image.
const char *wm_linked_image_text(const void *image, uint32_t index);

#endif
