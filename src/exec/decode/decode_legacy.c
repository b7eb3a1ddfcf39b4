// What PTX of version 1 leaves unsaid: modules made for compute capability 1.x are read as a driver
// compiles them for a later device. PTX ISA, "Semantics", "PTX ISA Notes" and "Target ISA Notes" of
// the floating-point instructions: a 32-bit one of sm_1x flushes subnormals to zero; up to version
// 1.3 those with several precisions default to .approx for f32 and .rn for f64; and mad.f32 becomes
// fma.rn.ftz.f32 where it is compiled for sm_20 and later.
#include "exec/decode/decoder.h"

static bool flushes(const struct wm_ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case WM_PTX_OP_add:
    case WM_PTX_OP_sub:
    case WM_PTX_OP_mul:
    case WM_PTX_OP_fma:
    case WM_PTX_OP_div:
    case WM_PTX_OP_rcp:
    case WM_PTX_OP_sqrt:
    case WM_PTX_OP_rsqrt:
    case WM_PTX_OP_sin:
    case WM_PTX_OP_cos:
    case WM_PTX_OP_lg2:
    case WM_PTX_OP_ex2:
    case WM_PTX_OP_abs:
    case WM_PTX_OP_neg:
    case WM_PTX_OP_min:
    case WM_PTX_OP_max:
    case WM_PTX_OP_setp: return instruction->type == WM_PTX_f32;
    case WM_PTX_OP_set:
    case WM_PTX_OP_slct: return instruction->type2 == WM_PTX_f32;
    // To 64 bits, version 1 kept subnormals.
    case WM_PTX_OP_cvt:
        return (instruction->type == WM_PTX_f32 || instruction->type2 == WM_PTX_f32) &&
               wm_ptx_type_bytes(instruction->type) < 8 &&
               (instruction->type == WM_PTX_f32 || !wm_ptx_type_is_float(instruction->type));
    default: return false;
    }
}

// The precision that an instruction has when it names none, or none.
static enum wm_ptx_modifier default_precision(const struct wm_ptx_instruction *instruction)
{
    bool single = instruction->type == WM_PTX_f32, wide = instruction->type == WM_PTX_f64;
    switch (instruction->opcode) {
    case WM_PTX_OP_sin:
    case WM_PTX_OP_cos:
    case WM_PTX_OP_lg2:
    case WM_PTX_OP_ex2:
    case WM_PTX_OP_rsqrt: return single || wide ? WM_PTX_approx : WM_PTX_none;
    case WM_PTX_OP_div:
    case WM_PTX_OP_rcp:
    case WM_PTX_OP_sqrt: return single ? WM_PTX_approx : wide ? WM_PTX_rn : WM_PTX_none;
    case WM_PTX_OP_mad:
    case WM_PTX_OP_fma: return single || wide ? WM_PTX_rn : WM_PTX_none;
    default: return WM_PTX_none;
    }
}

static bool has_precision(const struct wm_ptx_instruction *instruction)
{
    return instruction->rounding != WM_PTX_none || wm_ptx_has(instruction, WM_PTX_approx) ||
           wm_ptx_has(instruction, WM_PTX_full);
}

static void add_modifier(struct wm_ptx_instruction *instruction, enum wm_ptx_modifier modifier)
{
    if (instruction->modifier_count < WM_PTX_MAX_MODIFIERS)
        instruction->modifiers[instruction->modifier_count++] = (uint16_t)modifier;
}

const struct wm_ptx_instruction *wm_decode_as_of_version(
    struct wm_decoder *decoder, const struct wm_ptx_instruction *instruction)
{
    if (decoder->module->version_major > 1)
        return instruction;
    struct wm_ptx_instruction *full = wm_decode_allocate(decoder, sizeof(*full));
    if (!full)
        return instruction;
    *full = *instruction;
    bool single = full->type == WM_PTX_f32;
    if (full->opcode == WM_PTX_OP_mad && single)
        full->opcode = WM_PTX_OP_fma;
    enum wm_ptx_modifier precision = default_precision(full);
    if (precision != WM_PTX_none && !has_precision(full)) {
        add_modifier(full, precision);
        if (precision == WM_PTX_rn)
            full->rounding = precision;
    }
    if (flushes(full) && !wm_ptx_has(full, WM_PTX_ftz))
        add_modifier(full, WM_PTX_ftz);
    return full;
}
