// Each syntactic form of instructions and operands: what the IR says of it, and that it prints
// back.
#include "ptx_parse_check.h"

// A form as written, and as it prints (NULL: the same).
struct form {
    const char *written, *printed;
};

// Everything an instruction may name.
#define FORM_BODY                                                                         \
    ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 4 .b8 data[64];\n"     \
    ".extern .shared .align 16 .b8 dynamic[];\n.func (.param .b32 r) g(.param .b64 a);\n" \
    ".visible .entry f(.param .u64 a, .param .u32 n)\n{\n.reg .pred %%p<8>;\n.reg .b16 "  \
    "%%rs<8>;\n.reg .b32 %%r<32>;\n.reg .b64 %%rd<32>;\n.reg .f32 %%f<32>;\n.reg .f64 "   \
    "%%fd<32>;\n.reg .b32 single;\n.param .b32 out;\n.param .b64 in;\n"                   \
    "proto: .callprototype (.param .b32 _) _ (.param .b64 _);\n"                          \
    "list: .branchtargets there, there;\nthere:\n%s;\n}\n"

static void check_form(const struct form *form)
{
    struct wm_text source, printed;
    wm_text_init(&source);
    wm_text_init(&printed);
    wm_text_format(&source, FORM_BODY, form->written);
    struct wm_ptx_module *module = parse_or_fail(source.data);
    const struct wm_ptx_function *function = only_function(module);
    wm_ptx_print_instruction(function, instruction_at(function, 0), &printed);
    cr_expect_str_eq(printed.data, form->printed ? form->printed : form->written);
    check_round_trip(module);
    wm_ptx_module_free(module);
    wm_text_release(&source);
    wm_text_release(&printed);
}

#define CHECK_FORMS(forms)                                        \
    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) \
    check_form(&forms[i])

Test(forms, arithmetic)
{
    static const struct form forms[] = {
        {"add.s32 %r1, %r2, 5"},
        {"add.cc.u32 %r1, %r2, %r3"},
        {"mad.lo.s32 %r1, %r2, %r3, %r4"},
        {"mul.wide.u16 %r1, %rs1, %rs2"},
        {"mul.hi.u64 %rd1, %rd2, %rd3"},
        {"fma.rn.ftz.f32 %f1, %f2, %f3, %f4"},
        {"div.full.ftz.f32 %f1, %f2, %f3"},
        {"sqrt.approx.f32 %f1, %f2"},
        {"cvt.rzi.ftz.sat.s32.f32 %r1, %f1"},
        {"cvt.rn.f16x2.f32 %r1, %f1, %f2"},
        {"setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3"},
        {"setp.ne.s16 %p1|_, %rs1, 0", "setp.ne.s16 %p1|_, %rs1, 0"},
        {"selp.b64 %rd1, %rd2, 0, %p1"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0x96", "lop3.b32 %r1, %r2, %r3, %r4, 150"},
        {"shf.l.wrap.b32 %r1, %r2, %r3, %r4"},
        {"prmt.b32.f4e %r1, %r2, %r3, 4"},
        {"bfe.u32 %r1, %r2, 4, 8"},
        {"testp.finite.f64 %p1, %fd1"},
        {"not.pred %p1, %p2"},
        {"min.xorsign.abs.f32 %f1, %f2, %f3"},
        {"add.s32 single, single, 1"},
    };
    CHECK_FORMS(forms);
}

Test(forms, numbers)
{
    static const struct form forms[] = {
        {"mov.u32 %r1, 0x1F", "mov.u32 %r1, 31"},
        {"mov.u32 %r1, 0XffU", "mov.u32 %r1, 255"},
        {"mov.u32 %r1, 017", "mov.u32 %r1, 15"},
        {"mov.u32 %r1, 0b101", "mov.u32 %r1, 5"},
        {"mov.u32 %r1, 0", NULL},
        {"mov.u32 %r1, -7", NULL},
        {"mov.u64 %rd1, 18446744073709551615", "mov.u64 %rd1, -1"},
        {"mov.u64 %rd1, -9223372036854775808", NULL},
        {"mov.f32 %f1, 0f3F800000", NULL},
        {"mov.f32 %f1, 0F3f800000", "mov.f32 %f1, 0f3F800000"},
        {"mov.f64 %fd1, 0d3FF0000000000000", NULL},
        {"mov.f64 %fd1, 1.5", "mov.f64 %fd1, 0d3FF8000000000000"},
        {"mov.f64 %fd1, -2.5e-1", "mov.f64 %fd1, 0dBFD0000000000000"},
        {"mov.f64 %fd1, 1e3", "mov.f64 %fd1, 0d408F400000000000"},
        {"mov.f64 %fd1, 2.", "mov.f64 %fd1, 0d4000000000000000"},
        {"mov.f32 %f1, -0f3F800000", "mov.f32 %f1, 0fBF800000"},
        {"mov.u32 %r1, WARP_SZ", NULL},
    };
    CHECK_FORMS(forms);
}

Test(forms, constant_expressions)
{
    static const struct form forms[] = {
        {"mov.u32 %r1, 2 + 3 * 4", "mov.u32 %r1, 14"},
        {"mov.u32 %r1, (2 + 3) * 4", "mov.u32 %r1, 20"},
        {"mov.u32 %r1, 7 - 2 - 1", "mov.u32 %r1, 4"},
        {"mov.u32 %r1, 100 / 7 % 5", "mov.u32 %r1, 4"},
        {"mov.u32 %r1, 1 << 4 | 3", "mov.u32 %r1, 19"},
        {"mov.u32 %r1, -16 >> 2", "mov.u32 %r1, -4"},
        {"mov.u64 %rd1, (.u64)-16 >> 60", "mov.u64 %rd1, 15"},
        {"mov.u32 %r1, ~0 ^ 5 & 4", "mov.u32 %r1, -5"},
        {"mov.u32 %r1, !5", "mov.u32 %r1, 0"},
        {"mov.u32 %r1, 3 > 2 && 2 >= 2", "mov.u32 %r1, 1"},
        {"mov.u32 %r1, -1 < 0U", "mov.u32 %r1, 0"},
        {"mov.u32 %r1, -1 < 0", "mov.u32 %r1, 1"},
        {"mov.u32 %r1, 1 == 2 ? 5 : 6", "mov.u32 %r1, 6"},
        {"mov.u32 %r1, 0 || 1 != 1", "mov.u32 %r1, 0"},
        {"mov.u64 %rd1, (-9223372036854775807 - 1) / -1", "mov.u64 %rd1, -9223372036854775808"},
        {"mov.u64 %rd1, 1 << 64", "mov.u64 %rd1, 0"},
    };
    CHECK_FORMS(forms);
}

Test(forms, memory)
{
    static const struct form forms[] = {
        {"ld.param.u64 %rd1, [a]"},
        {"ld.global.f32 %f1, [%rd1]"},
        {"ld.global.f32 %f1, [%rd1+-4]"},
        {"ld.global.f32 %f1, [%rd1-4]", "ld.global.f32 %f1, [%rd1+-4]"},
        {"ld.global.f32 %f1, [ %rd1 + 4 * 2 ]", "ld.global.f32 %f1, [%rd1+8]"},
        {"ld.global.f32 %f1, [%rd1+4+4]", "ld.global.f32 %f1, [%rd1+8]"},
        {"ld.global.u32 %r1, [data+8]"},
        {"ld.shared.u32 %r1, [dynamic]"},
        {"ld.shared.u32 %r1, [16]"},
        {"st.shared.u32 [%r1+0], 5", "st.shared.u32 [%r1], 5"},
        {"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]"},
        {"ld.global.nc.L1::no_allocate.L2::128B.v2.u64 {%rd1, %rd2}, [%rd3]"},
        {"st.global.v2.f64 [%rd1+16], {%fd1, %fd2}"},
        {"ld.v4.b32 {%r1, _, _, %r2}, [%rd1]"},
        {"st.volatile.global.u32 [%rd1], %r1"},
        {"ld.acquire.gpu.u32 %r1, [%rd1]"},
        {"atom.global.add.u32 %r1, [%rd1], 1"},
        {"atom.acq_rel.cta.global.cas.b64 %rd1, [%rd2], %rd3, %rd4"},
        {"atom.global.add.u32 _, [%rd1], %r1"},
        {"red.relaxed.sys.global.max.s32 [%rd1], %r1"},
        {"mov.u64 %rd1, data"},
        {"mov.u64 %rd1, data+4"},
        {"mov.u64 %rd1, g"},
        {"mov.b64 %rd1, {%r1, %r2}"},
        {"mov.b64 {%r1, _}, %rd1"},
        {"cvta.to.global.u64 %rd1, %rd2"},
        {"isspacep.shared::cta %p1, %rd1"},
        {"prefetch.global.L2 [%rd1]"},
        {"cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16"},
        {"membar.gl"},
        {"fence.acq_rel.gpu"},
        {"ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2"},
    };
    CHECK_FORMS(forms);
}

Test(forms, control_and_calls)
{
    static const struct form forms[] = {
        {"bra there"},
        {"bra.uni there"},
        {"brx.idx %r1, list"},
        {"call (out), g, (in)"},
        {"call.uni (out), g, (in)"},
        {"call g"},
        {"call g, (in)"},
        {"call (out), %rd1, (in), proto"},
        {"call %rd1, (in), proto"},
        {"call %rd1, proto"},
        {"ret.uni"},
        {"exit"},
        {"bar.sync 0"},
        {"bar.sync %r1, 64"},
        {"barrier.sync.aligned 1"},
        {"bar.red.popc.u32 %r1, 0, !%p1"},
        {"bar.warp.sync -1"},
        {"vote.sync.ballot.b32 %r1, %p1, -1"},
        {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1"},
        {"shfl.sync.bfly.b32 _|%p1, %r2, 1, 31, -1"},
        {"match.any.sync.b32 %r1, %r2, -1"},
        {"elect.sync _|%p1, -1"},
        {"nanosleep.u32 100"},
        {"trap"},
    };
    CHECK_FORMS(forms);
}

Test(forms, textures_and_surfaces)
{
    static const struct form forms[] = {
        {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}]"},
        {"tex.2d.v4.u32.f32 {%r1, _, _, _}, [%rd1, {%f1, %f2}]"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%f1, %f2}]"},
        {"tex.a2d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [data, {%r5, %f1, %f2, %f2}]"},
        {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd2, {%f1, %f2}], %f3"},
        {"tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f3}], "
         "{%f1, %f2, %f3, %f3}, {%f4, %f5, %f6, %f6}"},
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %f1]"},
        {"tld4.b.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}]"},
        {"txq.width.b32 %r1, [%rd1]"},
        {"suq.height.b32 %r1, [data]"},
        {"suld.b.2d.v2.b16.trap {%rs1, %rs2}, [%rd1, {%r1, %r2}]"},
        {"sust.b.3d.b8.zero [%rd1, {%r1, %r2, %r3, %r3}], {%rs1}"},
        {"sust.p.1d.v4.b32.clamp [%rd1, {%r1}], {%r2, %r3, %r4, %r5}"},
        {"sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3"},
    };
    CHECK_FORMS(forms);
    static const struct bad {
        const char *body, *what;
    } bad[] = {
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, [%rd2]];", "no place inside a reference"},
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}, %f1, %f2];", "no place inside"},
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1};", "a reference to a texture"},
        {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}|, [%rd1, {%f1}];", "a register after '|'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wm_ptx_module *module;
        struct wm_error error;
        wm_error_clear(&error);
        struct wm_text text;
        wm_text_init(&text);
        wm_text_format(&text, FORM_BODY, bad[i].body);
        cr_assert_eq(wm_ptx_parse(text.data, text.length, "bad", &module, &error), WM_INVALID);
        cr_assert(strstr(error.message, bad[i].what), "%s", error.message);
        wm_text_release(&text);
    }
}

Test(forms, unknown_keeps_its_text)
{
    static const struct form forms[] = {
        {"frobnicate.u32 %r1, [nowhere, {1, 2}] , \"x ; y\""},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2}, [%rd4], %r1"},
        {"ld.global.b128.unheard_of %r1, [%rd1]"},
        {"tcgen05.shift.cta_group::1   [%r1] /* gone */ ,\n\t1",
         "tcgen05.shift.cta_group::1 [%r1] , 1"},
        {"add.ftz.ftz.ftz.ftz.ftz.ftz.ftz.ftz.ftz.ftz.ftz.ftz.ftz %r1, %r1, %r1"},
    };
    CHECK_FORMS(forms);
    struct wm_ptx_module *module = parse_or_fail(PTX_BODY("@!%p2 fetch.1d.v4 {%f1}, [t, {%f2}];"));
    const struct wm_ptx_instruction *fetch = instruction_at(only_function(module), 0);
    cr_assert_eq(fetch->opcode, WM_PTX_OP_unknown);
    cr_assert_eq(fetch->guard, 2);
    cr_assert(fetch->guard_negated);
    cr_assert_str_eq(fetch->text, "fetch.1d.v4 {%f1}, [t, {%f2}]");
    check_round_trip(module);
    wm_ptx_module_free(module);
}

Test(forms, vector_registers_are_unknown)
{
    struct wm_ptx_module *module = parse_or_fail(
        PTX_BODY(".reg .v4 .f32 v;\n mov.f32 %f1, v.x;\n ld.global.v4.f32 v, [%rd1]; ret;"));
    const struct wm_ptx_function *function = only_function(module);
    cr_assert_eq(instruction_at(function, 0)->opcode, WM_PTX_OP_unknown);
    cr_assert_str_eq(instruction_at(function, 0)->text, "mov.f32 %f1, v.x");
    cr_assert_eq(instruction_at(function, 1)->opcode, WM_PTX_OP_unknown);
    cr_assert_eq(instruction_at(function, 2)->opcode, WM_PTX_OP_ret);
    check_round_trip(module);
    wm_ptx_module_free(module);
}

Test(forms, whole_special_vectors_are_unknown)
{
    struct wm_ptx_module *module =
        parse_or_fail(PTX_BODY("mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid; mov.u32 %r1, %tid.x;"));
    const struct wm_ptx_function *function = only_function(module);
    cr_assert_eq(instruction_at(function, 0)->opcode, WM_PTX_OP_unknown);
    cr_assert_eq(instruction_at(function, 1)->operands[1].special, WM_PTX_SPECIAL_tid_x);
    check_round_trip(module);
    wm_ptx_module_free(module);
}

Test(forms, modifiers_are_classified)
{
    struct wm_ptx_module *module =
        parse_or_fail(PTX_BODY("ld.relaxed.sys.global.L1::evict_last.v2.f64 {%fd1, %fd2}, [%rd1];\n"
                               "cvt.rn.f32.s64 %f1, %rd1;\n"
                               "setp.geu.f32 %p1, %f1, %f2;\n"
                               "mul.lo.s32 %r1, %r1, %r1;\n"
                               "ld.global.nc.L1::no_allocate.u32 %r1, [%rd1];\n"
                               "cvta.shared.u64 %rd1, %rd2;\n"
                               "ld.u32 %r1, [%rd1];"));
    const struct wm_ptx_function *function = only_function(module);
    const struct wm_ptx_instruction *load = instruction_at(function, 0);
    cr_assert_eq(load->semantics, WM_PTX_relaxed);
    cr_assert_eq(load->scope, WM_PTX_sys);
    cr_assert_eq(load->space, WM_PTX_global);
    cr_assert_eq(load->cache, WM_PTX_L1_evict_last);
    cr_assert_eq(load->vector_length, 2);
    cr_assert_eq(load->type, WM_PTX_f64);
    cr_assert_eq(load->operand_count, 2);
    cr_assert_eq(load->operands[0].kind, WM_PTX_OPERAND_VECTOR);
    cr_assert_eq(load->operands[0].list_count, 2);
    const struct wm_ptx_instruction *convert = instruction_at(function, 1);
    cr_assert_eq(convert->type, WM_PTX_f32);
    cr_assert_eq(convert->type2, WM_PTX_s64);
    cr_assert_eq(convert->rounding, WM_PTX_rn);
    cr_assert_eq(convert->vector_length, 1);
    cr_assert_eq(instruction_at(function, 2)->compare, WM_PTX_geu);
    cr_assert_eq(instruction_at(function, 3)->compare, WM_PTX_lo);
    cr_assert_eq(instruction_at(function, 4)->cache, WM_PTX_nc);
    cr_assert_eq(instruction_at(function, 5)->space, WM_PTX_shared);
    cr_assert_eq(instruction_at(function, 6)->space, WM_PTX_none);
    wm_ptx_module_free(module);
}

Test(forms, call_operands)
{
    struct wm_ptx_module *module = parse_or_fail(
        PTX_HEADER ".func (.param .b32 r) g(.param .b64 a);\n.entry f() {\n.reg .b64 %rd<2>;\n"
                   "{ .param .b32 out; .param .b64 in;\n call.uni (out), g, (in);\n"
                   "p: .callprototype (.param .b32 _) _ (.param .b64 _);\n"
                   " call (out), %rd1, (in), p; }\n}\n.func (.param .b32 r) g(.param .b64 a) "
                   "{ ret; }");
    const struct wm_ptx_function *function = only_function(module);
    cr_assert_str_eq(function->name, "f");
    const struct wm_ptx_instruction *call = instruction_at(function, 0);
    cr_assert_eq(call->operand_count, 3);
    cr_assert_eq(call->operands[0].kind, WM_PTX_OPERAND_LIST);
    cr_assert_str_eq(call->operands[0].list[0].symbol->name, "out");
    cr_assert_eq(call->operands[1].kind, WM_PTX_OPERAND_SYMBOL);
    // The declaration's symbol leads to the definition that followed.
    cr_assert(call->operands[1].symbol->function->defined);
    cr_assert_eq(call->operands[1].symbol->function, wm_ptx_module_function(module, "g"));
    cr_assert_null(call->call_prototype);
    const struct wm_ptx_instruction *indirect = instruction_at(function, 1);
    cr_assert_eq(indirect->operands[1].kind, WM_PTX_OPERAND_REGISTER);
    cr_assert_eq(indirect->operands[1].index, 1);
    cr_assert_str_eq(indirect->call_prototype, "p");
    check_round_trip(module);
    wm_ptx_module_free(module);
}

// What an indirect call may reach, also where labels of two scopes are the same and parameters have
// no names.
Test(forms, prototypes_and_targets)
{
    struct wm_ptx_module *module = parse_or_fail(
        PTX_HEADER
        ".func g(.param .b64 a);\n.func h(.param .b64 a);\n.entry f() {\n"
        ".reg .b64 %rd<2>;\n.param .b64 in;\n"
        "{ p: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 4 .b8 _[12]) "
        ".noreturn;\n call (_), %rd1, (in, in), p; }\n"
        "{ p: .calltargets g, h;\n call %rd1, (in), p; }\n"
        "call %rd0, (%rd1), last;\nlast: .callprototype _ (.reg .b64 _);\n}\n");
    const struct wm_ptx_function *function = only_function(module);
    cr_assert_eq(function->prototype_count, 3);
    const struct wm_ptx_prototype *layout =
        function->prototypes[instruction_at(function, 0)->prototype];
    cr_assert_eq(layout->result_count, 1);
    cr_assert_eq(layout->parameter_count, 2);
    cr_assert_eq(layout->parameters[1]->size_bytes, 12);
    cr_assert_null(layout->targets);
    const struct wm_ptx_prototype *list =
        function->prototypes[instruction_at(function, 1)->prototype];
    cr_assert_eq(list->target_count, 2);
    cr_assert_str_eq(list->targets[1]->name, "h");
    const struct wm_ptx_prototype *last =
        function->prototypes[instruction_at(function, 2)->prototype];
    cr_assert_eq(last->result_count, 0);
    cr_assert_eq(last->parameters[0]->space, WM_PTX_reg);
    cr_assert_eq(function->register_count, 2, "parameters of prototypes are no registers");
    check_round_trip(module);
    wm_ptx_module_free(module);
}

Test(forms, scopes_hide_and_repeat_names)
{
    struct wm_ptx_module *module = parse_or_fail(
        PTX_BODY("{ .reg .u32 x; mov.u32 x, 1; bra DONE; DONE: }\n"
                 "{ .reg .u64 x, %r1<4>; mov.u64 x, %r13; bra DONE; DONE: bra OUT; }\n"
                 "OUT: bra DONE; DONE: ret;"));
    const struct wm_ptx_function *function = only_function(module);
    const struct wm_ptx_instruction *first = instruction_at(function, 0);
    const struct wm_ptx_instruction *second = instruction_at(function, 2);
    cr_assert_neq(first->operands[0].index, second->operands[0].index);
    cr_assert_eq(function->registers[second->operands[0].index].type, WM_PTX_u64);
    // "%r13" is number 13 of "%r<32>" before it is number 3 of "%r1<4>".
    cr_assert_eq(function->registers[second->operands[1].index].type, WM_PTX_b32);
    uint32_t labels[] = {instruction_at(function, 1)->operands[0].index,
                         instruction_at(function, 3)->operands[0].index,
                         instruction_at(function, 5)->operands[0].index};
    cr_assert_neq(labels[0], labels[1]);
    cr_assert_neq(labels[1], labels[2]);
    cr_assert_str_eq(function->labels[labels[1]], "DONE");
    cr_assert_str_eq(function->labels[instruction_at(function, 4)->operands[0].index], "OUT");
    check_round_trip(module);
    wm_ptx_module_free(module);
}

Test(forms, statements_know_their_line)
{
    struct wm_ptx_module *module =
        parse_or_fail(".version 9.0\n.target sm_75\n.entry f() {\n\n  .reg .pred p;\n\t@p ret;\n}");
    const struct wm_ptx_function *function = only_function(module);
    cr_assert_eq(function->line, 3);
    cr_assert_eq(function->column, 8);
    cr_assert_eq(function->statements[1].line, 6);
    cr_assert_eq(function->statements[1].column, 2);
    wm_ptx_module_free(module);
}
