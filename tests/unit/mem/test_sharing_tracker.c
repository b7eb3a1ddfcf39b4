// The tracker by itself, against a list of what it knows; and its ideas one by one.
#include "base/numbers/random.h"
#include "obvious_tracker.h"

#include <criterion/criterion.h>
#include <string.h>

enum { HOLDERS = 12, LINES = 200, STEPS = 20000 };

static struct wm_tracker_spec small(uint32_t sharers)
{
    return (struct wm_tracker_spec){
        .present = true, .sms_each = 1024, .sets = 8, .ways = 3, .banks = 4, .sharers = sharers};
}

// That the two know the same, and have counted the same.
static void compare(const struct wm_sharing_tracker *tracker, const struct obvious_tracker *model)
{
    for (uint64_t line = 0; line < LINES; line++) {
        uint32_t count;
        const uint16_t *holders = wm_tracker_holders(tracker, line, &count);
        const struct obvious_entry *entry = obvious_tracker_find(model, line);
        cr_assert_eq(count, entry != NULL ? entry->count : 0, "line %lu", line);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(holders[i], entry->holders[i]);
    }
    cr_assert_arr_eq(tracker->counters, model->counters,
                     tracker->banks * sizeof model->counters[0]);
}

static void run(const struct wm_tracker_spec *spec, uint64_t seed)
{
    static struct obvious_tracker model;
    struct wm_sharing_tracker tracker;
    struct wm_random random;
    wm_random_init(&random, seed, "tracker");
    obvious_tracker_init(&model, spec, HOLDERS);
    cr_assert_eq(wm_tracker_init(&tracker, spec, HOLDERS, NULL), WM_OK);
    for (int step = 0; step < STEPS; step++) {
        uint64_t line = wm_random_below(&random, LINES), what = wm_random_below(&random, 100);
        uint32_t who = (uint32_t)wm_random_below(&random, HOLDERS);
        if (what < 40) {
            cr_assert_eq(wm_tracker_look_up(&tracker, line, who),
                         obvious_tracker_look_up(&model, line, who));
        } else if (what < 80) {
            wm_tracker_add(&tracker, line, who);
            obvious_tracker_add(&model, line, who);
        } else if (what < 95) {
            wm_tracker_remove(&tracker, line, who);
            obvious_tracker_remove(&model, line, who);
        } else {
            wm_tracker_clear(&tracker, line);
            obvious_tracker_clear(&model, line);
        }
        if (step % 200 == 0)
            compare(&tracker, &model);
    }
    wm_tracker_flush(&tracker);
    obvious_tracker_flush(&model);
    compare(&tracker, &model);
    wm_tracker_release(&tracker);
}

Test(sharing_tracker, knows_what_the_list_knows)
{
    for (uint32_t sharers = 1; sharers <= HOLDERS; sharers += sharers < 4 ? 1 : 4)
        for (int keep = 0; keep < 2; keep++) {
            struct wm_tracker_spec spec = small(sharers);
            spec.keep = (enum wm_tracker_keep)keep;
            run(&spec, sharers * 2 + (uint32_t)keep);
        }
}

Test(sharing_tracker, holders_take_turns)
{
    struct wm_tracker_spec spec = small(HOLDERS);
    struct wm_sharing_tracker tracker;
    cr_assert_eq(wm_tracker_init(&tracker, &spec, HOLDERS, NULL), WM_OK);
    for (uint32_t who = 0; who < 3; who++)
        wm_tracker_add(&tracker, 5, who);
    int32_t said[6];
    for (int i = 0; i < 6; i++)
        said[i] = wm_tracker_look_up(&tracker, 5, 7);
    const int32_t expected[6] = {0, 1, 2, 0, 1, 2};
    cr_assert_arr_eq(said, expected, sizeof said);
    cr_assert_eq(wm_tracker_counters_of(&tracker, 5)->hits, 6);
    cr_assert_eq(wm_tracker_counters_of(&tracker, 6)->lookups, 0, "another bank");
    wm_tracker_release(&tracker);
}

Test(sharing_tracker, one_holder_is_the_last_or_the_first)
{
    for (int keep = 0; keep < 2; keep++) {
        struct wm_tracker_spec spec = small(1);
        struct wm_sharing_tracker tracker;
        spec.keep = (enum wm_tracker_keep)keep;
        cr_assert_eq(wm_tracker_init(&tracker, &spec, HOLDERS, NULL), WM_OK);
        wm_tracker_add(&tracker, 9, 3);
        wm_tracker_add(&tracker, 9, 4);
        cr_assert_eq(wm_tracker_look_up(&tracker, 9, 0), keep == WM_TRACKER_KEEPS_FIRST ? 3 : 4);
        const struct wm_tracker_counters *counters = wm_tracker_counters_of(&tracker, 9);
        cr_assert_eq(counters->sharers_refused, keep == WM_TRACKER_KEEPS_FIRST);
        cr_assert_eq(counters->sharers_replaced, keep != WM_TRACKER_KEEPS_FIRST);
        // A requester is never its own holder.
        cr_assert_eq(wm_tracker_look_up(&tracker, 9, keep == WM_TRACKER_KEEPS_FIRST ? 3 : 4),
                     WM_TRACKER_NONE);
        wm_tracker_release(&tracker);
    }
}
