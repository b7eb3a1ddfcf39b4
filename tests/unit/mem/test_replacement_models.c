// Random traffic through every replacement entry against the obvious model of it
// (obvious_replacement.h).
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "obvious_replacement.h"
#include "policy_runs.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 30000, EMPTY = 0 };

struct model {
    struct obvious_replacement replacement;
    const char *name;
    uint64_t *lines; // by set and way; EMPTY for none
};

static void model_init(struct model *model, const struct wm_replacement_ops *ops, uint32_t sets,
                       uint32_t ways)
{
    obvious_replacement_init(&model->replacement, ops, sets, ways, POLICY_COMPONENT);
    model->name = ops->name;
    model->lines = calloc((size_t)sets * ways, sizeof *model->lines);
}

static void model_release(struct model *model)
{
    obvious_replacement_release(&model->replacement);
    free(model->lines);
}

static uint32_t set_of(const struct model *model, uint64_t line)
{
    return (uint32_t)(line % model->replacement.sets);
}

// The way of the set that holds `line`, or EMPTY; WM_NO_WAY when none does.
static int32_t find(const struct model *model, uint32_t set, uint64_t line)
{
    uint32_t ways = model->replacement.ways;
    for (uint32_t way = 0; way < ways; way++)
        if (model->lines[(size_t)set * ways + way] == line)
            return (int32_t)way;
    return WM_NO_WAY;
}

static bool model_refer(struct model *model, const struct policy_reference *reference)
{
    struct obvious_replacement *replacement = &model->replacement;
    uint32_t set = set_of(model, reference->line);
    struct wm_replacement_event event = {
        .line = reference->line, .pc = reference->pc, .write_back = reference->write_back};
    int32_t way = find(model, set, reference->line);
    if (way != WM_NO_WAY) {
        obvious_replacement_hit(replacement, set, (uint32_t)way, &event);
        return true;
    }
    way = find(model, set, EMPTY);
    if (way == WM_NO_WAY) {
        way = obvious_replacement_victim(replacement, set, &event);
        obvious_replacement_leave(replacement, set, (uint32_t)way);
    }
    obvious_replacement_enter(replacement, set, (uint32_t)way, &event);
    model->lines[(size_t)set * replacement->ways + (uint32_t)way] = reference->line;
    return false;
}

static void model_drop(struct model *model, uint64_t line)
{
    uint32_t set = set_of(model, line);
    int32_t way = find(model, set, line);
    if (way == WM_NO_WAY)
        return;
    obvious_replacement_leave(&model->replacement, set, (uint32_t)way);
    model->lines[(size_t)set * model->replacement.ways + (uint32_t)way] = EMPTY;
}

static bool holds_the_same(const struct model *model, struct wm_cache *cache)
{
    size_t lines = (size_t)model->replacement.sets * model->replacement.ways;
    for (size_t i = 0; i < lines; i++) {
        uint64_t line = model->lines[i];
        if (line != EMPTY && wm_cache_find(cache, line, line) < 0)
            return false;
    }
    return true;
}

// `pcs` instructions; low lines are used often by low instructions, so that SHiP has something to
// learn.
static struct policy_reference draw(struct wm_random *random, uint64_t lines)
{
    uint64_t pc = wm_random_below(random, 6);
    uint64_t range = pc < 2 ? lines / 2 : pc < 4 ? lines * 2 : lines * 16;
    return (struct policy_reference){.line = 1 + wm_random_below(random, range),
                                     .pc = (uint32_t)pc * 5000,
                                     .write_back = wm_random_below(random, 10) == 0};
}

// A cache against its model, which is released.
static void compare_with(struct model *model, struct wm_cache *cache)
{
    uint32_t sets = model->replacement.sets, ways = model->replacement.ways;
    struct wm_random random;
    wm_random_init(&random, (uint64_t)sets * 1000 + ways, "traffic");
    for (int step = 0; step < STEPS; step++) {
        struct policy_reference reference = draw(&random, (uint64_t)sets * ways + 2);
        if (wm_random_below(&random, 50) == 0) {
            model_drop(model, reference.line);
            wm_cache_invalidate(cache, reference.line, reference.line, cache->all_sectors);
            continue;
        }
        bool expected = model_refer(model, &reference);
        cr_assert_eq(policy_refer(cache, &reference), expected, "'%s', %u sets of %u, step %d",
                     model->name, sets, ways, step);
    }
    cr_assert(holds_the_same(model, cache), "'%s', %u sets of %u", model->name, sets, ways);
    wm_cache_release(cache);
    model_release(model);
}

static void compare(const struct wm_replacement_ops *ops, uint32_t sets, uint32_t ways)
{
    struct model model;
    model_init(&model, ops, sets, ways);
    struct wm_cache cache;
    policy_cache_init(&cache, ops, sets, ways);
    compare_with(&model, &cache);
}

// One of the RRIP entries, of so many bits, of which a hit takes `taken` from a prediction.
static void compare_rrip(const struct wm_replacement_ops *ops, uint32_t bits, uint32_t taken,
                         uint32_t sets, uint32_t ways)
{
    struct model model;
    model_init(&model, ops, sets, ways);
    model.replacement.distant = (1u << bits) - 1;
    model.replacement.taken_by_hit = taken;
    struct wm_cache_spec spec = policy_spec(ops, sets, ways);
    for (size_t at = 0; at < ops->parameter_count; at++) {
        bool is_bits = strcmp(ops->parameters[at].name, "bits") == 0;
        if (!is_bits && strcmp(ops->parameters[at].name, "promotion") != 0)
            continue;
        spec.replacement_values.given |= 1u << at;
        spec.replacement_values.values[at] = is_bits ? bits : taken;
    }
    struct wm_cache cache;
    struct wm_error error;
    cr_assert_eq(wm_cache_init(&cache, &spec, POLICY_COMPONENT, &error), WM_OK);
    compare_with(&model, &cache);
}

Test(replacement_models, every_entry_is_its_obvious_model)
{
    static const struct {
        uint32_t sets, ways;
    } shapes[] = {{1, 4},  {2, 8},  {3, 1},  {5, 3},   {8, 16}, {64, 4},
                  {16, 8}, {70, 2}, {4, 24}, {33, 17}, {4, 64}, {2, 80}};
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    for (size_t entry = 0; entry < count; entry++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
            // Their tests are test_pipp.c and test_opt.c: other traffic, another model.
            if (strcmp(table[entry]->name, "pipp") != 0 && table[entry] != &wm_replacement_opt)
                compare(table[entry], shapes[i].sets, shapes[i].ways);
}

// Frequency priority: a hit takes one, or a few, from its line's prediction.
Test(replacement_models, rrip_of_frequency_priority_is_its_obvious_model)
{
    static const struct wm_replacement_ops *const entries[] = {
        &wm_replacement_srrip, &wm_replacement_brrip, &wm_replacement_drrip};
    static const struct {
        uint32_t bits, taken, sets, ways;
    } shapes[] = {{3, 1, 32, 8}, {2, 1, 8, 16}, {2, 1, 4, 4},  {4, 1, 2, 80},
                  {3, 2, 5, 24}, {4, 5, 8, 8},  {1, 1, 16, 4}, {3, 1, 1, 64}};
    for (size_t entry = 0; entry < sizeof entries / sizeof entries[0]; entry++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
            compare_rrip(entries[entry], shapes[i].bits, shapes[i].taken, shapes[i].sets,
                         shapes[i].ways);
}
