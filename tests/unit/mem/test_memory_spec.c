// Memory systems that cannot be: each refusal names the field and says what would do.
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory.h"
#include "mem/system/memory_spec_check.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_memory_spec good(void)
{
    struct wm_cache_spec l1 = {
        .present = true,
        .size_bytes = 16384,
        .ways = 4,
        .line_bytes = 128,
        .sector_bytes = 32,
        .write_policy = WM_WRITE_THROUGH_EVICT,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    struct wm_cache_spec l2 = l1;
    l2.size_bytes = 786432;
    l2.ways = 8;
    l2.write_policy = WM_WRITE_BACK;
    l2.write_allocate = true;
    return (struct wm_memory_spec){
        .sm_count = 15,
        .levels[WM_LEVEL_L1] = {.cache = l1},
        .levels[WM_LEVEL_L2] = {.cache = l2, .slices = 12, .interleave_bytes = 256},
        .dram = {.channels = 6, .channel_interleave_bytes = 256, .access_bytes = 32},
    };
}

static void refused(const struct wm_memory_spec *spec, const char *message, const char *hint)
{
    struct wm_error error;
    struct wm_memory *memory = (struct wm_memory *)&error;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_INVALID, "not refused: %s",
                 message);
    cr_assert_null(memory);
    cr_assert(strstr(error.message, message) != NULL, "'%s' does not say '%s'", error.message,
              message);
    cr_assert(strstr(error.hint, hint) != NULL, "'%s' does not say '%s'", error.hint, hint);
}

Test(memory_spec, a_good_one_is_built_with_its_components_in_order)
{
    struct wm_memory_spec spec = good();
    struct wm_error error;
    struct wm_memory *memory;
    cr_assert_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_OK, "%s", error.message);
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    cr_assert_eq(count, 15 + 12 + 6);
    cr_assert_str_eq(components[3].path, "gpu0.sm[3].l1");
    cr_assert_str_eq(components[15 + 5].path, "gpu0.l2[5]");
    cr_assert_str_eq(components[15 + 12 + 2].path, "gpu0.dram[2]");
    cr_assert_str_eq(components[3].set->kind, "l1");
    cr_assert_str_eq(components[20].set->kind, "l2");
    cr_assert_str_eq(components[29].set->kind, "dram");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < components[i].set->count; j++)
            cr_assert_eq(components[i].values[j], 0);
    wm_memory_free(memory);
    wm_memory_free(NULL);
}

#define REFUSED(change, message, hint)       \
    do {                                     \
        struct wm_memory_spec spec = good(); \
        change;                              \
        refused(&spec, message, hint);       \
    } while (0)

Test(memory_spec, impossible_caches_are_refused)
{
    REFUSED(spec.levels[WM_LEVEL_L1].cache.size_bytes = 16385, "l1.size_bytes (16385B)",
            "a multiple of 512B");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.size_bytes = 0, "l1.size_bytes (0B)",
            "a multiple of 512B");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.size_bytes = 100, "(4 ways of 128B: 512B)",
            "l1.ways or l1.line_bytes");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.ways = 0, "l1.ways (0) is out of range", "1 to 1024");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.ways = 1025, "l1.ways (1025)", "1 to 1024");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.line_bytes = 96, "l1.line_bytes (96B)", "power of two");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.line_bytes = 16, "l1.line_bytes (16B)", "give 32B");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.line_bytes = 2048, "l1.line_bytes (2KiB)", "to 1KiB");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.sector_bytes = 16, "l1.sector_bytes (16B)", "give 32B");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.sector_bytes = 256,
            "l1.sector_bytes (256B) is larger than l1.line_bytes (128B)", "equal");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.sector_bytes = 48, "l1.sector_bytes (48B)",
            "power of two");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.replacement = NULL, "l1.replacement is not given",
            "table");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.set_index = NULL, "l1.set_index is not given", "table");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.write_allocate = true,
            "l1.write_policy through-evict drops", "l1.write_allocate false");
    REFUSED(spec.levels[WM_LEVEL_L2].cache.size_bytes = 786432 + 1024, "l2.size_bytes (769KiB)",
            "12KiB, or change l2.slices");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.size_bytes = UINT64_C(1) << 50, "lines in one array",
            "at most");
}

Test(memory_spec, a_set_index_that_does_not_take_the_sets_is_refused)
{
    struct wm_memory_spec spec = good();
    spec.levels[WM_LEVEL_L1].cache.set_index = &wm_set_index_fermi_hash; // 32 sets: taken
    struct wm_memory *memory;
    struct wm_error error;
    cr_assert_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_OK);
    wm_memory_free(memory);
    spec.levels[WM_LEVEL_L1].cache.ways = 8; // 16 sets: not
    refused(&spec, "l1.set_index fermi-hash does not serve 16 sets (32 or 64 sets)",
            "take another l1.set_index");
}

Test(memory_spec, impossible_arrangements_are_refused)
{
    REFUSED(spec.sm_count = 0, "sm_count (0) is out of range", "give 1");
    REFUSED(spec.dram.channels = 0, "dram.channels (0)", "give 1");
    REFUSED(spec.levels[WM_LEVEL_L2].slices = 8,
            "l2.slices (8) is not a multiple of dram.channels (6)", "one channel");
    REFUSED(spec.levels[WM_LEVEL_L2].slices = 0, "l2.slices (0)", "give 1");
    REFUSED(spec.levels[WM_LEVEL_L2].interleave_bytes = 64,
            "l2.interleave_bytes (64B) is smaller than l2.line_bytes (128B)", "at least a line");
    REFUSED(spec.levels[WM_LEVEL_L2].interleave_bytes = 384, "l2.interleave_bytes (384B)",
            "power of two");
    REFUSED(spec.dram.channel_interleave_bytes = 0, "dram.channel_interleave_bytes (0B)", "power");
    REFUSED(spec.dram.channel_interleave_bytes = 48, "dram.channel_interleave_bytes (48B)",
            "power");
    REFUSED(spec.dram.access_bytes = 0, "dram.access_bytes (0B)", "power of two");
    REFUSED(spec.dram.access_bytes = 512, "dram.channel_interleave_bytes (256B)",
            "at least dram.access_bytes");
    REFUSED(spec.levels[WM_LEVEL_L2].cache.dirty_limit_bytes = 768 * 128 - 1,
            "l2.dirty_limit_bytes (98303B) is less than a line of l2.line_bytes (128B) for each of "
            "768 sets",
            "at least 96KiB, or 0");
    REFUSED(spec.levels[WM_LEVEL_L1].cache.dirty_limit_bytes = 4096, "l1.dirty_limit_bytes (4KiB)",
            "give 0");
    REFUSED(spec.dram.interleave_hash = WM_INTERLEAVE_IPOLY,
            "l2.interleave_hash and dram.interleave_hash are not the same", "the same hash");
}

Test(memory_spec, impossible_partitions_are_refused)
{
#define PARTITIONS_REFUSED(change, message, hint) \
    REFUSED((spec.levels[WM_LEVEL_L2].partitions = 2, change), message, hint)
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L2].partitions = 3, "l2.partitions (3) is out of range",
                       "give 0 to 2");
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L1].partitions = 2, "l1.partitions (2)", "give 0 to 1");
    PARTITIONS_REFUSED((spec.dram.channels = 1, spec.levels[WM_LEVEL_L2].slices = 3,
                        spec.levels[WM_LEVEL_L2].cache.size_bytes = 3 * 16 * 128 * 8),
                       "l2.partitions (2) does not divide l2.slices (3)", "change one of the two");
    PARTITIONS_REFUSED(spec.sm_count = 1, "l2.partitions (2) is more than sm_count (1)",
                       "set l2.partitions to 1");
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L2].units_each = 3,
                       "l2.partitions (2), and l2.units_each (3) does not say all", "of all SMs");
    PARTITIONS_REFUSED(spec.gpus = 2, "l2.partitions (2), and gpus (2)", "or gpus to 1");
    PARTITIONS_REFUSED(spec.core_count = 2, "l2.partitions (2), and core_count (2)",
                       "or core_count to 0");
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_opt,
                       "l2.replacement is opt", "or set l2.partitions to 1");
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L2].cache.write_fetch = WM_FETCH_NEVER,
                       "l2.write_fetch is never", "or set l2.partitions to 1");
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L2].atomic_buffer_lines = 4,
                       "l2.atomic_buffer_lines is not 0", "set l2.partitions to 1");
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE,
                       "l2.inclusion is inclusive", "set l2.partitions to 1");
    PARTITIONS_REFUSED(spec.levels[WM_LEVEL_L2].locked_line = WM_LOCKED_REFUSES,
                       "l2.locked_line is refuse", "set l2.partitions to 1");
}

Test(memory_spec, impossible_host_writes_are_refused)
{
#define HOST_WRITES_REFUSED(change, message, hint) \
    REFUSED((spec.levels[WM_LEVEL_L2].host_write_allocate = true, change), message, hint)
    HOST_WRITES_REFUSED(spec.levels[WM_LEVEL_L2].units_each = 3,
                        "l2.host_write_allocate (1), and l2.units_each (3) does not say all",
                        "set l2.host_write_allocate to false");
    HOST_WRITES_REFUSED(spec.levels[WM_LEVEL_L2].cache.replacement = &wm_replacement_opt,
                        "l2.replacement is opt", "or set l2.host_write_allocate to false");
    HOST_WRITES_REFUSED(spec.levels[WM_LEVEL_L2].cache.write_fetch = WM_FETCH_NEVER,
                        "l2.write_fetch is never", "set l2.host_write_allocate to false");
    HOST_WRITES_REFUSED(spec.levels[WM_LEVEL_L2].atomic_buffer_lines = 4,
                        "l2.atomic_buffer_lines is not 0", "set l2.host_write_allocate to false");
    HOST_WRITES_REFUSED(spec.levels[WM_LEVEL_L2].inclusion = WM_INCLUSIVE,
                        "l2.inclusion is inclusive", "set l2.host_write_allocate to false");
}

Test(memory_spec, impossible_trackers_are_refused)
{
    struct wm_tracker_spec tracker = {
        .present = true, .sms_each = 15, .sets = 16, .ways = 4, .banks = 2, .sharers = 15};
#define TRACKER_REFUSED(change, message)                       \
    REFUSED(spec.levels[WM_LEVEL_L1].cache.sector_bytes = 128; \
            spec.levels[WM_LEVEL_L1].tracker = tracker; change, message, "")
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].tracker.sets = 0,
                    "l1.tracker.sets (0) is out of range");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].tracker.sets = 1 << 30, "l1.tracker.sets");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].tracker.ways = 1 << 17, "l1.tracker.ways");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].tracker.banks = 3,
                    "l1.tracker.banks (3) do not divide l1.tracker.sets (16)");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].tracker.sharers = 0, "l1.tracker.sharers (0)");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].tracker.sms_each = 0, "l1.tracker.sms_each (0)");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].cache.sector_bytes = 32,
                    "l1.sector_bytes is less than a line");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_BACK,
                    "l1.write_policy is back");
    TRACKER_REFUSED(spec.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_opt,
                    "l1.replacement is opt");
    TRACKER_REFUSED(
        (spec.levels[WM_LEVEL_L1].units_each = 4, spec.levels[WM_LEVEL_L1].tracker.sms_each = 6),
        "l1.tracker.sms_each");
}

// What stands in time alone is checked with the rest.
Test(memory_spec, impossible_timing_is_refused)
{
    REFUSED(spec.levels[WM_LEVEL_L1].banks.take_fills = true, "l1.banks.count is 0", "how many");
    REFUSED((spec.interconnect.topology = WM_BUTTERFLY, spec.interconnect.radix = 2),
            "interconnect.latency (0)", "at least 6");
    REFUSED((spec.levels[WM_LEVEL_L1].divergence.region = WM_REGION_STATIC,
             spec.levels[WM_LEVEL_L1].cache.replacement = &wm_replacement_fifo),
            "l1.replacement is not lru", "set l1.replacement to lru");
}

// Absent parts are no part of a machine, but of what describes one.
Test(memory_spec, absent_parts_are_checked_for_those_who_describe_them)
{
    struct wm_memory_spec spec = good();
    struct wm_error error;
    spec.levels[WM_LEVEL_L1].cache.present = false;
    spec.levels[WM_LEVEL_L1].cache.size_bytes = 100;
    struct wm_spec_check check = {.spec = &spec, .error = &error};
    cr_expect_eq(wm_memory_spec_check_as(&check), WM_OK);
    check.absent_too = true;
    cr_assert_eq(wm_memory_spec_check_as(&check), WM_INVALID);
    cr_assert_eq(check.field_count, 3);
    cr_expect_eq(check.fields[0].at, &spec.levels[WM_LEVEL_L1].cache.size_bytes);
    cr_expect_eq(check.fields[1].at, &spec.levels[WM_LEVEL_L1].cache.ways);
}
