// Every listed form of load, store and atomic operation on registers alone ([%d9] and [%r9]): the
// bytes, the types' extension, and atomics in plain host arithmetic.
#include "form_state.h"
#include "forms.h"
#include "lanes/lanes_check.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

static const struct wm_ptx_operand *address_of(const struct wm_ptx_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == WM_PTX_OPERAND_ADDRESS)
            return &instruction->operands[i];
    return NULL;
}

static bool has_register_address(const struct wm_ptx_instruction *instruction)
{
    const struct wm_ptx_operand *address = address_of(instruction);
    return address && address->base_register && instruction->space != WM_PTX_param &&
           instruction->type != WM_PTX_b128;
}

static enum form_space space_of(const struct wm_ptx_instruction *instruction)
{
    switch ((int)instruction->space) {
    case WM_PTX_shared:
    case WM_PTX_shared_cta:
    case WM_PTX_shared_cluster: return FORM_SHARED;
    case WM_PTX_local: return FORM_LOCAL;
    case WM_PTX_const: return FORM_CONST;
    default: return FORM_GLOBAL;
    }
}

static const struct wm_ptx_operand *element(const struct wm_ptx_operand *operand, unsigned i)
{
    return operand->kind == WM_PTX_OPERAND_VECTOR ? &operand->list[i] : operand;
}

static char *place(const struct wm_ptx_instruction *instruction, struct form_state *thread,
                   unsigned i)
{
    return (char *)thread->image + address_of(instruction)->offset +
           (size_t)i * wm_ptx_type_bytes(instruction->type);
}

// --- loads and stores ---

static bool is_load(const struct wm_ptx_instruction *instruction)
{
    return (instruction->opcode == WM_PTX_OP_ld || instruction->opcode == WM_PTX_OP_ldu) &&
           has_register_address(instruction);
}

static void load(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    unsigned bytes = wm_ptx_type_bytes(instruction->type), shift = 64 - 8 * bytes;
    for (unsigned i = 0; i < instruction->vector_length; i++) {
        uint64_t value = 0;
        memcpy(&value, place(instruction, thread, i), bytes);
        if (wm_ptx_type_is_signed(instruction->type))
            value = (uint64_t)((int64_t)(value << shift) >> shift);
        form_write(thread, element(&instruction->operands[0], i), value);
    }
}

// st.async and red.async: test_form_async's.
static bool completes_bytes(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_async);
}

static bool is_store(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_st && has_register_address(instruction) &&
           !completes_bytes(instruction);
}

static void store(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    for (unsigned i = 0; i < instruction->vector_length; i++) {
        uint64_t value = form_source(thread, element(&instruction->operands[1], i));
        memcpy(place(instruction, thread, i), &value, wm_ptx_type_bytes(instruction->type));
    }
}

Test(form_memory, loads)
{
    form_check_family(&(struct form_family){is_load, space_of, load}, 300);
}

Test(form_memory, stores)
{
    form_check_family(&(struct form_family){is_store, space_of, store}, 120);
}

// --- atomics ---

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float bits_float(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof(value));
    return value;
}

static float flushed(float value)
{
    return fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

static double value_of_16(wm_ptx_type type, uint64_t bits)
{
    return type == WM_PTX_f16 ? (double)value_of_half(bits) : (double)bits_float(bits << 16);
}

// The sum of two bf16 in f32 has more than twice their bits and two: rounding twice does no harm.
static uint64_t sum_of_16(wm_ptx_type type, uint64_t a, uint64_t b)
{
    double sum = value_of_16(type, a) + value_of_16(type, b);
    if (isnan(sum))
        return 0x7FFF;
    if (type == WM_PTX_f16)
        return half_of_value(sum, FE_TONEAREST);
    uint32_t bits = float_bits(bits_float(a << 16) + bits_float(b << 16));
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

static uint64_t combine_16(const struct wm_ptx_instruction *instruction, wm_ptx_type type,
                           uint64_t old, uint64_t b)
{
    double x = value_of_16(type, old), y = value_of_16(type, b);
    if (wm_ptx_has(instruction, WM_PTX_add))
        return sum_of_16(type, old, b);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? 0x7FFF : isnan(x) ? b : old;
    bool less = y < x || (x == y && (b & 0x8000) > (old & 0x8000));
    return less == wm_ptx_has(instruction, WM_PTX_min) ? b : old;
}

static uint64_t add(const struct wm_ptx_instruction *instruction, uint64_t old, uint64_t b)
{
    bool flush = space_of(instruction) == FORM_GLOBAL; // PTX ISA 9.7.13.5
    if (instruction->type == WM_PTX_f32) {
        float x = bits_float(old), y = bits_float(b);
        float sum = flush ? flushed(flushed(x) + flushed(y)) : x + y;
        return isnan(sum) ? 0x7FFFFFFF : float_bits(sum);
    }
    if (instruction->type == WM_PTX_f64) {
        double x, y;
        memcpy(&x, &old, 8);
        memcpy(&y, &b, 8);
        x += y;
        memcpy(&old, &x, 8);
        return isnan(x) ? UINT64_C(0x7FF8000000000000) : old;
    }
    return old + b;
}

static bool is_less(wm_ptx_type type, uint64_t a, uint64_t b)
{
    return type == WM_PTX_s32   ? (int32_t)a < (int32_t)b
           : type == WM_PTX_s64 ? (int64_t)a < (int64_t)b
                                : a < b;
}

static uint64_t combine(const struct wm_ptx_instruction *instruction, uint64_t old, uint64_t b,
                        uint64_t c)
{
    wm_ptx_type type = instruction->type;
    if (type == WM_PTX_f16x2 || type == WM_PTX_bf16x2) {
        wm_ptx_type half = type == WM_PTX_f16x2 ? WM_PTX_f16 : WM_PTX_bf16;
        return combine_16(instruction, half, old & 0xFFFF, b & 0xFFFF) |
               combine_16(instruction, half, old >> 16, b >> 16) << 16;
    }
    if (type == WM_PTX_f16 || type == WM_PTX_bf16)
        return combine_16(instruction, type, old, b);
    if (wm_ptx_has(instruction, WM_PTX_add))
        return add(instruction, old, b);
    if (wm_ptx_has(instruction, WM_PTX_inc))
        return old >= b ? 0 : old + 1;
    if (wm_ptx_has(instruction, WM_PTX_dec))
        return old == 0 || old > b ? b : old - 1;
    if (wm_ptx_has(instruction, WM_PTX_min))
        return is_less(type, b, old) ? b : old;
    if (wm_ptx_has(instruction, WM_PTX_max))
        return is_less(type, old, b) ? b : old;
    if (wm_ptx_has(instruction, WM_PTX_and))
        return old & b;
    if (wm_ptx_has(instruction, WM_PTX_or))
        return old | b;
    if (wm_ptx_has(instruction, WM_PTX_xor))
        return old ^ b;
    if (wm_ptx_has(instruction, WM_PTX_exch))
        return b;
    return old == b ? c : old;
}

static bool is_atomic(const struct wm_ptx_instruction *instruction)
{
    return (instruction->opcode == WM_PTX_OP_atom || instruction->opcode == WM_PTX_OP_red) &&
           has_register_address(instruction) && !completes_bytes(instruction);
}

static void change(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    unsigned bytes = wm_ptx_type_bytes(instruction->type);
    const struct wm_ptx_operand *operands = instruction->operands, *result = NULL;
    if (instruction->opcode == WM_PTX_OP_atom)
        result = operands++;
    struct form_state before = *thread; // results may be the registers of operands
    for (unsigned i = 0; i < instruction->vector_length; i++) {
        uint64_t old = 0, b = form_source(&before, element(&operands[1], i));
        uint64_t c = wm_ptx_has(instruction, WM_PTX_cas) ? form_source(&before, &operands[2]) : 0;
        memcpy(&old, place(instruction, thread, i), bytes);
        uint64_t value = combine(instruction, old, b, c);
        memcpy(place(instruction, thread, i), &value, bytes);
        if (result)
            form_write(thread, element(result, i), old);
    }
}

Test(form_memory, atomics)
{
    form_check_family(&(struct form_family){is_atomic, space_of, change}, 250);
}

// --- 128 bits at once ---

typedef unsigned __int128 wide;

static bool is_wide(const struct wm_ptx_instruction *instruction)
{
    return instruction->type == WM_PTX_b128;
}

static wide wide_of(const struct form_state *thread, const struct wm_ptx_operand *operand)
{
    wide value = 0;
    unsigned number;
    if (operand->kind == WM_PTX_OPERAND_VECTOR) {
        unsigned bits = 128 / operand->list_count;
        for (unsigned i = operand->list_count; i-- > 0;)
            value = value << bits | form_source(thread, &operand->list[i]);
        return value;
    }
    cr_assert_eq(form_register(operand, &number), 'q');
    memcpy(&value, thread->q[number], sizeof(value));
    return value;
}

static void write_wide(struct form_state *thread, const struct wm_ptx_operand *operand, wide value)
{
    unsigned number;
    if (operand->kind == WM_PTX_OPERAND_VECTOR) {
        unsigned bits = 128 / operand->list_count;
        for (unsigned i = 0; i < operand->list_count; i++)
            form_write(thread, &operand->list[i], (uint64_t)(value >> i * bits));
        return;
    }
    cr_assert_eq(form_register(operand, &number), 'q');
    memcpy(thread->q[number], &value, sizeof(value));
}

static void move_wide(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    const struct wm_ptx_operand *operands = instruction->operands;
    wide old = 0, value;
    if (instruction->opcode == WM_PTX_OP_mov) {
        write_wide(thread, &operands[0], wide_of(thread, &operands[1]));
        return;
    }
    char *at = place(instruction, thread, 0);
    memcpy(&old, at, sizeof(old));
    if (instruction->opcode == WM_PTX_OP_st)
        value = wide_of(thread, &operands[1]);
    else if (wm_ptx_has(instruction, WM_PTX_exch))
        value = wide_of(thread, &operands[2]);
    else if (wm_ptx_has(instruction, WM_PTX_cas) && old == wide_of(thread, &operands[2]))
        value = wide_of(thread, &operands[3]);
    else
        value = old;
    memcpy(at, &value, sizeof(value));
    if (instruction->opcode != WM_PTX_OP_st)
        write_wide(thread, &operands[0], old);
}

static enum form_space wide_space_of(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_mov ? FORM_NO_SPACE : space_of(instruction);
}

Test(form_memory, b128)
{
    form_check_family(&(struct form_family){is_wide, wide_space_of, move_wide}, 30);
}

// --- parameters: a kernel's, and those handed to a function ---

static void name_of(const struct wm_ptx_operand *operand, char name[16])
{
    unsigned number;
    char letter = form_register(operand, &number);
    snprintf(name, 16, "%c%u", letter, number);
}

static unsigned bits_of(const struct wm_ptx_operand *operand)
{
    unsigned number;
    char letter = form_register(operand, &number);
    return letter == 'd' ? 64 : letter == 'r' ? 32 : 16;
}

#define PARAMETER_REGISTERS ".reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %d<16>, %o, %x, %y;\n"

// The kernel has the bytes as its parameter, and stores what the registers get.
static void write_reader(const struct wm_ptx_instruction *instruction, const char *form,
                         struct wm_text *text)
{
    wm_text_format(text,
                   ".visible .entry k(.param .align 16 .b8 arg[64], .param .b64 out) {\n"
                   "%s%s;\nld.param.b64 %%o, [out];\n",
                   PARAMETER_REGISTERS, form);
    for (unsigned i = 0; i < instruction->vector_length; i++) {
        char name[16];
        name_of(element(&instruction->operands[0], i), name);
        wm_text_format(text, "st.global.b%u [%%o+%u], %%%s;\n",
                       bits_of(element(&instruction->operands[0], i)), 8 * i, name);
    }
    wm_text_add(text, "ret; }\n");
}

// The kernel has the registers' values as its parameter, and a function stores what it is handed.
static void write_writer(const struct wm_ptx_instruction *instruction, const char *form,
                         struct wm_text *text)
{
    wm_text_format(text,
                   ".func f(.param .align 16 .b8 slot[64], .param .b64 to) { %s"
                   "ld.param.v2.b64 {%%x, %%y}, [slot]; ld.param.b64 %%o, [to];\n"
                   "st.global.b64 [%%o], %%x; st.global.b64 [%%o+8], %%y; ret; }\n"
                   ".visible .entry k(.param .align 16 .b8 arg[64], .param .b64 out) { %s",
                   PARAMETER_REGISTERS, PARAMETER_REGISTERS);
    for (unsigned i = 0; i < instruction->vector_length; i++) {
        char name[16];
        name_of(element(&instruction->operands[1], i), name);
        wm_text_format(text, "ld.param.b%u %%%s, [arg+%u];\n",
                       bits_of(element(&instruction->operands[1], i)), name, 8 * i);
    }
    wm_text_format(text,
                   "ld.param.b64 %%o, [out];\n"
                   "{ .param .align 16 .b8 slot[64]; .param .b64 to;\n%s;\n"
                   "st.param.b64 [to], %%o; call.uni f, (slot, to); }\nret; }\n",
                   form);
}

static void check_parameter(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    bool stores = instruction->opcode == WM_PTX_OP_st;
    if (!form_is_wanted(instruction) || instruction->space != WM_PTX_param ||
        (!stores && instruction->opcode != WM_PTX_OP_ld) || address_of(instruction)->base_register)
        return;
    struct harness harness;
    struct wm_text text;
    struct wm_random random;
    wm_text_init(&text);
    (stores ? write_writer : write_reader)(instruction, form, &text);
    harness_init(&harness, text.data, 32, wm_host_best_isa(), false);
    wm_text_release(&text);
    uint64_t parameters[9], *out = harness_allocate(&harness, 64);
    struct form_state state;
    wm_random_init(&random, 4, form);
    for (unsigned i = 0; i < 8; i++)
        parameters[i] = wm_random_u64(&random);
    parameters[8] = ADDRESS(out);
    harness_run(&harness, "k", 1, 1, parameters, 9);
    memset(&state, 0, sizeof(state));
    memcpy(state.image, parameters, sizeof(state.image));
    for (unsigned i = 0; stores && i < instruction->vector_length; i++)
        form_write(&state, element(&instruction->operands[1], i), parameters[i]);
    if (stores)
        store(instruction, &state);
    else
        load(instruction, &state);
    unsigned bytes = wm_ptx_type_bytes(instruction->type) * instruction->vector_length;
    if (stores)
        cr_assert_arr_eq(out, state.image, bytes, "%s", form);
    for (unsigned i = 0; !stores && i < instruction->vector_length; i++)
        cr_assert_eq(out[i], form_source(&state, element(&instruction->operands[0], i)), "%s",
                     form);
    harness_release(&harness);
    ++*count;
}

Test(form_memory, parameters)
{
    unsigned count = 0;
    cr_assert(forms_each("isa.txt", check_parameter, &count));
    cr_assert(forms_each("measured.txt", check_parameter, &count));
    cr_assert(count >= 18 || getenv("PTX_WITHOUT"), "only %u forms", count);
    form_release();
}
