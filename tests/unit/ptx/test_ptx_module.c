// Module level: variables, initialisers, functions, directives.
#include "ptx_parse_check.h"

static const struct wm_ptx_symbol *variable_at(const struct wm_ptx_module *module, uint32_t item)
{
    cr_assert_lt(item, module->item_count);
    cr_assert_eq(module->items[item].kind, WM_PTX_ITEM_VARIABLE);
    return module->items[item].variable;
}

static struct wm_ptx_module *parse_items(const char *items)
{
    struct wm_text source;
    wm_text_init(&source);
    wm_text_add(&source, PTX_HEADER);
    wm_text_add(&source, items);
    struct wm_ptx_module *module = parse_or_fail(source.data);
    check_round_trip(module);
    wm_text_release(&source);
    return module;
}

Test(module, header)
{
    struct wm_ptx_module *module =
        parse_or_fail("// c\n.version 8.7 .target sm_90a, texmode_independent\n");
    cr_assert_eq(module->version_major, 8);
    cr_assert_eq(module->version_minor, 7);
    cr_assert_str_eq(module->target, "sm_90a, texmode_independent");
    cr_assert_eq(module->target_architecture, 90);
    cr_assert_eq(module->address_size, 64);
    check_round_trip(module);
    wm_ptx_module_free(module);
}

// Version 1 has no .address_size, and a texture's own directive.
Test(module, version_1)
{
    struct wm_ptx_module *module = parse_or_fail(".version 1.4\n.target sm_10, map_f64_to_f32\n"
                                                 ".tex .u64 image;\n");
    cr_assert_eq(module->address_size, 64);
    cr_assert_eq(variable_at(module, 0)->type, WM_PTX_texref);
    cr_assert_eq(variable_at(module, 0)->space, WM_PTX_global);
    check_round_trip(module);
    wm_ptx_module_free(module);
}

// Before version 1.4 the parameters of an entry stood in its body.
Test(module, parameters_in_the_body_of_version_1)
{
    struct wm_ptx_module *module =
        parse_or_fail(".version 1.2\n.target sm_11\n"
                      ".entry f {\n.reg .u32 $r1;\n.param .u64 a, b;\n"
                      ".param .u32 c;\nld.param.u32 $r1, [c];\nexit;\n}");
    const struct wm_ptx_function *function = module->items[0].function;
    cr_assert_eq(function->parameter_count, 3);
    cr_assert_str_eq(function->parameters[1]->name, "b");
    cr_assert_eq(function->parameters[2]->size_bytes, 4);
    check_round_trip(module);
    wm_ptx_module_free(module);
    // Since then a .param there is a variable that calls pass.
    module = parse_or_fail(PTX_HEADER ".entry f {\n.param .u64 a;\nret;\n}");
    cr_assert_eq(module->items[0].function->parameter_count, 0);
    wm_ptx_module_free(module);
}

Test(module, a_nul_ends_the_text)
{
    static const char text[] = PTX_HEADER ".global .u32 a;\0 nonsense";
    struct wm_ptx_module *module;
    cr_assert_eq(wm_ptx_parse(text, sizeof text, "t.ptx", &module, NULL), WM_OK);
    cr_assert_eq(module->item_count, 1);
    wm_ptx_module_free(module);
}

Test(module, variables)
{
    struct wm_ptx_module *module =
        parse_items(".visible .global .align 16 .b8 a[3][5];\n"
                    ".extern .shared .align 8 .b8 dynamic[];\n"
                    ".const .v4 .f32 v[2];\n"
                    ".weak .global .u16 one, two[7];\n"
                    ".common .global .u64 common_one;\n"
                    ".global .attribute(.managed) .u32 m;\n"
                    ".global .attribute(.unified(19, 95), .managed) .u32 u;\n"
                    ".global .texref image;\n");
    const struct wm_ptx_symbol *a = variable_at(module, 0);
    cr_assert_eq(a->linkage, WM_PTX_LINKAGE_VISIBLE);
    cr_assert_eq(a->alignment, 16);
    cr_assert_eq(a->dimension_count, 2);
    cr_assert_eq(a->dimensions[0], 3);
    cr_assert_eq(a->dimensions[1], 5);
    cr_assert_eq(a->size_bytes, 15);
    const struct wm_ptx_symbol *dynamic = variable_at(module, 1);
    cr_assert(dynamic->unsized);
    cr_assert_eq(dynamic->size_bytes, 0);
    cr_assert_eq(dynamic->space, WM_PTX_shared);
    const struct wm_ptx_symbol *v = variable_at(module, 2);
    cr_assert_eq(v->vector_length, 4);
    cr_assert_eq(v->alignment, 16);
    cr_assert_not(v->alignment_declared);
    cr_assert_eq(v->size_bytes, 32);
    cr_assert_eq(variable_at(module, 3)->size_bytes, 2);
    cr_assert_eq(variable_at(module, 4)->linkage, WM_PTX_LINKAGE_WEAK);
    cr_assert_eq(variable_at(module, 4)->size_bytes, 14);
    cr_assert_eq(variable_at(module, 5)->linkage, WM_PTX_LINKAGE_COMMON);
    cr_assert(variable_at(module, 6)->managed);
    cr_assert(variable_at(module, 7)->is_unified);
    cr_assert_eq(variable_at(module, 7)->unified[1], 95);
    cr_assert_eq(variable_at(module, 8)->type, WM_PTX_texref);
    wm_ptx_module_free(module);
}

static void check_bits(const struct wm_ptx_symbol *symbol, uint64_t count, const uint64_t *bits)
{
    cr_assert_eq(symbol->initializer_count, count, "%s", symbol->name);
    for (uint64_t i = 0; i < count; i++)
        cr_assert_eq(symbol->initializers[i].bits, bits[i], "%s[%d]", symbol->name, (int)i);
}

Test(module, initialisers)
{
    struct wm_ptx_module *module =
        parse_items(".global .s32 scalar = -5;\n"
                    ".global .u8 bytes[4] = {1, 0xFF, -1, 0b11};\n"
                    ".global .u32 rows[2][3] = {{1, 2}, {3, 4, 5}};\n"
                    ".global .u32 flat[2][2] = {1, 2, 3};\n"
                    ".global .f32 floats[4] = {0f3F800000, 1.0, 2, -0.5};\n"
                    ".global .f64 doubles[2] = {0d3FF0000000000000, 0f3F800000};\n"
                    ".global .b8 text[8] = \"a\\n\\x41\\101\\\"\";\n"
                    ".const .u16 counted[] = {7, 8, 9};\n"
                    ".global .v2 .u32 pairs[2] = {{1, 2}, {3}};\n"
                    ".global .u64 braced = {7};\n"
                    ".global .b32 pattern = 0f3F800000;\n");
    check_bits(variable_at(module, 0), 1, (uint64_t[]){0xFFFFFFFB});
    check_bits(variable_at(module, 1), 4, (uint64_t[]){1, 255, 255, 3});
    check_bits(variable_at(module, 2), 6, (uint64_t[]){1, 2, 0, 3, 4, 5});
    check_bits(variable_at(module, 3), 3, (uint64_t[]){1, 2, 3});
    check_bits(variable_at(module, 4), 4,
               (uint64_t[]){0x3F800000, 0x3F800000, 0x40000000, 0xBF000000});
    check_bits(variable_at(module, 5), 2,
               (uint64_t[]){UINT64_C(0x3FF0000000000000), UINT64_C(0x3FF0000000000000)});
    check_bits(variable_at(module, 6), 5, (uint64_t[]){'a', '\n', 'A', 'A', '"'});
    cr_assert_eq(variable_at(module, 7)->dimensions[0], 3);
    cr_assert_eq(variable_at(module, 7)->size_bytes, 6);
    cr_assert_not(variable_at(module, 7)->unsized);
    check_bits(variable_at(module, 8), 3, (uint64_t[]){1, 2, 3});
    check_bits(variable_at(module, 9), 1, (uint64_t[]){7});
    check_bits(variable_at(module, 10), 1, (uint64_t[]){0x3F800000});
    wm_ptx_module_free(module);
}

Test(module, initialisers_of_addresses)
{
    struct wm_ptx_module *module =
        parse_items(".global .b8 target[16];\n.func g();\n"
                    ".global .u64 p[5] = {target, target+8, generic(target), "
                    "generic(target)+-4, g};\n"
                    ".global .b8 masked[3] = {0xFF(target), 0xFF00(generic(target)+4), "
                    "0xFF00000000000000(g)};\n"
                    ".global .u64 inside = generic(target+4);\n");
    const struct wm_ptx_initializer *p = variable_at(module, 2)->initializers;
    const struct wm_ptx_symbol *target = variable_at(module, 0);
    cr_assert_eq(p[0].symbol, target);
    cr_assert_eq(p[0].offset, 0);
    cr_assert_eq(p[0].shift, 255);
    cr_assert_not(p[0].generic);
    cr_assert_eq(p[1].offset, 8);
    cr_assert(p[2].generic);
    cr_assert(p[3].generic);
    cr_assert_eq(p[3].offset, -4);
    cr_assert_eq(p[4].symbol->kind, WM_PTX_SYMBOL_FUNCTION);
    const struct wm_ptx_initializer *masked = variable_at(module, 3)->initializers;
    cr_assert_eq(masked[0].shift, 0);
    cr_assert_eq(masked[0].symbol, target);
    cr_assert_eq(masked[1].shift, 1);
    cr_assert(masked[1].generic);
    cr_assert_eq(masked[1].offset, 4);
    cr_assert_eq(masked[2].shift, 7);
    cr_assert_eq(variable_at(module, 4)->initializers[0].offset, 4);
    wm_ptx_module_free(module);
}

Test(module, an_external_variable_may_be_defined_later)
{
    struct wm_ptx_module *module = parse_items(".extern .global .u32 x;\n.extern .global .u32 x;\n"
                                               ".visible .global .u32 x = 4;\n"
                                               ".global .u64 p = x;\n");
    cr_assert_eq(variable_at(module, 3)->initializers[0].symbol, variable_at(module, 2));
    wm_ptx_module_free(module);
}

Test(module, functions)
{
    struct wm_ptx_module *module = parse_items(
        ".visible .entry k(.param .u64 .ptr .global .align 4 k_0, .param .align 8 .b8 k_1[24],\n"
        " .param .u64 .ptr k_2)\n.maxntid 256, 2, 1\n.minnctapersm 2\n.maxnreg 64\n"
        ".reqnctapercluster 2, 1, 1\n.explicitcluster\n.pragma \"nounroll\";\n{ ret; }\n"
        ".func (.param .b64 r) helper(.param .b32 a, .param .b8 rest[]);\n"
        ".extern .func stop() .noreturn;\n"
        ".weak .func (.reg .u32 %x) in_registers(.reg .u32 %y) { add.u32 %x, %y, 1; ret; }\n"
        ".func (.param .b32 _) unnamed(.param .b32 _, .param .b64 _);\n"
        ".func alias_of();\n.func body() { ret; }\n.alias alias_of, body;\n"
        ".pragma \"once\";\n");
    const struct wm_ptx_function *k = wm_ptx_module_function(module, "k");
    cr_assert(k->entry);
    cr_assert_eq(k->linkage, WM_PTX_LINKAGE_VISIBLE);
    cr_assert_eq(k->parameter_count, 3);
    cr_assert(k->parameters[0]->pointer);
    cr_assert_eq(k->parameters[0]->pointer_space, WM_PTX_global);
    cr_assert_eq(k->parameters[0]->pointer_alignment, 4);
    cr_assert_eq(k->parameters[1]->size_bytes, 24);
    cr_assert_eq(k->parameters[1]->alignment, 8);
    cr_assert(k->parameters[2]->pointer);
    cr_assert_eq(k->parameters[2]->pointer_space, WM_PTX_none);
    cr_assert_eq(k->directive_count, 6);
    cr_assert_str_eq(k->directives[0].name, ".maxntid");
    cr_assert_eq(k->directives[0].value_count, 3);
    cr_assert_eq(k->directives[0].values[1], 2);
    cr_assert_eq(k->directives[4].value_count, 0);
    cr_assert_str_eq(k->directives[5].name, ".pragma \"nounroll\";");
    cr_assert_null(wm_ptx_module_function(module, "helper"));
    const struct wm_ptx_function *helper = module->items[1].function;
    cr_assert_not(helper->defined);
    cr_assert_eq(helper->result_count, 1);
    cr_assert(helper->parameters[1]->unsized);
    const struct wm_ptx_function *in_registers = wm_ptx_module_function(module, "in_registers");
    cr_assert_eq(in_registers->register_count, 2);
    cr_assert_eq(in_registers->parameters[0]->space, WM_PTX_reg);
    cr_assert_str_eq(module->items[7].text, ".alias alias_of, body;");
    wm_ptx_module_free(module);
}

Test(module, files_locations_and_sections)
{
    struct wm_ptx_module *module =
        parse_items(".file 1 \"/src/a b.cu\"\n.file 7 \"x.h\", 123456789012, 42\n"
                    ".entry f() {\n.loc 1 10 3\nret;\n"
                    ".loc 7 20 1, function_name $L__info_string0, inlined_at 1 11 5\nret;\n"
                    ".loc 7 21 1, function_name $L__info_string0 + 12, inlined_at 1 12 6\nret;\n}\n"
                    ".section .debug_str {\n$L__info_string0:\n.b8 102, 0 // f\n}\n");
    cr_assert_str_eq(wm_ptx_module_file_name(module, 1), "/src/a b.cu");
    cr_assert_str_eq(wm_ptx_module_file_name(module, 7), "x.h");
    cr_assert_null(wm_ptx_module_file_name(module, 2));
    cr_assert_eq(module->files[1]->timestamp, UINT64_C(123456789012));
    cr_assert_eq(module->files[1]->size, 42);
    const struct wm_ptx_function *f = only_function(module);
    const struct wm_ptx_loc *loc = f->statements[2].loc;
    cr_assert_eq(loc->file, 7);
    cr_assert_eq(loc->inlined_line, 11);
    cr_assert_eq(loc->inlined_column, 5);
    cr_assert_str_eq(loc->function_name, "$L__info_string0");
    cr_assert_str_eq(f->statements[4].loc->function_name, "$L__info_string0 + 12");
    cr_assert_str_eq(module->items[3].text,
                     ".section .debug_str {\n$L__info_string0:\n.b8 102, 0\n}");
    wm_ptx_module_free(module);
}

Test(module, equality_sees_differences)
{
    static const char *const variants[] = {
        ".global .u32 a = 1;",
        ".global .u32 a = 2;",
        ".global .u32 b = 1;",
        ".visible .global .u32 a = 1;",
        ".global .align 8 .u32 a = 1;",
        ".global .u32 a[1] = {1};",
        ".const .u32 a = 1;",
        ".entry f() { ret; }",
        ".entry f() { exit; }",
        ".entry f() { ret; ret; }",
        ".entry f() .maxntid 4 { ret; }",
        ".entry f() .maxntid 5 { ret; }",
        ".entry f() { .loc 1 2 3 ret; }",
        ".entry f() { .loc 1 2 4 ret; }",
        ".entry f() { .reg .b32 a; mov.b32 a, 1; }",
        ".entry f() { .reg .b32 a; mov.b32 a, 2; }",
        ".entry f() { .reg .b32 a; mov.u32 a, 2; }",
        ".entry f() { .reg .u32 a; mov.u32 a, 2; }",
        ".entry f() { .reg .b32 a; ld.global.b32 a, [a+4]; }",
        ".entry f() { .reg .b32 a; ld.global.b32 a, [a+8]; }",
        ".entry f() { a: bra a; b: ret; }",
        ".entry f() { a: bra b; b: ret; }",
        ".entry f() { what.is.this 1; }",
        ".entry f() { what.is.this 2; }",
        ".file 1 \"a\"",
        ".file 1 \"b\"",
        ".pragma \"a\";",
        ".pragma \"b\";",
    };
    enum { COUNT = sizeof variants / sizeof variants[0] };
    struct wm_ptx_module *modules[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        modules[i] = parse_items(variants[i]);
    for (unsigned i = 0; i < COUNT; i++)
        for (unsigned j = 0; j < COUNT; j++) {
            struct wm_text difference;
            wm_text_init(&difference);
            cr_assert_eq(wm_ptx_module_equal(modules[i], modules[j], &difference), i == j, "%s\n%s",
                         variants[i], variants[j]);
            cr_assert_eq(difference.length > 0, i != j);
            wm_text_release(&difference);
        }
    for (unsigned i = 0; i < COUNT; i++)
        wm_ptx_module_free(modules[i]);
}
