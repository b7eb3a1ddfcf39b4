// The driver API's types as its binary interface lays them out, declared by ourselves. Streams,
// events and functions are the runtime API's: CUDA promises that the two may be mixed.
#ifndef WM_CUDA_DRIVER_TYPES_H
#define WM_CUDA_DRIVER_TYPES_H

#include "cuda/cuda_types.h"

enum wm_driver_result {
#define X(name, code, sentence) name = code,
#include "cuda/driver/driver_results.def"
#undef X
};
typedef enum wm_driver_result wm_driver_result;

struct wm_driver_context;
struct wm_driver_module;
typedef struct wm_driver_context *wm_driver_context_handle;
typedef struct wm_driver_module *wm_driver_module_handle; // CUmodule, and CUlibrary
typedef struct wm_cuda_function *wm_driver_function;      // CUfunction, and CUkernel
typedef uint64_t wm_driver_pointer;                       // CUdeviceptr
typedef unsigned long long wm_driver_memory_handle;       // CUmemGenericAllocationHandle

enum wm_driver_memory_type {
    WM_DRIVER_HOST = 1,
    WM_DRIVER_DEVICE = 2,
    WM_DRIVER_ARRAY = 3,
    WM_DRIVER_UNIFIED = 4,
};

// One side of a copy of a box.
struct wm_driver_copy_side {
    size_t x_bytes, y;
    int memory_type; // enum wm_driver_memory_type
    void *host;
    wm_driver_pointer device;
    void *array;
    size_t pitch;
};

struct wm_driver_copy2d {
    struct wm_driver_copy_side from, to;
    size_t width_bytes, height;
};
_Static_assert(sizeof(struct wm_driver_copy2d) == 128, "CUDA_MEMCPY2D");

struct wm_driver_copy_side3d {
    size_t x_bytes, y, z, level;
    int memory_type;
    void *host;
    wm_driver_pointer device;
    void *array;
    void *context; // of the copies between contexts; else reserved
    size_t pitch, height;
};

struct wm_driver_copy3d {
    struct wm_driver_copy_side3d from, to;
    size_t width_bytes, height, depth;
};
_Static_assert(sizeof(struct wm_driver_copy3d) == 200, "CUDA_MEMCPY3D");

struct wm_driver_array_shape {
    size_t width, height; // in texels; height 0: one dimension
    int format;           // CUarray_format
    unsigned channels;
};
_Static_assert(sizeof(struct wm_driver_array_shape) == 24, "CUDA_ARRAY_DESCRIPTOR");

struct wm_driver_array3d_shape {
    size_t width, height, depth;
    int format;
    unsigned channels, flags; // flags: enum wm_cuda_array_flag
};
_Static_assert(sizeof(struct wm_driver_array3d_shape) == 40, "CUDA_ARRAY3D_DESCRIPTOR");

// What a texture or a surface is of. Views of it are the runtime API's.
struct wm_driver_resource {
    int kind; // enum wm_cuda_resource_kind
    union {
        struct wm_cuda_array *array; // of both kinds
        struct {
            wm_driver_pointer pointer;
            int format;
            unsigned channels;
            size_t width; // linear memory: bytes; pitched: texels
            size_t height, pitch;
        } memory;
        int reserved[32];
    };
    unsigned flags;
};
_Static_assert(sizeof(struct wm_driver_resource) == 144, "CUDA_RESOURCE_DESC");

struct wm_driver_sampler {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most, border[4];
    int reserved[12];
};
_Static_assert(sizeof(struct wm_driver_sampler) == 104, "CUDA_TEXTURE_DESC");

// The list that ends a launch's arguments: CU_LAUNCH_PARAM_*.
#define WM_DRIVER_EXTRA_END ((void *)0)
#define WM_DRIVER_EXTRA_BUFFER ((void *)1)
#define WM_DRIVER_EXTRA_BYTES ((void *)2)

struct wm_driver_launch_configuration {
    uint32_t grid_x, grid_y, grid_z, block_x, block_y, block_z;
    uint32_t dynamic_shared_bytes;
    wm_cuda_stream_handle stream;
    const struct wm_cuda_launch_attribute *attributes;
    uint32_t attribute_count;
};
_Static_assert(sizeof(struct wm_driver_launch_configuration) == 56, "CUlaunchConfig");

typedef size_t wm_driver_shared_bytes_of_block(int threads); // CUoccupancyB2DSize

struct wm_driver_device_properties {
    int max_threads_per_block, max_block[3], max_grid[3];
    int shared_bytes_per_block, constant_bytes, warp_width, max_pitch, registers_per_block;
    int clock_khz, texture_alignment;
};
_Static_assert(sizeof(struct wm_driver_device_properties) == 56, "CUdevprop");

struct wm_driver_memory_properties {
    int type, handle_types; // CUmemAllocationType, a set of CUmemAllocationHandleType
    struct wm_cuda_location location;
    void *attributes; // Windows'
    uint8_t compression, direct_access;
    uint16_t usage; // a set of CU_MEM_CREATE_USAGE_…
    uint8_t reserved[4];
};
_Static_assert(sizeof(struct wm_driver_memory_properties) == 32, "CUmemAllocationProp");

struct wm_driver_access {
    struct wm_cuda_location location;
    int flags; // CUmemAccess_flags
};
_Static_assert(sizeof(struct wm_driver_access) == 12, "CUmemAccessDesc");

struct wm_driver_uuid {
    uint8_t bytes[16];
};

#endif
