// One thread after another, each instruction as the PTX ISA has it.
#include "random_program.h"

#include <string.h>

struct thread {
    uint32_t r[REGISTERS];
    uint64_t q[WIDES];
    bool p[PREDICATES];
    unsigned char local[4 * LOCAL_WORDS];
    uint32_t result; // of a function so far
    bool exited;
};

static uint32_t call_function(const struct random_program *program, uint32_t index, uint32_t a,
                              uint32_t b, const uint32_t *input, bool *exited);

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

static void execute(const struct random_program *program, const struct instruction *i,
                    struct thread *t, const uint32_t *input, uint32_t caller)
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
static bool run_blocks(const struct random_program *program, uint32_t index, struct thread *t,
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

static uint32_t call_function(const struct random_program *program, uint32_t index, uint32_t a,
                              uint32_t b, const uint32_t *input, bool *exited)
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

void random_program_reference(const struct random_program *program, uint32_t thread,
                              const uint32_t *input, uint32_t output[OUTPUT_WORDS])
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
