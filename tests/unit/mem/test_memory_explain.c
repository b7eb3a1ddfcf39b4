// Explaining changes nothing but what is explained: random traffic through an explained memory
// system and a plain one of the same machine, and the sums that hold between their counters.
#include "base/numbers/random.h"
#include "mem/explain/explain.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MACHINES = 120, REQUESTS = 3000, SMS = 3, PCS = 8 };

static struct wm_cache_spec cache_spec(struct wm_random *random, uint32_t most_sets)
{
    static const uint32_t ways[] = {1, 2, 5, 16, 40};
    const struct write_choice *writes = &write_choices[wm_random_below(random, WRITE_CHOICES)];
    struct wm_cache_spec spec = {
        .present = wm_random_below(random, 6) != 0,
        .ways = ways[wm_random_below(random, 5)],
        .line_bytes = UINT32_C(32) << wm_random_below(random, 4),
        .write_policy = writes->policy,
        .write_allocate = writes->allocate,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
    spec.size_bytes =
        (uint64_t)spec.ways * spec.line_bytes * (1 + wm_random_below(random, most_sets));
    spec.sector_bytes = wm_random_below(random, 2) == 0 ? 32 : spec.line_bytes;
    return spec;
}

static struct wm_memory_spec memory_spec(struct wm_random *random)
{
    struct wm_memory_spec spec = {
        .sm_count = SMS,
        .levels[WM_LEVEL_L1].cache = cache_spec(random, 8),
        .levels[WM_LEVEL_L2].cache = cache_spec(random, 16),
        .levels[WM_LEVEL_L2].slices = 2,
        .dram = {.channels = 2, .channel_interleave_bytes = 256, .access_bytes = 32},
        .levels[WM_LEVEL_L1].flush_at_kernel = wm_random_below(random, 2) == 0,
    };
    // A line of a constant cache lies in one of L2's, and is no longer than L1's.
    uint32_t below = spec.levels[WM_LEVEL_L1].cache.line_bytes;
    if (spec.levels[WM_LEVEL_L2].cache.present && spec.levels[WM_LEVEL_L2].cache.line_bytes < below)
        below = spec.levels[WM_LEVEL_L2].cache.line_bytes;
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].units_each =
        1 + (uint32_t)wm_random_below(random, 2);
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache = cache_spec(random, 4);
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.write_policy = WM_WRITE_THROUGH_EVICT;
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.write_allocate = false;
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.line_bytes =
        spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.sector_bytes =
            below < 64 ? below : 64;
    spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.size_bytes =
        (uint64_t)spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.ways *
        spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.line_bytes * 2;
    spec.levels[WM_LEVEL_L2].cache.size_bytes *= spec.levels[WM_LEVEL_L2].slices;
    spec.levels[WM_LEVEL_L2].interleave_bytes = 2 * spec.levels[WM_LEVEL_L2].cache.line_bytes;
    return spec;
}

static struct wm_memory *new_memory(const struct wm_memory_spec *spec, bool explained)
{
    struct wm_memory *memory = small_memory_new(spec);
    struct wm_error error;
    if (explained)
        cr_assert_eq(wm_memory_explain(memory, &error), WM_OK, "%s", error.message);
    return memory;
}

static struct wm_request random_request(struct wm_random *random, const struct wm_memory_spec *spec)
{
    uint32_t line_sectors = spec->levels[WM_LEVEL_L1].cache.line_bytes / 32;
    uint32_t sectors = UINT32_C(1) << wm_random_below(random, line_sectors);
    if (wm_random_below(random, 2) == 0)
        sectors |= (uint32_t)wm_random_u64(random) & ((sectors << 1) - 1);
    return (struct wm_request){
        .address = (1 + wm_random_below(random, 400)) * spec->levels[WM_LEVEL_L1].cache.line_bytes,
        .sectors = sectors,
        .full_sectors = sectors & (uint32_t)wm_random_u64(random),
        .kind = (enum wm_access_kind)wm_random_below(random, 4),
        .hint = wm_random_below(random, 3) == 0
                    ? (enum wm_cache_hint)wm_random_below(random, WM_HINT_NO_L1 + 1)
                    : WM_HINT_DEFAULT,
        .sm = (uint32_t)wm_random_below(random, SMS),
        .warp = (uint32_t)wm_random_below(random, 4),
        .block = wm_random_below(random, 3),
        .pc = (uint32_t)wm_random_below(random, PCS),
    };
}

static void host_event(struct wm_random *random, struct wm_memory *plain,
                       struct wm_memory *explained)
{
    uint64_t address = wm_random_below(random, 400 * 128), size = wm_random_below(random, 9000);
    switch (wm_random_below(random, 3)) {
    case 0:
        wm_memory_host_write(plain, address, size);
        wm_memory_host_write(explained, address, size);
        break;
    case 1:
        wm_memory_host_read(plain, address, size);
        wm_memory_host_read(explained, address, size);
        break;
    default: wm_memory_kernel_begin(plain); wm_memory_kernel_begin(explained);
    }
}

static uint64_t classes_of(const struct wm_component_counters *c)
{
    return component_value(c, "cold") + component_value(c, "coherence") +
           component_value(c, "capacity") + component_value(c, "conflict") +
           component_value(c, "unallocated");
}

static uint64_t kinds_of(const struct wm_component_counters *c)
{
    return component_value(c, "accesses_cold") + component_value(c, "accesses_same_warp") +
           component_value(c, "accesses_other_warp") + component_value(c, "accesses_refused") +
           component_value(c, "accesses_dropped") + component_value(c, "accesses_unallocated");
}

static const struct wm_component_counters *named(const struct wm_memory *memory, const char *path)
{
    size_t count;
    const struct wm_component_counters *list = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].path, path) == 0)
            return &list[i];
    cr_assert(false, "no component %s", path);
    return NULL;
}

static void check_components(const struct wm_memory *plain, const struct wm_memory *explained)
{
    size_t count;
    const struct wm_component_counters *list = wm_memory_components(plain, &count);
    for (size_t i = 0; i < count; i++) {
        const struct wm_component_counters *same = named(explained, list[i].path);
        for (size_t c = 0; c < list[i].set->count; c++)
            cr_assert_eq(list[i].values[c], same->values[c], "%s %s", list[i].path,
                         list[i].set->declarations[c].name);
        if (strcmp(list[i].set->kind, "dram") == 0)
            continue;
        char path[64];
        snprintf(path, sizeof path, "%s.misses", list[i].path);
        const struct wm_component_counters *misses = named(explained, path);
        cr_assert_eq(classes_of(misses), component_value(&list[i], "misses"), "%s", path);
        cr_assert_eq(kinds_of(misses), component_value(&list[i], "accesses_missed"), "%s", path);
        cr_assert_leq(component_value(misses, "evicted_same_warp") +
                          component_value(misses, "evicted_same_block") +
                          component_value(misses, "evicted_other_block"),
                      component_value(misses, "capacity") + component_value(misses, "conflict"));
        // With one set and this replacement the cache is the fully associative one.
        const struct wm_cache *cache =
            strstr(path, ".l1") != NULL ? explained->levels[WM_LEVEL_L1].caches
            : strstr(path, ".constant") != NULL
                ? explained->levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].caches
                : explained->levels[WM_LEVEL_L2].caches;
        if (cache->sets == 1)
            cr_assert_eq(component_value(misses, "conflict"), 0, "%s", path);
    }
}

static uint64_t sum(const struct wm_memory *memory, const char *kind, const char *name)
{
    size_t count;
    uint64_t total = 0;
    const struct wm_component_counters *list = wm_memory_components(memory, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].set->kind, kind) == 0)
            total += component_value(&list[i], name);
    return total;
}

// What was fetched is what came from below, and instructions are charged all of it.
static void check_bytes(const struct wm_memory *memory,
                        const struct wm_instruction_misses *counters_by_pc, uint64_t atomic_bytes)
{
    uint64_t charged[3] = {0}, unused[3] = {0};
    static const char *const kinds[] = {"l1", "constant", "l2"};
    for (int pc = 0; pc <= PCS; pc++) { // the last: what the host's copies had written back
        const struct wm_instruction_misses *it =
            pc < PCS ? &counters_by_pc[pc] : &memory->shadows->unattributed;
        charged[0] += it->levels[WM_LEVEL_L1].fetched_bytes,
            unused[0] += it->levels[WM_LEVEL_L1].unused_bytes;
        charged[1] += it->levels[WM_LEVEL_SIDE].fetched_bytes,
            unused[1] += it->levels[WM_LEVEL_SIDE].unused_bytes;
        charged[2] += it->levels[WM_LEVEL_L2].fetched_bytes,
            unused[2] += it->levels[WM_LEVEL_L2].unused_bytes;
    }
    for (int i = 0; i < 3; i++) {
        char explained[32];
        snprintf(explained, sizeof explained, "%s_explained", kinds[i]);
        uint64_t fetched = sum(memory, explained, "fetched_bytes");
        cr_assert_eq(fetched + (i == 0 ? atomic_bytes : 0),
                     sum(memory, kinds[i], "bytes_from_below"), "%s", kinds[i]);
        cr_assert_eq(charged[i], fetched, "%s", kinds[i]);
        cr_assert_eq(unused[i], sum(memory, explained, "unused_bytes"), "%s", kinds[i]);
        cr_assert_leq(sum(memory, explained, "unused_sector_bytes"), unused[i]);
        cr_assert_leq(unused[i], fetched);
    }
}

static void check_sharing(const struct wm_memory *memory,
                          const struct wm_instruction_misses *counters_by_pc, uint64_t loads)
{
    const uint64_t *counters = named(memory, "gpu0.sharing")->values;
    uint64_t degrees = 0, classes = 0, reads = 0;
    for (int i = 0; i < WM_SHARING_DEGREES; i++)
        degrees += counters[i];
    for (int i = WM_SHARING_DEGREES; i < WM_SHARING_DEGREES + 4; i++)
        classes += counters[i];
    cr_assert_eq(degrees, classes);
    cr_assert_eq(counters[0], counters[WM_SHARING_DEGREES], "one SM");
    for (int pc = 0; pc < PCS; pc++)
        reads += counters_by_pc[pc].reads_private + counters_by_pc[pc].reads_boundary +
                 counters_by_pc[pc].reads_broadcast + counters_by_pc[pc].reads_dynamic;
    cr_assert_eq(reads, loads);
}

static void load_constant(struct wm_random *random, struct wm_memory *plain,
                          struct wm_memory *explained,
                          struct wm_instruction_misses *instruction_counters,
                          struct wm_instruction_counters *counters)
{
    uint32_t line_bytes =
        plain->spec.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.line_bytes;
    struct wm_request request = {
        .kind = WM_ACCESS_LOAD,
        .address = (1 + wm_random_below(random, 60)) * line_bytes,
        .sectors = UINT32_C(1) << wm_random_below(random, line_bytes / 32),
        .sm = (uint32_t)wm_random_below(random, SMS),
        .block = wm_random_below(random, 3),
    };
    wm_memory_side_load(plain, WM_SIDE_CACHE_CONSTANT, &request);
    uint32_t bytes[32];
    for (int s = 0; s < 32; s++)
        bytes[s] = UINT32_C(15) << wm_random_below(random, 29);
    request.bytes = bytes;
    request.explained = instruction_counters;
    request.instruction_counters = counters;
    wm_memory_side_load(explained, WM_SIDE_CACHE_CONSTANT, &request);
}

Test(memory_explain, random_traffic_counts_the_same_and_adds_up)
{
    struct wm_random random;
    wm_random_init(&random, 1, "explain");
    for (int machine = 0; machine < MACHINES; machine++) {
        struct wm_memory_spec spec = memory_spec(&random);
        struct wm_memory *plain = new_memory(&spec, false), *explained = new_memory(&spec, true);
        struct wm_instruction_misses counters_by_pc[PCS] = {0};
        struct wm_instruction_counters counters[PCS] = {0};
        uint64_t atomic_bytes = 0, loads = 0;
        for (int i = 0; i < REQUESTS; i++) {
            if (i % 4 == 0)
                load_constant(&random, plain, explained, &counters_by_pc[i % PCS],
                              &counters[i % PCS]);
            uint32_t bytes[32];
            for (int s = 0; s < 32; s++)
                bytes[s] = (uint32_t)wm_random_u64(&random) | 1;
            struct wm_request request = random_request(&random, &spec);
            wm_memory_access(plain, &request);
            request.explained = &counters_by_pc[request.pc];
            request.instruction_counters = &counters[request.pc];
            request.bytes = i % 3 == 0 ? NULL : bytes;
            wm_memory_access(explained, &request);
            loads += request.kind == WM_ACCESS_LOAD;
            if (request.kind == WM_ACCESS_ATOMIC && spec.levels[WM_LEVEL_L1].cache.present)
                atomic_bytes += 32 * (uint64_t)__builtin_popcount(request.sectors);
            if (wm_random_below(&random, 100) == 0)
                host_event(&random, plain, explained);
        }
        wm_memory_kernel_end(explained);
        check_components(plain, explained);
        wm_memory_write_back_all(explained);
        check_bytes(explained, counters_by_pc, atomic_bytes);
        check_sharing(explained, counters_by_pc, loads);
        for (int pc = 0; pc < PCS; pc++) {
            const struct wm_instruction_misses *it = &counters_by_pc[pc];
            cr_assert_eq(it->levels[WM_LEVEL_L1].cold + it->levels[WM_LEVEL_L1].coherence +
                             it->levels[WM_LEVEL_L1].capacity + it->levels[WM_LEVEL_L1].conflict +
                             it->levels[WM_LEVEL_L1].unallocated,
                         counters[pc].levels[WM_LEVEL_L1].misses);
            cr_assert_eq(it->levels[WM_LEVEL_L2].cold + it->levels[WM_LEVEL_L2].coherence +
                             it->levels[WM_LEVEL_L2].capacity + it->levels[WM_LEVEL_L2].conflict +
                             it->levels[WM_LEVEL_L2].unallocated,
                         counters[pc].levels[WM_LEVEL_L2].misses);
        }
        cr_assert_not(wm_memory_explain_failed(explained));
        wm_memory_free(plain);
        wm_memory_free(explained);
    }
}

Test(memory_explain, a_stream_is_explained_too)
{
    struct wm_memory_spec spec = {
        .sm_count = 1,
        .levels[WM_LEVEL_L1].cache = small_cache(1, 32, 128, 128),
        .levels[WM_LEVEL_L2].slices = 1,
        .dram = {.channels = 1, .channel_interleave_bytes = 256, .access_bytes = 32},
    };
    struct wm_memory *memory = new_memory(&spec, true);
    for (int round = 0; round < 3; round++)
        for (uint64_t line = 0; line < 33; line++)
            wm_memory_access_references(memory, &(struct wm_request){0},
                                        &(uint64_t){4096 + 128 * line}, 1);
    const struct wm_component_counters *misses = named(memory, "gpu0.sm[0].l1.misses");
    cr_expect_eq(component_value(misses, "cold"), 33);
    cr_expect_eq(component_value(misses, "capacity"), 2 * 33);
    wm_memory_free(memory);
}
