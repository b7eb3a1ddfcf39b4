// One instruction executed by 32 threads, each with registers and a little memory of its own: what
// they hold before and after.
#ifndef EXEC_FORM_STATE_H
#define EXEC_FORM_STATE_H

#include "exec_harness.h"

enum {
    FORM_THREADS = 32,
    FORM_REGISTERS = 16, // %d0 to %d15, %r0 to %r15, %h0 to %h15
    FORM_PREDICATES = 8, // %p0 to %p7
    FORM_IMAGE_BYTES = 64,
    FORM_WIDE = 4, // %q0 to %q3, of 128 bits
};

// As in memory: one thread behind the other.
struct form_state {
    uint64_t d[FORM_REGISTERS];
    uint32_t r[FORM_REGISTERS];
    uint16_t h[FORM_REGISTERS];
    uint32_t p, unused;                   // bit i: %pi
    uint64_t image[FORM_IMAGE_BYTES / 8]; // the thread's own 64 bytes of the space
    uint64_t q[FORM_WIDE][2];
};

// Where the 64 bytes lie while the instruction runs: %d9 and %r9 hold their address then.
enum form_space { FORM_NO_SPACE, FORM_GLOBAL, FORM_SHARED, FORM_LOCAL, FORM_CONST };

// Values that are awkward as integers and as floats of each width.
void form_draw(struct form_state threads[FORM_THREADS], struct wm_random *random);
// Runs `guard` ("@%p1 " or "") and the instruction, in plain C or the fastest build. Returns the
// number of instructions executed, those before and behind it too.
uint64_t form_run(const char *guard, const char *form, enum form_space space, enum wm_lane_isa isa,
                  struct form_state threads[FORM_THREADS]);
// The instruction that a form is; valid until the next call.
const struct wm_ptx_instruction *form_parse(const char *form);
void form_release(void);
// The number of a register operand and its letter: "%r7" is 7 and 'r'.
char form_register(const struct wm_ptx_operand *operand, unsigned *number);

// Fails unless the states are equal ("%d9" and "%r9" aside when there is a space), and unless some
// thread's differs from what it was before; `before` may be NULL: then it need not.
void form_expect(const char *form, enum form_space space, const struct form_state *before,
                 const struct form_state *expected, const struct form_state *got);

// Whether a form is to be run: all are, but with PTX_WITHOUT=NAME only those of that name.
bool form_is_wanted(const struct wm_ptx_instruction *instruction);

// Instructions that one reference describes: what it does to each thread by itself.
struct form_family {
    bool (*includes)(const struct wm_ptx_instruction *instruction);
    enum form_space (*space)(const struct wm_ptx_instruction *instruction); // NULL: none
    void (*apply)(const struct wm_ptx_instruction *instruction, struct form_state *thread);
};

// Runs all forms of a family in the lists with and without a guard, and compares; fails when there
// are fewer than `least` of them.
void form_check_family(const struct form_family *family, unsigned least);

// Source `i`'s bits, and the destination's.
uint64_t form_source(const struct form_state *thread, const struct wm_ptx_operand *operand);
void form_write(struct form_state *thread, const struct wm_ptx_operand *operand, uint64_t value);

#endif
