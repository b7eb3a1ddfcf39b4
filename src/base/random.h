// Deterministic random streams. Each component that needs chance owns a stream, seeded from the
// run's seed and the component's own name: no global generator, so adding a component never
// changes what another draws.
#ifndef WM_BASE_RANDOM_H
#define WM_BASE_RANDOM_H

#include <stdint.h>

// xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021).
struct wm_random {
    uint64_t state[4];
};

void wm_random_init(struct wm_random *random, uint64_t seed, const char *component);
uint64_t wm_random_u64(struct wm_random *random);
// Uniform in [0, bound), without modulo bias (Lemire 2019). `bound` must not be 0.
uint64_t wm_random_below(struct wm_random *random, uint64_t bound);
// Uniform in [0, 1), 53 bits.
double wm_random_unit(struct wm_random *random);

#endif
