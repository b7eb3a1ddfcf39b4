// Sums that several threads add to.
#ifndef WM_BASE_ATOMIC_ADD_H
#define WM_BASE_ATOMIC_ADD_H

#include <stdint.h>

// The sum is read when all threads that add to it are done.
static inline void wm_add_atomically(uint64_t *sum, uint64_t more)
{
    __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

#endif
