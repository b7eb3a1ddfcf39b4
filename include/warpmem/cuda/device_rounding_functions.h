// Arithmetic and conversions with the rounding in the name (CUDA Math API, "Single Precision
// Intrinsics", "Double Precision Intrinsics", "Type Casting Intrinsics"): _rn nearest even, _rz to
// zero, _ru up, _rd down. PTX writes the last two .rp and .rm.
#ifndef WARPMEM_CUDA_DEVICE_ROUNDING_FUNCTIONS_H
#define WARPMEM_CUDA_DEVICE_ROUNDING_FUNCTIONS_H

#include "host_defines.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// nvvm's add, mul, div, rcp, sqrt and fma exist in every rounding and both widths.
#define WARPMEM_ROUNDED_(rounding, nvvm)                                  \
    WARPMEM_DEVICE_ float __fadd_##rounding(float x, float y)             \
    {                                                                     \
        return __nvvm_add_##nvvm##_f(x, y);                               \
    }                                                                     \
    WARPMEM_DEVICE_ float __fsub_##rounding(float x, float y)             \
    {                                                                     \
        return __nvvm_add_##nvvm##_f(x, -y);                              \
    }                                                                     \
    WARPMEM_DEVICE_ float __fmul_##rounding(float x, float y)             \
    {                                                                     \
        return __nvvm_mul_##nvvm##_f(x, y);                               \
    }                                                                     \
    WARPMEM_DEVICE_ float __fdiv_##rounding(float x, float y)             \
    {                                                                     \
        return __nvvm_div_##nvvm##_f(x, y);                               \
    }                                                                     \
    WARPMEM_DEVICE_ float __frcp_##rounding(float x)                      \
    {                                                                     \
        return __nvvm_rcp_##nvvm##_f(x);                                  \
    }                                                                     \
    WARPMEM_DEVICE_ float __fsqrt_##rounding(float x)                     \
    {                                                                     \
        return __nvvm_sqrt_##nvvm##_f(x);                                 \
    }                                                                     \
    WARPMEM_DEVICE_ float __fmaf_##rounding(float x, float y, float z)    \
    {                                                                     \
        return __nvvm_fma_##nvvm##_f(x, y, z);                            \
    }                                                                     \
    WARPMEM_DEVICE_ double __dadd_##rounding(double x, double y)          \
    {                                                                     \
        return __nvvm_add_##nvvm##_d(x, y);                               \
    }                                                                     \
    WARPMEM_DEVICE_ double __dsub_##rounding(double x, double y)          \
    {                                                                     \
        return __nvvm_add_##nvvm##_d(x, -y);                              \
    }                                                                     \
    WARPMEM_DEVICE_ double __dmul_##rounding(double x, double y)          \
    {                                                                     \
        return __nvvm_mul_##nvvm##_d(x, y);                               \
    }                                                                     \
    WARPMEM_DEVICE_ double __ddiv_##rounding(double x, double y)          \
    {                                                                     \
        return __nvvm_div_##nvvm##_d(x, y);                               \
    }                                                                     \
    WARPMEM_DEVICE_ double __drcp_##rounding(double x)                    \
    {                                                                     \
        return __nvvm_rcp_##nvvm##_d(x);                                  \
    }                                                                     \
    WARPMEM_DEVICE_ double __dsqrt_##rounding(double x)                   \
    {                                                                     \
        return __nvvm_sqrt_##nvvm##_d(x);                                 \
    }                                                                     \
    WARPMEM_DEVICE_ double __fma_##rounding(double x, double y, double z) \
    {                                                                     \
        return __nvvm_fma_##nvvm##_d(x, y, z);                            \
    }

WARPMEM_ROUNDED_(rn, rn)
WARPMEM_ROUNDED_(rz, rz)
WARPMEM_ROUNDED_(ru, rp)
WARPMEM_ROUNDED_(rd, rm)
#undef WARPMEM_ROUNDED_

#define WARPMEM_CONVERSION_(name, to, from, nvvm) \
    WARPMEM_DEVICE_ to name##_rn(from x)          \
    {                                             \
        return (to)__nvvm_##nvvm##_rn(x);         \
    }                                             \
    WARPMEM_DEVICE_ to name##_rz(from x)          \
    {                                             \
        return (to)__nvvm_##nvvm##_rz(x);         \
    }                                             \
    WARPMEM_DEVICE_ to name##_ru(from x)          \
    {                                             \
        return (to)__nvvm_##nvvm##_rp(x);         \
    }                                             \
    WARPMEM_DEVICE_ to name##_rd(from x)          \
    {                                             \
        return (to)__nvvm_##nvvm##_rm(x);         \
    }

WARPMEM_CONVERSION_(__float2int, int, float, f2i)
WARPMEM_CONVERSION_(__float2uint, unsigned int, float, f2ui)
WARPMEM_CONVERSION_(__float2ll, long long, float, f2ll)
WARPMEM_CONVERSION_(__float2ull, unsigned long long, float, f2ull)
WARPMEM_CONVERSION_(__double2int, int, double, d2i)
WARPMEM_CONVERSION_(__double2uint, unsigned int, double, d2ui)
WARPMEM_CONVERSION_(__double2ll, long long, double, d2ll)
WARPMEM_CONVERSION_(__double2ull, unsigned long long, double, d2ull)
WARPMEM_CONVERSION_(__double2float, float, double, d2f)
WARPMEM_CONVERSION_(__int2float, float, int, i2f)
WARPMEM_CONVERSION_(__uint2float, float, unsigned int, ui2f)
WARPMEM_CONVERSION_(__ll2float, float, long long, ll2f)
WARPMEM_CONVERSION_(__ull2float, float, unsigned long long, ull2f)
WARPMEM_CONVERSION_(__ll2double, double, long long, ll2d)
WARPMEM_CONVERSION_(__ull2double, double, unsigned long long, ull2d)
#undef WARPMEM_CONVERSION_

// These are exact: no rounding to choose.
WARPMEM_DEVICE_ double __int2double_rn(int x)
{
    return (double)x;
}
WARPMEM_DEVICE_ double __uint2double_rn(unsigned int x)
{
    return (double)x;
}

#endif

#endif
