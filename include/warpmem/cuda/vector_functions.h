// make_int2() and its relatives (CUDA C++ Programming Guide, "Built-in Vector Types").
#ifndef WARPMEM_CUDA_VECTOR_FUNCTIONS_H
#define WARPMEM_CUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

// nodebug lets the line tables name the caller's line, not this one.
#if defined(__clang__)
#define WARPMEM_MAKE_ \
    static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused))
#else
#define WARPMEM_MAKE_ static __inline__ __attribute__((unused))
#endif

#define WARPMEM_MAKES_(name, type)                                              \
    WARPMEM_MAKE_ struct name##1 make_##name##1(type x)                         \
    {                                                                           \
        struct name##1 v = {x};                                                 \
        return v;                                                               \
    }                                                                           \
    WARPMEM_MAKE_ struct name##2 make_##name##2(type x, type y)                 \
    {                                                                           \
        struct name##2 v = {x, y};                                              \
        return v;                                                               \
    }                                                                           \
    WARPMEM_MAKE_ struct name##3 make_##name##3(type x, type y, type z)         \
    {                                                                           \
        struct name##3 v = {x, y, z};                                           \
        return v;                                                               \
    }                                                                           \
    WARPMEM_MAKE_ struct name##4 make_##name##4(type x, type y, type z, type w) \
    {                                                                           \
        struct name##4 v = {x, y, z, w};                                        \
        return v;                                                               \
    }

WARPMEM_MAKES_(char, signed char)
WARPMEM_MAKES_(uchar, unsigned char)
WARPMEM_MAKES_(short, short)
WARPMEM_MAKES_(ushort, unsigned short)
WARPMEM_MAKES_(int, int)
WARPMEM_MAKES_(uint, unsigned int)
WARPMEM_MAKES_(long, long int)
WARPMEM_MAKES_(ulong, unsigned long int)
WARPMEM_MAKES_(longlong, long long int)
WARPMEM_MAKES_(ulonglong, unsigned long long int)
WARPMEM_MAKES_(float, float)
WARPMEM_MAKES_(double, double)

#undef WARPMEM_MAKES_
#undef WARPMEM_MAKE_

#endif
