// Belady's MIN online, as a cache under `opt` has it: the same hits as with the future at hand.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/replacement/opt_online.h"
#include "mem/replacement/opt_two_pass.h"
#include "mem/set_index/entries.h"
#include "opt_model.h"
#include "policy_runs.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct shape {
    uint32_t sets, ways;
    const struct wm_set_index_ops *set_index;
};

// One way, one set, sets that are no power of two, many ways, hashed sets.
static const struct shape shapes[] = {
    {1, 1, &wm_set_index_modulo},   {1, 2, &wm_set_index_modulo},
    {1, 16, &wm_set_index_modulo},  {1, 100, &wm_set_index_modulo},
    {4, 4, &wm_set_index_modulo},   {3, 24, &wm_set_index_modulo},
    {7, 3, &wm_set_index_modulo},   {64, 2, &wm_set_index_modulo},
    {16, 8, &wm_set_index_xor},     {32, 4, &wm_set_index_ipoly},
    {12, 5, &wm_set_index_ipoly},   {32, 3, &wm_set_index_fermi_hash},
    {2, 64, &wm_set_index_modulo},  {50, 1, &wm_set_index_modulo},
    {1, 333, &wm_set_index_modulo},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void cache_of(struct wm_cache *cache, const struct shape *shape,
                     const struct wm_replacement_ops *ops, enum wm_write_policy policy,
                     uint32_t sector_bytes)
{
    struct wm_cache_spec spec = {
        .present = true,
        .size_bytes = (uint64_t)shape->sets * shape->ways * 128,
        .ways = shape->ways,
        .line_bytes = 128,
        .sector_bytes = sector_bytes,
        .write_policy = policy,
        .replacement = ops,
        .set_index = shape->set_index,
    };
    struct wm_error error;
    cr_assert_eq(wm_cache_init(cache, &spec, "opt", &error), WM_OK);
}

enum { REFERENCES = 6000 };

// Cycles that fit and that do not, scans, random lines, hot lines, back and forth, by turns.
static void mixed_stream(struct wm_random *random, uint64_t lines_of_cache, uint64_t *lines)
{
    uint64_t scan = 100000;
    for (size_t i = 0; i < REFERENCES;) {
        uint64_t kind = wm_random_below(random, 6), length = 1 + wm_random_below(random, 600);
        uint64_t cycle = 1 + wm_random_below(random, 2 * lines_of_cache + 2);
        for (uint64_t j = 0; j < length && i < REFERENCES; j++, i++)
            lines[i] = kind == 0   ? j % cycle
                       : kind == 1 ? scan++
                       : kind == 2 ? wm_random_below(random, 4 * lines_of_cache)
                       : kind == 3 ? wm_random_below(random, cycle)
                       : kind == 4 ? wm_random_below(random, 1 + wm_random_below(random, cycle))
                                   : (j / cycle % 2 == 0 ? j % cycle : cycle - 1 - j % cycle);
    }
}

Test(opt_online, misses_as_often_as_in_two_passes)
{
    static uint64_t lines[REFERENCES];
    struct wm_random random;
    wm_random_init(&random, 1, "opt_online");
    uint64_t hits = 0;
    for (size_t i = 0; i < SHAPES; i++)
        for (int round = 0; round < 6; round++) {
            const struct shape *shape = &shapes[i];
            mixed_stream(&random, (uint64_t)shape->sets * shape->ways, lines);
            struct wm_opt_geometry geometry = {.sets = shape->sets,
                                               .ways = shape->ways,
                                               .line_bytes = 128,
                                               .set_index = shape->set_index};
            uint64_t expected;
            struct wm_error error;
            cr_assert_eq(wm_opt_misses(&geometry, lines, REFERENCES, &expected, &error), WM_OK);
            struct wm_cache cache;
            cache_of(&cache, shape, &wm_replacement_opt, WM_WRITE_BACK, 128);
            for (size_t j = 0; j < REFERENCES; j++)
                policy_read(&cache, lines[j]);
            cr_assert_eq(cache.counters.accesses_missed, expected, "%u sets of %u: %lu, not %lu",
                         shape->sets, shape->ways, cache.counters.accesses_missed, expected);
            cr_assert_eq(cache.counters.allocations, expected);
            cr_assert_leq(cache.occupied_lines, (uint64_t)shape->sets * shape->ways);
            cr_assert_eq(cache.counters.evictions + cache.occupied_lines, expected);
            hits += REFERENCES - expected;
            wm_cache_release(&cache);
        }
    cr_assert_gt(hits, 0);
}

// --- All that can be done to a cache, against the list of it ---

struct setting {
    enum wm_write_policy policy;
    bool whole_lines; // accesses are to all sectors, and single sectors are dropped
    uint32_t lines;   // touched
    uint32_t percent_takes, percent_writes, percent_drops, percent_cleans;
};

static void draw_steps(struct wm_random *random, const struct setting *setting,
                       struct opt_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t percent = wm_random_below(random, 100), near = wm_random_below(random, 3);
        uint32_t line =
            (uint32_t)wm_random_below(random, near == 0 ? 1 + setting->lines / 4 : setting->lines);
        steps[i] = (struct opt_step){.action = OPT_READ, .line = line};
        steps[i].allocate = wm_random_below(random, 100) < setting->percent_takes;
        steps[i].sectors = setting->whole_lines ? 0xf : 1 + (uint32_t)wm_random_below(random, 15);
        if (percent < setting->percent_drops) {
            steps[i].action = OPT_DROP;
            steps[i].sectors =
                setting->whole_lines && wm_random_below(random, 2) == 0 ? 4 : UINT32_MAX;
        } else if (percent < setting->percent_drops + setting->percent_cleans) {
            steps[i].action = OPT_CLEAN;
            steps[i].sectors =
                setting->whole_lines ? 1 + (uint32_t)wm_random_below(random, 15) : 0xf;
        } else if (wm_random_below(random, 100) < setting->percent_writes) {
            steps[i].action = OPT_WRITE;
        }
    }
}

struct written {
    uint64_t lines, sectors;
};

static void take_in(struct written *written, uint32_t dirty)
{
    written->lines += dirty != 0;
    written->sectors += (uint64_t)__builtin_popcount(dirty);
}

// What was written back, sector by sector as dirty as it was made: never lost, never twice.
// A store that passes finds what may still be there: all that is, and perhaps more.
static void run_cache(struct wm_cache *cache, const struct opt_step *steps, size_t count,
                      const uint32_t *missing, struct written *written)
{
    struct wm_requester unattributed = {0};
    for (size_t i = 0; i < count; i++) {
        const struct opt_step *step = &steps[i];
        struct wm_cache_result result = {0};
        if (step->action == OPT_READ)
            result = wm_cache_read(cache, step->line, step->line, step->sectors, step->allocate,
                                   &unattributed);
        else if (step->action == OPT_WRITE)
            result = wm_cache_write(cache, WM_CACHE_STORE, step->line, step->line, step->sectors, 0,
                                    step->allocate, &unattributed);
        else if (step->action == OPT_DROP)
            wm_cache_invalidate(cache, step->line, step->line, step->sectors & 0xf);
        else
            take_in(written, wm_cache_clean(cache, step->line, step->line, step->sectors));
        take_in(written, result.victim.dirty);
        if (opt_step_passes(step, cache->write_policy))
            cr_assert_eq(result.missing & ~missing[i], 0, "step %zu", i);
        else
            cr_assert_eq(result.missing, missing[i], "step %zu", i);
    }
    uint64_t left;
    const uint64_t *lines = wm_cache_list(cache, 0, UINT64_MAX, NULL, &left);
    for (uint64_t i = 0; i < left; i++)
        take_in(written, wm_cache_clean(cache, lines[i], lines[i], 0xf));
}

static void compare(struct wm_random *random, const struct shape *shape,
                    const struct setting *setting)
{
    enum { STEPS = 3000 };
    static struct opt_step steps[STEPS];
    static uint32_t missing[STEPS];
    draw_steps(random, setting, steps, STEPS);
    struct opt_model_result model = opt_model_run(steps, STEPS, shape->sets, shape->ways,
                                                  shape->set_index, 128, setting->policy, missing);
    struct wm_cache cache;
    cache_of(&cache, shape, &wm_replacement_opt, setting->policy, 32);
    struct written written = {0};
    run_cache(&cache, steps, STEPS, missing, &written);
    const struct wm_cache_counters *counters = &cache.counters;
    if (setting->policy == WM_WRITE_BACK) {
        cr_assert_eq(counters->hits, model.hits);
        cr_assert_eq(counters->misses, model.misses);
        cr_assert_eq(counters->sector_misses, model.sector_misses);
    }
    cr_assert_geq(counters->hits, model.hits);
    cr_assert_eq(counters->allocations, model.allocations);
    cr_assert_eq(counters->fills, model.fills);
    // Of dirty lines that are dropped, overwritten by the host, those that had left before should
    // have been written back; which they are is not known, and none is.
    if (setting->percent_drops == 0) {
        cr_assert_eq(counters->write_backs, model.lines_written_back);
        cr_assert_eq(written.lines, model.lines_written_back);
        cr_assert_eq(written.sectors, model.sectors_written_back);
    }
    cr_assert_eq(counters->evictions + counters->invalidations + cache.occupied_lines,
                 counters->allocations);
    cr_assert_leq(cache.occupied_lines, (uint64_t)shape->sets * shape->ways);
    wm_cache_flush(&cache);
    cr_assert(wm_cache_is_empty(&cache));
    cr_assert_eq(wm_cache_read(&cache, 1, 1, 1, true, &(struct wm_requester){0}).missing, 1);
    wm_cache_release(&cache);
}

Test(opt_online, finds_what_the_list_of_all_steps_says)
{
    static const struct setting settings[] = {
        {.policy = WM_WRITE_BACK, .percent_takes = 100, .percent_writes = 30},
        {.policy = WM_WRITE_BACK, .percent_takes = 100, .percent_writes = 30, .percent_cleans = 10},
        {.policy = WM_WRITE_BACK, .percent_takes = 60, .percent_writes = 30, .percent_cleans = 5},
        {.policy = WM_WRITE_BACK, .percent_takes = 100, .percent_writes = 30, .percent_drops = 10},
        {.policy = WM_WRITE_BACK, .percent_takes = 60, .percent_writes = 50, .percent_drops = 5},
        {.policy = WM_WRITE_BACK,
         .percent_takes = 100,
         .percent_writes = 40,
         .percent_drops = 20,
         .percent_cleans = 10,
         .whole_lines = true},
        {.policy = WM_WRITE_THROUGH_UPDATE,
         .percent_takes = 70,
         .percent_writes = 30,
         .percent_drops = 5},
        {.policy = WM_WRITE_THROUGH_EVICT,
         .percent_takes = 70,
         .percent_writes = 20,
         .percent_drops = 2},
    };
    struct wm_random random;
    wm_random_init(&random, 2, "opt_online");
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < sizeof settings / sizeof settings[0]; j++) {
            struct setting setting = settings[j];
            uint32_t held = shapes[i].sets * shapes[i].ways;
            setting.lines = 2 * held + 3 < OPT_MODEL_LINES ? 2 * held + 3 : OPT_MODEL_LINES;
            compare(&random, &shapes[i], &setting);
        }
}

// A line that was lost dirty and is missed again is written back with that miss.
Test(opt_online, writes_a_lost_line_back_at_its_own_miss)
{
    static const struct shape one = {1, 2, &wm_set_index_modulo};
    struct wm_cache cache;
    cache_of(&cache, &one, &wm_replacement_opt, WM_WRITE_BACK, 32);
    struct wm_requester unattributed = {0};
    wm_cache_write(&cache, WM_CACHE_STORE, 1, 1, 6, 6, true, &unattributed);
    wm_cache_read(&cache, 2, 2, 1, true, &unattributed);
    wm_cache_read(&cache, 3, 3, 1, true, &unattributed);
    cr_assert_eq(wm_cache_read(&cache, 2, 2, 1, true, &unattributed).missing, 0,
                 "2 was kept, so 1 not");
    cr_assert_eq(cache.counters.write_backs, 0, "it is late");
    cr_assert_eq(wm_cache_find(&cache, 1, 1), 0, "and still to be found");
    struct wm_cache_result again = wm_cache_read(&cache, 1, 1, 2, true, &unattributed);
    cr_assert_eq(again.missing, 2);
    cr_assert_eq(again.victim.line, 1);
    cr_assert_eq(again.victim.dirty, 6);
    cr_assert_eq(cache.counters.write_backs, 1);
    cr_assert_eq(wm_cache_clean(&cache, 1, 1, 0xf), 0);
    wm_cache_release(&cache);
}

// --- Memory ---

Test(opt_online, remembers_few_lines_of_a_long_run_over_few)
{
    struct wm_opt *opt = wm_opt_new(4, 8);
    size_t bytes = wm_opt_bytes(opt);
    struct wm_random random;
    wm_random_init(&random, 3, "opt_online");
    for (int i = 0; i < 2000000; i++) {
        uint64_t line = wm_random_below(&random, 200);
        wm_opt_use(opt, (uint32_t)(line % 4), line, true);
        cr_assert_leq(wm_opt_line_count(opt), 200);
    }
    cr_assert_eq(wm_opt_bytes(opt), bytes, "it grew");
    wm_opt_free(opt);
}

// What is lost is forgotten: behind a loop that keeps the set full, a stream leaves no trace.
Test(opt_online, forgets_lost_lines)
{
    struct wm_opt *opt = wm_opt_new(1, 8);
    uint64_t stream = 1000;
    for (int i = 0; i < 100000; i++) {
        wm_opt_use(opt, 0, (uint64_t)i % 7, true);
        wm_opt_use(opt, 0, stream++, true);
        cr_assert_leq(wm_opt_line_count(opt), 32);
    }
    wm_opt_free(opt);
}

// And lines used once, each of which may prove the one to keep, take at most 100 bytes each.
Test(opt_online, takes_little_a_line)
{
    enum { LINES = 300000 };
    struct wm_opt *opt = wm_opt_new(1, 8);
    size_t before = wm_opt_bytes(opt);
    for (uint64_t line = 0; line < LINES; line++)
        wm_opt_use(opt, 0, line, true);
    cr_assert_eq(wm_opt_line_count(opt), LINES);
    cr_assert_leq(wm_opt_bytes(opt) - before, (size_t)LINES * 2 * 60);
    for (uint64_t line = 0; line < 7; line++)
        cr_assert(wm_opt_use(opt, 0, line, true).hit, "any seven can have been kept");
    cr_assert_not(wm_opt_use(opt, 0, 7, true).hit);
    wm_opt_clear(opt);
    cr_assert_eq(wm_opt_line_count(opt), 0);
    cr_assert_not(wm_opt_failed(opt));
    wm_opt_free(opt);
}

// --- Never worse ---

Test(opt_online, never_misses_more_than_any_entry)
{
    static uint64_t lines[REFERENCES];
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    struct wm_random random;
    wm_random_init(&random, 4, "opt_online");
    uint64_t worse = 0;
    for (size_t i = 0; i < SHAPES; i++) {
        mixed_stream(&random, (uint64_t)shapes[i].sets * shapes[i].ways, lines);
        uint64_t limit = 0;
        for (size_t entry = count; entry-- > 0;) { // opt is the last
            struct wm_cache cache;
            cache_of(&cache, &shapes[i], table[entry], WM_WRITE_BACK, 128);
            for (size_t j = 0; j < REFERENCES; j++)
                policy_read(&cache, lines[j]);
            uint64_t misses = cache.counters.accesses_missed;
            limit = table[entry] == &wm_replacement_opt ? misses : limit;
            cr_assert_leq(limit, misses, "'%s' misses less than can be", table[entry]->name);
            worse += misses > limit;
            wm_cache_release(&cache);
        }
        cr_assert_gt(limit, 0, "opt is in the table");
    }
    cr_assert_gt(worse, SHAPES * (count - 1) / 2);
}

// As in most GPUs' L1: stores go through and take no line. Loads miss least, whatever stores do,
// and what a store finds may only be more.
Test(opt_online, never_misses_more_beside_stores_that_pass)
{
    static uint64_t lines[REFERENCES];
    static bool stores[REFERENCES];
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    struct wm_random random;
    wm_random_init(&random, 5, "opt_online");
    struct wm_requester unattributed = {0};
    for (size_t i = 0; i < 2 * SHAPES; i++) {
        const struct shape *shape = &shapes[i / 2];
        enum wm_write_policy policy = i % 2 == 0 ? WM_WRITE_THROUGH_UPDATE : WM_WRITE_THROUGH_EVICT;
        uint64_t percent = wm_random_below(&random, 60), limit = 0, limit_of_all = 0;
        mixed_stream(&random, (uint64_t)shape->sets * shape->ways, lines);
        for (size_t j = 0; j < REFERENCES; j++)
            stores[j] = wm_random_below(&random, 100) < percent;
        for (size_t entry = count; entry-- > 0;) { // opt is the last
            struct wm_cache cache;
            cache_of(&cache, shape, table[entry], policy, 128);
            for (size_t j = 0; j < REFERENCES; j++)
                if (stores[j])
                    wm_cache_write(&cache, WM_CACHE_STORE, lines[j], lines[j], 1, 0, false,
                                   &unattributed);
                else
                    policy_read(&cache, lines[j]);
            const struct wm_cache_counters *counters = &cache.counters;
            limit = table[entry] == &wm_replacement_opt ? counters->load_misses : limit;
            limit_of_all = table[entry] == &wm_replacement_opt ? counters->misses : limit_of_all;
            cr_assert_leq(limit, counters->load_misses, "'%s'", table[entry]->name);
            cr_assert_leq(limit_of_all, counters->misses, "'%s'", table[entry]->name);
            wm_cache_release(&cache);
        }
        cr_assert_gt(limit, 0);
    }
}
