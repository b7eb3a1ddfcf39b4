// Why misses of coherent caches missed: by hand, and on random machines that nothing but what is
// explained changes, and that each miss has one class.
#include "base/numbers/random.h"
#include "coherent_machines.h"
#include "mem/bypass/entries.h"
#include "mem/explain/explain.h"
#include "mem/prefetch/entries.h"
#include "mem/system/coherent_memory.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINE = 128 };

static void access(struct wm_memory *memory, uint32_t unit, uint64_t line, enum wm_access_kind kind)
{
    struct wm_request request = {.address = line * LINE, .sectors = 1, .kind = kind, .sm = unit};
    wm_memory_access(memory, &request);
}

static struct wm_memory *explained(const struct wm_memory_spec *spec)
{
    struct wm_memory *memory = small_memory_new(spec);
    struct wm_error error;
    cr_assert_eq(wm_memory_explain(memory, &error), WM_OK, "%s", error.message);
    return memory;
}

static void expect_classes(struct wm_memory *memory, const char *path, uint64_t cold,
                           uint64_t coherence, uint64_t capacity, uint64_t conflict)
{
    const struct wm_component_counters *misses = find_component(memory, path);
    cr_expect_eq(component_value(misses, "cold"), cold, "%s cold %lu", path,
                 component_value(misses, "cold"));
    cr_expect_eq(component_value(misses, "coherence"), coherence, "%s coherence %lu", path,
                 component_value(misses, "coherence"));
    cr_expect_eq(component_value(misses, "capacity"), capacity, "%s capacity %lu", path,
                 component_value(misses, "capacity"));
    cr_expect_eq(component_value(misses, "conflict"), conflict, "%s conflict %lu", path,
                 component_value(misses, "conflict"));
}

// Two cores with L1s of two sets of two ways, under an L2 of four sets of four ways.
Test(coherent_explain, each_class_by_hand)
{
    struct wm_memory_spec spec = coherent_cores(2);
    struct wm_memory *memory = explained(&spec);
    access(memory, 0, 0, WM_ACCESS_LOAD);  // cold
    access(memory, 1, 0, WM_ACCESS_STORE); // takes the copy
    access(memory, 0, 0, WM_ACCESS_LOAD);  // coherence
    expect_classes(memory, "gpu0.sm[0].l1.misses", 1, 1, 0, 0);
    expect_classes(memory, "gpu0.sm[1].l1.misses", 1, 0, 0, 0);
    access(memory, 0, 0, WM_ACCESS_STORE); // an upgrade is a hit
    expect_classes(memory, "gpu0.sm[0].l1.misses", 1, 1, 0, 0);
    access(memory, 0, 2, WM_ACCESS_LOAD);
    access(memory, 0, 4, WM_ACCESS_LOAD); // three lines of one set: 0 leaves
    access(memory, 0, 0, WM_ACCESS_LOAD); // four lines would have had room
    expect_classes(memory, "gpu0.sm[0].l1.misses", 3, 1, 0, 1);
    access(memory, 0, 1, WM_ACCESS_LOAD);
    access(memory, 0, 3, WM_ACCESS_LOAD); // the fifth line, of two sets: 2 is the oldest of all
    access(memory, 0, 2, WM_ACCESS_LOAD);
    expect_classes(memory, "gpu0.sm[0].l1.misses", 5, 1, 1, 1);
    // L2 has seen a request for each of these, in whole lines: five cold, the others hit.
    expect_classes(memory, "gpu0.l2[0].misses", 5 * 4, 0, 0, 0);
    wm_memory_free(memory);
}

// What L2 evicts is called back: a miss of it in L1 is no miss by coherence.
Test(coherent_explain, what_a_home_calls_back_was_displaced)
{
    struct wm_memory_spec spec = coherent_cores(2);
    spec.levels[WM_LEVEL_L2].cache = small_cache(2, 1, LINE, LINE);
    struct wm_memory *memory = explained(&spec);
    access(memory, 0, 0, WM_ACCESS_LOAD);
    access(memory, 1, 2, WM_ACCESS_LOAD); // in L2's only way of the set
    cr_expect_eq(memory->coherent->caches[WM_LEVEL_L1][0].counters.back_invalidations, 1);
    access(memory, 0, 0, WM_ACCESS_LOAD);
    expect_classes(memory, "gpu0.sm[0].l1.misses", 1, 0, 0, 1);
    expect_classes(memory, "gpu0.l2[0].misses", 2 * 4, 0, 0, 4);
    wm_memory_free(memory);
}

static void expect_same(struct wm_memory *plain, struct wm_memory *memory, uint32_t machine)
{
    size_t count, more;
    const struct wm_component_counters *of = wm_memory_components(plain, &count),
                                       *with = wm_memory_components(memory, &more);
    cr_assert_gt(more, count);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < of[i].set->count; n++)
            cr_assert_eq(of[i].values[n], with[i].values[n], "machine %u: %s %s", machine,
                         of[i].path, of[i].set->declarations[n].name);
}

// Returns the misses by coherence.
static uint64_t expect_sums(struct wm_memory *memory, uint32_t machine)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    uint64_t by_coherence = 0;
    for (size_t i = 0; i < count; i++) {
        const char *end = strstr(components[i].path, ".misses");
        if (end == NULL)
            continue;
        char path[sizeof components[i].path];
        snprintf(path, sizeof path, "%.*s", (int)(end - components[i].path), components[i].path);
        const struct wm_component_counters *misses = &components[i],
                                           *cache = find_component(memory, path);
        uint64_t all = component_value(misses, "cold") + component_value(misses, "coherence") +
                       component_value(misses, "capacity") + component_value(misses, "conflict") +
                       component_value(misses, "unallocated");
        cr_assert_eq(all, component_value(cache, "misses"), "machine %u: %s", machine, path);
        by_coherence += component_value(misses, "coherence");
    }
    return by_coherence;
}

// Prefetchers at all coherent levels, and an L1 around which all loads of SMs go, with a look or
// without.
static void add_parts(struct wm_memory_spec *spec, uint32_t machine)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS && machine % 4 == 1; i++)
        if (spec->levels[i].coherence == WM_LEVEL_MESI)
            spec->levels[i].prefetch = &wm_prefetch_next_line;
    struct wm_level_spec *l1 = &spec->levels[WM_LEVEL_L1];
    if (machine % 4 < 2 || l1->coherence != WM_LEVEL_MESI)
        return;
    l1->bypass = &wm_bypass_contention;
    l1->bypass_values = (struct wm_entry_values){{1000}, 1};
    l1->bypass_means = machine % 4 == 2 ? WM_BYPASS_MEANS_NO_LOOKUP : WM_BYPASS_MEANS_NO_ALLOCATION;
}

// What no access has used of a prefetched line is unused, and it was fetched.
Test(coherent_explain, prefetched_lines_that_nothing_uses)
{
    struct wm_memory_spec spec = coherent_cores(1);
    spec.levels[WM_LEVEL_L1].prefetch = &wm_prefetch_next_line;
    struct wm_memory *memory = explained(&spec);
    access(memory, 0, 0, WM_ACCESS_LOAD);
    access(memory, 0, 1, WM_ACCESS_LOAD); // line 2 comes, and is not used
    wm_memory_write_back_all(memory);
    const struct wm_component_counters *misses = find_component(memory, "gpu0.sm[0].l1.misses");
    cr_expect_eq(component_value(misses, "cold"), 1);
    cr_expect_eq(component_value(misses, "fetched_bytes"), 3 * LINE);
    cr_expect_eq(component_value(misses, "unused_sector_bytes"), LINE + 2 * (LINE - 32));
    wm_memory_free(memory);
}

Test(coherent_explain, each_miss_of_random_machines_has_a_class)
{
    uint64_t by_coherence = 0;
    for (uint32_t machine = 0; machine < 60; machine++) {
        struct wm_random random;
        wm_random_init(&random, machine, "coherent explain");
        struct wm_memory_spec spec = machine % 3 == 0   ? coherent_shared(3, 2)
                                     : machine % 3 == 1 ? coherent_split(3, 2)
                                                        : coherent_cores(5);
        if (machine % 6 == 0) // a GPU without coherence beside the cores
            spec.levels[WM_LEVEL_L1].coherence = spec.levels[WM_LEVEL_L2].coherence =
                WM_LEVEL_INCOHERENT;
        add_parts(&spec, machine);
        struct wm_memory *plain = small_memory_new(&spec), *memory = explained(&spec);
        for (uint32_t i = 0; i < 3000; i++) {
            uint64_t line = wm_random_below(&random, 8 + machine);
            uint32_t unit = (uint32_t)wm_random_below(&random, 5);
            enum wm_access_kind kind = (enum wm_access_kind)wm_random_below(&random, 4);
            if (wm_random_below(&random, 100) == 0) {
                wm_memory_host_write(plain, line * LINE + 8, 200);
                wm_memory_host_write(memory, line * LINE + 8, 200);
            }
            access(plain, unit, line, kind);
            access(memory, unit, line, kind);
        }
        expect_same(plain, memory, machine);
        by_coherence += expect_sums(memory, machine);
        wm_memory_free(plain);
        wm_memory_free(memory);
    }
    cr_expect_gt(by_coherence, 10000);
}
