#include "exec/decode/operand_counts.h"

static bool has_boolean(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_and) || wm_ptx_has(instruction, WM_PTX_or) ||
           wm_ptx_has(instruction, WM_PTX_xor);
}

unsigned wm_operand_count(const struct wm_ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case WM_PTX_OP_abs:
    case WM_PTX_OP_bfind:
    case WM_PTX_OP_brev:
    case WM_PTX_OP_clz:
    case WM_PTX_OP_cnot:
    case WM_PTX_OP_cos:
    case WM_PTX_OP_ex2:
    case WM_PTX_OP_lg2:
    case WM_PTX_OP_mov:
    case WM_PTX_OP_neg:
    case WM_PTX_OP_not:
    case WM_PTX_OP_popc:
    case WM_PTX_OP_rcp:
    case WM_PTX_OP_rsqrt:
    case WM_PTX_OP_sin:
    case WM_PTX_OP_sqrt:
    case WM_PTX_OP_tanh:
    case WM_PTX_OP_testp: return 2;
    case WM_PTX_OP_cvt: // two floats packed into one register of halves, or two integers beside c
        if (wm_ptx_has(instruction, WM_PTX_pack))
            return wm_ptx_type_bytes(instruction->type) == 2 ? 3 : 4;
        return (instruction->type == WM_PTX_f16x2 || instruction->type == WM_PTX_bf16x2) ? 3 : 2;
    case WM_PTX_OP_setp:
    case WM_PTX_OP_set: return has_boolean(instruction) ? 4 : 3;
    case WM_PTX_OP_bfe:
    case WM_PTX_OP_dp2a:
    case WM_PTX_OP_dp4a:
    case WM_PTX_OP_fma:
    case WM_PTX_OP_fns:
    case WM_PTX_OP_mad:
    case WM_PTX_OP_mad24:
    case WM_PTX_OP_madc:
    case WM_PTX_OP_prmt:
    case WM_PTX_OP_sad:
    case WM_PTX_OP_selp:
    case WM_PTX_OP_shf:
    case WM_PTX_OP_slct: return 4;
    case WM_PTX_OP_bfi:
    case WM_PTX_OP_lop3: return 5;
    default: return 3;
    }
}
