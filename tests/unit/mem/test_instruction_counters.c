// The names and the order of what is counted at instructions: whatever levels a machine has.
#include "mem/system/instruction_counters.h"

#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void add(struct wm_memory_spec *spec, uint32_t number, const char *name, uint8_t below)
{
    spec->levels[number].cache.present = true;
    spec->levels[number].below = below;
    snprintf(spec->levels[number].name, sizeof spec->levels[number].name, "%s", name);
}

// Every counter that counts something else than zero, by name, a number each from 1 on: those of
// `expected`, in that order, and no others.
static void expect(const struct wm_memory_spec *spec, const char *const *expected)
{
    struct wm_instruction_counter_set made;
    struct wm_instruction_counters counters;
    uint64_t values[WM_MOST_INSTRUCTION_VALUES];
    wm_instruction_counter_set_make(spec, &made);
    for (size_t i = 0; i < WM_MOST_INSTRUCTION_COUNTERS; i++)
        ((uint64_t *)&counters)[i] = 1000 + i;
    wm_instruction_counter_values(&made, &counters, values);
    size_t count = 0;
    for (; expected[count] != NULL; count++) {
        cr_assert_lt(count, made.set.count, "no %s", expected[count]);
        cr_expect_str_eq(made.set.declarations[count].name, expected[count]);
        cr_expect_eq(wm_counter_index(&made.set, expected[count]), count);
        cr_expect_neq(made.set.declarations[count].sentence[0], '\0');
        for (size_t other = 0; other < count; other++)
            cr_expect_neq(values[other], values[count], "%s and %s are the same", expected[other],
                          expected[count]);
    }
    cr_expect_eq(made.set.count, count);
    for (uint32_t i = 0; i < made.levels.count; i++) {
        const struct wm_level_counters *row = &counters.levels[made.levels.levels[i].number];
        char name[WM_INSTRUCTION_COUNTER_BYTES];
        snprintf(name, sizeof name, "%s.misses", made.levels.levels[i].name);
        cr_expect_eq(values[wm_counter_index(&made.set, name)], row->misses, "%s", name);
        cr_expect_eq(wm_listed_row(&made.levels, i, &counters).hits, row->hits);
    }
    cr_expect_eq(values[wm_counter_index(&made.set, "dram.bytes")], counters.memory_bytes);
    cr_expect_eq(wm_listed_row(&made.levels, made.levels.count, &counters).bytes,
                 counters.memory_bytes);
}

#define COMMON "executions", "lanes", "bytes_requested", "requests", "sectors", "atomic_conflicts"

Test(instruction_counters, of_the_usual_levels)
{
    struct wm_memory_spec spec = {0};
    add(&spec, WM_LEVEL_L1, "", WM_BELOW_DEFAULT);
    add(&spec, WM_LEVEL_L2, "", WM_BELOW_DEFAULT);
    expect(&spec, (const char *const[]){COMMON, "l1.hits", "l1.misses", "l2.hits", "l2.misses",
                                        "l2.bytes", "dram.bytes", NULL});
    spec.tlb.present = spec.levels[WM_LEVEL_L1].tracker.present = true;
    add(&spec, WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT, "", WM_BELOW_DEFAULT);
    add(&spec, WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION, "", WM_BELOW_DEFAULT);
    expect(&spec,
           (const char *const[]){COMMON, "tlb.walks", "l1.hits", "l1.misses",
                                 "tracker.remote_sectors", "constant.hits", "constant.misses",
                                 "instruction_cache.hits", "instruction_cache.misses", "l2.hits",
                                 "l2.misses", "l2.bytes", "dram.bytes", NULL});
}

// Without caches everything goes to memory; without L1 to L2; without L2 from L1 to memory.
Test(instruction_counters, of_what_there_is)
{
    struct wm_memory_spec spec = {0};
    struct wm_level_list list;
    expect(&spec, (const char *const[]){COMMON, "dram.bytes", NULL});
    add(&spec, WM_LEVEL_L2, "", WM_BELOW_DEFAULT);
    expect(&spec,
           (const char *const[]){COMMON, "l2.hits", "l2.misses", "l2.bytes", "dram.bytes", NULL});
    wm_level_list_make(&spec, &list);
    cr_assert_eq(list.count, 1);
    cr_expect(list.levels[0].data && list.levels[0].from_above);
    cr_expect_eq(list.levels[0].below, list.count, "memory");
    spec = (struct wm_memory_spec){0};
    add(&spec, WM_LEVEL_L1, "", WM_BELOW_DEFAULT);
    expect(&spec, (const char *const[]){COMMON, "l1.hits", "l1.misses", "dram.bytes", NULL});
}

// An L2 of a cluster between L1 and L2, CPU cores with levels of their own, and a last-level cache
// of both: each behind those that fetch from it.
Test(instruction_counters, of_levels_of_other_names)
{
    enum { LLC = WM_LEVELS_NAMED, CORE_L2, CORE_L1, CLUSTER };
    struct wm_memory_spec spec = {0};
    struct wm_level_list list;
    add(&spec, WM_LEVEL_L1, "", WM_BELOW(CLUSTER));
    add(&spec, WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE, "readonly", WM_BELOW_DEFAULT);
    add(&spec, WM_LEVEL_L2, "", WM_BELOW(LLC));
    add(&spec, LLC, "llc", WM_BELOW_MEMORY);
    add(&spec, CORE_L2, "l2", WM_BELOW(LLC));
    add(&spec, CORE_L1, "l1", WM_BELOW(CORE_L2));
    spec.levels[CORE_L1].place = spec.levels[CORE_L2].place = WM_PLACE_CPU;
    add(&spec, CLUSTER, "cluster", WM_BELOW(WM_LEVEL_L2));
    spec.levels[CORE_L1].serves = WM_SERVES_DATA;
    expect(&spec, (const char *const[]){COMMON,          "l1.hits",         "l1.misses",
                                        "readonly.hits", "readonly.misses", "cpu_l1.hits",
                                        "cpu_l1.misses", "cpu_l2.hits",     "cpu_l2.misses",
                                        "cpu_l2.bytes",  "cluster.hits",    "cluster.misses",
                                        "cluster.bytes", "l2.hits",         "l2.misses",
                                        "l2.bytes",      "llc.hits",        "llc.misses",
                                        "llc.bytes",     "dram.bytes",      NULL});
    wm_level_list_make(&spec, &list);
    static const uint8_t below[] = {4, 5, 3, 6, 5, 6, 7};
    cr_assert_eq(list.count, 7);
    for (uint32_t i = 0; i < list.count; i++) {
        cr_expect_eq(list.levels[i].below, below[i], "%s", list.levels[i].name);
        cr_expect_eq(list.levels[i].data, i != 1, "%s", list.levels[i].name);
    }
}

// Components of a level that is called otherwise have its name as their kind, whichever memory
// system they are of, so that what instructions caused adds up to what these counted.
Test(instruction_counters, components_go_by_the_same_name)
{
    struct wm_memory_spec spec =
        small_memory(2, small_cache(4, 2, 128, 32), small_cache(16, 4, 128, 32), 2);
    snprintf(spec.levels[WM_LEVEL_L1].name, sizeof spec.levels[WM_LEVEL_L1].name, "vector");
    const struct wm_counter_set *sets[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        struct wm_memory *memory = small_memory_new(&spec);
        size_t count;
        const struct wm_component_counters *components = wm_memory_components(memory, &count);
        for (size_t n = 0; n < count; n++) {
            cr_expect_str_neq(components[n].set->kind, "l1");
            if (strcmp(components[n].set->kind, "vector") == 0)
                sets[i] = components[n].set;
        }
        wm_memory_free(memory);
    }
    cr_assert_not_null(sets[0]);
    cr_expect_eq(sets[0], sets[1]);
    cr_expect_str_eq(sets[0]->title, "vector");
    cr_expect_lt(wm_counter_index(sets[0], "hits"), sets[0]->count);
    struct wm_level_list list;
    wm_level_list_make(&spec, &list);
    cr_expect_str_eq(list.levels[0].name, "vector");
}

Test(instruction_counters, titles)
{
    static const char *const pairs[][2] = {
        {"l1", "L1"},           {"l12", "L12"},           {"llc", "LLC"},
        {"dram", "DRAM"},       {"constant", "constant"}, {"instruction_cache", "instruction"},
        {"cluster", "cluster"}, {"cpu_l1", "CPU L1"},     {"cluster_l2", "cluster L2"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char title[WM_LEVEL_COUNTER_BYTES];
        cr_expect_str_eq(wm_level_title(pairs[i][0], title), pairs[i][1]);
    }
}
