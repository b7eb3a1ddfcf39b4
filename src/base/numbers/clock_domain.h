// Clocks that run side by side. Every one has an edge at time 0, and time between two is exact: an
// edge of one is never compared with a rounded edge of another.
#ifndef WM_BASE_CLOCK_DOMAIN_H
#define WM_BASE_CLOCK_DOMAIN_H

#include <stdint.h>

#define WM_NEVER UINT64_MAX // a cycle that does not come

static inline uint64_t wm_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// From cycles of one clock to cycles of another: in lowest terms, `to` cycles pass while `from` do.
struct wm_clock_ratio {
    uint64_t from, to;
};

static inline struct wm_clock_ratio wm_clock_ratio_of(uint64_t from_hz, uint64_t to_hz)
{
    uint64_t a = from_hz, b = to_hz;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (struct wm_clock_ratio){.from = from_hz / a, .to = to_hz / a};
}

// The first cycle of the other clock that begins at or after the begin of `cycle`; WM_NEVER for
// WM_NEVER.
static inline uint64_t wm_clock_convert(const struct wm_clock_ratio *ratio, uint64_t cycle)
{
    uint64_t product;
    if (ratio->from == ratio->to || cycle == WM_NEVER)
        return cycle;
    // Divisions of 128 bits are slow.
    if (__builtin_expect(!__builtin_mul_overflow(cycle, ratio->to, &product) &&
                             product <= UINT64_MAX - ratio->from,
                         1))
        return (product + ratio->from - 1) / ratio->from;
    return (uint64_t)(((unsigned __int128)cycle * ratio->to + ratio->from - 1) / ratio->from);
}

// The last cycle of the other clock that begins at or before the begin of `cycle`, not WM_NEVER.
static inline uint64_t wm_clock_floor(const struct wm_clock_ratio *ratio, uint64_t cycle)
{
    uint64_t product;
    if (ratio->from == ratio->to)
        return cycle;
    if (__builtin_expect(!__builtin_mul_overflow(cycle, ratio->to, &product), 1))
        return product / ratio->from;
    return (uint64_t)((unsigned __int128)cycle * ratio->to / ratio->from);
}

#endif
