#include "base/numbers/random.h"
#include "mem/cache/divider.h"

#include <criterion/criterion.h>

static void check(uint64_t divisor, uint64_t number)
{
    struct wm_divider by = wm_divider_of(divisor);
    uint64_t rest, quotient = wm_divide(&by, number, &rest);
    cr_assert(quotient == number / divisor && rest == number % divisor, "%lu / %lu gave %lu, %lu",
              number, divisor, quotient, rest);
}

Test(divider, equals_the_hardware_at_the_edges)
{
    static const uint64_t divisors[] = {1,  2,   3,    5,    6,          7,
                                        12, 384, 1792, 1000, UINT32_MAX, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++)
        for (uint64_t step = 0; step < 200; step++) {
            check(divisors[i], step);
            check(divisors[i], UINT64_MAX - step);
            check(divisors[i], UINT64_MAX / divisors[i] * divisors[i] - step);
            check(divisors[i], (step + 1) * divisors[i] - 1);
        }
}

Test(divider, equals_the_hardware_on_random_numbers)
{
    struct wm_random random;
    wm_random_init(&random, 1, "divider");
    for (int i = 0; i < 1000000; i++) {
        uint64_t divisor = (wm_random_u64(&random) >> wm_random_below(&random, 64)) | 1;
        check(divisor - (wm_random_below(&random, 2) != 0 && divisor > 1),
              wm_random_u64(&random) >> wm_random_below(&random, 64));
    }
}
