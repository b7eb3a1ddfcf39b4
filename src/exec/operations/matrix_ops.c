// Multiplication of matrices and their way through shared memory: see matrix_ops.h.
#include "exec/operations/matrix_ops.h"

#include "exec/lanes/lane_values.h"
#include "exec/operations/narrow_floats.h"
#include "exec/sync/reconvergence.h"
#include "exec/sync/warp_sync.h"

#include <fenv.h>

enum { LANES = 32, MOST_ELEMENTS = 512, MOST_RESULTS = 256 };

unsigned wm_matrix_elements(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_f16:
    case WM_PTX_bf16: return 2;
    case WM_PTX_u8:
    case WM_PTX_s8:
    case WM_PTX_e4m3:
    case WM_PTX_e5m2: return 4;
    case WM_PTX_u4:
    case WM_PTX_s4: return 8;
    default: return 1;
    }
}

// --- fragments ---

struct wm_matrix_position wm_matrix_source_position(unsigned lane, unsigned r, unsigned i,
                                                    unsigned elements, unsigned blocks)
{
    return (struct wm_matrix_position){lane / 4 + 8 * (r % blocks),
                                       (r / blocks) * 4 * elements + lane % 4 * elements + i};
}

struct wm_matrix_position wm_matrix_result_position(unsigned lane, unsigned i, unsigned blocks)
{
    return (struct wm_matrix_position){lane / 4 + 8 * (i / 2 % blocks),
                                       8 * (i / 2 / blocks) + lane % 4 * 2 + i % 2};
}

// mma.m8n8k4 of f16: lanes 4q … 4q + 3 and 16 above them hold matrix q.
static struct wm_matrix_position quad_source_position(unsigned lane, unsigned i, bool along)
{
    unsigned own = lane % 4, half = lane < 16 ? 0 : 4;
    return along ? (struct wm_matrix_position){own + half, i}
                 : (struct wm_matrix_position){i + half, own};
}

static struct wm_matrix_position quad_result_position(unsigned lane, unsigned i, bool wide)
{
    unsigned half = lane < 16 ? 0 : 4;
    if (!wide)
        return (struct wm_matrix_position){lane % 4 + half, i};
    return (struct wm_matrix_position){(lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
}

// Lanes that do not exist, or have exited, bring zeros.
static uint64_t register_bits(const struct wm_warp *warp, const struct wm_fragment *fragment,
                              unsigned r, unsigned lane)
{
    const void *values = wm_at(warp, fragment->places[r]);
    if (!(warp->mask >> lane & 1))
        return 0;
    return fragment->type == WM_PTX_f64 ? ((const uint64_t *)values)[lane]
                                        : ((const uint32_t *)values)[lane];
}

static float float_element(wm_ptx_type type, uint32_t bits, unsigned i)
{
    switch ((int)type) {
    case WM_PTX_f16: return float_of_half(bits >> 16 * i & 0xFFFF);
    case WM_PTX_bf16: return float_of((bits >> 16 * i) << 16);
    case WM_PTX_tf32: return float_of(bits & 0xFFFFE000);
    case WM_PTX_f32: return float_of(bits);
    default: return (float)wm_float_decode(wm_float_format(type), bits >> 8 * i & 0xFF);
    }
}

static int32_t integer_element(wm_ptx_type type, uint32_t bits, unsigned i)
{
    switch ((int)type) {
    case WM_PTX_s8: return (int8_t)(bits >> 8 * i);
    case WM_PTX_u8: return (uint8_t)(bits >> 8 * i);
    case WM_PTX_s4: return (int32_t)(bits << (28 - 4 * i)) >> 28;
    case WM_PTX_u4: return (int32_t)(bits >> 4 * i & 15);
    default: return (int32_t)bits;
    }
}

// One kind of value: how many a register holds, and an element of it.
#define DEFINE_GATHER(name, value, element)                                                        \
    static void gather_##name(const struct wm_warp *warp, const struct wm_fragment *fragment,      \
                              unsigned blocks, unsigned row_step, unsigned column_step, value *to) \
    {                                                                                              \
        unsigned elements = wm_matrix_elements(fragment->type);                                    \
        for (unsigned lane = 0; lane < LANES; lane++)                                              \
            for (unsigned r = 0; r < fragment->count; r++) {                                       \
                uint64_t bits = register_bits(warp, fragment, r, lane);                            \
                for (unsigned i = 0; i < elements; i++) {                                          \
                    struct wm_matrix_position at =                                                 \
                        wm_matrix_source_position(lane, r, i, elements, blocks);                   \
                    to[at.row * row_step + at.column * column_step] = (element);                   \
                }                                                                                  \
            }                                                                                      \
    }

DEFINE_GATHER(floats, float, float_element(fragment->type, (uint32_t)bits, i))
DEFINE_GATHER(doubles, double, wm_float_of_bits(bits))
DEFINE_GATHER(integers, int32_t, integer_element(fragment->type, (uint32_t)bits, i))

static unsigned result_count(const struct wm_fragment *fragment)
{
    return fragment->count * wm_matrix_elements(fragment->type);
}

static uint64_t result_bits(const struct wm_warp *warp, const struct wm_fragment *c, unsigned i,
                            unsigned lane)
{
    unsigned elements = wm_matrix_elements(c->type);
    return register_bits(warp, c, i / elements, lane) >> (i % elements * 16);
}

static void write_bits(const struct wm_warp *warp, const struct wm_fragment *d, unsigned i,
                       unsigned lane, uint64_t bits)
{
    if (!(warp->mask >> lane & 1))
        return;
    if (d->type == WM_PTX_f64) {
        ((uint64_t *)wm_at(warp, d->places[i]))[lane] = bits;
    } else if (d->type == WM_PTX_f16) {
        uint32_t *word = (uint32_t *)wm_at(warp, d->places[i / 2]) + lane;
        *word =
            i % 2 ? (*word & 0xFFFF) | (uint32_t)bits << 16 : (*word & 0xFFFF0000) | (uint32_t)bits;
    } else {
        ((uint32_t *)wm_at(warp, d->places[i]))[lane] = (uint32_t)bits;
    }
}

static uint32_t float_result(const struct wm_matrix_form *form, float value)
{
    if (form->satfinite) // PTX ISA 9.7.14.5.8: NaN becomes 0, the ends are the finite ones
        value = value == value ? value : 0;
    if (form->d.type == WM_PTX_f16) {
        uint32_t bits = half_of_float(value);
        return form->satfinite && (bits & 0x7FFF) == 0x7C00 ? bits - 1 : bits;
    }
    uint32_t bits = canonical_f32(value);
    return form->satfinite && (bits & 0x7FFFFFFF) == 0x7F800000 ? bits - 1 : bits;
}

// --- products ---

// Products are exact in float (but for an exponent out of range), and added to C one after another,
// k ascending, each sum rounded to nearest: see docs/interpreter.md.
static void multiply_floats(unsigned m, unsigned n, unsigned k, const float *a, const float *b,
                            float *c)
{
    for (unsigned row = 0; row < m; row++)
        for (unsigned i = 0; i < k; i++)
            for (unsigned column = 0; column < n; column++)
                c[row * n + column] += a[row * k + i] * b[i * n + column];
}

static void multiply_in_float(const struct wm_warp *warp, const struct wm_matrix_form *form)
{
    float a[MOST_ELEMENTS], b[MOST_ELEMENTS], c[MOST_RESULTS];
    unsigned blocks = form->m / 8, count = result_count(&form->c);
    gather_floats(warp, &form->a, blocks, form->k, 1, a);
    gather_floats(warp, &form->b, form->n / 8, 1, form->n, b);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < count; i++) {
            struct wm_matrix_position at = wm_matrix_result_position(lane, i, blocks);
            c[at.row * form->n + at.column] =
                float_element(form->c.type, (uint32_t)result_bits(warp, &form->c, i, lane), 0);
        }
    multiply_floats(form->m, form->n, form->k, a, b, c);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < count; i++) {
            struct wm_matrix_position at = wm_matrix_result_position(lane, i, blocks);
            write_bits(warp, &form->d, i, lane,
                       float_result(form, c[at.row * form->n + at.column]));
        }
}

static void multiply_quad(const struct wm_warp *warp, const struct wm_matrix_form *form,
                          unsigned quad)
{
    float a[8 * 4], b[4 * 8], c[8 * 8];
    for (unsigned j = 0; j < 8; j++) {
        unsigned lane = 4 * quad + j % 4 + (j < 4 ? 0 : 16);
        for (unsigned i = 0; i < 4; i++) {
            struct wm_matrix_position at = quad_source_position(lane, i, !form->a_column);
            uint32_t bits = (uint32_t)register_bits(warp, &form->a, i / 2, lane);
            a[at.row * 4 + at.column] = float_of_half(bits >> i % 2 * 16 & 0xFFFF);
            at = quad_source_position(lane, i, !form->b_row);
            bits = (uint32_t)register_bits(warp, &form->b, i / 2, lane);
            b[at.column * 8 + at.row] = float_of_half(bits >> i % 2 * 16 & 0xFFFF);
        }
        for (unsigned i = 0; i < 8; i++) {
            struct wm_matrix_position at =
                quad_result_position(lane, i, form->c.type == WM_PTX_f32);
            c[at.row * 8 + at.column] =
                float_element(form->c.type, (uint32_t)result_bits(warp, &form->c, i, lane), 0);
        }
    }
    multiply_floats(8, 8, 4, a, b, c);
    for (unsigned j = 0; j < 8; j++) {
        unsigned lane = 4 * quad + j % 4 + (j < 4 ? 0 : 16);
        for (unsigned i = 0; i < 8; i++) {
            struct wm_matrix_position at =
                quad_result_position(lane, i, form->d.type == WM_PTX_f32);
            write_bits(warp, &form->d, i, lane, float_result(form, c[at.row * 8 + at.column]));
        }
    }
}

static int rounding_mode(enum wm_ptx_modifier rounding)
{
    switch ((int)rounding) {
    case WM_PTX_rz: return FE_TOWARDZERO;
    case WM_PTX_rm: return FE_DOWNWARD;
    case WM_PTX_rp: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

// Fused multiply-adds, k ascending.
static void multiply_in_double(const struct wm_warp *warp, const struct wm_matrix_form *form)
{
    double a[16 * 16], b[16 * 8];
    unsigned blocks = form->m / 8;
    gather_doubles(warp, &form->a, blocks, form->k, 1, a);
    gather_doubles(warp, &form->b, form->n / 8, 1, form->n, b);
    int mode = fegetround();
    fesetround(rounding_mode(form->rounding));
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < form->c.count; i++) {
            struct wm_matrix_position at = wm_matrix_result_position(lane, i, blocks);
            double sum = wm_float_of_bits(register_bits(warp, &form->c, i, lane));
            for (unsigned k = 0; k < form->k; k++)
                sum = fma(a[at.row * form->k + k], b[k * form->n + at.column], sum);
            write_bits(warp, &form->d, i, lane, canonical_f64(sum));
        }
    fesetround(mode);
}

static int64_t dot_product(const struct wm_matrix_form *form, const int32_t *a, const int32_t *b,
                           unsigned k, struct wm_matrix_position at)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < k; i++) {
        int32_t x = a[at.row * k + i], y = b[i * form->n + at.column];
        if (form->a.type != WM_PTX_b1)
            sum += x * y;
        else
            sum += __builtin_popcount((uint32_t)(form->both ? x & y : x ^ y));
    }
    return sum;
}

static void multiply_in_integers(const struct wm_warp *warp, const struct wm_matrix_form *form)
{
    int32_t a[16 * 64], b[64 * 32];
    unsigned k = form->a.type == WM_PTX_b1 ? form->k / 32 : form->k, blocks = form->m / 8;
    gather_integers(warp, &form->a, blocks, k, 1, a);
    gather_integers(warp, &form->b, form->n / 8, 1, form->n, b);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < form->c.count; i++) {
            struct wm_matrix_position at = wm_matrix_result_position(lane, i, blocks);
            int64_t sum =
                (int32_t)register_bits(warp, &form->c, i, lane) + dot_product(form, a, b, k, at);
            if (form->satfinite)
                sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
            write_bits(warp, &form->d, i, lane, (uint32_t)sum);
        }
}

static void multiply(const struct wm_warp *warp, const struct wm_matrix_form *form)
{
    if (form->quads)
        for (unsigned quad = 0; quad < 4; quad++)
            multiply_quad(warp, form, quad);
    else if (form->d.type == WM_PTX_f64)
        multiply_in_double(warp, form);
    else if (form->d.type == WM_PTX_s32)
        multiply_in_integers(warp, form);
    else
        multiply_in_float(warp, form);
}

bool wm_matrix_execute(struct wm_warp *warp, const struct wm_op *op, bool *stop)
{
    const struct wm_matrix_form *form = (const struct wm_matrix_form *)(const void *)op->memory;
    if (form->tile)
        return wm_matrix_move_tile(warp, op, form, stop);
    if (form->memory.bytes)
        return wm_matrix_move_rows(warp, op, form);
    if (form->m)
        multiply(warp, form);
    else
        wm_matrix_transpose(warp, form);
    return true;
}

const struct wm_op *wm_run_matrix(struct wm_warp *warp, const struct wm_op *op)
{
    bool stop = false;
    if (warp->mask == warp->live) {
        if (!wm_matrix_execute(warp, op, &stop))
            return NULL;
        if (!stop)
            return op + 1;
        warp->next = op + 1;
        return NULL;
    }
    wm_paths_block(warp, WM_PATH_AT_WARP_SYNC, op)->members = warp->live;
    wm_warp_sync_check(warp);
    const struct wm_op *next = wm_paths_next(warp);
    if (!next || !warp->stop_at_memory)
        return next;
    warp->next = next; // the access may have been made for all
    return NULL;
}
