// The text of each error as people read it: place, message, source line, caret, hint.
#include "ptx_parse_check.h"

#define KERNEL(statements)                                                             \
    PTX_HEADER ".entry f(.param .u64 a)\n{\n\t.reg .pred %p<4>;\n\t.reg .b32 %r<8>;\n" \
               "\t.reg .b64 %rd<8>;\n" statements "\n}\n"

struct mistake {
    const char *name, *text, *shown;
};

static const struct mistake mistakes[] = {
    {"not ptx", "hello",
     "error: t.ptx:1:1: a PTX module begins with '.version', not 'hello'\n"
     "  hello\n"
     "  ^\n"
     "hint: check that the file is PTX text\n"},
    {"empty", "",
     "error: t.ptx:1:1: a PTX module begins with '.version', not the end of the file\n"
     "  \n"
     "  ^\n"
     "hint: check that the file is PTX text\n"},
    {"version shape", ".version nine",
     "error: t.ptx:1:10: expected a version such as '9.0', found 'nine'\n"
     "  .version nine\n"
     "           ^\n"},
    {"version far", ".version 12.0\n",
     "error: t.ptx:1:10: PTX version 12.0 cannot be read\n"
     "  .version 12.0\n"
     "           ^\n"
     "hint: compile to PTX of version 1.0 to 9.x\n"},
    {"no target",
     ".version 9.0\n"
     ".entry f() { ret; }",
     "error: t.ptx:2:1: expected '.target' after '.version', found '.entry'\n"
     "  .entry f() { ret; }\n"
     "  ^\n"},
    {"address size",
     ".version 6.0\n"
     ".target sm_50\n"
     ".address_size 32\n",
     "error: t.ptx:3:15: PTX with 32-bit addresses cannot be read\n"
     "  .address_size 32\n"
     "                ^\n"
     "hint: compile with -m64\n"},
    {"call target", KERNEL("\tt: .calltargets nobody;"),
     "error: t.ptx:9:18: function 'nobody' is not declared\n"
     "   t: .calltargets nobody;\n"
     "                   ^\n"},
    {"prototype", KERNEL("\tt: .callprototype (.param .b32 _) (.param .b32 _);"),
     "error: t.ptx:9:36: expected '_', found '('\n"
     "   t: .callprototype (.param .b32 _) (.param .b32 _);\n"
     "                                     ^\n"},
    {"module level", PTX_HEADER "add.u32 a, b, c;",
     "error: t.ptx:4:1: expected a directive such as '.entry', '.func' or '.global', found 'add'\n"
     "  add.u32 a, b, c;\n"
     "  ^\n"},
    {"module directive", PTX_HEADER ".frobnicate 5;",
     "error: t.ptx:4:1: directive '.frobnicate' has no place at module level\n"
     "  .frobnicate 5;\n"
     "  ^\n"},
    {"undeclared register", KERNEL("\tadd.s32 %r1, %r2, %r8;"),
     "error: t.ptx:9:20: register '%r8' is not declared\n"
     "   add.s32 %r1, %r2, %r8;\n"
     "                     ^\n"
     "hint: line 7 declares '%r0' to '%r7' only\n"},
    {"undeclared guard", KERNEL("\t@%q ret;"),
     "error: t.ptx:9:3: register '%q' is not declared\n"
     "   @%q ret;\n"
     "    ^\n"},
    {"guard type", KERNEL("\t@%r1 ret;"),
     "error: t.ptx:9:3: guard '%r1' is not a '.pred' register\n"
     "   @%r1 ret;\n"
     "    ^\n"},
    {"undeclared symbol", KERNEL("\tld.param.u64 %rd1, [b];"),
     "error: t.ptx:9:22: 'b' is not declared\n"
     "   ld.param.u64 %rd1, [b];\n"
     "                       ^\n"},
    {"undeclared label", KERNEL("\tbra NOWHERE;"),
     "error: t.ptx:9:6: label 'NOWHERE' is not declared\n"
     "   bra NOWHERE;\n"
     "       ^\n"},
    {"label twice",
     KERNEL("L:\n"
            "\tret;\n"
            "L:\n"
            "\tret;"),
     "error: t.ptx:11:1: 'L' is already declared in this scope, on line 9\n"
     "  L:\n"
     "  ^\n"},
    {"register twice", KERNEL("\t.reg .b32 %r<5>;"),
     "error: t.ptx:9:12: '%r' is already declared in this scope, on line 7\n"
     "   .reg .b32 %r<5>;\n"
     "             ^\n"},
    {"variable twice",
     PTX_HEADER ".global .u32 x;\n"
                ".global .u64 x;",
     "error: t.ptx:5:14: 'x' is already declared in this scope, on line 4\n"
     "  .global .u64 x;\n"
     "               ^\n"},
    {"function twice",
     PTX_HEADER ".func g() { ret; }\n"
                ".func g() { ret; }",
     "error: t.ptx:5:7: function 'g' is already defined, on line 4\n"
     "  .func g() { ret; }\n"
     "        ^\n"},
    {"no semicolon",
     KERNEL("\tadd.s32 %r1, %r2, %r3\n"
            "\tret;"),
     "error: t.ptx:10:2: expected ';' after the operands of 'add', found 'ret'\n"
     "   ret;\n"
     "   ^\n"},
    {"no semicolon unknown", KERNEL("\tfrob.s32 %r1"),
     "error: t.ptx:10:1: expected ';' before '}'\n"
     "  }\n"
     "  ^\n"},
    {"missing brace",
     PTX_HEADER ".entry f() {\n"
                "\tret;\n",
     "error: t.ptx:4:12: '{' is not closed before the end of the file\n"
     "  .entry f() {\n"
     "             ^\n"},
    {"extra brace",
     KERNEL("\tret;\n"
            "}"),
     "error: t.ptx:11:1: expected a directive such as '.entry', '.func' or '.global', found '}'\n"
     "  }\n"
     "  ^\n"},
    {"open vector", KERNEL("\tld.global.v2.u32 {%r1, %r2, [%rd1];"),
     "error: t.ptx:9:30: '[' has no place inside a list\n"
     "   ld.global.v2.u32 {%r1, %r2, [%rd1];\n"
     "                               ^\n"},
    {"open address", KERNEL("\tld.global.u32 %r1, [%rd1;"),
     "error: t.ptx:9:26: expected ']' after an address, found ';'\n"
     "   ld.global.u32 %r1, [%rd1;\n"
     "                           ^\n"},
    {"count",
     PTX_HEADER ".entry f() {\n"
                ".reg .b32 %r<4000000000>;\n"
                "}",
     "error: t.ptx:5:11: these registers exceed what a module of this size may declare\n"
     "  .reg .b32 %r<4000000000>;\n"
     "            ^\n"},
    {"count zero",
     PTX_HEADER ".entry f() {\n"
                ".reg .b32 %r<0>;\n"
                "}",
     "error: t.ptx:5:14: number of registers is 0\n"
     "  .reg .b32 %r<0>;\n"
     "               ^\n"},
    {"count giant",
     PTX_HEADER ".entry f() {\n"
                ".reg .b32 %r<99999999999>;\n"
                "}",
     "error: t.ptx:5:14: '99999999999' does not fit in 32 bits\n"
     "  .reg .b32 %r<99999999999>;\n"
     "               ^\n"},
    {"number", KERNEL("\tmov.u64 %rd1, 99999999999999999999999;"),
     "error: t.ptx:9:16: '99999999999999999999999' does not fit in 64 bits\n"
     "   mov.u64 %rd1, 99999999999999999999999;\n"
     "                 ^\n"},
    {"number bad", KERNEL("\tmov.u64 %rd1, 12abc;"),
     "error: t.ptx:9:16: '12abc' is not a number\n"
     "   mov.u64 %rd1, 12abc;\n"
     "                 ^\n"},
    {"number octal", KERNEL("\tmov.u64 %rd1, 089;"),
     "error: t.ptx:9:16: '089' is not a number\n"
     "   mov.u64 %rd1, 089;\n"
     "                 ^\n"},
    {"float digits", KERNEL("\tmov.f32 %r1, 0f3F80;"),
     "error: t.ptx:9:15: '0f' takes 8 hexadecimal digits, not 4\n"
     "   mov.f32 %r1, 0f3F80;\n"
     "                ^\n"},
    {"divide", KERNEL("\tmov.u32 %r1, 1 / 0;"),
     "error: t.ptx:9:17: division by zero in a constant expression\n"
     "   mov.u32 %r1, 1 / 0;\n"
     "                  ^\n"},
    {"call variable", KERNEL("\tcall a;"),
     "error: t.ptx:9:7: 'a' is not a function\n"
     "   call a;\n"
     "        ^\n"},
    {"call undeclared", KERNEL("\tcall missing, (a);"),
     "error: t.ptx:9:7: 'missing' is not declared\n"
     "   call missing, (a);\n"
     "        ^\n"},
    {"branch list",
     KERNEL("L: .branchtargets M;\n"
            "M:\n"
            "\tbra L;"),
     "error: t.ptx:11:6: 'L' is not a label of an instruction\n"
     "   bra L;\n"
     "       ^\n"},
    {"brx label",
     KERNEL("M:\n"
            "\tbrx.idx %r1, M;"),
     "error: t.ptx:10:15: 'M' is not the label of a '.branchtargets'\n"
     "   brx.idx %r1, M;\n"
     "                ^\n"},
    {"string", PTX_HEADER ".file 1 \"abc\n",
     "error: t.ptx:4:9: string is not closed before the end of its line\n"
     "  .file 1 \"abc\n"
     "          ^\n"},
    {"comment",
     PTX_HEADER "/* never\n"
                " closed",
     "error: t.ptx:4:1: comment is not closed with '*/'\n"
     "  /* never\n"
     "  ^\n"},
    {"byte", PTX_HEADER "\x01",
     "error: t.ptx:4:1: byte 0x01 has no meaning in PTX outside comments and strings\n"
     "   \n"
     "  ^\n"},
    {"local init", KERNEL("\t.local .u32 x = 5;"),
     "error: t.ptx:9:14: 'x' cannot have an initialiser\n"
     "   .local .u32 x = 5;\n"
     "               ^\n"
     "hint: only '.global' and '.const' variables take one\n"},
    {"init many", PTX_HEADER ".global .u32 x[2] = {1, 2, 3};",
     "error: t.ptx:4:28: initialiser of 'x' has too many elements\n"
     "  .global .u32 x[2] = {1, 2, 3};\n"
     "                             ^\n"},
    {"init braces", PTX_HEADER ".global .u32 x[2] = {{1}, {2}};",
     "error: t.ptx:4:22: initialiser of 'x' has more braces than dimensions\n"
     "  .global .u32 x[2] = {{1}, {2}};\n"
     "                       ^\n"},
    {"init sparse", PTX_HEADER ".global .u32 x[2][4000000000] = {{1}, {2}};",
     "error: t.ptx:4:39: the missing elements of short rows exceed what a module of this size may "
     "declare\n"
     "  .global .u32 x[2][4000000000] = {{1}, {2}};\n"
     "                                        ^\n"},
    {"init symbol", PTX_HEADER ".global .u64 x = y;",
     "error: t.ptx:4:18: 'y' is not declared before its address is taken\n"
     "  .global .u64 x = y;\n"
     "                   ^\n"},
    {"init mask",
     PTX_HEADER ".global .u8 y;\n"
                ".global .u8 x = 0xF0(y);",
     "error: t.ptx:5:17: mask '0xF0' does not cover exactly one byte\n"
     "  .global .u8 x = 0xF0(y);\n"
     "                  ^\n"},
    {"size", PTX_HEADER ".global .u64 x[4000000000][4000000000];",
     "error: t.ptx:4:14: size of 'x' does not fit in 63 bits\n"
     "  .global .u64 x[4000000000][4000000000];\n"
     "               ^\n"},
    {"unsized", PTX_HEADER ".shared .u32 x[];",
     "error: t.ptx:4:14: 'x' has neither a size nor an initialiser\n"
     "  .shared .u32 x[];\n"
     "               ^\n"
     "hint: give the dimension, or declare it '.extern'\n"},
    {"align", PTX_HEADER ".global .align 3 .u32 x;",
     "error: t.ptx:4:16: alignment '3' is not a power of two below 2^31\n"
     "  .global .align 3 .u32 x;\n"
     "                 ^\n"},
    {"no type", PTX_HEADER ".global x;",
     "error: t.ptx:4:9: expected a type such as '.u32', found 'x'\n"
     "  .global x;\n"
     "          ^\n"},
    {"pred", PTX_HEADER ".global .pred x;",
     "error: t.ptx:4:9: 'x' cannot be '.pred': predicates live in registers only\n"
     "  .global .pred x;\n"
     "          ^\n"},
    {"special", KERNEL("\tmov.u32 %r1, %tid.q;"),
     "error: t.ptx:9:19: '%tid' has no component '.q'\n"
     "   mov.u32 %r1, %tid.q;\n"
     "                    ^\n"},
    {"special unknown", KERNEL("\tmov.u32 %r1, %tib.x;"),
     "error: t.ptx:9:15: register '%tib' is not declared\n"
     "   mov.u32 %r1, %tib.x;\n"
     "                ^\n"},
    {"in body", KERNEL("\t.entry g() { ret; }"),
     "error: t.ptx:9:2: directive '.entry' has no place in the body of a function\n"
     "   .entry g() { ret; }\n"
     "   ^\n"},
    {"section",
     PTX_HEADER ".section .debug_str {\n"
                ".b8 1",
     "error: t.ptx:4:1: section is not closed with '}'\n"
     "  .section .debug_str {\n"
     "  ^\n"},
    {"loc",
     KERNEL("\t.loc 1 2\n"
            "\tret;"),
     "error: t.ptx:10:2: expected a column number, found 'ret'\n"
     "   ret;\n"
     "   ^\n"},
    {"parameter", PTX_HEADER ".entry f(.global .u64 a) { ret; }",
     "error: t.ptx:4:10: expected '.param', found '.global'\n"
     "  .entry f(.global .u64 a) { ret; }\n"
     "           ^\n"},
    {"label operand", KERNEL("L: mov.u32 %r1, L;"),
     "error: t.ptx:9:17: label 'L' has no place here\n"
     "  L: mov.u32 %r1, L;\n"
     "                  ^\n"},
    {"alias", PTX_HEADER ".alias a, b;",
     "error: t.ptx:4:8: function 'a' is not declared\n"
     "  .alias a, b;\n"
     "         ^\n"},
};

Test(errors, are_what_people_read)
{
    for (unsigned i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const struct mistake *mistake = &mistakes[i];
        struct wm_ptx_module *module = (struct wm_ptx_module *)&module;
        struct wm_error error;
        char shown[2048];
        enum wm_status status =
            wm_ptx_parse(mistake->text, strlen(mistake->text), "t.ptx", &module, &error);
        cr_expect_neq(status, WM_OK, "%s", mistake->name);
        cr_expect_null(module, "%s", mistake->name);
        cr_expect_eq(error.status, status, "%s", mistake->name);
        cr_expect_str_eq(wm_error_format(&error, shown, sizeof shown), mistake->shown, "%s",
                         mistake->name);
        // Whoever asks for no error gets the status alone.
        cr_expect_eq(wm_ptx_parse(mistake->text, strlen(mistake->text), "t.ptx", &module, NULL),
                     status);
    }
}

Test(errors, tell_unsupported_from_invalid)
{
    static const struct {
        const char *text;
        enum wm_status status;
    } cases[] = {
        {".version 12.0\n.target sm_75", WM_UNSUPPORTED},
        {".version 0.9\n.target sm_75", WM_UNSUPPORTED},
        {".version 6.0\n.target sm_50\n.address_size 32", WM_UNSUPPORTED},
        {".version 6.0\n.target sm_50\n.address_size 48", WM_INVALID},
        {".version 9\n.target sm_75", WM_INVALID},
        {".version 9.0\n.target", WM_INVALID},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_ptx_module *module;
        cr_expect_eq(wm_ptx_parse(cases[i].text, strlen(cases[i].text), "t.ptx", &module, NULL),
                     cases[i].status, "%s", cases[i].text);
    }
}

// The message of what `text` fails with.
static void expect_message(const struct wm_text *text, const char *message)
{
    struct wm_ptx_module *module;
    struct wm_error error;
    cr_assert_eq(wm_ptx_parse(text->data, text->length, "t.ptx", &module, &error), WM_INVALID);
    cr_expect_str_eq(error.message, message);
}

static void repeat(struct wm_text *text, const char *piece, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        wm_text_add(text, piece);
}

Test(limits, deep_nesting)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, PTX_HEADER ".entry f() ");
    repeat(&text, "{", 1000000);
    expect_message(&text, "scopes are nested more than 127 deep");
    text.length = 0;
    wm_text_add(&text, PTX_HEADER ".entry f() { .reg .u32 a; mov.u32 a, ");
    repeat(&text, "(", 1000000);
    expect_message(&text, "constant expression is nested more than 64 deep");
    text.length = 0;
    wm_text_add(&text, PTX_HEADER ".global .u32 a[2][2][2][2] = ");
    repeat(&text, "{", 1000000);
    expect_message(&text, "initialiser of 'a' has more braces than dimensions");
    text.length = 0;
    wm_text_add(&text, PTX_HEADER ".entry f() ");
    repeat(&text, "{", 120);
    repeat(&text, "}", 120);
    struct wm_ptx_module *module = parse_or_fail(text.data);
    check_round_trip(module);
    wm_ptx_module_free(module);
    wm_text_release(&text);
}

Test(limits, long_lists)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, PTX_HEADER ".func g(); .entry f() { .reg .u32 a; call g, (a");
    repeat(&text, ", a", 255);
    wm_text_add(&text, "); }");
    expect_message(&text, "list has more than 255 elements");
    text.length = 0;
    wm_text_add(&text,
                PTX_HEADER ".entry f() { .reg .u32 a; mov.b64 a, {a, a, a, a, a, a, a, a, a}");
    expect_message(&text, "list has more than 8 elements");
    text.length = 0;
    wm_text_add(&text, PTX_HEADER ".entry f() { .reg .u32 a; add.u32 a");
    repeat(&text, ", a", 16);
    expect_message(&text, "instruction has more than 16 operands");
    wm_text_release(&text);
}

// Many declarations that are each allowed must not add up to more than the text warrants.
Test(limits, registers_of_many_functions)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, PTX_HEADER);
    for (int i = 0; i < 1000; i++)
        wm_text_format(&text, ".func f%d() { .reg .b32 %%r<100000>; ret; }\n", i);
    expect_message(&text, "these registers exceed what a module of this size may declare");
    text.length = 0;
    wm_text_add(&text, PTX_HEADER ".entry f() { .reg .b32 %r<1000000>; mov.u32 %r999999, 1; }");
    struct wm_ptx_module *module = parse_or_fail(text.data);
    cr_assert_eq(only_function(module)->register_count, 1000000);
    cr_assert_str_eq(only_function(module)->registers[999999].name, "%r999999");
    wm_ptx_module_free(module);
    wm_text_release(&text);
}

// A large module in the worst shape we know: many scopes, each with names of its own.
Test(limits, a_large_module_is_quick)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, PTX_HEADER ".entry f()\n{\n.reg .pred %p<2>;\n");
    for (int i = 0; i < 60000; i++)
        wm_text_format(&text,
                       "L%d: { .reg .b32 %%r<5>; bra D; mov.b32 %%r1, 5; D: @%%p1 bra L%d; }\n", i,
                       i * 7919 % 60000);
    wm_text_add(&text, "}\n");
    clock_t begin = clock();
    struct wm_ptx_module *module = parse_or_fail(text.data);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    // 0.1 s on an idle core; sanitizers and a loaded machine take their share.
    cr_expect_lt(seconds, 5.0);
    cr_expect_eq(only_function(module)->label_count, 120000);
    wm_ptx_module_free(module);
    wm_text_release(&text);
}
