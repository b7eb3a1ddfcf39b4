// Texture and surface references, which CUDA 12 has dropped: what a program of CUDA 11 or before
// says of one (CUDA C++ Programming Guide 11, "Texture Reference API"). Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_REFERENCE_TYPES_H
#define WARPMEM_CUDA_REFERENCE_TYPES_H

#include "host_defines.h"
#include "texture_types.h"

// The dimensions of a reference: a layered one's have 0xf0 before them, a cubemap's are 12.
#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0c
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#define cudaTextureTypeCubemapLayered 0xfc
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0c
#define cudaSurfaceType1DLayered 0xf1
#define cudaSurfaceType2DLayered 0xf2
#define cudaSurfaceTypeCubemapLayered 0xfc

// What the program may change until it binds memory.
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int __cudaReserved[14];
};
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

#include "channel_descriptor.h"

// clang makes a .texref of such a variable and registers it under the arguments of the template.
template <class T, int dimensions = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : public textureReference {
    texture(int normalizes = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
            enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(normalizes, filter, address, cudaCreateChannelDesc<T>())
    {
    }
    texture(int normalizes, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
            struct cudaChannelFormatDesc format)
        : textureReference()
    {
        normalized = normalizes;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = format;
    }
};

template <class T, int dimensions = 1> struct __device_builtin_surface_type__ surface;
template <int dimensions>
struct __device_builtin_surface_type__ surface<void, dimensions> : public surfaceReference {
    surface() : surfaceReference()
    {
    }
};

#endif

#endif
