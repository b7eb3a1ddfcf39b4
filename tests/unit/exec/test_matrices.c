// mma against products of matrices that the host puts together from the fragments as the figures of
// PTX ISA 9.7.14.5 say; wmma, ldmatrix, stmatrix and movmatrix against plain loops.
#include "exec_harness.h"

#include <math.h>

enum { LANES = 32 };

// --- elements ---

struct element_type {
    const char *name;
    unsigned bits;
    unsigned exponent_bits, fraction_bits; // floats
    bool is_signed;
};

static const struct element_type f16 = {"f16", 16, 5, 10, true}, bf16 = {"bf16", 16, 8, 7, true},
                                 tf32 = {"tf32", 32, 8, 23, true}, f32 = {"f32", 32, 8, 23, true},
                                 f64 = {"f64", 64, 11, 52, true}, e4m3 = {"e4m3", 8, 4, 3, true},
                                 e5m2 = {"e5m2", 8, 5, 2, true}, s8 = {"s8", 8, 0, 0, true},
                                 u8 = {"u8", 8, 0, 0, false}, s4 = {"s4", 4, 0, 0, true},
                                 u4 = {"u4", 4, 0, 0, false}, b1 = {"b1", 1, 0, 0, false},
                                 s32 = {"s32", 32, 0, 0, true};

// A small integer.
static uint64_t encode(const struct element_type *type, int value)
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

static int draw(struct wm_random *random, const struct element_type *type)
{
    if (type->bits == 1)
        return (int)wm_random_below(random, 2);
    int value = (int)wm_random_below(random, 8);
    return type->is_signed ? value - 4 : value;
}

// --- mma: the figures ---

struct mma {
    unsigned m, n, k;
    const struct element_type *d, *a, *b;
    const char *suffix;
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

static void name_registers(struct wm_text *text, const char *prefix, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        wm_text_format(text, "%s%%%s%u", i ? ", " : "{", prefix, i);
    wm_text_add(text, "}");
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
    snprintf(instruction, sizeof(instruction), "mma.sync.aligned.m%un%uk%u.row.col.%s.%s.%s.%s%s",
             mma->m, mma->n, mma->k, mma->d->name, mma->a->name, mma->b->name, mma->d->name,
             mma->suffix);
    wm_random_init(&random, 7, instruction);
    unsigned a_count = mma->m * mma->k / LANES, b_count = mma->k * mma->n / LANES;
    unsigned c_count = mma->m * mma->n / LANES;
    char *source =
        mma_source(mma, instruction, registers_of(mma->a, mma->m * mma->k),
                   registers_of(mma->b, mma->k * mma->n), registers_of(mma->d, mma->m * mma->n));
    harness_init(&harness, source, 32, wm_lane_best_isa(), false);
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
            int value = c[c_row(lane, i)][c_column(lane, i)] = draw(&random, mma->d);
            put(lanes[lane][2], mma->d, i, encode(mma->d, value));
        }
    }
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(lanes));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < c_count; i++) {
            unsigned row = c_row(lane, i), column = c_column(lane, i);
            int sum = c[row][column];
            for (unsigned k = 0; k < mma->k; k++) {
                int x = a[row][k], y = b[k][column];
                sum += mma->a->bits > 1                     ? x * y
                       : strstr(mma->suffix, "and") != NULL ? (x & y)
                                                            : (x ^ y);
            }
            cr_assert_eq(get(lanes[lane][2], mma->d, i), encode(mma->d, sum),
                         "%s lane %u element %u: %llx, expected %d", instruction, lane, i,
                         (unsigned long long)get(lanes[lane][2], mma->d, i), sum);
        }
    free(source);
    harness_release(&harness);
}

Test(matrices, mma)
{
    static const struct mma forms[] = {
        {16, 8, 8, &f32, &f16, &f16, ""},
        {16, 8, 16, &f32, &f16, &f16, ""},
        {16, 8, 8, &f16, &f16, &f16, ""},
        {16, 8, 16, &f16, &f16, &f16, ""},
        {16, 8, 8, &f32, &bf16, &bf16, ""},
        {16, 8, 16, &f32, &bf16, &bf16, ""},
        {16, 8, 4, &f32, &tf32, &tf32, ""},
        {16, 8, 8, &f32, &tf32, &tf32, ""},
        {16, 8, 32, &f32, &e4m3, &e5m2, ""},
        {16, 8, 32, &f32, &e5m2, &e5m2, ""},
        {8, 8, 4, &f64, &f64, &f64, ""},
        {16, 8, 4, &f64, &f64, &f64, ""},
        {16, 8, 8, &f64, &f64, &f64, ""},
        {16, 8, 16, &f64, &f64, &f64, ""},
        {8, 8, 16, &s32, &u8, &s8, ""},
        {16, 8, 16, &s32, &s8, &u8, ""},
        {16, 8, 32, &s32, &s8, &s8, ""},
        {8, 8, 32, &s32, &s4, &u4, ""},
        {16, 8, 32, &s32, &u4, &s4, ""},
        {16, 8, 64, &s32, &s4, &s4, ""},
        {8, 8, 128, &s32, &b1, &b1, ".xor.popc"},
        {16, 8, 128, &s32, &b1, &b1, ".and.popc"},
        {16, 8, 256, &s32, &b1, &b1, ".xor.popc"},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        check_mma(&forms[i]);
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
    harness_init(&harness, source, 32, wm_lane_best_isa(), false);
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

// --- wmma ---

struct wmma {
    unsigned m, n, k;
    const struct element_type *source, *result;
    unsigned a_count, b_count, c_count; // registers of a fragment (PTX ISA 9.7.14.4.1)
    const char *operation;              // ".xor.popc"
};

static void put_element(char *matrix, const struct element_type *type, unsigned at, uint64_t bits)
{
    if (type->bits < 8)
        matrix[at * type->bits / 8] |= (char)(bits << at * type->bits % 8);
    else
        memcpy(matrix + (size_t)at * (type->bits / 8), &bits, type->bits / 8);
}

static char *wmma_source(const struct wmma *w, bool a_row_major, bool b_row_major, bool c_row_major,
                         const unsigned strides[3], const char *space)
{
    struct wm_text text;
    char shape[32], mma_types[64];
    bool wide = w->source->bits == 64;
    const char *rows[] = {"col", "row"};
    bool shared = space[0] != 0;
    snprintf(shape, sizeof(shape), "m%un%uk%u", w->m, w->n, w->k);
    if (strcmp(w->source->name, "f16") == 0)
        snprintf(mma_types, sizeof(mma_types), "%s.%s", w->result->name, w->result->name);
    else
        snprintf(mma_types, sizeof(mma_types), "%s.%s.%s.%s", w->result->name, w->source->name,
                 w->source->name, w->result->name);
    wm_text_init(&text);
    wm_text_add(&text, ".shared .align 32 .b8 s[12288];\n"
                       ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {\n"
                       ".reg .b64 %x, %y, %z, %w, %v, %t; .reg .b32 %i, %j, %s; .reg .pred %p;\n");
    wm_text_format(&text, ".reg .b%u %%a<8>, %%b<8>, %%c<8>;\n", wide ? 64 : 32);
    wm_text_add(&text, "ld.param.u64 %x, [a]; ld.param.u64 %y, [b]; ld.param.u64 %z, [c];\n");
    if (shared) // 4 KiB each into shared memory, and C back at the end
        wm_text_add(&text, "mov.u32 %i, 0; mov.u64 %t, s;\n"
                           "L: cvt.u64.u32 %w, %i; add.u64 %v, %x, %w; add.u64 %w, %t, %w;\n"
                           "ld.global.u32 %j, [%v]; st.shared.u32 [%w], %j;\n"
                           "add.u32 %i, %i, 4; setp.lt.u32 %p, %i, 12288; @%p bra L;\n"
                           "mov.u64 %x, s; add.u64 %y, %x, 4096; add.u64 %w, %x, 8192;\n");
    else
        wm_text_add(&text, "mov.u64 %w, %z;\n");
    wm_text_format(&text, "mov.u32 %%s, %u;\nwmma.load.a.sync.aligned.%s.%s%s.%s ", strides[0],
                   rows[a_row_major], shape, space, w->source->name);
    name_registers(&text, "a", w->a_count);
    wm_text_format(&text, ", [%%x], %%s;\nwmma.load.b.sync.aligned.%s.%s%s.%s ", rows[b_row_major],
                   shape, space, w->source->name);
    name_registers(&text, "b", w->b_count);
    wm_text_format(&text, ", [%%y], %u;\nwmma.load.c.sync.aligned.%s.%s%s.%s ", strides[1],
                   rows[c_row_major], shape, space, w->result->name);
    name_registers(&text, "c", w->c_count);
    wm_text_format(&text, ", [%%w], %u;\nwmma.mma%s.sync.aligned.%s.%s.%s.%s ", strides[2],
                   w->operation, rows[a_row_major], rows[b_row_major], shape, mma_types);
    name_registers(&text, "c", w->c_count);
    wm_text_add(&text, ", ");
    name_registers(&text, "a", w->a_count);
    wm_text_add(&text, ", ");
    name_registers(&text, "b", w->b_count);
    wm_text_add(&text, ", ");
    name_registers(&text, "c", w->c_count);
    wm_text_format(&text, ";\nwmma.store.d.sync.aligned.%s.%s%s.%s [%%w], ", rows[c_row_major],
                   shape, space, w->result->name);
    name_registers(&text, "c", w->c_count);
    wm_text_format(&text, ", %u;\n", strides[2]);
    if (shared)
        wm_text_add(&text, "mov.u32 %i, 0;\n"
                           "M: cvt.u64.u32 %v, %i; add.u64 %x, %z, %v; add.u64 %y, %w, %v;\n"
                           "ld.shared.u32 %j, [%y]; st.global.u32 [%x], %j;\n"
                           "add.u32 %i, %i, 4; setp.lt.u32 %p, %i, 4096; @%p bra M;\n");
    wm_text_add(&text, "ret; }\n");
    return wm_text_take(&text);
}

static void check_wmma(const struct wmma *w, bool a_row_major, bool b_row_major, bool c_row_major,
                       const char *space)
{
    static int a[32][128], b[128][32], c[32][32];
    struct harness harness;
    struct wm_random random;
    wm_random_init(&random, w->m * w->k, w->source->name);
    // Leading dimensions beyond the matrix, in whole 16 bytes (or bits as many).
    unsigned gap = 128 / w->source->bits, c_gap = 128 / w->result->bits;
    const unsigned strides[3] = {(a_row_major ? w->k : w->m) + gap,
                                 (b_row_major ? w->n : w->k) + gap,
                                 (c_row_major ? w->n : w->m) + c_gap};
    char *source = wmma_source(w, a_row_major, b_row_major, c_row_major, strides, space);
    harness_init(&harness, source, 32, wm_lane_best_isa(), false);
    char *memory = harness_allocate(&harness, 12288);
    for (unsigned i = 0; i < w->m; i++)
        for (unsigned k = 0; k < w->k; k++)
            put_element(memory, w->source, a_row_major ? i * strides[0] + k : k * strides[0] + i,
                        encode(w->source, a[i][k] = draw(&random, w->source)));
    for (unsigned k = 0; k < w->k; k++)
        for (unsigned j = 0; j < w->n; j++)
            put_element(memory + 4096, w->source,
                        b_row_major ? k * strides[1] + j : j * strides[1] + k,
                        encode(w->source, b[k][j] = draw(&random, w->source)));
    for (unsigned i = 0; i < w->m; i++)
        for (unsigned j = 0; j < w->n; j++)
            put_element(memory + 8192, w->result,
                        c_row_major ? i * strides[2] + j : j * strides[2] + i,
                        encode(w->result, c[i][j] = draw(&random, w->result)));
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(memory), ADDRESS(memory + 4096),
                ADDRESS(memory + 8192));
    for (unsigned i = 0; i < w->m; i++)
        for (unsigned j = 0; j < w->n; j++) {
            int sum = c[i][j];
            for (unsigned k = 0; k < w->k; k++)
                sum += w->source->bits > 1                   ? a[i][k] * b[k][j]
                       : strstr(w->operation, "and") != NULL ? (a[i][k] & b[k][j])
                                                             : (a[i][k] ^ b[k][j]);
            unsigned at = c_row_major ? i * strides[2] + j : j * strides[2] + i;
            uint64_t got = 0;
            memcpy(&got, memory + 8192 + (size_t)at * (w->result->bits / 8), w->result->bits / 8);
            cr_assert_eq(got, encode(w->result, sum), "%s: row %u column %u: %llx, expected %d",
                         source, i, j, (unsigned long long)got, sum);
        }
    free(source);
    harness_release(&harness);
}

Test(matrices, wmma)
{
    static const struct wmma forms[] = {
        {16, 16, 16, &f16, &f32, 8, 8, 8, ""},  {8, 32, 16, &f16, &f32, 8, 8, 8, ""},
        {32, 8, 16, &f16, &f32, 8, 8, 8, ""},   {16, 16, 16, &f16, &f16, 8, 8, 4, ""},
        {32, 8, 16, &f16, &f16, 8, 8, 4, ""},   {8, 32, 16, &f16, &f16, 8, 8, 4, ""},
        {16, 16, 16, &bf16, &f32, 4, 4, 8, ""}, {8, 32, 16, &bf16, &f32, 2, 8, 8, ""},
        {32, 8, 16, &bf16, &f32, 8, 2, 8, ""},  {16, 16, 8, &tf32, &f32, 4, 4, 8, ""},
        {16, 16, 16, &s8, &s32, 2, 2, 8, ""},   {8, 32, 16, &u8, &s32, 1, 4, 8, ""},
        {32, 8, 16, &s8, &s32, 4, 1, 8, ""},    {8, 8, 4, &f64, &f64, 1, 1, 2, ""},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        for (int layouts = 0; layouts < 8; layouts++) {
            check_wmma(&forms[i], layouts & 1, layouts & 2, layouts & 4, "");
            check_wmma(&forms[i], layouts & 1, layouts & 2, layouts & 4, ".shared");
        }
    static const struct wmma small[] = {
        {8, 8, 32, &s4, &s32, 1, 1, 2, ""},
        {8, 8, 32, &u4, &s32, 1, 1, 2, ""},
        {8, 8, 128, &b1, &s32, 1, 1, 2, ".xor.popc"},
        {8, 8, 128, &b1, &s32, 1, 1, 2, ".and.popc"},
    };
    for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
        for (int layouts = 0; layouts < 2; layouts++)
            check_wmma(&small[i], true, false, layouts, "");
}

// Infinity, NaN, overflow of f16, and sums in ascending k: 2^24 + 1 - 2^24 is 0 in f32.
Test(matrices, sums_are_taken_in_order)
{
    static const struct mma mma = {16, 8, 8, &f32, &tf32, &tf32, ""};
    struct harness harness;
    char *source = mma_source(&mma, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4);
    harness_init(&harness, source, 32, wm_lane_best_isa(), false);
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
    harness_init(&harness, text.data, 32, wm_lane_best_isa(), false);
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

#define READ_BACK " ld.shared.v4.u32 {%m0, %m1, %m2, %m3}, [%a];"

Test(matrices, rows_of_shared_memory)
{
    check_rows("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%m0}, [%a];", 1, false, false);
    check_rows("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%m0, %m1}, [%b];", 2, false, false);
    check_rows("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%m0, %m1, %m2, %m3}, [%b];", 4, false,
               false);
    check_rows("cvta.shared.u64 %a, %a; ldmatrix.sync.aligned.m8n8.x4.trans.b16 "
               "{%m0, %m1, %m2, %m3}, [%a];",
               4, true, false);
    check_rows("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%a], {%r0, %r1, %r2, %r3};" READ_BACK, 4,
               false, true);
    check_rows("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%a], {%r0, %r1};" READ_BACK, 2,
               true, true);
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
                 32, wm_lane_best_isa(), false);
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
                 32, wm_lane_best_isa(), false);
    harness_launch(&harness, "k", 1, LANES, NULL, 0);
    cr_assert_eq(harness.finding.kind, WM_FINDING_SHARED_OUT_OF_BOUNDS);
    cr_assert_eq(harness.finding.thread[0], 4);
    harness_release(&harness);
}
