#include "base/text/nearest.h"

#include <criterion/criterion.h>

Test(nearest, distances)
{
    static const struct {
        const char *a, *b;
        unsigned distance;
    } cases[] = {
        {"", "", 0},
        {"abc", "abc", 0},
        {"abc", "", 3},
        {"abc", "abd", 1},
        {"abc", "ab", 1},
        {"abc", "xabc", 1},
        {"wyas", "ways", 1}, // neighbours swapped
        {"kitten", "sitting", 3},
        {"ca", "abc", 3}, // not 2: optimal string alignment
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(wm_edit_distance(cases[i].a, cases[i].b), cases[i].distance, "%s %s",
                     cases[i].a, cases[i].b);
        cr_expect_eq(wm_edit_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}

Test(nearest, long_names_are_equal_or_far)
{
    char a[101], b[101];
    memset(a, 'a', 100);
    memset(b, 'a', 100);
    a[100] = b[100] = '\0';
    cr_expect_eq(wm_edit_distance(a, b), 0);
    b[50] = 'b';
    cr_expect_eq(wm_edit_distance(a, b), 100);
}

static const char *best(const char *wanted)
{
    static const char *const names[] = {"size", "sector", "slices", "ways", "line"};
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, wanted);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        wm_nearest_offer(&nearest, names[i]);
    return nearest.best;
}

Test(nearest, offers_only_what_is_near)
{
    cr_expect_str_eq(best("siz"), "size");
    cr_expect_str_eq(best("sectors"), "sector");
    cr_expect_str_eq(best("wasy"), "ways");
    cr_expect_null(best("x"));
    cr_expect_null(best(""));
    cr_expect_null(best("bandwidth"));
    cr_expect_str_eq(best("sices"), "slices", "the nearest, not the first that is near");
}

Test(nearest, case_is_no_edit)
{
    static const char *const names[] = {"a100", "v100", "l1.Hits", "l1.hits"};
    static const char *const wanted[][2] = {
        {"V100", "v100"},       {"A100", "a100"}, {"V1000", "v100"}, {"L1.HITS", "l1.Hits"},
        {"l1.hitS", "l1.hits"}, {"v100", "v100"}, {"h100", "a100"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct wm_nearest nearest;
        wm_nearest_init(&nearest, wanted[i][0]);
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            wm_nearest_offer(&nearest, names[n]);
        cr_assert_not_null(nearest.best, "%s", wanted[i][0]);
        cr_expect_str_eq(nearest.best, wanted[i][1], "%s", wanted[i][0]);
    }
}
