// The ideas of the entries that keep their own order: each holds for the entry and fails when the
// idea is switched off.
#include "mem/replacement/entries.h"
#include "mem/replacement/rrip.h"
#include "policy_runs.h"

#include <criterion/criterion.h>

static void ignore(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

// --- RAND: every line is as likely to go ---

// Over many misses of a full set, each way is the victim equally often, within five standard
// deviations.
static bool displaces_evenly(const struct wm_replacement_ops *ops)
{
    enum { WAYS = 10, MISSES = 100000 };
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 1, WAYS);
    uint64_t next = 0, victims[WAYS] = {0};
    for (uint32_t i = 0; i < WAYS; i++)
        policy_read(&cache, next++);
    bool even = true, same_way_follows = false;
    int32_t last = -1;
    for (uint32_t i = 0; i < MISSES; i++) {
        policy_read(&cache, next);
        int32_t way = wm_cache_find(&cache, next, next);
        same_way_follows |= way == last;
        last = way;
        victims[way]++;
        next++;
    }
    for (uint32_t way = 0; way < WAYS; way++)
        even &= victims[way] > 10000 - 475 && victims[way] < 10000 + 475;
    wm_cache_release(&cache);
    return even && same_way_follows;
}

static int32_t lowest_way(const struct wm_replacement_set *set,
                          const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)set;
    (void)event;
    (void)allowed;
    return 0;
}

Test(replacement_order, random_displaces_every_way_equally_often)
{
    cr_assert(displaces_evenly(&wm_replacement_random));
    struct wm_replacement_ops lowest = wm_replacement_random;
    lowest.victim = lowest_way;
    cr_assert_not(displaces_evenly(&lowest));
    cr_assert_not(displaces_evenly(&wm_replacement_nru), "going round is not chance");
}

// One line too many in a cycle: what orders by age loses all of them, chance loses few.
Test(replacement_order, random_keeps_most_of_a_cycle_that_just_does_not_fit)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_random, 1, 16);
    uint64_t hits = policy_cycle(&cache, 0, 17, 1000);
    cr_assert(hits > 17000 / 2 && hits < 17000 * 15 / 16, "%lu", (unsigned long)hits);
    wm_cache_release(&cache);
}

// --- PLRU: the three bits of the Intel486 ---

// Lines 0 to 3 stand in ways 0 to 3, used in an order; the next line's way is the victim. By the
// data sheet: bit 0 says which pair was used last, bits 1 and 2 which of each pair.
static int32_t victim_after(const struct wm_replacement_ops *ops, const uint64_t uses[4])
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 1, 4);
    policy_cycle(&cache, 0, 4, 1);
    for (int i = 0; i < 4; i++)
        cr_assert(policy_read(&cache, uses[i]));
    cr_assert_not(policy_read(&cache, 9));
    int32_t way = wm_cache_find(&cache, 9, 9);
    wm_cache_release(&cache);
    return way;
}

static bool victims_are_the_data_sheets(const struct wm_replacement_ops *ops)
{
    static const struct {
        uint64_t uses[4];
        int32_t victim;
    } table[] = {
        {{0, 1, 2, 3}, 0}, // last pair 2, 3; of 0 and 1 the last was 1
        {{1, 0, 2, 3}, 1}, {{2, 3, 0, 1}, 2}, {{3, 2, 0, 1}, 3}, {{0, 2, 1, 3}, 0}, // as LRU would
        {{0, 2, 3, 1}, 2}, // LRU would take 0: the tree forgets what is below the other pair
    };
    bool same = true;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        same &= victim_after(ops, table[i].uses) == table[i].victim;
    return same;
}

Test(replacement_order, plru_follows_the_bits_of_the_data_sheet)
{
    cr_assert(victims_are_the_data_sheets(&wm_replacement_plru));
    struct wm_replacement_ops deaf = wm_replacement_plru;
    deaf.hit = ignore;
    cr_assert_not(victims_are_the_data_sheets(&deaf));
}

// --- NRU and SRRIP: the mixed access pattern of Jaleel et al., ISCA 2010, figure on four ways ---

// a1 a2 a2 a1 is used again after a scan of four lines: returns how many of both then hit.
static int hits_after_the_scan(const struct wm_replacement_ops *ops)
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 1, 4);
    static const uint64_t pattern[] = {1, 2, 2, 1, 11, 12, 13, 14};
    for (size_t i = 0; i < sizeof pattern / sizeof pattern[0]; i++)
        policy_read(&cache, pattern[i]);
    int hits = policy_read(&cache, 1);
    hits += policy_read(&cache, 2);
    wm_cache_release(&cache);
    return hits;
}

static void insert_as_if_hit(const struct wm_replacement_set *set, uint32_t way,
                             const struct wm_replacement_event *event)
{
    wm_replacement_srrip.hit(set, way, event);
}

Test(replacement_order, srrip_resists_the_papers_scan)
{
    cr_assert_eq(hits_after_the_scan(&wm_replacement_srrip), 2);
    struct wm_replacement_ops immediate = wm_replacement_srrip;
    immediate.insert = insert_as_if_hit;
    cr_assert_eq(hits_after_the_scan(&immediate), 0);
    cr_assert_eq(hits_after_the_scan(&wm_replacement_lru), 0);
    cr_assert_eq(hits_after_the_scan(&wm_replacement_nru), 0);
}

// Of four lines, two were used since all bits were turned: neither is the next victim, nor the
// next after that.
static bool spares_the_recently_used(const struct wm_replacement_ops *ops)
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 1, 4);
    policy_cycle(&cache, 0, 5, 1); // line 4 displaces line 0 and turns all bits
    policy_read(&cache, 1);
    policy_read(&cache, 20); // line 2: the first that was not used
    bool spared = wm_cache_find(&cache, 1, 1) >= 0 && wm_cache_find(&cache, 2, 2) < 0;
    policy_read(&cache, 21); // line 3; now all were used
    spared &= wm_cache_find(&cache, 1, 1) >= 0 && wm_cache_find(&cache, 3, 3) < 0;
    policy_read(&cache, 22); // the bits turn again, and way 0 is the first
    spared &= wm_cache_find(&cache, 4, 4) < 0;
    wm_cache_release(&cache);
    return spared;
}

Test(replacement_order, nru_spares_what_was_used_since_the_bits_turned)
{
    cr_assert(spares_the_recently_used(&wm_replacement_nru));
    struct wm_replacement_ops deaf = wm_replacement_nru;
    deaf.hit = ignore;
    cr_assert_not(spares_the_recently_used(&deaf));
}

// Under a mask of allowed ways: those are searched, all are incremented, and 3 stays 3.
Test(replacement_order, rrip_increments_all_lines_and_searches_the_allowed)
{
    struct wm_rrip_word words[2] = {0};
    struct wm_rrip rrip = {.bits = 2};
    struct wm_replacement_set set = {.array = &rrip, .set = words, .sets = 1, .ways = 70};
    for (uint32_t way = 0; way < 70; way++)
        wm_rrip_put(words, 2, way, way % 4);
    uint64_t allowed[2] = {1 << 4 | 1 << 5, 0}; // RRPVs 0 and 1
    cr_assert_eq(wm_rrip_victim(&set, NULL, allowed), 5);
    for (uint32_t way = 0; way < 70; way++)
        cr_assert_eq(wm_rrip_get(words, 2, way), way % 4 == 0 ? 2 : 3, "way %u", way);
    cr_assert_eq(wm_rrip_victim(&set, NULL, NULL), 1);
    uint64_t none[2] = {0, ~UINT64_C(0) << 6}; // ways that do not exist
    cr_assert_eq(wm_rrip_victim(&set, NULL, none), WM_NO_WAY);
}

// --- BRRIP resists thrashing, DRRIP follows the better ---

static void insert_long(const struct wm_replacement_set *set, uint32_t way,
                        const struct wm_replacement_event *event)
{
    wm_replacement_srrip.insert(set, way, event);
}

static bool resists_thrashing(const struct wm_replacement_ops *ops)
{
    // At least 4 of 12 lines, of the 7 that could stay.
    return policy_thrash_hits(ops) > (uint64_t)POLICY_DUEL_SETS * POLICY_DUEL_ROUNDS * 4;
}

Test(replacement_order, brrip_keeps_part_of_a_working_set_larger_than_the_cache)
{
    cr_assert(resists_thrashing(&wm_replacement_brrip));
    struct wm_replacement_ops unimodal = wm_replacement_brrip;
    unimodal.insert = insert_long;
    cr_assert_not(resists_thrashing(&unimodal));
    cr_assert_eq(policy_thrash_hits(&wm_replacement_srrip), 0);
}

static bool follows_the_better(const struct wm_replacement_ops *ops)
{
    return policy_follows_the_better(ops, &wm_replacement_srrip, &wm_replacement_brrip);
}

Test(replacement_order, drrip_follows_the_better_of_srrip_and_brrip)
{
    cr_assert(follows_the_better(&wm_replacement_drrip));
    cr_assert_not(follows_the_better(&wm_replacement_srrip));
    cr_assert_not(follows_the_better(&wm_replacement_brrip));
}

// --- SHiP learns which instruction streams ---

enum { WORKING_PC = 7, STREAMING_PC = 8 };

// Each set goes round a working set of 12 lines four times, then scans 20 lines, which is too much
// for SRRIP's prediction values; working set and scan have an instruction of their own. The sets do
// so out of step, so that nothing but the instruction distinguishes a scan from a working set.
static bool learns_the_streaming_instruction(const struct wm_replacement_ops *ops)
{
    enum { PERIODS = 300, WORKING = 12, USES = 4 * WORKING, SCAN = 20, SETS_APART = 16 };
    struct wm_cache cache;
    policy_cache_init(&cache, ops, SETS_APART, 16);
    uint64_t hits = 0, uses = 0, streamed = 1000;
    for (uint64_t step = 0; step < PERIODS * (USES + SCAN); step++)
        for (uint64_t set = 0; set < SETS_APART; set++) {
            uint64_t phase = (step + set * 5) % (USES + SCAN);
            bool works = phase < USES;
            uint64_t line = works ? phase % WORKING : streamed++;
            struct policy_reference reference = {.line = line * SETS_APART + set,
                                                 .pc = works ? WORKING_PC : STREAMING_PC};
            bool hit = policy_refer(&cache, &reference);
            hits += works && hit;
            uses += works;
        }
    wm_cache_release(&cache);
    return hits > uses * 95 / 100;
}

static void insert_without_signature(const struct wm_replacement_set *set, uint32_t way,
                                     const struct wm_replacement_event *event)
{
    struct wm_replacement_event unattributed = *event;
    unattributed.pc = 0;
    wm_replacement_ship.insert(set, way, &unattributed);
}

Test(replacement_order, ship_learns_the_streaming_instruction)
{
    cr_assert(learns_the_streaming_instruction(&wm_replacement_ship));
    struct wm_replacement_ops unsigned_ship = wm_replacement_ship;
    unsigned_ship.insert = insert_without_signature;
    cr_assert_not(learns_the_streaming_instruction(&unsigned_ship));
    cr_assert_not(learns_the_streaming_instruction(&wm_replacement_srrip));
}

// An instruction whose lines died is believed again once they are used: its first hit lifts the
// counter from zero.
Test(replacement_order, ship_forgives)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_ship, 1, 4);
    struct policy_reference reference = {.pc = STREAMING_PC};
    for (reference.line = 0; reference.line < 20; reference.line++)
        policy_refer(&cache, &reference);
    // Predicted distant: each displaces the one before, in the first way that is at 3.
    int32_t way = wm_cache_find(&cache, 19, 19);
    reference.line = 20;
    policy_refer(&cache, &reference);
    cr_assert_eq(wm_cache_find(&cache, 20, 20), way);
    for (int i = 0; i < 3; i++)
        cr_assert(policy_refer(&cache, &reference), "used: the counter rises");
    reference.line = 21;
    policy_refer(&cache, &reference);
    way = wm_cache_find(&cache, 21, 21);
    reference.line = 22;
    policy_refer(&cache, &reference);
    cr_assert_neq(wm_cache_find(&cache, 22, 22), way, "predicted long: it outlives the next");
    wm_cache_release(&cache);
}
