// Deterministic random streams. Each component that needs chance owns a stream, seeded from the
// run's seed and the component's own name: no global generator, so adding a component never
// changes what another draws.
#ifndef WM_BASE_RANDOM_H
#define WM_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

// xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021).
struct wm_random {
    uint64_t state[4];
};

void wm_random_init(struct wm_random *random, uint64_t seed, const char *component);
static inline uint64_t wm_random_u64(struct wm_random *random);
// Uniform in [0, bound), without modulo bias (Lemire 2019). `bound` must not be 0.
uint64_t wm_random_below(struct wm_random *random, uint64_t bound);
// Uniform in [0, 1), 53 bits.
double wm_random_unit(struct wm_random *random);

// --- Inline, for hot loops ---

static inline uint64_t wm_random_rotate(uint64_t word, int bits)
{
    return (word << bits) | (word >> (64 - bits));
}

static inline uint64_t wm_random_u64(struct wm_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = wm_random_rotate(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = wm_random_rotate(s[3], 45);
    return result;
}

#endif
