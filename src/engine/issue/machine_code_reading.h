// The parts of the estimate of machine code: a kernel's instructions with their operands, and which
// of them write and read each register. Private to engine/issue/.
#ifndef WM_ENGINE_ISSUE_MACHINE_CODE_READING_H
#define WM_ENGINE_ISSUE_MACHINE_CODE_READING_H

#include "base/containers/arena.h"
#include "base/containers/string_map.h"
#include "engine/session/work.h"
#include "ptx/ptx.h"

enum { WM_CODE_NONE = -1, WM_CODE_LOOP = UINT8_MAX };

// Of a type's name: ".s32" has 32 bits, ".pred" one.
struct wm_code_type {
    uint8_t bits; // 0: the opcode names none
    bool is_float, is_signed;
};

// A register in an instruction's text.
struct wm_code_operand {
    uint32_t pc, number; // whose, and of the register
    uint8_t place;       // of the operand that it stands in, the first is 0
    bool address;        // between brackets
    int64_t next;        // the next reader of the register, or WM_CODE_NONE
};

struct wm_code_instruction {
    enum wm_ptx_opcode opcode; // WM_PTX_OP_unknown: of SASS, or kept as text
    const char *text;
    size_t opcode_length;
    struct wm_code_type type, source; // that it names first and last: of a conversion its two
    uint32_t first_operand, operand_count;
    bool is_ptx, guarded;
    uint32_t line;   // of its module's text
    int64_t target;  // of a branch; WM_CODE_NONE where that is not known
    uint8_t reached; // branches that lead to it from before, or WM_CODE_LOOP: one from behind, too
};

struct wm_code_register {
    uint32_t definitions; // instructions that write it; one with a guard counts as two
    uint32_t defined_at;  // the last of them
    uint32_t readers;     // places in which it is read
    int64_t first_reader; // of the operands
    bool is_constant;     // its value is an immediate, an address or a kernel's parameter
    bool varies;          // from lane to lane, as far as is known
    bool low_half;        // of 64 bits: nothing reads more than its lower 32
};

struct wm_code {
    struct wm_code_instruction *instructions; // owned, as all arrays
    uint32_t count;
    struct wm_code_operand *operands;
    uint32_t operand_count, operand_room;
    struct wm_code_register *registers;
    uint32_t register_count, register_room;
    struct wm_arena arena; // of texts
    struct wm_string_map known;
    bool no_memory;
};

// False when out of memory; to be released in any case.
bool wm_code_read(struct wm_code *code, const struct wm_work *work);
void wm_code_release(struct wm_code *code);

// Finds `target` and `reached`, by the labels of the kernel's module. False when out of memory.
bool wm_code_find_targets(struct wm_code *code, const char *text);

bool wm_code_has_word(const struct wm_code_instruction *it, const char *word);
// The register that alone is the operand in that place, or its address; or WM_CODE_NONE.
int64_t wm_code_register_in(const struct wm_code *code, uint32_t pc, uint8_t place);
// The operand's value is known before the kernel runs: an immediate, a constant.
bool wm_code_is_constant_in(const struct wm_code *code, uint32_t pc, uint8_t place);
// Where the register in that place is written, if there alone and without a guard; or WM_CODE_NONE.
int64_t wm_code_definition_in(const struct wm_code *code, uint32_t pc, uint8_t place);
// The register that the instruction writes, if it is one that nothing else writes; or WM_CODE_NONE.
int64_t wm_code_result_of(const struct wm_code *code, uint32_t pc);

// The text from the second operand on; "" where there is none.
const char *wm_code_second_operand(const struct wm_code_instruction *it);
bool wm_code_loads_parameter(const struct wm_code_instruction *it);
// The second of two branches: where the first is not taken, this one is, and code is laid out so
// that one of the two goes on behind the first.
bool wm_code_is_other_branch(const struct wm_code *code, uint32_t pc);

// Leaves out branches over few instructions, and counts where lanes wait for each other behind
// those that stay; `slots` by pc, as far as they are known before.
void wm_code_predicate(struct wm_code *code, uint8_t *slots);

// Finds which loops are unrolled: `rounds` by pc as wm_machine_code_estimate has it, of all
// `slots`.
void wm_code_unroll(const struct wm_code *code, const uint8_t *slots, uint8_t *rounds);

// How many machine instructions it takes by itself; `low_half`: of 64 bits, of which 32 are used.
uint32_t wm_code_expansion(const struct wm_code_instruction *it, bool low_half);

#endif
