#include "lanes_check.h"

#include "../coverage.h"
#include "../forms.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

static bool equal(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

struct wm_lane_key key_of_text(const char *text)
{
    struct wm_ptx_operand operands[4] = {0};
    struct wm_ptx_instruction instruction = {.operands = operands, .operand_count = 4};
    const char *end = strchr(text, '!');
    operands[3].negated = end != NULL;
    end = end ? end : text + strlen(text);
    for (const char *word = text; word < end;) {
        const char *dot = memchr(word, '.', (size_t)(end - word));
        const size_t length = (size_t)((dot ? dot : end) - word);
        bool known = false;
        if (word == text) {
            for (unsigned i = 1; i < WM_PTX_OP_COUNT; i++)
                if (equal(word, length, wm_ptx_opcode_text((enum wm_ptx_opcode)i)))
                    instruction.opcode = (enum wm_ptx_opcode)i, known = true;
        } else {
            for (unsigned i = 1; i < WM_PTX_MODIFIER_COUNT; i++)
                if (equal(word, length, wm_ptx_modifier_text((enum wm_ptx_modifier)i)))
                    instruction.modifiers[instruction.modifier_count++] = (uint16_t)i, known = true;
        }
        cr_assert(known, "unknown word in %s", text);
        word += length + 1;
    }
    return wm_lane_key_of(&instruction);
}

static void do_nothing(void *d, const void *a, const void *b, const void *c, uint32_t mask)
{
    (void)d, (void)a, (void)b, (void)c, (void)mask;
}

// What the tests' calls of wm_lane_find reach (the linker's --wrap).
wm_lane_function *__real_wm_lane_find(enum wm_lane_isa isa, const struct wm_lane_key *key);
wm_lane_function *__wrap_wm_lane_find(enum wm_lane_isa isa, const struct wm_lane_key *key);
wm_lane_function *__wrap_wm_lane_find(enum wm_lane_isa isa, const struct wm_lane_key *key)
{
    char name[COVERAGE_LONGEST];
    forms_lane_name(key, name, sizeof(name));
    return coverage_use(name) ? __real_wm_lane_find(isa, key) : do_nothing;
}

static uint64_t special_float(struct wm_random *random, unsigned bits)
{
    static const uint64_t f16[] = {0,      1,      0x3ff,  0x400,  0x3c00, 0x3800, 0x4000, 0x7bff,
                                   0x7c00, 0x7c01, 0x7e00, 0x7ff7, 0x7fff, 0x3c01, 0x6400, 0x3bff};
    static const uint64_t f32[] = {
        0,          1,          0x7fffff,   0x800000,   0x800001,   0x3f800000, 0x3f000000,
        0x40000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x4effffff,
        0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f800000, 0x3f7fffff,
        0x3fc00000, 0x40200000, 0x4b000001, 0x4b800000, 0x3f800001, 0x00c00000, 0x7e800001,
        0x42fe0000, 0x43000000, 0x437f8000, 0x46fffe00, 0x47000000, 0x477fff00, 0x33000000};
    static const uint64_t f64[] = {0,
                                   1,
                                   0x000fffffffffffff,
                                   0x0010000000000000,
                                   0x3ff0000000000000,
                                   0x3fe0000000000000,
                                   0x7fefffffffffffff,
                                   0x7ff0000000000000,
                                   0x7ff0000000000001,
                                   0x7ff8000000000000,
                                   0x7fffffffffffffff,
                                   0x41dfffffffc00000,
                                   0x41e0000000000000,
                                   0x41efffffffe00000,
                                   0x41f0000000000000,
                                   0x43dfffffffffffff,
                                   0x43e0000000000000,
                                   0x43f0000000000000,
                                   0x47efffffe0000000,
                                   0x47efffffefffffff,
                                   0x47effffff0000000,
                                   0x36a0000000000000,
                                   0x3690000000000001,
                                   0x3ff0000010000000,
                                   0x3ff0000030000000,
                                   0x3fefffffffffffff,
                                   0x3ff0000000000001,
                                   0x40effff000000000,
                                   0x3fdfffffffffffff,
                                   0x4330000000000001,
                                   0x4004000000000000,
                                   0x40dfffffffffffff};
    const uint64_t sign = wm_random_below(random, 2) << (bits - 1);
    if (bits == 16)
        return sign | f16[wm_random_below(random, sizeof f16 / sizeof f16[0])];
    if (bits == 32)
        return sign | f32[wm_random_below(random, sizeof f32 / sizeof f32[0])];
    return sign | f64[wm_random_below(random, sizeof f64 / sizeof f64[0])];
}

// Exponents near each other, so that sums and products stay in range and meet.
static uint64_t moderate_float(struct wm_random *random, unsigned bits)
{
    const unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
    const uint64_t bias = bits == 16 ? 15 : bits == 32 ? 127 : 1023;
    const uint64_t exponent = bias - 4 + wm_random_below(random, 8);
    const uint64_t low = wm_random_u64(random) & (((uint64_t)1 << fraction) - 1);
    return wm_random_below(random, 2) << (bits - 1) | exponent << fraction | low;
}

uint64_t awkward_value(struct wm_random *random, unsigned bits, bool is_float)
{
    const uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    const uint64_t any = wm_random_u64(random) & all;
    if (is_float && bits >= 16) {
        switch (wm_random_below(random, 5)) {
        case 0:
        case 1: return special_float(random, bits);
        case 2: return (special_float(random, bits) + (any & 3) - 1) & all;
        case 3: return moderate_float(random, bits);
        default: return any;
        }
    }
    switch (wm_random_below(random, 6)) {
    case 0: return any & 1 ? 0 : all;
    case 1: return (((uint64_t)1 << (bits - 1)) + wm_random_below(random, 3) - 1) & all;
    case 2: return wm_random_below(random, 70) & all;
    case 3: return ((uint64_t)1 << (any % bits)) & all;
    case 4: return (0 - wm_random_below(random, 70)) & all;
    default: return any;
    }
}

uint32_t awkward_mask(struct wm_random *random)
{
    switch (wm_random_below(random, 4)) {
    case 0: return UINT32_MAX;
    case 1: return 1u << wm_random_below(random, 32);
    case 2: return wm_random_below(random, 8) ? (uint32_t)wm_random_u64(random) : 0;
    default: return (uint32_t)wm_random_u64(random) & (uint32_t)wm_random_u64(random);
    }
}

long double value_of_half(uint64_t bits)
{
    const int exponent = bits >> 10 & 31;
    const long double fraction = (long double)(bits & 0x3ff);
    const long double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? (long double)NAN : sign * (long double)INFINITY;
    if (exponent == 0)
        return sign * ldexpl(fraction, -24);
    return sign * ldexpl(1024 + fraction, exponent - 25);
}

// The largest half whose magnitude is not above v's, or the next one.
uint64_t half_of_value(long double v, int mode)
{
    const uint64_t sign = signbit(v) ? 0x8000 : 0;
    const long double magnitude = fabsl(v);
    if (isnan(v))
        return 0x7fff;
    uint64_t low = 0, high = 0x7c00;
    while (low < high) {
        const uint64_t middle = (low + high + 1) / 2;
        if (value_of_half(middle) <= magnitude)
            low = middle;
        else
            high = middle - 1;
    }
    if (value_of_half(low) == magnitude)
        return sign | low;
    const long double above = low == 0x7bff ? 65536 : value_of_half(low + 1);
    const long double middle = (value_of_half(low) + above) / 2;
    const bool up = mode == FE_UPWARD      ? !sign
                    : mode == FE_DOWNWARD  ? sign != 0
                    : mode == FE_TONEAREST ? magnitude > middle || (magnitude == middle && low & 1)
                                           : false;
    return sign | (low + up);
}

uint64_t lane_of(const struct lane_array *array, unsigned bytes, unsigned lane)
{
    return bytes == 8 ? array->wide[lane] : array->narrow[lane];
}

void set_lane(struct lane_array *array, unsigned bytes, unsigned lane, uint64_t value)
{
    if (bytes == 8)
        array->wide[lane] = value;
    else
        array->narrow[lane] = (uint32_t)value;
}

static unsigned slot_bytes(unsigned bits)
{
    return bits > 32 ? 8 : 4;
}

// Rubbish above the bits of a narrow type: kernels must not look at it.
static void fill(struct lane_array *array, struct wm_random *random, unsigned bits, bool is_float)
{
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t value = bits ? awkward_value(random, bits, is_float) : 0;
        if (bits < 32)
            value |= wm_random_u64(random) << bits;
        set_lane(array, slot_bytes(bits), l, value);
    }
}

static uint64_t source_value(const struct lane_array *array, unsigned bits, unsigned lane)
{
    const uint64_t value = lane_of(array, slot_bytes(bits), lane);
    return bits == 0 ? 0 : bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

static void check_lanes(const struct lane_check *check, const struct lane_array *before,
                        const struct lane_array *d, const struct lane_array source[3],
                        uint32_t mask)
{
    const unsigned bytes = slot_bytes(check->d_bits);
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t a = source_value(&source[0], check->a_bits, l);
        const uint64_t b = source_value(&source[1], check->b_bits, l);
        const uint64_t c = source_value(&source[2], check->c_bits, l);
        const uint64_t old = lane_of(before, bytes, l);
        const uint64_t expected = mask >> l & 1 ? check->reference(a, b, c) : old;
        const uint64_t got = lane_of(d, bytes, l);
        cr_assert_eq(got, expected,
                     "%s lane %u mask %x: a %llx b %llx c %llx -> %llx, expected %llx", check->text,
                     l, mask, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
                     (unsigned long long)got, (unsigned long long)expected);
    }
    for (unsigned i = 0; i < 8; i++)
        cr_assert_eq(d->guard[i], before->guard[i], "%s wrote behind its lanes", check->text);
    if (bytes == 4)
        cr_assert_arr_eq(d->narrow + LANES, before->narrow + LANES, 4 * LANES);
}

void check_against_reference(const struct lane_check *check)
{
    const struct wm_lane_key key = key_of_text(check->text);
    wm_lane_function *function = wm_lane_find(WM_HOST_C, &key);
    cr_assert_not_null(function, "no kernel for %s", check->text);
    const unsigned bits[3] = {check->a_bits, check->b_bits, check->c_bits};
    struct wm_random random;
    wm_random_init(&random, 1, check->text);
    for (unsigned round = 0; round < 60; round++) {
        struct lane_array source[3], original[3], before;
        fill(&before, &random, 64, false);
        for (unsigned i = 0; i < 8; i++)
            before.guard[i] = wm_random_u64(&random);
        for (unsigned i = 0; i < 3; i++)
            fill(&source[i], &random, bits[i], check->is_float);
        const uint32_t mask = awkward_mask(&random);
        struct lane_array d = before;
        function(&d, &source[0], &source[1], &source[2], mask);
        check_lanes(check, &before, &d, source, mask);
        memcpy(original, source, sizeof original);
        for (unsigned i = 0; i < 3; i++) { // the destination is one of the sources
            if (bits[i] == 0 || slot_bytes(bits[i]) != slot_bytes(check->d_bits))
                continue;
            memcpy(source, original, sizeof source);
            function(&source[i], &source[0], &source[1], &source[2], mask);
            check_lanes(check, &original[i], &source[i], original, mask);
        }
    }
}
