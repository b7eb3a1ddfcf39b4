// Random control-flow graphs with calls: what the test of random programs runs in both ways.
#ifndef WM_TESTS_RANDOM_PROGRAM_H
#define WM_TESTS_RANDOM_PROGRAM_H

#include "base/numbers/random.h"
#include "base/text/text.h"

#include <stdbool.h>
#include <stdint.h>

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

struct random_program {
    struct function functions[MOST_FUNCTIONS]; // 0 is the kernel; i calls only j > i
    uint32_t function_count;
};

void random_program_draw(struct random_program *program, struct wm_random *random);
// Its PTX; the caller frees it.
char *random_program_text(const struct random_program *program);
// What one thread writes, by a plain interpreter that runs it alone and knows nothing of warps,
// masks, frames or register places.
void random_program_reference(const struct random_program *program, uint32_t thread,
                              const uint32_t *input, uint32_t output[OUTPUT_WORDS]);

#endif
