// How many machine instructions a PTX instruction takes by itself, before neighbours fold into it.
//
// What the hardware has an instruction for takes one: NVIDIA, CUDA Binary Utilities, "Instruction
// Set Reference" (Volta to Hopper), whose names stand below; what it has not is a sequence. Of
// those, counts are of the way that is taken for ordinary numbers:
//   - Registers have 32 bits: 64-bit integers are pairs (IADD3, IADD3.X), products of them partial
//     products (Jia, Maggioni, Staiger and Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture
//     via Microbenchmarking", arXiv 1804.06826, section 2, on the encoding and registers).
//   - MUFU computes reciprocals, roots, exponentials, logarithms and sines of normal numbers. A
//     function without .ftz scales subnormal ones before and after: a comparison and two products
//     (PTX ISA, "ex2", "lg2", "rsqrt" and "sqrt", on subnormal inputs). Sines are of turns: a
//     product before.
//   - Rounded division, reciprocal and root: MUFU, the steps of Newton and Raphson that reach the
//     last bit, a test of the exponents, and a branch to a slow way with the barrier of its lanes
//     (BSSY, BSYNC) (Markstein, "IA-64 and Elementary Functions", 2000, chapters 8 and 9, whose
//     steps these are: 5 multiply-adds of 32 bits for a quotient, 8 of 64 bits).
//   - Division of integers: the reciprocal of the divisor as floating point, two products, two
//     corrections (Granlund and Montgomery, PLDI 1994, of the kind; CUDA C++ Programming Guide,
//     "Integer Arithmetic": up to 20 instructions). 64 bits: the same on pairs.
#include "engine/issue/machine_code_reading.h"

#include <stddef.h>

enum { SCALED = 3 }; // more, for subnormal numbers

static bool flushes(const struct wm_code_instruction *it)
{
    return wm_code_has_word(it, "ftz") || it->type.bits == 16;
}

static uint32_t approximate(const struct wm_code_instruction *it, uint32_t normal)
{
    return flushes(it) ? normal : normal + SCALED;
}

static bool is_approximate(const struct wm_code_instruction *it)
{
    return wm_code_has_word(it, "approx") || wm_code_has_word(it, "full");
}

static uint32_t division_of_floats(const struct wm_code_instruction *it)
{
    if (it->type.bits == 64)
        return 18; // MUFU.RCP64H, 8 DFMA and DMUL, 4 of the test, 2 moves, BSSY, BRA, BSYNC
    if (!is_approximate(it))
        return 10;             // MUFU.RCP, FCHK, 5 FFMA, BSSY, BRA, BSYNC
    return approximate(it, 2); // MUFU.RCP, FMUL
}

static uint32_t division_of_integers(const struct wm_code_instruction *it)
{
    bool remainder = it->opcode == WM_PTX_OP_rem;
    if (it->type.bits == 64)
        return 75;
    // I2F, MUFU.RCP, IADD3, F2I, negation, 2 IMAD.HI, IMAD, two corrections of comparison and
    // subtraction, the test of zero; a quotient is corrected, too, and signs come off and on.
    return 14 + (remainder ? 0u : 2u) + (it->type.is_signed ? 4u : 0u);
}

static uint32_t reciprocal_or_root(const struct wm_code_instruction *it)
{
    if (it->type.bits == 64)
        // rcp.approx.ftz.f64 and its root are of the upper half alone.
        return is_approximate(it) && flushes(it) ? 1 : 15;
    if (is_approximate(it))
        return approximate(it, it->opcode == WM_PTX_OP_sqrt ? 2 : 1);
    return it->opcode == WM_PTX_OP_sqrt ? 10 : 9; // 2 or 3 FFMA, and FMUL
}

static uint32_t conversion(const struct wm_code_instruction *it)
{
    bool floats = it->type.is_float || it->source.is_float;
    if (floats)
        return 1; // I2F, F2I, F2F, FRND, or HADD2.F32
    if (wm_code_has_word(it, "sat"))
        return 2;
    // To fewer bits, or to 64 with zeros: another name for the same register, or for RZ.
    bool wider = it->type.bits > it->source.bits;
    if (!wider || (it->source.bits == 32 && !it->source.is_signed))
        return 0;
    // PRMT, or SHF.R.S32.HI; both of 64 bits from less than 32
    return it->type.bits == 64 && it->source.bits < 32 && it->source.is_signed ? 2 : 1;
}

static bool is_float(const struct wm_code_instruction *it)
{
    return it->type.is_float;
}

static uint32_t least_or_most(const struct wm_code_instruction *it, bool pair)
{
    if (it->type.bits == 64 && is_float(it))
        return 5; // DSETP.MIN, moves, FSEL, SEL
    return pair ? 4 : 1;
}

static uint32_t fence(const struct wm_code_instruction *it)
{
    bool of_block = wm_code_has_word(it, "cta");
    return of_block ? 1 : 4; // MEMBAR, ERRBAR, CGAERRBAR, CCTL.IVALL
}

// Of 64-bit integers, which are pairs: `pair`.
static uint32_t of_integers(const struct wm_code_instruction *it, bool pair)
{
    switch (it->opcode) {
    case WM_PTX_OP_add:
    case WM_PTX_OP_sub:
    case WM_PTX_OP_neg:
    case WM_PTX_OP_and:
    case WM_PTX_OP_or:
    case WM_PTX_OP_xor:
    case WM_PTX_OP_not:
    case WM_PTX_OP_shl:
    case WM_PTX_OP_shr:
    case WM_PTX_OP_selp:
    case WM_PTX_OP_setp:
    case WM_PTX_OP_brev: return pair ? 2 : 1;
    case WM_PTX_OP_abs: return pair ? 5 : 1;
    case WM_PTX_OP_mul:
        if (wm_code_has_word(it, "wide"))
            return 1;
        if (wm_code_has_word(it, "hi"))
            return pair ? 8 : 1;
        return pair ? 4 : 1;
    case WM_PTX_OP_mad: return pair && !wm_code_has_word(it, "wide") ? 4 : 1;
    case WM_PTX_OP_popc: return pair ? 3 : 1;
    case WM_PTX_OP_clz:
    case WM_PTX_OP_bfind: return pair ? 4 : it->opcode == WM_PTX_OP_clz ? 2 : 1;
    case WM_PTX_OP_bfe: return pair ? 6 : 2; // SHF.R, and SGXT or LOP3
    case WM_PTX_OP_bfi: return pair ? 6 : 3; // BMSK, SHF.L, LOP3
    default: return 1;
    }
}

static uint32_t of_others(const struct wm_code_instruction *it, bool pair)
{
    bool is_double = it->type.bits == 64 && is_float(it);
    switch (it->opcode) {
    case WM_PTX_OP_div: return is_float(it) ? division_of_floats(it) : division_of_integers(it);
    case WM_PTX_OP_rem: return division_of_integers(it);
    case WM_PTX_OP_rcp:
    case WM_PTX_OP_sqrt:
    case WM_PTX_OP_rsqrt: return reciprocal_or_root(it);
    case WM_PTX_OP_ex2:
    case WM_PTX_OP_lg2: return approximate(it, 1);
    case WM_PTX_OP_sin:
    case WM_PTX_OP_cos: return 2; // FMUL.RZ, MUFU
    case WM_PTX_OP_cvt: return conversion(it);
    case WM_PTX_OP_min:
    case WM_PTX_OP_max: return least_or_most(it, pair);
    case WM_PTX_OP_selp: return is_double || pair ? 2 : 1;
    case WM_PTX_OP_set:
    case WM_PTX_OP_slct:
    case WM_PTX_OP_cnot:
    case WM_PTX_OP_testp: return 2; // a comparison and SEL
    case WM_PTX_OP_sad: return 2;
    case WM_PTX_OP_mul24:
    case WM_PTX_OP_mad24: return 3; // two extractions of 24 bits, IMAD
    case WM_PTX_OP_fence:
    case WM_PTX_OP_membar: return fence(it);
    case WM_PTX_OP_brx: return 2; // the place from a table, BRX
    default: return of_integers(it, pair);
    }
}

uint32_t wm_code_expansion(const struct wm_code_instruction *it, bool low_half)
{
    if (!it->is_ptx || it->text[0] == '\0')
        return 1;
    bool pair = it->type.bits == 64 && !it->type.is_float && !low_half;
    return of_others(it, pair);
}
