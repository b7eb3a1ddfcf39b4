// From an instruction to the name of its kernel: wm_lane_key_of reads the modifiers, and
// wm_lane_key_pack folds the spellings that mean the same operation.
#include "exec/lanes/lane_kernels.h"

static bool is_half_selector(enum wm_ptx_opcode opcode, enum wm_ptx_modifier modifier)
{
    if (modifier != WM_PTX_lo && modifier != WM_PTX_hi)
        return false;
    return opcode != WM_PTX_OP_setp && opcode != WM_PTX_OP_set;
}

// False for a modifier that no kernel here has: the instruction means something else then.
static bool add_modifier(struct wm_lane_key *key, enum wm_ptx_modifier modifier)
{
    if (is_half_selector(key->opcode, modifier)) {
        key->mode = modifier;
        return true;
    }
    switch (wm_ptx_modifier_class_of(modifier)) {
    case WM_PTX_CLASS_TYPE:
        if (key->type == WM_PTX_none)
            key->type = modifier;
        else if (key->type2 == WM_PTX_none)
            key->type2 = modifier;
        else // cvt.pack names the type of c, which is always this one
            return key->opcode == WM_PTX_OP_cvt && modifier == WM_PTX_b32;
        return true;
    case WM_PTX_CLASS_ROUNDING: key->rounding = modifier; return true;
    case WM_PTX_CLASS_COMPARE: key->compare = modifier; return true;
    case WM_PTX_CLASS_BOOLEAN: key->boolean = modifier; return true;
    case WM_PTX_CLASS_MODE:
        *(key->mode == WM_PTX_none ? &key->mode : &key->mode2) = modifier;
        return true;
    case WM_PTX_CLASS_FLAG: break;
    default: return false;
    }
    switch (modifier) {
    case WM_PTX_ftz: key->ftz = true; return true;
    case WM_PTX_sat: key->sat = true; return true;
    case WM_PTX_NaN: key->nan = true; return true;
    case WM_PTX_relu: key->relu = true; return true;
    case WM_PTX_xorsign: key->xorsign = true; return true;
    case WM_PTX_abs: key->abs = true; return true;
    case WM_PTX_oob: key->oob = true; return true;
    default: return false;
    }
}

struct wm_lane_key wm_lane_key_of(const struct wm_ptx_instruction *instruction)
{
    struct wm_lane_key key = {.opcode = instruction->opcode};
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        if (!add_modifier(&key, (enum wm_ptx_modifier)instruction->modifiers[i]))
            return (struct wm_lane_key){.opcode = WM_PTX_OP_unknown};
    if (key.boolean != WM_PTX_none && instruction->operand_count > 3)
        key.boolean_negated = instruction->operands[3].negated;
    return key;
}

static wm_ptx_type unsigned_of(wm_ptx_type type)
{
    switch (type) {
    case WM_PTX_b8:
    case WM_PTX_s8: return WM_PTX_u8;
    case WM_PTX_b16:
    case WM_PTX_s16: return WM_PTX_u16;
    case WM_PTX_b32:
    case WM_PTX_s32: return WM_PTX_u32;
    case WM_PTX_b64:
    case WM_PTX_s64: return WM_PTX_u64;
    default: return type;
    }
}

// b types read as unsigned where an operation distinguishes signs (shr.b32, setp.eq.b32).
static wm_ptx_type bits_as_unsigned(wm_ptx_type type)
{
    switch (type) {
    case WM_PTX_b8:
    case WM_PTX_b16:
    case WM_PTX_b32:
    case WM_PTX_b64: return unsigned_of(type);
    default: return type;
    }
}

static wm_ptx_type bits_of(wm_ptx_type type)
{
    if (type == WM_PTX_pred)
        return type;
    switch (wm_ptx_type_bytes(type)) {
    case 2: return WM_PTX_b16;
    case 4: return WM_PTX_b32;
    case 8: return WM_PTX_b64;
    default: return WM_PTX_none;
    }
}

static void fold_compare(struct wm_lane_key *key, wm_ptx_type *type)
{
    switch (key->compare) {
    case WM_PTX_lo: key->compare = WM_PTX_lt; break;
    case WM_PTX_ls: key->compare = WM_PTX_le; break;
    case WM_PTX_hi: key->compare = WM_PTX_gt; break;
    case WM_PTX_hs: key->compare = WM_PTX_ge; break;
    default: break;
    }
    *type = bits_as_unsigned(*type);
    if (key->compare == WM_PTX_eq || key->compare == WM_PTX_ne)
        *type = unsigned_of(*type);
}

static void fold_rounding(struct wm_lane_key *key)
{
    if (wm_ptx_type_is_float(key->type) && key->rounding == WM_PTX_none)
        key->rounding = WM_PTX_rn;
}

static void fold_add(struct wm_lane_key *key)
{
    fold_rounding(key);
    if (!key->sat)
        key->type = unsigned_of(key->type);
}

static void fold_mul(struct wm_lane_key *key)
{
    fold_rounding(key);
    if (key->mode == WM_PTX_lo && !key->sat)
        key->type = unsigned_of(key->type);
    // For sm_20 and later mad.f32 and mad.f64 are fma (PTX ISA 9.7.3, mad).
    if (key->opcode == WM_PTX_OP_mad && wm_ptx_type_is_float(key->type))
        key->opcode = WM_PTX_OP_fma;
}

static void fold_cvt(struct wm_lane_key *key)
{
    if (!wm_ptx_type_is_float(key->type2))
        key->ftz = false; // an integer becomes no subnormal
    if (wm_ptx_type_is_float(key->type2) && !wm_ptx_type_is_float(key->type))
        key->sat = false; // a float always goes to the nearest end of an integer's range
    if (wm_ptx_type_is_float(key->type) || key->sat || wm_ptx_type_is_float(key->type2))
        return;
    if (key->type != WM_PTX_s8)
        key->type = unsigned_of(key->type);
}

bool wm_lane_key_pack(const struct wm_lane_key *given, enum wm_ptx_opcode *opcode, uint64_t *packed)
{
    struct wm_lane_key key = *given;
    if (key.xorsign != key.abs)
        return false;
    switch (key.opcode) {
    case WM_PTX_OP_unknown: return false;
    case WM_PTX_OP_add:
    case WM_PTX_OP_sub: fold_add(&key); break;
    case WM_PTX_OP_mul:
    case WM_PTX_OP_mad:
    case WM_PTX_OP_fma: fold_mul(&key); break;
    case WM_PTX_OP_and:
    case WM_PTX_OP_or:
    case WM_PTX_OP_xor:
    case WM_PTX_OP_not:
    case WM_PTX_OP_cnot:
    case WM_PTX_OP_mov:
    case WM_PTX_OP_selp:
    case WM_PTX_OP_shl: key.type = bits_of(key.type); break;
    case WM_PTX_OP_shr: key.type = bits_as_unsigned(key.type); break;
    case WM_PTX_OP_slct: key.type = bits_of(key.type); break;
    case WM_PTX_OP_set:
        key.type = unsigned_of(key.type);
        fold_compare(&key, &key.type2);
        break;
    case WM_PTX_OP_setp: fold_compare(&key, &key.type); break;
    case WM_PTX_OP_cvt: fold_cvt(&key); break;
    default: break;
    }
    // A packed key gives a modifier one byte; what kernels use stands early in the list.
    const unsigned fields[] = {key.type,    key.type2, key.rounding, key.compare,
                               key.boolean, key.mode,  key.mode2};
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i] > UINT8_MAX)
            return false;
    const unsigned flags = (key.ftz ? WM_LANE_FLAG_FTZ : 0u) | (key.sat ? WM_LANE_FLAG_SAT : 0u) |
                           (key.boolean_negated ? WM_LANE_FLAG_NEGATED : 0u) |
                           (key.nan ? WM_LANE_FLAG_NAN : 0u) | (key.relu ? WM_LANE_FLAG_RELU : 0u) |
                           (key.xorsign ? WM_LANE_FLAG_XORSIGN : 0u) |
                           (key.oob ? WM_LANE_FLAG_OOB : 0u);
    *opcode = key.opcode;
    *packed = (uint64_t)key.type | (uint64_t)key.type2 << 8 | (uint64_t)key.rounding << 16 |
              (uint64_t)key.compare << 24 | (uint64_t)key.boolean << 32 | (uint64_t)key.mode << 40 |
              (uint64_t)flags << 48 | (uint64_t)key.mode2 << 56;
    return true;
}
