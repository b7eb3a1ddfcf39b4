// Sums, differences and products of 128 bits, made of 32-bit and 64-bit steps with carry, against
// the host's 128-bit integers.
#include "exec_harness.h"

enum { THREADS = 64 };

typedef unsigned __int128 wide;

static const char source[] =
    ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
    ".reg .b32 %i, %a<4>, %b<4>, %c<4>, %p<8>; .reg .b64 %o, %l, %q, %x<2>, %y<2>, %z<2>;\n"
    ".reg .pred %odd;\n"
    "ld.param.u64 %o, [out]; ld.param.u64 %l, [in]; mov.u32 %i, %tid.x;\n"
    "mul.wide.u32 %q, %i, 32; add.u64 %l, %l, %q; mul.wide.u32 %q, %i, 112; add.u64 %o, %o, %q;\n"
    "ld.global.v4.u32 {%a0,%a1,%a2,%a3}, [%l]; ld.global.v4.u32 {%b0,%b1,%b2,%b3}, [%l+16];\n"
    "add.cc.u32 %c0, %a0, %b0; addc.cc.u32 %c1, %a1, %b1; addc.cc.u32 %c2, %a2, %b2;\n"
    "addc.u32 %c3, %a3, %b3; st.global.v4.u32 [%o], {%c0,%c1,%c2,%c3};\n"
    "sub.cc.s32 %c0, %a0, %b0; subc.cc.s32 %c1, %a1, %b1; subc.cc.u32 %c2, %a2, %b2;\n"
    "subc.u32 %c3, %a3, %b3; st.global.v4.u32 [%o+16], {%c0,%c1,%c2,%c3};\n"
    "ld.global.v2.u64 {%x0,%x1}, [%l]; ld.global.v2.u64 {%y0,%y1}, [%l+16];\n"
    "add.cc.u64 %z0, %x0, %y0; addc.u64 %z1, %x1, %y1; st.global.v2.u64 [%o+32], {%z0,%z1};\n"
    "sub.cc.u64 %z0, %x0, %y0; subc.s64 %z1, %x1, %y1; st.global.v2.u64 [%o+48], {%z0,%z1};\n"
    // x0 × y0 + (x1 : y1), by 64-bit steps
    "mad.lo.cc.u64 %z0, %x0, %y0, %x1; madc.hi.u64 %z1, %x0, %y0, %y1;\n"
    "st.global.v2.u64 [%o+64], {%z0,%z1};\n"
    // (a1:a0) × b0 + (b2:b1), by 32-bit steps, 96 bits
    "mad.lo.cc.u32 %c0, %a0, %b0, %b1; madc.hi.cc.u32 %c1, %a0, %b0, %b2; addc.u32 %c2, 0, 0;\n"
    "mad.lo.cc.u32 %c1, %a1, %b0, %c1; madc.hi.u32 %c2, %a1, %b0, %c2;\n"
    "st.global.v4.u32 [%o+80], {%c0,%c1,%c2,%i};\n"
    // Each lane keeps its own carry, and a guarded instruction leaves the others' alone.
    "and.b32 %p0, %i, 1; setp.ne.u32 %odd, %p0, 0; add.cc.u32 %p1, -1, 1;\n"
    "@%odd add.cc.u32 %p1, 1, 1; addc.u32 %p2, 0, 5; st.global.u32 [%o+96], %p2; ret; }\n";

static wide join(const uint64_t *words)
{
    return (wide)words[1] << 64 | words[0];
}

static void expect(const uint64_t *words, wide value, const char *what, uint32_t thread)
{
    cr_assert(join(words) == value, "%s of thread %u", what, thread);
}

Test(carry, makes_128_bits)
{
    struct harness harness;
    struct wm_random random;
    wm_random_init(&random, 9, "carry");
    harness_init(&harness, source, 32, WM_HOST_C, false);
    uint64_t *in = harness_allocate(&harness, 32 * THREADS);
    uint64_t *out = harness_allocate(&harness, 112 * THREADS);
    for (int trial = 0; trial < 50; trial++) {
        for (uint32_t i = 0; i < 4 * THREADS; i++) // often all ones or zero: long carries
            in[i] = wm_random_below(&random, 3) ? wm_random_u64(&random)
                                                : 0 - wm_random_below(&random, 2);
        HARNESS_RUN(&harness, "k", 1, THREADS, ADDRESS(out), ADDRESS(in));
        for (uint32_t t = 0; t < THREADS; t++) {
            const uint64_t *x = in + 4 * t, *o = out + 14 * t;
            wide a = join(x), b = join(x + 2);
            expect(o, a + b, "32-bit sum", t);
            expect(o + 2, a - b, "32-bit difference", t);
            expect(o + 4, a + b, "64-bit sum", t);
            expect(o + 6, a - b, "64-bit difference", t);
            expect(o + 8, (wide)x[0] * x[2] + ((wide)x[3] << 64 | x[1]), "64-bit product", t);
            uint32_t b0 = (uint32_t)x[2];
            wide product = (wide)x[0] * b0 + (x[2] >> 32 | (x[3] & UINT32_MAX) << 32);
            product &= ((wide)1 << 96) - 1;
            expect(o + 10, product | (wide)t << 96, "32-bit product", t);
            cr_assert_eq((uint32_t)o[12], t % 2 ? 5 : 6, "carry of thread %u", t);
        }
    }
    harness_release(&harness);
}
