// Elementary functions of doubles (CUDA Math API, "Double Precision Mathematical Functions"), by
// textbook reductions and Taylor series long enough for their interval. Error against the exact
// value: at most 6 units in the last place, and 128 for pow(). Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_MATH_DOUBLE_FUNCTIONS_H
#define WARPMEM_CUDA_MATH_DOUBLE_FUNCTIONS_H

#include "math_exact_functions.h"

#if defined(__CUDA__) && defined(__clang__) && defined(__cplusplus)

// e^x * 2^k for |x| up to 0.35.
WARPMEM_DEVICE_ double warpmem_exp_series_(double x, int k)
{
    double sum = 1.0 / 6227020800.0;
    sum = fma(sum, x, 1.0 / 479001600.0);
    sum = fma(sum, x, 1.0 / 39916800.0);
    sum = fma(sum, x, 1.0 / 3628800.0);
    sum = fma(sum, x, 1.0 / 362880.0);
    sum = fma(sum, x, 1.0 / 40320.0);
    sum = fma(sum, x, 1.0 / 5040.0);
    sum = fma(sum, x, 1.0 / 720.0);
    sum = fma(sum, x, 1.0 / 120.0);
    sum = fma(sum, x, 1.0 / 24.0);
    sum = fma(sum, x, 1.0 / 6.0);
    sum = fma(sum, x, 1.0 / 2.0);
    sum = fma(sum, x, 1.0);
    sum = fma(sum, x, 1.0);
    return ldexp(sum, k);
}
// True, with the result, where e^x does not need computing.
WARPMEM_DEVICE_ bool warpmem_exp_special_(double x, double smallest, double largest, double *result)
{
    if (x >= smallest && x <= largest)
        return false;
    *result = x != x ? x : x > largest ? __builtin_inf() : 0.0;
    return true;
}
WARPMEM_DEVICE_ double exp(double x)
{
    double special;
    if (warpmem_exp_special_(x, -746.0, 710.0, &special))
        return special;
    // x = k ln 2 + rest, with ln 2 in two parts of which the first is short: k times it is exact.
    double k = rint(x * 0x1.71547652b82fep+0);
    double rest = fma(k, -0x1.f473de6af278fp-30, fma(k, -0x1.62e42fe000000p-1, x));
    return warpmem_exp_series_(rest, (int)k);
}
WARPMEM_DEVICE_ double exp2(double x)
{
    double special;
    if (warpmem_exp_special_(x, -1076.0, 1024.0, &special))
        return special;
    double k = rint(x);
    return warpmem_exp_series_((x - k) * 0x1.62e42fefa39efp-1, (int)k);
}
WARPMEM_DEVICE_ double exp10(double x)
{
    double special;
    if (warpmem_exp_special_(x, -324.5, 309.0, &special))
        return special;
    // x ln 10 in two parts, then as exp().
    double high = x * 0x1.26bb1bbb55516p+1;
    double low = fma(x, 0x1.26bb1bbb55516p+1, -high) + x * -0x1.f48ad494ea3e9p-53;
    double k = rint(high * 0x1.71547652b82fep+0);
    double rest = fma(k, -0x1.f473de6af278fp-30, fma(k, -0x1.62e42fe000000p-1, high)) + low;
    return warpmem_exp_series_(rest, (int)k);
}
// e^x - 1, by a series of its own where the subtraction would cancel.
WARPMEM_DEVICE_ double expm1(double x)
{
    if (!(fabs(x) < 0.35))
        return exp(x) - 1.0;
    double sum = 1.0 / 1307674368000.0;
    sum = fma(sum, x, 1.0 / 87178291200.0);
    sum = fma(sum, x, 1.0 / 6227020800.0);
    sum = fma(sum, x, 1.0 / 479001600.0);
    sum = fma(sum, x, 1.0 / 39916800.0);
    sum = fma(sum, x, 1.0 / 3628800.0);
    sum = fma(sum, x, 1.0 / 362880.0);
    sum = fma(sum, x, 1.0 / 40320.0);
    sum = fma(sum, x, 1.0 / 5040.0);
    sum = fma(sum, x, 1.0 / 720.0);
    sum = fma(sum, x, 1.0 / 120.0);
    sum = fma(sum, x, 1.0 / 24.0);
    sum = fma(sum, x, 1.0 / 6.0);
    sum = fma(sum, x, 1.0 / 2.0);
    return fma(x * x, sum, x);
}

// Splits x = 2^k * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). x is positive and finite.
WARPMEM_DEVICE_ double warpmem_split_(double x, int *k)
{
    bool subnormal = x < 0x1p-1022;
    long long bits = __double_as_longlong(subnormal ? x * 0x1p54 : x);
    // The exponent of x / sqrt(1/2).
    long long exponent = (bits - 0x3fe6a09e667f3bcdll) >> 52;
    *k = (int)exponent - (subnormal ? 54 : 0);
    return __longlong_as_double(bits - exponent * (1ll << 52)) - 1.0;
}
// ln(x) = high + *low, for a positive finite x; *low is far below half a unit of high.
WARPMEM_DEVICE_ double warpmem_log_parts_(double x, double *low)
{
    int exponent;
    double f = warpmem_split_(x, &exponent), k = exponent;
    // ln(1 + f) = 2 (s + s^3 / 3 + ...) with s = f / (2 + f), of which f - f^2 / 2 is taken out
    // exactly.
    double s = f / (2.0 + f), z = s * s;
    double sum = 2.0 / 23.0;
    sum = fma(sum, z, 2.0 / 21.0);
    sum = fma(sum, z, 2.0 / 19.0);
    sum = fma(sum, z, 2.0 / 17.0);
    sum = fma(sum, z, 2.0 / 15.0);
    sum = fma(sum, z, 2.0 / 13.0);
    sum = fma(sum, z, 2.0 / 11.0);
    sum = fma(sum, z, 2.0 / 9.0);
    sum = fma(sum, z, 2.0 / 7.0);
    sum = fma(sum, z, 2.0 / 5.0);
    sum = fma(sum, z, 2.0 / 3.0);
    double square = 0.5 * f * f;
    double rest = s * fma(z, sum, square);
    double square_low = fma(0.5 * f, f, -square);
    double big = k * 0x1.62e42fe000000p-1;
    double first = big + f, first_low = fabs(big) > fabs(f) ? f - (first - big) : big - (first - f);
    double second = first - square;
    double second_low =
        fabs(first) > square ? (first - second) - square : first - (second + square);
    double tail = first_low + second_low + (fma(k, 0x1.f473de6af278fp-30, rest) - square_low);
    double high = second + tail;
    *low = tail - (high - second);
    return high;
}
// True, with the result, where ln(x) does not need computing.
WARPMEM_DEVICE_ bool warpmem_log_special_(double x, double *result)
{
    if (x > 0.0 && x < __builtin_inf())
        return false;
    *result = x == 0.0 ? -__builtin_inf() : x < 0.0 ? __builtin_nan("") : x;
    return true;
}
WARPMEM_DEVICE_ double log(double x)
{
    double special, low;
    return warpmem_log_special_(x, &special) ? special : warpmem_log_parts_(x, &low);
}
WARPMEM_DEVICE_ double log2(double x)
{
    double low, high;
    if (warpmem_log_special_(x, &high))
        return high;
    high = warpmem_log_parts_(x, &low);
    double value = high * 0x1.71547652b82fep+0;
    return value + (fma(high, 0x1.71547652b82fep+0, -value) +
                    fma(high, 0x1.777d0ffda0d24p-56, low * 0x1.71547652b82fep+0));
}
WARPMEM_DEVICE_ double log10(double x)
{
    double low, high;
    if (warpmem_log_special_(x, &high))
        return high;
    high = warpmem_log_parts_(x, &low);
    double value = high * 0x1.bcb7b1526e50ep-2;
    return value + (fma(high, 0x1.bcb7b1526e50ep-2, -value) +
                    fma(high, 0x1.95355baaafad3p-57, low * 0x1.bcb7b1526e50ep-2));
}
WARPMEM_DEVICE_ double log1p(double x)
{
    double sum = 1.0 + x;
    if (fabs(x) < 0x1p-54)
        return x;
    if (!(sum > 0.0) || sum > 0x1p60)
        return log(sum);
    // What rounding 1 + x lost, to first order.
    double lost = fabs(x) < 1.0 ? x - (sum - 1.0) : 1.0 - (sum - x);
    return log(sum) + lost / sum;
}

// x^y for a positive finite x other than 1 and a finite y, as e^(y ln x).
WARPMEM_DEVICE_ double warpmem_pow_positive_(double x, double y)
{
    double low, high = warpmem_log_parts_(x, &low);
    double product = y * high;
    if (!(fabs(product) < 760.0))
        return exp(product);
    double k = rint(product * 0x1.71547652b82fep+0);
    double rest = fma(k, -0x1.f473de6af278fp-30, fma(k, -0x1.62e42fe000000p-1, product));
    return warpmem_exp_series_(rest + (fma(y, high, -product) + y * low), (int)k);
}
// The special cases are those of ISO C, annex F.10.4.4.
WARPMEM_DEVICE_ double pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (x != x || y != y)
        return x + y;
    double magnitude = fabs(x), infinity = __builtin_inf(), result;
    bool whole = y == trunc(y);
    bool odd = whole && fabs(y) < 0x1p53 && ((long long)y & 1);
    if (fabs(y) == infinity)
        result = magnitude == 1.0 ? 1.0 : (magnitude > 1.0) == (y > 0.0) ? infinity : 0.0;
    else if (magnitude == 0.0 || magnitude == infinity)
        result = (magnitude == 0.0) == (y > 0.0) ? 0.0 : infinity;
    else if (x < 0.0 && !whole)
        return __builtin_nan("");
    else
        result = magnitude == 1.0 ? 1.0 : warpmem_pow_positive_(magnitude, y);
    return odd ? copysign(result, x) : result;
}

// The rest of x after the nearest multiple of pi/2, and that multiple's number modulo 4, for
// 2^20 <= x < infinity, with as many bits of 2/pi as it takes (M. Payne and R. Hanek, "Radian
// reduction for trigonometric functions", SIGNUM Newsletter 18, 1983).
WARPMEM_DEVICE_ int warpmem_reduce_large_(double x, double *rest)
{
    // 2/pi as a binary fraction, after a word of zeros.
    static const unsigned long long two_over_pi[] = {
        0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
        0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
        0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
        0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
        0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull,
        0xf0cfbc209af4361dull};
    long long bits = __double_as_longlong(x);
    unsigned long long mantissa = ((unsigned long long)bits & 0xfffffffffffffull) | 1ull << 52;
    // x * 2/pi / 4 = mantissa * 2/pi * 2^(exponent - 2): only its fraction counts, to which the
    // first bits of 2/pi do not contribute.
    int first = (int)(bits >> 52 & 0x7ff) - 1075 - 2 + 64;
    int word = first / 64, shift = first % 64;
    unsigned long long window[3];
    for (int i = 0; i < 3; i++)
        window[i] =
            shift == 0 ? two_over_pi[word + i]
                       : two_over_pi[word + i] << shift | two_over_pi[word + i + 1] >> (64 - shift);
    unsigned long long low = mantissa * window[1] + __umul64hi(mantissa, window[2]);
    unsigned long long carry = low < mantissa * window[1];
    unsigned long long high = mantissa * window[0] + __umul64hi(mantissa, window[1]) + carry;
    // high:low is the fraction in units of 2^-128; its two top bits are the quadrant.
    int quadrant = (int)(high >> 62);
    high = high << 2 | low >> 62;
    low <<= 2;
    bool above = high >> 63; // nearer to the next multiple
    if (above) {
        quadrant++;
        low = 0 - low;
        high = ~high + (low == 0);
    }
    int zeros = __clzll((long long)high);
    // At least 60 bits below the point are zero at worst, for doubles: `low` has enough to follow.
    unsigned long long leading = zeros == 0    ? high
                                 : zeros == 64 ? low
                                               : high << zeros | low >> (64 - zeros);
    double fraction = ldexp((double)leading, -64 - zeros);
    *rest = (above ? -fraction : fraction) * 0x1.921fb54442d18p+0;
    return quadrant & 3;
}
WARPMEM_DEVICE_ int warpmem_reduce_(double x, double *rest)
{
    if (fabs(x) >= 0x1p20) {
        int quadrant = warpmem_reduce_large_(fabs(x), rest);
        if (x < 0.0) {
            *rest = -*rest;
            quadrant = -quadrant;
        }
        return quadrant & 3;
    }
    // Below, the multiple has 20 bits, and pi/2 in three parts is exact enough.
    double k = rint(x * 0x1.45f306dc9c883p-1);
    *rest = fma(k, -(-0x1.f1976b7ed8fbcp-110),
                fma(k, -0x1.1a62633145c07p-54, fma(k, -0x1.921fb54442d18p+0, x)));
    return (int)k & 3;
}
// The sine and cosine of |x| up to pi/4.
WARPMEM_DEVICE_ double warpmem_sine_series_(double x)
{
    double z = x * x;
    double sum = 1.0 / 355687428096000.0;
    sum = fma(sum, z, -1.0 / 1307674368000.0);
    sum = fma(sum, z, 1.0 / 6227020800.0);
    sum = fma(sum, z, -1.0 / 39916800.0);
    sum = fma(sum, z, 1.0 / 362880.0);
    sum = fma(sum, z, -1.0 / 5040.0);
    sum = fma(sum, z, 1.0 / 120.0);
    sum = fma(sum, z, -1.0 / 6.0);
    return fma(x * z, sum, x);
}
WARPMEM_DEVICE_ double warpmem_cosine_series_(double x)
{
    double z = x * x;
    double sum = -1.0 / 6402373705728000.0;
    sum = fma(sum, z, 1.0 / 20922789888000.0);
    sum = fma(sum, z, -1.0 / 87178291200.0);
    sum = fma(sum, z, 1.0 / 479001600.0);
    sum = fma(sum, z, -1.0 / 3628800.0);
    sum = fma(sum, z, 1.0 / 40320.0);
    sum = fma(sum, z, -1.0 / 720.0);
    sum = fma(sum, z, 1.0 / 24.0);
    // 1 - z/2 rounds: what it loses is added back.
    double half = 0.5 * z, whole = 1.0 - half;
    return whole + ((1.0 - whole - half) + z * z * sum);
}
WARPMEM_DEVICE_ double warpmem_sine_in_(int quadrant, double rest)
{
    double value = quadrant & 1 ? warpmem_cosine_series_(rest) : warpmem_sine_series_(rest);
    return quadrant & 2 ? -value : value;
}
WARPMEM_DEVICE_ double sin(double x)
{
    double rest;
    if (!(fabs(x) < __builtin_inf()))
        return x - x;
    int quadrant = warpmem_reduce_(x, &rest);
    return x == 0.0 ? x : warpmem_sine_in_(quadrant, rest);
}
WARPMEM_DEVICE_ double cos(double x)
{
    double rest;
    if (!(fabs(x) < __builtin_inf()))
        return x - x;
    int quadrant = warpmem_reduce_(x, &rest);
    return warpmem_sine_in_(quadrant + 1, rest);
}
WARPMEM_DEVICE_ void sincos(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}
WARPMEM_DEVICE_ double tan(double x)
{
    double rest;
    if (!(fabs(x) < __builtin_inf()) || x == 0.0)
        return x == 0.0 ? x : x - x;
    int quadrant = warpmem_reduce_(x, &rest);
    double sine = warpmem_sine_series_(rest), cosine = warpmem_cosine_series_(rest);
    return quadrant & 1 ? -cosine / sine : sine / cosine;
}

// The angle from 0 to pi/2 whose tangent is y / x, both positive or 0 and not both.
WARPMEM_DEVICE_ double warpmem_arctangent_(double y, double x)
{
    bool steep = y > x;
    double t = steep ? x / y : y / x;
    // Two halvings of the angle: tan(a/2) = tan a / (1 + sqrt(1 + tan^2 a)); small ones need none.
    int halvings = t > 0.2 ? 2 : 0;
    for (int i = 0; i < halvings; i++)
        t = t / (1.0 + sqrt(fma(t, t, 1.0)));
    double z = t * t;
    double sum = 1.0 / 25.0;
    sum = fma(sum, z, -1.0 / 23.0);
    sum = fma(sum, z, 1.0 / 21.0);
    sum = fma(sum, z, -1.0 / 19.0);
    sum = fma(sum, z, 1.0 / 17.0);
    sum = fma(sum, z, -1.0 / 15.0);
    sum = fma(sum, z, 1.0 / 13.0);
    sum = fma(sum, z, -1.0 / 11.0);
    sum = fma(sum, z, 1.0 / 9.0);
    sum = fma(sum, z, -1.0 / 7.0);
    sum = fma(sum, z, 1.0 / 5.0);
    sum = fma(sum, z, -1.0 / 3.0);
    double angle = fma(t * z, sum, t) * (halvings ? 4.0 : 1.0);
    return steep ? 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54) : angle;
}
WARPMEM_DEVICE_ double atan(double x)
{
    return x != x || x == 0.0 ? x : copysign(warpmem_arctangent_(fabs(x), 1.0), x);
}
WARPMEM_DEVICE_ double atan2(double y, double x)
{
    if (x != x || y != y)
        return x + y;
    double pi = 0x1.921fb54442d18p+1, width = fabs(x), height = fabs(y), angle;
    if (height == 0.0)
        angle = 0.0;
    else if (height == __builtin_inf() && width == height)
        angle = 0.25 * pi;
    else
        angle = warpmem_arctangent_(height, width);
    if (signbit(x))
        angle = pi - (angle - 0x1.1a62633145c07p-53);
    return copysign(angle, y);
}
WARPMEM_DEVICE_ double asin(double x)
{
    return x == 0.0 ? x : atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}
WARPMEM_DEVICE_ double acos(double x)
{
    return 2.0 * atan2(sqrt(1.0 - x), sqrt(1.0 + x));
}

WARPMEM_DEVICE_ double sinh(double x)
{
    double magnitude = fabs(x);
    if (magnitude > 709.0) {
        double half = exp(0.5 * magnitude);
        return copysign(0.5 * half * half, x);
    }
    double t = expm1(magnitude);
    return copysign(0.5 * (t + t / (t + 1.0)), x);
}
WARPMEM_DEVICE_ double cosh(double x)
{
    double magnitude = fabs(x);
    double half = exp(0.5 * magnitude), whole = exp(magnitude);
    return magnitude > 709.0 ? 0.5 * half * half : 0.5 * (whole + 1.0 / whole);
}
WARPMEM_DEVICE_ double tanh(double x)
{
    double magnitude = fabs(x);
    double t = expm1(2.0 * (magnitude < 20.0 ? magnitude : 20.0));
    return x != x ? x : copysign(magnitude < 20.0 ? t / (t + 2.0) : 1.0, x);
}
WARPMEM_DEVICE_ double cbrt(double x)
{
    double magnitude = fabs(x);
    if (!(magnitude > 0.0 && magnitude < __builtin_inf()))
        return x;
    // A third of the logarithm, and one step of Newton's method.
    bool subnormal = magnitude < 0x1p-1022;
    double scaled = subnormal ? magnitude * 0x1p54 : magnitude;
    double root = exp(log(scaled) / 3.0);
    root = root - (root - scaled / root / root) / 3.0;
    return copysign(subnormal ? root * 0x1p-18 : root, x);
}
WARPMEM_DEVICE_ double rcbrt(double x)
{
    return 1.0 / cbrt(x);
}
WARPMEM_DEVICE_ double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
WARPMEM_DEVICE_ double hypot(double x, double y)
{
    double larger = fmax(fabs(x), fabs(y)), smaller = fmin(fabs(x), fabs(y));
    if (larger == __builtin_inf())
        return larger;
    if (x != x || y != y)
        return x + y;
    double ratio = larger == 0.0 ? 0.0 : smaller / larger;
    return larger * sqrt(fma(ratio, ratio, 1.0));
}

#endif

#endif
