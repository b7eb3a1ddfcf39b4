// Surface loads and stores (CUDA C++ Programming Guide, "Surface Functions"): one suld.b or sust.b
// instruction each, of as many bytes as the type has. x counts bytes. Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_SURFACE_FUNCTIONS_H
#define WARPMEM_CUDA_SURFACE_FUNCTIONS_H

#include "host_defines.h"
#include "texture_types.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// A value in the registers that an access of its size moves: one of 8 or 16 bits, or words of 32.
template <class T> struct warpmem_surface_value_ {
    unsigned int words[4];

    __device__ __attribute__((always_inline, nodebug)) void put(const T &value)
    {
        words[0] = words[1] = words[2] = words[3] = 0;
        __builtin_memcpy(words, &value, sizeof(T));
    }
    __device__ __attribute__((always_inline, nodebug)) T get() const
    {
        T value;
        __builtin_memcpy(&value, words, sizeof(T));
        return value;
    }
};

// The instruction of one size, in one mode. Operands of a load are its results, the object and the
// coordinates; of a store the object, the coordinates and its values. The last arguments are the
// inputs, from the object on.
#define WARPMEM_SURFACE_LOAD_(geometry, mode, places1, places2, places4, ...)                 \
    if (sizeof(T) <= 2) {                                                                     \
        unsigned short narrow;                                                                \
        if (sizeof(T) == 1)                                                                   \
            asm volatile("suld.b." geometry ".b8." mode " {%0}, " places1 ";"                 \
                         : "=h"(narrow)                                                       \
                         : __VA_ARGS__                                                        \
                         : "memory");                                                         \
        else                                                                                  \
            asm volatile("suld.b." geometry ".b16." mode " {%0}, " places1 ";"                \
                         : "=h"(narrow)                                                       \
                         : __VA_ARGS__                                                        \
                         : "memory");                                                         \
        v.words[0] = narrow;                                                                  \
    } else if (sizeof(T) == 4) {                                                              \
        asm volatile("suld.b." geometry ".b32." mode " {%0}, " places1 ";"                    \
                     : "=r"(v.words[0])                                                       \
                     : __VA_ARGS__                                                            \
                     : "memory");                                                             \
    } else if (sizeof(T) == 8) {                                                              \
        asm volatile("suld.b." geometry ".v2.b32." mode " {%0, %1}, " places2 ";"             \
                     : "=r"(v.words[0]), "=r"(v.words[1])                                     \
                     : __VA_ARGS__                                                            \
                     : "memory");                                                             \
    } else {                                                                                  \
        asm volatile("suld.b." geometry ".v4.b32." mode " {%0, %1, %2, %3}, " places4 ";"     \
                     : "=r"(v.words[0]), "=r"(v.words[1]), "=r"(v.words[2]), "=r"(v.words[3]) \
                     : __VA_ARGS__                                                            \
                     : "memory");                                                             \
    }
#define WARPMEM_SURFACE_STORE_(geometry, mode, place, one, two, four, ...)                     \
    if (sizeof(T) == 1)                                                                        \
        asm volatile("sust.b." geometry ".b8." mode " " place ", " one ";" ::__VA_ARGS__,      \
                     "h"((unsigned short)v.words[0])                                           \
                     : "memory");                                                              \
    else if (sizeof(T) == 2)                                                                   \
        asm volatile("sust.b." geometry ".b16." mode " " place ", " one ";" ::__VA_ARGS__,     \
                     "h"((unsigned short)v.words[0])                                           \
                     : "memory");                                                              \
    else if (sizeof(T) == 4)                                                                   \
        asm volatile("sust.b." geometry ".b32." mode " " place ", " one ";" ::__VA_ARGS__,     \
                     "r"(v.words[0])                                                           \
                     : "memory");                                                              \
    else if (sizeof(T) == 8)                                                                   \
        asm volatile("sust.b." geometry ".v2.b32." mode " " place ", " two ";" ::__VA_ARGS__,  \
                     "r"(v.words[0]), "r"(v.words[1])                                          \
                     : "memory");                                                              \
    else                                                                                       \
        asm volatile("sust.b." geometry ".v4.b32." mode " " place ", " four ";" ::__VA_ARGS__, \
                     "r"(v.words[0]), "r"(v.words[1]), "r"(v.words[2]), "r"(v.words[3])        \
                     : "memory");

// The functions of one geometry. `places` and its kin are the references with the coordinates'
// numbers, behind one, two and four results; `place` that of a store, whose values follow.
#define WARPMEM_SURFACE_(name, parameters, names, geometry, places1, places2, places4, place, one, \
                         two, four, ...)                                                           \
    template <class T> WARPMEM_DEVICE_ T name##read parameters                                     \
    {                                                                                              \
        warpmem_surface_value_<T> v;                                                               \
        if (mode == cudaBoundaryModeZero) {                                                        \
            WARPMEM_SURFACE_LOAD_(geometry, "zero", places1, places2, places4, __VA_ARGS__)        \
        } else if (mode == cudaBoundaryModeClamp) {                                                \
            WARPMEM_SURFACE_LOAD_(geometry, "clamp", places1, places2, places4, __VA_ARGS__)       \
        } else {                                                                                   \
            WARPMEM_SURFACE_LOAD_(geometry, "trap", places1, places2, places4, __VA_ARGS__)        \
        }                                                                                          \
        return v.get();                                                                            \
    }                                                                                              \
    template <class T> WARPMEM_DEVICE_ void name##write(T value, WARPMEM_ARGUMENTS_ parameters)    \
    {                                                                                              \
        warpmem_surface_value_<T> v;                                                               \
        v.put(value);                                                                              \
        if (mode == cudaBoundaryModeZero) {                                                        \
            WARPMEM_SURFACE_STORE_(geometry, "zero", place, one, two, four, __VA_ARGS__)           \
        } else if (mode == cudaBoundaryModeClamp) {                                                \
            WARPMEM_SURFACE_STORE_(geometry, "clamp", place, one, two, four, __VA_ARGS__)          \
        } else {                                                                                   \
            WARPMEM_SURFACE_STORE_(geometry, "trap", place, one, two, four, __VA_ARGS__)           \
        }                                                                                          \
    }                                                                                              \
    template <class T> WARPMEM_DEVICE_ void name##read(T *value, WARPMEM_ARGUMENTS_ parameters)    \
    {                                                                                              \
        *value = name##read<T> names;                                                              \
    }
#define WARPMEM_ARGUMENTS_(...) __VA_ARGS__

WARPMEM_SURFACE_(surf1D,
                 (cudaSurfaceObject_t object, int x,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 (object, x, mode), "1d", "[%1, {%2}]", "[%2, {%3}]", "[%4, {%5}]", "[%0, {%1}]",
                 "{%2}", "{%2, %3}", "{%2, %3, %4, %5}", "l"(object), "r"(x))
WARPMEM_SURFACE_(surf2D,
                 (cudaSurfaceObject_t object, int x, int y,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 (object, x, y, mode), "2d", "[%1, {%2, %3}]", "[%2, {%3, %4}]", "[%4, {%5, %6}]",
                 "[%0, {%1, %2}]", "{%3}", "{%3, %4}", "{%3, %4, %5, %6}", "l"(object), "r"(x),
                 "r"(y))
WARPMEM_SURFACE_(surf3D,
                 (cudaSurfaceObject_t object, int x, int y, int z,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 (object, x, y, z, mode), "3d", "[%1, {%2, %3, %4, %4}]", "[%2, {%3, %4, %5, %5}]",
                 "[%4, {%5, %6, %7, %7}]", "[%0, {%1, %2, %3, %3}]", "{%4}", "{%4, %5}",
                 "{%4, %5, %6, %7}", "l"(object), "r"(x), "r"(y), "r"(z))
WARPMEM_SURFACE_(surf1DLayered,
                 (cudaSurfaceObject_t object, int x, int layer,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 (object, x, layer, mode), "a1d", "[%1, {%2, %3}]", "[%2, {%3, %4}]",
                 "[%4, {%5, %6}]", "[%0, {%1, %2}]", "{%3}", "{%3, %4}", "{%3, %4, %5, %6}",
                 "l"(object), "r"(layer), "r"(x))
WARPMEM_SURFACE_(surf2DLayered,
                 (cudaSurfaceObject_t object, int x, int y, int layer,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 (object, x, y, layer, mode), "a2d", "[%1, {%2, %3, %4, %4}]",
                 "[%2, {%3, %4, %5, %5}]", "[%4, {%5, %6, %7, %7}]", "[%0, {%1, %2, %3, %3}]",
                 "{%4}", "{%4, %5}", "{%4, %5, %6, %7}", "l"(object), "r"(layer), "r"(x), "r"(y))
WARPMEM_SURFACE_(surfCubemap,
                 (cudaSurfaceObject_t object, int x, int y, int face,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 (object, x, y, face, mode), "a2d", "[%1, {%2, %3, %4, %4}]",
                 "[%2, {%3, %4, %5, %5}]", "[%4, {%5, %6, %7, %7}]", "[%0, {%1, %2, %3, %3}]",
                 "{%4}", "{%4, %5}", "{%4, %5, %6, %7}", "l"(object), "r"(face), "r"(x), "r"(y))
WARPMEM_SURFACE_(surfCubemapLayered,
                 (cudaSurfaceObject_t object, int x, int y, int layerFace,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 (object, x, y, layerFace, mode), "a2d", "[%1, {%2, %3, %4, %4}]",
                 "[%2, {%3, %4, %5, %5}]", "[%4, {%5, %6, %7, %7}]", "[%0, {%1, %2, %3, %3}]",
                 "{%4}", "{%4, %5}", "{%4, %5, %6, %7}", "l"(object), "r"(layerFace), "r"(x),
                 "r"(y))

#undef WARPMEM_SURFACE_
#undef WARPMEM_SURFACE_LOAD_
#undef WARPMEM_SURFACE_STORE_
#undef WARPMEM_ARGUMENTS_

#endif

#endif
