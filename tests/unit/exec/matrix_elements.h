// Elements of matrices in tests, and what the tests' kernels have in common (test_matrices.c,
// test_wmma.c).
#ifndef EXEC_MATRIX_ELEMENTS_H
#define EXEC_MATRIX_ELEMENTS_H

#include "exec_harness.h"

enum { LANES = 32 };

struct element_type {
    const char *name;
    unsigned bits;
    unsigned exponent_bits, fraction_bits; // floats
    bool is_signed;
};

static const struct element_type __attribute__((unused))
f16 = {"f16", 16, 5, 10, true},
    bf16 = {"bf16", 16, 8, 7, true}, tf32 = {"tf32", 32, 8, 23, true},
    f32 = {"f32", 32, 8, 23, true}, f64 = {"f64", 64, 11, 52, true}, e4m3 = {"e4m3", 8, 4, 3, true},
    e5m2 = {"e5m2", 8, 5, 2, true}, s8 = {"s8", 8, 0, 0, true}, u8 = {"u8", 8, 0, 0, false},
    s4 = {"s4", 4, 0, 0, true}, u4 = {"u4", 4, 0, 0, false}, b1 = {"b1", 1, 0, 0, false},
    s32 = {"s32", 32, 0, 0, true};

// A small integer.
static inline uint64_t encode(const struct element_type *type, int value)
{
    if (!type->exponent_bits)
        return (uint64_t)(int64_t)value & (UINT64_MAX >> (64 - type->bits));
    if (value == 0)
        return 0;
    uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    int first = 63 - __builtin_clzll(magnitude);
    uint64_t fraction = (magnitude - (UINT64_C(1) << first))
                        << (type->fraction_bits - (unsigned)first);
    uint64_t exponent = (uint64_t)first + (UINT64_C(1) << (type->exponent_bits - 1)) - 1;
    return fraction | exponent << type->fraction_bits | (uint64_t)(value < 0) << (type->bits - 1);
}

// As near to an end of the integers as small products are large.
static inline int draw_end(struct wm_random *random)
{
    int away = (int)wm_random_below(random, 64);
    return wm_random_below(random, 2) ? INT32_MAX - away : INT32_MIN + away;
}

static inline int64_t clamped(int64_t sum)
{
    return sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
}

static inline int draw(struct wm_random *random, const struct element_type *type)
{
    if (type->bits == 1)
        return (int)wm_random_below(random, 2);
    int value = (int)wm_random_below(random, 8);
    return type->is_signed ? value - 4 : value;
}

// "{%a0, %a1}"
static inline void name_registers(struct wm_text *text, const char *prefix, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        wm_text_format(text, "%s%%%s%u", i ? ", " : "{", prefix, i);
    wm_text_add(text, "}");
}

// Where a sum of 2 - 2^-60 comes to lie, and one of -2 + 2^-60.
struct rounding {
    const char *name;
    double positive, negative;
};

static const struct rounding __attribute__((unused))
roundings[4] = {{".rn", 0x2p0, -0x2p0},
                {".rz", 0x1.fffffffffffffp0, -0x1.fffffffffffffp0},
                {".rm", 0x1.fffffffffffffp0, -0x2p0},
                {".rp", 0x2p0, -0x1.fffffffffffffp0}};
// Its factors; 1 is added.
static const double __attribute__((unused)) above_one = 1 + 0x1p-30, below_one = 1 - 0x1p-30;

#endif
