// Spearman's rank correlation: published and worked examples, ties, lists that cannot be ranked,
// and random lists against the definition, each rank counted by itself.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "bypass/rank_correlation.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MOST = 64 };

static double correlation_of(const double *a, const double *b, uint32_t count)
{
    double correlation = 7;
    cr_assert_eq(wm_rank_correlation(a, b, count, &correlation, NULL), WM_OK);
    return correlation;
}

#define CORRELATION(a, b) correlation_of(a, b, sizeof(a) / sizeof(a)[0])

Test(rank_correlation, known_values)
{
    // Without ties it is 1 - 6 sum d^2 / (n (n^2 - 1)): of five pairs with differences 0, 1, 1,
    // 2, 2.
    const double five[] = {10, 20, 30, 40, 50}, moved[] = {1, 3, 2, 9, 4};
    cr_assert_float_eq(CORRELATION(five, moved), 1 - 6.0 * (1 + 1 + 1 + 1) / (5 * 24), 1e-15);
    // Ten pairs whose squared differences add up to 194: 1 - 6 * 194 / 990 = -29 / 165.
    const double ten[] = {86, 97, 99, 100, 101, 103, 106, 110, 112, 113},
                 hours[] = {2, 20, 28, 27, 50, 29, 7, 17, 6, 12};
    cr_assert_float_eq(CORRELATION(ten, hours), -29.0 / 165, 1e-15);
    // Only the order matters.
    const double grown[] = {-1e300, -1, 0, 1e-300, 5}, line[] = {1, 2, 3, 4, 5};
    cr_assert_eq(CORRELATION(grown, line), 1);
    const double fallen[] = {5, 4, 3, 2, 1};
    cr_assert_eq(CORRELATION(grown, fallen), -1);
}

Test(rank_correlation, ties_have_the_mean_of_their_ranks)
{
    // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
    const double tied[] = {1, 2, 2, 3}, line[] = {1, 2, 3, 4};
    cr_assert_float_eq(CORRELATION(tied, line), 4.5 / sqrt(4.5 * 5), 1e-15);
    cr_assert_float_eq(CORRELATION(line, tied), 4.5 / sqrt(4.5 * 5), 1e-15);
    // Ties at the same places are the same order; three alike have the middle rank.
    const double same[] = {7, 9, 9, 11}, middle[] = {3, 5, 5, 5}, last[] = {1, 2, 3, 4};
    cr_assert_eq(CORRELATION(tied, same), 1);
    cr_assert_float_eq(CORRELATION(middle, last), 3 / sqrt(3.0 * 5), 1e-15);
    // Ties on both sides, crosswise: ranks 1.5, 1.5, 3.5, 3.5 and 1.5, 3.5, 1.5, 3.5.
    const double pairs[] = {0, 0, 1, 1}, crossed[] = {0, 1, 0, 1};
    cr_assert_eq(CORRELATION(pairs, crossed), 0);
    // The two zeros are one number.
    const double zeros[] = {-0.0, 0.0, 1}, ones[] = {1, 1, 2};
    cr_assert_eq(CORRELATION(zeros, ones), 1);
}

Test(rank_correlation, what_cannot_be_ranked_has_none)
{
    const double constant[] = {4, 4, 4}, line[] = {1, 2, 3};
    cr_assert(isnan(CORRELATION(constant, line)));
    cr_assert(isnan(CORRELATION(line, constant)));
    cr_assert(isnan(CORRELATION(constant, constant)));
    cr_assert(isnan(correlation_of(line, line, 1)));
    cr_assert(isnan(correlation_of(line, line, 0)));
    cr_assert_eq(correlation_of(line, line, 2), 1);
}

// Twice the rank: those below count two, those alike one (itself too).
static double rank_of(const double *numbers, uint32_t count, uint32_t place)
{
    double rank = 1;
    for (uint32_t i = 0; i < count; i++)
        rank += 2 * (numbers[i] < numbers[place]) + (numbers[i] == numbers[place]);
    return rank;
}

static double defined(const double *a, const double *b, uint32_t count)
{
    double middle = count + 1, both = 0, square_a = 0, square_b = 0; // of ranks 1 to n, twice
    for (uint32_t i = 0; i < count; i++) {
        double from_a = rank_of(a, count, i) - middle, from_b = rank_of(b, count, i) - middle;
        both += from_a * from_b;
        square_a += from_a * from_a;
        square_b += from_b * from_b;
    }
    return both / sqrt(square_a) / sqrt(square_b);
}

Test(rank_correlation, random_lists_as_defined)
{
    struct wm_random random;
    wm_random_init(&random, 20, "ranks");
    uint32_t compared = 0;
    for (uint32_t round = 0; round < TEST_ROUNDS(2000); round++) {
        double a[MOST], b[MOST];
        uint32_t count = 2 + (uint32_t)wm_random_below(&random, MOST - 1);
        uint64_t kinds = 1 + wm_random_below(&random, 2 * MOST); // few: many ties
        for (uint32_t i = 0; i < count; i++) {
            a[i] = (double)wm_random_below(&random, kinds) - 20;
            b[i] = (double)wm_random_below(&random, kinds) / 3 + (round % 2 == 0 ? a[i] : -a[i]);
        }
        double expected = defined(a, b, count), found = correlation_of(a, b, count);
        if (isnan(expected)) {
            cr_assert(isnan(found), "round %u", round);
            continue;
        }
        cr_assert_float_eq(found, expected, 1e-12, "round %u: %g, not %g", round, found, expected);
        compared++;
    }
    cr_assert_gt(compared, TEST_ROUNDS(2000) * 9 / 10);
}
