#include "ptx_parse_check.h"

#include "base/containers/string_map.h"

Test(names, opcodes_are_distinct_and_found_by_the_parser)
{
    struct wm_string_map map;
    wm_string_map_init(&map);
    static int mark;
    for (int i = 1; i < WM_PTX_OP_COUNT; i++) {
        const char *text = wm_ptx_opcode_text((enum wm_ptx_opcode)i);
        cr_assert_null(wm_string_map_get(&map, text, strlen(text)), "%s twice", text);
        wm_string_map_put(&map, text, strlen(text), &mark);
        if (i == WM_PTX_OP_bra || i == WM_PTX_OP_brx || i == WM_PTX_OP_call)
            continue; // these want operands
        struct wm_text source;
        wm_text_init(&source);
        wm_text_format(&source, PTX_HEADER ".entry f() { %s; }", text);
        struct wm_ptx_module *module = parse_or_fail(source.data);
        cr_assert_eq(instruction_at(only_function(module), 0)->opcode, (enum wm_ptx_opcode)i);
        wm_ptx_module_free(module);
        wm_text_release(&source);
    }
    wm_string_map_release(&map);
    cr_assert_str_eq(wm_ptx_opcode_text(WM_PTX_OP_unknown), "unknown");
}

Test(names, modifiers_are_distinct_and_found_by_the_parser)
{
    cr_assert_str_eq(wm_ptx_modifier_text(WM_PTX_none), "");
    for (int i = 1; i < WM_PTX_MODIFIER_COUNT; i++) {
        struct wm_text source;
        wm_text_init(&source);
        wm_text_format(&source, PTX_HEADER ".entry f() { ret.%s; }",
                       wm_ptx_modifier_text((enum wm_ptx_modifier)i));
        struct wm_ptx_module *module = parse_or_fail(source.data);
        const struct wm_ptx_instruction *ret = instruction_at(only_function(module), 0);
        cr_assert_eq(ret->modifier_count, 1);
        cr_assert_eq(ret->modifiers[0], i);
        cr_assert(wm_ptx_has(ret, (enum wm_ptx_modifier)i));
        cr_assert_not(wm_ptx_has(ret, WM_PTX_none));
        wm_ptx_module_free(module);
        wm_text_release(&source);
    }
}

Test(names, special_registers_are_found_by_the_parser)
{
    for (int i = 0; i < WM_PTX_SPECIAL_COUNT; i++) {
        enum wm_ptx_special special = (enum wm_ptx_special)i;
        struct wm_text source;
        wm_text_init(&source);
        wm_text_format(&source, PTX_HEADER ".entry f() { .reg .b64 %%x; mov.b64 %%x, %s; }",
                       wm_ptx_special_text(special));
        struct wm_ptx_module *module = parse_or_fail(source.data);
        const struct wm_ptx_operand *operand =
            &instruction_at(only_function(module), 0)->operands[1];
        cr_assert_eq(operand->kind, WM_PTX_OPERAND_SPECIAL, "%s", wm_ptx_special_text(special));
        cr_assert_eq(operand->special, special, "%s", wm_ptx_special_text(special));
        check_round_trip(module);
        wm_ptx_module_free(module);
        wm_text_release(&source);
    }
    cr_assert_eq(wm_ptx_special_type(WM_PTX_SPECIAL_clock64), WM_PTX_u64);
    cr_assert_eq(wm_ptx_special_type(WM_PTX_SPECIAL_tid_x), WM_PTX_u32);
}

Test(names, types_have_the_sizes_of_the_isa)
{
    static const struct {
        wm_ptx_type type;
        unsigned bytes;
        bool is_float, is_signed;
    } types[] = {
        {WM_PTX_b8, 1, false, false},     {WM_PTX_u8, 1, false, false},
        {WM_PTX_s8, 1, false, true},      {WM_PTX_b16, 2, false, false},
        {WM_PTX_u16, 2, false, false},    {WM_PTX_s16, 2, false, true},
        {WM_PTX_f16, 2, true, false},     {WM_PTX_bf16, 2, true, false},
        {WM_PTX_b32, 4, false, false},    {WM_PTX_u32, 4, false, false},
        {WM_PTX_s32, 4, false, true},     {WM_PTX_f32, 4, true, false},
        {WM_PTX_f16x2, 4, true, false},   {WM_PTX_bf16x2, 4, true, false},
        {WM_PTX_b64, 8, false, false},    {WM_PTX_u64, 8, false, false},
        {WM_PTX_s64, 8, false, true},     {WM_PTX_f64, 8, true, false},
        {WM_PTX_b128, 16, false, false},  {WM_PTX_pred, 0, false, false},
        {WM_PTX_texref, 8, false, false}, {WM_PTX_global, 0, false, false},
    };
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        cr_assert_eq(wm_ptx_type_bytes(types[i].type), types[i].bytes);
        cr_assert_eq(wm_ptx_type_is_float(types[i].type), types[i].is_float);
        cr_assert_eq(wm_ptx_type_is_signed(types[i].type), types[i].is_signed);
    }
}

Test(names, classes)
{
    cr_assert_eq(wm_ptx_modifier_class_of(WM_PTX_u32), WM_PTX_CLASS_TYPE);
    cr_assert_eq(wm_ptx_modifier_class_of(WM_PTX_shared_cta), WM_PTX_CLASS_SPACE);
    cr_assert_eq(wm_ptx_modifier_class_of(WM_PTX_rzi), WM_PTX_CLASS_ROUNDING);
    cr_assert_eq(wm_ptx_modifier_class_of(WM_PTX_volatile), WM_PTX_CLASS_SEMANTICS);
    cr_assert_eq(wm_ptx_modifier_class_of(WM_PTX_v4), WM_PTX_CLASS_VECTOR);
}
