// Elementary functions of floats (CUDA Math API, "Single Precision Mathematical Functions"). expf,
// logf, sinf and cosf have forms of their own; the others are computed in double and rounded. Error
// against the exact value: at most 2 units in the last place; expf, exp2f and rsqrtf have the error
// of PTX's ex2.approx and rsqrt.approx besides, 2^-22 of the value. Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_MATH_FLOAT_FUNCTIONS_H
#define WARPMEM_CUDA_MATH_FLOAT_FUNCTIONS_H

#include "math_double_functions.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

WARPMEM_DEVICE_ float expf(float x)
{
    // x = k ln 2 + rest; e^rest is 2^(rest / ln 2), which the hardware has. Outside these bounds
    // the result is 0 or infinity all the same, and k stays small.
    float bounded = x < -110.0f ? -110.0f : x > 90.0f ? 90.0f : x;
    float k = rintf(bounded * 0x1.715476p+0f);
    float rest = fmaf(k, -0x1.7f7d1cp-20f, fmaf(k, -0x1.62e4p-1f, bounded));
    float value = __nvvm_ex2_approx_f(rest * 0x1.715476p+0f);
    // 2^k in two factors, as k reaches beyond a float's exponents.
    int half = (int)k / 2;
    return value * __int_as_float((half + 127) << 23) * __int_as_float(((int)k - half + 127) << 23);
}
WARPMEM_DEVICE_ float exp2f(float x)
{
    return __nvvm_ex2_approx_f(x);
}
// As log() for doubles, with a shorter series.
WARPMEM_DEVICE_ float logf(float x)
{
    if (!(x > 0.0f && x < __builtin_inff()))
        return x == 0.0f ? -__builtin_inff() : x < 0.0f ? __builtin_nanf("") : x;
    bool subnormal = x < 0x1p-126f;
    int bits = __float_as_int(subnormal ? x * 0x1p24f : x);
    int exponent = (bits - 0x3f3504f3) >> 23; // of x / sqrt(1/2)
    float k = (float)(exponent - (subnormal ? 24 : 0));
    float f = __int_as_float(bits - exponent * (1 << 23)) - 1.0f;
    float s = f / (2.0f + f), z = s * s;
    float sum = 2.0f / 9.0f;
    sum = fmaf(sum, z, 2.0f / 7.0f);
    sum = fmaf(sum, z, 2.0f / 5.0f);
    sum = fmaf(sum, z, 2.0f / 3.0f);
    float square = 0.5f * f * f;
    float rest = fmaf(s, fmaf(z, sum, square), k * 0x1.7f7d1cp-20f);
    return fmaf(k, 0x1.62e4p-1f, f - (square - rest));
}

// The sine and cosine of |x| up to pi/4.
WARPMEM_DEVICE_ float warpmem_sinef_series_(float x)
{
    float z = x * x;
    float sum = 1.0f / 362880.0f;
    sum = fmaf(sum, z, -1.0f / 5040.0f);
    sum = fmaf(sum, z, 1.0f / 120.0f);
    sum = fmaf(sum, z, -1.0f / 6.0f);
    return fmaf(x * z, sum, x);
}
WARPMEM_DEVICE_ float warpmem_cosinef_series_(float x)
{
    float z = x * x;
    float sum = -1.0f / 3628800.0f;
    sum = fmaf(sum, z, 1.0f / 40320.0f);
    sum = fmaf(sum, z, -1.0f / 720.0f);
    sum = fmaf(sum, z, 1.0f / 24.0f);
    sum = fmaf(sum, z, -0.5f);
    return fmaf(sum, z, 1.0f);
}
// The multiple of pi/2 is taken off in double, so that no float loses bits.
WARPMEM_DEVICE_ float warpmem_sinef_(float x, int quarter)
{
    if (!(fabsf(x) < __builtin_inff()))
        return x - x;
    double rest;
    int quadrant = warpmem_reduce_((double)x, &rest) + quarter;
    float value =
        quadrant & 1 ? warpmem_cosinef_series_((float)rest) : warpmem_sinef_series_((float)rest);
    return quadrant & 2 ? -value : value;
}
WARPMEM_DEVICE_ float sinf(float x)
{
    return x == 0.0f ? x : warpmem_sinef_(x, 0);
}
WARPMEM_DEVICE_ float cosf(float x)
{
    return warpmem_sinef_(x, 1);
}
WARPMEM_DEVICE_ void sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}
WARPMEM_DEVICE_ float rsqrtf(float x)
{
    return __nvvm_rsqrt_approx_f(x);
}

#define WARPMEM_BY_DOUBLE1_(name)          \
    WARPMEM_DEVICE_ float name##f(float x) \
    {                                      \
        return (float)name((double)x);     \
    }
#define WARPMEM_BY_DOUBLE2_(name)                   \
    WARPMEM_DEVICE_ float name##f(float x, float y) \
    {                                               \
        return (float)name((double)x, (double)y);   \
    }
WARPMEM_BY_DOUBLE1_(exp10)
WARPMEM_BY_DOUBLE1_(expm1)
WARPMEM_BY_DOUBLE1_(log2)
WARPMEM_BY_DOUBLE1_(log10)
WARPMEM_BY_DOUBLE1_(log1p)
WARPMEM_BY_DOUBLE1_(tan)
WARPMEM_BY_DOUBLE1_(asin)
WARPMEM_BY_DOUBLE1_(acos)
WARPMEM_BY_DOUBLE1_(atan)
WARPMEM_BY_DOUBLE1_(sinh)
WARPMEM_BY_DOUBLE1_(cosh)
WARPMEM_BY_DOUBLE1_(tanh)
WARPMEM_BY_DOUBLE1_(cbrt)
WARPMEM_BY_DOUBLE1_(rcbrt)
WARPMEM_BY_DOUBLE2_(atan2)
WARPMEM_BY_DOUBLE2_(pow)
WARPMEM_BY_DOUBLE2_(hypot)
#undef WARPMEM_BY_DOUBLE1_
#undef WARPMEM_BY_DOUBLE2_

// The hardware's own approximations (CUDA Math API, "Single Precision Intrinsics").
WARPMEM_DEVICE_ float __expf(float x)
{
    return __nvvm_ex2_approx_f(x * 0x1.715476p+0f);
}
WARPMEM_DEVICE_ float __exp10f(float x)
{
    return __nvvm_ex2_approx_f(x * 0x1.a934fp+1f);
}
WARPMEM_DEVICE_ float __log2f(float x)
{
    return __nvvm_lg2_approx_f(x);
}
WARPMEM_DEVICE_ float __logf(float x)
{
    return __nvvm_lg2_approx_f(x) * 0x1.62e43p-1f;
}
WARPMEM_DEVICE_ float __log10f(float x)
{
    return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f;
}
WARPMEM_DEVICE_ float __powf(float x, float y)
{
    return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}
WARPMEM_DEVICE_ float __sinf(float x)
{
    return __nvvm_sin_approx_f(x);
}
WARPMEM_DEVICE_ float __cosf(float x)
{
    return __nvvm_cos_approx_f(x);
}
WARPMEM_DEVICE_ float __tanf(float x)
{
    return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x));
}
WARPMEM_DEVICE_ void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __nvvm_sin_approx_f(x);
    *cosine = __nvvm_cos_approx_f(x);
}
WARPMEM_DEVICE_ float __fdividef(float x, float y)
{
    return __nvvm_div_approx_f(x, y);
}
WARPMEM_DEVICE_ float __frsqrt_rn(float x)
{
    return (float)(1.0 / sqrt((double)x));
}

#endif

#endif
