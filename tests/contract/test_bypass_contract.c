// The contract of the kind "bypass" (warpmem/plugin.h), over every entry of its table.
#include "base/random.h"
#include "mem/bypass/bypass.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(bypass_contract, every_entry_is_documented_and_found_by_name)
{
    size_t count;
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    cr_assert_geq(count, 3);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(wm_bypass_find(table[i]->name), table[i]);
        cr_assert(table[i]->title[0] && table[i]->source[0] && table[i]->sentence[0]);
        cr_assert_not_null(table[i]->decide);
        cr_assert_leq(table[i]->parameter_count, WM_MAX_PARAMETERS);
    }
    cr_assert_null(wm_bypass_find("nosuch"));
}

enum { GUARD = 64, EVENTS = 20000 };

static void play(const struct wm_bypass_ops *ops, uint8_t *decisions)
{
    uint64_t parameters[WM_MAX_PARAMETERS] = {0};
    for (size_t i = 0; i < ops->parameter_count; i++)
        parameters[i] = ops->parameters[i].fallback;
    struct wm_bypass_geometry geometry = {
        .sets = 64, .ways = 4, .line_bytes = 128, .seed = 7, .parameters = parameters};
    unsigned char *memory = malloc(ops->state_bytes + 2 * GUARD);
    memset(memory, 0xa5, ops->state_bytes + 2 * GUARD);
    void *state = memory + GUARD;
    memset(state, 0, ops->state_bytes);
    if (ops->reset != NULL)
        ops->reset(state, &geometry);
    struct wm_random random;
    wm_random_init(&random, 1, "bypass events");
    for (int i = 0; i < EVENTS; i++) {
        if (i % 1000 == 0 && ops->kernel != NULL)
            ops->kernel(state);
        struct wm_bypass_event event = {
            .line = wm_random_below(&random, 4096),
            .sectors = 1 + (uint32_t)wm_random_below(&random, 15),
            .pc = (uint32_t)wm_random_below(&random, 50),
            .kind = wm_random_below(&random, 4) == 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
            .hint = (enum wm_cache_hint)wm_random_below(&random, WM_HINT_NO_L1 + 1),
            .listed = wm_random_below(&random, 3) == 0,
        };
        enum wm_bypass_decision decision = ops->decide(state, &event);
        cr_assert(decision >= WM_BYPASS_NO && decision <= WM_BYPASS_LOOKUP, "%s", ops->name);
        decisions[i] = (uint8_t)decision;
        if (decision != WM_BYPASS_LOOKUP && ops->served != NULL)
            ops->served(state, &event, event.sectors & (uint32_t)wm_random_u64(&random));
    }
    for (size_t i = 0; i < GUARD; i++)
        cr_assert(memory[i] == 0xa5 && memory[GUARD + ops->state_bytes + i] == 0xa5, "%s",
                  ops->name);
    free(memory);
}

Test(bypass_contract, every_entry_decides_the_same_twice_within_its_own_state)
{
    static uint8_t first[EVENTS], again[EVENTS];
    size_t count;
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    for (size_t i = 0; i < count; i++) {
        play(table[i], first);
        play(table[i], again);
        cr_assert_arr_eq(first, again, EVENTS, "%s", table[i]->name);
    }
}
