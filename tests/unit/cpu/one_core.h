// A core of tests, above a memory that says of each access when it is done, and keeps all.
#ifndef WM_TESTS_UNIT_CPU_ONE_CORE_H
#define WM_TESTS_UNIT_CPU_ONE_CORE_H

#include "cpu/core.h"

enum { WM_TEST_LINE = 64, WM_TEST_OPERATIONS = 4096 };

struct sent {
    enum wm_core_kind kind;
    uint64_t address;
    uint32_t bytes;
    uint64_t cycle;
};

struct sent_list {
    struct sent sent[2 * WM_TEST_OPERATIONS];
    uint32_t count;
};

struct program {
    struct wm_core_operation ops[WM_TEST_OPERATIONS];
    uint32_t count;
    uint64_t last_instructions; // behind the last of them
};

// Memory: what it answers in `cycle` depends on the access alone.
struct memory {
    enum wm_core_sent (*answer)(const struct wm_core_request *access, uint64_t cycle,
                                uint64_t *done);
    // Whether the source has the operation of that number in `cycle`; NULL: always.
    bool (*is_there)(uint32_t number, uint64_t cycle);
    // Whether a line leaves L1 in `cycle`, before the core's step; NULL: none does.
    bool (*leaves)(uint64_t cycle, uint64_t *address);
    bool completes; // by wm_core_complete, not at once
    bool splits;    // what is not there says of the instructions before it while it waits
};

// Runs a program to its end; returns the cycle in which nothing is left to do. `done` (may be NULL)
// gets the cycle in which each operation is done, as other cores see it.
uint64_t run_core(const struct wm_core_spec *spec, const struct program *program,
                  const struct memory *memory, struct sent_list *sent,
                  struct wm_core_counters *counters, uint64_t *done);

// Adds to a program.
void add(struct program *program, enum wm_core_kind kind, uint64_t address, uint32_t bytes,
         uint64_t instructions);

#endif
