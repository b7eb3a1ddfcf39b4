// wmma against plain loops over matrices in memory, in every space and layout.
#include "matrix_elements.h"

struct wmma {
    unsigned m, n, k;
    const struct element_type *source, *result;
    unsigned a_count, b_count, c_count; // registers of a fragment (PTX ISA 9.7.14.4.1)
    const char *operation;              // ".xor.popc"
    const char *option;                 // ".satfinite": C is at the ends; or a rounding
    const struct element_type *added;   // of C where it is not D's
};

static const struct element_type *added_type(const struct wmma *w)
{
    return w->added ? w->added : w->result;
}

// Where C is of another type than D, they are of f16 and f32.
static unsigned added_count(const struct wmma *w)
{
    return !w->added ? w->c_count : w->added->bits == 16 ? 4 : 8;
}

static bool is_rounding(const struct wmma *w)
{
    return w->option && w->source->bits == 64;
}

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
    bool shared = strstr(space, "shared") != NULL;
    snprintf(shape, sizeof(shape), "m%un%uk%u", w->m, w->n, w->k);
    if (strcmp(w->source->name, "f16") == 0)
        snprintf(mma_types, sizeof(mma_types), "%s.%s", w->result->name, added_type(w)->name);
    else
        snprintf(mma_types, sizeof(mma_types), "%s.%s.%s.%s%s", w->result->name, w->source->name,
                 w->source->name, w->result->name, w->option && !is_rounding(w) ? w->option : "");
    wm_text_init(&text);
    wm_text_add(&text, ".shared .align 32 .b8 s[12288];\n"
                       ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {\n"
                       ".reg .b64 %x, %y, %z, %w, %v, %t; .reg .b32 %i, %j, %s; .reg .pred %p;\n");
    wm_text_format(&text, ".reg .b%u %%a<8>, %%b<8>, %%c<8>, %%d<8>;\n", wide ? 64 : 32);
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
                   rows[c_row_major], shape, space, added_type(w)->name);
    name_registers(&text, "c", added_count(w));
    wm_text_format(&text, ", [%%w], %u;\nwmma.mma%s.sync.aligned.%s.%s.%s%s.%s ", strides[2],
                   w->operation, rows[a_row_major], rows[b_row_major], shape,
                   is_rounding(w) ? w->option : "", mma_types);
    name_registers(&text, "d", w->c_count);
    wm_text_add(&text, ", ");
    name_registers(&text, "a", w->a_count);
    wm_text_add(&text, ", ");
    name_registers(&text, "b", w->b_count);
    wm_text_add(&text, ", ");
    name_registers(&text, "c", added_count(w));
    wm_text_format(&text, ";\nwmma.store.d.sync.aligned.%s.%s%s.%s [%%w], ", rows[c_row_major],
                   shape, space, w->result->name);
    name_registers(&text, "d", w->c_count);
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
    unsigned gap = 128 / w->source->bits, c_gap = 128 / (w->added ? 16 : w->result->bits);
    const unsigned strides[3] = {(a_row_major ? w->k : w->m) + gap,
                                 (b_row_major ? w->n : w->k) + gap,
                                 (c_row_major ? w->n : w->m) + c_gap};
    char *source = wmma_source(w, a_row_major, b_row_major, c_row_major, strides, space);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
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
            put_element(memory + 8192, added_type(w),
                        c_row_major ? i * strides[2] + j : j * strides[2] + i,
                        encode(added_type(w), c[i][j] = w->option ? draw_end(&random)
                                                                  : draw(&random, added_type(w))));
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(memory), ADDRESS(memory + 4096),
                ADDRESS(memory + 8192));
    for (unsigned i = 0; i < w->m; i++)
        for (unsigned j = 0; j < w->n; j++) {
            int64_t sum = c[i][j];
            for (unsigned k = 0; k < w->k; k++)
                sum += w->source->bits > 1                   ? a[i][k] * b[k][j]
                       : strstr(w->operation, "and") != NULL ? (a[i][k] & b[k][j])
                                                             : (a[i][k] ^ b[k][j]);
            unsigned at = c_row_major ? i * strides[2] + j : j * strides[2] + i;
            uint64_t got = 0;
            memcpy(&got, memory + 8192 + (size_t)at * (w->result->bits / 8), w->result->bits / 8);
            if (w->option)
                sum = clamped(sum);
            cr_assert_eq(got, encode(w->result, (int)sum),
                         "%s: row %u column %u: %llx, expected %d", source, i, j,
                         (unsigned long long)got, (int)sum);
        }
    free(source);
    harness_release(&harness);
}

Test(wmma, in_every_space_and_layout)
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
    static const char *const spaces[] = {"", ".global", ".shared", ".shared::cta"};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        for (int layouts = 0; layouts < 8; layouts++)
            for (int space = 0; space < 3 + (forms[i].source == &f16); space++)
                check_wmma(&forms[i], layouts & 1, layouts & 2, layouts & 4, spaces[space]);
}

// The same shapes' other types, and the ends of the integers.
Test(wmma, of_other_types)
{
    static const struct wmma forms[] = {
        {16, 16, 16, &u8, &s32, 2, 2, 8, ""},
        {8, 32, 16, &s8, &s32, 1, 4, 8, ""},
        {32, 8, 16, &u8, &s32, 4, 1, 8, ""},
        {16, 16, 16, &u8, &s32, 2, 2, 8, "", ".satfinite"},
        {16, 16, 16, &s8, &s32, 2, 2, 8, "", ".satfinite"},
        {16, 16, 16, &f16, &f32, 8, 8, 8, "", NULL, &f16},
        {16, 16, 16, &f16, &f16, 8, 8, 4, "", NULL, &f32},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        for (int layouts = 0; layouts < 4; layouts++)
            check_wmma(&forms[i], layouts & 1, layouts & 2, layouts & 1, "");
}

Test(wmma, of_nibbles_and_bits)
{
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

// The lower rows are negative; only the first of a row's products is not 0.
static void check_rounding(const struct rounding *rounding, bool a_row_major, bool b_row_major)
{
    static const unsigned strides[3] = {8, 8, 8};
    const struct wmma w = {8, 8, 4, &f64, &f64, 1, 1, 2, "", rounding->name};
    struct harness harness;
    char *source = wmma_source(&w, a_row_major, b_row_major, true, strides, "");
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    double *memory = harness_allocate(&harness, 12288);
    for (unsigned i = 0; i < 8; i++) {
        memory[a_row_major ? 8 * i : i] = i < 4 ? above_one : -above_one;
        memory[512 + (b_row_major ? i : 8 * i)] = below_one;
        for (unsigned j = 0; j < 8; j++)
            memory[1024 + 8 * i + j] = i < 4 ? 1 : -1;
    }
    HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(memory), ADDRESS(memory + 512),
                ADDRESS(memory + 1024));
    for (unsigned i = 0; i < 64; i++)
        cr_assert_eq(memory[1024 + i], i < 32 ? rounding->positive : rounding->negative,
                     "%s: element %u is %a", rounding->name, i, memory[1024 + i]);
    free(source);
    harness_release(&harness);
}

Test(wmma, rounds)
{
    for (unsigned i = 0; i < 4; i++)
        for (unsigned layouts = 0; layouts < 4; layouts++)
            check_rounding(&roundings[i], layouts & 1, layouts & 2);
}
