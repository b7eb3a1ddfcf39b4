// Where the files lie that warpmem brings along: found relative to the program itself, in the build
// tree as well as installed, so that a clone, an install and a copied tree all work.
#ifndef WM_CLI_PROCESS_RESOURCES_H
#define WM_CLI_PROCESS_RESOURCES_H

#include "base/error.h"

#include <stddef.h>

enum wm_resource {
    WM_RESOURCE_MACHINES,       // the folder of the presets; $WARPMEM_MACHINES
    WM_RESOURCE_CUDA_LIBRARIES, // the folder of libcudart.so.*; $WARPMEM_CUDA_LIBRARIES
    WM_RESOURCE_WORKLOADS,      // the folder of CUDA programs to try; $WARPMEM_WORKLOADS
    WM_RESOURCE_CUDA_HEADERS,   // the folder of cuda_runtime.h and its like; $WARPMEM_CUDA_HEADERS
    WM_RESOURCE_HOST_LIBRARIES, // the folder of libwarpmem-host-trace.so; $WARPMEM_HOST_LIBRARIES
};

// Fills `path` with an existing folder, without a slash at its end. The environment variable rules
// when it is set and not empty, and must then name a folder. WM_NOT_FOUND says where was looked.
enum wm_status wm_resource_find(enum wm_resource resource, char *path, size_t size,
                                struct wm_error *error);

#endif
