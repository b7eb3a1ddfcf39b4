// Which build of the access path a memory system takes, walked, in time and side by side: the
// best that WARPMEM_ISA allows.
#include "mem/lru_lanes/lru_lanes.h"
#include "mem/system/memory_state.h"
#include "mem/timed/timed_cache.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct wm_memory_spec spec_of_test(void)
{
    return small_memory(2, small_cache(4, 2, 128, 32), small_cache(16, 4, 128, 32), 1);
}

static const struct wm_memory_paths *paths_taken(const struct wm_memory_spec *spec)
{
    struct wm_memory *memory = small_memory_new(spec);
    const struct wm_memory_paths *paths = memory->paths;
    wm_memory_free(memory);
    return paths;
}

Test(memory_builds, the_environment_chooses_the_access_path)
{
    static const char *const names[] = {"c", "avx2", "avx512"};
    const struct wm_memory_spec spec = spec_of_test();
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    cr_assert_eq(paths[0], &wm_memory_paths_plain);
    for (size_t i = 0; i < 3; i++) {
        setenv("WARPMEM_ISA", names[i], 1);
        cr_expect_eq(paths_taken(&spec), paths[i < count ? i : count - 1], "%s", names[i]);
    }
    unsetenv("WARPMEM_ISA");
    cr_expect_eq(paths_taken(&spec), paths[count - 1]);
}

Test(memory_builds, a_machine_that_needs_all_parts_has_one_build)
{
    struct wm_memory_spec spec = spec_of_test();
    spec.levels[WM_LEVEL_L1].cache.write_fetch = WM_FETCH_NEVER;
    cr_assert(wm_memory_needs_full(&spec));
    cr_expect_eq(paths_taken(&spec), &wm_memory_paths_full);
    setenv("WARPMEM_ISA", "c", 1);
    cr_expect_eq(paths_taken(&spec), &wm_memory_paths_full);
}

// A level between side caches and L2 needs none of these parts: not so where L1 is above it too, or
// where all SMs share it.
Test(memory_builds, levels_between_side_caches_and_l2_are_in_all_builds)
{
    enum { BETWEEN = WM_LEVELS_NAMED, CONSTANT = WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT };
    struct wm_memory_spec spec = spec_of_test();
    spec.levels[CONSTANT].cache = small_cache(4, 2, 64, 64);
    spec.levels[BETWEEN] =
        (struct wm_level_spec){.name = "between", .cache = small_cache(8, 2, 64, 64)};
    spec.levels[BETWEEN].below = WM_BELOW(WM_LEVEL_L2);
    spec.levels[CONSTANT].below = WM_BELOW(BETWEEN);
    cr_expect(!wm_memory_needs_full(&spec));
    spec.levels[BETWEEN].units_each = WM_UNITS_ALL;
    cr_expect(wm_memory_needs_full(&spec), "all SMs share it");
    spec.levels[BETWEEN].units_each = 1;
    spec.levels[WM_LEVEL_L1].below = WM_BELOW(BETWEEN);
    cr_expect(wm_memory_needs_full(&spec), "stores of L1 pass it");
    spec.levels[WM_LEVEL_L1].below = WM_BELOW_DEFAULT;
    spec.levels[BETWEEN].below = WM_BELOW_MEMORY;
    cr_expect(wm_memory_needs_full(&spec), "it is above memory");
}

static const struct wm_timed_steps *steps_taken(void)
{
    const struct wm_cache_timing timing = {.mshr_entries = 4, .mshr_merges = 4};
    const struct wm_cache_spec spec = small_cache(4, 2, 128, 32);
    struct wm_cache cache;
    struct wm_timed_cache timed;
    cr_assert_eq(wm_cache_init(&cache, &spec, "timed", NULL), WM_OK);
    cr_assert_eq(wm_timed_cache_init(&timed, &cache, &timing, false, NULL), WM_OK);
    const struct wm_timed_steps *steps = timed.steps;
    wm_timed_cache_release(&timed);
    wm_cache_release(&cache);
    return steps;
}

Test(memory_builds, the_environment_chooses_the_steps_in_time)
{
    size_t count;
    const struct wm_timed_steps *const *steps = wm_timed_steps_available(&count);
    setenv("WARPMEM_ISA", "c", 1);
    cr_expect_eq(steps_taken(), steps[0]);
    setenv("WARPMEM_ISA", "avx2", 1);
    cr_expect_eq(steps_taken(), steps[count > 1 ? 1 : 0]);
    unsetenv("WARPMEM_ISA");
    cr_expect_eq(steps_taken(), steps[count - 1]);
}

static const struct wm_memory_paths *paths_of_lanes(void)
{
    const struct wm_memory_spec spec = spec_of_test();
    struct wm_lru_lanes lanes;
    cr_assert_eq(wm_lru_lanes_init(&lanes, &spec, NULL), WM_OK);
    wm_lru_lanes_release(&lanes);
    return lanes.paths;
}

Test(memory_builds, the_environment_chooses_the_path_of_l1s_side_by_side)
{
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    setenv("WARPMEM_ISA", "c", 1);
    cr_expect_eq(paths_of_lanes(), paths[0]);
    setenv("WARPMEM_ISA", "avx2", 1);
    cr_expect_eq(paths_of_lanes(), paths[count > 1 ? 1 : 0]);
    unsetenv("WARPMEM_ISA");
    cr_expect_eq(paths_of_lanes(), paths[count - 1]);
}
