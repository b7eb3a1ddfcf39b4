// Threads of a litmus test on the CPU cores beside a machine's SMs, as a launch of its own: thread
// t on core t. Each first loads what its last load will load, waits for a number of instructions of
// its own, and stores to a line of its own, so that its store buffer holds back what it stores
// next.
#ifndef WM_TESTS_CPU_THREADS_H
#define WM_TESTS_CPU_THREADS_H

#include "engine/session/work.h"
#include "gpu_litmus.h"

enum cpu_form { CPU_MOV, CPU_FENCED, CPU_LOCKED }; // mov; mov and mfence; stores are xchg

enum { CPU_MOST_OPERATIONS = 12 };

struct cpu_operation {
    bool is_fence;
    enum wm_access_kind kind;
    uint64_t address;
    uint32_t pc;
    uint64_t before; // instructions without an access before it
};

struct cpu_threads {
    struct wm_work work;
    struct wm_code_place code_places[LITMUS_THREADS * CPU_MOST_OPERATIONS];
    struct wm_block blocks[LITMUS_THREADS];
    struct cpu_operation operations[LITMUS_THREADS][CPU_MOST_OPERATIONS];
    uint32_t counts[LITMUS_THREADS], next[LITMUS_THREADS];
};

// The threads of the mask. Locations are those of the kernel at the address, behind which each
// thread has a line of its own, LITMUS_APART from each other. Their steps' pcs go to `kernel`.
void cpu_threads_init(struct cpu_threads *threads, const struct litmus_test *test, uint32_t mask,
                      enum cpu_form form, uint64_t address, const uint64_t *waits,
                      struct gpu_litmus *kernel);

#endif
