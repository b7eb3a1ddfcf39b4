// Selections without branches. A compiler may turn `condition ? a : b` into a branch, which costs
// as much as a cache lookup when the host mispredicts it.
#ifndef WM_BASE_SELECT_H
#define WM_BASE_SELECT_H

#include <stdbool.h>
#include <stdint.h>

// All ones when `condition` holds, else zero.
static inline uint64_t wm_select_mask(bool condition)
{
    uint64_t mask = 0 - (uint64_t)condition;
    __asm__(""
            : "+r"(mask)); // hides from the compiler that there are two values, so it cannot branch
    return mask;
}

static inline uint64_t wm_select(uint64_t mask, uint64_t yes, uint64_t no)
{
    return (yes & mask) | (no & ~mask);
}

// Always a branch: for a condition that the host predicts, so that what follows need not wait.
static inline bool wm_force_branch(bool condition)
{
    bool foreseen = false;
    if (condition) {
        __asm__ volatile(""); // no compiler makes a selection of this
        foreseen = true;
    }
    return foreseen;
}

#endif
