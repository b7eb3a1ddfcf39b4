// What the tests of the lane kernels share: operations by their PTX spelling, operands full of
// awkward values, and the comparison of a kernel with a function of one lane.
#ifndef WM_TESTS_LANES_CHECK_H
#define WM_TESTS_LANES_CHECK_H

#include "base/numbers/random.h"
#include "exec/lanes.h"

#include <stdalign.h>
#include <stdint.h>

enum { LANES = 32 };

// 32 lanes of either slot width, with a guard behind them.
struct lane_array {
    alignas(64) union {
        uint32_t narrow[2 * LANES]; // the second half is unused by 32-bit slots
        uint64_t wide[LANES];
    };
    uint64_t guard[8];
};

// The key of "mad.lo.s32". A "!" at the end ("setp.lt.and.s32!") negates the boolean source.
struct wm_lane_key key_of_text(const char *text);

// A value to trouble an operation on `bits`-wide (8 to 64) integers or floats: a special value, one
// near it, a few bits, or anything.
uint64_t awkward_value(struct wm_random *random, unsigned bits, bool is_float);

uint64_t lane_of(const struct lane_array *array, unsigned bytes, unsigned lane);
void set_lane(struct lane_array *array, unsigned bytes, unsigned lane, uint64_t value);

// Masks: none, all, one lane, or any.
uint32_t awkward_mask(struct wm_random *random);

// Halves as exact values, and back by search; `mode` is one of fenv's.
long double value_of_half(uint64_t bits);
uint64_t half_of_value(long double v, int mode);

// One lane of an operation, written as obviously as possible. Operands and result are bits; unused
// operands are 0.
typedef uint64_t lane_reference(uint64_t a, uint64_t b, uint64_t c);

struct lane_check {
    const char *text;
    uint8_t d_bits, a_bits, b_bits, c_bits; // 0: no operand; above 32: 64-bit slots
    lane_reference *reference;
    bool is_float; // of the sources
};

// Runs the plain C kernel of `check` on many operands and masks, with every legal aliasing, against
// the reference.
void check_against_reference(const struct lane_check *check);

#define CHECK_ALL(checks)                                               \
    for (unsigned i = 0; i < sizeof(checks) / sizeof((checks)[0]); i++) \
    check_against_reference(&(checks)[i])

#endif
