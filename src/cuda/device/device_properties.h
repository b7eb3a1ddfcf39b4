// cudaDeviceProp as CUDA 13, 12 and 11 lay it out, and where its values come from: the machine.
#ifndef WM_CUDA_DEVICE_PROPERTIES_H
#define WM_CUDA_DEVICE_PROPERTIES_H

#include "cuda/cuda_types.h"
#include "machine/machine.h"

#include <stdbool.h>

// Each layout takes the fields of its versions.
#define WM_CUDA_FIELD(type, name, dimension) type name dimension;

// Every allocation begins at a multiple of it, as the runtime promises (CUDA C++ Programming Guide,
// "Device Memory Accesses"), and so may every texture, which then needs no offset.
enum { WM_CUDA_ALIGNMENT_BYTES = 256 };

// Every field of every version: what is filled first.
struct wm_cuda_properties {
#define X(versions, type, name, dimension) WM_CUDA_FIELD(type, name, dimension)
#include "cuda/device/device_properties.def"
#undef X
};

#define WM_CUDA_13_ALL(...) WM_CUDA_FIELD(__VA_ARGS__)
#define WM_CUDA_13_UP_TO_12(...)
#define WM_CUDA_13_SINCE_12(...) WM_CUDA_FIELD(__VA_ARGS__)
#define WM_CUDA_13_SINCE_13(...) WM_CUDA_FIELD(__VA_ARGS__)
struct wm_cuda_properties_13 {
#define X(versions, type, name, dimension) WM_CUDA_13_##versions(type, name, dimension)
#include "cuda/device/device_properties.def"
#undef X
    int reserved[56];
};

#define WM_CUDA_12_ALL(...) WM_CUDA_FIELD(__VA_ARGS__)
#define WM_CUDA_12_UP_TO_12(...) WM_CUDA_FIELD(__VA_ARGS__)
#define WM_CUDA_12_SINCE_12(...) WM_CUDA_FIELD(__VA_ARGS__)
#define WM_CUDA_12_SINCE_13(...)
struct wm_cuda_properties_12 {
#define X(versions, type, name, dimension) WM_CUDA_12_##versions(type, name, dimension)
#include "cuda/device/device_properties.def"
#undef X
    int reserved[63];
};

#define WM_CUDA_11_ALL(...) WM_CUDA_FIELD(__VA_ARGS__)
#define WM_CUDA_11_UP_TO_12(...) WM_CUDA_FIELD(__VA_ARGS__)
#define WM_CUDA_11_SINCE_12(...)
#define WM_CUDA_11_SINCE_13(...)
struct wm_cuda_properties_11 {
#define X(versions, type, name, dimension) WM_CUDA_11_##versions(type, name, dimension)
#include "cuda/device/device_properties.def"
#undef X
};

_Static_assert(sizeof(struct wm_cuda_properties_13) == 1008, "cudaDeviceProp of CUDA 13");
_Static_assert(offsetof(struct wm_cuda_properties_13, multiProcessorCount) == 384,
               "cudaDeviceProp of CUDA 13");
_Static_assert(offsetof(struct wm_cuda_properties_13, hostRegisterSupported) == 704,
               "cudaDeviceProp of CUDA 13");
_Static_assert(sizeof(struct wm_cuda_properties_12) == 1032, "cudaDeviceProp of CUDA 12");
_Static_assert(offsetof(struct wm_cuda_properties_12, major) == 360, "cudaDeviceProp of CUDA 12");
_Static_assert(offsetof(struct wm_cuda_properties_12, multiProcessorCount) == 388,
               "cudaDeviceProp of CUDA 12");
_Static_assert(sizeof(struct wm_cuda_properties_11) == 728, "cudaDeviceProp of CUDA 11");

// Of a device of the machine, by number: they are alike but for what names them.
void wm_cuda_properties_fill(const struct wm_machine *machine, uint32_t device,
                             struct wm_cuda_properties *properties);
void wm_cuda_properties_to_13(const struct wm_cuda_properties *from,
                              struct wm_cuda_properties_13 *to);
void wm_cuda_properties_to_12(const struct wm_cuda_properties *from,
                              struct wm_cuda_properties_12 *to);
void wm_cuda_properties_to_11(const struct wm_cuda_properties *from,
                              struct wm_cuda_properties_11 *to);
// The value of an attribute of cudaDeviceGetAttribute; false for a number that is none.
bool wm_cuda_device_attribute(const struct wm_machine *machine, uint32_t device, int attribute,
                              int *value);

#endif
