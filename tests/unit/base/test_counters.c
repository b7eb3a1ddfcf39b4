#include "base/names/counters.h"

#include <criterion/criterion.h>

#define APPLE_COUNTERS(X)              \
    X(eaten, "apples", "apples eaten") \
    X(dropped, "apples", "apples that fell")

struct apple_counters {
    APPLE_COUNTERS(WM_COUNTER_FIELD)
};

static const struct wm_counter_declaration declarations[] = {
    APPLE_COUNTERS(WM_COUNTER_DECLARATION)};
static const struct wm_counter_set set = {"apple", "Apples", declarations, 2};

// The struct's fields and the declarations are the same list, in the same order.
Test(counters, fields_and_declarations_agree)
{
    struct apple_counters counters = {.eaten = 3, .dropped = 5};
    const uint64_t *values = (const uint64_t *)&counters;
    cr_assert_eq(sizeof counters, set.count * sizeof(uint64_t));
    cr_assert_eq(values[wm_counter_index(&set, "eaten")], 3);
    cr_assert_eq(values[wm_counter_index(&set, "dropped")], 5);
    cr_assert_eq(wm_counter_index(&set, "absent"), set.count);
    cr_assert_str_eq(set.declarations[1].sentence, "apples that fell");
}
