// The ideas of the entries that are the recency chain: each holds for the entry and fails when the
// idea is switched off.
#include "mem/replacement/entries.h"
#include "policy_runs.h"

#include <criterion/criterion.h>

// --- FIFO: Belady's anomaly (Belady, Nelson and Shedler, CACM 12(6), 1969) ---

static uint64_t misses_of_the_anomaly(const struct wm_replacement_ops *ops, uint32_t ways)
{
    static const uint64_t stream[] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 1, ways);
    uint64_t misses = 0;
    for (size_t i = 0; i < sizeof stream / sizeof stream[0]; i++)
        misses += !policy_read(&cache, stream[i]);
    wm_cache_release(&cache);
    return misses;
}

Test(replacement_chain, fifo_misses_more_in_a_larger_cache)
{
    cr_assert_eq(misses_of_the_anomaly(&wm_replacement_fifo, 3), 9);
    cr_assert_eq(misses_of_the_anomaly(&wm_replacement_fifo, 4), 10);
    struct wm_replacement_ops promoting = wm_replacement_fifo;
    promoting.promote_by = WM_CHAIN_LAST;
    cr_assert_eq(misses_of_the_anomaly(&promoting, 3), 10);
    cr_assert_eq(misses_of_the_anomaly(&promoting, 4), 8);
}

// --- LIP and BIP: the cyclic reference model of Qureshi et al., (a1 … aT)^N (b1 … bT)^N ---

enum { WAYS = 16, CYCLE = 24, ROUNDS = 2000 };

struct rates {
    double first, second; // hits of 1 in the a and in the b phase
    uint64_t first_hits;
};

static struct rates cyclic_rates(const struct wm_replacement_ops *ops)
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 1, WAYS);
    uint64_t first = policy_cycle(&cache, 0, CYCLE, ROUNDS);
    uint64_t second = policy_cycle(&cache, CYCLE, CYCLE, ROUNDS);
    wm_cache_release(&cache);
    return (struct rates){(double)first / (CYCLE * ROUNDS), (double)second / (CYCLE * ROUNDS),
                          first};
}

// All but the first round: K - 1 of T lines.
static bool keeps_part_of_a_cycle(const struct wm_replacement_ops *ops)
{
    return cyclic_rates(ops).first_hits == (uint64_t)(WAYS - 1) * (ROUNDS - 1);
}

Test(replacement_chain, lip_keeps_part_of_a_working_set_larger_than_the_cache)
{
    cr_assert(keeps_part_of_a_cycle(&wm_replacement_lip));
    struct wm_replacement_ops in_front = wm_replacement_lip;
    in_front.insert_at = 0;
    cr_assert_not(keeps_part_of_a_cycle(&in_front));
    cr_assert_eq(cyclic_rates(&wm_replacement_lru).first_hits, 0);
}

// (K - 1 - epsilon (T - K)) / T of the references of both phases hit, in the paper's estimate.
static bool follows_a_change_of_the_working_set(const struct wm_replacement_ops *ops)
{
    double estimate = (WAYS - 1 - (CYCLE - WAYS) / 32.0) / CYCLE;
    struct rates rates = cyclic_rates(ops);
    return rates.first > estimate - 0.1 && rates.first < estimate + 0.05 &&
           rates.second > estimate - 0.1 && rates.second < estimate + 0.05;
}

static uint32_t never_in_front(const struct wm_replacement_set *set,
                               const struct wm_replacement_event *event)
{
    (void)set;
    (void)event;
    return WM_CHAIN_LAST;
}

Test(replacement_chain, bip_follows_a_change_of_the_working_set)
{
    cr_assert(follows_a_change_of_the_working_set(&wm_replacement_bip));
    struct wm_replacement_ops throttled = wm_replacement_bip;
    throttled.chain_insert = never_in_front;
    cr_assert_not(follows_a_change_of_the_working_set(&throttled));
    cr_assert_eq(cyclic_rates(&wm_replacement_lip).second, 0);
}

// --- DIP: as good as the better of the two on either kind of stream, but for its leaders ---

static bool follows_the_better(const struct wm_replacement_ops *ops)
{
    return policy_follows_the_better(ops, &wm_replacement_lru, &wm_replacement_bip);
}

Test(replacement_chain, dip_follows_the_better_of_lru_and_bip)
{
    cr_assert(follows_the_better(&wm_replacement_dip));
    cr_assert_not(follows_the_better(&wm_replacement_lru));
    cr_assert_not(follows_the_better(&wm_replacement_bip));
}

// An array of one set has no other set to duel with, and stays with LRU.
Test(replacement_chain, dip_of_one_set_is_lru)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_dip, 1, WAYS);
    cr_assert_eq(policy_cycle(&cache, 0, CYCLE, ROUNDS), 0);
    wm_cache_release(&cache);
}

// --- PIPP: where lines enter, how they are promoted, and what that protects ---

static uint32_t position_of(struct wm_cache *cache, uint64_t line)
{
    int32_t way = wm_cache_find(cache, line, line);
    cr_assert_geq(way, 0);
    cr_assert(cache->is_ordered);
    return (uint32_t)way;
}

// SM 0 cycles over four lines and SM 1 over three: with 8 ways the monitors find 4 and 3 useful and
// the way that helps no SM goes to SM 0, which makes the paper's example of targets 5 and 3.
Test(replacement_chain, pipp_inserts_at_the_targets_from_the_lru_end)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, 1, 8);
    for (uint64_t i = 0; i < 40000; i++) {
        struct policy_reference reference = {.line = i % 2 == 0 ? i / 2 % 4 : 100 + i / 2 % 3,
                                             .sm = i % 2};
        policy_refer(&cache, &reference);
    }
    for (uint64_t i = 0; i < 20; i++) {
        struct policy_reference first = {.line = 1000 + i, .sm = 0};
        cr_assert_not(policy_refer(&cache, &first));
        cr_assert_eq(position_of(&cache, first.line), 8 - 5);
        struct policy_reference second = {.line = 2000 + i, .sm = 1};
        cr_assert_not(policy_refer(&cache, &second));
        cr_assert_eq(position_of(&cache, second.line), 8 - 3);
        struct policy_reference idle = {.line = 3000 + i, .sm = 2};
        cr_assert_not(policy_refer(&cache, &idle));
        cr_assert_eq(position_of(&cache, idle.line), 8 - 1);
    }
    wm_cache_release(&cache);
}

Test(replacement_chain, pipp_promotes_by_one_three_times_in_four)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, 1, 8);
    policy_cycle(&cache, 0, 8, 1);
    uint32_t promoted = 0, hits = 20000;
    for (uint32_t i = 0; i < hits; i++) {
        uint64_t line = cache.tags[7];
        cr_assert(policy_read(&cache, line));
        uint32_t position = position_of(&cache, line);
        cr_assert(position == 7 || position == 6);
        promoted += position == 6;
    }
    // Five standard deviations of hits draws with probability 3/4.
    cr_assert(promoted > 15000 - 310 && promoted < 15000 + 310, "%u", promoted);
    wm_cache_release(&cache);
}

// SM 0 uses six lines over and over, SM 1 streams three lines between each two of its references.
static bool protects_from_a_stream(const struct wm_replacement_ops *ops)
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 1, 8);
    uint64_t hits = 0, streamed = 1000, references = 100000;
    for (uint64_t i = 0; i < references; i++) {
        struct policy_reference own = {.line = i % 6, .sm = 0};
        hits += policy_refer(&cache, &own);
        for (int j = 0; j < 3; j++) {
            struct policy_reference stream = {.line = streamed++, .sm = 1};
            policy_refer(&cache, &stream);
        }
    }
    wm_cache_release(&cache);
    return hits > references * 3 / 4;
}

static uint32_t always_in_front(const struct wm_replacement_set *set,
                                const struct wm_replacement_event *event)
{
    (void)set;
    (void)event;
    return 0;
}

Test(replacement_chain, pipp_protects_what_has_use_from_a_stream)
{
    cr_assert(protects_from_a_stream(&wm_replacement_pipp));
    struct wm_replacement_ops equal = wm_replacement_pipp;
    equal.chain_insert = always_in_front;
    cr_assert_not(protects_from_a_stream(&equal));
    cr_assert_not(protects_from_a_stream(&wm_replacement_lru));
}
