// Set dueling's own rules: which sets lead, in arrays of any number of sets, and how PSEL moves.
#include "mem/replacement/set_duel.h"

#include <criterion/criterion.h>

static void count_roles(uint32_t sets, uint32_t counts[3])
{
    struct wm_set_duel duel;
    wm_set_duel_init(&duel, sets, WM_DUEL_LEADERS, WM_DUEL_PSEL_BITS);
    counts[0] = counts[1] = counts[2] = 0;
    for (uint32_t set = 0; set < sets; set++)
        counts[wm_set_duel_role(&duel, set)]++;
}

// Up to 32 leaders each, at most a quarter of the sets each, at least one each from two sets on.
Test(set_duel, draws_the_leaders_that_the_rule_says)
{
    for (uint32_t sets = 1; sets <= 5000; sets++) {
        uint32_t counts[3], leaders = sets == 1 ? 0 : sets < 4 ? 1 : sets < 128 ? sets / 4 : 32;
        count_roles(sets, counts);
        cr_assert_eq(counts[WM_DUEL_LEADS_FIRST], leaders, "%u sets", sets);
        cr_assert_eq(counts[WM_DUEL_LEADS_SECOND], leaders, "%u sets", sets);
        cr_assert_eq(counts[WM_DUEL_FOLLOWS], sets - 2 * leaders);
    }
}

Test(set_duel, the_leaders_stand_evenly_spaced)
{
    struct wm_set_duel duel;
    wm_set_duel_init(&duel, 1024, WM_DUEL_LEADERS, WM_DUEL_PSEL_BITS);
    for (uint32_t set = 0; set < 1024; set++)
        cr_assert_eq(wm_set_duel_role(&duel, set), set % 32 == 0    ? WM_DUEL_LEADS_FIRST
                                                   : set % 32 == 16 ? WM_DUEL_LEADS_SECOND
                                                                    : WM_DUEL_FOLLOWS);
}

// Set 0 leads for the first policy, 16 for the second, 1 follows.
Test(set_duel, misses_move_psel_and_followers_follow)
{
    struct wm_set_duel duel;
    const bool demand = true, write_back = false;
    wm_set_duel_init(&duel, 1024, WM_DUEL_LEADERS, WM_DUEL_PSEL_BITS);
    cr_assert_not(wm_set_duel_miss(&duel, 1, demand), "the first policy to begin with");
    cr_assert_not(wm_set_duel_miss(&duel, 0, write_back));
    cr_assert_not(wm_set_duel_miss(&duel, 1, demand), "a write-back is no miss of the duel");
    cr_assert_not(wm_set_duel_miss(&duel, 0, demand));
    cr_assert(wm_set_duel_miss(&duel, 1, demand));
    cr_assert(wm_set_duel_miss(&duel, 16, demand));
    cr_assert_not(wm_set_duel_miss(&duel, 1, demand));
    for (int i = 0; i < 3000; i++)
        cr_assert_not(wm_set_duel_miss(&duel, 0, demand), "a leader never changes");
    cr_assert_eq(duel.psel, 1023);
    for (int i = 0; i < 3000; i++)
        cr_assert(wm_set_duel_miss(&duel, 16, demand));
    cr_assert_eq(duel.psel, 0);
}

// Fewer leaders and a narrower counter: a machine's parameters.
Test(set_duel, leaders_and_width_are_what_the_machine_says)
{
    struct wm_set_duel duel;
    wm_set_duel_init(&duel, 1024, 2, 3);
    uint32_t leads = 0;
    for (uint32_t set = 0; set < 1024; set++)
        leads += wm_set_duel_role(&duel, set) != WM_DUEL_FOLLOWS;
    cr_assert_eq(leads, 4);
    for (int i = 0; i < 5; i++)
        wm_set_duel_miss(&duel, 0, true);
    cr_assert_eq(duel.psel, 7, "from 3, saturated");
    for (int i = 0; i < 3; i++)
        cr_assert(wm_set_duel_miss(&duel, 1, true));
    for (int i = 0; i < 4; i++)
        wm_set_duel_miss(&duel, 256, true);
    cr_assert_not(wm_set_duel_miss(&duel, 1, true));
    wm_set_duel_init(&duel, 1024, WM_DUEL_LEADERS, 1);
    cr_assert_not(wm_set_duel_miss(&duel, 1, true));
    wm_set_duel_miss(&duel, 0, true);
    cr_assert(wm_set_duel_miss(&duel, 1, true));
}
