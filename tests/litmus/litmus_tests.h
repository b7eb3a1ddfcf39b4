// The litmus tests of the memory model's literature (Alglave, Maranget, Tautschnig, "Herding cats",
// TOPLAS 2014, figure 3; Wickerson et al., "Automatically comparing memory consistency models",
// POPL 2017): what each thread does, and the outcome that sequential consistency excludes. For GPUs
// and CPUs alike.
#ifndef WM_TESTS_LITMUS_TESTS_H
#define WM_TESTS_LITMUS_TESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LITMUS_THREADS = 4, LITMUS_STEPS = 2, LITMUS_LOCATIONS = 2, LITMUS_REGISTERS = 4 };

struct litmus_step {
    bool store;
    uint8_t location; // 0 is x, 1 is y
    uint8_t value;    // that a store writes; of a load the register that it reads into
};

// Locations begin as 0.
struct litmus_outcome {
    uint8_t registers[LITMUS_REGISTERS];
    uint8_t last[LITMUS_LOCATIONS]; // the last write of each, in coherence order
};

struct litmus_test {
    const char *name;
    uint32_t threads;
    uint8_t steps_of[LITMUS_THREADS];
    struct litmus_step steps[LITMUS_THREADS][LITMUS_STEPS];
    const char *text; // of the outcome
    bool (*is_weak)(const struct litmus_outcome *outcome);
};

extern const struct litmus_test litmus_tests[];
extern const size_t litmus_test_count;

#endif
