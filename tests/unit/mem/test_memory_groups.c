// One L1 for several SMs: who shares which, what one SM brings another finds, and that it is the
// same as one SM that made all of the accesses.
#include "base/numbers/random.h"
#include "mem/bypass/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_memory_spec spec_of(uint32_t sm_count, uint32_t sms_each)
{
    struct wm_memory_spec spec =
        small_memory(sm_count, small_cache(8, 4, 128, 32), small_cache(64, 8, 128, 32), 1);
    spec.levels[WM_LEVEL_L1].units_each = sms_each;
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    return spec;
}

static void load(struct wm_memory *memory, uint32_t sm, uint64_t address)
{
    struct wm_request request = {.address = address, .sectors = 1, .sm = sm};
    wm_memory_access(memory, &request);
}

Test(memory_groups, the_last_group_may_be_smaller)
{
    struct wm_memory_spec spec = spec_of(8, 3); // SMs 0 to 2, 3 to 5, 6 and 7
    struct wm_memory *memory = small_memory_new(&spec);
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    cr_assert_eq(count, 3 + 1 + 1);
    cr_assert_str_eq(components[0].path, "gpu0.sm[0].l1");
    cr_assert_str_eq(components[1].path, "gpu0.sm[3].l1");
    cr_assert_str_eq(components[2].path, "gpu0.sm[6].l1");
    for (uint32_t sm = 0; sm < 8; sm++)
        load(memory, sm, 0x1000);
    // Each L1 misses once, for the first of its SMs.
    static const uint64_t accesses[] = {3, 3, 2};
    for (uint32_t i = 0; i < 3; i++) {
        cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[i].counters.load_accesses, accesses[i]);
        cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[i].counters.load_misses, 1);
    }
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.load_accesses, 3);
    wm_memory_free(memory);
}

Test(memory_groups, more_sms_a_group_than_there_are_is_one_l1_for_all)
{
    struct wm_memory_spec spec = spec_of(5, 1024);
    struct wm_memory *memory = small_memory_new(&spec);
    cr_assert_eq(memory->levels[WM_LEVEL_L1].count, 1);
    load(memory, 0, 0x1000);
    load(memory, 4, 0x1000);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.load_hits, 1);
    wm_memory_free(memory);
}

// A store of one SM is seen by the other: both read the bytes that only L1 has.
Test(memory_groups, a_volatile_load_of_one_sm_writes_back_what_another_stored)
{
    struct wm_memory_spec spec = spec_of(4, 2);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_request store = {
        .address = 0x2000, .sectors = 3, .full_sectors = 3, .kind = WM_ACCESS_STORE, .sm = 2};
    wm_memory_access(memory, &store);
    struct wm_request again = {.address = 0x2000, .sectors = 1, .hint = WM_HINT_VOLATILE, .sm = 3};
    wm_memory_access(memory, &again);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.write_backs, 1);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.invalidations, 1);
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.load_hits, 1);
    wm_memory_free(memory);
}

// SMs 0 to 2 with one L1 count what one SM counts that makes all their accesses: with every bypass
// entry that has a state, with host traffic and kernels between, with L1 of another size later.
Test(memory_groups, a_group_counts_as_one_sm_that_makes_its_accesses)
{
    static const struct wm_bypass_ops *const bypasses[] = {NULL, &wm_bypass_none,
                                                           &wm_bypass_per_pc};
    for (uint32_t round = 0; round < 6; round++) {
        struct wm_memory_spec shared = spec_of(3, 3), single = spec_of(1, 1);
        shared.levels[WM_LEVEL_L1].bypass = single.levels[WM_LEVEL_L1].bypass = bypasses[round % 3];
        struct wm_memory *many = small_memory_new(&shared), *one = small_memory_new(&single);
        struct wm_error error;
        if (round >= 3) {
            cr_assert_eq(wm_memory_explain(many, &error), WM_OK);
            cr_assert_eq(wm_memory_explain(one, &error), WM_OK);
        }
        struct wm_random random;
        wm_random_init(&random, round, "groups");
        for (int i = 0; i < 20000; i++) {
            struct wm_request request = {
                .address = wm_random_below(&random, 150) * 128,
                .sectors = 1 + (uint32_t)wm_random_below(&random, 15),
                .kind = wm_random_below(&random, 3) == 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                .hint = (enum wm_cache_hint)wm_random_below(&random, WM_HINT_NO_L1 + 1),
                .listed = wm_random_below(&random, 4) == 0,
            };
            wm_memory_access(one, &request);
            request.sm = (uint32_t)wm_random_below(&random, 3);
            wm_memory_access(many, &request);
            struct wm_memory *both[] = {one, many};
            for (int m = 0; m < 2 && i % 4000 == 3999; m++) {
                wm_memory_host_write(both[m], 1000, 3000);
                wm_memory_host_read(both[m], 8000, 3000);
                wm_memory_kernel_begin(both[m]);
                cr_assert_eq(wm_memory_resize_l1(both[m], i % 8000 == 3999 ? 8192 : 4096,
                                                 i % 8000 == 3999 ? 8 : 4, &error),
                             WM_OK);
            }
        }
        cr_expect_eq(memcmp(&many->levels[WM_LEVEL_L1].caches[0].counters,
                            &one->levels[WM_LEVEL_L1].caches[0].counters,
                            sizeof one->levels[WM_LEVEL_L1].caches[0].counters),
                     0, "round %u", round);
        cr_expect_eq(memcmp(&many->levels[WM_LEVEL_L2].caches[0].counters,
                            &one->levels[WM_LEVEL_L2].caches[0].counters,
                            sizeof one->levels[WM_LEVEL_L2].caches[0].counters),
                     0, "round %u", round);
        cr_expect_eq(memcmp(many->dram, one->dram, sizeof *one->dram), 0, "round %u", round);
        wm_memory_free(many);
        wm_memory_free(one);
    }
}
