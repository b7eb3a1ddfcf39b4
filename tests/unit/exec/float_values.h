// The values of PTX's number formats as long doubles, which hold each of them exactly, and back by
// one rounding: what the tests of forms compare with.
#ifndef EXEC_FLOAT_VALUES_H
#define EXEC_FLOAT_VALUES_H

#include "ptx/ptx.h"

// `bits` as an integer or float of that scalar type (bits of the type count alone). tf32 is an f32.
long double value_of_bits(wm_ptx_type type, uint64_t bits);
// The float nearest to `value` by a ROUNDING modifier (rna: half away from zero); beyond the
// largest infinity, or with `saturates` the largest. A NaN is the one that PTX's operations give.
uint64_t bits_of_value(wm_ptx_type type, long double value, enum wm_ptx_modifier rounding,
                       bool saturates);
// To a whole number by rni, rzi, rmi or rpi (or rn …); none leaves it.
long double whole_value(long double value, enum wm_ptx_modifier rounding);
// f16 of f16x2; another type is its own element.
wm_ptx_type element_type(wm_ptx_type type);
bool is_subnormal(wm_ptx_type type, uint64_t bits);

#endif
