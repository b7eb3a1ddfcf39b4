// The values in lanes: bits to floats and back, flushing, saturation, and the half formats, which
// no plain C type holds. Written without branches, so that loops over lanes become vector code.
// Private to exec/.
#ifndef WM_EXEC_LANES_LANE_VALUES_H
#define WM_EXEC_LANES_LANE_VALUES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define UNUSED __attribute__((unused))

static const uint32_t nan_f32 = 0x7fffffffu;         // PTX ISA 7.8.1: the canonical NaN
static const uint64_t nan_f64 = 0x7ff8000000000000u; // our choice: PTX leaves f64 payloads open

static inline float float_of(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } u = {.bits = bits};
    return u.value;
}

static inline uint32_t bits_of_float(float value)
{
    union {
        float value;
        uint32_t bits;
    } u = {.value = value};
    return u.bits;
}

static inline double double_of(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } u = {.bits = bits};
    return u.value;
}

static inline uint64_t bits_of_double(double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {.value = value};
    return u.bits;
}

// Subnormals become zero, the sign stays (PTX ISA 9.7.3, .ftz).
static inline uint32_t flush_f32(uint32_t bits)
{
    return (bits & 0x7f800000u) ? bits : bits & 0x80000000u;
}

static inline uint64_t flush_f64(uint64_t bits)
{
    return (bits & 0x7ff0000000000000u) ? bits : bits & 0x8000000000000000u;
}

// .sat: into [0, 1], NaN to +0; -0 becomes +0.
static inline float saturate_f32(float v)
{
    float low = v > 0.0f ? v : 0.0f;
    return low < 1.0f ? low : 1.0f;
}

static inline double saturate_f64(double v)
{
    double low = v > 0.0 ? v : 0.0;
    return low < 1.0 ? low : 1.0;
}

static inline uint32_t canonical_f32(float v)
{
    return v == v ? bits_of_float(v) : nan_f32;
}

static inline uint64_t canonical_f64(double v)
{
    return v == v ? bits_of_double(v) : nan_f64;
}

static const uint32_t nan_f16 = 0x7fffu; // and of bf16

static inline UNUSED uint32_t flush_f16(uint32_t bits)
{
    return (bits & 0x7c00u) ? bits & 0xffffu : bits & 0x8000u;
}

// The exponent moves from one bias to the other. A subnormal half becomes the mantissa of a float
// at 2^-14, from which that is taken again: without subnormal floats, which processors of Intel
// multiply a hundred times slower than others.
static inline UNUSED float float_of_half(uint32_t half)
{
    const uint32_t magnitude = (half & 0x7fffu) << 13;
    const uint32_t subnormal = bits_of_float(float_of(magnitude + 0x38800000u) - 0x1p-14f);
    const uint32_t finite = magnitude < 0x00800000u ? subnormal : magnitude + 0x38000000u;
    const uint32_t bits = magnitude < 0x0f800000u ? finite : magnitude | 0x7f800000u;
    return float_of(bits | (half & 0x8000u) << 16);
}

// Rounds to nearest even. Below the normal range, adding 1/2 leaves the rounded half in the low
// bits: the last place of 1/2 is the step of the half subnormals.
static inline UNUSED uint32_t half_of_float(float v)
{
    const uint32_t bits = bits_of_float(v), magnitude = bits & 0x7fffffffu;
    const uint32_t small = bits_of_float(float_of(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t normal = (magnitude + 0xfffu + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
    const uint32_t finite = magnitude < 0x38800000u ? small : normal;
    const uint32_t half = magnitude < 0x477ff000u ? finite : 0x7c00u;
    return magnitude > 0x7f800000u ? nan_f16 : half | (bits >> 16 & 0x8000u);
}

// Rounds towards zero, then one place up where the direction requires it.
static inline UNUSED uint32_t half_of_float_directed(float v, bool up_if_positive,
                                                     bool up_if_negative)
{
    const uint32_t bits = bits_of_float(v), magnitude = bits & 0x7fffffffu;
    const float scaled = float_of(magnitude < 0x38800000u ? magnitude : 0) * 0x1p24f;
    const uint32_t small = (uint32_t)(int32_t)scaled;
    const uint32_t finite = magnitude < 0x38800000u ? small : (magnitude - 0x38000000u) >> 13;
    const uint32_t half = magnitude < 0x47800000u    ? finite
                          : magnitude == 0x7f800000u ? 0x7c00u
                                                     : 0x7bffu;
    const bool inexact = float_of_half(half) != float_of(magnitude);
    const bool up = inexact && ((bits >> 31) ? up_if_negative : up_if_positive);
    const uint32_t rounded = (half + up) | (bits >> 16 & 0x8000u);
    return magnitude > 0x7f800000u ? nan_f16 : rounded;
}

// A double rounded to odd: a later rounding to a half gives what one rounding would have given
// (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
static inline UNUSED float odd_float_of_double(double v)
{
    const float nearest = (float)v;
    const bool inexact = (double)nearest < v || (double)nearest > v;
    const bool too_far = fabs((double)nearest) > fabs(v);
    return float_of((bits_of_float(nearest) - (inexact && too_far)) | inexact);
}

static inline UNUSED uint32_t bf16_of_float(float v)
{
    const uint32_t bits = bits_of_float(v);
    return v == v ? (bits + 0x7fffu + (bits >> 16 & 1)) >> 16 : nan_f16;
}

static inline UNUSED uint32_t bf16_of_float_truncated(float v)
{
    return v == v ? bits_of_float(v) >> 16 : nan_f16;
}

// x * y + z of halves to odd. The product is exact in float; the error of the sum is Knuth's.
static inline UNUSED float fused_half(float x, float y, float z)
{
    const float product = x * y, sum = product + z, back = sum - product;
    const float error = (product - (sum - back)) + (z - back);
    const uint32_t bits = bits_of_float(sum);
    const bool inexact = error < 0.0f || error > 0.0f;
    const uint32_t next = (error > 0.0f) == (sum > 0.0f) ? bits + 1 : bits - 1;
    return float_of(inexact && !(bits & 1) ? next : bits);
}

#endif
