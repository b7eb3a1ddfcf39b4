// Division by a number known once and used often: set counts, slice counts and channel counts need
// not be powers of two, and a hardware division would dominate a lookup. Private to mem/.
#ifndef WM_MEM_CACHE_DIVIDER_H
#define WM_MEM_CACHE_DIVIDER_H

#include <stdbool.h>
#include <stdint.h>

struct wm_divider {
    uint64_t divisor; // at least 1
    uint64_t magic;   // floor((2^64 - 1) / divisor)
    uint32_t shift;   // log2(divisor) when it is a power of two
    bool power_of_two;
};

static inline struct wm_divider wm_divider_of(uint64_t divisor)
{
    return (struct wm_divider){
        .divisor = divisor,
        .magic = UINT64_MAX / divisor,
        .shift = (uint32_t)__builtin_ctzll(divisor),
        .power_of_two = (divisor & (divisor - 1)) == 0,
    };
}

// Returns number / divisor and stores the rest. Exact for every 64-bit number: the estimate
// (number * magic) >> 64 is below the true quotient by less than two, so one correction suffices
// (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI 1994).
static inline __attribute__((always_inline)) uint64_t wm_divide(const struct wm_divider *by,
                                                                uint64_t number, uint64_t *rest)
{
    if (by->power_of_two) {
        *rest = number & (by->divisor - 1);
        return number >> by->shift;
    }
    uint64_t quotient = (uint64_t)(((unsigned __int128)number * by->magic) >> 64);
    uint64_t remainder = number - quotient * by->divisor;
    uint64_t less = remainder - by->divisor; // wraps round, and is more, when nothing is short
    *rest = remainder < less ? remainder : less;
    return quotient + (remainder >= by->divisor);
}

#endif
