// Random control-flow graphs with calls, compared with a plain interpreter that runs one thread
// after another and knows nothing of warps, masks, frames or register places.
#include "exec_harness.h"
#include "listener.h"

enum {
    REGISTERS = 9,  // 32 bits: %r0 …
    WIDES = 4,      // 64 bits: %q0 …
    PREDICATES = 4, // %p0 …
    LOCAL_WORDS = 16,
    INPUT_WORDS = 64,
    MOST_BLOCKS = 14,
    MOST_INSTRUCTIONS = 7,
    MOST_FUNCTIONS = 3,
    FUEL = 40, // blocks that one activation may enter
    OUTPUT_WORDS = REGISTERS + 2 * WIDES + 1,
};

enum operation {
    ADD,
    SUB,
    MUL,
    MAD,
    AND,
    OR,
    XOR,
    MIN_S,
    MAX_U,
    SHL,
    SHR_S,
    SELP,
    SETP_LT,
    SETP_EQ_OR,
    SETP_PAIR,
    AND_P,
    XOR_P,
    NOT_P,
    WIDEN,
    SIGN_WIDEN,
    MUL_WIDE,
    ADD_WIDE,
    SHR_WIDE,
    NARROW,
    SPLIT,
    JOIN,
    LOAD_INPUT,
    LOAD_INPUT_PAIR,
    STORE_LOCAL,
    LOAD_LOCAL,
    STORE_LOCAL_BYTE,
    LOAD_LOCAL_SIGNED,
    STORE_LOCAL_WIDE,
    LOAD_LOCAL_WIDE,
    CALL,
    LEAVE, // exit of the kernel, return of a function
    OPERATIONS,
};

struct instruction {
    enum operation operation;
    uint32_t d, d2, a, b, c, immediate;
    int guard; // -1: none
    bool negated;
};

enum terminator { GOTO, CONDITIONAL, INDEXED };

struct block {
    struct instruction instructions[MOST_INSTRUCTIONS];
    uint32_t count;
    enum terminator terminator;
    uint32_t predicate, selector, targets[4]; // CONDITIONAL: taken, else
    bool negated;
};

struct function {
    struct block blocks[MOST_BLOCKS];
    uint32_t block_count;
};

struct program {
    struct function functions[MOST_FUNCTIONS]; // 0 is the kernel; i calls only j > i
    uint32_t function_count;
};

// --- the reference ---

struct thread {
    uint32_t r[REGISTERS];
    uint64_t q[WIDES];
    bool p[PREDICATES];
    unsigned char local[4 * LOCAL_WORDS];
    uint32_t result; // of a function so far
    bool exited;
};

static uint32_t call_function(const struct program *program, uint32_t index, uint32_t a, uint32_t b,
                              const uint32_t *input, bool *exited);

static void execute_memory(const struct instruction *i, struct thread *t, const uint32_t *input)
{
    uint32_t at = t->r[i->a] & (4 * LOCAL_WORDS - 1);
    switch (i->operation) {
    case LOAD_INPUT: t->r[i->d] = input[(t->r[i->a] & 252) / 4]; break;
    case LOAD_INPUT_PAIR: {
        uint32_t place = (t->r[i->a] & 248) / 4;
        t->r[i->d] = input[place];
        t->r[i->d2] = input[place + 1];
        break;
    }
    case STORE_LOCAL: memcpy(&t->local[at & ~3u], &t->r[i->b], 4); break;
    case LOAD_LOCAL: memcpy(&t->r[i->d], &t->local[at & ~3u], 4); break;
    case STORE_LOCAL_BYTE: t->local[at] = (unsigned char)t->r[i->b]; break;
    case LOAD_LOCAL_SIGNED: {
        int16_t half;
        memcpy(&half, &t->local[at & ~1u], 2);
        t->r[i->d] = (uint32_t)(int32_t)half;
        break;
    }
    case STORE_LOCAL_WIDE: memcpy(&t->local[at & ~7u], &t->q[i->b], 8); break;
    default: memcpy(&t->q[i->d], &t->local[at & ~7u], 8); break;
    }
}

static void execute_wide(const struct instruction *i, struct thread *t)
{
    switch (i->operation) {
    case WIDEN: t->q[i->d] = t->r[i->a]; break;
    case SIGN_WIDEN: t->q[i->d] = (uint64_t)(int64_t)(int32_t)t->r[i->a]; break;
    case MUL_WIDE: t->q[i->d] = (uint64_t)t->r[i->a] * t->r[i->b]; break;
    case ADD_WIDE: t->q[i->d] = t->q[i->a] + t->q[i->b]; break;
    case SHR_WIDE: t->q[i->d] = t->q[i->a] >> i->immediate; break;
    case NARROW: t->r[i->d] = (uint32_t)t->q[i->a]; break;
    case SPLIT: {
        uint64_t whole = t->q[i->a];
        t->r[i->d] = (uint32_t)whole;
        t->r[i->d2] = (uint32_t)(whole >> 32);
        break;
    }
    default: t->q[i->d] = (uint64_t)t->r[i->b] << 32 | t->r[i->a]; break;
    }
}

static void execute_predicate(const struct instruction *i, struct thread *t)
{
    switch (i->operation) {
    case SETP_LT: t->p[i->d] = (int32_t)t->r[i->a] < (int32_t)t->r[i->b]; break;
    case SETP_EQ_OR: t->p[i->d] = t->r[i->a] == t->r[i->b] || !t->p[i->c]; break;
    case SETP_PAIR: {
        bool greater = t->r[i->a] > t->r[i->b], third = t->p[i->c];
        t->p[i->d] = greater && third;
        t->p[i->d2] = !greater && third;
        break;
    }
    case AND_P: t->p[i->d] = t->p[i->a] && t->p[i->b]; break;
    case XOR_P: t->p[i->d] = t->p[i->a] != t->p[i->b]; break;
    default: t->p[i->d] = !t->p[i->a]; break;
    }
}

static void execute(const struct program *program, const struct instruction *i, struct thread *t,
                    const uint32_t *input, uint32_t caller)
{
    uint32_t a = t->r[i->a % REGISTERS], b = t->r[i->b % REGISTERS];
    switch (i->operation) {
    case ADD: t->r[i->d] = a + b; break;
    case SUB: t->r[i->d] = a - b; break;
    case MUL: t->r[i->d] = a * b; break;
    case MAD: t->r[i->d] = a * b + t->r[i->c]; break;
    case AND: t->r[i->d] = a & i->immediate; break;
    case OR: t->r[i->d] = a | b; break;
    case XOR: t->r[i->d] = a ^ i->immediate; break;
    case MIN_S: t->r[i->d] = (int32_t)a < (int32_t)b ? a : b; break;
    case MAX_U: t->r[i->d] = a > b ? a : b; break;
    case SHL: t->r[i->d] = a << i->immediate; break;
    case SHR_S: t->r[i->d] = (uint32_t)((int32_t)a >> i->immediate); break;
    case SELP: t->r[i->d] = t->p[i->c] ? a : b; break;
    case CALL:
        t->r[i->d] = call_function(program, caller + 1 + i->immediate, a, b, input, &t->exited);
        break;
    default:
        if (i->operation >= SETP_LT && i->operation <= NOT_P)
            execute_predicate(i, t);
        else if (i->operation >= WIDEN && i->operation <= JOIN)
            execute_wide(i, t);
        else
            execute_memory(i, t, input);
        break;
    }
}

// The thread falls out of the function's blocks (true), or leaves it early.
static bool run_blocks(const struct program *program, uint32_t index, struct thread *t,
                       const uint32_t *input)
{
    const struct function *function = &program->functions[index];
    uint32_t at = 0;
    for (int fuel = FUEL - 1; fuel >= 0; fuel--) {
        const struct block *block = &function->blocks[at];
        for (uint32_t n = 0; n < block->count; n++) {
            const struct instruction *i = &block->instructions[n];
            if (i->guard >= 0 && t->p[i->guard] == i->negated)
                continue;
            if (i->operation == LEAVE)
                return false;
            execute(program, i, t, input, index);
            if (t->exited)
                return false;
            t->result = t->r[0];
        }
        t->result = t->r[0];
        if (block->terminator == CONDITIONAL)
            at = block->targets[t->p[block->predicate] != block->negated ? 0 : 1];
        else if (block->terminator == INDEXED)
            at = block->targets[t->r[block->selector] & 3];
        else
            at = block->targets[0];
    }
    return true;
}

static void start_thread(struct thread *t, uint32_t a, uint32_t b)
{
    memset(t, 0, sizeof(*t));
    for (uint32_t r = 0; r < REGISTERS; r++)
        t->r[r] = r % 2 ? a * (r + 3) : b ^ (r * 0x9E3779B9u);
    for (uint32_t q = 0; q < WIDES; q++)
        t->q[q] = (uint64_t)t->r[q] * t->r[q + 1];
    for (uint32_t p = 0; p < PREDICATES; p++)
        t->p[p] = (t->r[p] & 4) != 0;
    for (uint32_t w = 0; w < LOCAL_WORDS; w++)
        memcpy(&t->local[4 * w], &t->r[w % REGISTERS], 4);
}

static uint32_t call_function(const struct program *program, uint32_t index, uint32_t a, uint32_t b,
                              const uint32_t *input, bool *exited)
{
    struct thread t;
    start_thread(&t, a, b);
    t.result = a;
    // A function's early leave returns what was stored last: the first block's beginning stores a.
    if (run_blocks(program, index, &t, input))
        t.result = t.r[0];
    else
        t.result = a;
    *exited = false;
    return t.result;
}

static void reference(const struct program *program, uint32_t thread, const uint32_t *input,
                      uint32_t *output)
{
    struct thread t;
    start_thread(&t, thread, thread * 77 + 5);
    memset(output, 0, 4 * OUTPUT_WORDS);
    if (!run_blocks(program, 0, &t, input))
        return;
    memcpy(output, t.r, sizeof(t.r));
    memcpy(output + REGISTERS, t.q, sizeof(t.q));
    for (uint32_t p = 0; p < PREDICATES; p++)
        output[OUTPUT_WORDS - 1] |= (uint32_t)t.p[p] << p;
}

// --- random programs ---

static uint32_t below(struct wm_random *random, uint32_t bound)
{
    return (uint32_t)wm_random_below(random, bound);
}

static void draw_instruction(struct wm_random *random, const struct program *program,
                             uint32_t function, struct instruction *i)
{
    do
        i->operation = (enum operation)below(random, OPERATIONS);
    while ((i->operation == CALL && function + 1 >= program->function_count) ||
           (i->operation == LEAVE && below(random, 4) != 0));
    bool predicate_result = i->operation >= SETP_LT && i->operation <= NOT_P;
    bool wide_result = (i->operation >= WIDEN && i->operation <= SHR_WIDE) ||
                       i->operation == JOIN || i->operation == LOAD_LOCAL_WIDE;
    bool wide_source = i->operation >= ADD_WIDE && i->operation <= SPLIT;
    i->d = below(random, predicate_result ? PREDICATES : wide_result ? WIDES : REGISTERS);
    i->a = below(random, i->operation >= AND_P && i->operation <= NOT_P ? PREDICATES
                         : wide_source                                  ? WIDES
                                                                        : REGISTERS);
    i->b = below(random, (i->operation >= AND_P && i->operation <= NOT_P) ||
                                 i->operation == ADD_WIDE || i->operation == STORE_LOCAL_WIDE
                             ? 4
                             : REGISTERS);
    bool predicate_third =
        i->operation == SELP || i->operation == SETP_EQ_OR || i->operation == SETP_PAIR;
    i->c = below(random, predicate_third ? PREDICATES : REGISTERS);
    i->d2 = (i->d + 1 + below(random, (predicate_result ? PREDICATES : REGISTERS) - 1)) %
            (predicate_result ? PREDICATES : REGISTERS);
    i->immediate = i->operation == CALL ? below(random, program->function_count - function - 1)
                   : i->operation == AND || i->operation == XOR ? (uint32_t)wm_random_u64(random)
                                                                : below(random, 32);
    i->guard = below(random, 4) == 0 || i->operation == LEAVE ? (int)below(random, PREDICATES) : -1;
    i->negated = below(random, 2) != 0;
}

static void draw_function(struct wm_random *random, struct program *program, uint32_t index)
{
    struct function *function = &program->functions[index];
    function->block_count = 2 + below(random, MOST_BLOCKS - 1);
    for (uint32_t b = 0; b < function->block_count; b++) {
        struct block *block = &function->blocks[b];
        block->count = below(random, MOST_INSTRUCTIONS + 1);
        for (uint32_t i = 0; i < block->count; i++)
            draw_instruction(random, program, index, &block->instructions[i]);
        uint32_t kind = below(random, 8);
        block->terminator = kind == 0 ? GOTO : kind == 1 ? INDEXED : CONDITIONAL;
        block->predicate = below(random, PREDICATES);
        block->selector = below(random, REGISTERS);
        block->negated = below(random, 2) != 0;
        for (int t = 0; t < 4; t++) // mostly forwards and near, so that lanes meet again
            block->targets[t] = below(random, 4) == 0
                                    ? below(random, function->block_count)
                                    : (b + 1 + below(random, 3)) % function->block_count;
    }
}

// --- and their text ---

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

static void write_body(struct wm_text *text, const struct program *program, uint32_t index)
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

static void write_kernel(struct wm_text *text, const struct program *program)
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

static char *write_program(const struct program *program)
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

// --- the comparison ---

struct setting {
    unsigned width;
    enum wm_lane_isa isa;
    bool private_registers, random_schedule, until_memory;
};

// False, with the first difference in `difference`, when the interpreter and the reference differ.
static bool agrees(const struct program *program, uint64_t seed, const struct setting *setting,
                   char *difference, size_t size)
{
    enum { BLOCKS = 2, THREADS = 75 };
    struct harness harness;
    struct wm_random random;
    char *source = write_program(program);
    harness_init(&harness, source, setting->width, setting->isa, setting->private_registers);
    free(source);
    wm_random_init(&random, seed, "schedule");
    uint64_t place, place_bytes;
    cr_assert(wm_program_variable(harness.program, "input", &place, &place_bytes));
    uint32_t *input = (uint32_t *)(uintptr_t)place;
    for (uint32_t i = 0; i < INPUT_WORDS + 2; i++)
        input[i] = (uint32_t)wm_random_u64(&random);
    uint32_t *output = harness_allocate(&harness, BLOCKS * THREADS * OUTPUT_WORDS * 4);
    harness.schedule = setting->random_schedule ? &random : NULL;
    harness.until = setting->until_memory ? WM_RUN_MEMORY : WM_RUN_INSTRUCTIONS;
    struct listener listener = {0};
    harness.sink = listener_planned_sink(&listener);
    HARNESS_RUN(&harness, "k", BLOCKS, THREADS, place, ADDRESS(output));
    bool equal = listener.warp_instructions == harness.result.warp_instructions &&
                 listener.thread_instructions == harness.result.thread_instructions &&
                 listener.exited_lanes == BLOCKS * THREADS && listener.pending_count == 0 &&
                 listener.broken == 0;
    if (!equal)
        snprintf(difference, size,
                 "width %u: stretches have %lu, %lu of %lu, %lu instructions, %lu exits, %u left",
                 setting->width, listener.warp_instructions, listener.thread_instructions,
                 harness.result.warp_instructions, harness.result.thread_instructions,
                 listener.exited_lanes, listener.pending_count);
    for (uint32_t n = 0; n < BLOCKS * THREADS * OUTPUT_WORDS && equal; n++) {
        uint32_t expected[OUTPUT_WORDS], thread = n / OUTPUT_WORDS, word = n % OUTPUT_WORDS;
        if (word == 0)
            reference(program, thread, input, expected);
        equal = output[n] == expected[word];
        if (!equal)
            snprintf(difference, size,
                     "width %u, private %d: thread %u word %u: %08x, expected %08x", setting->width,
                     setting->private_registers, thread, word, output[n], expected[word]);
    }
    harness_release(&harness);
    return equal;
}

// Takes away what can go while the two still differ, so that the report is short.
static void shrink(struct program *program, uint64_t seed, const struct setting *setting)
{
    char unused[256];
    for (uint32_t f = 0; f < program->function_count; f++) {
        for (uint32_t b = 0; b < program->functions[f].block_count; b++) {
            struct block *block = &program->functions[f].blocks[b];
            for (uint32_t i = block->count; i-- > 0;) {
                struct block kept = *block;
                block->count--;
                memmove(&block->instructions[i], &block->instructions[i + 1],
                        (block->count - i) * sizeof(block->instructions[0]));
                if (agrees(program, seed, setting, unused, sizeof(unused)))
                    *block = kept;
            }
            for (enum terminator t = GOTO; t <= INDEXED; t++) {
                enum terminator kept = block->terminator;
                block->terminator = t < kept ? t : kept;
                if (t < kept && agrees(program, seed, setting, unused, sizeof(unused)))
                    block->terminator = kept;
            }
        }
    }
}

static void check_program(struct program *program, uint64_t seed)
{
    enum wm_lane_isa best = wm_lane_best_isa();
    const struct setting settings[] = {
        {32, best, false, false, false},     {32, best, true, false, false},
        {32, WM_LANE_C, false, true, false}, {32, best, false, true, true},
        {64, best, false, true, false},      {64, WM_LANE_C, true, false, true},
    };
    char difference[256];
    for (size_t s = 0; s < sizeof(settings) / sizeof(settings[0]); s++) {
        if (agrees(program, seed, &settings[s], difference, sizeof(difference)))
            continue;
        shrink(program, seed, &settings[s]);
        agrees(program, seed, &settings[s], difference, sizeof(difference));
        char *source = write_program(program);
        cr_log_error("seed %llu: %s in\n%s", (unsigned long long)seed, difference, source);
        free(source);
        cr_assert_fail("the interpreter differs from the reference");
    }
}

static void check_seeds(uint64_t first, uint64_t count)
{
    static struct program program;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct wm_random random;
        wm_random_init(&random, seed, "programs");
        memset(&program, 0, sizeof(program));
        program.function_count = 1 + below(&random, MOST_FUNCTIONS);
        for (uint32_t f = 0; f < program.function_count; f++)
            draw_function(&random, &program, f);
        check_program(&program, seed);
    }
}

// RANDOM_PROGRAM_SEED=n runs one program, RANDOM_PROGRAMS=n the first n.
Test(random_programs, agree_with_one_thread_at_a_time)
{
    const char *one = getenv("RANDOM_PROGRAM_SEED");
    const char *many = getenv("RANDOM_PROGRAMS");
    if (one)
        check_seeds(strtoull(one, NULL, 10), 1);
    else
        check_seeds(1, many ? strtoull(many, NULL, 10) : 60);
}
