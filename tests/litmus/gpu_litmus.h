// Litmus tests as kernels: thread i is block i, alone on its SM. Each loads the location of its
// last load once before, so that its L1 has an old copy, and waits for a number of rounds of its
// own.
#ifndef WM_TESTS_GPU_LITMUS_H
#define WM_TESTS_GPU_LITMUS_H

#include "base/text/text.h"
#include "litmus_tests.h"

enum litmus_form {
    FORM_WEAK,        // ld, st
    FORM_WEAK_FENCED, // and fence.sc between
    FORM_RELAXED,     // ld.relaxed, st.relaxed
    FORM_RELAXED_FENCED,
    FORM_ORDERED, // the first step ld.acquire or weak, the second st.release or weak
    FORMS,
};
extern const char *const litmus_form_names[FORMS];

// Where the locations lie behind the first parameter: of different lines and slices.
enum { LITMUS_APART = 256 };

struct gpu_litmus {
    struct wm_text text; // the kernel "k(p, d0, d1, d2, d3)": addresses, and rounds of each thread
    const char *scope;   // of its semantics
    uint32_t pcs[LITMUS_THREADS][LITMUS_STEPS]; // of the steps
    uint32_t first_pc; // added to them by the clock engine, where other work begins before it
};

// With semantics of the scope, "gpu" or "sys". A thread without steps does nothing.
void gpu_litmus_write(struct gpu_litmus *kernel, const struct litmus_test *test,
                      enum litmus_form form, const char *scope);
// Whether the form orders both threads' steps (PTX ISA 8.5, "Memory Consistency Model"), or, of
// weak accesses, would on a machine whose L1s drop their lines at fences.
bool litmus_form_orders(const struct litmus_test *test, enum litmus_form form);

#endif
