// Texture fetches (CUDA C++ Programming Guide, "Texture Functions"): one tex or tld4 instruction
// each, which clang 14 has no builtins for. Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define WARPMEM_CUDA_TEXTURE_FETCH_FUNCTIONS_H

#include "texture_types.h"
#include "vector_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// What a fetch of a T gives: its channels from those that the instruction returns, and which of the
// instruction's result types they are.
enum warpmem_channel_ { WARPMEM_SIGNED_, WARPMEM_UNSIGNED_, WARPMEM_FLOAT_ };
template <class T> struct warpmem_texel_;

#define WARPMEM_TEXEL_(type, channel, ...)                               \
    template <> struct warpmem_texel_<type> {                            \
        static constexpr warpmem_channel_ kind = channel;                \
        template <class S> WARPMEM_DEVICE_ type make(S x, S y, S z, S w) \
        {                                                                \
            (void)x, (void)y, (void)z, (void)w;                          \
            type texel = {__VA_ARGS__};                                  \
            return texel;                                                \
        }                                                                \
    };
#define WARPMEM_TEXELS_(element, name, channel)              \
    WARPMEM_TEXEL_(element, channel, (element)x)             \
    WARPMEM_TEXEL_(name##1, channel, (element)x)             \
    WARPMEM_TEXEL_(name##2, channel, (element)x, (element)y) \
    WARPMEM_TEXEL_(name##4, channel, (element)x, (element)y, (element)z, (element)w)
WARPMEM_TEXEL_(char, WARPMEM_SIGNED_, (char)x)
WARPMEM_TEXELS_(signed char, char, WARPMEM_SIGNED_)
WARPMEM_TEXELS_(unsigned char, uchar, WARPMEM_UNSIGNED_)
WARPMEM_TEXELS_(short, short, WARPMEM_SIGNED_)
WARPMEM_TEXELS_(unsigned short, ushort, WARPMEM_UNSIGNED_)
WARPMEM_TEXELS_(int, int, WARPMEM_SIGNED_)
WARPMEM_TEXELS_(unsigned int, uint, WARPMEM_UNSIGNED_)
WARPMEM_TEXELS_(float, float, WARPMEM_FLOAT_)
#undef WARPMEM_TEXELS_
#undef WARPMEM_TEXEL_

// One instruction in its three result types; `operands` names the coordinates %5 and up.
#define WARPMEM_FETCH_AS_(type, suffix, constraint, front, back, operands, ...) \
    {                                                                           \
        type x, y, z, w;                                                        \
        asm(front suffix back " {%0, %1, %2, %3}, " operands ";"                \
            : constraint(x), constraint(y), constraint(z), constraint(w)        \
            : "l"(object), __VA_ARGS__);                                        \
        return warpmem_texel_<T>::make(x, y, z, w);                             \
    }
#define WARPMEM_FETCH_(front, back, operands, ...)                                \
    if (warpmem_texel_<T>::kind == WARPMEM_FLOAT_)                                \
        WARPMEM_FETCH_AS_(float, "f32", "=f", front, back, operands, __VA_ARGS__) \
    if (warpmem_texel_<T>::kind == WARPMEM_SIGNED_)                               \
        WARPMEM_FETCH_AS_(int, "s32", "=r", front, back, operands, __VA_ARGS__)   \
    WARPMEM_FETCH_AS_(unsigned int, "u32", "=r", front, back, operands, __VA_ARGS__)

// A function, and its form with a pointer for the result.
#define WARPMEM_TEXTURE_(name, parameters, front, operands, ...)                       \
    template <class T> WARPMEM_DEVICE_ T name parameters                               \
    {                                                                                  \
        WARPMEM_FETCH_("tex." front ".v4.", ".f32", operands, __VA_ARGS__)             \
    }                                                                                  \
    template <class T, class... C>                                                     \
    WARPMEM_DEVICE_ void name(T *result, cudaTextureObject_t object, C... coordinates) \
    {                                                                                  \
        *result = name<T>(object, coordinates...);                                     \
    }

template <class T> WARPMEM_DEVICE_ T tex1Dfetch(cudaTextureObject_t object, int i)
{
    WARPMEM_FETCH_("tex.1d.v4.", ".s32", "[%4, {%5}]", "r"(i))
}
template <class T> WARPMEM_DEVICE_ void tex1Dfetch(T *result, cudaTextureObject_t object, int i)
{
    *result = tex1Dfetch<T>(object, i);
}
WARPMEM_TEXTURE_(tex1D, (cudaTextureObject_t object, float u), "1d", "[%4, {%5}]", "f"(u))
WARPMEM_TEXTURE_(tex2D, (cudaTextureObject_t object, float u, float v), "2d", "[%4, {%5, %6}]",
                 "f"(u), "f"(v))
WARPMEM_TEXTURE_(tex3D, (cudaTextureObject_t object, float u, float v, float t), "3d",
                 "[%4, {%5, %6, %7, %7}]", "f"(u), "f"(v), "f"(t))
WARPMEM_TEXTURE_(tex1DLayered, (cudaTextureObject_t object, float u, int layer), "a1d",
                 "[%4, {%5, %6}]", "r"(layer), "f"(u))
WARPMEM_TEXTURE_(tex2DLayered, (cudaTextureObject_t object, float u, float v, int layer), "a2d",
                 "[%4, {%5, %6, %7, %7}]", "r"(layer), "f"(u), "f"(v))
WARPMEM_TEXTURE_(texCubemap, (cudaTextureObject_t object, float u, float v, float t), "cube",
                 "[%4, {%5, %6, %7, %7}]", "f"(u), "f"(v), "f"(t))
WARPMEM_TEXTURE_(texCubemapLayered,
                 (cudaTextureObject_t object, float u, float v, float t, int layer), "acube",
                 "[%4, {%5, %6, %7, %8}]", "r"(layer), "f"(u), "f"(v), "f"(t))

// With a level of detail.
WARPMEM_TEXTURE_(tex1DLod, (cudaTextureObject_t object, float u, float level), "level.1d",
                 "[%4, {%5}], %6", "f"(u), "f"(level))
WARPMEM_TEXTURE_(tex2DLod, (cudaTextureObject_t object, float u, float v, float level), "level.2d",
                 "[%4, {%5, %6}], %7", "f"(u), "f"(v), "f"(level))
WARPMEM_TEXTURE_(tex3DLod, (cudaTextureObject_t object, float u, float v, float t, float level),
                 "level.3d", "[%4, {%5, %6, %7, %7}], %8", "f"(u), "f"(v), "f"(t), "f"(level))
WARPMEM_TEXTURE_(tex1DLayeredLod, (cudaTextureObject_t object, float u, int layer, float level),
                 "level.a1d", "[%4, {%5, %6}], %7", "r"(layer), "f"(u), "f"(level))
WARPMEM_TEXTURE_(tex2DLayeredLod,
                 (cudaTextureObject_t object, float u, float v, int layer, float level),
                 "level.a2d", "[%4, {%5, %6, %7, %7}], %8", "r"(layer), "f"(u), "f"(v), "f"(level))
WARPMEM_TEXTURE_(texCubemapLod,
                 (cudaTextureObject_t object, float u, float v, float t, float level), "level.cube",
                 "[%4, {%5, %6, %7, %7}], %8", "f"(u), "f"(v), "f"(t), "f"(level))
WARPMEM_TEXTURE_(texCubemapLayeredLod,
                 (cudaTextureObject_t object, float u, float v, float t, int layer, float level),
                 "level.acube", "[%4, {%5, %6, %7, %8}], %9", "r"(layer), "f"(u), "f"(v), "f"(t),
                 "f"(level))

// With the gradients of the coordinates.
WARPMEM_TEXTURE_(tex1DGrad, (cudaTextureObject_t object, float u, float dx, float dy), "grad.1d",
                 "[%4, {%5}], {%6}, {%7}", "f"(u), "f"(dx), "f"(dy))
WARPMEM_TEXTURE_(tex2DGrad, (cudaTextureObject_t object, float u, float v, float2 dx, float2 dy),
                 "grad.2d", "[%4, {%5, %6}], {%7, %8}, {%9, %10}", "f"(u), "f"(v), "f"(dx.x),
                 "f"(dx.y), "f"(dy.x), "f"(dy.y))
WARPMEM_TEXTURE_(tex3DGrad,
                 (cudaTextureObject_t object, float u, float v, float t, float4 dx, float4 dy),
                 "grad.3d", "[%4, {%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
                 "f"(u), "f"(v), "f"(t), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y),
                 "f"(dy.z))
WARPMEM_TEXTURE_(tex1DLayeredGrad,
                 (cudaTextureObject_t object, float u, int layer, float dx, float dy), "grad.a1d",
                 "[%4, {%5, %6}], {%7}, {%8}", "r"(layer), "f"(u), "f"(dx), "f"(dy))
WARPMEM_TEXTURE_(tex2DLayeredGrad,
                 (cudaTextureObject_t object, float u, float v, int layer, float2 dx, float2 dy),
                 "grad.a2d", "[%4, {%5, %6, %7, %7}], {%8, %9}, {%10, %11}", "r"(layer), "f"(u),
                 "f"(v), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))

// One channel of the four texels that a linear filter would read.
template <class T>
WARPMEM_DEVICE_ T tex2Dgather(cudaTextureObject_t object, float u, float v, int channel = 0)
{
    if (channel == 1) {
        WARPMEM_FETCH_("tld4.g.2d.v4.", ".f32", "[%4, {%5, %6}]", "f"(u), "f"(v))
    }
    if (channel == 2) {
        WARPMEM_FETCH_("tld4.b.2d.v4.", ".f32", "[%4, {%5, %6}]", "f"(u), "f"(v))
    }
    if (channel == 3) {
        WARPMEM_FETCH_("tld4.a.2d.v4.", ".f32", "[%4, {%5, %6}]", "f"(u), "f"(v))
    }
    WARPMEM_FETCH_("tld4.r.2d.v4.", ".f32", "[%4, {%5, %6}]", "f"(u), "f"(v))
}
template <class T>
WARPMEM_DEVICE_ void tex2Dgather(T *result, cudaTextureObject_t object, float u, float v,
                                 int channel = 0)
{
    *result = tex2Dgather<T>(object, u, v, channel);
}

#undef WARPMEM_TEXTURE_
#undef WARPMEM_FETCH_
#undef WARPMEM_FETCH_AS_

#endif

#endif
