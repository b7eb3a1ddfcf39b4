// Logic, shifts, bit fields, permutations and predicates of the plain C build, bit by bit.
#include "lanes_check.h"

#include <criterion/criterion.h>
#include <string.h>

#define REFERENCE(name, expression)                          \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
    {                                                        \
        (void)a, (void)b, (void)c;                           \
        return (uint64_t)(expression);                       \
    }
#define ONES(bits) ((bits) == 64 ? UINT64_MAX : ((uint64_t)1 << ((bits)&63)) - 1)
#define AT_WIDTHS(name, expression)             \
    REFERENCE(name##_16, (expression)&ONES(16)) \
    REFERENCE(name##_32, (expression)&ONES(32)) \
    REFERENCE(name##_64, (expression)&ONES(64))
AT_WIDTHS(and, a &b)
AT_WIDTHS(or, a | b)
AT_WIDTHS(xor, a ^ b)
AT_WIDTHS(not, ~a)
AT_WIDTHS(cnot, a == 0)
AT_WIDTHS(mov, a)

static unsigned bit(uint64_t v, unsigned i)
{
    return v >> i & 1;
}

// Shifting by n places, one at a time.
static uint64_t shift(uint64_t a, uint64_t n, unsigned bits, bool left, bool arithmetic)
{
    uint64_t sign = arithmetic ? (uint64_t)bit(a, bits - 1) << (bits - 1) : 0;
    for (uint64_t i = 0; i < n && i < 100; i++)
        a = left ? a << 1 & ONES(bits) : a >> 1 | sign;
    return a;
}
#define SHIFTS(bits)                                         \
    REFERENCE(shl_##bits, shift(a, b, bits, true, false))    \
    REFERENCE(shr_u_##bits, shift(a, b, bits, false, false)) \
    REFERENCE(shr_s_##bits, shift(a, b, bits, false, true))
SHIFTS(16)
SHIFTS(32)
SHIFTS(64)

static uint64_t bfe(uint64_t a, uint64_t b, uint64_t c, unsigned bits, bool is_signed)
{
    const unsigned position = b & 0xff, length = c & 0xff, top = bits - 1;
    const unsigned last = position + length - 1 < top ? position + length - 1 : top;
    const unsigned sign = is_signed && length ? bit(a, last) : 0;
    uint64_t d = 0;
    for (unsigned i = 0; i < bits; i++) {
        const unsigned v = i < length && position + i <= top ? bit(a, position + i) : sign;
        d |= (uint64_t)v << i;
    }
    return d;
}
REFERENCE(bfe_u32, bfe(a, b, c, 32, false))
REFERENCE(bfe_s32, bfe(a, b, c, 32, true))
REFERENCE(bfe_u64, bfe(a, b, c, 64, false))
REFERENCE(bfe_s64, bfe(a, b, c, 64, true))

static uint64_t count(uint64_t a)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < 64; i++)
        n += bit(a, i);
    return n;
}
static uint64_t clz(uint64_t a, unsigned bits)
{
    unsigned n = 0;
    while (n < bits && !bit(a, bits - 1 - n))
        n++;
    return n;
}
static uint64_t brev(uint64_t a, unsigned bits)
{
    uint64_t d = 0;
    for (unsigned i = 0; i < bits; i++)
        d |= (uint64_t)bit(a, i) << (bits - 1 - i);
    return d;
}
static uint64_t bfind(uint64_t a, unsigned bits, bool is_signed, bool shiftamt)
{
    const unsigned sign = is_signed ? bit(a, bits - 1) : 0;
    for (unsigned i = bits; i-- > 0;)
        if (bit(a, i) != sign)
            return shiftamt ? bits - 1 - i : i;
    return UINT32_MAX;
}
REFERENCE(popc, count(a))
REFERENCE(clz_32, clz(a, 32))
REFERENCE(clz_64, clz(a, 64))
REFERENCE(brev_32, brev(a, 32))
REFERENCE(brev_64, brev(a, 64))
REFERENCE(bfind_u32, bfind(a, 32, false, false))
REFERENCE(bfind_s32, bfind(a, 32, true, false))
REFERENCE(bfind_u64, bfind(a, 64, false, false))
REFERENCE(bfind_s64, bfind(a, 64, true, false))
REFERENCE(bfind_amount_u32, bfind(a, 32, false, true))
REFERENCE(bfind_amount_s32, bfind(a, 32, true, true))
REFERENCE(bfind_amount_u64, bfind(a, 64, false, true))
REFERENCE(bfind_amount_s64, bfind(a, 64, true, true))

// `length` ones from `position`, cut at bit 31.
static uint64_t bmsk(uint64_t position, uint64_t length, bool clamp)
{
    if (!clamp)
        position &= 31, length &= 31;
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++)
        d |= (uint64_t)(i >= position && i - position < length) << i;
    return d;
}
static uint64_t szext(uint64_t a, uint64_t width, bool clamp, bool is_signed)
{
    if (clamp && width > 31)
        return a;
    width &= 31;
    uint64_t d = 0;
    for (unsigned i = 0; i < 32; i++) {
        const unsigned sign = is_signed && width ? bit(a, (unsigned)width - 1) : 0;
        d |= (uint64_t)(i < width ? bit(a, i) : sign) << i;
    }
    return d;
}
REFERENCE(bmsk_clamp, bmsk(a, b, true))
REFERENCE(bmsk_wrap, bmsk(a, b, false))
REFERENCE(szext_clamp_u, szext(a, b, true, false))
REFERENCE(szext_clamp_s, szext(a, b, true, true))
REFERENCE(szext_wrap_u, szext(a, b, false, false))
REFERENCE(szext_wrap_s, szext(a, b, false, true))

static uint64_t prmt_bytes(uint64_t a, uint64_t b, const unsigned selectors[4])
{
    const uint64_t both = b << 32 | a;
    uint64_t d = 0;
    for (unsigned i = 0; i < 4; i++) { // selectors[0] chooses the highest byte
        const uint64_t byte = both >> 8 * (selectors[i] & 7) & 0xff;
        const uint64_t sign = byte >> 7 ? 0xff : 0;
        d |= (selectors[i] & 8 ? sign : byte) << 8 * (3 - i);
    }
    return d;
}
static uint64_t prmt(uint64_t a, uint64_t b, uint64_t c)
{
    const unsigned selectors[4] = {c >> 12 & 15, c >> 8 & 15, c >> 4 & 15, c & 15};
    return prmt_bytes(a, b, selectors);
}
#define PRMT(mode, ...)                                             \
    static uint64_t prmt_##mode(uint64_t a, uint64_t b, uint64_t c) \
    {                                                               \
        static const unsigned rows[4][4] = {__VA_ARGS__};           \
        return prmt_bytes(a, b, rows[c & 3]);                       \
    }
PRMT(f4e, {3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3})
PRMT(b4e, {5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3})
PRMT(rc8, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3})
PRMT(ecl, {3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3})
PRMT(ecr, {0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0})
PRMT(rc16, {1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2})

static uint64_t funnel(uint64_t a, uint64_t b, uint64_t n, bool left)
{
    uint64_t both = b << 32 | a;
    for (uint64_t i = 0; i < n; i++)
        both = left ? both << 1 : both >> 1;
    return left ? both >> 32 : both & ONES(32);
}
REFERENCE(shf_l_wrap, funnel(a, b, c % 32, true))
REFERENCE(shf_r_wrap, funnel(a, b, c % 32, false))
REFERENCE(shf_l_clamp, funnel(a, b, c < 32 ? c : 32, true))
REFERENCE(shf_r_clamp, funnel(a, b, c < 32 ? c : 32, false))

static uint64_t fns(uint64_t a, uint64_t base, uint64_t offset)
{
    const int32_t n = (int32_t)offset;
    if (base > 31)
        return UINT32_MAX;
    if (n == 0)
        return bit(a, (unsigned)base) ? base : UINT32_MAX;
    int64_t left = n > 0 ? n : -(int64_t)n;
    for (int place = (int)base; place >= 0 && place<32; place += n> 0 ? 1 : -1)
        if (bit(a, (unsigned)place) && --left == 0)
            return (uint64_t)place;
    return UINT32_MAX;
}
REFERENCE(slct_s32, (int32_t)c >= 0 ? a : b)

Test(bits, logic)
{
    static const struct lane_check checks[] = {
        {"and.b16", 16, 16, 16, 0, and_16, false},  {"and.b32", 32, 32, 32, 0, and_32, false},
        {"and.b64", 64, 64, 64, 0, and_64, false},  {"or.b16", 16, 16, 16, 0, or_16, false},
        {"or.b32", 32, 32, 32, 0, or_32, false},    {"or.b64", 64, 64, 64, 0, or_64, false},
        {"xor.b16", 16, 16, 16, 0, xor_16, false},  {"xor.b32", 32, 32, 32, 0, xor_32, false},
        {"xor.b64", 64, 64, 64, 0, xor_64, false},  {"not.b16", 16, 16, 0, 0, not_16, false},
        {"not.b32", 32, 32, 0, 0, not_32, false},   {"not.b64", 64, 64, 0, 0, not_64, false},
        {"cnot.b16", 16, 16, 0, 0, cnot_16, false}, {"cnot.b32", 32, 32, 0, 0, cnot_32, false},
        {"cnot.b64", 64, 64, 0, 0, cnot_64, false}, {"mov.b16", 16, 16, 0, 0, mov_16, false},
        {"mov.u16", 16, 16, 0, 0, mov_16, false},   {"mov.u32", 32, 32, 0, 0, mov_32, false},
        {"mov.f32", 32, 32, 0, 0, mov_32, true},    {"mov.s64", 64, 64, 0, 0, mov_64, false},
        {"mov.f64", 64, 64, 0, 0, mov_64, true},
    };
    CHECK_ALL(checks);
}

Test(bits, shifts)
{
    static const struct lane_check checks[] = {
        {"shl.b16", 16, 16, 32, 0, shl_16, false},
        {"shl.b32", 32, 32, 32, 0, shl_32, false},
        {"shl.b64", 64, 64, 32, 0, shl_64, false},
        {"shr.u16", 16, 16, 32, 0, shr_u_16, false},
        {"shr.b32", 32, 32, 32, 0, shr_u_32, false},
        {"shr.u64", 64, 64, 32, 0, shr_u_64, false},
        {"shr.s16", 16, 16, 32, 0, shr_s_16, false},
        {"shr.s32", 32, 32, 32, 0, shr_s_32, false},
        {"shr.s64", 64, 64, 32, 0, shr_s_64, false},
        {"shf.l.wrap.b32", 32, 32, 32, 32, shf_l_wrap, false},
        {"shf.r.wrap.b32", 32, 32, 32, 32, shf_r_wrap, false},
        {"shf.l.clamp.b32", 32, 32, 32, 32, shf_l_clamp, false},
        {"shf.r.clamp.b32", 32, 32, 32, 32, shf_r_clamp, false},
    };
    CHECK_ALL(checks);
}

Test(bits, fields_and_counts)
{
    static const struct lane_check checks[] = {
        {"bfe.u32", 32, 32, 32, 32, bfe_u32, false},
        {"bfe.s32", 32, 32, 32, 32, bfe_s32, false},
        {"bfe.u64", 64, 64, 32, 32, bfe_u64, false},
        {"bfe.s64", 64, 64, 32, 32, bfe_s64, false},
        {"popc.b32", 32, 32, 0, 0, popc, false},
        {"popc.b64", 32, 64, 0, 0, popc, false},
        {"clz.b32", 32, 32, 0, 0, clz_32, false},
        {"clz.b64", 32, 64, 0, 0, clz_64, false},
        {"brev.b32", 32, 32, 0, 0, brev_32, false},
        {"brev.b64", 64, 64, 0, 0, brev_64, false},
        {"bfind.u32", 32, 32, 0, 0, bfind_u32, false},
        {"bfind.s32", 32, 32, 0, 0, bfind_s32, false},
        {"bfind.u64", 32, 64, 0, 0, bfind_u64, false},
        {"bfind.s64", 32, 64, 0, 0, bfind_s64, false},
        {"bfind.shiftamt.u32", 32, 32, 0, 0, bfind_amount_u32, false},
        {"bfind.shiftamt.s32", 32, 32, 0, 0, bfind_amount_s32, false},
        {"bfind.shiftamt.u64", 32, 64, 0, 0, bfind_amount_u64, false},
        {"bfind.shiftamt.s64", 32, 64, 0, 0, bfind_amount_s64, false},
        {"bmsk.clamp.b32", 32, 32, 32, 0, bmsk_clamp, false},
        {"bmsk.wrap.b32", 32, 32, 32, 0, bmsk_wrap, false},
        {"szext.clamp.u32", 32, 32, 32, 0, szext_clamp_u, false},
        {"szext.clamp.s32", 32, 32, 32, 0, szext_clamp_s, false},
        {"szext.wrap.u32", 32, 32, 32, 0, szext_wrap_u, false},
        {"szext.wrap.s32", 32, 32, 32, 0, szext_wrap_s, false},
        {"fns.b32", 32, 32, 32, 32, fns, false},
    };
    CHECK_ALL(checks);
}

Test(bits, permutations)
{
    static const struct lane_check checks[] = {
        {"prmt.b32", 32, 32, 32, 32, prmt, false},
        {"prmt.b32.f4e", 32, 32, 32, 32, prmt_f4e, false},
        {"prmt.b32.b4e", 32, 32, 32, 32, prmt_b4e, false},
        {"prmt.b32.rc8", 32, 32, 32, 32, prmt_rc8, false},
        {"prmt.b32.ecl", 32, 32, 32, 32, prmt_ecl, false},
        {"prmt.b32.ecr", 32, 32, 32, 32, prmt_ecr, false},
        {"prmt.b32.rc16", 32, 32, 32, 32, prmt_rc16, false},
        {"slct.b16.s32", 16, 16, 16, 32, slct_s32, false},
        {"slct.u32.s32", 32, 32, 32, 32, slct_s32, false},
        {"slct.f64.s32", 64, 64, 64, 32, slct_s32, false},
    };
    CHECK_ALL(checks);
}

static uint64_t bfi(uint64_t a, uint64_t b, uint64_t c, uint64_t d, unsigned bits)
{
    const unsigned position = c & 0xff, length = d & 0xff;
    for (unsigned i = 0; i < length && position + i < bits; i++) {
        const uint64_t place = (uint64_t)1 << (position + i);
        b = bit(a, i) ? b | place : b & ~place;
    }
    return b;
}

// Four sources go through a pair.
static void check_paired(const char *text, unsigned bytes, bool table)
{
    const struct wm_lane_key key = key_of_text(text);
    wm_lane_function *function = wm_lane_find(WM_HOST_C, &key);
    cr_assert_not_null(function);
    struct wm_random random;
    wm_random_init(&random, 1, text);
    for (unsigned round = 0; round < 300; round++) {
        struct lane_array s[4], d;
        for (unsigned i = 0; i < 4; i++)
            for (unsigned l = 0; l < LANES; l++)
                set_lane(&s[i], i < 2 ? bytes : 4, l,
                         awkward_value(&random, i < 2 ? 8 * bytes : 32, false));
        const uint32_t mask = awkward_mask(&random);
        memset(&d, 0x5a, sizeof d);
        const struct wm_lane_pair pair = {&s[2], &s[3]};
        function(&d, &s[0], &s[1], &pair, mask);
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t a = lane_of(&s[0], bytes, l), b = lane_of(&s[1], bytes, l);
            const uint64_t c = s[2].narrow[l];
            uint64_t expected = 0;
            for (unsigned i = 0; table && i < 32; i++)
                expected |=
                    (uint64_t)bit(s[3].narrow[0], bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i)) << i;
            if (!table)
                expected = bfi(a, b, c, s[3].narrow[l], 8 * bytes);
            if (!(mask >> l & 1))
                expected = bytes == 8 ? 0x5a5a5a5a5a5a5a5au : 0x5a5a5a5au;
            cr_assert_eq(lane_of(&d, bytes, l), expected, "%s lane %u", text, l);
        }
    }
}

Test(bits, insert_and_three_input_logic)
{
    check_paired("bfi.b32", 4, false);
    check_paired("bfi.b64", 8, false);
    check_paired("lop3.b32", 4, true);
}

Test(bits, predicates)
{
    static const char *const texts[] = {"and.pred", "or.pred", "xor.pred", "not.pred", "mov.pred"};
    struct wm_random random;
    wm_random_init(&random, 1, "predicates");
    for (unsigned round = 0; round < 1000; round++) {
        const unsigned i = round % 5;
        const struct wm_lane_key key = key_of_text(texts[i]);
        const uint32_t a = (uint32_t)wm_random_u64(&random), b = (uint32_t)wm_random_u64(&random);
        const uint32_t old = (uint32_t)wm_random_u64(&random), mask = awkward_mask(&random);
        const uint32_t results[] = {a & b, a | b, a ^ b, ~a, a};
        uint32_t d = old;
        wm_lane_find(WM_HOST_C, &key)(&d, &a, &b, NULL, mask);
        cr_assert_eq(d, (old & ~mask) | (results[i] & mask), "%s", texts[i]);
    }
}

Test(bits, selp_reads_a_predicate)
{
    static const char *const texts[] = {"selp.b16", "selp.f32", "selp.u64"};
    static const unsigned bits[] = {16, 32, 64};
    struct wm_random random;
    wm_random_init(&random, 1, "selp");
    for (unsigned round = 0; round < 300; round++) {
        const unsigned bytes = bits[round % 3] == 64 ? 8 : 4;
        const struct wm_lane_key key = key_of_text(texts[round % 3]);
        struct lane_array a, b, d;
        for (unsigned l = 0; l < LANES; l++) {
            set_lane(&a, bytes, l, awkward_value(&random, bits[round % 3], false));
            set_lane(&b, bytes, l, awkward_value(&random, bits[round % 3], false));
            set_lane(&d, bytes, l, 77);
        }
        const uint32_t p = (uint32_t)wm_random_u64(&random), mask = awkward_mask(&random);
        wm_lane_find(WM_HOST_C, &key)(&d, &a, &b, &p, mask);
        for (unsigned l = 0; l < LANES; l++)
            cr_assert_eq(lane_of(&d, bytes, l),
                         mask >> l & 1 ? lane_of(p >> l & 1 ? &a : &b, bytes, l) : 77);
    }
}
