// The entries' parameters: each changes what the entry does, in the direction that its paper says.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "policy_runs.h"

#include <criterion/criterion.h>
#include <string.h>

// A cache whose entry has `name` set to `value`, the rest as the papers have it.
static void init_with(struct wm_cache *cache, const struct wm_replacement_ops *ops,
                      const char *name, uint64_t value, uint32_t sets, uint32_t ways)
{
    struct wm_cache_spec spec = policy_spec(ops, sets, ways);
    size_t at = 0;
    while (at < ops->parameter_count && strcmp(ops->parameters[at].name, name) != 0)
        at++;
    cr_assert_lt(at, ops->parameter_count, "%s has no parameter %s", ops->name, name);
    cr_assert(value >= ops->parameters[at].minimum && value <= ops->parameters[at].maximum);
    spec.replacement_values.given = 1u << at;
    spec.replacement_values.values[at] = value;
    struct wm_error error;
    cr_assert_eq(wm_cache_init(cache, &spec, POLICY_COMPONENT, &error), WM_OK);
}

// --- epsilon: how much of what comes in stays ---

// Hits of a cycle of 24 lines in 16 ways, then of another: BIP keeps K - 1 lines less what epsilon
// lets in, and needs epsilon to change over (Qureshi et al., ISCA 2007).
struct cyclic {
    uint64_t steady, after_change;
};

static struct cyclic cyclic_hits(const struct wm_replacement_ops *ops, uint64_t epsilon)
{
    struct wm_cache cache;
    init_with(&cache, ops, "epsilon", epsilon, 64, 16);
    policy_cycle(&cache, 0, 24, 300);
    struct cyclic hits = {.steady = policy_cycle(&cache, 0, 24, 20)};
    hits.after_change = policy_cycle(&cache, 24, 24, 20);
    wm_cache_release(&cache);
    return hits;
}

static void check_epsilon(const struct wm_replacement_ops *ops)
{
    struct cyclic often = cyclic_hits(ops, 4), paper = cyclic_hits(ops, 32),
                  seldom = cyclic_hits(ops, 1000);
    cr_assert(often.steady < paper.steady && paper.steady <= seldom.steady, "%s: %lu %lu %lu",
              ops->name, often.steady, paper.steady, seldom.steady);
    cr_assert(paper.after_change > seldom.after_change, "%s", ops->name);
}

Test(replacement_parameters, a_small_epsilon_keeps_more_and_changes_later)
{
    check_epsilon(&wm_replacement_bip);
    check_epsilon(&wm_replacement_brrip);
}

// Everything comes in to stay: the bimodal policies become those that they differ from.
Test(replacement_parameters, an_epsilon_of_one_is_lru_and_srrip)
{
    cr_assert_eq(cyclic_hits(&wm_replacement_bip, 1).steady, 0);
    struct wm_cache brrip, srrip;
    init_with(&brrip, &wm_replacement_brrip, "epsilon", 1, 8, 8);
    policy_cache_init(&srrip, &wm_replacement_srrip, 8, 8);
    struct wm_random random;
    wm_random_init(&random, 3, "lines");
    for (int i = 0; i < 20000; i++) {
        uint64_t line = wm_random_below(&random, wm_random_below(&random, 2) == 0 ? 40 : 400);
        cr_assert_eq(policy_read(&brrip, line), policy_read(&srrip, line));
    }
    wm_cache_release(&brrip);
    wm_cache_release(&srrip);
}

// --- bits: with one, SRRIP is NRU; with more, what was hit outlives longer scans ---

// Whether a line that was hit is still there after a scan of `scan` lines in 8 ways.
static bool outlives(uint64_t bits, uint64_t scan)
{
    struct wm_cache cache;
    init_with(&cache, &wm_replacement_srrip, "bits", bits, 1, 8);
    policy_cycle(&cache, 0, 8, 1);
    policy_read(&cache, 7);
    for (uint64_t line = 0; line < scan; line++)
        policy_read(&cache, 100 + line);
    bool there = wm_cache_find(&cache, 7, 7) >= 0;
    wm_cache_release(&cache);
    return there;
}

static uint64_t longest_outlived(uint64_t bits)
{
    uint64_t scan = 0;
    while (scan < 1000 && outlives(bits, scan + 1))
        scan++;
    return scan;
}

Test(replacement_parameters, wider_predictions_outlive_longer_scans)
{
    uint64_t last = longest_outlived(1);
    for (uint64_t bits = 2; bits <= 4; bits++) {
        uint64_t now = longest_outlived(bits);
        cr_assert(now > last && now < 1000, "%lu bits: %lu after %lu", bits, now, last);
        last = now;
    }
}

Test(replacement_parameters, srrip_of_one_bit_is_nru)
{
    struct wm_cache srrip, nru;
    init_with(&srrip, &wm_replacement_srrip, "bits", 1, 8, 8);
    policy_cache_init(&nru, &wm_replacement_nru, 8, 8);
    struct wm_random random;
    wm_random_init(&random, 4, "lines");
    for (int i = 0; i < 20000; i++) {
        uint64_t line = wm_random_below(&random, 100);
        cr_assert_eq(policy_read(&srrip, line), policy_read(&nru, line));
    }
    wm_cache_release(&srrip);
    wm_cache_release(&nru);
}

// --- promotion: under frequency priority one hit alone does not outlive a scan as many do ---

// Whether a line of 3-bit predictions that was hit `hits` times is still there after a scan of 12
// lines in 4 ways.
static bool frequent_outlives(uint64_t promotion, int hits)
{
    struct wm_cache_spec spec = policy_spec(&wm_replacement_srrip, 1, 4);
    spec.replacement_values.given = 3; // bits and promotion
    spec.replacement_values.values[0] = 3;
    spec.replacement_values.values[1] = promotion;
    struct wm_cache cache;
    struct wm_error error;
    cr_assert_eq(wm_cache_init(&cache, &spec, POLICY_COMPONENT, &error), WM_OK);
    policy_cycle(&cache, 0, 4, 1);
    for (int i = 0; i < hits; i++)
        policy_read(&cache, 3);
    for (uint64_t line = 0; line < 12; line++)
        policy_read(&cache, 100 + line);
    bool there = wm_cache_find(&cache, 3, 3) >= 0;
    wm_cache_release(&cache);
    return there;
}

Test(replacement_parameters, frequency_priority_keeps_what_is_hit_often)
{
    cr_assert(frequent_outlives(0, 1), "hit priority: one hit is as good as many");
    cr_assert_not(frequent_outlives(1, 1));
    cr_assert(frequent_outlives(1, 6));
}

// --- leaders and psel_bits: what the duel costs and how fast it turns ---

// Hits of a cycle of 12 lines in 8 ways, after `before` lines used twice, for which LRU is better.
static uint64_t thrash_hits(const char *name, uint64_t value, uint64_t before)
{
    struct wm_cache cache;
    init_with(&cache, &wm_replacement_dip, name, value, 512, 8);
    policy_use_twice(&cache, before, 3);
    uint64_t hits = policy_cycle(&cache, 100000, 12, 60);
    wm_cache_release(&cache);
    return hits;
}

// More leaders of the losing policy lose more; a wider counter takes longer to turn.
Test(replacement_parameters, a_duel_costs_its_leaders_and_its_counters_width)
{
    cr_assert_gt(thrash_hits("leaders", 8, 0), thrash_hits("leaders", 128, 0));
    cr_assert_gt(thrash_hits("psel_bits", 6, 300), thrash_hits("psel_bits", 16, 300));
}

// --- SHiP's table ---

// Instruction 1 uses its lines over and over, instruction 4 streams three lines between. Hits of 1.
static uint64_t told_apart(const char *name, uint64_t value)
{
    struct wm_cache cache;
    init_with(&cache, &wm_replacement_ship, name, value, 1, 8);
    uint64_t hits = 0, streamed = 1000;
    for (uint64_t i = 0; i < 5000; i++) {
        struct policy_reference own = {.line = i % 6, .pc = 1};
        hits += policy_refer(&cache, &own);
        for (int j = 0; j < 3; j++) {
            struct policy_reference stream = {.line = streamed++, .pc = 4};
            policy_refer(&cache, &stream);
        }
    }
    wm_cache_release(&cache);
    return hits;
}

// In two bits, 4 folds to 1: the stream's lines share the counter of lines that are used.
Test(replacement_parameters, ship_needs_signatures_that_tell_instructions_apart)
{
    uint64_t apart = told_apart("signature_bits", 14), together = told_apart("signature_bits", 2);
    cr_assert(apart > 4500 && together < 1000, "%lu %lu", apart, together);
}

// How many dead lines of an instruction it takes until it is taken for one whose lines die, after
// many hits: the counter's width.
static uint32_t dead_until_distant(uint64_t counter_bits)
{
    struct wm_cache cache;
    init_with(&cache, &wm_replacement_ship, "counter_bits", counter_bits, 1, 4);
    for (int i = 0; i < 400; i++) {
        struct policy_reference used = {.line = 1, .pc = 5};
        policy_refer(&cache, &used);
    }
    uint32_t dead = 0;
    for (uint64_t line = 100; dead < 1000; line++, dead++) {
        struct policy_reference stream = {.line = line, .pc = 5}, next = {.line = line + 5000};
        policy_refer(&cache, &stream);
        // Predicted distant, it is what the next line displaces.
        next.pc = 9;
        if (dead > 8) {
            policy_refer(&cache, &next);
            if (wm_cache_find(&cache, line, line) < 0)
                break;
        }
    }
    wm_cache_release(&cache);
    return dead;
}

Test(replacement_parameters, wide_counters_remember_hits_longer)
{
    cr_assert_lt(dead_until_distant(3), dead_until_distant(6));
    cr_assert_lt(dead_until_distant(6), dead_until_distant(8));
}

// --- PIPP ---

// SM 0 uses six of eight ways' lines; SM 1 streams, but touches each line again at once, so that
// hits promote what will never be used after.
static uint64_t hits_beside_a_stream(const char *name, uint64_t value)
{
    struct wm_cache cache;
    init_with(&cache, &wm_replacement_pipp, name, value, 1, 8);
    uint64_t hits = 0, streamed = 1000;
    for (uint64_t i = 0; i < 60000; i++) {
        struct policy_reference own = {.line = i % 6, .sm = 0};
        hits += policy_refer(&cache, &own) && i > 20000;
        for (int j = 0; j < 2; j++) {
            struct policy_reference stream = {.line = streamed, .sm = 1};
            streamed++;
            policy_refer(&cache, &stream);
            policy_refer(&cache, &stream);
            policy_refer(&cache, &stream);
        }
    }
    wm_cache_release(&cache);
    return hits;
}

// The idea of the stream-sensitive form: what streams neither enters high nor climbs.
Test(replacement_parameters, pipp_keeps_a_stream_that_is_hit_from_climbing)
{
    uint64_t detected = hits_beside_a_stream("detect_streams", 1);
    uint64_t undetected = hits_beside_a_stream("detect_streams", 0);
    cr_assert(detected > 39000, "%lu", detected);
    cr_assert(undetected < detected * 9 / 10, "%lu of %lu", undetected, detected);
    // It is the low promotion that does it, and both thresholds must be crossed.
    cr_assert_lt(hits_beside_a_stream("stream_promotion", 768), detected * 95 / 100);
    cr_assert_eq(hits_beside_a_stream("stream_misses", 1 << 20), undetected);
    cr_assert_eq(hits_beside_a_stream("stream_miss_rate", 1024), undetected);
}

// Without promotion PIPP is FIFO among equals: nothing that is hit moves.
Test(replacement_parameters, pipp_without_promotion_is_fifo)
{
    struct wm_cache pipp, fifo;
    init_with(&pipp, &wm_replacement_pipp, "promotion", 0, 4, 8);
    policy_cache_init(&fifo, &wm_replacement_fifo, 4, 8);
    struct wm_random random;
    wm_random_init(&random, 5, "lines");
    for (int i = 0; i < 20000; i++) {
        uint64_t line = wm_random_below(&random, 60);
        cr_assert_eq(policy_read(&pipp, line), policy_read(&fifo, line));
    }
    wm_cache_release(&pipp);
    wm_cache_release(&fifo);
}

// A short interval partitions sooner: SM 1's stream stops hurting before 32768 accesses.
Test(replacement_parameters, pipp_partitions_at_its_interval)
{
    uint64_t hits[2];
    for (int i = 0; i < 2; i++) {
        struct wm_cache cache;
        init_with(&cache, &wm_replacement_pipp, "interval", i == 0 ? 32768 : 1024, 1, 8);
        hits[i] = 0;
        for (uint64_t step = 0; step < 20000; step++) {
            struct policy_reference reference = {.line = step % 4 == 0 ? step / 4 % 6 : 100 + step,
                                                 .sm = step % 4 != 0};
            hits[i] += policy_refer(&cache, &reference);
        }
        wm_cache_release(&cache);
    }
    cr_assert(hits[0] < 500 && hits[1] > 3000, "%lu %lu", hits[0], hits[1]);
}
