// Reference streams: the first million references of each stream of tests/oracle, on each geometry
// that independent simulators have counted, against the obvious model; and streams on any machine
// against the same accesses made one by one. The full hundred million are the benchmark's.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "mem/replacement/replacement.h"
#include "obvious_memory.h"
#include "oracle_machine.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>

// Each geometry's main row gets the million; its variants (reads only, other order) a tenth of it.
#ifdef __SANITIZE_ADDRESS__
enum { PREFIX = 300000 }; // each reference takes ten times as long; as many fill every cache here
#else
enum { PREFIX = 1000000 };
#endif

static struct wm_memory *new_memory(const struct wm_memory_spec *spec,
                                    const struct wm_memory_paths *paths)
{
    struct wm_memory *memory = small_memory_new(spec);
    if (!wm_memory_needs_full(spec))
        memory->paths = paths;
    return memory;
}

static struct wm_request request_of(uint64_t reference, uint32_t line_bytes)
{
    uint64_t address = reference & ~WM_REFERENCE_STORE;
    return (struct wm_request){
        .address = address / line_bytes * line_bytes,
        .sectors = UINT32_C(1) << (address % line_bytes / 32),
        .kind = (reference & WM_REFERENCE_STORE) != 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
    };
}

static void compare_prefix(const struct wm_cache_count_row *row, const uint64_t *references,
                           size_t prefix)
{
    struct wm_memory_spec spec = wm_oracle_spec(row);
    struct obvious_memory *model = obvious_memory_new(&spec);
    for (size_t i = 0; i < prefix; i++) {
        struct wm_request request = request_of(references[i], 128);
        obvious_serve(model, &request);
    }
    size_t path_count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&path_count);
    for (size_t i = 0; i < path_count; i++) {
        struct wm_memory *memory = new_memory(&spec, paths[i]);
        wm_memory_access_references(memory, &(struct wm_request){0}, references, prefix / 3);
        wm_memory_access_references(memory, &(struct wm_request){0}, references + prefix / 3,
                                    prefix - prefix / 3);
        cr_assert(obvious_equal(model, memory), "L2 %u x %u on %s", row->l2_sets, row->l2_ways,
                  paths[i]->name);
        wm_memory_free(memory);
    }
    obvious_memory_free(model);
}

static void compare_stream(enum wm_reference_stream_kind kind)
{
    uint64_t *references = malloc(PREFIX * sizeof *references);
    for (size_t i = 0; i < sizeof wm_cache_count_rows / sizeof wm_cache_count_rows[0]; i++) {
        const struct wm_cache_count_row *row = &wm_cache_count_rows[i];
        if (row->stream != kind)
            continue;
        struct wm_reference_stream stream;
        wm_reference_stream_init(&stream, kind);
        wm_reference_stream_fill(&stream, references, PREFIX);
        for (size_t j = 0; !row->writes && j < PREFIX; j++)
            references[j] &= ~WM_REFERENCE_STORE;
        bool main_row = row->writes && row->demand_first;
        compare_prefix(row, references, main_row ? PREFIX : PREFIX / 10);
    }
    free(references);
}

Test(memory_stream, mix128_counts_as_the_model)
{
    compare_stream(WM_STREAM_MIX128);
}

Test(memory_stream, mix4_counts_as_the_model)
{
    compare_stream(WM_STREAM_MIX4);
}

Test(memory_stream, hot_counts_as_the_model)
{
    compare_stream(WM_STREAM_HOT);
}

// The rule of the streams itself: stores among the first hundred million are in the table; among
// the first million about three in ten, and the first references are these.
Test(memory_stream, the_streams_begin_as_the_rule_says)
{
    struct wm_reference_stream stream;
    uint64_t references[1000], stores = 0;
    wm_reference_stream_init(&stream, WM_STREAM_MIX128);
    wm_reference_stream_fill(&stream, references, 1000);
    uint64_t sequential = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t address = references[i] & ~WM_REFERENCE_STORE;
        stores += references[i] >> 63;
        cr_assert_eq(address % 4, 0);
        cr_assert((address >= 0x10000000 && address < 0x14000000) ||
                  (address >= 0x40000000 && address < 0x100000000));
        if (address >= 0x80000000)
            cr_assert_eq(address, 0x80000000 + 128 * sequential++);
    }
    cr_assert(stores > 250 && stores < 350);
    cr_assert(sequential > 450 && sequential < 550);
}

// Any machine: the batch form where it applies, the general one where not, and changes between
// them.
static struct wm_memory_spec random_spec(struct wm_random *random)
{
    static const uint32_t ways[] = {1, 2, 7, 8, 12, 16, 24, 48};
    const struct wm_cache_count_row l2 = {.l2_sets = 1 + (uint32_t)wm_random_below(random, 20),
                                          .l2_ways = ways[wm_random_below(random, 8)],
                                          .demand_first = wm_random_below(random, 2) != 0};
    struct wm_memory_spec spec = wm_oracle_spec(&l2);
    spec.sm_count = 2;
    spec.levels[WM_LEVEL_L1].units_each =
        (uint32_t)wm_random_below(random, 3); // 2: both streams share one L1
    spec.levels[WM_LEVEL_L1].cache.ways = ways[wm_random_below(random, 8)];
    spec.levels[WM_LEVEL_L1].cache.size_bytes =
        (1 + wm_random_below(random, 9)) * spec.levels[WM_LEVEL_L1].cache.ways * 128;
    if (wm_random_below(random, 4) == 0)
        spec.levels[WM_LEVEL_L1].cache.sector_bytes = 32;
    if (wm_random_below(random, 4) == 0)
        spec.levels[WM_LEVEL_L2].cache.sector_bytes = 32;
    if (wm_random_below(random, 4) == 0)
        spec.levels[WM_LEVEL_L1].cache.write_policy = WM_WRITE_THROUGH_UPDATE;
    if (wm_random_below(random, 4) == 0)
        spec.levels[WM_LEVEL_L2].cache.write_allocate = false;
    if (wm_random_below(random, 4) == 0) {
        spec.levels[WM_LEVEL_L2].slices = spec.dram.channels = 3;
        spec.levels[WM_LEVEL_L2].cache.size_bytes *= 3;
    }
    if (wm_random_below(random, 8) == 0)
        spec.levels[WM_LEVEL_L1].cache.present = false;
    if (wm_random_below(random, 8) == 0)
        spec.levels[WM_LEVEL_L2].cache.present = false;
    if (wm_random_below(random, 8) == 0)
        spec.levels[WM_LEVEL_L2].cache.line_bytes = spec.levels[WM_LEVEL_L2].cache.sector_bytes =
            64;
    return spec;
}

// `machine` numbers the failure message.
static void compare_with_singles(const struct wm_memory_spec *spec, struct wm_random *random,
                                 uint32_t machine)
{
    size_t path_count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&path_count);
    struct wm_memory *streamed = new_memory(spec, paths[machine % path_count]);
    struct wm_memory *single = new_memory(spec, paths[0]);
    for (int burst = 0; burst < 12; burst++) {
        uint64_t references[1500];
        size_t count = wm_random_below(random, 1500);
        uint32_t sm = (uint32_t)wm_random_below(random, 2);
        for (size_t i = 0; i < count; i++)
            references[i] = wm_random_below(random, burst < 6 ? 20000 : 60000) * 4 |
                            (wm_random_below(random, 3) == 0 ? WM_REFERENCE_STORE : 0);
        bool one_by_one = burst % 4 == 3; // the two forms take turns on one machine
        if (!one_by_one)
            wm_memory_access_references(streamed, &(struct wm_request){.sm = sm}, references,
                                        count);
        for (size_t i = 0; i < count; i++) {
            struct wm_request request = request_of(references[i], 128);
            request.sm = sm;
            if (one_by_one) // a stream has no instructions, but finds lines that came by some
                request.pc = (uint32_t)(references[i] / 4 % 3);
            wm_memory_access(single, &request);
            if (one_by_one)
                wm_memory_access(streamed, &request);
        }
        if (burst == 8) { // ways empty again, somewhere
            wm_memory_host_write(streamed, 30000, 5000);
            wm_memory_host_write(single, 30000, 5000);
        }
    }
    wm_memory_host_read(streamed, 0, 100000);
    wm_memory_host_read(single, 0, 100000);
    size_t components;
    const struct wm_component_counters *a = wm_memory_components(streamed, &components);
    const struct wm_component_counters *b = wm_memory_components(single, &components);
    for (size_t i = 0; i < components; i++)
        for (size_t j = 0; j < a[i].set->count; j++)
            cr_assert_eq(a[i].values[j], b[i].values[j],
                         "machine %u, '%s' over '%s', %s %s: %lu and %lu", machine,
                         spec->levels[WM_LEVEL_L1].cache.replacement->name,
                         spec->levels[WM_LEVEL_L2].cache.replacement->name, a[i].path,
                         a[i].set->declarations[j].name, a[i].values[j], b[i].values[j]);
    wm_memory_free(streamed);
    wm_memory_free(single);
}

Test(memory_stream, a_stream_is_its_accesses_one_by_one)
{
    struct wm_random random;
    wm_random_init(&random, 6, "streams");
    for (uint32_t machine = 0; machine < TEST_ROUNDS(240); machine++) {
        struct wm_memory_spec spec = random_spec(&random);
        compare_with_singles(&spec, &random, machine);
    }
}

// Every entry in L1 and another in L2, from 1 to 32 ways, over numbers of sets that are powers of
// two and others; every fourth machine has one parameter other than the papers'.
Test(memory_stream, a_stream_is_its_accesses_under_every_entry)
{
    struct wm_random random;
    wm_random_init(&random, 7, "entries");
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    for (uint32_t machine = 0; machine < TEST_ROUNDS(8 * count); machine++) {
        uint32_t l1_ways = 1 + (uint32_t)wm_random_below(&random, 32);
        const struct wm_cache_count_row l2 = {.l2_ways = 1 + (uint32_t)wm_random_below(&random, 32),
                                              .l2_sets = 1 + (uint32_t)wm_random_below(&random, 40),
                                              .demand_first = machine % 2 == 0};
        struct wm_memory_spec spec = wm_oracle_spec(&l2);
        spec.sm_count = 2;
        spec.levels[WM_LEVEL_L1].cache.ways = l1_ways;
        spec.levels[WM_LEVEL_L1].cache.size_bytes =
            (1 + wm_random_below(&random, 12)) * l1_ways * 128;
        spec.levels[WM_LEVEL_L1].cache.replacement = table[machine % count];
        spec.levels[WM_LEVEL_L2].cache.replacement = table[wm_random_below(&random, count)];
        for (int level = 0; level < 2 && machine % 4 == 0; level++) {
            struct wm_cache_spec *cache =
                level == 0 ? &spec.levels[WM_LEVEL_L1].cache : &spec.levels[WM_LEVEL_L2].cache;
            if (cache->replacement->parameter_count == 0)
                continue;
            size_t at = wm_random_below(&random, cache->replacement->parameter_count);
            const struct wm_parameter *parameter = &cache->replacement->parameters[at];
            uint64_t range = parameter->maximum - parameter->minimum + 1;
            cache->replacement_values.given = 1u << at;
            cache->replacement_values.values[at] =
                parameter->minimum + wm_random_below(&random, range < 3000 ? range : 3000);
        }
        compare_with_singles(&spec, &random, machine);
    }
}
