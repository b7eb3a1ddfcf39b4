// Victim tag arrays: by hand, and with a cache against remembering everything.
#include "base/numbers/random.h"
#include "mem/cache/pins.h"
#include "mem/replacement/entries.h"
#include "mem/timed/victim_tags.h"
#include "policy_runs.h"

#include <criterion/criterion.h>

static struct wm_victim_tags tags;
static struct wm_cache cache;

static void begin(uint32_t warps, uint32_t entries, uint32_t ways)
{
    struct wm_error error;
    policy_cache_init(&cache, &wm_replacement_fifo, 2, 4);
    cr_assert_eq(wm_cache_enable_pins(&cache, &error), WM_OK);
    cr_assert_eq(wm_victim_tags_init(&tags, warps, entries, ways, &error), WM_OK);
    cr_assert_eq(wm_victim_tags_begin(&tags, &cache, &error), WM_OK);
}

static void end(void)
{
    wm_victim_tags_release(&tags);
    wm_cache_release(&cache);
}

// Two sets of three: even lines and odd ones.
Test(victim_tags, a_warp_knows_what_it_lost_last)
{
    begin(2, 6, 3);
    for (uint64_t line = 0; line < 8; line += 2)
        wm_victim_tags_insert(&tags, 0, line);
    cr_assert_not(wm_victim_tags_hit(&tags, 0, 0), "three have come since");
    cr_assert_not(wm_victim_tags_hit(&tags, 1, 6), "another warp's");
    cr_assert_not(wm_victim_tags_hit(&tags, 0, 5));
    wm_victim_tags_insert(&tags, 0, 5);
    cr_assert(wm_victim_tags_hit(&tags, 0, 5));
    cr_assert_not(wm_victim_tags_hit(&tags, 0, 5), "what is found leaves");
    cr_assert(wm_victim_tags_hit(&tags, 0, 4));
    wm_victim_tags_insert(&tags, 0, 8);
    cr_assert(wm_victim_tags_hit(&tags, 0, 2), "there was room");
    cr_assert(wm_victim_tags_hit(&tags, 0, 6) && wm_victim_tags_hit(&tags, 0, 8));
    end();
}

Test(victim_tags, a_line_that_is_lost_twice_is_kept_once)
{
    begin(1, 2, 2);
    wm_victim_tags_insert(&tags, 0, 2);
    wm_victim_tags_insert(&tags, 0, 4);
    wm_victim_tags_insert(&tags, 0, 4);
    cr_assert(wm_victim_tags_hit(&tags, 0, 2));
    end();
}

// --- With a cache ---

// An access of `warp`; whether it finds that it lost the line. What is missed and filled is noted,
// as L1 does.
static bool refer(uint32_t warp, uint64_t line)
{
    struct wm_requester requester = {.warp = warp};
    struct wm_cache_result result =
        wm_cache_read(&cache, line, line, cache.all_sectors, true, &requester);
    tags.found = false;
    if (result.missing == 0)
        return false;
    wm_victim_tags_missed(&tags, warp, line);
    wm_victim_tags_filled(&tags, &cache, warp, line, &result.victim);
    return tags.found;
}

// Set 0 has four ways: line 8 of warp 1 displaces line 0 of warp 0.
Test(victim_tags, a_line_is_lost_by_the_warp_that_brought_it)
{
    begin(2, 16, 8);
    for (uint64_t line = 0; line < 8; line += 2)
        cr_assert_not(refer(0, line));
    cr_assert_not(refer(1, 2), "a hit, which takes nothing from warp 0");
    cr_assert_not(refer(1, 8));
    cr_assert_not(refer(1, 10), "and line 2");
    cr_assert_not(refer(1, 2), "which warp 0 had brought");
    cr_assert(refer(0, 0));
    cr_assert_not(refer(0, 8), "warp 1 lost it, not this one");
    end();
}

// A line that is dropped was not displaced.
Test(victim_tags, what_a_store_drops_is_not_lost)
{
    begin(1, 16, 8);
    refer(0, 0);
    wm_cache_invalidate(&cache, 0, 0, cache.all_sectors);
    cr_assert_not(refer(0, 0));
    wm_cache_invalidate(&cache, 0, 0, cache.all_sectors);
    for (uint64_t line = 2; line < 12; line += 2)
        refer(0, line);
    cr_assert_not(refer(0, 0));
    end();
}

enum { WARPS = 3, LINES = 40, ENTRIES = 8, WAYS = 4, SETS = ENTRIES / WAYS };

// A list of each warp and set, the latest loss first.
static struct losses {
    uint64_t lines[WAYS];
    uint32_t count;
} losses[WARPS][SETS];

static bool forget(struct losses *of, uint64_t line)
{
    bool found = false;
    for (uint32_t i = 0; i < of->count; i++) {
        found |= of->lines[i] == line;
        if (found && i + 1 < of->count)
            of->lines[i] = of->lines[i + 1];
    }
    of->count -= found;
    return found;
}

static void remember(struct losses *of, uint64_t line)
{
    forget(of, line);
    of->count += of->count < WAYS;
    for (uint32_t i = of->count - 1; i > 0; i--)
        of->lines[i] = of->lines[i - 1];
    of->lines[0] = line;
}

Test(victim_tags, random_accesses_find_what_was_lost)
{
    uint32_t owner[LINES];
    bool there[LINES] = {false};
    struct wm_random random;
    wm_random_init(&random, 1, "victim_tags");
    begin(WARPS, ENTRIES, WAYS);
    uint32_t found = 0;
    for (uint32_t step = 0; step < 20000; step++) {
        uint32_t warp = (uint32_t)wm_random_below(&random, WARPS);
        uint64_t line = wm_random_below(&random, wm_random_below(&random, 2) == 0 ? 12 : LINES);
        bool wanted = !there[line] && forget(&losses[warp][line % SETS], line);
        cr_assert_eq(refer(warp, line), wanted, "step %u", step);
        found += wanted;
        if (!there[line])
            owner[line] = warp;
        there[line] = true;
        for (uint64_t other = 0; other < LINES; other++)
            if (there[other] && wm_cache_find(&cache, other, other) < 0) {
                there[other] = false;
                remember(&losses[owner[other]][other % SETS], other);
            }
    }
    cr_assert_gt(found, 500);
    end();
}
