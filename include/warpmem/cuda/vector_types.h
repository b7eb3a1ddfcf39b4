// CUDA's short vectors and dim3 (CUDA C++ Programming Guide, "Built-in Vector Types"): fields,
// sizes and alignments are part of the binary interface, since kernels take them as parameters and
// the wide ones become one vector load. For C and C++, host and device.
#ifndef WARPMEM_CUDA_VECTOR_TYPES_H
#define WARPMEM_CUDA_VECTOR_TYPES_H

#include "host_defines.h"

#ifdef __cplusplus
#define WARPMEM_TYPEDEF_(name)
#else
#define WARPMEM_TYPEDEF_(name) typedef struct name name;
#endif

// The aligned sizes of 2 and 4 are those that one load instruction of 2 to 16 bytes can move; a
// vector of 3 is three loads.
#define WARPMEM_VECTORS_(name, type, align2, align4) \
    struct name##1                                   \
    {                                                \
        type x;                                      \
    };                                               \
    struct __attribute__((aligned(align2))) name##2  \
    {                                                \
        type x, y;                                   \
    };                                               \
    struct name##3                                   \
    {                                                \
        type x, y, z;                                \
    };                                               \
    struct __attribute__((aligned(align4))) name##4  \
    {                                                \
        type x, y, z, w;                             \
    };                                               \
    WARPMEM_TYPEDEF_(name##1)                        \
    WARPMEM_TYPEDEF_(name##2) WARPMEM_TYPEDEF_(name##3) WARPMEM_TYPEDEF_(name##4)

WARPMEM_VECTORS_(char, signed char, 2, 4)
WARPMEM_VECTORS_(uchar, unsigned char, 2, 4)
WARPMEM_VECTORS_(short, short, 4, 8)
WARPMEM_VECTORS_(ushort, unsigned short, 4, 8)
WARPMEM_VECTORS_(int, int, 8, 16)
WARPMEM_VECTORS_(uint, unsigned int, 8, 16)
WARPMEM_VECTORS_(long, long int, 16, 16)
WARPMEM_VECTORS_(ulong, unsigned long int, 16, 16)
WARPMEM_VECTORS_(longlong, long long int, 16, 16)
WARPMEM_VECTORS_(ulonglong, unsigned long long int, 16, 16)
WARPMEM_VECTORS_(float, float, 8, 16)
WARPMEM_VECTORS_(double, double, 16, 16)

#undef WARPMEM_VECTORS_
#undef WARPMEM_TYPEDEF_

// A grid's or block's extent. Fields not given are 1, so that <<<blocks, threads>>> takes numbers.
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1,
                                       unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
};
#ifndef __cplusplus
typedef struct dim3 dim3;
#endif

#endif
