#include "base/numbers/random.h"

#include "base/numbers/hash.h"

void wm_random_init(struct wm_random *random, uint64_t seed, const char *component)
{
    uint64_t word = seed ^ wm_hash_bytes(component, strlen(component));
    for (int i = 0; i < 4; i++) {
        word += UINT64_C(0x9E3779B97F4A7C15);
        random->state[i] = wm_hash_u64(word);
    }
}

uint64_t wm_random_below(struct wm_random *random, uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t threshold = (0 - bound) % bound;
    for (;;) {
        wide product = (wide)wm_random_u64(random) * bound;
        if ((uint64_t)product >= threshold)
            return (uint64_t)(product >> 64);
    }
}

double wm_random_unit(struct wm_random *random)
{
    return (double)(wm_random_u64(random) >> 11) * 0x1p-53;
}
