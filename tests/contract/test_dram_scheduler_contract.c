// The contract of the kind "dram scheduler" (mem/dram_scheduler/dram_scheduler.h), over every entry
// of its table. That each serves every request and keeps the devices' timings, tests/timing shows.
#include "mem/dram_scheduler/dram_scheduler.h"

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
