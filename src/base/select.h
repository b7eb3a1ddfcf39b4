// Selections that stay selections. A compiler may turn `condition ? a : b` into a branch, which
// costs as much as a cache lookup when the condition is nothing that a processor could learn.
#ifndef WM_BASE_SELECT_H
#define WM_BASE_SELECT_H

#include <stdbool.h>
#include <stdint.h>

// All ones when `condition` holds, else zero.
static inline uint64_t wm_select_mask(bool condition)
{
    uint64_t mask = 0 - (uint64_t)condition;
    __asm__(""
            : "+r"(mask)); // what the compiler does not know to be one of two it cannot branch on
    return mask;
}

static inline uint64_t wm_select(uint64_t mask, uint64_t yes, uint64_t no)
{
    return (yes & mask) | (no & ~mask);
}

// As a branch for sure: of what a processor learns, so that what follows need not wait for it.
static inline bool wm_force_branch(bool condition)
{
    bool foreseen = false;
    if (condition) {
        __asm__ volatile(""); // what a compiler cannot select
        foreseen = true;
    }
    return foreseen;
}

#endif
