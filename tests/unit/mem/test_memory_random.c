// Random traffic through machines of every pair of choices, against the obvious model, on every
// access path that this processor runs; and the invariants that hold whatever the choices.
#include "base/random.h"
#include "memory_model.h"

#include <criterion/criterion.h>
#include <string.h>

enum dimension {
    L1_PRESENT,
    L1_WRITE,
    L1_WAYS,
    L1_LINE,
    L1_SECTORED,
    L1_INDEX,
    L2_PRESENT,
    L2_WRITE,
    L2_WAYS,
    L2_LINE,
    L2_SECTORED,
    SLICES,
    INTERLEAVE,
    DRAM_ACCESS,
    ORDER,
    HINTS,
    SMS_EACH,
    DIMENSIONS
};

static const uint32_t values_of[DIMENSIONS] = {
    [L1_PRESENT] = 2,  [L1_WRITE] = 5,   [L1_WAYS] = 7,    [L1_LINE] = 4,     [L1_SECTORED] = 3,
    [L1_INDEX] = 2,    [L2_PRESENT] = 2, [L2_WRITE] = 5,   [L2_WAYS] = 5,     [L2_LINE] = 4,
    [L2_SECTORED] = 2, [SLICES] = 4,     [INTERLEAVE] = 3, [DRAM_ACCESS] = 2, [ORDER] = 2,
    [HINTS] = 2,       [SMS_EACH] = 4,
};

enum { MOST_VALUES = 7, MACHINES = 700, REQUESTS = 1500, SMS = 3 };

static const struct {
    enum wm_write_policy policy;
    bool allocate;
} writes[] = {{WM_WRITE_BACK, true},
              {WM_WRITE_BACK, false},
              {WM_WRITE_THROUGH_UPDATE, true},
              {WM_WRITE_THROUGH_UPDATE, false},
              {WM_WRITE_THROUGH_EVICT, false}};

static struct wm_cache_spec cache_spec(uint32_t write, uint32_t ways, uint32_t line_bytes,
                                       uint32_t sector_bytes, uint32_t sets)
{
    return (struct wm_cache_spec){
        .present = true,
        .size_bytes = (uint64_t)sets * ways * line_bytes,
        .ways = ways,
        .line_bytes = line_bytes,
        .sector_bytes = sector_bytes < line_bytes ? sector_bytes : line_bytes,
        .write_policy = writes[write].policy,
        .write_allocate = writes[write].allocate,
        .replacement = &wm_replacement_lru,
        .set_index = &wm_set_index_modulo,
    };
}

static struct wm_memory_spec spec_of(const uint32_t *v)
{
    static const uint32_t l1_ways[] = {1, 3, 4, 8, 16, 24, 64}, l2_ways[] = {1, 8, 16, 24, 40};
    static const uint32_t lines[] = {32, 64, 128, 1024}, sectors[] = {32, 64, 1024};
    static const uint32_t slices[] = {1, 4, 12, 6}, channels[] = {1, 2, 6, 3};
    static const uint32_t l2_sets[] = {8, 3, 4, 5};
    uint32_t l2_line = lines[v[L2_LINE]];
    struct wm_memory_spec spec = {
        .sm_count = SMS,
        .l1 = cache_spec(v[L1_WRITE], l1_ways[v[L1_WAYS]], lines[v[L1_LINE]],
                         sectors[v[L1_SECTORED]], v[L1_INDEX] == 1 ? 32 : 4),
        .l2_slices = slices[v[SLICES]],
        .dram = {.channels = channels[v[SLICES]],
                 .channel_interleave_bytes = UINT64_C(64) << (3 * v[INTERLEAVE]),
                 .access_bytes = v[DRAM_ACCESS] == 0 ? 32 : 64},
        .l1_sms_each = v[SMS_EACH], // SMS of 3: an L1 each, two for all, one for all
        .l1_flush_at_kernel = v[ORDER] == 1,
        .demand_before_writeback = v[ORDER] == 0,
    };
    spec.l1.present = v[L1_PRESENT] == 0;
    if (v[L1_INDEX] == 1)
        spec.l1.set_index = &wm_set_index_fermi_hash;
    spec.l2 = cache_spec(v[L2_WRITE], l2_ways[v[L2_WAYS]], l2_line,
                         v[L2_SECTORED] == 0 ? 32 : l2_line, l2_sets[v[SLICES]]);
    spec.l2.size_bytes *= spec.l2_slices;
    spec.l2_interleave_bytes = (uint64_t)l2_line << (2 * v[INTERLEAVE]);
    spec.l2.present = v[L2_PRESENT] == 0;
    return spec;
}

// Half of the addresses near each other, half over all of the caches and more.
static struct wm_request random_request(struct wm_random *random, const struct wm_memory_spec *spec,
                                        bool hints)
{
    uint64_t line_bytes = spec->l1.line_bytes, near = 1 + wm_random_below(random, 2) * 400;
    uint32_t line_sectors = (uint32_t)(line_bytes / 32);
    uint32_t all = line_sectors == 32 ? UINT32_MAX : (UINT32_C(1) << line_sectors) - 1;
    uint32_t sectors = (uint32_t)wm_random_u64(random) & all;
    if (sectors == 0 || wm_random_below(random, 3) == 0)
        sectors = UINT32_C(1) << wm_random_below(random, line_sectors);
    uint64_t kind = wm_random_below(random, 10);
    return (struct wm_request){
        .address = (UINT64_C(0x7f0000000) + wm_random_below(random, 64 * near) * 128) / line_bytes *
                   line_bytes,
        .sectors = sectors,
        .full_sectors =
            wm_random_below(random, 2) == 0 ? sectors & (uint32_t)wm_random_u64(random) : sectors,
        .kind = kind < 5   ? WM_ACCESS_LOAD
                : kind < 8 ? WM_ACCESS_STORE
                : kind < 9 ? WM_ACCESS_ATOMIC
                           : WM_ACCESS_REDUCTION,
        .hint = hints ? (enum wm_cache_hint)wm_random_below(random, WM_HINT_NO_L1 + 1)
                      : WM_HINT_DEFAULT,
        .sm = (uint32_t)wm_random_below(random, SMS),
        .warp = (uint32_t)wm_random_below(random, 48),
        .pc = (uint32_t)wm_random_below(random, 8),
    };
}

static struct wm_memory *new_memory(const struct wm_memory_spec *spec,
                                    const struct wm_memory_paths *paths)
{
    struct wm_memory *memory;
    struct wm_error error;
    cr_assert_eq(wm_memory_new(spec, "gpu0", &memory, &error), WM_OK, "%s", error.message);
    memory->paths = paths;
    return memory;
}

// --- What must hold on any machine ---

static void check_cache(const struct wm_component_counters *component, bool single_sector_kinds)
{
    const struct wm_cache_counters *c = (const void *)component->values;
    (void)single_sector_kinds;
    cr_assert_eq(c->accesses, c->load_accesses + c->store_accesses + c->atomic_accesses);
    cr_assert_eq(c->hits, c->load_hits + c->store_hits + c->atomic_hits);
    cr_assert_eq(c->misses, c->load_misses + c->store_misses + c->atomic_misses);
    cr_assert_leq(c->sector_misses, c->misses);
    cr_assert_leq(c->evictions, c->allocations);
    cr_assert_leq(c->write_backs, c->evictions + c->invalidations + c->allocations + c->accesses);
}

static void check_boundaries(const struct wm_memory *memory)
{
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    struct wm_cache_counters l1 = {0}, l2 = {0};
    struct wm_dram_counters dram = {0};
    for (size_t i = 0; i < count; i++) {
        const char *kind = components[i].set->kind;
        uint64_t *sum = strcmp(kind, "l1") == 0   ? &l1.accesses
                        : strcmp(kind, "l2") == 0 ? &l2.accesses
                                                  : &dram.reads;
        for (size_t j = 0; j < components[i].set->count; j++)
            sum[j] += components[i].values[j];
        if (strcmp(kind, "dram") != 0)
            check_cache(&components[i], false);
    }
    if (memory->l1 != NULL && memory->l2 != NULL) {
        cr_assert_eq(l1.bytes_to_below, l2.bytes_from_above);
        cr_assert_eq(l1.bytes_from_below, l2.bytes_to_above);
    }
    if (memory->l2 != NULL) {
        cr_assert_eq(l2.bytes_to_below, dram.bytes_written);
        cr_assert_eq(l2.bytes_from_below, dram.bytes_read);
    } else if (memory->l1 != NULL) {
        cr_assert_eq(l1.bytes_to_below, dram.bytes_written);
    }
    cr_assert_leq(dram.bytes_read + dram.bytes_written, dram.bytes_transferred);
}

// What the instructions were charged is what the components counted.
static void check_causes(const struct wm_memory *memory, const struct wm_cause_counters *causes,
                         size_t cause_count)
{
    struct wm_cause_counters charged = {0};
    for (size_t i = 0; i < cause_count; i++) {
        charged.l1_hits += causes[i].l1_hits;
        charged.l1_misses += causes[i].l1_misses;
        charged.l2_hits += causes[i].l2_hits;
        charged.l2_misses += causes[i].l2_misses;
        charged.bytes_l1_l2 += causes[i].bytes_l1_l2;
        charged.bytes_dram += causes[i].bytes_dram;
    }
    uint64_t l1_hits = 0, l1_misses = 0, l2_hits = 0, l2_misses = 0, between = 0, dram = 0;
    for (uint32_t i = 0; i < memory->l1_count; i++) {
        l1_hits += memory->l1[i].counters.hits;
        l1_misses += memory->l1[i].counters.misses;
    }
    for (uint32_t slice = 0; memory->l2 != NULL && slice < memory->spec.l2_slices; slice++) {
        const struct wm_cache_counters *c = &memory->l2[slice].counters;
        l2_hits += c->hits;
        l2_misses += c->misses;
        between += c->bytes_from_above + c->bytes_to_above;
    }
    for (uint32_t channel = 0; channel < memory->spec.dram.channels; channel++)
        dram += memory->dram[channel].bytes_read + memory->dram[channel].bytes_written;
    cr_assert_eq(charged.l1_hits, l1_hits);
    cr_assert_eq(charged.l1_misses, l1_misses);
    cr_assert_eq(charged.l2_hits, l2_hits);
    cr_assert_eq(charged.l2_misses, l2_misses);
    if (memory->l2 != NULL)
        cr_assert_eq(charged.bytes_l1_l2, between);
    cr_assert_eq(charged.bytes_dram, dram);
}

// --- The tests ---

static void run_machine(const struct wm_memory_spec *spec, uint64_t seed, bool hints,
                        const struct wm_memory_paths *paths, uint32_t machine)
{
    struct wm_random random;
    wm_random_init(&random, seed, "traffic");
    struct wm_memory *memory = new_memory(spec, paths);
    struct memory_model *model = memory_model_new(spec);
    struct wm_cause_counters causes[8] = {0};
    for (int i = 0; i < REQUESTS; i++) {
        struct wm_request request = random_request(&random, spec, hints);
        memory_model_access(model, &request);
        request.cause = &causes[request.pc];
        wm_memory_access(memory, &request);
    }
    cr_assert_eq(memory_model_compare(model, memory), -1, "machine %u on %s", machine, paths->name);
    check_boundaries(memory);
    check_causes(memory, causes, 8);
    wm_memory_drain(memory);
    check_boundaries(memory);
    wm_memory_free(memory);
    memory_model_free(model);
}

Test(memory_random, every_pair_of_choices_counts_as_the_model)
{
    static bool met[DIMENSIONS][MOST_VALUES][DIMENSIONS][MOST_VALUES];
    struct wm_random random;
    wm_random_init(&random, 2, "machines");
    size_t path_count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&path_count);
    for (uint32_t machine = 0; machine < MACHINES; machine++) {
        uint32_t v[DIMENSIONS];
        for (int i = 0; i < DIMENSIONS; i++)
            v[i] = (uint32_t)wm_random_below(&random, values_of[i]);
        for (int i = 0; i < DIMENSIONS; i++)
            for (int j = 0; j < DIMENSIONS; j++)
                met[i][v[i]][j][v[j]] = true;
        struct wm_memory_spec spec = spec_of(v);
        run_machine(&spec, machine, v[HINTS] == 1, paths[machine % path_count], machine);
    }
    for (int i = 0; i < DIMENSIONS; i++)
        for (uint32_t a = 0; a < values_of[i]; a++)
            for (int j = 0; j < DIMENSIONS; j++)
                for (uint32_t b = 0; i != j && b < values_of[j]; b++)
                    cr_assert(met[i][a][j][b], "pair %d=%u, %d=%u never drawn", i, a, j, b);
}

Test(memory_random, every_path_counts_the_same)
{
    size_t path_count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&path_count);
    struct wm_random random;
    wm_random_init(&random, 3, "machines");
    for (uint32_t machine = 0; machine < 60; machine++) {
        uint32_t v[DIMENSIONS];
        for (int i = 0; i < DIMENSIONS; i++)
            v[i] = (uint32_t)wm_random_below(&random, values_of[i]);
        struct wm_memory_spec spec = spec_of(v);
        for (size_t path = 0; path < path_count; path++)
            run_machine(&spec, 1000 + machine, v[HINTS] == 1, paths[path], machine);
    }
}

Test(memory_random, the_same_traffic_gives_the_same_counts)
{
    uint32_t v[DIMENSIONS] = {[L1_WAYS] = 6, [SLICES] = 2, [L2_WAYS] = 3, [HINTS] = 1};
    struct wm_memory_spec spec = spec_of(v);
    struct wm_memory *memories[2];
    for (int i = 0; i < 2; i++) {
        struct wm_random random;
        wm_random_init(&random, 4, "traffic");
        struct wm_error error;
        cr_assert_eq(wm_memory_new(&spec, "gpu0", &memories[i], &error), WM_OK);
        for (int j = 0; j < 20000; j++) {
            struct wm_request request = random_request(&random, &spec, true);
            wm_memory_access(memories[i], &request);
        }
    }
    size_t count;
    const struct wm_component_counters *first = wm_memory_components(memories[0], &count);
    const struct wm_component_counters *second = wm_memory_components(memories[1], &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < first[i].set->count; j++)
            cr_assert_eq(first[i].values[j], second[i].values[j]);
    wm_memory_free(memories[0]);
    wm_memory_free(memories[1]);
}
