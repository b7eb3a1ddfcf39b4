// The floating-point formats below f64, as bits, in every rounding (private to exec/). Values are
// doubles, which hold each of these formats exactly.
#ifndef WM_EXEC_NARROW_FLOATS_H
#define WM_EXEC_NARROW_FLOATS_H

#include "ptx/ptx.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_float_format {
    unsigned fraction_bits, exponent_bits;
    int bias;
    bool has_infinity;
    uint32_t largest, nan; // the largest finite value; the NaN that operations give
};

// f16, bf16, f32, tf32 (19 bits), e4m3, e5m2, or one of a pair of them; NULL for another type.
const struct wm_float_format *wm_float_format(wm_ptx_type type);
double wm_float_decode(const struct wm_float_format *format, uint32_t bits);
// One rounding, by a ROUNDING modifier (WM_PTX_none is rn; integer roundings are as rn …). Beyond
// the largest value: infinity, or with `satfinite` (and in formats without infinity, but there NaN
// without it) the largest value. A NaN gives the format's own.
uint32_t wm_float_encode(const struct wm_float_format *format, double value,
                         enum wm_ptx_modifier rounding, bool satfinite);

// The sum with its last bit set when it is inexact, so that a later rounding to at most 50 bits
// rounds as if from the exact sum (Boldo and Melquiond, 2008).
double wm_float_sum_to_odd(double a, double b);
// An integer as a double, to odd likewise.
double wm_float_of_unsigned(uint64_t value);
double wm_float_of_signed(int64_t value);
// To an integral value by rni, rzi, rmi or rpi.
double wm_float_to_integral(double value, enum wm_ptx_modifier rounding);

double wm_float_of_bits(uint64_t bits);
uint64_t wm_float_bits(double value);

#endif
