// Functions that PTX computes exactly or rounds once (CUDA Math API, "Single Precision Mathematical
// Functions" and "Double Precision Mathematical Functions", those with an error of 0), and those of
// whole numbers. Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_MATH_EXACT_FUNCTIONS_H
#define WARPMEM_CUDA_MATH_EXACT_FUNCTIONS_H

#include "device_bit_functions.h"
#include "device_rounding_functions.h"

#include <math.h>
#include <stdlib.h>

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// Device versions overload the host's of the same name; C++ code may leave the f out.
#define WARPMEM_EXACT1_(name)              \
    WARPMEM_DEVICE_ double name(double x)  \
    {                                      \
        return __builtin_##name(x);        \
    }                                      \
    WARPMEM_DEVICE_ float name##f(float x) \
    {                                      \
        return __builtin_##name##f(x);     \
    }                                      \
    WARPMEM_DEVICE_ float name(float x)    \
    {                                      \
        return __builtin_##name##f(x);     \
    }
#define WARPMEM_EXACT2_(name)                       \
    WARPMEM_DEVICE_ double name(double x, double y) \
    {                                               \
        return __builtin_##name(x, y);              \
    }                                               \
    WARPMEM_DEVICE_ float name##f(float x, float y) \
    {                                               \
        return __builtin_##name##f(x, y);           \
    }                                               \
    WARPMEM_DEVICE_ float name(float x, float y)    \
    {                                               \
        return __builtin_##name##f(x, y);           \
    }

WARPMEM_EXACT1_(sqrt)
WARPMEM_EXACT1_(fabs)
WARPMEM_EXACT1_(floor)
WARPMEM_EXACT1_(ceil)
WARPMEM_EXACT1_(trunc)
WARPMEM_EXACT1_(rint)
WARPMEM_EXACT1_(nearbyint)
WARPMEM_EXACT1_(round)
WARPMEM_EXACT2_(fmin)
WARPMEM_EXACT2_(fmax)
WARPMEM_EXACT2_(copysign)
#undef WARPMEM_EXACT1_
#undef WARPMEM_EXACT2_

WARPMEM_DEVICE_ double fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
WARPMEM_DEVICE_ float fmaf(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
WARPMEM_DEVICE_ float fma(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
WARPMEM_DEVICE_ double fdim(double x, double y)
{
    return x > y ? x - y : x <= y ? 0.0 : x + y;
}
WARPMEM_DEVICE_ float fdimf(float x, float y)
{
    return x > y ? x - y : x <= y ? 0.0f : x + y;
}
WARPMEM_DEVICE_ float saturate(float x)
{
    return __nvvm_saturate_f(x);
}
WARPMEM_DEVICE_ float __saturatef(float x)
{
    return __nvvm_saturate_f(x);
}

WARPMEM_DEVICE_ long lrint(double x)
{
    return __double2ll_rn(x);
}
WARPMEM_DEVICE_ long lrintf(float x)
{
    return __float2ll_rn(x);
}
WARPMEM_DEVICE_ long long llrint(double x)
{
    return __double2ll_rn(x);
}
WARPMEM_DEVICE_ long long llrintf(float x)
{
    return __float2ll_rn(x);
}
WARPMEM_DEVICE_ long lround(double x)
{
    return (long)__builtin_round(x);
}
WARPMEM_DEVICE_ long lroundf(float x)
{
    return (long)__builtin_roundf(x);
}
WARPMEM_DEVICE_ long long llround(double x)
{
    return (long long)__builtin_round(x);
}
WARPMEM_DEVICE_ long long llroundf(float x)
{
    return (long long)__builtin_roundf(x);
}
WARPMEM_DEVICE_ double modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __builtin_isinf(x) ? __builtin_copysign(0.0, x) : __builtin_copysign(x - *whole, x);
}
WARPMEM_DEVICE_ float modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return __builtin_isinf(x) ? __builtin_copysignf(0.0f, x) : __builtin_copysignf(x - *whole, x);
}

// x * 2^k for every k: at most the last of the three factors rounds, as a subnormal result needs.
WARPMEM_DEVICE_ double ldexp(double x, int k)
{
    k = k < -2200 ? -2200 : k > 2200 ? 2200 : k;
    int part = k / 3;
    double factor = __longlong_as_double((long long)(part + 1023) << 52);
    double rest = __longlong_as_double((long long)(k - 2 * part + 1023) << 52);
    return x * factor * factor * rest;
}
WARPMEM_DEVICE_ float ldexpf(float x, int k)
{
    return (float)ldexp((double)x, k);
}
WARPMEM_DEVICE_ double scalbn(double x, int k)
{
    return ldexp(x, k);
}
WARPMEM_DEVICE_ float scalbnf(float x, int k)
{
    return ldexpf(x, k);
}

// The remainder of x / y with the sign of x, by long division in binary: a step for each bit that
// the exponents differ by.
WARPMEM_DEVICE_ double fmod(double x, double y)
{
    double magnitude = __builtin_fabs(x), divisor = __builtin_fabs(y);
    if (!(magnitude < __builtin_inf()) || !(divisor > 0.0))
        return __builtin_nan("");
    if (!(magnitude >= divisor))
        return divisor == divisor ? x : divisor;
    // Brings the divisor up to x's size by doublings, which are exact, and down again.
    double multiple = divisor;
    while (multiple <= 0.5 * magnitude)
        multiple += multiple;
    while (multiple > divisor) {
        if (magnitude >= multiple)
            magnitude -= multiple;
        multiple *= 0.5;
    }
    if (magnitude >= divisor)
        magnitude -= divisor;
    return __builtin_copysign(magnitude, x);
}
WARPMEM_DEVICE_ float fmodf(float x, float y)
{
    return (float)fmod((double)x, (double)y);
}

WARPMEM_DEVICE_ int abs(int x)
{
    return x < 0 ? -x : x;
}
WARPMEM_DEVICE_ long labs(long x)
{
    return x < 0 ? -x : x;
}
WARPMEM_DEVICE_ long abs(long x)
{
    return x < 0 ? -x : x;
}
WARPMEM_DEVICE_ long long llabs(long long x)
{
    return x < 0 ? -x : x;
}
WARPMEM_DEVICE_ long long abs(long long x)
{
    return x < 0 ? -x : x;
}
WARPMEM_DEVICE_ float abs(float x)
{
    return __builtin_fabsf(x);
}
WARPMEM_DEVICE_ double abs(double x)
{
    return __builtin_fabs(x);
}

// min() and max() take any two numbers on the device, as CUDA's do, and two of one type on the
// host.
#define WARPMEM_MIN_MAX_(type)                                                                 \
    static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused)) type \
    min(type x, type y)                                                                        \
    {                                                                                          \
        return y < x ? y : x;                                                                  \
    }                                                                                          \
    static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused)) type \
    max(type x, type y)                                                                        \
    {                                                                                          \
        return x < y ? y : x;                                                                  \
    }
WARPMEM_MIN_MAX_(int)
WARPMEM_MIN_MAX_(unsigned int)
WARPMEM_MIN_MAX_(long)
WARPMEM_MIN_MAX_(unsigned long)
WARPMEM_MIN_MAX_(long long)
WARPMEM_MIN_MAX_(unsigned long long)
#undef WARPMEM_MIN_MAX_
// Those of floats are fmin() and fmax(): a number wins over a NaN.
#define WARPMEM_FLOAT_MIN_MAX_(type, suffix)                                                   \
    static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused)) type \
    min(type x, type y)                                                                        \
    {                                                                                          \
        return __builtin_fmin##suffix(x, y);                                                   \
    }                                                                                          \
    static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused)) type \
    max(type x, type y)                                                                        \
    {                                                                                          \
        return __builtin_fmax##suffix(x, y);                                                   \
    }
WARPMEM_FLOAT_MIN_MAX_(float, f)
WARPMEM_FLOAT_MIN_MAX_(double, )
#undef WARPMEM_FLOAT_MIN_MAX_
// The mixtures that would else be ambiguous: int with unsigned is unsigned, float with double
// double.
#define WARPMEM_MIXED_(first, second, both)                                                    \
    static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused)) both \
    min(first x, second y)                                                                     \
    {                                                                                          \
        return min((both)x, (both)y);                                                          \
    }                                                                                          \
    static __inline__ __host__ __device__ __attribute__((always_inline, nodebug, unused)) both \
    max(first x, second y)                                                                     \
    {                                                                                          \
        return max((both)x, (both)y);                                                          \
    }
WARPMEM_MIXED_(int, unsigned int, unsigned int)
WARPMEM_MIXED_(unsigned int, int, unsigned int)
WARPMEM_MIXED_(long, unsigned long, unsigned long)
WARPMEM_MIXED_(unsigned long, long, unsigned long)
WARPMEM_MIXED_(long long, unsigned long long, unsigned long long)
WARPMEM_MIXED_(unsigned long long, long long, unsigned long long)
WARPMEM_MIXED_(float, double, double)
WARPMEM_MIXED_(double, float, double)
#undef WARPMEM_MIXED_

#endif

#endif
