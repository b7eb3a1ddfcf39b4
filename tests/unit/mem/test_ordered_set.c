// The masked shift against an array moved by hand: random words and every position, with the words
// beyond the set's end watched. Built once for each vector width.
#include "base/random.h"
#include "mem/ordered_set.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

static bool processor_has_it(void)
{
#if defined(WM_WIDTH_avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#elif defined(WM_WIDTH_avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#else
    return true;
#endif
}

Test(ordered_set, a_use_moves_to_the_front_and_a_drop_to_the_back)
{
    if (!processor_has_it())
        cr_skip("this processor has no such vectors");
    static _Alignas(64) uint64_t words[40];
    struct wm_random random;
    wm_random_init(&random, 1, "words");
    for (uint32_t stride = 8; stride <= 32; stride += 8)
        for (uint32_t position = 0; position < stride; position++) {
            uint64_t expected[40];
            for (int i = 0; i < 40; i++)
                words[i] = expected[i] = wm_random_u64(&random);
            for (uint32_t i = position; i > 0; i--)
                expected[i] = words[i - 1];
            expected[0] = 7;
            wm_ordered_to_front(words, stride, UINT32_MAX >> (31 - position), 7);
            cr_assert_arr_eq(words, expected, sizeof words);
            for (uint32_t i = position; i + 1 < stride; i++)
                expected[i] = words[i + 1];
            expected[stride - 1] = 9;
            wm_ordered_to_back(words, stride, position, 9);
            cr_assert_arr_eq(words, expected, sizeof words);
        }
}
