// Programs as PTX.
#include "random_program.h"

#include <criterion/criterion.h>

static void write_memory(struct wm_text *text, const struct instruction *i, const char *guard)
{
    static const struct {
        enum operation operation;
        uint32_t mask;
        const char *form;
        bool store;
    } forms[] = {
        {LOAD_INPUT, 252, "ld.global.u32 %%r%u, [%%at];", false},
        {STORE_LOCAL, 60, "st.local.b32 [%%at], %%r%u;", true},
        {LOAD_LOCAL, 60, "ld.local.b32 %%r%u, [%%at];", false},
        {STORE_LOCAL_BYTE, 63, "st.local.u8 [%%at], %%r%u;", true},
        {LOAD_LOCAL_SIGNED, 62, "ld.local.s16 %%r%u, [%%at];", false},
        {STORE_LOCAL_WIDE, 56, "st.local.b64 [%%at], %%q%u;", true},
        {LOAD_LOCAL_WIDE, 56, "ld.local.u64 %%q%u, [%%at];", false},
    };
    bool input = i->operation == LOAD_INPUT || i->operation == LOAD_INPUT_PAIR;
    uint32_t mask = 248;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
        if (forms[f].operation == i->operation)
            mask = forms[f].mask;
    wm_text_format(text, " and.b32 %%t, %%r%u, %u; cvt.u64.u32 %%at, %%t; ", i->a, mask);
    wm_text_add(text, input ? "add.u64 %at, %at, %in;\n" : "add.u64 %at, %at, %lb;\n");
    if (i->operation == LOAD_INPUT_PAIR)
        wm_text_format(text, " %sld.global.v2.u32 {%%r%u, %%r%u}, [%%at];", guard, i->d, i->d2);
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        if (forms[f].operation != i->operation)
            continue;
        char line[64];
        snprintf(line, sizeof(line), forms[f].form, forms[f].store ? i->b : i->d);
        wm_text_format(text, " %s%s", guard, line);
    }
}

static void write_call(struct wm_text *text, const struct instruction *i, uint32_t function,
                       const char *guard)
{
    wm_text_format(text,
                   " { .param .b32 x; .param .b32 y; .param .b32 z;\n"
                   " st.param.b32 [x], %%r%u; st.param.b32 [y], %%r%u; st.param.b32 [z], %%r%u;\n"
                   " %scall (z), f%u, (x, y);\n ld.param.b32 %%r%u, [z]; }",
                   i->a, i->b, i->d, guard, function + 1 + i->immediate, i->d);
}

static void write_plain(struct wm_text *text, const struct instruction *i)
{
    uint32_t d = i->d, a = i->a, b = i->b, c = i->c, n = i->immediate;
    switch (i->operation) {
    case ADD: wm_text_format(text, "add.u32 %%r%u, %%r%u, %%r%u;", d, a, b); break;
    case SUB: wm_text_format(text, "sub.s32 %%r%u, %%r%u, %%r%u;", d, a, b); break;
    case MUL: wm_text_format(text, "mul.lo.u32 %%r%u, %%r%u, %%r%u;", d, a, b); break;
    case MAD: wm_text_format(text, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;", d, a, b, c); break;
    case AND: wm_text_format(text, "and.b32 %%r%u, %%r%u, %u;", d, a, n); break;
    case OR: wm_text_format(text, "or.b32 %%r%u, %%r%u, %%r%u;", d, a, b); break;
    case XOR: wm_text_format(text, "xor.b32 %%r%u, %%r%u, %u;", d, a, n); break;
    case MIN_S: wm_text_format(text, "min.s32 %%r%u, %%r%u, %%r%u;", d, a, b); break;
    case MAX_U: wm_text_format(text, "max.u32 %%r%u, %%r%u, %%r%u;", d, a, b); break;
    case SHL: wm_text_format(text, "shl.b32 %%r%u, %%r%u, %u;", d, a, n); break;
    case SHR_S: wm_text_format(text, "shr.s32 %%r%u, %%r%u, %u;", d, a, n); break;
    case SELP: wm_text_format(text, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;", d, a, b, c); break;
    case SETP_LT: wm_text_format(text, "setp.lt.s32 %%p%u, %%r%u, %%r%u;", d, a, b); break;
    case SETP_EQ_OR:
        wm_text_format(text, "setp.eq.or.u32 %%p%u, %%r%u, %%r%u, !%%p%u;", d, a, b, c);
        break;
    case SETP_PAIR:
        wm_text_format(text, "setp.gt.and.u32 %%p%u|%%p%u, %%r%u, %%r%u, %%p%u;", d, i->d2, a, b,
                       c);
        break;
    case AND_P: wm_text_format(text, "and.pred %%p%u, %%p%u, %%p%u;", d, a, b); break;
    case XOR_P: wm_text_format(text, "xor.pred %%p%u, %%p%u, %%p%u;", d, a, b); break;
    case NOT_P: wm_text_format(text, "not.pred %%p%u, %%p%u;", d, a); break;
    case WIDEN: wm_text_format(text, "cvt.u64.u32 %%q%u, %%r%u;", d, a); break;
    case SIGN_WIDEN: wm_text_format(text, "cvt.s64.s32 %%q%u, %%r%u;", d, a); break;
    case MUL_WIDE: wm_text_format(text, "mul.wide.u32 %%q%u, %%r%u, %%r%u;", d, a, b); break;
    case ADD_WIDE: wm_text_format(text, "add.s64 %%q%u, %%q%u, %%q%u;", d, a, b); break;
    case SHR_WIDE: wm_text_format(text, "shr.u64 %%q%u, %%q%u, %u;", d, a, n); break;
    case NARROW: wm_text_format(text, "cvt.u32.u64 %%r%u, %%q%u;", d, a); break;
    case SPLIT: wm_text_format(text, "mov.b64 {%%r%u, %%r%u}, %%q%u;", d, i->d2, a); break;
    default: wm_text_format(text, "mov.b64 %%q%u, {%%r%u, %%r%u};", d, a, b); break;
    }
}

static void write_instruction(struct wm_text *text, const struct instruction *i, uint32_t function)
{
    char guard[16] = "";
    if (i->guard >= 0)
        snprintf(guard, sizeof(guard), "@%s%%p%d ", i->negated ? "!" : "", i->guard);
    if (i->operation >= LOAD_INPUT && i->operation <= LOAD_LOCAL_WIDE) {
        write_memory(text, i, guard);
    } else if (i->operation == CALL) {
        write_call(text, i, function, guard);
    } else if (i->operation == LEAVE) {
        wm_text_format(text, " %s%s;", guard, function == 0 ? "exit" : "ret");
    } else {
        wm_text_format(text, " %s", guard);
        write_plain(text, i);
    }
    wm_text_add(text, "\n");
}

static void write_start(struct wm_text *text)
{
    for (uint32_t r = 0; r < REGISTERS; r++) {
        if (r % 2)
            wm_text_format(text, " mul.lo.u32 %%r%u, %%a, %u;", r, r + 3);
        else
            wm_text_format(text, " xor.b32 %%r%u, %%b, %u;", r, r * 0x9E3779B9u);
    }
    for (uint32_t q = 0; q < WIDES; q++)
        wm_text_format(text, " mul.wide.u32 %%q%u, %%r%u, %%r%u;", q, q, q + 1);
    for (uint32_t p = 0; p < PREDICATES; p++)
        wm_text_format(text, " and.b32 %%t, %%r%u, 4; setp.ne.u32 %%p%u, %%t, 0;\n", p, p);
    for (uint32_t w = 0; w < LOCAL_WORDS; w++)
        wm_text_format(text, " st.local.b32 [loc+%u], %%r%u;", 4 * w, w % REGISTERS);
    wm_text_format(text, "\n mov.u32 %%fuel, %u; mov.u64 %%lb, loc;\n", FUEL);
}

static void write_terminator(struct wm_text *text, const struct block *block, uint32_t number)
{
    if (block->terminator == GOTO) {
        wm_text_format(text, " bra B%u;\n", block->targets[0]);
    } else if (block->terminator == CONDITIONAL) {
        wm_text_format(text, " @%s%%p%u bra B%u;\n bra B%u;\n", block->negated ? "!" : "",
                       block->predicate, block->targets[0], block->targets[1]);
    } else {
        wm_text_format(text,
                       " and.b32 %%t, %%r%u, 3;\nT%u: .branchtargets B%u, B%u, B%u, B%u;\n"
                       " brx.idx %%t, T%u;\n",
                       block->selector, number, block->targets[0], block->targets[1],
                       block->targets[2], block->targets[3], number);
    }
}

static void write_body(struct wm_text *text, const struct random_program *program, uint32_t index)
{
    const struct function *function = &program->functions[index];
    wm_text_format(text,
                   "{ .reg .b32 %%r<%u>; .reg .b64 %%q<%u>; .reg .pred %%p<%u>;\n"
                   " .reg .b32 %%t, %%a, %%b, %%fuel; .reg .b64 %%at, %%in, %%lb, %%out;\n"
                   " .reg .pred %%empty; .local .align 8 .b8 loc[%u];\n",
                   REGISTERS, WIDES, PREDICATES, 4 * LOCAL_WORDS);
    if (index == 0)
        wm_text_add(text, " ld.param.u64 %in, [input]; mov.u32 %a, %ntid.x; mov.u32 %b, %ctaid.x;\n"
                          " mad.lo.u32 %a, %a, %b, %tid.x; mad.lo.u32 %b, %a, 77, 5;\n");
    else
        wm_text_add(text, " ld.param.u32 %a, [x]; ld.param.u32 %b, [y]; mov.u64 %in, input;\n"
                          " st.param.b32 [result], %a;\n");
    write_start(text);
    for (uint32_t b = 0; b < function->block_count; b++) {
        wm_text_format(text,
                       "B%u:\n add.s32 %%fuel, %%fuel, -1; setp.lt.s32 %%empty, %%fuel, 0;\n"
                       " @%%empty bra END;\n",
                       b);
        for (uint32_t i = 0; i < function->blocks[b].count; i++)
            write_instruction(text, &function->blocks[b].instructions[i], index);
        write_terminator(text, &function->blocks[b], b);
    }
    wm_text_add(text, "END:\n");
}

static void write_kernel(struct wm_text *text, const struct random_program *program)
{
    wm_text_add(text, ".visible .entry k(.param .u64 input, .param .u64 output)\n");
    write_body(text, program, 0);
    wm_text_format(text,
                   " ld.param.u64 %%out, [output]; mul.wide.u32 %%at, %%a, %u;\n"
                   " add.u64 %%out, %%out, %%at;\n",
                   4 * OUTPUT_WORDS);
    for (uint32_t r = 0; r < REGISTERS; r++)
        wm_text_format(text, " st.global.u32 [%%out+%u], %%r%u;", 4 * r, r);
    for (uint32_t q = 0; q < WIDES; q++)
        wm_text_format(text,
                       " mov.b64 {%%a, %%b}, %%q%u; st.global.u32 [%%out+%u], %%a;"
                       " st.global.u32 [%%out+%u], %%b;\n",
                       q, 4 * (REGISTERS + 2 * q), 4 * (REGISTERS + 2 * q + 1));
    wm_text_add(text, " mov.u32 %t, 0;\n");
    for (uint32_t p = 0; p < PREDICATES; p++)
        wm_text_format(text, " @%%p%u or.b32 %%t, %%t, %u;", p, 1u << p);
    wm_text_format(text, " st.global.u32 [%%out+%u], %%t;\n ret;\n}\n", 4 * (OUTPUT_WORDS - 1));
}

char *random_program_text(const struct random_program *program)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(&text, ".global .align 8 .b32 input[%u];\n", INPUT_WORDS + 2);
    for (uint32_t f = program->function_count; f-- > 1;) {
        wm_text_format(&text, ".func (.param .b32 result) f%u(.param .b32 x, .param .b32 y)\n", f);
        write_body(&text, program, f);
        wm_text_add(&text, " st.param.b32 [result], %r0;\n ret;\n}\n");
    }
    write_kernel(&text, program);
    cr_assert_not(text.failed);
    return wm_text_take(&text);
}
