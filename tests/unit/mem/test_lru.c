// LRU's own idea, and chain answers through the real array: the victim is what a list of uses says.
#include "base/numbers/random.h"
#include "mem/cache/cache.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct wm_requester unattributed;

// Mattson's stack of the lines that a set holds.
struct stack {
    uint32_t ways, held;
    uint64_t lines[64];
};

static int stack_find(const struct stack *stack, uint64_t line)
{
    for (uint32_t i = 0; i < stack->held; i++)
        if (stack->lines[i] == line)
            return (int)i;
    return -1;
}

static void stack_take(struct stack *stack, uint32_t position)
{
    stack->held--;
    memmove(stack->lines + position, stack->lines + position + 1,
            (stack->held - position) * sizeof(uint64_t));
}

static void stack_put(struct stack *stack, uint64_t line, uint32_t position)
{
    memmove(stack->lines + position + 1, stack->lines + position,
            (stack->held - position) * sizeof(uint64_t));
    stack->lines[position] = line;
    stack->held++;
}

// What the contract says of a line that is used: an answer `insert` leaves ways - 1 - insert lines
// behind the new one, or all there are.
static bool stack_use(struct stack *stack, uint64_t line, uint32_t insert, uint32_t promote)
{
    int found = stack_find(stack, line);
    if (found >= 0) {
        uint32_t position = (uint32_t)found;
        stack_take(stack, position);
        stack_put(stack, line, position > promote ? position - promote : 0);
        return true;
    }
    if (stack->held == stack->ways)
        stack_take(stack, stack->held - 1);
    uint32_t behind = insert < stack->ways - 1 ? stack->ways - 1 - insert : 0;
    stack_put(stack, line, stack->held > behind ? stack->held - behind : 0);
    return false;
}

// `insert` and `promote` as a chain entry's answers.
static void compare(const struct wm_replacement_ops *ops, uint32_t ways, uint32_t insert,
                    uint32_t promote)
{
    struct wm_cache_spec spec = {
        .size_bytes = (uint64_t)ways * 64,
        .ways = ways,
        .line_bytes = 64,
        .sector_bytes = 64,
        .replacement = ops,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_cache cache;
    struct wm_error error;
    cr_assert_eq(wm_cache_init(&cache, &spec, "cache", &error), WM_OK);
    struct stack stack = {.ways = ways};
    struct wm_random random;
    wm_random_init(&random, ways, "stack");
    for (int i = 0; i < 20000; i++) {
        uint64_t line = wm_random_below(&random, ways * 2);
        struct wm_cache_result result = wm_cache_read(&cache, line, line, 1, true, &unattributed);
        bool hit = stack_use(&stack, line, insert, promote);
        cr_assert_eq(result.missing == 0, hit, "'%s', %u ways, reference %d", ops->name, ways, i);
        if (wm_random_below(&random, 100) == 0) { // another drops a line
            line = wm_random_below(&random, ways * 2);
            int position = stack_find(&stack, line);
            if (position >= 0)
                stack_take(&stack, (uint32_t)position);
            wm_cache_invalidate(&cache, line, line, cache.all_sectors);
        }
    }
    wm_cache_release(&cache);
}

static const uint32_t way_counts[] = {1, 2, 6, 8, 16, 17, 24, 40};

Test(lru, is_the_stack)
{
    for (size_t i = 0; i < sizeof way_counts / sizeof way_counts[0]; i++)
        compare(&wm_replacement_lru, way_counts[i], 0, UINT16_MAX);
}

static void listen(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

// Somebody who listens makes the array keep ways and chain apart; the victims stay the same.
Test(lru, is_the_stack_with_a_chain_beside_the_tags)
{
    struct wm_replacement_ops ops = wm_replacement_lru;
    ops.name = "listened to";
    ops.hit = listen;
    for (size_t i = 0; i < sizeof way_counts / sizeof way_counts[0]; i++)
        compare(&ops, way_counts[i], 0, UINT16_MAX);
}

// The chain is not LRU by accident: other constant answers give other victims, as the stack says.
Test(lru, other_answers_are_other_policies)
{
    static const struct {
        uint16_t insert, promote;
    } answers[] = {{0, 0}, {WM_CHAIN_LAST, WM_CHAIN_LAST}, {2, 1}, {1, 3}, {0, 1}};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct wm_replacement_ops ops = wm_replacement_lru;
        ops.name = "changed";
        ops.insert_at = answers[i].insert;
        ops.promote_by = answers[i].promote;
        for (size_t j = 0; j < sizeof way_counts / sizeof way_counts[0]; j++)
            compare(&ops, way_counts[j], answers[i].insert, answers[i].promote);
    }
}

// Nothing may leave: the array declines, and the access is served without a line.
Test(lru, a_wholly_protected_set_refuses)
{
    struct wm_replacement_ops ops = wm_replacement_lru;
    ops.protect = 4;
    struct wm_cache_spec spec = {
        .size_bytes = 4 * 64,
        .ways = 4,
        .line_bytes = 64,
        .sector_bytes = 64,
        .write_policy = WM_WRITE_BACK,
        .replacement = &ops,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_cache cache;
    struct wm_error error;
    cr_assert_eq(wm_cache_init(&cache, &spec, "cache", &error), WM_OK);
    for (uint64_t line = 0; line < 4; line++)
        wm_cache_read(&cache, line, line, 1, true, &unattributed);
    struct wm_cache_result result = wm_cache_read(&cache, 9, 9, 1, true, &unattributed);
    cr_assert(result.missing == 1 && result.fetch == 1);
    cr_assert(cache.counters.refusals == 1 && cache.counters.evictions == 0);
    result = wm_cache_write(&cache, WM_CACHE_STORE, 9, 9, 1, 1, true, &unattributed);
    cr_assert(result.forward == 1 && cache.counters.refusals == 2);
    for (uint64_t line = 0; line < 4; line++)
        cr_assert_geq(wm_cache_find(&cache, line, line), 0);
    wm_cache_release(&cache);
}
