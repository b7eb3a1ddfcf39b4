// Each set index function of its own.
#include "base/random.h"
#include "mem/set_index/set_index.h"

#include <criterion/criterion.h>

Test(set_index, modulo_is_the_rest_of_the_division)
{
    struct wm_random random;
    wm_random_init(&random, 1, "modulo");
    for (int i = 0; i < 100000; i++) {
        uint64_t line = wm_random_u64(&random) >> wm_random_below(&random, 60);
        uint32_t sets = (uint32_t)wm_random_below(&random, 5000) + 1;
        cr_assert_eq(wm_set_index_modulo.index(line, 128, sets), line % sets);
    }
    cr_assert_not(wm_set_index_modulo.supports(0));
}

// Address bits, one at a time, as the paper's table has them.
Test(set_index, fermi_hash_takes_the_bits_of_the_paper)
{
    static const struct {
        unsigned bit;
        uint32_t set_of_32, set_of_64;
    } bits[] = {{7, 1, 1},    {8, 2, 2},  {9, 4, 4},  {10, 8, 8}, {11, 16, 16}, {12, 0, 32},
                {13, 1, 1},   {14, 2, 2}, {15, 4, 4}, {16, 0, 0}, {17, 8, 8},   {18, 0, 0},
                {19, 16, 16}, {20, 0, 0}, {21, 0, 0}, {39, 0, 0}};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        uint64_t line = (UINT64_C(1) << bits[i].bit) / 128;
        cr_assert_eq(wm_set_index_fermi_hash.index(line, 128, 32), bits[i].set_of_32, "bit %u",
                     bits[i].bit);
        cr_assert_eq(wm_set_index_fermi_hash.index(line, 128, 64), bits[i].set_of_64, "bit %u",
                     bits[i].bit);
    }
    // Linear: two bits that meet cancel out.
    uint64_t line = ((UINT64_C(1) << 7) | (UINT64_C(1) << 13)) / 128;
    cr_assert_eq(wm_set_index_fermi_hash.index(line, 128, 32), 0);
    cr_assert_not(wm_set_index_fermi_hash.supports(128));
    cr_assert_not(wm_set_index_fermi_hash.supports(33));
}
