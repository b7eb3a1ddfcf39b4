// Puts PTX into the container that NVIDIA's compiler puts it into, so that a program built by
// `warpmem cc` hands the same thing to a CUDA runtime, ours or NVIDIA's, as one built by nvcc.
#ifndef WM_CLI_CC_PTX_CONTAINER_H
#define WM_CLI_CC_PTX_CONTAINER_H

#include "base/error.h"
#include "base/text/text.h"

#include <stddef.h>

// Appends a container with `length` bytes of PTX as its one entry to `container`, uncompressed. The
// PTX's own .version and .target fill the entry's header; WM_INVALID when it has none.
enum wm_status wm_cc_fatbinary(const char *ptx, size_t length, struct wm_text *container,
                               struct wm_error *error);

#endif
