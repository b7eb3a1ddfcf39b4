#include "base/numbers/random.h"

#include <criterion/criterion.h>

// Fixed for ever: a recorded study must draw the same numbers in every release.
Test(random, streams_are_fixed_and_independent)
{
    struct wm_random a, b, c;
    wm_random_init(&a, 7, "gpu0.l2[0]");
    wm_random_init(&b, 7, "gpu0.l2[1]");
    wm_random_init(&c, 7, "gpu0.l2[0]");
    int equal = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = wm_random_u64(&a);
        equal += x == wm_random_u64(&b);
        cr_assert_eq(x, wm_random_u64(&c));
    }
    cr_assert_eq(equal, 0);
}

Test(random, below_is_uniform)
{
    struct wm_random random;
    wm_random_init(&random, 1, "test");
    enum { BOUND = 12, DRAWS = 120000 };
    int counts[BOUND] = {0};
    for (int i = 0; i < DRAWS; i++)
        counts[wm_random_below(&random, BOUND)]++;
    double chi = 0;
    for (int i = 0; i < BOUND; i++) {
        double difference = counts[i] - DRAWS / BOUND;
        chi += difference * difference / (DRAWS / BOUND);
    }
    cr_assert_lt(chi, 31.3, "chi-square with 11 degrees, 0.1 %% level: %f", chi);
}

Test(random, unit_is_in_range_and_centred)
{
    struct wm_random random;
    wm_random_init(&random, 3, "test");
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double x = wm_random_unit(&random);
        cr_assert(x >= 0 && x < 1);
        sum += x;
    }
    cr_assert_float_eq(sum / 100000, 0.5, 0.01);
}
