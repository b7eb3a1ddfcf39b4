// Dot products, sums of pairs of 16 bits, and approximations of pairs and without subnormals: each
// against its parts, whose kernels lanes/ holds to references (PTX ISA 9.7.1, 9.7.3, 9.7.4).
#include "float_values.h"
#include "form_state.h"
#include "lanes/lanes_check.h"

static bool is_dot(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_dp2a || instruction->opcode == WM_PTX_OP_dp4a;
}

static int64_t part(uint64_t word, unsigned first, unsigned bits, bool is_signed)
{
    int64_t value = (int64_t)(word >> first & ((UINT64_C(1) << bits) - 1));
    return is_signed && value >> (bits - 1) ? value - (INT64_C(1) << bits) : value;
}

// Bytes of b with bytes of a, or with its halves: .lo takes b's lower two, .hi the upper ones.
static void dot(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    const struct wm_ptx_operand *operands = instruction->operands;
    uint64_t a = form_source(thread, &operands[1]), b = form_source(thread, &operands[2]);
    uint64_t sum = form_source(thread, &operands[3]);
    unsigned count = instruction->opcode == WM_PTX_OP_dp4a ? 4 : 2;
    unsigned first = wm_ptx_has(instruction, WM_PTX_hi) ? 16 : 0;
    for (unsigned i = 0; i < count; i++)
        sum += (uint64_t)(part(a, i * (32 / count), 32 / count,
                               wm_ptx_type_is_signed(instruction->type)) *
                          part(b, first + 8 * i, 8, wm_ptx_type_is_signed(instruction->type2)));
    form_write(thread, &operands[0], (uint32_t)sum);
}

Test(form_arithmetic, dot_products)
{
    form_check_family(&(struct form_family){is_dot, NULL, dot}, 12);
}

static bool is_sum_of_pairs(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_add &&
           (instruction->type == WM_PTX_u16x2 || instruction->type == WM_PTX_s16x2);
}

static void add_pairs(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    uint64_t a = form_source(thread, &instruction->operands[1]);
    uint64_t b = form_source(thread, &instruction->operands[2]);
    form_write(thread, &instruction->operands[0],
               ((a + b) & 0xFFFF) | ((a >> 16) + (b >> 16)) << 16);
}

Test(form_arithmetic, sums_of_pairs)
{
    form_check_family(&(struct form_family){is_sum_of_pairs, NULL, add_pairs}, 2);
}

// --- approximations ---

static uint64_t with_kernel(const struct wm_ptx_instruction *instruction, wm_ptx_type type,
                            bool flushes, uint64_t bits)
{
    struct wm_lane_key key = wm_lane_key_of(instruction);
    struct lane_array a = {.narrow = {(uint32_t)bits}}, d = {0};
    key.type = type;
    key.ftz = flushes;
    wm_lane_find(WM_HOST_C, &key)(&d, &a, NULL, NULL, 1);
    return d.narrow[0];
}

static bool is_approximate(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_approx) && instruction->operand_count == 2;
}

static bool is_pair(const struct wm_ptx_instruction *instruction)
{
    return is_approximate(instruction) && element_type(instruction->type) != instruction->type;
}

static void each_half(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    wm_ptx_type type = element_type(instruction->type);
    bool flushes = wm_ptx_has(instruction, WM_PTX_ftz);
    uint64_t a = form_source(thread, &instruction->operands[1]);
    form_write(thread, &instruction->operands[0],
               with_kernel(instruction, type, flushes, a & 0xFFFF) |
                   with_kernel(instruction, type, flushes, a >> 16) << 16);
}

Test(form_arithmetic, approximations_of_pairs)
{
    form_check_family(&(struct form_family){is_pair, NULL, each_half}, 4);
}

static bool is_flushing(const struct wm_ptx_instruction *instruction)
{
    return is_approximate(instruction) && instruction->type == WM_PTX_f32 &&
           wm_ptx_has(instruction, WM_PTX_ftz);
}

static uint64_t flushed(uint64_t bits)
{
    return is_subnormal(WM_PTX_f32, bits) ? bits & 0x80000000 : bits;
}

static void flush(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    uint64_t a = flushed(form_source(thread, &instruction->operands[1]));
    form_write(thread, &instruction->operands[0],
               flushed(with_kernel(instruction, WM_PTX_f32, false, a)));
}

Test(form_arithmetic, approximations_without_subnormals)
{
    form_check_family(&(struct form_family){is_flushing, NULL, flush}, 7);
}
