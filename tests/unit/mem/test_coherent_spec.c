// Which levels may be coherent: the tree that their caches make, and what is refused.
#include "coherent_machines.h"
#include "mem/replacement/entries.h"
#include "mem/system/coherent_levels.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_coherent_levels tree_of(const struct wm_memory_spec *spec)
{
    struct wm_coherent_levels levels;
    struct wm_error error;
    wm_memory_free(small_memory_new(spec));
    cr_assert_eq(wm_coherent_levels_init(&levels, spec, &error), WM_OK);
    return levels;
}

static void expect_node(const struct wm_coherent_levels *levels, uint32_t number, uint32_t level,
                        uint32_t instance, uint32_t home, uint32_t as)
{
    const struct wm_coherent_node *node = &levels->nodes[number];
    cr_expect_eq(node->level, level, "node %u", number);
    cr_expect_eq(node->instance, instance, "node %u", number);
    cr_expect_eq(node->home, home, "node %u has home %u", number, node->home);
    cr_expect_eq(node->number, as, "node %u", number);
    if (home != WM_NO_NODE)
        cr_expect_eq(wm_coherent_child(levels, home, as), number);
}

Test(coherent_spec, caches_that_meet_in_one)
{
    struct wm_memory_spec spec = coherent_shared(2, 3);
    struct wm_coherent_levels levels = tree_of(&spec);
    cr_assert_eq(levels.node_count, 2 + 3 + 1 + 3 + 1);
    cr_expect_not(levels.has_directory);
    cr_expect_eq(levels.root, 9);
    expect_node(&levels, 0, WM_LEVEL_L1, 0, 5, 0);
    expect_node(&levels, 1, WM_LEVEL_L1, 1, 5, 1);
    expect_node(&levels, 2, CPU_L1, 0, 6, 0);
    expect_node(&levels, 4, CPU_L1, 2, 8, 0);
    expect_node(&levels, 5, WM_LEVEL_L2, 0, 9, 0); // its two slices are one node
    expect_node(&levels, 6, CPU_L2, 0, 9, 1);
    expect_node(&levels, 8, CPU_L2, 2, 9, 3);
    expect_node(&levels, 9, LAST, 0, WM_NO_NODE, 0);
    cr_expect_eq(levels.nodes[9].child_count, 4);
    cr_expect_eq(levels.first_node[CPU_L2], 6);
    cr_expect_eq(levels.first_node[WM_LEVEL_SIDE], WM_NO_NODE);
    wm_coherent_levels_release(&levels);
}

Test(coherent_spec, caches_that_meet_at_memory)
{
    struct wm_memory_spec spec = coherent_split(2, 2);
    struct wm_coherent_levels levels = tree_of(&spec);
    cr_assert_eq(levels.node_count, 2 + 2 + 1 + 2 + 1 + 1 + 1);
    cr_expect(levels.has_directory);
    expect_node(&levels, 4, WM_LEVEL_L2, 0, 7, 0);
    expect_node(&levels, 6, CPU_L2, 1, 8, 1);
    expect_node(&levels, 7, LAST, 0, 9, 0);
    expect_node(&levels, 8, CPU_LAST, 0, 9, 1);
    expect_node(&levels, 9, WM_MOST_LEVELS, 0, WM_NO_NODE, 0);
    wm_coherent_levels_release(&levels);

    spec = coherent_cores(5); // L2s of two cores each
    spec.levels[WM_LEVEL_L2].units_each = 2;
    levels = tree_of(&spec);
    cr_assert_eq(levels.node_count, 5 + 3 + 1);
    expect_node(&levels, 4, WM_LEVEL_L1, 4, 7, 0);
    expect_node(&levels, 7, WM_LEVEL_L2, 2, 8, 2);
    wm_coherent_levels_release(&levels);

    spec = coherent_cores(8); // L1s of two cores each, under L2s of four
    spec.levels[WM_LEVEL_L1].units_each = 2;
    spec.levels[WM_LEVEL_L2].units_each = 4;
    levels = tree_of(&spec);
    cr_assert_eq(levels.node_count, 4 + 2 + 1);
    expect_node(&levels, 1, WM_LEVEL_L1, 1, 4, 1);
    expect_node(&levels, 2, WM_LEVEL_L1, 2, 5, 0);
    wm_coherent_levels_release(&levels);
}

// L1s that take no part: the L2 makes the accesses.
Test(coherent_spec, levels_above_may_be_incoherent)
{
    struct wm_memory_spec spec = coherent_shared(2, 2);
    spec.levels[WM_LEVEL_L1].coherence = WM_LEVEL_INCOHERENT;
    spec.levels[WM_LEVEL_L1].cache.line_bytes = 64;
    spec.levels[WM_LEVEL_L1].cache.sector_bytes = 32;
    struct wm_coherent_levels levels = tree_of(&spec);
    cr_expect_eq(levels.node_count, 2 + 1 + 2 + 1);
    cr_expect(wm_level_is_coherent_leaf(&spec, WM_LEVEL_L2));
    cr_expect_not(wm_level_is_coherent_leaf(&spec, WM_LEVEL_L1));
    cr_expect_not(wm_level_is_coherent_leaf(&spec, LAST));
    wm_coherent_levels_release(&levels);

    spec = coherent_cores(2);
    spec.levels[WM_LEVEL_L1].coherence = spec.levels[WM_LEVEL_L2].coherence = WM_LEVEL_INCOHERENT;
    levels = tree_of(&spec);
    cr_expect_eq(levels.node_count, 0);
    cr_expect_not(wm_memory_is_coherent(&spec));
    wm_coherent_levels_release(&levels);
}

// SMs whose caches are no children of the last-level cache that they share with cores: none of
// theirs is a node, and it makes their accesses. Their lines may be of another size.
Test(coherent_spec, levels_beside_children_may_be_incoherent)
{
    struct wm_memory_spec spec = coherent_shared(2, 3);
    for (uint32_t i = WM_LEVEL_L1; i <= WM_LEVEL_L2; i++) {
        spec.levels[i].coherence = WM_LEVEL_INCOHERENT;
        spec.levels[i].cache.line_bytes = 64;
        spec.levels[i].cache.sector_bytes = 32;
    }
    struct wm_coherent_levels levels = tree_of(&spec);
    cr_assert_eq(levels.node_count, 3 + 3 + 1);
    expect_node(&levels, 6, LAST, 0, WM_NO_NODE, 0);
    cr_expect_eq(levels.nodes[6].child_count, 3);
    cr_expect_eq(levels.first_node[WM_LEVEL_L2], WM_NO_NODE);
    wm_coherent_levels_release(&levels);
    spec = coherent_without_sms_caches(2, 3);
    levels = tree_of(&spec);
    cr_expect_eq(levels.nodes[6].child_count, 3);
    wm_coherent_levels_release(&levels);
}

#define REFUSED(change, message, hint)                                                         \
    do {                                                                                       \
        struct wm_memory_spec spec = coherent_split(2, 2);                                     \
        struct wm_level_spec *l1 = &spec.levels[WM_LEVEL_L1], *l2 = &spec.levels[WM_LEVEL_L2]; \
        (void)l1, (void)l2;                                                                    \
        change;                                                                                \
        expect_spec_refused(&spec, message, hint);                                             \
    } while (0)

Test(coherent_spec, parts_that_do_not_go_together_are_refused)
{
    REFUSED(l1->cache.replacement = &wm_replacement_opt, "l1.coherence is mesi, and l1.replacement",
            "another l1.replacement");
    REFUSED(l1->cache.write_policy = WM_WRITE_THROUGH_UPDATE,
            "l1.coherence is mesi, and l1.write_policy is not back", "set l1.write_policy to back");
    REFUSED(l1->cache.write_allocate = false, "l1.write_allocate is false", "to true");
    REFUSED(l1->cache.sector_bytes = 32, "l1.sector_bytes is less than a line", "a line");
    REFUSED(l1->cache.write_fetch = WM_FETCH_NEVER, "l1.write_fetch is never", "to partial");
    REFUSED(l2->cache.dirty_limit_bytes = 8192, "l2.dirty_limit_bytes is not 0",
            "set l2.dirty_limit_bytes to 0");
    REFUSED(l2->host_write_allocate = true, "l2.host_write_allocate is true", "to false");
    REFUSED(l1->victim_lines = 4, "l1.victim_lines is not 0", "set l1.victim_lines to 0");
    REFUSED(l2->inclusion = WM_EXCLUSIVE, "l2.inclusion is exclusive", "to inclusive");
    REFUSED(l2->load_allocation = WM_L2_TAKES_UNCACHED, "l2.load_allocation is uncached", "to all");
    REFUSED(l2->atomic_buffer_lines = 4, "l2.atomic_buffer_lines is not 0", "to 0");
    REFUSED(l1->divergence.insertion = WM_INSERT_GAUGED, "l1.divergence.insertion is not front",
            "to front");
    REFUSED(l1->divergence.promotion = 1, "l1.divergence.promotion is not 0", "to 0");
    REFUSED(l1->divergence.region = WM_REGION_STATIC, "l1.divergence.region is not none",
            "to none");
    REFUSED(l1->divergence.full = WM_FULL_STALLS, "l1.divergence.full is not displace",
            "to displace");
    REFUSED(l1->coalescing = WM_COALESCES_IN_FLIGHT, "l1.coalescing is in-flight", "to none");
    REFUSED(l2->locked_line = WM_LOCKED_REFUSES, "l2.locked_line is refuse", "to merge");
    REFUSED(l1->flush_at_kernel = true, "l1.flush_at_kernel is true", "to false");
    REFUSED(spec.levels[LAST].coherence = WM_LEVEL_INCOHERENT,
            "l1.coherence is mesi, and l3.coherence is none", "set l3.coherence to mesi");
    REFUSED((spec.levels[CPU_L1].cache.present = false, l1->cache.present = false),
            "l1.coherence is mesi, and l1.present is false", "set l1.coherence to none");
}

Test(coherent_spec, partitions_and_trackers_are_refused)
{
    struct wm_memory_spec spec = coherent_cores(4);
    spec.levels[WM_LEVEL_L2].slices = spec.levels[WM_LEVEL_L2].partitions = 2;
    spec.levels[WM_LEVEL_L2].units_each = WM_UNITS_ALL;
    expect_spec_refused(&spec, "l2.coherence is mesi, and l2.partitions is more than 1",
                        "set l2.partitions to 1");
    spec = coherent_cores(4);
    struct wm_level_spec *l1 = &spec.levels[WM_LEVEL_L1];
    l1->coherence = WM_LEVEL_INCOHERENT;
    l1->cache.write_policy = WM_WRITE_THROUGH_EVICT;
    l1->cache.write_allocate = false;
    l1->tracker = (struct wm_tracker_spec){
        .present = true, .sms_each = 4, .sets = 16, .ways = 4, .banks = 2, .sharers = 4};
    expect_spec_refused(&spec, "l1.tracker.present is true, and l2.coherence is mesi",
                        "set l1.tracker.present to false");
}

Test(coherent_spec, trees_that_cannot_be_are_refused)
{
    REFUSED(spec.levels[CPU_LAST].cache.line_bytes = spec.levels[CPU_LAST].cache.sector_bytes = 64,
            "l2.line_bytes (128B) is not l3.line_bytes (64B)", "the same line");
    // Two sides that differ meet in the directory alone.
    REFUSED(
        for (uint32_t i = CPU_L1; i <= CPU_LAST; i++) if (i != LAST) {
            spec.levels[i].cache.line_bytes = spec.levels[i].cache.sector_bytes = 64;
            spec.levels[i].cache.size_bytes /= 2;
        },
        "(64B) is not l1.line_bytes (128B)", "the same line");
    REFUSED(spec.levels[LAST].coherence = l1->coherence = l2->coherence = WM_LEVEL_INCOHERENT,
            "l3.coherence is not mesi, and l1.coherence is: what passes l3 to memory",
            "set both to mesi");
    REFUSED(l2->coherence = l1->coherence = WM_LEVEL_INCOHERENT;
            l2->cache.present = l1->cache.present = false; spec.levels[LAST].cache.present = false;
            spec.levels[LAST].coherence = WM_LEVEL_INCOHERENT, "an SM has no cache",
            "give it a coherent level");
    REFUSED(spec.levels[CPU_LAST].inclusion = l2->inclusion = WM_INCLUSIVE;
            l1->coherence = WM_LEVEL_INCOHERENT, "l2.inclusion is inclusive, and l2.coherence",
            "non-inclusive");

    struct wm_memory_spec spec = coherent_shared(2, 2);
    spec.dram.clean_forward = true;
    expect_spec_refused(&spec, "clean_forward is true, and there is no directory", "to false");
    spec = coherent_cores(64);
    wm_memory_free(small_memory_new(&spec));
    spec = coherent_cores(65);
    expect_spec_refused(&spec, "l2.coherence is mesi, and 65 caches are above one",
                        "a directory knows 64");
    spec.levels[WM_LEVEL_L2].units_each = 1;
    expect_spec_refused(&spec, "l1.coherence is mesi, and 65 caches are before memory",
                        "a directory knows 64");
}

Test(coherent_spec, what_homes_would_not_see_is_refused)
{
    struct wm_memory_spec spec = coherent_cores(2);
    spec.levels[WM_LEVEL_SIDE].cache = small_cache(2, 2, 64, 64);
    spec.levels[WM_LEVEL_SIDE].units_each = 1;
    expect_spec_refused(&spec, "constant.present is true, and l1.coherence is mesi", "to false");
    spec = coherent_cores(2);
    spec.gpus = 2;
    expect_spec_refused(&spec, "l1.coherence is mesi, and gpus (2)", "set gpus to 1");
    spec = coherent_cores(2);
    spec.tlb = (struct wm_tlb_spec){.present = true,
                                    .page_bytes = 4096,
                                    .sms_each = 1,
                                    .walk_levels = 2,
                                    .walks_use_l2 = true,
                                    .l1 = {16, 4, &wm_replacement_lru, {{0}, 0}}};
    expect_spec_refused(&spec, "l1.coherence is mesi, and tlb.walks_use_l2 is true", "to false");
    spec.tlb.walks_use_l2 = false;
    wm_memory_free(small_memory_new(&spec));
}

Test(coherent_spec, links_that_no_message_takes_are_refused)
{
    REFUSED(l1->link_latency = 15,
            "l1.link_latency (15), and what leaves l1 crosses the interconnect",
            "set l1.link_latency to 0, and interconnect.latency to what the way takes");
    struct wm_memory_spec spec =
        small_memory(2, small_cache(4, 2, 128, 32), small_cache(8, 4, 128, 32), 1);
    spec.levels[WM_LEVEL_L2].link_latency = 15;
    expect_spec_refused(&spec, "l2.link_latency (15), and l2.coherence is not mesi",
                        "set l2.link_latency to 0");
    spec = coherent_split(2, 2);
    spec.levels[WM_LEVEL_L2].link_latency = spec.levels[LAST].link_latency = 15;
    spec.levels[CPU_L1].link_latency = spec.levels[CPU_LAST].link_latency = 15;
    wm_memory_free(small_memory_new(&spec));
}
