// Mathematics in kernels: all of CUDA's functions that this project computes, and the same names
// without the f and in namespace std, as C++ spells them. Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_MATH_FUNCTIONS_H
#define WARPMEM_CUDA_MATH_FUNCTIONS_H

#include "math_double_functions.h"
#include "math_exact_functions.h"
#include "math_float_functions.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

#include <cmath>
#include <cstdlib>

#define WARPMEM_FLOAT1_(name)           \
    WARPMEM_DEVICE_ float name(float x) \
    {                                   \
        return name##f(x);              \
    }
#define WARPMEM_FLOAT2_(name)                    \
    WARPMEM_DEVICE_ float name(float x, float y) \
    {                                            \
        return name##f(x, y);                    \
    }
WARPMEM_FLOAT1_(exp)
WARPMEM_FLOAT1_(exp2)
WARPMEM_FLOAT1_(expm1)
WARPMEM_FLOAT1_(log)
WARPMEM_FLOAT1_(log2)
WARPMEM_FLOAT1_(log10)
WARPMEM_FLOAT1_(log1p)
WARPMEM_FLOAT1_(sin)
WARPMEM_FLOAT1_(cos)
WARPMEM_FLOAT1_(tan)
WARPMEM_FLOAT1_(asin)
WARPMEM_FLOAT1_(acos)
WARPMEM_FLOAT1_(atan)
WARPMEM_FLOAT1_(sinh)
WARPMEM_FLOAT1_(cosh)
WARPMEM_FLOAT1_(tanh)
WARPMEM_FLOAT1_(cbrt)
WARPMEM_FLOAT1_(rsqrt)
WARPMEM_FLOAT2_(pow)
WARPMEM_FLOAT2_(atan2)
WARPMEM_FLOAT2_(hypot)
WARPMEM_FLOAT2_(fmod)
#undef WARPMEM_FLOAT1_
#undef WARPMEM_FLOAT2_
// A whole number as an argument means the double, as in C.
#define WARPMEM_WHOLE_(name)           \
    WARPMEM_DEVICE_ double name(int x) \
    {                                  \
        return name((double)x);        \
    }
WARPMEM_WHOLE_(exp)
WARPMEM_WHOLE_(exp2)
WARPMEM_WHOLE_(expm1)
WARPMEM_WHOLE_(log)
WARPMEM_WHOLE_(log2)
WARPMEM_WHOLE_(log10)
WARPMEM_WHOLE_(log1p)
WARPMEM_WHOLE_(sin)
WARPMEM_WHOLE_(cos)
WARPMEM_WHOLE_(tan)
WARPMEM_WHOLE_(asin)
WARPMEM_WHOLE_(acos)
WARPMEM_WHOLE_(atan)
WARPMEM_WHOLE_(sinh)
WARPMEM_WHOLE_(cosh)
WARPMEM_WHOLE_(tanh)
WARPMEM_WHOLE_(cbrt)
WARPMEM_WHOLE_(sqrt)
WARPMEM_WHOLE_(fabs)
WARPMEM_WHOLE_(floor)
WARPMEM_WHOLE_(ceil)
WARPMEM_WHOLE_(trunc)
WARPMEM_WHOLE_(round)
#undef WARPMEM_WHOLE_
WARPMEM_DEVICE_ double pow(double x, int y)
{
    return pow(x, (double)y);
}
WARPMEM_DEVICE_ float pow(float x, int y)
{
    return powf(x, (float)y);
}

// The device versions join the host's of the standard library.
namespace std
{
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::ldexp;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::pow;
using ::rint;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::trunc;
} // namespace std

#endif

#endif
