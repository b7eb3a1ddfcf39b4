#include "random_program.h"

#include <string.h>

static uint32_t below(struct wm_random *random, uint32_t bound)
{
    return (uint32_t)wm_random_below(random, bound);
}

static void draw_instruction(struct wm_random *random, const struct random_program *program,
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

static void draw_function(struct wm_random *random, struct random_program *program, uint32_t index)
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

void random_program_draw(struct random_program *program, struct wm_random *random)
{
    memset(program, 0, sizeof(*program));
    program->function_count = 1 + below(random, MOST_FUNCTIONS);
    for (uint32_t f = 0; f < program->function_count; f++)
        draw_function(random, program, f);
}
