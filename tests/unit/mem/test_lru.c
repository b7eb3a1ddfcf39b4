// LRU's own idea, and chain answers through the real array: the victim is what a list of uses says.
#include "base/random.h"
#include "mem/cache.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct wm_cache_origin nobody;

// Mattson's stack, always full: an empty way stands in it as a line of its own, way 0 lowest, and
// is taken before anything falls off the end.
enum { EMPTY = 1000000 };

struct stack {
    uint32_t ways, empty;
    uint64_t lines[64];
};

static void stack_init(struct stack *stack, uint32_t ways)
{
    *stack = (struct stack){.ways = ways};
    for (uint32_t i = 0; i < ways; i++)
        stack->lines[i] = EMPTY + ways - 1 - i;
}

static int stack_find(const struct stack *stack, uint64_t line)
{
    for (uint32_t i = 0; i < stack->ways; i++)
        if (stack->lines[i] == line)
            return (int)i;
    return -1;
}

static void stack_put(struct stack *stack, uint64_t line, uint32_t position)
{
    int at = stack_find(stack, line);
    if (at < 0)
        at = stack->empty < stack->ways ? stack_find(stack, EMPTY + stack->empty++)
                                        : (int)stack->ways - 1;
    if (position > stack->ways - 1)
        position = stack->ways - 1;
    memmove(stack->lines + at, stack->lines + at + 1,
            (stack->ways - (uint32_t)at - 1) * sizeof(uint64_t));
    memmove(stack->lines + position + 1, stack->lines + position,
            (stack->ways - position - 1) * sizeof(uint64_t));
    stack->lines[position] = line;
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
    struct stack stack;
    stack_init(&stack, ways);
    struct wm_random random;
    wm_random_init(&random, ways, "stack");
    for (int i = 0; i < 20000; i++) {
        uint64_t line = wm_random_below(&random, ways * 2);
        int position = stack_find(&stack, line);
        struct wm_cache_result result = wm_cache_read(&cache, line, line, 1, true, &nobody);
        cr_assert_eq(result.missing != 0, position < 0, "'%s', %u ways, reference %d", ops->name,
                     ways, i);
        uint32_t to = position < 0                   ? insert
                      : (uint32_t)position > promote ? (uint32_t)position - promote
                                                     : 0;
        stack_put(&stack, line, to);
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
        wm_cache_read(&cache, line, line, 1, true, &nobody);
    struct wm_cache_result result = wm_cache_read(&cache, 9, 9, 1, true, &nobody);
    cr_assert(result.missing == 1 && result.fetch == 1);
    cr_assert(cache.counters.refusals == 1 && cache.counters.evictions == 0);
    result = wm_cache_write(&cache, WM_CACHE_STORE, 9, 9, 1, 1, true, &nobody);
    cr_assert(result.forward == 1 && cache.counters.refusals == 2);
    for (uint64_t line = 0; line < 4; line++)
        cr_assert_geq(wm_cache_find(&cache, line, line), 0);
    wm_cache_release(&cache);
}
