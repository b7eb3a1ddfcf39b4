// Which kernels a pattern means, by each of their names, and what is refused.
#include "engine/session/launch_filter.h"

#include <criterion/criterion.h>

static bool means(const char *pattern, const char *symbol)
{
    struct wm_error error;
    struct wm_launch_filter filter;
    const struct wm_launch_filter_words words = {.kernels = &pattern, .kernel_count = 1};
    cr_assert(wm_launch_filter_wanted(&words));
    cr_assert_eq(wm_launch_filter_init(&filter, &words, &error), WM_OK, "%s", error.message);
    bool found = wm_launch_filter_means(&filter, symbol);
    wm_launch_filter_release(&filter);
    return found;
}

// template <int N> __global__ void ns::reduce(float *, const float *), as reduce<256>
static const char in_namespace[] = "_ZN2ns6reduceILi256EEEvPfPKf";
// __global__ void (anonymous namespace)::scan(int *)
static const char unnamed[] = "_ZN12_GLOBAL__N_14scanEPi";

Test(launch_filter, patterns_mean_each_name_of_a_kernel)
{
    cr_assert(means("_ZN2ns6reduceILi256EEEvPfPKf", in_namespace));
    cr_assert(means("ns::reduce<256>", in_namespace));
    cr_assert(means("reduce", in_namespace));
    cr_assert(means("void ns::reduce<256>(float[*], float const[*])", in_namespace));
    cr_assert(means("*reduce*", in_namespace));
    cr_assert(means("red?ce", in_namespace));
    cr_assert(means("scan", unnamed));
    cr_assert(means("(anonymous namespace)::scan", unnamed));
    cr_assert(means("vecadd", "vecadd"));
}

Test(launch_filter, a_shell_pattern_means_a_whole_name)
{
    cr_assert_not(means("duce", in_namespace));
    cr_assert_not(means("ns", in_namespace));
    cr_assert_not(means("float", in_namespace));
    cr_assert_not(means("256", in_namespace));
    cr_assert_not(means("reduce_all", in_namespace));
}

Test(launch_filter, an_expression_is_found_anywhere)
{
    cr_assert(means("regex:duce", in_namespace));
    cr_assert(means("regex:^(reduce|scan)$", in_namespace));
    cr_assert(means("regex:<256>", in_namespace));
    cr_assert_not(means("regex:^duce", in_namespace));
}

Test(launch_filter, skip_and_count_are_of_the_chosen)
{
    struct wm_error error;
    struct wm_launch_filter filter;
    struct wm_launch_choice choice = {0};
    struct wm_arena arena;
    const char *pattern = "a";
    const struct wm_launch_filter_words words = {
        .kernels = &pattern, .kernel_count = 1, .launches = "1-9", .skip = "1", .count = "2"};
    cr_assert_eq(wm_launch_filter_init(&filter, &words, &error), WM_OK);
    cr_assert_str_eq(filter.text, "--kernel a --launches 1-9 --launch-skip 1 --launch-count 2");
    wm_arena_init(&arena);
    // Of launches 0 to 11 of a, b, a, b, …: 2, 4, 6 and 8 are of `a` and within 1-9.
    for (uint64_t number = 0; number < 12; number++) {
        bool taken =
            wm_launch_filter_takes(&filter, &choice, number % 2 == 0 ? "a" : "b", number, &arena);
        cr_assert_eq(taken, number == 4 || number == 6, "launch %d", (int)number);
    }
    wm_string_map_release(&choice.kernels);
    wm_arena_release(&arena);
    wm_launch_filter_release(&filter);
}

Test(launch_filter, nothing_given_is_no_filter)
{
    const struct wm_launch_filter_words words = {0};
    cr_assert_not(wm_launch_filter_wanted(&words));
}
