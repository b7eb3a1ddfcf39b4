#include "exec/decode/operand_types.h"

#include <string.h>

// The letters of the opcode table's column "operands" (ptx/opcodes.def).
static const char *letters_of(enum wm_ptx_opcode opcode)
{
    static const char *const letters[] = {
        "",
#define WM_PTX_OPCODE(name, section, family, operands, traits, unit, sass) operands,
#include "ptx/opcodes.def"
    };
    return letters[opcode];
}

static bool has_boolean(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_and) || wm_ptx_has(instruction, WM_PTX_or) ||
           wm_ptx_has(instruction, WM_PTX_xor);
}

unsigned wm_operand_count(const struct wm_ptx_instruction *instruction)
{
    const char *letters = letters_of(instruction->opcode);
    unsigned count = (unsigned)strlen(letters);
    if (count != 0 && letters[count - 1] == '?')
        return has_boolean(instruction) ? count - 1 : count - 2;
    if (instruction->opcode != WM_PTX_OP_cvt)
        return count;
    // Two floats packed into one register of halves, or two integers besides c.
    if (wm_ptx_has(instruction, WM_PTX_pack))
        return wm_ptx_type_bytes(instruction->type) == 2 ? 3 : 4;
    return instruction->type == WM_PTX_f16x2 || instruction->type == WM_PTX_bf16x2 ? 3 : 2;
}

static wm_ptx_type doubled(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_u16: return WM_PTX_u32;
    case WM_PTX_s16: return WM_PTX_s32;
    case WM_PTX_u32: return WM_PTX_u64;
    case WM_PTX_s32: return WM_PTX_s64;
    default: return type;
    }
}

static wm_ptx_type type_of(char letter, const struct wm_ptx_instruction *instruction)
{
    switch (letter) {
    case 't': return instruction->type;
    case '2': return instruction->type2;
    case 'u': return WM_PTX_u32;
    case 'p': return WM_PTX_pred;
    case 'w':
        return wm_ptx_has(instruction, WM_PTX_wide) ? doubled(instruction->type)
                                                    : instruction->type;
    default: return WM_PTX_none;
    }
}

struct wm_operand_types wm_operand_types(const struct wm_ptx_instruction *instruction)
{
    wm_ptx_type t = instruction->type, t2 = instruction->type2;
    if (instruction->opcode == WM_PTX_OP_cvt)
        return wm_ptx_has(instruction, WM_PTX_pack)
                   ? (struct wm_operand_types){{WM_PTX_b32, t2, t2, WM_PTX_b32}}
                   : (struct wm_operand_types){{t, t2, t2}};
    struct wm_operand_types types = {{WM_PTX_none}};
    const char *letters = letters_of(instruction->opcode);
    for (unsigned i = 0; i < WM_OPERANDS_MOST && letters[i] != '\0'; i++)
        types.types[i] = type_of(letters[i], instruction);
    return types;
}
