// The greatest common divisor and the least common multiple, by Euclid's algorithm (Elements VII).
#ifndef WM_BASE_NUMBERS_DIVISOR_H
#define WM_BASE_NUMBERS_DIVISOR_H

#include <stdint.h>

// Of one and 0: that one.
static inline uint64_t wm_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Neither is 0, and the multiple fits.
static inline uint64_t wm_common_multiple(uint64_t a, uint64_t b)
{
    return a / wm_common_divisor(a, b) * b;
}

#endif
