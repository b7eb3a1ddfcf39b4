// Address streams by rule, whose cache counts independent simulators agreed on
// (tests/oracle/cache_counts.h). Every reference touches 4 aligned bytes below 2^32; bit 63 marks a
// store, as in wm_memory_access_references.
//
// MIX(step), from splitmix64 seeded with 1. A word r decides the class by (r >> 40) % 100 and a
// store by ((r & 0xffff) % 100) < 30:
//   below 50  sequential: 0x80000000 + (n * step mod 2 GiB), n counting these references
//   below 80  Zipf with exponent 0.99 over 2^19 lines of 128 bytes at 0x10000000, by the inversion
//             of Gray et al. (SIGMOD 1994, figure 5) from a second word q: u = (q >> 11) / 2^53
//             gives a rank, rank * 0x9E3779B1 mod 2^19 the line, q & 31 the 4-byte word in it
//   the rest  uniform over 1 GiB at 0x40000000, from a second word
// HOT, decided by a generator seeded with 99: 80 of 100 walk 16 KiB at 0x20000000 in steps of 4, 17
// take line 4097^u - 1 of 4096 at 0x24000000, 3 come from MIX(4) seeded with 3, its own stores
// kept.
#ifndef WM_TESTS_REFERENCE_STREAM_H
#define WM_TESTS_REFERENCE_STREAM_H

#include <stddef.h>
#include <stdint.h>

enum wm_reference_stream_kind {
    WM_STREAM_MIX128,
    WM_STREAM_MIX4,
    WM_STREAM_HOT,
};

struct wm_mix_stream {
    uint64_t state, sequential, step;
    double zeta, alpha, eta, second_below;
};

struct wm_reference_stream {
    enum wm_reference_stream_kind kind;
    struct wm_mix_stream mix;
    uint64_t hot_state, hot_steps;
};

void wm_reference_stream_init(struct wm_reference_stream *stream,
                              enum wm_reference_stream_kind kind);
void wm_reference_stream_fill(struct wm_reference_stream *stream, uint64_t *references,
                              size_t count);

#endif
