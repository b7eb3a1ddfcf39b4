// Miss status holding registers: hand cases, and random ones against a list of waiters.
#include "base/numbers/random.h"
#include "mem/timed/mshr.h"

#include <criterion/criterion.h>

static void new_mshr(struct wm_mshr *mshr, uint32_t entries, uint32_t merges)
{
    struct wm_error error;
    cr_assert_eq(wm_mshr_init(mshr, entries, merges, false, &error), WM_OK);
}

// The tokens that were completed, in order.
struct told {
    uint64_t tokens[64];
    uint32_t count;
};

static void tell(void *context, uint64_t token)
{
    struct told *told = context;
    told->tokens[told->count++] = token;
}

Test(mshr, an_entry_a_line_until_its_sectors_have_come)
{
    struct wm_mshr mshr;
    struct told told = {0};
    new_mshr(&mshr, 2, 4);
    cr_assert_null(wm_mshr_find(&mshr, 7));
    struct wm_mshr_entry *entry = wm_mshr_add(&mshr, 7);
    entry->pending = 0x3;
    wm_mshr_merge(&mshr, entry, 100, 0x3);
    cr_assert_eq(wm_mshr_find(&mshr, 7), entry);
    cr_assert_null(wm_mshr_find(&mshr, 8));
    cr_assert(wm_mshr_has_room(&mshr, NULL, 1));
    wm_mshr_add(&mshr, 8)->pending = 0x1;
    cr_assert_not(wm_mshr_has_room(&mshr, NULL, 1));
    wm_mshr_fill(&mshr, wm_mshr_find(&mshr, 7), 0x1, tell, &told);
    cr_assert_eq(told.count, 0, "one of two sectors is not enough");
    wm_mshr_fill(&mshr, wm_mshr_find(&mshr, 7), 0x2, tell, &told);
    cr_assert_eq(told.count, 1);
    cr_assert_eq(told.tokens[0], 100);
    cr_assert_null(wm_mshr_find(&mshr, 7), "it has nothing pending and is gone");
    cr_assert(wm_mshr_has_room(&mshr, NULL, 1));
    cr_assert_eq(mshr.used, 1);
    wm_mshr_release(&mshr);
}

Test(mshr, waiters_are_told_in_order_and_each_when_it_has_all)
{
    struct wm_mshr mshr;
    struct told told = {0};
    new_mshr(&mshr, 1, 4);
    struct wm_mshr_entry *entry = wm_mshr_add(&mshr, 3);
    entry->pending = 0xf;
    wm_mshr_merge(&mshr, entry, 1, 0x1);
    wm_mshr_merge(&mshr, entry, 2, 0x6);
    wm_mshr_merge(&mshr, entry, 3, 0x1);
    wm_mshr_merge(&mshr, entry, 4, 0x8);
    cr_assert_eq(entry->waiters, 4);
    wm_mshr_fill(&mshr, entry, 0x5, tell, &told);
    cr_assert_eq(told.count, 2);
    cr_assert_eq(told.tokens[0], 1);
    cr_assert_eq(told.tokens[1], 3);
    cr_assert_eq(entry->waiters, 2, "their places are free again");
    wm_mshr_merge(&mshr, entry, 5, 0x2);
    wm_mshr_fill(&mshr, entry, 0xa, tell, &told);
    const uint64_t order[] = {1, 3, 2, 4, 5};
    cr_assert_eq(told.count, 5);
    for (uint32_t i = 0; i < 5; i++)
        cr_expect_eq(told.tokens[i], order[i]);
    wm_mshr_release(&mshr);
}

Test(mshr, lines_and_waiters_get_more_room_when_there_are_many)
{
    enum { ENTRIES = 40, EACH = 12 };
    struct wm_mshr mshr;
    new_mshr(&mshr, ENTRIES, EACH);
    uint32_t before = mshr.waiter_room;
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < (uint64_t)ENTRIES * EACH; i++) {
            struct wm_mshr_entry *entry = wm_mshr_find(&mshr, i % ENTRIES);
            cr_assert(wm_mshr_has_room(&mshr, entry, 0x1));
            entry = entry != NULL ? entry : wm_mshr_add(&mshr, i % ENTRIES);
            entry->pending = 0x1;
            wm_mshr_merge(&mshr, entry, i, 0x1);
        }
        for (uint64_t line = 0; line < ENTRIES; line++) {
            struct told told = {0};
            wm_mshr_fill(&mshr, wm_mshr_find(&mshr, line), 0x1, tell, &told);
            cr_assert_eq(told.count, EACH);
            for (uint64_t i = 0; i < EACH; i++)
                cr_assert_eq(told.tokens[i], line + i * ENTRIES);
        }
    }
    cr_assert_eq(mshr.used, 0);
    cr_assert_gt(mshr.waiter_room, 2 * before, "it grew more than once");
    cr_assert_eq(mshr.entry_room, ENTRIES, "there is room for no more than there may be");
    cr_assert_not(mshr.failed);
    wm_mshr_release(&mshr);
}

// The obvious form: who waits for what, in one list.
enum { LINES = 12, MOST = 5, MERGES = 9 };

struct obvious {
    uint32_t pending[LINES];
    struct {
        uint64_t token, line;
        uint32_t missing;
    } waiters[MOST * MERGES];
    uint32_t count;
};

static uint32_t lines_used(const struct obvious *model)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < LINES; i++)
        used += model->pending[i] != 0;
    return used;
}

static uint32_t waiters_of(const struct obvious *model, uint64_t line)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->count; i++)
        count += model->waiters[i].line == line;
    return count;
}

static void fill_obvious(struct obvious *model, uint64_t line, uint32_t sectors, struct told *told)
{
    uint32_t kept = 0;
    model->pending[line] &= ~sectors;
    for (uint32_t i = 0; i < model->count; i++) {
        if (model->waiters[i].line == line)
            model->waiters[i].missing &= ~sectors;
        if (model->waiters[i].missing == 0)
            tell(told, model->waiters[i].token);
        else
            model->waiters[kept++] = model->waiters[i];
    }
    model->count = kept;
}

// Line numbers that fall into few buckets, and some that are far apart.
static uint64_t number_of(uint64_t line)
{
    return line % 3 == 0 ? line << 40 : line;
}

static void random_step(struct wm_random *chance, struct wm_mshr *mshr, struct obvious *model,
                        uint64_t token)
{
    uint64_t line = wm_random_below(chance, LINES);
    uint32_t sectors = (uint32_t)wm_random_below(chance, 15) + 1;
    struct wm_mshr_entry *entry = wm_mshr_find(mshr, number_of(line));
    cr_assert_eq(entry != NULL, model->pending[line] != 0);
    if (wm_random_below(chance, 2) == 0) {
        struct told told = {0}, expected = {0};
        if (entry == NULL)
            return;
        sectors &= model->pending[line];
        wm_mshr_fill(mshr, entry, sectors, tell, &told);
        fill_obvious(model, line, sectors, &expected);
        cr_assert_eq(told.count, expected.count);
        for (uint32_t i = 0; i < told.count; i++)
            cr_assert_eq(told.tokens[i], expected.tokens[i]);
        return;
    }
    cr_assert_eq(wm_mshr_has_room(mshr, NULL, 1), lines_used(model) < MOST);
    if (entry == NULL && !wm_mshr_has_room(mshr, NULL, 1))
        return;
    entry = entry != NULL ? entry : wm_mshr_add(mshr, number_of(line));
    cr_assert_eq(entry->waiters, waiters_of(model, line));
    if (entry->waiters == MERGES)
        return;
    entry->pending |= sectors;
    model->pending[line] |= sectors;
    wm_mshr_merge(mshr, entry, token, sectors);
    model->waiters[model->count].token = token;
    model->waiters[model->count].line = line;
    model->waiters[model->count++].missing = sectors;
}

Test(mshr, random_traffic_against_a_list)
{
    struct wm_random chance;
    struct wm_mshr mshr;
    struct obvious model = {0};
    wm_random_init(&chance, 11, "mshr");
    new_mshr(&mshr, MOST, MERGES);
    for (uint64_t i = 0; i < 200000; i++) {
        random_step(&chance, &mshr, &model, i);
        cr_assert_eq(mshr.used, lines_used(&model));
    }
    wm_mshr_release(&mshr);
}

Test(mshr, released_twice_does_no_harm)
{
    struct wm_mshr mshr = {0};
    wm_mshr_release(&mshr);
    new_mshr(&mshr, 1, 1);
    wm_mshr_release(&mshr);
    wm_mshr_release(&mshr);
}

Test(mshr, entries_of_sectors_count_sectors)
{
    struct wm_mshr mshr;
    struct wm_error error;
    struct told told = {0};
    cr_assert_eq(wm_mshr_init(&mshr, 4, 2, true, &error), WM_OK);
    struct wm_mshr_entry *entry = wm_mshr_add(&mshr, 7);
    wm_mshr_add_pending(&mshr, entry, 0x7);
    cr_assert(wm_mshr_has_room(&mshr, NULL, 0x1), "three of four are taken");
    cr_assert(wm_mshr_has_room(&mshr, entry, 0x8));
    cr_assert_not(wm_mshr_has_room(&mshr, NULL, 0x3));
    wm_mshr_merge(&mshr, entry, 1, 0x7);
    wm_mshr_merge(&mshr, entry, 2, 0x1);
    cr_assert_not(wm_mshr_can_merge(&mshr, entry, 0x1), "two wait for the first sector");
    cr_assert_not(wm_mshr_can_merge(&mshr, entry, 0x3));
    cr_assert(wm_mshr_can_merge(&mshr, entry, 0x6), "and one for the others");
    cr_assert(wm_mshr_can_merge(&mshr, entry, 0x8), "and nobody for one that is not on its way");
    wm_mshr_fill(&mshr, entry, 0x1, tell, &told);
    cr_assert_eq(told.count, 1);
    cr_assert_eq(told.tokens[0], 2);
    cr_assert_eq(mshr.handed, 2);
    cr_assert(wm_mshr_has_room(&mshr, NULL, 0x3), "two are left");
    wm_mshr_fill(&mshr, entry, 0x6, tell, &told);
    cr_assert_eq(told.count, 2);
    cr_assert_eq(mshr.handed, 4);
    cr_assert_eq(mshr.sectors, 0);
    // A line of more sectors than there are entries comes alone.
    wm_mshr_add_pending(&mshr, wm_mshr_add(&mshr, 8), 0xff);
    cr_assert_not(wm_mshr_has_room(&mshr, NULL, 0x1));
    wm_mshr_release(&mshr);
}
