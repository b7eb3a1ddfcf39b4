// Fetches through texture and surface references (CUDA C++ Programming Guide 11, "Texture Reference
// API"): a reference's address is what an object's number is, so that they are the fetches through
// objects. Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_REFERENCE_FETCH_FUNCTIONS_H
#define WARPMEM_CUDA_REFERENCE_FETCH_FUNCTIONS_H

#include "reference_types.h"
#include "surface_functions.h"
#include "texture_fetch_functions.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// What a fetch gives: texels as they are, or made floats, one for each channel.
template <class T, enum cudaTextureReadMode mode> struct warpmem_fetched_ { typedef T type; };
#define WARPMEM_FETCHED_(element, name)                                         \
    template <> struct warpmem_fetched_<name##1, cudaReadModeNormalizedFloat> { \
        typedef float1 type;                                                    \
    };                                                                          \
    template <> struct warpmem_fetched_<name##2, cudaReadModeNormalizedFloat> { \
        typedef float2 type;                                                    \
    };                                                                          \
    template <> struct warpmem_fetched_<name##4, cudaReadModeNormalizedFloat> { \
        typedef float4 type;                                                    \
    };                                                                          \
    template <> struct warpmem_fetched_<element, cudaReadModeNormalizedFloat> { \
        typedef float type;                                                     \
    };
template <> struct warpmem_fetched_<char, cudaReadModeNormalizedFloat> {
    typedef float type;
};
WARPMEM_FETCHED_(signed char, char)
WARPMEM_FETCHED_(unsigned char, uchar)
WARPMEM_FETCHED_(short, short)
WARPMEM_FETCHED_(unsigned short, ushort)
#undef WARPMEM_FETCHED_

// In device code a reference that is handed on is 8 bytes: its address.
template <class R> WARPMEM_DEVICE_ cudaTextureObject_t warpmem_address_(R reference)
{
    cudaTextureObject_t address;
    __builtin_memcpy(&address, &reference, sizeof(address));
    return address;
}

#define WARPMEM_PACK_(...) __VA_ARGS__
#define WARPMEM_REFERENCE_(name, dimensions, parameters, ...)                              \
    template <class T, enum cudaTextureReadMode mode>                                      \
    WARPMEM_DEVICE_ typename warpmem_fetched_<T, mode>::type name(                         \
        texture<T, dimensions, mode> reference, WARPMEM_PACK_ parameters)                  \
    {                                                                                      \
        return name<typename warpmem_fetched_<T, mode>::type>(warpmem_address_(reference), \
                                                              __VA_ARGS__);                \
    }
WARPMEM_REFERENCE_(tex1Dfetch, cudaTextureType1D, (int i), i)
WARPMEM_REFERENCE_(tex1D, cudaTextureType1D, (float u), u)
WARPMEM_REFERENCE_(tex2D, cudaTextureType2D, (float u, float v), u, v)
WARPMEM_REFERENCE_(tex3D, cudaTextureType3D, (float u, float v, float t), u, v, t)
WARPMEM_REFERENCE_(tex1DLayered, cudaTextureType1DLayered, (float u, int layer), u, layer)
WARPMEM_REFERENCE_(tex2DLayered, cudaTextureType2DLayered, (float u, float v, int layer), u, v,
                   layer)
WARPMEM_REFERENCE_(texCubemap, cudaTextureTypeCubemap, (float u, float v, float t), u, v, t)
WARPMEM_REFERENCE_(texCubemapLayered, cudaTextureTypeCubemapLayered,
                   (float u, float v, float t, int layer), u, v, t, layer)
WARPMEM_REFERENCE_(tex1DLod, cudaTextureType1D, (float u, float level), u, level)
WARPMEM_REFERENCE_(tex2DLod, cudaTextureType2D, (float u, float v, float level), u, v, level)
WARPMEM_REFERENCE_(tex3DLod, cudaTextureType3D, (float u, float v, float t, float level), u, v, t,
                   level)
WARPMEM_REFERENCE_(tex1DLayeredLod, cudaTextureType1DLayered, (float u, int layer, float level), u,
                   layer, level)
WARPMEM_REFERENCE_(tex2DLayeredLod, cudaTextureType2DLayered,
                   (float u, float v, int layer, float level), u, v, layer, level)
WARPMEM_REFERENCE_(texCubemapLod, cudaTextureTypeCubemap, (float u, float v, float t, float level),
                   u, v, t, level)
WARPMEM_REFERENCE_(texCubemapLayeredLod, cudaTextureTypeCubemapLayered,
                   (float u, float v, float t, int layer, float level), u, v, t, layer, level)
WARPMEM_REFERENCE_(tex1DGrad, cudaTextureType1D, (float u, float dx, float dy), u, dx, dy)
WARPMEM_REFERENCE_(tex2DGrad, cudaTextureType2D, (float u, float v, float2 dx, float2 dy), u, v, dx,
                   dy)
WARPMEM_REFERENCE_(tex3DGrad, cudaTextureType3D, (float u, float v, float t, float4 dx, float4 dy),
                   u, v, t, dx, dy)
WARPMEM_REFERENCE_(tex1DLayeredGrad, cudaTextureType1DLayered,
                   (float u, int layer, float dx, float dy), u, layer, dx, dy)
WARPMEM_REFERENCE_(tex2DLayeredGrad, cudaTextureType2DLayered,
                   (float u, float v, int layer, float2 dx, float2 dy), u, v, layer, dx, dy)

// Four texels of one channel each, whatever the reference's type has.
template <class T> struct warpmem_gathered_;
#define WARPMEM_GATHERED_(element, name, four)      \
    template <> struct warpmem_gathered_<element> { \
        typedef four type;                          \
    };                                              \
    template <> struct warpmem_gathered_<name##1> { \
        typedef four type;                          \
    };                                              \
    template <> struct warpmem_gathered_<name##2> { \
        typedef four type;                          \
    };                                              \
    template <> struct warpmem_gathered_<name##4> { \
        typedef four type;                          \
    };
WARPMEM_GATHERED_(signed char, char, char4)
WARPMEM_GATHERED_(unsigned char, uchar, uchar4)
WARPMEM_GATHERED_(short, short, short4)
WARPMEM_GATHERED_(unsigned short, ushort, ushort4)
WARPMEM_GATHERED_(int, int, int4)
WARPMEM_GATHERED_(unsigned int, uint, uint4)
WARPMEM_GATHERED_(float, float, float4)
#undef WARPMEM_GATHERED_
template <class T, enum cudaTextureReadMode mode>
WARPMEM_DEVICE_ typename warpmem_gathered_<typename warpmem_fetched_<T, mode>::type>::type
tex2Dgather(texture<T, cudaTextureType2D, mode> reference, float u, float v, int channel = 0)
{
    return tex2Dgather<typename warpmem_gathered_<typename warpmem_fetched_<T, mode>::type>::type>(
        warpmem_address_(reference), u, v, channel);
}
#undef WARPMEM_REFERENCE_

#define WARPMEM_REFERENCE_(name, dimensions, parameters, ...)                                   \
    template <class T>                                                                          \
    WARPMEM_DEVICE_ T name##read(surface<void, dimensions> reference, WARPMEM_PACK_ parameters, \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)           \
    {                                                                                           \
        return name##read<T>(warpmem_address_(reference), __VA_ARGS__, mode);                   \
    }                                                                                           \
    template <class T>                                                                          \
    WARPMEM_DEVICE_ void name##read(T *value, surface<void, dimensions> reference,              \
                                    WARPMEM_PACK_ parameters,                                   \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)        \
    {                                                                                           \
        *value = name##read<T>(warpmem_address_(reference), __VA_ARGS__, mode);                 \
    }                                                                                           \
    template <class T>                                                                          \
    WARPMEM_DEVICE_ void name##write(T value, surface<void, dimensions> reference,              \
                                     WARPMEM_PACK_ parameters,                                  \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)       \
    {                                                                                           \
        name##write<T>(value, warpmem_address_(reference), __VA_ARGS__, mode);                  \
    }
WARPMEM_REFERENCE_(surf1D, cudaSurfaceType1D, (int x), x)
WARPMEM_REFERENCE_(surf2D, cudaSurfaceType2D, (int x, int y), x, y)
WARPMEM_REFERENCE_(surf3D, cudaSurfaceType3D, (int x, int y, int z), x, y, z)
WARPMEM_REFERENCE_(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), x, layer)
WARPMEM_REFERENCE_(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), x, y, layer)
WARPMEM_REFERENCE_(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), x, y, face)
WARPMEM_REFERENCE_(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int layerFace),
                   x, y, layerFace)
#undef WARPMEM_REFERENCE_
#undef WARPMEM_PACK_

#endif

#endif
