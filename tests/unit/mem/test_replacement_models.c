// Random traffic through every replacement entry against an obvious model of it: lists and small
// numbers, searched from one end to the other. Chance is drawn in the same order from the same
// stream, so victims must be equal to the last one.
#include "base/hash.h"
#include "base/random.h"
#include "mem/replacement/set_duel.h"
#include "policy_runs.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST_WAYS = 80, MOST_SETS = 70, STEPS = 30000, EMPTY = 0 };

struct set_model {
    uint64_t lines[MOST_WAYS]; // by way; EMPTY for none
    uint32_t order[MOST_WAYS]; // ways, most recent first
    uint32_t rrpv[MOST_WAYS];
    bool used[MOST_WAYS];
    uint32_t signature[MOST_WAYS];
    bool outcome[MOST_WAYS];
    bool right[2 * MOST_WAYS]; // of a tree's nodes
};

struct model {
    const char *name;
    uint32_t sets, ways;
    uint32_t distant, taken_by_hit; // RRIP
    struct set_model set[MOST_SETS];
    struct wm_random random;
    bool rares[64];
    int rare_left;
    int psel;
    int counters[16385];
};

static bool named(const struct model *model, const char *name)
{
    return strcmp(model->name, name) == 0;
}

static void model_init(struct model *model, const char *name, uint32_t sets, uint32_t ways)
{
    memset(model, 0, sizeof *model);
    model->name = name;
    model->distant = model->taken_by_hit = 3;
    model->sets = sets;
    model->ways = ways;
    for (uint32_t set = 0; set < sets; set++)
        for (uint32_t way = 0; way < ways; way++)
            model->set[set].order[way] = ways - 1 - way;
    wm_random_init(&model->random, wm_hash_bytes(POLICY_COMPONENT, strlen(POLICY_COMPONENT)), name);
    model->psel = 511;
    for (int i = 0; i < 16385; i++)
        model->counters[i] = 1;
}

static void put(struct model *model, struct set_model *set, uint32_t way, uint32_t position)
{
    uint32_t at = 0;
    while (set->order[at] != way)
        at++;
    for (; at + 1 < model->ways; at++)
        set->order[at] = set->order[at + 1];
    for (at = model->ways - 1; at > position; at--)
        set->order[at] = set->order[at - 1];
    set->order[position] = way;
}

// Numbers of 64 bits are compared with 2^64 / 32 - 1, 63 at a time: bit i of the words drawn,
// highest first, makes number i, and no more words are drawn than it takes to tell all 64 of them.
static void draw_rares(struct model *model)
{
    uint64_t words[64], limit = UINT64_MAX / 32;
    int drawn = 0;
    for (bool told = false; !told;) {
        words[drawn++] = wm_random_u64(&model->random);
        told = true;
        for (int i = 0; i < 64; i++) {
            int place = 0;
            while (place < drawn && (words[place] >> i & 1) == (limit >> (63 - place) & 1))
                place++;
            told &= place < drawn;
            model->rares[i] = place < drawn && (words[place] >> i & 1) == 0;
        }
    }
    model->rare_left = 63;
}

static bool rare(struct model *model)
{
    if (model->rare_left == 0)
        draw_rares(model);
    return model->rares[63 - model->rare_left--];
}

// The duel, from its rule and not from its code: which sets lead is written out.
static bool second_wins(struct model *model, uint32_t set, bool write_back)
{
    uint32_t leaders = model->sets / 4 > 32 ? 32 : model->sets / 4;
    if (leaders == 0 && model->sets > 1)
        leaders = 1;
    for (uint32_t leader = 0; leader < leaders; leader++) {
        uint32_t stride = model->sets / leaders;
        if (set == leader * stride) {
            model->psel += !write_back && model->psel < 1023;
            return false;
        }
        if (set == leader * stride + stride / 2) {
            model->psel -= !write_back && model->psel > 0;
            return true;
        }
    }
    return model->psel >= 512;
}

// The tree as intervals of leaves: node's leaves are split where the full tree splits them.
static void turn_away(struct model *model, struct set_model *set, uint32_t way)
{
    for (uint32_t node = model->ways + way; node > 1; node /= 2)
        set->right[node / 2] = node % 2 == 0;
}

static void hit(struct model *model, struct set_model *set, uint32_t way)
{
    if (named(model, "lru") || named(model, "priority") || named(model, "lip") ||
        named(model, "bip") || named(model, "dip"))
        put(model, set, way, 0);
    set->used[way] = true;
    set->rrpv[way] -= set->rrpv[way] < model->taken_by_hit ? set->rrpv[way] : model->taken_by_hit;
    turn_away(model, set, way);
    int *counter = &model->counters[set->signature[way]];
    *counter = *counter < 7 ? *counter + 1 : 7;
    set->outcome[way] = true;
}

static uint32_t not_used(struct model *model, struct set_model *set)
{
    for (;;) {
        for (uint32_t way = 0; way < model->ways; way++)
            if (!set->used[way])
                return way;
        memset(set->used, 0, sizeof set->used);
    }
}

static uint32_t distant(struct model *model, struct set_model *set)
{
    for (;;) {
        for (uint32_t way = 0; way < model->ways; way++)
            if (set->rrpv[way] == model->distant)
                return way;
        for (uint32_t way = 0; way < model->ways; way++)
            set->rrpv[way]++;
    }
}

static uint32_t victim(struct model *model, struct set_model *set)
{
    if (named(model, "random"))
        return (uint32_t)wm_random_below(&model->random, model->ways);
    if (named(model, "nru"))
        return not_used(model, set);
    if (strstr(model->name, "rrip") != NULL || named(model, "ship"))
        return distant(model, set);
    if (named(model, "plru")) {
        uint32_t node = 1;
        while (node < model->ways)
            node = 2 * node + set->right[node];
        return node - model->ways;
    }
    return set->order[model->ways - 1];
}

static void leave(struct model *model, struct set_model *set, uint32_t way)
{
    int *counter = &model->counters[set->signature[way]];
    if (!set->outcome[way])
        *counter = *counter > 0 ? *counter - 1 : 0;
    set->lines[way] = EMPTY;
}

static void insert(struct model *model, struct set_model *set, uint32_t way,
                   const struct policy_reference *reference)
{
    uint32_t index = (uint32_t)(set - model->set), position = 0, rrpv = model->distant - 1;
    if (named(model, "lip"))
        position = model->ways - 1;
    if (named(model, "bip"))
        position = rare(model) ? 0 : model->ways - 1;
    if (named(model, "dip") && second_wins(model, index, reference->write_back))
        position = rare(model) ? 0 : model->ways - 1;
    if (named(model, "brrip"))
        rrpv = model->distant - rare(model);
    if (named(model, "drrip") && second_wins(model, index, reference->write_back))
        rrpv = model->distant - rare(model);
    uint32_t signature = reference->write_back ? 16384 : reference->pc % 16384;
    if (named(model, "ship"))
        rrpv = model->counters[signature] == 0 ? 3 : 2;
    put(model, set, way, position);
    set->used[way] = true;
    set->rrpv[way] = rrpv;
    turn_away(model, set, way);
    set->signature[way] = signature;
    set->outcome[way] = false;
    set->lines[way] = reference->line;
}

static bool model_refer(struct model *model, const struct policy_reference *reference)
{
    struct set_model *set = &model->set[reference->line % model->sets];
    for (uint32_t way = 0; way < model->ways; way++)
        if (set->lines[way] == reference->line) {
            hit(model, set, way);
            return true;
        }
    for (uint32_t way = 0; way < model->ways; way++)
        if (set->lines[way] == EMPTY) {
            insert(model, set, way, reference);
            return false;
        }
    uint32_t way = victim(model, set);
    leave(model, set, way);
    insert(model, set, way, reference);
    return false;
}

static void model_drop(struct model *model, uint64_t line)
{
    struct set_model *set = &model->set[line % model->sets];
    for (uint32_t way = 0; way < model->ways; way++)
        if (set->lines[way] == line) {
            leave(model, set, way);
            put(model, set, way, model->ways - 1);
            return;
        }
}

static bool holds_the_same(const struct model *model, struct wm_cache *cache)
{
    for (uint32_t set = 0; set < model->sets; set++)
        for (uint32_t way = 0; way < model->ways; way++) {
            uint64_t line = model->set[set].lines[way];
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

// A cache beside its model, which is released.
static void compare_with(struct model *model, struct wm_cache *cache)
{
    uint32_t sets = model->sets, ways = model->ways;
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
}

static void compare(const struct wm_replacement_ops *ops, uint32_t sets, uint32_t ways)
{
    static struct model model;
    model_init(&model, ops->name, sets, ways);
    struct wm_cache cache;
    policy_cache_init(&cache, ops, sets, ways);
    compare_with(&model, &cache);
}

// One of the RRIP entries, of so many bits, of which a hit takes `taken` from a prediction.
static void compare_rrip(const struct wm_replacement_ops *ops, uint32_t bits, uint32_t taken,
                         uint32_t sets, uint32_t ways)
{
    static struct model model;
    model_init(&model, ops->name, sets, ways);
    model.distant = (1u << bits) - 1;
    model.taken_by_hit = taken;
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
            // Theirs are in tests/unit/mem/test_pipp.c and opt_model.c.
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
