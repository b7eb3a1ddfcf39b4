// What the names of PTX are and mean: texts, classes and sizes of opcodes, modifiers and special
// registers, all from the three .def lists.
#include "ptx/ptx.h"

const char *wm_ptx_opcode_text(enum wm_ptx_opcode opcode)
{
    static const char *const texts[] = {
        "unknown",
#define WM_PTX_OPCODE(name, ...) #name,
#include "ptx/opcodes.def"
    };
    return texts[opcode];
}

unsigned wm_ptx_opcode_traits(enum wm_ptx_opcode opcode)
{
    enum { // the words of the table
        PLAIN = 0,
        SEEN = WM_PTX_TRAIT_SEEN,
        TOGETHER = WM_PTX_TRAIT_TOGETHER,
        WARP = WM_PTX_TRAIT_WARP,
        NO_RESULT = WM_PTX_TRAIT_NO_RESULT,
        CARRY = WM_PTX_TRAIT_CARRY,
        STORE = WM_PTX_TRAIT_STORE,
        ATOMIC = WM_PTX_TRAIT_ATOMIC,
        REDUCTION = WM_PTX_TRAIT_REDUCTION,
        IMAGE = WM_PTX_TRAIT_IMAGE,
    };
    static const uint16_t traits[] = {
        SEEN, // an unknown one may do anything
#define WM_PTX_OPCODE(name, section, family, operands, traits, unit, sass) traits,
#include "ptx/opcodes.def"
    };
    return traits[opcode];
}

const char *wm_ptx_modifier_text(enum wm_ptx_modifier modifier)
{
    static const char *const texts[] = {
        "",
#define WM_PTX_MODIFIER(enumerator, text, class) text,
#include "ptx/modifiers.def"
#undef WM_PTX_MODIFIER
    };
    return texts[modifier];
}

enum wm_ptx_modifier_class wm_ptx_modifier_class_of(enum wm_ptx_modifier modifier)
{
    static const unsigned char classes[] = {
        WM_PTX_CLASS_FLAG,
#define WM_PTX_MODIFIER(enumerator, text, class) WM_PTX_CLASS_##class,
#include "ptx/modifiers.def"
#undef WM_PTX_MODIFIER
    };
    return (enum wm_ptx_modifier_class)classes[modifier];
}

const char *wm_ptx_special_text(enum wm_ptx_special special)
{
    static const char *const texts[] = {
#define WM_PTX_SPECIAL(enumerator, text, type) text,
#include "ptx/special_registers.def"
#undef WM_PTX_SPECIAL
    };
    return texts[special];
}

wm_ptx_type wm_ptx_special_type(enum wm_ptx_special special)
{
    static const unsigned char types[] = {
#define WM_PTX_SPECIAL(enumerator, text, type) WM_PTX_##type,
#include "ptx/special_registers.def"
#undef WM_PTX_SPECIAL
    };
    return (wm_ptx_type)types[special];
}

bool wm_ptx_special_is_clock(enum wm_ptx_special special)
{
    switch ((int)special) {
    case WM_PTX_SPECIAL_clock:
    case WM_PTX_SPECIAL_clock_hi:
    case WM_PTX_SPECIAL_clock64:
    case WM_PTX_SPECIAL_globaltimer:
    case WM_PTX_SPECIAL_globaltimer_lo:
    case WM_PTX_SPECIAL_globaltimer_hi: return true;
    default: return false;
    }
}

unsigned wm_ptx_type_bytes(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_b8:
    case WM_PTX_u8:
    case WM_PTX_s8:
    // Of the types below a byte, and of one 8-bit float, a register holds several.
    case WM_PTX_b1:
    case WM_PTX_u2:
    case WM_PTX_s2:
    case WM_PTX_u4:
    case WM_PTX_s4:
    case WM_PTX_e4m3:
    case WM_PTX_e5m2: return 1;
    case WM_PTX_b16:
    case WM_PTX_u16:
    case WM_PTX_s16:
    case WM_PTX_f16:
    case WM_PTX_bf16:
    case WM_PTX_e4m3x2:
    case WM_PTX_e5m2x2: return 2;
    case WM_PTX_b32:
    case WM_PTX_u32:
    case WM_PTX_s32:
    case WM_PTX_f32:
    case WM_PTX_f16x2:
    case WM_PTX_bf16x2:
    case WM_PTX_u16x2:
    case WM_PTX_s16x2:
    case WM_PTX_tf32: return 4;
    case WM_PTX_b64:
    case WM_PTX_u64:
    case WM_PTX_s64:
    case WM_PTX_f64:
    // Opaque handles (PTX ISA 5.3); in memory they take the place of a 64-bit handle.
    case WM_PTX_texref:
    case WM_PTX_samplerref:
    case WM_PTX_surfref: return 8;
    case WM_PTX_b128: return 16;
    default: return 0;
    }
}

bool wm_ptx_type_is_float(wm_ptx_type type)
{
    switch ((int)type) {
    case WM_PTX_f16:
    case WM_PTX_f16x2:
    case WM_PTX_bf16:
    case WM_PTX_bf16x2:
    case WM_PTX_f32:
    case WM_PTX_f64:
    case WM_PTX_tf32:
    case WM_PTX_e4m3:
    case WM_PTX_e5m2:
    case WM_PTX_e4m3x2:
    case WM_PTX_e5m2x2: return true;
    default: return false;
    }
}

bool wm_ptx_type_is_signed(wm_ptx_type type)
{
    return type == WM_PTX_s8 || type == WM_PTX_s16 || type == WM_PTX_s32 || type == WM_PTX_s64;
}

bool wm_ptx_has(const struct wm_ptx_instruction *instruction, enum wm_ptx_modifier modifier)
{
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        if (instruction->modifiers[i] == modifier)
            return true;
    return false;
}

bool wm_ptx_writes_first(const struct wm_ptx_instruction *instruction)
{
    if (instruction->operand_count == 0)
        return false;
    enum wm_ptx_operand_kind first = instruction->operands[0].kind;
    if (instruction->opcode == WM_PTX_OP_call) // the list of its results comes before the callee
        return first == WM_PTX_OPERAND_LIST;
    if (wm_ptx_opcode_traits(instruction->opcode) & WM_PTX_TRAIT_NO_RESULT)
        return wm_ptx_has(instruction, WM_PTX_red);
    // Where the first operand is an address, it is read: wmma.store, mbarrier.init.
    return first != WM_PTX_OPERAND_ADDRESS;
}

bool wm_ptx_reads_clock(const struct wm_ptx_instruction *instruction)
{
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].kind == WM_PTX_OPERAND_SPECIAL &&
            wm_ptx_special_is_clock(instruction->operands[i].special))
            return true;
    return false;
}

const struct wm_ptx_function *wm_ptx_module_function(const struct wm_ptx_module *module,
                                                     const char *name)
{
    for (uint32_t i = 0; i < module->item_count; i++) {
        const struct wm_ptx_item *item = &module->items[i];
        if (item->kind == WM_PTX_ITEM_FUNCTION && item->function->defined &&
            strcmp(item->function->name, name) == 0)
            return item->function;
    }
    return NULL;
}

const char *wm_ptx_module_file_name(const struct wm_ptx_module *module, uint32_t index)
{
    for (uint32_t i = 0; i < module->file_count; i++)
        if (module->files[i]->index == index)
            return module->files[i]->name;
    return NULL;
}

_Static_assert(WM_PTX_OP_COUNT <= UINT8_MAX + 1, "opcodes are kept in 8 bits");
_Static_assert(WM_PTX_MODIFIER_COUNT <= UINT16_MAX + 1, "modifiers are kept in 16 bits");
