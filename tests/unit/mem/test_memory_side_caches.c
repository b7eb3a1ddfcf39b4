// The side caches (docs/memory-system.md, R10): what each does by hand, and that at random no byte
// is lost between them and L2, whatever their number and shape.
#include "base/numbers/random.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_memory_spec spec_of(uint32_t sm_count)
{
    struct wm_memory_spec spec =
        small_memory(sm_count, small_cache(8, 4, 128, 32), small_cache(64, 4, 128, 32), 2);
    spec.levels[WM_LEVEL_L1].flush_at_kernel = true;
    return spec;
}

static void add(struct wm_memory_spec *spec, enum wm_side_cache_kind kind, uint64_t size_bytes,
                uint32_t ways, uint32_t line_bytes, uint32_t sms_each)
{
    struct wm_cache_spec cache = small_cache(1, ways, line_bytes, line_bytes);
    cache.size_bytes = size_bytes;
    spec->levels[WM_LEVEL_SIDE + kind] =
        (struct wm_level_spec){.cache = cache, .units_each = sms_each};
}

static struct wm_access_result load(struct wm_memory *memory, enum wm_side_cache_kind kind,
                                    uint32_t sm, uint64_t address, uint32_t sectors,
                                    struct wm_instruction_counters *instruction_counters)
{
    struct wm_request r = {.address = address,
                           .sectors = sectors,
                           .sm = sm,
                           .instruction_counters = instruction_counters};
    return wm_memory_side_load(memory, kind, &r);
}

static void plain_load(struct wm_memory *memory, uint32_t sm, uint64_t address, uint32_t sectors)
{
    struct wm_request r = {.address = address, .sectors = sectors, .sm = sm};
    wm_memory_access(memory, &r);
}

Test(side_caches, stands_beside_l1_and_before_l2)
{
    struct wm_memory_spec spec = spec_of(2);
    add(&spec, WM_SIDE_CACHE_CONSTANT, 512, 2, 64, 1);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_instruction_counters instruction_counters = {0};
    const struct wm_cache_counters *constant =
        &memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].caches[1].counters;
    struct wm_access_result missed = load(memory, WM_SIDE_CACHE_CONSTANT, 1, 0x1040, 1,
                                          &instruction_counters); // the upper half of an L2 line
    struct wm_access_result found = load(memory, WM_SIDE_CACHE_CONSTANT, 1, 0x1040, 2,
                                         &instruction_counters); // fetched with it
    cr_expect_eq(missed.source, WM_SOURCE_BELOW_L1);
    cr_expect_eq(found.source, WM_SOURCE_SIDE_CACHE);
    cr_expect_eq(constant->load_misses, 1);
    cr_expect_eq(constant->load_hits, 1);
    cr_expect_eq(constant->bytes_from_below, 64);
    const struct wm_level_counters *row =
        &instruction_counters.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT];
    cr_expect_eq(row->misses, 1);
    cr_expect_eq(row->hits, 1);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L1].hits +
                     instruction_counters.levels[WM_LEVEL_L1].misses,
                 0);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].bytes, 64);
    cr_expect_eq(instruction_counters.memory_bytes, 64);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].misses, 2);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[1].counters.accesses, 0);
    // The other SM has its own, and L2 holds those sectors and no others.
    load(memory, WM_SIDE_CACHE_CONSTANT, 0, 0x1040, 3, &instruction_counters);
    cr_expect_eq(instruction_counters.levels[WM_LEVEL_L2].hits, 2);
    plain_load(memory, 0, 0x1000, 0xf);
    cr_expect_eq(memory->levels[WM_LEVEL_L2].caches[0].counters.load_hits +
                     memory->levels[WM_LEVEL_L2].caches[1].counters.load_hits,
                 4);
    // Four sets of two ways: a third line of a set displaces the first.
    load(memory, WM_SIDE_CACHE_CONSTANT, 1, 0x1140, 1, NULL);
    load(memory, WM_SIDE_CACHE_CONSTANT, 1, 0x1240, 1, NULL);
    cr_expect_eq(constant->evictions, 1);
    wm_memory_kernel_begin(memory);
    cr_expect_eq(constant->invalidations, 2);
    wm_memory_free(memory);
}

// Seven SMs in groups of three: SM 2 finds what SM 0 brought, SM 3 does not, and SM 6 has one
// alone.
Test(side_caches, a_group_of_sms_shares_one)
{
    struct wm_memory_spec spec = spec_of(7);
    add(&spec, WM_SIDE_CACHE_SCALAR, 1024, 4, 64, 3);
    add(&spec, WM_SIDE_CACHE_TEXTURE, 1024, 4, 32, 1);
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_cache_level *scalar = &memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR];
    cr_assert_eq(scalar->count, 3);
    static const uint32_t sms[] = {0, 2, 3, 6}, misses[] = {1, 1, 2, 3};
    for (uint32_t i = 0; i < 4; i++) {
        load(memory, WM_SIDE_CACHE_SCALAR, sms[i], 0x2000, 1, NULL);
        uint64_t sum = 0;
        for (uint32_t group = 0; group < 3; group++)
            sum += scalar->caches[group].counters.misses;
        cr_expect_eq(sum, misses[i], "SM %u", sms[i]);
    }
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    cr_assert_eq(count, 7 + 7 + 3 + 2 + 2);
    cr_expect_str_eq(components[7 + 6].path, "gpu0.sm[6].texture");
    cr_expect_str_eq(components[7 + 6].set->kind, "texture");
    cr_expect_str_eq(components[14 + 1].path, "gpu0.sm[3].scalar");
    cr_expect_str_eq(components[14 + 2].path, "gpu0.sm[6].scalar");
    wm_memory_free(memory);
}

// L1 and the caches of other kinds neither see the load nor serve a later one.
Test(side_caches, kinds_do_not_share)
{
    struct wm_memory_spec spec = spec_of(1);
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        add(&spec, kind, 1024, 4, 128, 1);
    struct wm_memory *memory = small_memory_new(&spec);
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        load(memory, kind, 0, 0x3000, 0xf, NULL);
        cr_expect_eq(memory->levels[WM_LEVEL_SIDE + kind].caches[0].counters.misses, 4);
    }
    plain_load(memory, 0, 0x3000, 0xf);
    cr_expect_eq(memory->levels[WM_LEVEL_L1].caches[0].counters.misses, 4);
    wm_memory_free(memory);
}

// What the host overwrites is dropped, line by line and, in a long range, by going through the tags
// of a cache that is larger than L1 and a slice of L2; what it did not overwrite stays.
Test(side_caches, host_writes_drop_copies)
{
    struct wm_memory_spec spec = spec_of(1);
    add(&spec, WM_SIDE_CACHE_TEXTURE, 65536, 512, 64, 1);
    struct wm_memory *memory = small_memory_new(&spec);
    const struct wm_cache_counters *texture =
        &memory->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE].caches[0].counters;
    for (uint64_t i = 0; i < 1024; i++)
        load(memory, WM_SIDE_CACHE_TEXTURE, 0, 0x10000 + 64 * i, 3, NULL);
    wm_memory_host_write(memory, 0x10000, 64);
    cr_expect_eq(texture->invalidations, 1);
    load(memory, WM_SIDE_CACHE_TEXTURE, 0, 0x10040, 3, NULL);
    cr_expect_eq(texture->hits, 2);
    wm_memory_host_write(memory, 0x10000, 1 << 20);
    cr_expect_eq(texture->invalidations, 1024);
    wm_memory_free(memory);
}

Test(side_caches, absent_counts_nothing_and_impossible_is_refused)
{
    struct wm_memory_spec spec = spec_of(2);
    struct wm_memory *memory = small_memory_new(&spec);
    struct wm_instruction_counters instruction_counters = {0};
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        load(memory, kind, 1, 0x1040, 1, &instruction_counters);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        cr_expect_eq(instruction_counters.levels[i].misses, 0);
    wm_memory_free(memory);
    struct wm_error error;
    add(&spec, WM_SIDE_CACHE_SCALAR, 4096, 4, 256, 1);
    cr_expect_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_INVALID);
    cr_expect_not_null(strstr(error.message, "scalar.line_bytes (256B) is larger"), "%s",
                       error.message);
    add(&spec, WM_SIDE_CACHE_SCALAR, 4096, 4, 64, 0);
    cr_expect_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_INVALID);
    cr_expect_not_null(strstr(error.message, "scalar.units_each (0)"), "%s", error.message);
    add(&spec, WM_SIDE_CACHE_SCALAR, 4000, 4, 64, 1);
    cr_expect_eq(wm_memory_new(&spec, "gpu0", &memory, &error), WM_INVALID);
    cr_expect_not_null(strstr(error.message, "scalar.size_bytes"), "%s", error.message);
}

// --- At random: against a list of lines in order of use, one for each cache ---

struct obvious {
    uint64_t lines[64]; // most recent first
    uint32_t count;
};

// Fully associative LRU of `capacity` lines; whether the line was there.
static bool obvious_load(struct obvious *cache, uint32_t capacity, uint64_t line)
{
    uint32_t at = 0;
    while (at < cache->count && cache->lines[at] != line)
        at++;
    bool hit = at < cache->count;
    if (!hit && cache->count < capacity)
        cache->count++;
    if (!hit)
        at = cache->count - 1;
    memmove(cache->lines + 1, cache->lines, at * sizeof *cache->lines);
    cache->lines[0] = line;
    return hit;
}

static void random_machine(struct wm_random *random, const struct wm_memory_paths *paths)
{
    static const uint32_t lines[] = {32, 64, 128};
    struct obvious obvious[WM_SIDE_CACHE_KINDS][8] = {{{{0}, 0}}};
    uint64_t misses[WM_SIDE_CACHE_KINDS][8] = {{0}}, asked[WM_SIDE_CACHE_KINDS][8] = {{0}};
    uint32_t sms = 1 + (uint32_t)wm_random_below(random, 8), capacity[WM_SIDE_CACHE_KINDS];
    struct wm_memory_spec spec = spec_of(sms);
    spec.levels[WM_LEVEL_L2].cache.present = wm_random_below(random, 4) != 0;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) {
        uint32_t line = lines[wm_random_below(random, 3)];
        capacity[kind] = 1 + (uint32_t)wm_random_below(random, 64);
        add(&spec, kind, (uint64_t)capacity[kind] * line, capacity[kind], line,
            1 + (uint32_t)wm_random_below(random, 4));
    }
    struct wm_memory *memory = small_memory_new(&spec);
    memory->paths = paths;
    struct wm_instruction_counters instruction_counters = {0};
    for (int i = 0; i < 4000; i++) {
        enum wm_side_cache_kind kind =
            (enum wm_side_cache_kind)wm_random_below(random, WM_SIDE_CACHE_KINDS);
        const struct wm_level_spec *it = &spec.levels[WM_LEVEL_SIDE + kind];
        uint32_t sm = (uint32_t)wm_random_below(random, sms), group = sm / it->units_each;
        uint32_t all = (UINT32_C(1) << it->cache.line_bytes / 32) - 1;
        uint32_t sectors = 1 + (uint32_t)wm_random_below(random, all);
        uint64_t line = wm_random_below(random, 100);
        load(memory, kind, sm, 0x8000 + line * it->cache.line_bytes, sectors,
             &instruction_counters);
        bool hit = obvious_load(&obvious[kind][group], capacity[kind], line);
        asked[kind][group] += (uint64_t)__builtin_popcount(sectors);
        misses[kind][group] += hit ? 0 : (uint64_t)__builtin_popcount(sectors);
        if (wm_random_below(random, 1000) == 0) {
            wm_memory_kernel_begin(memory);
            memset(obvious, 0, sizeof obvious);
        }
    }
    uint64_t brought = 0, to_above = 0, from_dram = 0;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        for (uint32_t group = 0; group < memory->levels[WM_LEVEL_SIDE + kind].count; group++) {
            const struct wm_cache_counters *c =
                &memory->levels[WM_LEVEL_SIDE + kind].caches[group].counters;
            cr_assert_eq(c->misses, misses[kind][group], "%s",
                         wm_side_cache_counter_sets[kind].kind);
            cr_assert_eq(c->hits + c->misses, asked[kind][group]);
            cr_assert_eq(c->bytes_to_above, 32 * asked[kind][group]);
            cr_assert_eq(c->bytes_from_below,
                         c->accesses_missed * spec.levels[WM_LEVEL_SIDE + kind].cache.line_bytes);
            cr_assert_eq(c->bytes_from_above + c->bytes_to_below, 0);
            brought += c->bytes_from_below;
        }
    for (uint32_t slice = 0;
         memory->levels[WM_LEVEL_L2].caches != NULL && slice < spec.levels[WM_LEVEL_L2].slices;
         slice++)
        to_above += memory->levels[WM_LEVEL_L2].caches[slice].counters.bytes_to_above;
    for (uint32_t channel = 0; channel < spec.dram.channels; channel++)
        from_dram += memory->dram[channel].bytes_read;
    cr_assert_eq(brought, memory->levels[WM_LEVEL_L2].caches != NULL ? to_above : from_dram);
    cr_assert_eq(instruction_counters.levels[WM_LEVEL_L2].bytes, brought);
    cr_assert_eq(instruction_counters.memory_bytes, from_dram);
    wm_memory_free(memory);
}

Test(side_caches, no_byte_is_lost_on_random_machines)
{
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    for (size_t i = 0; i <= count; i++) {
        struct wm_random random;
        wm_random_init(&random, 7, "side caches");
        for (int machine = 0; machine < 60; machine++)
            random_machine(&random, i < count ? paths[i] : &wm_memory_paths_full);
    }
}
