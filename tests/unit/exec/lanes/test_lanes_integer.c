// Integer arithmetic of the plain C build against 128-bit arithmetic on one lane.
#include "lanes_check.h"

#include <criterion/criterion.h>

typedef __int128 wide;

// The value of a `bits`-wide operand, signed or not.
static wide value_of(uint64_t v, unsigned bits, bool is_signed)
{
    if (is_signed && (v >> (bits - 1) & 1))
        return (wide)v - ((wide)1 << bits);
    return (wide)v;
}

static uint64_t cut(wide v, unsigned bits)
{
    return (uint64_t)v & (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1);
}

static wide clamp(wide v, wide low, wide high)
{
    return v < low ? low : v > high ? high : v;
}

// name_type(a, b, c) for one width and signedness: A, B, C are the exact values.
#define REFERENCE(name, bits, sign, result_bits, expression)                 \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                 \
    {                                                                        \
        const wide A = value_of(a, bits, sign), B = value_of(b, bits, sign); \
        const wide C = value_of(c, result_bits, sign);                       \
        (void)A, (void)B, (void)C;                                           \
        return cut(expression, result_bits);                                 \
    }
#define REFERENCES(name, expression)                 \
    REFERENCE(name##_u16, 16, false, 16, expression) \
    REFERENCE(name##_s16, 16, true, 16, expression)  \
    REFERENCE(name##_u32, 32, false, 32, expression) \
    REFERENCE(name##_s32, 32, true, 32, expression)  \
    REFERENCE(name##_u64, 64, false, 64, expression) \
    REFERENCE(name##_s64, 64, true, 64, expression)
#define CHECKS_2(prefix, name)                             \
    {prefix ".u16", 16, 16, 16, 0, name##_u16, false},     \
        {prefix ".s16", 16, 16, 16, 0, name##_s16, false}, \
        {prefix ".u32", 32, 32, 32, 0, name##_u32, false}, \
        {prefix ".s32", 32, 32, 32, 0, name##_s32, false}, \
        {prefix ".u64", 64, 64, 64, 0, name##_u64, false}, \
        {prefix ".s64", 64, 64, 64, 0, name##_s64, false},
#define CHECKS_3(prefix, name)                              \
    {prefix ".u16", 16, 16, 16, 16, name##_u16, false},     \
        {prefix ".s16", 16, 16, 16, 16, name##_s16, false}, \
        {prefix ".u32", 32, 32, 32, 32, name##_u32, false}, \
        {prefix ".s32", 32, 32, 32, 32, name##_s32, false}, \
        {prefix ".u64", 64, 64, 64, 64, name##_u64, false}, \
        {prefix ".s64", 64, 64, 64, 64, name##_s64, false},

REFERENCES(add, A + B)
REFERENCES(sub, A - B)
REFERENCES(mul_lo, (wide)((unsigned __int128)A *(unsigned __int128)B))
REFERENCES(mad_lo, (wide)((unsigned __int128)A *(unsigned __int128)B + (unsigned __int128)C))
REFERENCES(min, A < B ? A : B)
REFERENCES(max, A > B ? A : B)
REFERENCES(sad, C + (A < B ? B - A : A - B))
REFERENCES(divide, B == 0 ? -1 : A / B)
REFERENCES(rem, B == 0 ? A : A % B)

// The high half of a product of at most 64-bit factors: long multiplication for u64, which 128
// bits hold exactly; a signed product always fits.
static uint64_t mul_hi_u64(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    const uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t middle2 = a0 * b1 + (uint32_t)middle;
    return a1 * b1 + (middle >> 32) + (middle2 >> 32);
}
REFERENCE(mul_hi_u16, 16, false, 16, A *B >> 16)
REFERENCE(mul_hi_s16, 16, true, 16, A *B >> 16)
REFERENCE(mul_hi_u32, 32, false, 32, A *B >> 32)
REFERENCE(mul_hi_s32, 32, true, 32, A *B >> 32)
REFERENCE(mul_hi_s64, 64, true, 64, A *B >> 64)
static uint64_t mad_hi_u64(uint64_t a, uint64_t b, uint64_t c)
{
    return mul_hi_u64(a, b, 0) + c;
}
REFERENCE(mad_hi_u16, 16, false, 16, (A * B >> 16) + C)
REFERENCE(mad_hi_s16, 16, true, 16, (A * B >> 16) + C)
REFERENCE(mad_hi_u32, 32, false, 32, (A * B >> 32) + C)
REFERENCE(mad_hi_s32, 32, true, 32, (A * B >> 32) + C)
REFERENCE(mad_hi_s64, 64, true, 64, (A * B >> 64) + C)
REFERENCE(mad_hi_sat, 32, true, 32, clamp((A * B >> 32) + C, INT32_MIN, INT32_MAX))
REFERENCE(add_sat, 32, true, 32, clamp(A + B, INT32_MIN, INT32_MAX))
REFERENCE(sub_sat, 32, true, 32, clamp(A - B, INT32_MIN, INT32_MAX))
REFERENCE(wide_u16, 16, false, 32, A *B)
REFERENCE(wide_s16, 16, true, 32, A *B)
REFERENCE(wide_u32, 32, false, 64, A *B)
REFERENCE(wide_s32, 32, true, 64, A *B)
REFERENCE(mad_wide_u16, 16, false, 32, A *B + C)
REFERENCE(mad_wide_s16, 16, true, 32, A *B + C)
REFERENCE(mad_wide_u32, 32, false, 64, A *B + C)
REFERENCE(mad_wide_s32, 32, true, 64, A *B + C)

static wide low24(uint64_t v, bool is_signed)
{
    return value_of(v & 0xffffff, 24, is_signed);
}
#define REFERENCE24(name, sign, expression)                                        \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                       \
    {                                                                              \
        const wide P = low24(a, sign) * low24(b, sign), C = value_of(c, 32, sign); \
        (void)C;                                                                   \
        return cut(expression, 32);                                                \
    }
REFERENCE24(mul24_lo_u, false, P)
REFERENCE24(mul24_lo_s, true, P)
REFERENCE24(mul24_hi_u, false, P >> 16)
REFERENCE24(mul24_hi_s, true, P >> 16)
REFERENCE24(mad24_lo_u, false, P + C)
REFERENCE24(mad24_lo_s, true, P + C)
REFERENCE24(mad24_hi_u, false, (P >> 16) + C)
REFERENCE24(mad24_hi_s, true, (P >> 16) + C)
REFERENCE24(mad24_hi_sat, true, clamp((P >> 16) + C, INT32_MIN, INT32_MAX))

REFERENCE(abs_s16, 16, true, 16, A < 0 ? -A : A)
REFERENCE(abs_s32, 32, true, 32, A < 0 ? -A : A)
REFERENCE(abs_s64, 64, true, 64, A < 0 ? -A : A)
REFERENCE(neg_s16, 16, true, 16, -A)
REFERENCE(neg_s32, 32, true, 32, -A)
REFERENCE(neg_s64, 64, true, 64, -A)

static uint64_t dot(uint64_t a, uint64_t b, uint64_t c, unsigned count, bool sa, bool sb,
                    unsigned first)
{
    const unsigned a_bits = 32 / count;
    wide sum = (wide)c;
    for (unsigned i = 0; i < count; i++)
        sum += value_of(cut((wide)(a >> a_bits * i), a_bits), a_bits, sa) *
               value_of(b >> 8 * (first + i) & 0xff, 8, sb);
    return cut(sum, 32);
}
#define DOT(name, count, sa, sb, first)                      \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
    {                                                        \
        return dot(a, b, c, count, sa, sb, first);           \
    }
DOT(dp4a_uu, 4, false, false, 0)
DOT(dp4a_us, 4, false, true, 0)
DOT(dp4a_su, 4, true, false, 0)
DOT(dp4a_ss, 4, true, true, 0)
DOT(dp2a_lo_uu, 2, false, false, 0)
DOT(dp2a_lo_ss, 2, true, true, 0)
DOT(dp2a_hi_us, 2, false, true, 2)
DOT(dp2a_hi_su, 2, true, false, 2)

Test(integer, add_subtract_multiply)
{
    static const struct lane_check checks[] = {
        // clang-format off
        CHECKS_2("add", add) CHECKS_2("sub", sub) CHECKS_2("mul.lo", mul_lo)
        CHECKS_2("mul.hi", mul_hi) CHECKS_3("mad.lo", mad_lo) CHECKS_3("mad.hi", mad_hi)
        CHECKS_3("sad", sad)
        // clang-format on
        {"add.sat.s32", 32, 32, 32, 0, add_sat, false},
        {"sub.sat.s32", 32, 32, 32, 0, sub_sat, false},
        {"mad.hi.sat.s32", 32, 32, 32, 32, mad_hi_sat, false},
        {"mul.wide.u16", 32, 16, 16, 0, wide_u16, false},
        {"mul.wide.s16", 32, 16, 16, 0, wide_s16, false},
        {"mul.wide.u32", 64, 32, 32, 0, wide_u32, false},
        {"mul.wide.s32", 64, 32, 32, 0, wide_s32, false},
        {"mad.wide.u16", 32, 16, 16, 32, mad_wide_u16, false},
        {"mad.wide.s16", 32, 16, 16, 32, mad_wide_s16, false},
        {"mad.wide.u32", 64, 32, 32, 64, mad_wide_u32, false},
        {"mad.wide.s32", 64, 32, 32, 64, mad_wide_s32, false},
    };
    CHECK_ALL(checks);
}

Test(integer, divide_and_remainder)
{
    static const struct lane_check checks[] = {
        // clang-format off
        CHECKS_2("div", divide) CHECKS_2("rem", rem)
        // clang-format on
    };
    CHECK_ALL(checks);
}

Test(integer, extremes_and_signs)
{
    static const struct lane_check checks[] = {
        // clang-format off
        CHECKS_2("min", min) CHECKS_2("max", max)
        // clang-format on
        {"abs.s16", 16, 16, 0, 0, abs_s16, false},
        {"abs.s32", 32, 32, 0, 0, abs_s32, false},
        {"abs.s64", 64, 64, 0, 0, abs_s64, false},
        {"neg.s16", 16, 16, 0, 0, neg_s16, false},
        {"neg.s32", 32, 32, 0, 0, neg_s32, false},
        {"neg.s64", 64, 64, 0, 0, neg_s64, false},
    };
    CHECK_ALL(checks);
}

Test(integer, products_of_24_bits_and_dot_products)
{
    static const struct lane_check checks[] = {
        {"mul24.lo.u32", 32, 32, 32, 0, mul24_lo_u, false},
        {"mul24.lo.s32", 32, 32, 32, 0, mul24_lo_s, false},
        {"mul24.hi.u32", 32, 32, 32, 0, mul24_hi_u, false},
        {"mul24.hi.s32", 32, 32, 32, 0, mul24_hi_s, false},
        {"mad24.lo.u32", 32, 32, 32, 32, mad24_lo_u, false},
        {"mad24.lo.s32", 32, 32, 32, 32, mad24_lo_s, false},
        {"mad24.hi.u32", 32, 32, 32, 32, mad24_hi_u, false},
        {"mad24.hi.s32", 32, 32, 32, 32, mad24_hi_s, false},
        {"mad24.hi.sat.s32", 32, 32, 32, 32, mad24_hi_sat, false},
        {"dp4a.u32.u32", 32, 32, 32, 32, dp4a_uu, false},
        {"dp4a.u32.s32", 32, 32, 32, 32, dp4a_us, false},
        {"dp4a.s32.u32", 32, 32, 32, 32, dp4a_su, false},
        {"dp4a.s32.s32", 32, 32, 32, 32, dp4a_ss, false},
        {"dp2a.lo.u32.u32", 32, 32, 32, 32, dp2a_lo_uu, false},
        {"dp2a.lo.s32.s32", 32, 32, 32, 32, dp2a_lo_ss, false},
        {"dp2a.hi.u32.s32", 32, 32, 32, 32, dp2a_hi_us, false},
        {"dp2a.hi.s32.u32", 32, 32, 32, 32, dp2a_hi_su, false},
    };
    CHECK_ALL(checks);
}

// The sum or difference of one lane, and the carry or borrow that it leaves.
static uint64_t with_carry(uint64_t a, uint64_t b, unsigned bits, bool subtract, bool in, bool *out)
{
    const unsigned __int128 value =
        subtract ? (unsigned __int128)a - b - in : (unsigned __int128)a + b + in;
    *out = value >> bits & 1;
    return bits == 64 ? (uint64_t)value : (uint32_t)value;
}

static void check_carry(enum wm_ptx_opcode opcode, wm_ptx_type type, bool leaves)
{
    const struct wm_lane_key key = {
        .opcode = opcode, .type = type, .mode = leaves ? WM_PTX_cc : WM_PTX_none};
    const unsigned bytes = wm_ptx_type_bytes(type);
    const bool subtract = opcode == WM_PTX_OP_sub || opcode == WM_PTX_OP_subc;
    const bool reads = opcode == WM_PTX_OP_addc || opcode == WM_PTX_OP_subc;
    wm_lane_function *function = wm_lane_find(WM_HOST_C, &key);
    struct wm_random random;
    wm_random_init(&random, bytes, wm_ptx_opcode_text(opcode));
    cr_assert_not_null(function);
    for (unsigned round = 0; round < 200; round++) {
        struct lane_array a, b, d;
        for (unsigned l = 0; l < LANES; l++) {
            // Sums of all ones and differences of equals, which hand a carry on.
            const uint64_t x = awkward_value(&random, 8 * bytes, false);
            const uint64_t y = wm_random_below(&random, 2)
                                   ? awkward_value(&random, 8 * bytes, false)
                                   : (subtract ? x : ~x);
            set_lane(&a, bytes, l, x);
            set_lane(&b, bytes, l, y);
            set_lane(&d, bytes, l, wm_random_u64(&random));
        }
        const struct lane_array x = a, before = d;
        const uint32_t in = (uint32_t)wm_random_u64(&random), mask = awkward_mask(&random);
        uint32_t carry = in;
        const bool in_place = round % 2;
        struct wm_lane_sum sum = {in_place ? &a : &d, &carry};
        function(&sum, &a, &b, NULL, mask);
        for (unsigned l = 0; l < LANES; l++) {
            bool out;
            const uint64_t value = with_carry(lane_of(&x, bytes, l), lane_of(&b, bytes, l),
                                              8 * bytes, subtract, reads && (in >> l & 1), &out);
            const struct lane_array *old = in_place ? &x : &before;
            const bool active = mask >> l & 1;
            cr_assert_eq(lane_of(in_place ? &a : &d, bytes, l),
                         active ? value : lane_of(old, bytes, l));
            cr_assert_eq(carry >> l & 1, active && leaves ? out : in >> l & 1);
        }
    }
}

Test(integer, carries)
{
    for (unsigned longer = 0; longer < 2; longer++) {
        const wm_ptx_type type = longer ? WM_PTX_u64 : WM_PTX_u32;
        check_carry(WM_PTX_OP_add, type, true);
        check_carry(WM_PTX_OP_sub, type, true);
        for (unsigned leaves = 0; leaves < 2; leaves++) {
            check_carry(WM_PTX_OP_addc, type, leaves);
            check_carry(WM_PTX_OP_subc, type, leaves);
        }
    }
}
