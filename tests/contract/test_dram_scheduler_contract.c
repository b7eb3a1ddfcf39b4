// The contract of the kind "dram scheduler" (mem/dram_scheduler/dram_scheduler.h), over every entry
// of its table. That each serves every request and keeps the devices' timings, tests/timing shows.
#include "mem/dram_scheduler/entries.h"

#include <criterion/criterion.h>
#include <string.h>

Test(dram_scheduler_contract, every_entry_is_documented_and_found_by_name)
{
    size_t count;
    const struct wm_dram_scheduler_ops *const *table = wm_dram_scheduler_table(&count);
    cr_assert_geq(count, 4);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(wm_dram_scheduler_find(table[i]->name), table[i]);
        cr_assert(table[i]->title[0] && table[i]->source[0] && table[i]->sentence[0]);
        cr_assert(table[i]->order != NULL);
    }
    cr_assert(wm_dram_scheduler_find("nosuch") == NULL);
}

// Of requests of one sort, the older is first; orders stay below what owners add to them.
Test(dram_scheduler_contract, every_entry_orders_by_age)
{
    static const uint64_t ages[] = {0, 1, 2, 1000, UINT64_C(1) << 40, (UINT64_C(1) << 47) - 1};
    size_t count;
    const struct wm_dram_scheduler_ops *const *table = wm_dram_scheduler_table(&count);
    for (size_t i = 0; i < count; i++)
        for (int sort = 0; sort < 4; sort++)
            for (size_t age = 0; age < sizeof ages / sizeof ages[0]; age++) {
                struct wm_dram_candidate candidate = {ages[age], sort & 1, sort & 2};
                uint64_t order = table[i]->order(&candidate);
                cr_assert_eq(order, table[i]->order(&candidate), "%s is pure", table[i]->name);
                cr_assert_lt(order, UINT64_C(1) << (table[i]->in_turns ? 48 : 62));
                candidate.sequence++;
                cr_assert_lt(order, table[i]->order(&candidate), "%s", table[i]->name);
            }
}

Test(dram_scheduler_contract, each_prefers_what_it_says)
{
    struct wm_dram_candidate old = {1, false, false}, column = {2, true, false},
                             activated = {3, true, true};
    const struct wm_dram_scheduler_ops *ready = &wm_dram_scheduler_first_ready;
    const struct wm_dram_scheduler_ops *hits = &wm_dram_scheduler_fr_fcfs;
    cr_expect_lt(hits->order(&column), hits->order(&old));
    cr_expect_lt(ready->order(&old), ready->order(&column));
    cr_expect_lt(ready->order(&activated), ready->order(&old));
}

// Of two candidates of each pair of sorts, which goes first, older or younger: what an entry's
// order comes to. With its flags, which the channel reads, no other entry is the same.
static uint32_t preferences(const struct wm_dram_scheduler_ops *ops)
{
    uint32_t preferred = 0, bit = 0;
    for (int one = 0; one < 4; one++)
        for (int other = 0; other < 4; other++, bit++) {
            struct wm_dram_candidate older = {1, one & 1, one & 2},
                                     younger = {2, other & 1, other & 2};
            preferred |= (uint32_t)(ops->order(&younger) < ops->order(&older)) << bit;
        }
    return preferred;
}

Test(dram_scheduler_contract, no_two_entries_are_the_same)
{
    size_t count;
    const struct wm_dram_scheduler_ops *const *table = wm_dram_scheduler_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct wm_dram_scheduler_ops *a = table[i], *b = table[j];
            bool flags = a->in_order == b->in_order && a->hits_hold_row == b->hits_hold_row &&
                         a->cap_withholds == b->cap_withholds &&
                         a->activated_first == b->activated_first && a->in_turns == b->in_turns;
            cr_expect(!flags || preferences(a) != preferences(b), "%s is %s", a->name, b->name);
        }
}

// Only an entry that serves by age alone never lets a younger request go first.
Test(dram_scheduler_contract, each_order_is_as_its_sentence_says)
{
    cr_expect_eq(preferences(&wm_dram_scheduler_fcfs), 0);
    cr_expect_eq(preferences(&wm_dram_scheduler_bank_round_robin), 0);
    for (int one = 0; one < 4; one++)
        for (int other = 0; other < 4; other++) {
            uint32_t bit = (uint32_t)(one * 4 + other);
            bool column = (other & 1) && !(one & 1), activated = (other & 2) && !(one & 2);
            cr_expect_eq(preferences(&wm_dram_scheduler_fr_fcfs) >> bit & 1, column);
            cr_expect_eq(preferences(&wm_dram_scheduler_first_ready) >> bit & 1, activated);
        }
}

// An order may prefer requests whose row was opened for them only where the channel keeps who they
// are, and does so there.
Test(dram_scheduler_contract, activated_first_is_said_where_it_is_done)
{
    size_t count;
    const struct wm_dram_scheduler_ops *const *table = wm_dram_scheduler_table(&count);
    struct wm_dram_candidate old = {1, true, false}, activated = {2, true, true};
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(table[i]->order(&activated) < table[i]->order(&old), table[i]->activated_first,
                     "%s", table[i]->name);
}
