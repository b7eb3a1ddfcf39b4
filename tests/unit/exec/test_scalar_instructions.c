// Instructions that are executed one lane after another: worked examples of each family, and
// conversions of every 8-bit float against a search among all of them.
#include "exec_harness.h"

#include <math.h>

struct example {
    const char *instruction; // of %a, %b, %c (64 bits: %A, %B) and %p into %d (%D) and %q
    uint64_t a, b, c, d;
    int q; // expected %q; -1: not looked at
};

enum { PREDICATE = 1 }; // %p is true in all lanes

static const char template[] =
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    ".reg .b64 %%A, %%B, %%D, %%i, %%o;\n.reg .b32 %%a, %%b, %%c, %%d, %%e;\n"
    ".reg .b16 %%x, %%y, %%z, %%h;\n.reg .pred %%p, %%q;\n"
    "ld.param.u64 %%i, [in];\nld.param.u64 %%o, [out];\n"
    "ld.global.u64 %%A, [%%i];\nld.global.u64 %%B, [%%i+8];\nld.global.u32 %%c, [%%i+16];\n"
    "cvt.u32.u64 %%a, %%A;\ncvt.u32.u64 %%b, %%B;\n"
    "cvt.u16.u32 %%x, %%a;\ncvt.u16.u32 %%y, %%b;\ncvt.u16.u32 %%z, %%c;\n"
    "setp.eq.u32 %%p, 1, %d;\nsetp.eq.u32 %%q, 0, 1;\nmov.b64 %%D, 0;\nmov.b32 %%d, 0;\n"
    "mov.b16 %%h, 0;\n%s;\n"
    "selp.b32 %%e, 1, 0, %%q;\nst.global.u32 [%%o], %%d;\nst.global.u32 [%%o+4], %%e;\n"
    "st.global.u64 [%%o+8], %%D;\nst.global.u16 [%%o+16], %%h;\nret;\n}\n";

struct outcome {
    uint32_t d, q;
    uint64_t wide;
    uint16_t half;
};

static struct outcome run(const char *instruction, uint64_t a, uint64_t b, uint64_t c)
{
    struct harness harness;
    struct wm_text text;
    struct outcome outcome;
    wm_text_init(&text);
    wm_text_format(&text, template, PREDICATE, instruction);
    harness_init(&harness, text.data, 32, wm_host_best_isa(), false);
    uint64_t *in = harness_allocate(&harness, 24), *out = harness_allocate(&harness, 24);
    in[0] = a, in[1] = b, in[2] = c;
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(in), ADDRESS(out));
    memcpy(&outcome, out, sizeof(outcome));
    wm_text_release(&text);
    harness_release(&harness);
    return outcome;
}

static void check(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct example *e = &examples[i];
        struct outcome got = run(e->instruction, e->a, e->b, e->c);
        uint64_t d = strstr(e->instruction, " %D")   ? got.wide
                     : strstr(e->instruction, " %h") ? got.half
                                                     : got.d;
        cr_expect_eq(d, e->d, "%s: %llx, expected %llx", e->instruction, (unsigned long long)d,
                     (unsigned long long)e->d);
        if (e->q >= 0)
            cr_expect_eq((int)got.q, e->q, "%s: %u", e->instruction, got.q);
    }
}

#define CHECK(examples) check(examples, sizeof(examples) / sizeof((examples)[0]))

Test(scalar, video)
{
    static const struct example examples[] = {
        // Parts, extended by their types; then all of d.
        {"vadd.s32.s32.s32 %d, %a.b0, %b.h1", 0x80, 0xFFFE0000, 0, 0xFFFFFF7E, -1},
        {"vadd.u32.u32.u32 %d, %a.b3, %b.h0", 0x80000000, 0x1234FFFF, 0, 0x1007F, -1},
        {"vsub.u32.u32.s32.sat %d, %a, %b", 5, 7, 0, 0, -1},
        {"vsub.s32.u32.u32 %d, %a, %b", 5, 7, 0, 0xFFFFFFFE, -1},
        {"vadd.s32.s32.s32.sat %d, %a, %b", 0x7FFFFFFF, 1, 0, 0x7FFFFFFF, -1},
        {"vabsdiff.u32.s32.s32 %d, %a, %b", 0x80000000, 0x7FFFFFFF, 0, 0xFFFFFFFF, -1},
        {"vmin.s32.s32.u32 %d, %a, %b", 0xFFFFFFFF, 0xFFFFFFFF, 0, 0xFFFFFFFF, -1},
        {"vmax.u32.s32.u32 %d, %a, %b", 0xFFFFFFFF, 3, 0, 3, -1},
        // Merged into c, saturated to the part.
        {"vadd.u32.u32.u32.sat %d.b2, %a, %b, %c", 200, 100, 0x11223344, 0x11FF3344, -1},
        {"vadd.s32.u32.u32.sat %d.h1, %a, %b, %c", 0x8000, 0, 0x11223344, 0x7FFF3344, -1},
        {"vadd.u32.u32.u32 %d.h0, %a, %b, %c", 0x18000, 1, 0x11223344, 0x11228001, -1},
        // Second operations.
        {"vabsdiff.u32.u32.u32.add %d, %a.b1, %b.b1, %c", 0x1000, 0x4000, 100, 148, -1},
        {"vadd.s32.s32.s32.min %d, %a, %b, %c", 1, 1, 0xFFFFFFFF, 0xFFFFFFFF, -1},
        {"vadd.u32.s32.s32.max %d, %a, %b, %c", 1, 1, 0xFFFFFFFF, 0xFFFFFFFF, -1},
        // Shifts.
        {"vshl.u32.u32.u32.clamp %d, %a, %b", 0xF1, 40, 0, 0, -1},
        {"vshl.u32.u32.u32.wrap %d, %a.b0, %b", 0xF1, 36, 0, 0xF10, -1},
        {"vshl.u32.u32.u32.sat.clamp %d, %a, %b", 0xF1, 28, 0, 0xFFFFFFFF, -1},
        {"vshr.s32.s32.u32.clamp %d, %a, %b", 0x80000000, 40, 0, 0xFFFFFFFF, -1},
        {"vshr.u32.u32.u32.wrap %d, %a, %b.b1", 0x80000000, 0x2100, 0, 0x40000000, -1},
        // Multiply and add, exactly, then scaled.
        {"vmad.s32.s32.s32 %d, %a.b0, %b.b0, %c", 0xFE, 3, 10, 4, -1},
        {"vmad.s32.s32.s32 %d, -%a, %b, %c", 7, 3, 10, 0xFFFFFFF5, -1},
        {"vmad.s32.s32.s32 %d, %a, %b, -%c", 7, 3, 10, 11, -1},
        {"vmad.u32.u32.u32.shr15 %d, %a, %b, %c", 0x80000000, 0x10000, 0x8000, 1, -1},
        {"vmad.u32.u32.u32.sat.shr7 %d, %a, %b, %c", 0x80000000, 0x10000, 0, 0xFFFFFFFF, -1},
        {"vmad.u32.u32.u32.po %d, %a, %b, %c", 7, 3, 10, 32, -1},
        {"vset.u32.s32.lt %d, %a, %b", 5, 0xFFFFFFFF, 0, 0, -1},
        {"vset.s32.u32.lt.add %d, %a.b0, %b, %c", 0xFF, 0, 41, 42, -1},
        {"vset.u32.u32.ge %d.b3, %a, %b, %c", 1, 1, 0xAABBCCDD, 0x01BBCCDD, -1},
    };
    CHECK(examples);
}

Test(scalar, video_of_several)
{
    static const struct example examples[] = {
        {"vadd2.u32.u32.u32 %d, %a, %b, %c", 0x0001FFFF, 0x00010001, 0, 0x00020000, -1},
        {"vadd2.u32.u32.u32.sat %d, %a, %b, %c", 0x0001FFFF, 0x00010001, 0, 0x0002FFFF, -1},
        {"vavrg2.s32.s32.s32 %d, %a, %b, %c", 0xFFFD0004, 0x00000003, 0, 0xFFFE0004, -1},
        {"vsub4.s32.s32.s32.sat %d, %a, %b, %c", 0x80017F00, 0x0102FF01, 0, 0x80FF7FFF, -1},
        {"vabsdiff4.u32.u32.u32 %d, %a, %b, %c", 0x01050A10, 0x02040C00, 0, 0x01010210, -1},
        {"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c", 0x01050A10, 0x02040C00, 5, 25, -1},
        {"vabsdiff2.u32.u32.u32.add %d, %a, %b, %c", 0x00050010, 0x00070001, 100, 117, -1},
        {"vmin4.u32.u32.u32 %d, %a, %b, %c", 0x01FF8000, 0x02017F01, 0, 0x01017F00, -1},
        {"vmax4.s32.s32.s32 %d, %a, %b, %c", 0x01FF8000, 0x02017F01, 0, 0x02017F01, -1},
        // Bytes 7 to 4 are b's; the rest of d is c's.
        {"vadd4.u32.u32.u32 %d.b20, %a.b3210, %b.b4567, %c", 0x04030201, 0x40302010, 0xAABBCCDD,
         0xAA23CC41, -1},
        {"vset4.u32.u32.eq %d, %a, %b, %c", 0x01020304, 0x01000300, 0, 0x01000100, -1},
        {"vset2.s32.s32.lt.add %d, %a, %b, %c", 0xFFFF0001, 0x00000001, 9, 10, -1},
    };
    CHECK(examples);
}

Test(scalar, integers)
{
    static const struct example examples[] = {
        {"add.u16x2 %d, %a, %b", 0x0001FFFF, 0x00020001, 0, 0x00030000, -1},
        {"min.s16x2 %d, %a, %b", 0x0001FFFF, 0xFFFE0000, 0, 0xFFFEFFFF, -1},
        {"max.u16x2 %d, %a, %b", 0x0001FFFF, 0xFFFE0000, 0, 0xFFFEFFFF, -1},
        {"max.relu.s16x2 %d, %a, %b", 0x8001FFFF, 0xFFFE0003, 0, 0x00000003, -1},
        {"min.relu.s32 %d, %a, %b", 5, 0xFFFFFFFF, 0, 0, -1},
        {"max.relu.s32 %d, %a, %b", 5, 0xFFFFFFFF, 0, 5, -1},
        {"lop3.and.b32 %d|%q, %a, %b, %c, 0x80, %p", 0xF0, 0x3C, 0xFF, 0x30, 1},
        {"lop3.and.b32 %d|%q, %a, %b, %c, 0x80, !%p", 0xF0, 0x3C, 0xFF, 0x30, 0},
        {"lop3.or.b32 %d|%q, %a, %b, %c, 0x00, %p", 1, 2, 3, 0, 1},
        {"lop3.or.b32 _|%q, %a, %b, %c, 0x96, !%p", 1, 2, 3, 0, 0},
        {"cvt.pack.sat.s16.s32 %d, %a, %b", 0x12345, 0xFFFF0000, 0, 0x7FFF8000, -1},
        {"cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c", 300, 0xFFFFFFFF, 0x1234, 0x1234FF00, -1},
        {"cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c", 7, 0xFFFFFFF0, 1, 0x178, -1},
        {"cvt.pack.sat.u2.s32.b32 %d, %a, %b, %c", 2, 9, 1, 0x1B, -1},
        {"mapa.u64 %D, %A, %b", 0x123456789A, 0, 0, 0x123456789A, -1},
        {"getctarank.u64 %d, %A", 0x123456789A, 0, 0, 0, -1},
    };
    CHECK(examples);
}

Test(scalar, floats)
{
    static const struct example examples[] = {
        {"min.xorsign.abs.f32 %d, %a, %b", 0xC0000000, 0x40400000, 0, 0xC0000000, -1},
        {"max.xorsign.abs.f32 %d, %a, %b", 0xC0000000, 0xC0400000, 0, 0x40400000, -1},
        {"max.xorsign.abs.f32 %d, %a, %b", 0xC0000000, 0x7FC00000, 0, 0xC0000000, -1},
        {"max.NaN.xorsign.abs.f32 %d, %a, %b", 0xC0000000, 0x7FC00000, 0, 0x7FFFFFFF, -1},
        {"min.f32 %d, %a, %b, %c", 0x40000000, 0x80000000, 0x00000000, 0x80000000, -1},
        {"max.abs.f32 %d, %a, %b, %c", 0x40000000, 0xC0800000, 0x7FC00000, 0x40800000, -1},
        {"max.NaN.f32 %d, %a, %b, %c", 0x40000000, 0xC0800000, 0x7FC00000, 0x7FFFFFFF, -1},
        {"setp.lt.f16x2 %p|%q, %a, %b", 0x3C004000, 0x40003C00, 0, 0, 1},
        {"setp.lt.f16x2 %q|%p, %a, %b", 0x3C004000, 0x40003C00, 0, 0, 0},
        {"setp.nan.bf16x2 %p|%q, %a, %b", 0x7FC03F80, 0x3F803F80, 0, 0, 1},
        {"setp.gt.and.bf16x2 %p|%q, %a, %b, !%p", 0x40003F80, 0x3F803F80, 0, 0, 0},
        {"setp.geu.bf16 %q, %x, %y", 0x3F80, 0x7FC0, 0, 0, 1},
        {"set.lt.bf16.bf16 %h, %x, %y", 0x3F80, 0x4000, 0, 0x3F80, -1},
        {"set.gt.u32.f16x2 %d, %a, %b", 0x40003C00, 0x3C004000, 0, 0xFFFF0000, -1},
        {"set.le.bf16x2.bf16x2 %d, %a, %b", 0x40003F80, 0x3F804000, 0, 0x00003F80, -1},
        {"set.lt.f16.s32 %h, %a, %b", 0xFFFFFFFF, 1, 0, 0x3C00, -1},
        {"set.lt.bf16.u32 %h, %a, %b", 0xFFFFFFFF, 1, 0, 0, -1},
        {"cvt.rna.tf32.f32 %d, %a", 0x3F801000, 0, 0, 0x3F802000, -1},
        {"cvt.rn.tf32.f32 %d, %a", 0x3F801000, 0, 0, 0x3F800000, -1},
        {"cvt.rn.tf32.f32 %d, %a", 0x3F803000, 0, 0, 0x3F804000, -1},
        {"cvt.rz.relu.tf32.f32 %d, %a", 0xBF803000, 0, 0, 0, -1},
        {"cvt.rn.relu.f16x2.f32 %d, %a, %b", 0xBF800000, 0x3F800000, 0, 0x00003C00, -1},
        {"cvt.rn.satfinite.f16.f32 %h, %a", 0x7F800000, 0, 0, 0x7BFF, -1},
        {"cvt.rn.relu.satfinite.bf16.f32 %h, %a", 0x7FC00000, 0, 0, 0x7FFF, -1},
        {"cvt.rn.satfinite.e4m3x2.f32 %h, %a, %b", 0x3F800000, 0xC3F00000, 0, 0x38FE, -1},
        {"cvt.rn.satfinite.e5m2x2.f32 %h, %a, %b", 0x7F800000, 0x3FA00000, 0, 0x7B3D, -1},
        {"cvt.rn.satfinite.e5m2x2.f32 %h, %a, %b", 0x7FC00000, 0x3F900000, 0, 0x7F3C, -1},
        {"cvt.rzi.s32.bf16 %d, %x", 0xC0B0, 0, 0, 0xFFFFFFFB, -1},
        {"cvt.rni.u64.bf16 %D, %x", 0x5F80, 0, 0, UINT64_MAX, -1},
        {"cvt.rp.bf16.u64 %h, %A", 0x8080000000000001, 0, 0, 0x5F01, -1},
        {"cvt.rn.bf16.u64 %h, %A", 0x8080000000000001, 0, 0, 0x5F01, -1},
        {"cvt.rn.bf16.u64 %h, %A", 0x8080000000000000, 0, 0, 0x5F00, -1},
        {"cvt.f64.bf16 %D, %x", 0xBFC0, 0, 0, 0xBFF8000000000000, -1},
        {"cvt.rmi.bf16.bf16 %h, %x", 0xBFC0, 0, 0, 0xC000, -1},
        {"cvt.rn.bf16.f16 %h, %x", 0x3C05, 0, 0, 0x3F81, -1},
        {"cvt.rm.f16.bf16 %h, %x", 0x7F00, 0, 0, 0x7BFF, -1},
    };
    CHECK(examples);
}

static double value_of_code(uint32_t code, int bias, unsigned fraction_bits)
{
    int exponent = (int)(code >> fraction_bits & ((1u << (7 - fraction_bits)) - 1));
    double fraction = code & ((1u << fraction_bits) - 1);
    double scale = ldexp(1, -(int)fraction_bits);
    double magnitude =
        exponent ? ldexp(1 + fraction * scale, exponent - bias) : ldexp(fraction * scale, 1 - bias);
    return code & 0x80 ? -magnitude : magnitude;
}

// The nearest finite code; of two, the even one.
static uint32_t nearest_code(double value, int bias, unsigned fraction_bits, uint32_t largest)
{
    uint32_t best = 0;
    double best_distance = INFINITY;
    for (uint32_t code = 0; code <= largest; code++) {
        double distance = fabs(fabs(value) - value_of_code(code, bias, fraction_bits));
        if (distance < best_distance || (distance == best_distance && !(code & 1))) {
            best = code;
            best_distance = distance;
        }
    }
    return best | (signbit(value) ? 0x80 : 0);
}

static double value_of_half(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double magnitude =
        exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : ldexp(bits & 1023, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static const char eight_bits[] =
    ".visible .entry k(.param .u64 out)\n{\n.reg .b64 %%o, %%w;\n.reg .b32 %%a, %%t, %%c;\n"
    ".reg .b16 %%h;\nld.param.u64 %%o, [out];\nmov.u32 %%t, %%tid.x;\nmov.u32 %%c, %%ctaid.x;\n"
    "mad.lo.u32 %%t, %%c, 512, %%t;\nmul.wide.u32 %%w, %%t, 4;\nadd.u64 %%o, %%o, %%w;\n"
    "prmt.b32 %%a, %%t, 0, 0x1010;\n"
    "cvt.rn.satfinite.%sx2.f16x2 %%h, %%a;\ncvt.u32.u16 %%a, %%h;\nst.global.u32 [%%o], %%a;\n"
    "cvt.u16.u32 %%h, %%t;\ncvt.rn.f16x2.%sx2 %%a, %%h;\nst.global.u32 [%%o+262144], %%a;\n"
    "ret;\n}\n";

static void check_eight_bits(const char *name, int bias, unsigned fraction_bits, uint32_t largest)
{
    struct harness harness;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(&text, eight_bits, name, name);
    harness_init(&harness, text.data, 32, wm_host_best_isa(), false);
    uint32_t *out = harness_allocate(&harness, 524288);
    HARNESS_RUN(&harness, "k", 128, 512, ADDRESS(out));
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        bool is_nan = (bits & 0x7FFF) > 0x7C00, is_infinite = (bits & 0x7FFF) == 0x7C00;
        uint32_t expected = is_nan ? 0x7F
                            : is_infinite
                                ? largest | (bits >> 8 & 0x80)
                                : nearest_code(value_of_half(bits), bias, fraction_bits, largest);
        cr_assert_eq(out[bits], expected * 0x101, "%s of %x: %x, expected %x twice", name, bits,
                     out[bits], expected);
        uint32_t low = bits & 0xFF, half = out[bits + 0x10000] & 0xFFFF;
        if ((low & 0x7F) <= largest)
            cr_assert_eq(value_of_half(half), value_of_code(low, bias, fraction_bits), "%x", low);
        else if (bias == 15 && (low & 3) == 0)
            cr_assert_eq(half, 0x7C00 | (low & 0x80) << 8);
        else
            cr_assert_eq(half, 0x7FFF);
    }
    wm_text_release(&text);
    harness_release(&harness);
}

Test(scalar, eight_bit_floats)
{
    check_eight_bits("e4m3", 7, 3, 0x7E);
    check_eight_bits("e5m2", 15, 2, 0x7B);
}
