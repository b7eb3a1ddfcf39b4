// The shadows against obvious ones: flags in arrays, a clock, and a search for the oldest.
#include "base/random.h"
#include "mem/explain/cache_shadow.h"

#include <criterion/criterion.h>

enum { LINES = 40, SECTORS = 4, CAPACITY = 7 };

struct obvious_line {
    bool given[SECTORS], endless[SECTORS], associative[SECTORS], listed;
    uint64_t used;
};

static struct obvious_line model[LINES];
static uint64_t now;

static void obvious_make_room(void)
{
    int held = 0, oldest = -1;
    for (int i = 0; i < LINES; i++)
        if (model[i].listed) {
            held++;
            if (oldest < 0 || model[i].used < model[oldest].used)
                oldest = i;
        }
    if (held == CAPACITY)
        model[oldest].listed = false;
}

static void obvious_drop(struct obvious_line *line, uint32_t sectors)
{
    bool any = false;
    for (int s = 0; s < SECTORS; s++) {
        if ((sectors >> s & 1) != 0)
            line->endless[s] = line->associative[s] = false;
        any = any || line->associative[s];
    }
    line->listed = line->listed && any;
}

static struct wm_miss_classes obvious_access(const struct wm_shadow_access *access)
{
    struct wm_miss_classes classes = {0};
    struct obvious_line *line = &model[access->line];
    now++;
    for (int s = 0; s < SECTORS; s++) {
        if ((access->missing >> s & 1) == 0)
            continue;
        if (line->endless[s] && line->listed && line->associative[s])
            classes.conflict++;
        else if (line->endless[s])
            classes.capacity++;
        else if (!access->allocate)
            classes.unallocated++;
        else if (line->given[s])
            classes.coherence++;
        else
            classes.cold++;
    }
    if (access->drops) {
        obvious_drop(line, 15);
        return classes;
    }
    if (access->allocate && !line->listed) {
        obvious_make_room();
        for (int s = 0; s < SECTORS; s++)
            line->associative[s] = false;
        line->listed = true;
    }
    line->used = now;
    for (int s = 0; s < SECTORS; s++)
        if (access->allocate && (access->units >> s & 1) != 0)
            line->given[s] = line->endless[s] = line->associative[s] = true;
    return classes;
}

Test(cache_shadow, random_accesses_match_the_obvious_shadows)
{
    struct wm_cache_shadow shadow;
    struct wm_random random;
    wm_cache_shadow_init(&shadow, CAPACITY);
    wm_random_init(&random, 3, "shadow");
    uint64_t seen[5] = {0};
    for (int i = 0; i < 200000; i++) {
        uint64_t what = wm_random_below(&random, 2000);
        uint64_t line = wm_random_below(&random, 1 + wm_random_below(&random, LINES));
        if (what == 0) {
            wm_cache_shadow_clear(&shadow);
            memset(model, 0, sizeof model);
        } else if (what < 50) {
            uint32_t sectors = (uint32_t)wm_random_below(&random, 16);
            wm_cache_shadow_drop(&shadow, line, sectors);
            obvious_drop(&model[line], sectors);
        } else {
            uint32_t sectors = 1 + (uint32_t)wm_random_below(&random, 15);
            struct wm_shadow_access access = {
                .line = line,
                .sectors = sectors,
                .missing = sectors & (uint32_t)wm_random_u64(&random),
                .units = what % 2 == 0 ? sectors : 15,
                .allocate = what % 7 != 0,
                .drops = what % 61 == 0,
                .counted = true,
            };
            struct wm_miss_classes expected = obvious_access(&access);
            struct wm_miss_classes got = wm_cache_shadow_access(&shadow, &access);
            cr_assert_eq(memcmp(&got, &expected, sizeof got), 0, "access %d", i);
            seen[0] += got.cold, seen[1] += got.coherence, seen[2] += got.capacity;
            seen[3] += got.conflict, seen[4] += got.unallocated;
        }
    }
    for (int i = 0; i < 5; i++)
        cr_expect_gt(seen[i], 1000, "class %d is hardly tested", i);
    cr_expect_eq(shadow.counters.cold, seen[0]);
    cr_expect_eq(shadow.counters.coherence, seen[1]);
    cr_expect_eq(shadow.counters.capacity, seen[2]);
    cr_expect_eq(shadow.counters.conflict, seen[3]);
    cr_expect_eq(shadow.counters.unallocated, seen[4]);
    wm_cache_shadow_release(&shadow);
}

Test(cache_shadow, the_last_evictor_is_blamed)
{
    struct wm_cache_shadow shadow;
    wm_cache_shadow_init(&shadow, 1);
    struct wm_shadow_access access = {.line = 5,
                                      .sectors = 1,
                                      .missing = 1,
                                      .units = 1,
                                      .allocate = true,
                                      .counted = true,
                                      .origin = {.block = 8, .warp = 2}};
    wm_cache_shadow_access(&shadow, &access);
    const struct wm_shadow_origin evictors[] = {{8, 2}, {8, 3}, {9, 2}};
    for (int i = 0; i < 3; i++) {
        wm_cache_shadow_evicted(&shadow, 5, &evictors[i]);
        struct wm_miss_classes classes = wm_cache_shadow_access(&shadow, &access);
        cr_expect_eq(classes.conflict, 1);
        cr_expect_eq(classes.same_warp, i == 0);
        cr_expect_eq(classes.same_block, i == 1);
        cr_expect_eq(classes.other_block, i == 2);
    }
    wm_cache_shadow_release(&shadow);
}

Test(line_table, indexes_are_given_in_order_of_appearance)
{
    struct wm_line_table table = {0};
    cr_expect_eq(wm_line_table_find(&table, 7), WM_NO_LINE);
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 5000; i++)
            cr_assert_eq(wm_line_table_add(&table, i * i * 64), i);
        for (uint64_t i = 0; i < 5000; i++) {
            cr_assert_eq(wm_line_table_add(&table, i * i * 64), i);
            cr_assert_eq(wm_line_table_find(&table, i * i * 64), i);
            cr_assert_eq(wm_line_table_find(&table, i * i * 64 + 1), WM_NO_LINE);
        }
        cr_assert_eq(table.count, 5000);
        wm_line_table_clear(&table);
        cr_expect_eq(wm_line_table_find(&table, 0), WM_NO_LINE);
    }
    wm_line_table_release(&table);
}
