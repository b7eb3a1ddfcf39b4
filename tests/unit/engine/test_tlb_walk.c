// Translations of a kernel that touches words a page apart, twice: what a TLB reaches, and what its
// walks cost the instruction.
#include "walk_fixture.h"

#include "mem/replacement/replacement.h"

#include <criterion/criterion.h>

enum { PAGE = 4096, ENTRIES = 8 };

static struct wm_machine tlb_machine(uint32_t l2_entries)
{
    struct wm_machine machine = walk_test_machine();
    machine.memory.tlb = (struct wm_tlb_spec){
        .present = true,
        .page_bytes = PAGE,
        .sms_each = 1,
        .l1 = {.entries = ENTRIES, .ways = ENTRIES, .replacement = wm_replacement_find("lru")},
        .l2 = {.entries = l2_entries, .ways = 8, .replacement = wm_replacement_find("lru")},
        .walk_levels = 2,
        .walks_use_l2 = true,
    };
    return machine;
}

// Runs one warp over `count` pages; checks look-ups, hits and walks of the TLB of its SM.
static void reach(uint64_t count, uint64_t hits, uint32_t l2_entries, uint64_t walks)
{
    struct wm_machine machine = tlb_machine(l2_entries);
    struct walk_fixture fixture;
    walk_fixture_init(&fixture, &machine, true);
    uint64_t in = walk_words(&fixture, count * PAGE / 4);
    walk_run(&fixture, "touch_twice", 1, 32, (uint64_t[]){in, PAGE, count}, 3);
    struct wm_results *results = walk_take_results(&fixture);
    walk_check_invariants(results);
    const struct wm_kernel_result *kernel = &results->kernels[0];
#define SUM(kind, name) walk_component_sum(kernel->components, kernel->component_count, kind, name)
    cr_expect_eq(SUM("l1_tlb", "lookups"), 2 * count);
    cr_expect_eq(SUM("l1_tlb", "hits"), hits, "%llu pages", (unsigned long long)count);
    cr_expect_eq(SUM("l1_tlb", "walks") + SUM("l2_tlb", "walks"), walks);
    cr_expect_eq(kernel->instructions[0].counters.tlb_walks, walks);
    uint64_t moved = kernel->instructions[0].counters.levels[WM_LEVEL_L2].bytes;
    cr_expect_eq(moved, SUM("l1", "bytes_from_below") + 2 * 32 * walks);
#undef SUM
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(tlb_walk, as_many_pages_as_entries_hit_the_second_time)
{
    reach(ENTRIES, ENTRIES, 0, ENTRIES);
}

// One page more, in turns: LRU has always just displaced what comes next.
Test(tlb_walk, one_page_more_misses_every_time)
{
    reach(ENTRIES + 1, 0, 0, 2 * (ENTRIES + 1));
}

Test(tlb_walk, the_second_level_saves_the_walks)
{
    reach(ENTRIES + 1, 0, 64, ENTRIES + 1);
}

// Constant memory is translated too, and lanes of one instruction in one page are looked up once.
Test(tlb_walk, one_look_up_an_instruction_and_page)
{
    struct wm_machine machine = tlb_machine(0);
    struct walk_fixture fixture;
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT] = walk_side_cache(1024, 1);
    walk_fixture_init(&fixture, &machine, true);
    uint64_t in = walk_words(&fixture, 64), out = walk_words(&fixture, 64);
    walk_run(&fixture, "read_all_ways", 1, 32, (uint64_t[]){in, out}, 2);
    struct wm_results *results = walk_take_results(&fixture);
    walk_check_invariants(results);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    cr_expect_eq(
        walk_component_sum(kernel->components, kernel->component_count, "l1_tlb", "lookups"), 9);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}
