// The entry that obeys eviction priorities, against lists that are kept by hand: of each set its
// lines from the one used last to the one that goes first, and which of them are kept.
#include "policy_runs.h"

#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/replacement/fractional_priority.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST_WAYS = 80, MOST_SETS = 8, STEPS = 6000 };

// The pc of a reference is the priority it requests.
static const uint8_t priorities[] = {WM_EVICT_NORMAL, WM_EVICT_FIRST, WM_EVICT_LAST,
                                     WM_EVICT_UNCHANGED};

struct listed {
    uint64_t line;
    bool kept;
};

struct list {
    struct listed lines[MOST_WAYS];
    uint32_t count;
};

static void open_cache(struct wm_cache *cache, uint32_t sets, uint32_t ways)
{
    policy_cache_init(cache, &wm_replacement_priority, sets, ways);
    cache->priorities = priorities;
}

static void put(struct list *list, uint32_t at, struct listed it)
{
    memmove(&list->lines[at + 1], &list->lines[at], (list->count - at) * sizeof it);
    list->lines[at] = it;
    list->count++;
}

static void take(struct list *list, uint32_t at)
{
    list->count--;
    memmove(&list->lines[at], &list->lines[at + 1], (list->count - at) * sizeof list->lines[0]);
}

static uint32_t victim_of(const struct list *list)
{
    for (uint32_t at = list->count; at-- > 0;)
        if (!list->lines[at].kept)
            return at;
    return list->count - 1;
}

static bool refer(struct list *list, uint32_t ways, const struct policy_reference *reference)
{
    enum wm_eviction_priority asked =
        reference->write_back ? WM_EVICT_NORMAL : (enum wm_eviction_priority)reference->pc;
    struct listed it = {.line = reference->line, .kept = asked == WM_EVICT_LAST};
    uint32_t at = 0;
    while (at < list->count && list->lines[at].line != reference->line)
        at++;
    bool found = at < list->count;
    if (found && asked == WM_EVICT_UNCHANGED)
        return true;
    if (found && reference->write_back)
        it.kept = list->lines[at].kept;
    if (found)
        take(list, at);
    else if (list->count == ways)
        take(list, victim_of(list));
    put(list, asked == WM_EVICT_FIRST ? list->count : 0, it);
    return found;
}

Test(priority, does_what_the_lists_say)
{
    static const struct {
        uint32_t sets, ways;
    } shapes[] = {{1, 1}, {4, 2}, {2, 8}, {8, 16}, {3, 24}, {2, 64}, {1, 80}};
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        static struct list lists[MOST_SETS];
        uint32_t sets = shapes[shape].sets, ways = shapes[shape].ways;
        struct wm_random random;
        struct wm_cache cache;
        memset(lists, 0, sizeof lists);
        wm_random_init(&random, sets * 100 + ways, "priorities");
        open_cache(&cache, sets, ways);
        for (int step = 0; step < STEPS; step++) {
            struct policy_reference reference = {
                .line = 1 + wm_random_below(&random, UINT64_C(2) * sets * ways),
                .pc = (uint32_t)wm_random_below(&random, 4),
                .write_back = wm_random_below(&random, 8) == 0};
            bool wanted = refer(&lists[reference.line % sets], ways, &reference);
            cr_assert_eq(policy_refer(&cache, &reference), wanted, "%u sets of %u, step %d", sets,
                         ways, step);
        }
        wm_cache_release(&cache);
    }
}

// Of a mix each line has one of the two priorities, always the same, and about the parts requested.
Test(priority, a_mix_divides_the_lines)
{
    for (unsigned parts = 1; parts <= WM_FRACTION_PARTS; parts++) {
        uint8_t mix = wm_fractional_priority(WM_EVICT_LAST, parts, WM_EVICT_FIRST);
        unsigned first = 0;
        for (uint64_t line = 0; line < 16000; line++) {
            enum wm_eviction_priority priority = wm_fractional_priority_of(mix, line);
            cr_assert(priority == WM_EVICT_LAST || priority == WM_EVICT_FIRST);
            first += priority == WM_EVICT_LAST;
        }
        cr_assert(first > 1000 * parts - 300 && first < 1000 * parts + 300, "%u: %u", parts, first);
        cr_assert(parts < WM_FRACTION_PARTS || first == 16000);
    }
    for (unsigned priority = 0; priority < 4; priority++)
        cr_assert_eq(wm_fractional_priority((enum wm_eviction_priority)priority, WM_FRACTION_PARTS,
                                            WM_EVICT_LAST),
                     priority, "of all lines it is the priority itself");
}

// One set of four ways: what is to last stays through a stream, and what is to go first takes one
// way.
Test(priority, a_stream_takes_one_way_and_kept_lines_stay)
{
    struct wm_cache cache;
    open_cache(&cache, 1, 4);
    for (uint64_t line = 1; line <= 2; line++)
        policy_refer(&cache, &(struct policy_reference){.line = line, .pc = WM_EVICT_LAST});
    policy_refer(&cache, &(struct policy_reference){.line = 3});
    for (uint64_t line = 100; line < 120; line++)
        policy_refer(&cache, &(struct policy_reference){.line = line, .pc = WM_EVICT_FIRST});
    for (uint64_t line = 1; line <= 3; line++)
        cr_assert(wm_cache_holds(&cache, line, line), "line %d", (int)line);
    // Of lines that are used as ever, no more than two find room with the kept ones.
    for (uint64_t line = 200; line < 220; line++)
        policy_refer(&cache, &(struct policy_reference){.line = line});
    cr_assert(wm_cache_holds(&cache, 1, 1) && wm_cache_holds(&cache, 2, 2));
    // A normal access takes the privilege away.
    policy_refer(&cache, &(struct policy_reference){.line = 1});
    for (uint64_t line = 300; line < 303; line++)
        policy_refer(&cache, &(struct policy_reference){.line = line});
    cr_assert(!wm_cache_holds(&cache, 1, 1) && wm_cache_holds(&cache, 2, 2));
    wm_cache_release(&cache);
}
