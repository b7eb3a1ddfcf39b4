// The tracker by itself, against a list of all that holds; and its ideas one by one.
#include "base/random.h"
#include "mem/tracker/sharing_tracker.h"

#include <criterion/criterion.h>
#include <string.h>

enum { HOLDERS = 12, LINES = 200, STEPS = 20000, MOST = 4096 };

static struct wm_tracker_spec small(uint32_t sharers)
{
    return (struct wm_tracker_spec){
        .present = true, .sms_each = 1024, .sets = 8, .ways = 3, .banks = 4, .sharers = sharers};
}

// --- The model: lines with their holders in a list, oldest used first ---

struct known {
    uint64_t line;
    uint32_t holders[HOLDERS], count, turn;
};

struct model {
    struct wm_tracker_spec spec;
    struct known known[MOST];
    uint32_t count;
};

static int place(const struct model *model, uint64_t line)
{
    for (uint32_t i = 0; i < model->count; i++)
        if (model->known[i].line == line)
            return (int)i;
    return -1;
}

static void drop(struct model *model, uint32_t at)
{
    memmove(&model->known[at], &model->known[at + 1],
            (--model->count - at) * sizeof model->known[0]);
}

static struct known *use(struct model *model, uint32_t at)
{
    struct known moved = model->known[at];
    drop(model, at);
    model->known[model->count++] = moved;
    return &model->known[model->count - 1];
}

static int look_up(struct model *model, uint64_t line, uint32_t who)
{
    int at = place(model, line);
    if (at < 0)
        return -1;
    struct known *known = &model->known[at];
    for (uint32_t tried = 0; tried < known->count; tried++) {
        uint32_t turn = (known->turn + tried) % known->count;
        if (known->holders[turn] == who)
            continue;
        known->turn = turn + 1;
        uint32_t found = known->holders[turn];
        use(model, (uint32_t)at);
        return (int)found;
    }
    return -1;
}

static void forget(struct known *known, uint32_t at)
{
    for (uint32_t i = at; i + 1 < known->count; i++)
        known->holders[i] = known->holders[i + 1];
    known->count--;
    known->turn -= known->turn > at;
}

static uint32_t place_in(const struct known *known, uint32_t who)
{
    uint32_t at = 0;
    while (at < known->count && known->holders[at] != who)
        at++;
    return at;
}

static void add(struct model *model, uint64_t line, uint32_t who)
{
    int at = place(model, line);
    if (at < 0) {
        uint32_t in_set = 0, oldest = 0;
        for (uint32_t i = model->count; i-- > 0;)
            if (model->known[i].line % model->spec.sets == line % model->spec.sets) {
                in_set++;
                oldest = i;
            }
        if (in_set == model->spec.ways)
            drop(model, oldest);
        at = (int)model->count;
        model->known[model->count++] = (struct known){.line = line};
    }
    struct known *known = use(model, (uint32_t)at);
    if (place_in(known, who) < known->count)
        return;
    if (known->count == model->spec.sharers) {
        if (model->spec.keep == WM_TRACKER_KEEPS_FIRST)
            return;
        forget(known, 0);
    }
    known->holders[known->count++] = who;
}

static void take_out(struct model *model, uint64_t line, uint32_t who)
{
    int at = place(model, line);
    uint32_t holder = at >= 0 ? place_in(&model->known[at], who) : 0;
    if (at < 0 || holder == model->known[at].count)
        return;
    forget(&model->known[at], holder);
    if (model->known[at].count == 0)
        drop(model, (uint32_t)at);
}

static void compare(const struct wm_sharing_tracker *tracker, const struct model *model)
{
    for (uint64_t line = 0; line < LINES; line++) {
        uint32_t count;
        const uint16_t *holders = wm_tracker_holders(tracker, line, &count);
        int at = place(model, line);
        cr_assert_eq(count, at >= 0 ? model->known[at].count : 0, "line %lu", line);
        for (uint32_t i = 0; i < count; i++)
            cr_assert_eq(holders[i], model->known[at].holders[i]);
    }
}

static void run(const struct wm_tracker_spec *spec, uint64_t seed)
{
    static struct model model;
    struct wm_sharing_tracker tracker;
    struct wm_random random;
    wm_random_init(&random, seed, "tracker");
    model = (struct model){.spec = *spec};
    cr_assert_eq(wm_tracker_init(&tracker, spec, HOLDERS, NULL), WM_OK);
    for (int step = 0; step < STEPS; step++) {
        uint64_t line = wm_random_below(&random, LINES), what = wm_random_below(&random, 100);
        uint32_t who = (uint32_t)wm_random_below(&random, HOLDERS);
        if (what < 40) {
            cr_assert_eq(wm_tracker_look_up(&tracker, line, who), look_up(&model, line, who));
        } else if (what < 80) {
            wm_tracker_add(&tracker, line, who);
            add(&model, line, who);
        } else if (what < 95) {
            wm_tracker_remove(&tracker, line, who);
            take_out(&model, line, who);
        } else {
            wm_tracker_clear(&tracker, line);
            if (place(&model, line) >= 0)
                drop(&model, (uint32_t)place(&model, line));
        }
        if (step % 200 == 0)
            compare(&tracker, &model);
    }
    wm_tracker_flush(&tracker);
    model.count = 0;
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
        // Who asks is never told of itself.
        cr_assert_eq(wm_tracker_look_up(&tracker, 9, keep == WM_TRACKER_KEEPS_FIRST ? 3 : 4),
                     WM_TRACKER_NOBODY);
        wm_tracker_release(&tracker);
    }
}

Test(sharing_tracker, impossible_ones_are_refused)
{
    const struct wm_tracker_spec good = small(1);
    struct wm_tracker_spec bad[5] = {good, good, good, good, good};
    bad[0].sets = 0;
    bad[1].banks = 3;
    bad[2].sharers = 0;
    bad[3].sms_each = 0;
    bad[4].sets = 1 << 30;
    struct wm_error error;
    cr_assert_eq(wm_tracker_spec_check(&good, &error), WM_OK);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(wm_tracker_spec_check(&bad[i], &error), WM_INVALID, "%d", i);
        cr_assert_neq(error.message[0], 0);
    }
}
