// The CUDA runtime's types as its binary interface lays them out, declared by ourselves: names and
// offsets are those of the interface, since programs compiled against NVIDIA's headers call us.
#ifndef WM_CUDA_CUDA_TYPES_H
#define WM_CUDA_CUDA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions that programs import: before each definition, of which the build makes prototypes
// (cuda/runtime_prototypes.h, cuda/driver/driver_prototypes.h). Everything else of the library
// stays hidden.
#define WM_CUDA_API __attribute__((visibility("default")))
// Another exported name for the same function.
#define WM_CUDA_ALIAS(name, of) WM_CUDA_API __typeof__(of) name __attribute__((alias(#of)))

// Whether the thread's calls mean its own default stream where they name none: returns what was so.
bool wm_cuda_default_is_own(bool own);
// The variant of a function for programs with a default stream of each thread (nvcc's
// --default-stream per-thread). Parameters and arguments are in the generated headers, from the
// function's definition (tools/make_cuda_prototypes.py).
#define WM_CUDA_PER_THREAD(name, of) \
    WM_CUDA_VARIANT(wm_cuda_status, name, of, of##_PARAMETERS, of##_ARGUMENTS)
#define WM_CUDA_VARIANT(type, name, of, parameters, arguments) \
    WM_CUDA_API type name parameters;                          \
    type name parameters                                       \
    {                                                          \
        bool before = wm_cuda_default_is_own(true);            \
        type result_of_call = of arguments;                    \
        (void)wm_cuda_default_is_own(before);                  \
        return result_of_call;                                 \
    }

// Which version of CUDA the library is that the program calls: a few functions changed their
// arguments and kept their names.
extern const int wm_cudart_major;

enum wm_cuda_error {
#define X(name, code, sentence) name = code,
#include "cuda/error/error_codes.def"
#undef X
};
typedef enum wm_cuda_error wm_cuda_status;

struct wm_cuda_dim3 {
    uint32_t x, y, z;
};
_Static_assert(sizeof(struct wm_cuda_dim3) == 12, "dim3 is three 32-bit words");

enum wm_cuda_copy_kind {
    WM_CUDA_HOST_TO_HOST = 0,
    WM_CUDA_HOST_TO_DEVICE = 1,
    WM_CUDA_DEVICE_TO_HOST = 2,
    WM_CUDA_DEVICE_TO_DEVICE = 3,
    WM_CUDA_COPY_DEFAULT = 4, // from the addresses
};

// Flags of streams (cudaStreamNonBlocking) and of events (cudaEventBlockingSync,
// cudaEventDisableTiming, cudaEventInterprocess).
enum { WM_CUDA_STREAM_NON_BLOCKING = 1 };
enum {
    WM_CUDA_EVENT_BLOCKING_SYNC = 1,
    WM_CUDA_EVENT_DISABLE_TIMING = 2,
    WM_CUDA_EVENT_INTERPROCESS = 4,
    WM_CUDA_EVENT_FLAGS = 7, // all of them
};

struct wm_cuda_stream;
struct wm_cuda_event;
struct wm_cuda_function;
typedef struct wm_cuda_stream *wm_cuda_stream_handle;
typedef struct wm_cuda_event *wm_cuda_event_handle;

struct wm_cuda_channel_format {
    int x, y, z, w;
    int kind;
};

struct wm_cuda_function_attributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
    int max_dynamic_shared_bytes, preferred_carveout, cluster_must_be_set;
    int cluster_width, cluster_height, cluster_depth;
    int cluster_scheduling, non_portable_cluster;
    int reserved[16];
};
_Static_assert(sizeof(struct wm_cuda_function_attributes) == 144, "cudaFuncAttributes");
_Static_assert(offsetof(struct wm_cuda_function_attributes, max_dynamic_shared_bytes) == 44,
               "cudaFuncAttributes");

// The version of the API that is spoken: 1000 × major + 10 × minor.
enum { WM_CUDA_VERSION = 13000 };

enum wm_cuda_memory_type {
    WM_CUDA_MEMORY_UNREGISTERED = 0,
    WM_CUDA_MEMORY_HOST = 1,
    WM_CUDA_MEMORY_DEVICE = 2,
    WM_CUDA_MEMORY_MANAGED = 3,
};

struct wm_cuda_pointer_attributes {
    int type; // enum wm_cuda_memory_type
    int device;
    void *device_pointer, *host_pointer;
    long reserved[8]; // CUDA 13; older runtimes end before it
};

struct wm_cuda_pitched_pointer {
    void *pointer;
    size_t pitch, width, height; // width and height in elements, as the caller gave them
};

struct wm_cuda_extent {
    size_t width, height, depth; // width in bytes
};

struct wm_cuda_position {
    size_t x, y, z; // x in bytes
};

struct wm_cuda_array;

struct wm_cuda_copy3d {
    struct wm_cuda_array *source_array;
    struct wm_cuda_position source_position;
    struct wm_cuda_pitched_pointer source;
    struct wm_cuda_array *destination_array;
    struct wm_cuda_position destination_position;
    struct wm_cuda_pitched_pointer destination;
    struct wm_cuda_extent extent;
    int kind; // enum wm_cuda_copy_kind
};
_Static_assert(sizeof(struct wm_cuda_copy3d) == 160, "cudaMemcpy3DParms");

// Arrays, textures and surfaces. Handles of arrays are opaque to programs.

enum { WM_CUDA_CHANNEL_SIGNED, WM_CUDA_CHANNEL_UNSIGNED, WM_CUDA_CHANNEL_FLOAT };

enum wm_cuda_array_flag {
    WM_CUDA_ARRAY_LAYERED = 1,
    WM_CUDA_ARRAY_SURFACE = 2,
    WM_CUDA_ARRAY_CUBEMAP = 4,
    WM_CUDA_ARRAY_GATHER = 8,
};

enum wm_cuda_resource_kind {
    WM_CUDA_RESOURCE_ARRAY,
    WM_CUDA_RESOURCE_MIPMAPPED,
    WM_CUDA_RESOURCE_LINEAR,
    WM_CUDA_RESOURCE_PITCH,
};

struct wm_cuda_resource {
    int kind; // enum wm_cuda_resource_kind
    union {
        struct wm_cuda_array *array; // of both kinds
        struct {
            void *pointer;
            struct wm_cuda_channel_format format;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            struct wm_cuda_channel_format format;
            size_t width, height, pitch; // in texels, rows and bytes
        } pitch;
        int reserved[32];
    };
    unsigned flags;
};
_Static_assert(sizeof(struct wm_cuda_resource) == 144, "cudaResourceDesc");

struct wm_cuda_sampler {
    int address[3]; // as wm_texture_address numbers them
    int filter;     // 0 point, 1 linear
    int read;       // 0 elements as they are, 1 as floats from 0 or -1 to 1
    int srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int exact_trilinear, seamless_cubemap;
};
_Static_assert(sizeof(struct wm_cuda_sampler) == 72, "cudaTextureDesc");

// What a texture reference of CUDA 11 and before says of itself: the program's variable, which it
// may change until it binds memory.
struct wm_cuda_texture_reference {
    int normalized;
    int filter;
    int address[3];
    struct wm_cuda_channel_format format;
    int srgb;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int exact_trilinear;
    int reserved[14];
};
_Static_assert(sizeof(struct wm_cuda_texture_reference) == 124, "textureReference");

struct wm_cuda_surface_reference {
    struct wm_cuda_channel_format format;
};

struct wm_cuda_resource_view {
    int format; // 0: that of the resource
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
    unsigned reserved[16];
};
_Static_assert(sizeof(struct wm_cuda_resource_view) == 112, "cudaResourceViewDesc");

struct wm_cuda_launch_attribute {
    int id;
    char padding[4];
    char value[64];
};

struct wm_cuda_launch_configuration {
    struct wm_cuda_dim3 grid, block;
    size_t dynamic_shared_bytes;
    wm_cuda_stream_handle stream;
    const struct wm_cuda_launch_attribute *attributes;
    unsigned attribute_count;
};
_Static_assert(sizeof(struct wm_cuda_launch_configuration) == 56, "cudaLaunchConfig_t");

struct wm_cuda_location {
    int type, id; // cudaMemLocationType, and which of them
};

typedef void wm_cuda_host_function(void *argument);
struct wm_cuda_notification; // of what cudaDeviceRegisterAsyncNotification registers
typedef void wm_cuda_notification_function(void *information, void *argument,
                                           struct wm_cuda_notification *handle);
typedef void wm_cuda_stream_callback(wm_cuda_stream_handle stream, wm_cuda_status status,
                                     void *argument);

#endif
