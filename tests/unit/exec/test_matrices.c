// mma against products of matrices that the host puts together from the fragments as the figures of
// PTX ISA 9.7.14.5 say; ldmatrix, stmatrix and movmatrix against plain loops.
#include "matrix_elements.h"

#include <math.h>

// --- mma: the figures ---

struct mma {
    unsigned m, n, k;
    const struct element_type *d, *a, *b;
    const char *suffix;
    const char *option; // ".satfinite": C is at the ends
};

// Bits of a fragment's element i, in registers of 32 (or 64) bits one behind another.
static void put(uint64_t *registers, const struct element_type *type, unsigned i, uint64_t bits)
{
    unsigned each = type->bits == 64 ? 64 : 32, per = each / type->bits;
    registers[i / per] |= bits << i % per * type->bits;
}

static uint64_t get(const uint64_t *registers, const struct element_type *type, unsigned i)
{
    unsigned each = type->bits == 64 ? 64 : 32, per = each / type->bits;
    return registers[i / per] >> i % per * type->bits & (UINT64_MAX >> (64 - type->bits));
}

static unsigned a_row(const struct mma *mma, unsigned lane, unsigned i)
{
    unsigned group = lane >> 2;
    if (mma->m == 8)
        return group;
    switch (mma->a->bits) {
    case 64:
    case 32: return i % 2 == 0 ? group : group + 8;
    case 16: return i < 2 || (i >= 4 && i < 6) ? group : group + 8;
    case 8: return i < 4 || (i >= 8 && i < 12) ? group : group + 8;
    case 4: return i < 8 || (i >= 16 && i < 24) ? group : group + 8;
    default: return i < 32 || (i >= 64 && i < 96) ? group : group + 8;
    }
}

static unsigned a_column(const struct mma *mma, unsigned lane, unsigned i)
{
    unsigned thread = lane % 4;
    switch (mma->a->bits) {
    case 64: return mma->k == 16 ? i / 2 * 4 + thread : i < 2 ? thread : thread + 4;
    case 32: return i < 2 ? thread : thread + 4;
    case 16: return thread * 2 + (i & 1) + (i < 4 ? 0 : 8);
    case 8: return thread * 4 + (i & 3) + (i < 8 ? 0 : 16);
    case 4: return thread * 8 + (i & 7) + (i < 16 ? 0 : 32);
    default: return thread * 32 + (i & 31) + (i < 64 ? 0 : 128);
    }
}

static unsigned b_row(const struct mma *mma, unsigned lane, unsigned i)
{
    unsigned thread = lane % 4;
    switch (mma->b->bits) {
    case 64:
    case 32: return thread + 4 * i;
    case 16: return thread * 2 + (i & 1) + (i < 2 ? 0 : 8);
    case 8: return thread * 4 + (i & 3) + (i < 4 ? 0 : 16);
    case 4: return thread * 8 + (i & 7) + (i < 8 ? 0 : 32);
    default: return thread * 32 + (i & 31) + (i < 32 ? 0 : 128);
    }
}

static unsigned c_row(unsigned lane, unsigned i)
{
    return i < 2 ? lane >> 2 : (lane >> 2) + 8;
}

static unsigned c_column(unsigned lane, unsigned i)
{
    return lane % 4 * 2 + (i & 1);
}

static unsigned registers_of(const struct element_type *type, unsigned elements)
{
    return elements * type->bits / LANES / (type->bits == 64 ? 64 : 32);
}

// 24 registers of 64 bits a lane: 8 of A, 8 of B, 8 of C; D goes over C.
static char *mma_source(const struct mma *mma, const char *instruction, unsigned a, unsigned b,
                        unsigned d)
{
    struct wm_text text;
    bool wide = mma->d->bits == 64;
    wm_text_init(&text);
    wm_text_add(&text, ".visible .entry k(.param .u64 in) {\n.reg .b64 %p, %q, %w;\n");
    wm_text_format(&text, ".reg .b%u %%a<8>, %%b<8>, %%c<8>, %%d<8>; .reg .b32 %%i;\n",
                   wide ? 64 : 32);
    wm_text_add(&text, "ld.param.u64 %p, [in]; mov.u32 %i, %tid.x;\n"
                       "mul.wide.u32 %q, %i, 192; add.u64 %p, %p, %q;\n");
    const char *types[] = {"a", "b", "c"};
    unsigned counts[] = {a, b, d};
    for (unsigned f = 0; f < 3; f++)
        for (unsigned i = 0; i < counts[f]; i++)
            wm_text_format(&text, "ld.global.b%u %%%s%u, [%%p+%u];\n", wide ? 64 : 32, types[f], i,
                           64 * f + 8 * i);
    wm_text_format(&text, "%s ", instruction);
    name_registers(&text, "d", d);
    wm_text_add(&text, ", ");
    name_registers(&text, "a", a);
    wm_text_add(&text, ", ");
    name_registers(&text, "b", b);
    wm_text_add(&text, ", ");
    name_registers(&text, "c", d);
    wm_text_add(&text, ";\n");
    for (unsigned i = 0; i < d; i++)
        wm_text_format(&text, "st.global.b%u [%%p+%u], %%d%u;\n", wide ? 64 : 32, 128 + 8 * i, i);
    wm_text_add(&text, "ret; }\n");
    return wm_text_take(&text);
}

static void check_mma(const struct mma *mma)
{
    static int a[16][256], b[256][8], c[16][8];
    struct harness harness;
    struct wm_random random;
    char instruction[128];
    snprintf(instruction, sizeof(instruction), "mma.sync.aligned.m%un%uk%u.row.col%s.%s.%s.%s.%s%s",
             mma->m, mma->n, mma->k, mma->option ? mma->option : "", mma->d->name, mma->a->name,
             mma->b->name, mma->d->name, mma->suffix);
    wm_random_init(&random, 7, instruction);
    unsigned a_count = mma->m * mma->k / LANES, b_count = mma->k * mma->n / LANES;
    unsigned c_count = mma->m * mma->n / LANES;
    char *source =
        mma_source(mma, instruction, registers_of(mma->a, mma->m * mma->k),
                   registers_of(mma->b, mma->k * mma->n), registers_of(mma->d, mma->m * mma->n));
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    uint64_t(*lanes)[3][8] = harness_allocate(&harness, LANES * 192);
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < a_count; i++) {
            int value = a[a_row(mma, lane, i)][a_column(mma, lane, i)] = draw(&random, mma->a);
            put(lanes[lane][0], mma->a, i, encode(mma->a, value));
        }
        for (unsigned i = 0; i < b_count; i++) {
            int value = b[b_row(mma, lane, i)][lane >> 2] = draw(&random, mma->b);
            put(lanes[lane][1], mma->b, i, encode(mma->b, value));
        }
        for (unsigned i = 0; i < c_count; i++) {
            int value = c[c_row(lane, i)][c_column(lane, i)] =
                mma->option ? draw_end(&random) : draw(&random, mma->d);
            put(lanes[lane][2], mma->d, i, encode(mma->d, value));
        }
    }
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(lanes));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < c_count; i++) {
            unsigned row = c_row(lane, i), column = c_column(lane, i);
            int64_t sum = c[row][column];
            for (unsigned k = 0; k < mma->k; k++) {
                int x = a[row][k], y = b[k][column];
                sum += mma->a->bits > 1                     ? x * y
                       : strstr(mma->suffix, "and") != NULL ? (x & y)
                                                            : (x ^ y);
            }
            if (mma->option)
                sum = clamped(sum);
            cr_assert_eq(get(lanes[lane][2], mma->d, i), encode(mma->d, (int)sum),
                         "%s lane %u element %u: %llx, expected %d", instruction, lane, i,
                         (unsigned long long)get(lanes[lane][2], mma->d, i), (int)sum);
        }
    free(source);
    harness_release(&harness);
}

Test(matrices, mma)
{
    static const struct mma forms[] = {
        {16, 8, 8, &f32, &f16, &f16, ""},    {16, 8, 16, &f32, &f16, &f16, ""},
        {16, 8, 8, &f16, &f16, &f16, ""},    {16, 8, 16, &f16, &f16, &f16, ""},
        {16, 8, 8, &f32, &bf16, &bf16, ""},  {16, 8, 16, &f32, &bf16, &bf16, ""},
        {16, 8, 4, &f32, &tf32, &tf32, ""},  {16, 8, 8, &f32, &tf32, &tf32, ""},
        {16, 8, 32, &f32, &e4m3, &e4m3, ""}, {16, 8, 32, &f32, &e4m3, &e5m2, ""},
        {16, 8, 32, &f32, &e5m2, &e4m3, ""}, {16, 8, 32, &f32, &e5m2, &e5m2, ""},
        {8, 8, 4, &f64, &f64, &f64, ""},     {16, 8, 4, &f64, &f64, &f64, ""},
        {16, 8, 8, &f64, &f64, &f64, ""},    {16, 8, 16, &f64, &f64, &f64, ""},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        check_mma(&forms[i]);
}

// Of each pair of types; to the ends with .satfinite, and around them without.
Test(matrices, mma_of_integers)
{
    static const struct element_type *const bytes[] = {&u8, &s8}, *const nibbles[] = {&u4, &s4};
    static const struct {
        unsigned m, k;
        const struct element_type *const *types;
    } shapes[] = {{8, 16, bytes},   {16, 16, bytes},   {16, 32, bytes},
                  {8, 32, nibbles}, {16, 32, nibbles}, {16, 64, nibbles}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        for (unsigned types = 0; types < 8; types++)
            check_mma(&(struct mma){shapes[i].m, 8, shapes[i].k, &s32, shapes[i].types[types & 1],
                                    shapes[i].types[types >> 1 & 1], "",
                                    types & 4 ? ".satfinite" : NULL});
}

Test(matrices, mma_of_bits)
{
    static const unsigned shapes[][2] = {{8, 128}, {16, 128}, {16, 256}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        for (unsigned both = 0; both < 2; both++)
            check_mma(&(struct mma){shapes[i][0], 8, shapes[i][1], &s32, &b1, &b1,
                                    both ? ".and.popc" : ".xor.popc"});
}

// Rows 8 and up are negative; only the first of a row's products is not 0.
static void check_rounding(const struct rounding *rounding)
{
    static const struct mma mma = {16, 8, 4, &f64, &f64, &f64, ""};
    struct harness harness;
    char instruction[96];
    snprintf(instruction, sizeof(instruction), "mma.sync.aligned.m16n8k4.row.col%s.f64.f64.f64.f64",
             rounding->name);
    char *source = mma_source(&mma, instruction, 2, 1, 4);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    double(*lanes)[3][8] = harness_allocate(&harness, LANES * 192);
    for (unsigned lane = 0; lane < LANES; lane++) {
        lanes[lane][1][0] = below_one;
        for (unsigned i = 0; i < 2; i++)
            if (a_column(&mma, lane, i) == 0)
                lanes[lane][0][i] = a_row(&mma, lane, i) < 8 ? above_one : -above_one;
        for (unsigned i = 0; i < 4; i++)
            lanes[lane][2][i] = c_row(lane, i) < 8 ? 1 : -1;
    }
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(lanes));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < 4; i++)
            cr_assert_eq(lanes[lane][2][i],
                         c_row(lane, i) < 8 ? rounding->positive : rounding->negative,
                         "%s: lane %u element %u is %a", instruction, lane, i, lanes[lane][2][i]);
    free(source);
    harness_release(&harness);
}

Test(matrices, mma_rounds)
{
    for (unsigned i = 0; i < 4; i++)
        check_rounding(&roundings[i]);
}

// mma.m8n8k4 of f16: lanes 4q to 4q + 3 and those 16 above are matrix q (figures 39 to 48).
static void check_quads(bool a_row_major, bool b_row_major, const struct element_type *type)
{
    static int a[4][8][4], b[4][4][8], c[4][8][8];
    const struct mma mma = {.d = type};
    struct harness harness;
    struct wm_random random;
    char instruction[128];
    snprintf(instruction, sizeof(instruction), "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s",
             a_row_major ? "row" : "col", b_row_major ? "row" : "col", type->name, type->name);
    wm_random_init(&random, 8, instruction);
    char *source = mma_source(&mma, instruction, 2, 2, type->bits == 32 ? 8 : 4);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    uint64_t(*lanes)[3][8] = harness_allocate(&harness, LANES * 192);
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned q = lane % 16 / 4, high = lane < 16 ? 0 : 4, own = lane % 4;
            for (unsigned i = 0; i < 4 && pass == 0; i++) {
                int *x = a_row_major ? &a[q][own + high][i] : &a[q][i + high][own];
                int *y = b_row_major ? &b[q][own][i + high] : &b[q][i][own + high];
                put(lanes[lane][0], &f16, i, encode(&f16, *x = draw(&random, &f16)));
                put(lanes[lane][1], &f16, i, encode(&f16, *y = draw(&random, &f16)));
            }
            for (unsigned i = 0; i < 8; i++) {
                unsigned row = type->bits == 16 ? own + high : (lane & 1) + (i & 2) + high;
                unsigned column = type->bits == 16 ? i : (i & 4) + (lane & 2) + (i & 1);
                int sum = c[q][row][column];
                if (pass == 0) {
                    c[q][row][column] = draw(&random, type);
                    put(lanes[lane][2], type, i, encode(type, c[q][row][column]));
                    continue;
                }
                for (unsigned k = 0; k < 4; k++)
                    sum += a[q][row][k] * b[q][k][column];
                cr_assert_eq(get(lanes[lane][2], type, i), encode(type, sum),
                             "%s lane %u element %u", instruction, lane, i);
            }
        }
        if (pass == 0)
            HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(lanes));
    }
    free(source);
    harness_release(&harness);
}

Test(matrices, mma_of_four_small_ones)
{
    for (int layouts = 0; layouts < 4; layouts++) {
        check_quads(layouts & 1, layouts & 2, &f32);
        check_quads(layouts & 1, layouts & 2, &f16);
    }
}

// Infinity, NaN, overflow of f16, and sums in ascending k: 2^24 + 1 - 2^24 is 0 in f32.
Test(matrices, sums_are_taken_in_order)
{
    static const struct mma mma = {16, 8, 8, &f32, &tf32, &tf32, ""};
    struct harness harness;
    char *source = mma_source(&mma, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    uint64_t(*lanes)[3][8] = harness_allocate(&harness, LANES * 192);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < 4; i++) {
            static const uint32_t row[8] = {0x4B800000, 0x3F800000, 0xCB800000, 0, 0, 0, 0, 0};
            lanes[lane][0][i] = row[a_column(&mma, lane, i)];
            if (a_row(&mma, lane, i) == 5)
                lanes[lane][0][i] = a_column(&mma, lane, i) == 0 ? 0x7F800000 : 0;
            if (a_row(&mma, lane, i) == 6) // the low 13 bits of a tf32 do not count
                lanes[lane][0][i] = 0x3F801FFF;
            lanes[lane][1][i % 2] = lane / 4 == 7 ? 0 : 0x3F800000;
        }
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(lanes));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < 4; i++) {
            unsigned row = c_row(lane, i), column = c_column(lane, i);
            uint32_t expected = row == 5   ? (column == 7 ? 0x7FFFFFFF : 0x7F800000)
                                : row == 6 ? (column == 7 ? 0 : 0x41000000)
                                           : 0;
            cr_assert_eq((uint32_t)lanes[lane][2][i], expected, "row %u column %u: %x", row, column,
                         (uint32_t)lanes[lane][2][i]);
        }
    free(source);
    harness_release(&harness);
}

// --- ldmatrix, stmatrix, movmatrix ---

static const char row_kernel[] =
    ".shared .align 16 .b8 s[2048];\n"
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"
    ".reg .b64 %%p, %%q, %%w, %%a; .reg .b32 %%i, %%r<4>, %%m<4>, %%b; .reg .pred %%c;\n"
    "ld.param.u64 %%p, [in]; ld.param.u64 %%q, [out]; mov.u32 %%i, %%tid.x;\n"
    "mul.wide.u32 %%w, %%i, 16; add.u64 %%p, %%p, %%w; add.u64 %%q, %%q, %%w;\n"
    "ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%p];\n"
    "mul.lo.u32 %%b, %%i, 48; mov.u64 %%a, s; cvt.u64.u32 %%w, %%b; add.u64 %%a, %%a, %%w;\n"
    "st.shared.v4.u32 [%%a], {%%r0, %%r1, %%r2, %%r3};\n"
    // The warp parts and comes to the instruction in two parts.
    "setp.lt.u32 %%c, %%i, 13; @%%c bra A; bra B; A: add.u32 %%i, %%i, 1; B:\n"
    "mov.u32 %%m0, 0; mov.u32 %%m1, 0; mov.u32 %%m2, 0; mov.u32 %%m3, 0; %s\n"
    "st.global.v4.u32 [%%q], {%%m0, %%m1, %%m2, %%m3}; ret; }\n";

static void check_rows(const char *instruction, unsigned count, bool transposed, bool store)
{
    struct harness harness;
    struct wm_text text;
    struct wm_random random;
    wm_random_init(&random, 3, instruction);
    wm_text_init(&text);
    wm_text_format(&text, row_kernel, instruction);
    harness_init(&harness, text.data, 32, wm_host_best_isa(), false);
    uint16_t(*in)[8] = harness_allocate(&harness, 512), (*out)[8] = harness_allocate(&harness, 512);
    for (unsigned i = 0; i < 256; i++)
        in[i / 8][i % 8] = (uint16_t)wm_random_u64(&random);
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(in), ADDRESS(out));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < 8; i++) {
            // Half i of the lane's four registers: element (g, 2t + i % 2) of matrix i / 2.
            unsigned row = lane / 4, column = lane % 4 * 2 + i % 2;
            uint16_t expected = i / 2 >= count ? 0
                                : transposed   ? in[8 * (i / 2) + column][row]
                                               : in[8 * (i / 2) + row][column];
            if (store) { // the matrices are the registers of the lanes, and rows are read back
                unsigned to = lane % 8, at = i;
                unsigned from = transposed ? at * 4 + to / 2 : to * 4 + at / 2;
                unsigned half = transposed ? to % 2 : at % 2;
                expected = lane / 8 < count ? in[from][2 * (lane / 8) + half] : in[lane][i];
            }
            cr_assert_eq(out[lane][i], expected, "%s lane %u half %u", instruction, lane, i);
        }
    wm_text_release(&text);
    harness_release(&harness);
}

#define READ_BACK " ld.shared.v4.u32 {%%m0, %%m1, %%m2, %%m3}, [%%b];"

Test(matrices, rows_of_shared_memory)
{
    static const char *const spaces[] = {"", ".shared", ".shared::cta"};
    static const char *const lists[] = {"", "{%m0}", "{%m0, %m1}", "", "{%m0, %m1, %m2, %m3}"};
    static const char *const stored[] = {"", "{%r0}", "{%r0, %r1}", "", "{%r0, %r1, %r2, %r3}"};
    char text[256];
    for (unsigned count = 1; count <= 4; count *= 2)
        for (unsigned form = 0; form < 6; form++) {
            bool transposed = form % 2;
            const char *space = spaces[form / 2], *trans = transposed ? ".trans" : "";
            // Generic addresses, and those of shared memory in 64 and in 32 bits.
            const char *generic = *space ? "" : "cvta.shared.u64 %a, %a; ";
            const char *address = count == 2 && *space ? "%b" : "%a";
            snprintf(text, sizeof(text), "%sldmatrix.sync.aligned.m8n8.x%u%s%s.b16 %s, [%s];",
                     generic, count, trans, space, lists[count], address);
            check_rows(text, count, transposed, false);
            snprintf(text, sizeof(text),
                     "%sstmatrix.sync.aligned.m8n8.x%u%s%s.b16 [%s], %s;" READ_BACK, generic, count,
                     trans, space, address, stored[count]);
            check_rows(text, count, transposed, true);
        }
}

Test(matrices, movmatrix_transposes)
{
    struct harness harness;
    harness_init(&harness,
                 ".visible .entry k(.param .u64 out) { .reg .b64 %p, %q; .reg .b32 %i, %a, %b;\n"
                 "ld.param.u64 %p, [out]; mov.u32 %i, %tid.x; mul.wide.u32 %q, %i, 4;\n"
                 "add.u64 %p, %p, %q; shl.b32 %a, %i, 1; add.u32 %b, %a, 1; shl.b32 %b, %b, 16;\n"
                 "or.b32 %a, %a, %b; movmatrix.sync.aligned.m8n8.trans.b16 %b, %a;\n"
                 "st.global.u32 [%p], %b; ret; }\n",
                 32, wm_host_best_isa(), false);
    uint32_t *out = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(out));
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t first = lane % 4 * 2 * 8 + lane / 4; // element numbers, row by row
        cr_assert_eq(out[lane], first | (first + 8) << 16);
    }
    harness_release(&harness);
}

Test(matrices, rows_outside_of_shared_memory_are_findings)
{
    struct harness harness;
    harness_init(&harness,
                 ".shared .align 16 .b8 s[64];\n"
                 ".visible .entry k() { .reg .b32 %i, %a;\n"
                 "mov.u32 %i, %tid.x; shl.b32 %i, %i, 4; mov.u32 %a, s; add.u32 %i, %i, %a;\n"
                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a}, [%i]; ret; }\n",
                 32, wm_host_best_isa(), false);
    harness_launch(&harness, "k", 1, LANES, NULL, 0);
    cr_assert_eq(harness.fault.kind, WM_FAULT_SHARED_OUT_OF_BOUNDS);
    cr_assert_eq(harness.fault.thread[0], 4);
    harness_release(&harness);
}
